//! Words of a text as somebody who quotes it keeps them, and where quoted words stand in a note.
//!
//! Line breaks, case, Unicode form and the marks of Markdown around words do not count; numbers, signs and the order
//! of words do. Linear in the length of the text. Must not know where quotes come from.
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::{Document, fold, spans};

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In the form in which words are compared.
    pub key: String,
    /// Where it stands, marks around it not included.
    pub range: Range<usize>,
}

/// The words of a text: what stands between blanks, but for scripts written without them, where each letter is one.
pub fn words(text: &str) -> Vec<Word> {
    words_within(text, 0..text.len())
}

/// The words of a note's body that may be shown: no properties, no comments, no embedded data.
pub fn visible_words(text: &str, document: &Document) -> Vec<Word> {
    let parts = spans::without(document.body_start..text.len(), &document.layout.hidden);
    parts.into_iter().flat_map(|part| words_within(text, part)).collect()
}

/// Where `quote` stands among `words`: bytes of each place, in order, overlapping ones once. A quote without words
/// stands nowhere.
pub fn places(words: &[Word], quote: &[Word]) -> Vec<Range<usize>> {
    let Some(longest_border) = borders(quote) else { return Vec::new() };
    let (mut found, mut matched) = (Vec::new(), 0);
    for (at, word) in words.iter().enumerate() {
        while matched > 0 && quote[matched].key != word.key {
            matched = longest_border[matched - 1];
        }
        if quote[matched].key == word.key {
            matched += 1;
        }
        if matched == quote.len() {
            found.push(words[at + 1 - matched].range.start..word.range.end);
            matched = 0;
        }
    }
    found
}

/// For each beginning of the quote, how much of it is its own beginning and end at once (Knuth, Morris, Pratt 1977).
fn borders(quote: &[Word]) -> Option<Vec<usize>> {
    let mut borders = vec![0; quote.len()];
    for at in 1..quote.len() {
        let mut length: usize = borders[at - 1];
        while length > 0 && quote[at].key != quote[length].key {
            length = borders[length - 1];
        }
        borders[at] = length + usize::from(quote[at].key == quote[length].key);
    }
    (!borders.is_empty()).then_some(borders)
}

fn words_within(text: &str, part: Range<usize>) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text[part.clone()].char_indices().map(|(at, letter)| (part.start + at, letter)) {
        let stands_alone = is_written_without_blanks(letter);
        if stands_alone || letter.is_whitespace() {
            words.extend(start.take().and_then(|start| word(text, start..at)));
        }
        if stands_alone {
            words.extend(word(text, at..at + letter.len_utf8()));
        } else if !letter.is_whitespace() {
            start.get_or_insert(at);
        }
    }
    words.extend(start.and_then(|start| word(text, start..part.end)));
    words
}

/// A run between blanks without what is no part of its word; `None` for marks alone.
fn word(text: &str, run: Range<usize>) -> Option<Word> {
    let letters = &text[run.clone()];
    let trimmed =
        letters.trim_end_matches(|letter: char| !(letter.is_alphanumeric() || is_combining_mark(letter)));
    let is_sign = |at: usize| {
        let sign = letters[at..].starts_with(['-', '+', '\u{2212}']);
        sign && letters[at..].chars().nth(1).is_some_and(char::is_numeric)
    };
    let first = letters.char_indices().find(|&(at, letter)| letter.is_alphanumeric() || is_sign(at))?.0;
    let inner = trimmed.get(first..).filter(|inner| !inner.is_empty())?;
    let key = fold(&inner.replace(['*', '_', '`', '~', '='], "")).replace('\u{2212}', "-");
    Some(Word { key, range: run.start + first..run.start + first + inner.len() })
}

/// Chinese and Japanese signs, Thai, Lao, Khmer and Burmese letters.
fn is_written_without_blanks(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_a_quote_keeps() {
        let table: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("The **mast** is _spruce_.", &["the", "mast", "is", "spruce"]),
            ("- \"Quoted\", (3.5 mm) — 35 %", &["quoted", "3.5", "mm", "35"]),
            ("from -3 to \u{2212}4, +5; e-mail -", &["from", "-3", "to", "-4", "+5", "e-mail"]),
            ("Café cafe\u{301}", &["café", "café"]),
            ("## Mast ##\n> oiled", &["mast", "oiled"]),
            ("a_b `c`d ==e==", &["ab", "cd", "e"]),
            ("图书馆 is 3层", &["图", "书", "馆", "is", "3", "层"]),
            ("** -- |", &[]),
            ("don't", &["don't"]),
        ];
        for (text, expected) in table {
            let found = words(text);
            let keys: Vec<&str> = found.iter().map(|word| &*word.key).collect();
            assert_eq!(keys, expected, "{text}");
        }
    }

    #[test]
    fn quotes_are_found_where_they_stand() {
        let table: [(&str, &str, &[&str]); 8] = [
            ("The mast\nis **spruce**.", "the mast is spruce", &["The mast\nis **spruce"]),
            ("a b a b a c", "a b a c", &["a b a c"]),
            ("x y x y", "x y", &["x y", "x y"]),
            ("The mast takes 35", "takes 3", &[]),
            ("three coats", "", &[]),
            ("short", "short of it", &[]),
            ("在图书馆里", "图书馆", &["图书馆"]),
            ("a a a", "a a", &["a a"]),
        ];
        for (text, quote, expected) in table {
            let found = places(&words(text), &words(quote));
            let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{quote}");
        }
    }

    #[test]
    fn what_is_hidden_has_no_words() {
        let text = "---\na: b\n---\nseen %% not seen %% again <!-- no --> .";
        let found = visible_words(text, &super::super::parse(text));
        let keys: Vec<&str> = found.iter().map(|word| &*word.key).collect();
        assert_eq!(keys, ["seen", "again"]);
    }
}
