//! The part of a passage to show for a query, and what in it to highlight. Pure, linear in the
//! passage; knows the analyser's terms, but neither notes nor how they are shown.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::ops::Range;

use crate::text::{self, Term, TermKind};

/// A window into a passage. All positions are bytes of the passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// What to show: at most the bytes asked for, no blanks at its ends.
    pub range: Range<usize>,
    /// Words of the query within `range`, in order, apart from each other.
    pub highlights: Vec<Range<usize>>,
}

/// The window of at most `max_bytes` around the terms of the query that say most about the place, the earliest of
/// several such; the beginning where there is none. A third of it is for what stands around the terms: that is where
/// answers are (`evals/README.md`).
///
/// `query_terms` are terms of the analyser. A single character of a script written without
/// blanks is found at the beginning of bigrams, as a prefix query finds it. The window begins where a
/// sentence does, if there is room, or else between words; it ends between words. A word longer
/// than the window is cut at a character.
pub fn excerpt<S: BuildHasher>(text: &str, query_terms: &HashSet<String, S>, max_bytes: usize) -> Excerpt {
    let matches = find_matches(text, query_terms);
    let range = if text.trim().len() <= max_bytes {
        trim(text, 0..text.len())
    } else {
        window_around(text, best_cover(&matches, max_bytes * 2 / 3), max_bytes)
    };
    let highlights = highlights(&matches, &range);
    Excerpt { range, highlights }
}

/// Bytes of a text that take a reader as long as so many letters of the Latin alphabet. A letter of another alphabet
/// takes more bytes and says as much; a character of East Asia says more.
pub fn bytes_for(letters: usize, text: &str) -> usize {
    const EAST_ASIA: char = '\u{2e80}';
    let weight: usize = text.chars().map(|c| if c < EAST_ASIA { 1 } else { 3 }).sum();
    letters * text.len() / weight.max(1)
}

/// A term of the query and where it stands.
struct Match {
    term: String,
    range: Range<usize>,
}

/// The terms of the query in a text, by where they begin.
fn find_matches<S: BuildHasher>(text: &str, query_terms: &HashSet<String, S>) -> Vec<Match> {
    let terms = text::terms(text).into_iter();
    let mut matches: Vec<Match> = terms.filter_map(|term| find_match(text, term, query_terms)).collect();
    matches.sort_by_key(|found| (found.range.start, found.range.end));
    matches
}

fn find_match<S: BuildHasher>(text: &str, term: Term, query_terms: &HashSet<String, S>) -> Option<Match> {
    if query_terms.contains(&term.text) {
        return Some(Match { term: term.text, range: term.range });
    }
    let first_bytes = term.text.chars().next().filter(|_| term.kind == TermKind::Bigram)?.len_utf8();
    let first = query_terms.get(&term.text[..first_bytes])?;
    let source_bytes = text[term.range.clone()].chars().next()?.len_utf8();
    Some(Match { term: first.clone(), range: term.range.start..term.range.start + source_bytes })
}

/// The earliest stretch of at most `max_bytes` whose distinct terms weigh most, or one term that is longer; empty at
/// the start of the text when there are no matches.
fn best_cover(matches: &[Match], max_bytes: usize) -> Range<usize> {
    let weights = weights(matches);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut first, mut weight, mut best_weight, mut best) = (0, 0, 0, 0..0);
    for (last, found) in matches.iter().enumerate() {
        let count = counts.entry(&found.term).or_default();
        *count += 1;
        weight += if *count == 1 { weights[found.term.as_str()] } else { 0 };
        while first < last && found.range.end.saturating_sub(matches[first].range.start) > max_bytes {
            weight -= leave(&mut counts, &weights, &matches[first].term);
            first += 1;
        }
        if weight > best_weight {
            best_weight = weight;
            best = matches[first].range.start..found.range.end;
        }
    }
    best
}

/// What each term is worth: a word that stands everywhere in the passage says little about any place in it.
fn weights(matches: &[Match]) -> HashMap<&str, u64> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for found in matches {
        *counts.entry(&found.term).or_default() += 1;
    }
    counts.into_iter().map(|(term, count)| (term, 1_000_000 / count.max(1))).collect()
}

