//! Runs of words in the prose of a note that may be the name of another note and are not linked: outside of
//! properties, headings, links, tags, code, tables, comments and addresses. Must not know which names there are.
use std::ops::Range;

use super::{Document, fold, spans};

/// A run of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Where it stands, within a line.
    pub range: Range<usize>,
    /// Folded, as names are compared.
    pub key: String,
}

/// Words of a name at most; letters, in scripts written without blanks.
const MOST_WORDS: usize = 6;
/// Shorter names are words of their own, in characters; names of signs say more with fewer.
const LEAST_CHARS: usize = 3;
const LEAST_SIGNS: usize = 2;

/// For each word in order: the runs that begin with it, the longest first.
pub fn runs<'t>(text: &'t str, document: &Document) -> impl Iterator<Item = Vec<Run>> + use<'t> {
    let mut taken: Vec<Range<usize>> =
        document.headings.iter().map(|heading| heading.range.clone()).collect();
    taken.extend(document.links.iter().map(|link| link.range.clone()));
    taken.extend(document.layout.line_based.iter().chain(&document.layout.hidden).cloned());
    let prose = spans::without(document.body_start..text.len(), &spans::union(taken));
    let lines = prose.into_iter().flat_map(move |part| lines(text, part));
    lines.flat_map(move |line| of_line(text, line))
}

fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = part.start;
    text[part].split_inclusive('\n').map(move |line| {
        start += line.len();
        start - line.len()..start
    })
}

fn of_line(text: &str, line: Range<usize>) -> impl Iterator<Item = Vec<Run>> {
    let words = words(text, line);
    let count = words.len();
    let runs_from = move |first: usize| {
        let longest = words.len().min(first + MOST_WORDS);
        (first..longest).rev().filter_map(|last| run(text, &words[first..=last])).collect::<Vec<_>>()
    };
    (0..count).map(runs_from).filter(|runs| !runs.is_empty())
}

fn run(text: &str, words: &[Range<usize>]) -> Option<Run> {
    let gap = |pair: &[Range<usize>]| {
        let gap = &text[pair[0].end..pair[1].start];
        gap.chars().count() <= 2 && !gap.contains(['\n', '\r', '.', ';', ':', '!', '?'])
    };
    let range = words.first()?.start..words.last()?.end;
    let name = &text[range.clone()];
    let least = if name.is_ascii() { LEAST_CHARS } else { LEAST_SIGNS };
    let is_name = name.chars().count() >= least && name.chars().any(char::is_alphabetic);
    (is_name && words.windows(2).all(gap)).then(|| Run { key: fold(name), range })
}

/// The words of a line that nothing else claims: code between backticks, brackets and what follows them, addresses,
/// tags and mathematics are passed over.
fn words(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut inside: Option<char> = None;
    let mut is_address = false;
    let mut after_blank = line.start;
    let mut before = ' ';
    for (at, letter) in text[line.clone()].char_indices().map(|(at, letter)| (line.start + at, letter)) {
        if letter.is_whitespace() {
            is_address = false;
            after_blank = at + letter.len_utf8();
        }
        is_address |= letter == '#' || text[at..].starts_with("://") || letter == '@';
        inside = match (inside, letter) {
            (Some(end), letter) if letter == end => None,
            (None, '`') => Some('`'),
            (None, '$') => Some('$'),
            (None, '[') => Some(']'),
            (None, '(') if before == ']' => Some(')'),
            (None, '<') => Some('>'),
            (inside, _) => inside,
        };
        let is_sign = is_sign(letter);
        let is_word = (letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter))
            && inside.is_none()
            && !is_address;
        if is_word {
            match words.last_mut().filter(|word| word.end == at && !is_sign && !is_sign_before(text, at)) {
                Some(word) => word.end = at + letter.len_utf8(),
                None => words.push(at..at + letter.len_utf8()),
            }
        } else if is_address {
            // `name@place` and `scheme://place` began as words.
            while words.last().is_some_and(|word| word.start >= after_blank) {
                words.pop();
            }
        }
        before = letter;
    }
    words
}

fn is_sign(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_sign_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(is_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run as it stands in the text.
    fn found(text: &str) -> Vec<&str> {
        let document = super::super::parse(text);
        runs(text, &document).flatten().map(|run| &text[run.range]).collect()
    }

    #[test]
    fn prose_alone_has_runs() {
        let table: [(&str, &[&str], &[&str]); 8] = [
            ("Ask Jane Doe. Then go", &["Jane Doe", "Ask Jane Doe", "Jane"], &["Doe. Then", "go"]),
            ("# Jane\n\nsee [[Jane]] or [Jane](x.md)", &["see"], &["Jane"]),
            ("`Jane` and <b class=Jane>x</b> [Jane](https://x.org/Ann) $Jane$", &["and"], &["Jane", "Ann"]),
            (
                "mail jane@doe.org https://jane.org/doe #jane/doe end",
                &["mail", "end"],
                &["jane", "doe", "https"],
            ),
            ("```\nJane\n```\n\n| Jane |\n| --- |\n| Doe |\n", &[], &["Jane", "Doe"]),
            ("Red-brick, O'Neil", &["Red-brick", "Red-brick, O'Neil"], &[]),
            ("在图书馆里", &["图书馆", "图书"], &["图"]),
            ("2031 and Budget 2031", &["Budget 2031"], &["2031"]),
        ];
        for (text, there, absent) in table {
            let found = found(text);
            assert!(there.iter().all(|run| found.contains(run)), "{text}: {found:?}");
            assert!(!absent.iter().any(|run| found.contains(run)), "{text}: {found:?}");
        }
    }
}
