//! Private tags anywhere in the raw text: in prose, code, comments, HTML and properties alike.

use super::{Mark, Word};
use crate::vault::fold::{fold_chars, is_ignorable};
use crate::vault::rules::Rules;

/// Every `#tag` that a tag rule makes private.
pub(super) fn private_tags<'a>(rules: &'a Rules, text: &'a str) -> impl Iterator<Item = Mark> + 'a {
    let hashes = (!rules.tags.is_empty()).then(|| hash_ends(text));
    hashes.into_iter().flatten().filter_map(|at| {
        let rule = rules.tags.iter().position(|rule| begins_with_tag(&text[at..], rule));
        rule.map(|rule| Mark { word: Word::Tag(rule), at })
    })
}

/// Where a tag may begin: behind every `#` (or its full-width form) that does not stand inside a
/// word, a path or a row of `#`.
fn hash_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let ascii = text.match_indices('#');
    let wide = if text.is_ascii() { None } else { Some(text.match_indices('\u{FF03}')) };
    ascii.chain(wide.into_iter().flatten()).filter_map(|(at, hash)| {
        let before = text[..at].chars().rev().find(|c| !is_ignorable(*c));
        // A `_` may begin emphasis.
        let inside = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '/' | '#'));
        // Readers leave out slashes at the ends of a tag.
        let behind = &text[at + hash.len()..];
        (!inside).then(|| text.len() - behind.trim_start_matches('/').len())
    })
}

/// Does the text begin with the tag of a rule, or one nested below it, that ends there?
fn begins_with_tag(text: &str, folded_rule: &str) -> bool {
    ascii_answer(text.as_bytes(), folded_rule.as_bytes()).unwrap_or_else(|| begins_folded(text, folded_rule))
}

/// The answer where ASCII alone gives it, without folding: it does for all but a few notes.
/// `None` from the first letter on that something outside ASCII might change.
fn ascii_answer(text: &[u8], folded_rule: &[u8]) -> Option<bool> {
    for (at, expected) in folded_rule.iter().enumerate() {
        match text.get(at) {
            None => return Some(false),
            Some(found) if !found.is_ascii() || !expected.is_ascii() => return None,
            Some(found) if found.to_ascii_lowercase() != *expected => return Some(false),
            Some(_) => {}
        }
    }
    match text.get(folded_rule.len()) {
        Some(next) if !next.is_ascii() => None,
        next => Some(!next.is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'_' | b'-'))),
    }
}

/// To some readers a character that cannot be seen is none, to others it ends the tag.
fn begins_folded(text: &str, folded_rule: &str) -> bool {
    let word = || text.chars().take_while(|c| !c.is_whitespace());
    is_tag(word(), folded_rule) || is_tag(word().take_while(|c| !is_ignorable(*c)), folded_rule)
}

/// Compared character by character, so that a row of near misses costs no more than it must.
fn is_tag(word: impl Iterator<Item = char>, folded_rule: &str) -> bool {
    let mut folded = fold_chars(word);
    folded_rule.chars().all(|c| folded.next() == Some(c))
        && !folded.next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn ascii_alone_gives_the_same_answer(
            text in "[prPRivate/_\\- \u{301}\u{200b}\u{212a}é]{0,6}[a-z]{0,2}",
            rule in "[privaté]{1,3}",
        ) {
            if let Some(answer) = ascii_answer(text.as_bytes(), rule.as_bytes()) {
                proptest::prop_assert_eq!(answer, begins_folded(&text, &rule));
            }
        }
    }
}