/// What is lost with the first of the matches.
fn leave<'m>(counts: &mut HashMap<&'m str, usize>, weights: &HashMap<&str, u64>, term: &'m str) -> u64 {
    match counts.get_mut(term) {
        Some(count) if *count > 1 => {
            *count -= 1;
            0
        }
        _ => counts.remove(term).map_or(0, |_| weights[term]),
    }
}

/// Widens a stretch to a window that reads well.
fn window_around(text: &str, cover: Range<usize>, max_bytes: usize) -> Range<usize> {
    let spare = max_bytes.saturating_sub(cover.len());
    // Half of the room stands before the words, more where the text ends before the other half does.
    let before = (spare / 2).max(spare.saturating_sub(text.len() - cover.end));
    let earliest = text.ceil_char_boundary(cover.start.saturating_sub(before));
    let start = window_start(text, earliest..cover.start);
    let latest = text.floor_char_boundary((start + max_bytes).min(text.len()));
    let end = window_end(text, cover.end.clamp(start, latest)..latest);
    trim(text, start..end)
}

/// Where to begin within `room`: at its first sentence, else at its first word, else at its end,
/// which is where the words of the query begin.
fn window_start(text: &str, room: Range<usize>) -> usize {
    let before = text[..room.start].chars().next_back();
    if before.is_none_or(|c| c == '\n') {
        return room.start;
    }
    let within = &text[room.clone()];
    let sentence = within.char_indices().find(|&(at, c)| ends_sentence(c, &within[at + c.len_utf8()..]));
    let word = || within.char_indices().find(|&(_, c)| is_gap(c));
    sentence.or_else(word).map_or(room.end, |(at, c)| room.start + at + c.len_utf8())
}

/// Where to end within `room`: after its last word that is whole.
fn window_end(text: &str, room: Range<usize>) -> usize {
    if text[room.end..].chars().next().is_none_or(is_gap) {
        return room.end;
    }
    let gap = text[room.clone()].char_indices().rfind(|&(_, c)| is_gap(c));
    match gap {
        Some((at, c)) if c.is_whitespace() => room.start + at,
        Some((at, c)) => room.start + at + c.len_utf8(),
        None => room.end,
    }
}

/// Whether a sentence ends with `c` when `rest` follows.
fn ends_sentence(c: char, rest: &str) -> bool {
    match c {
        '\n' | '。' | '！' | '？' | '।' => true,
        '.' | '!' | '?' | '…' => rest.starts_with(char::is_whitespace),
        _ => false,
    }
}

/// White space, and punctuation that no blank follows.
fn is_gap(c: char) -> bool {
    c.is_whitespace() || matches!(c, '、' | '，' | '。' | '！' | '？' | '；' | '：')
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let shown = &text[range.clone()];
    let start = range.start + shown.len() - shown.trim_start().len();
    start..start + shown.trim().len()
}

/// The matches within a window, overlapping and adjacent ones made one.
fn highlights(matches: &[Match], window: &Range<usize>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for found in matches {
        let (start, end) = (found.range.start.max(window.start), found.range.end.min(window.end));
        match merged.last_mut() {
            _ if start >= end => {}
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => merged.push(start..end),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms_of(query: &str) -> HashSet<String> {
        text::terms(query).into_iter().map(|term| term.text).collect()
    }

    /// The window, with what is highlighted in brackets.
    fn show(text: &str, query: &str, max_bytes: usize) -> String {
        let excerpt = excerpt(text, &terms_of(query), max_bytes);
        let mut shown = String::new();
        let mut at = excerpt.range.start;
        for highlight in excerpt.highlights {
            shown.extend([&text[at..highlight.start], "[", &text[highlight.clone()], "]"]);
            at = highlight.end;
        }
        shown + &text[at..excerpt.range.end]
    }

    const KETTLE: &str = "The house is old. It was built of red brick. The kettle came on Monday, and the ladder \
        came later.\nNobody lends the ladder. The red kettle is for guests only, as everyone knows.";

    #[test]
    fn windows() {
        for (text, query, max_bytes, expected) in [
            ("", "kettle", 10, ""),
            (" \n ", "kettle", 10, ""),
            ("  short \n", "kettle", 10, "short"),
            ("A short kettle.", "kettle", 100, "A short [kettle]."),
            // Nothing found: the beginning, to a whole word.
            (KETTLE, "", 24, "The house is old. It was"),
            (KETTLE, "gnocchi", 23, "The house is old. It"),
            // The beginning of the sentence, if there is room.
            (KETTLE, "kettle", 60, "The [kettle] came on Monday, and the ladder came later."),
            (KETTLE, "brick", 60, "It was built of red [brick]. The kettle came on Monday, and"),
            // Else whole words around.
            (KETTLE, "Monday", 20, "on [Monday], and the"),
            (KETTLE, "Monday", 6, "[Monday]"),
            (KETTLE, "Monday", 3, "[Mon]"),
            // Most distinct terms, then the earliest.
            (KETTLE, "red kettle", 15, "[red] [kettle] is"),
            // A word that stands once says more about the place than one that stands everywhere.
            (KETTLE, "the ladder guests", 30, "is for [guests] only, as"),
            (KETTLE, "the kettle monday", 36, "[The] [kettle] came on [Monday], and [the]"),
            // At the end of the text all the room is before.
            (KETTLE, "knows", 60, "The red kettle is for guests only, as everyone [knows]."),
            (KETTLE, "ladder", 10, "[ladder]"),
            (KETTLE, "red kettle guests", 50, "The [red] [kettle] is for [guests] only, as everyone"),
            (KETTLE, "kettle ladder", 60, "The [kettle] came on Monday, and the [ladder] came later."),
            (KETTLE, "the", 30, "[The] house is old. It was built"),
            // The same rules as the index: case, accents, possessives, compounds, names.
            ("A AÇÃO de Grandma's.", "ação grandma", 100, "A [AÇÃO] de [Grandma]'s."),
            ("Ship ORD-4471 and fileHasTag", "ord-4471 tag", 100, "Ship [ORD]-[4471] and fileHas[Tag]"),
            // Bigrams are one highlight; a single character is found inside a run.
            ("我们在旧图书馆里整理", "图书馆", 100, "我们在旧[图书馆]里整理"),
            ("三百本植物图鉴。植物图鉴在图书馆。", "鉴", 100, "三百本植物图[鉴]。植物图[鉴]在图书馆。"),
            ("三百本植物图鉴。我们在旧图书馆里。", "书", 100, "三百本植物图鉴。我们在旧图[书]馆里。"),
            ("三百本植物图鉴。我们在旧图书馆里。", "图书馆", 36, "我们在旧[图书馆]里。"),
            // A word longer than the window is cut at a character.
            ("ééééé ééééé", "", 5, "éé"),
            ("ééééé", "", 1, ""),
            (KETTLE, "kettle", 0, ""),
        ] {
            assert_eq!(show(text, query, max_bytes), expected, "{query:?} in {max_bytes} bytes of {text:?}");
        }
    }

    proptest! {
        #[test]
        fn windows_are_well_formed(text in "[a-c é图书馆.\n’-]{0,80}", query in "[a-c 图书馆]{0,6}", max_bytes in 0..90_usize) {
            let terms = terms_of(&query);
            let excerpt = excerpt(&text, &terms, max_bytes);
            let shown = text.get(excerpt.range.clone());
            prop_assert!(shown.is_some_and(|shown| shown.len() <= max_bytes && shown.trim() == shown));
            let mut at = excerpt.range.start;
            for highlight in &excerpt.highlights {
                prop_assert!(highlight.start >= at && highlight.start < highlight.end);
                prop_assert!(highlight.end <= excerpt.range.end && text.get(highlight.clone()).is_some());
                at = highlight.end + 1;
            }
            let longest = terms.iter().map(String::len).max().unwrap_or(0);
            if max_bytes >= longest + 4 && !find_matches(&text, &terms).is_empty() {
                prop_assert!(!excerpt.highlights.is_empty(), "{:?}", shown);
            }
        }
    }
}
