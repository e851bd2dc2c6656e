//! One written unit -> its folded form: what is left when case, width, accents and optional
//! vowel points no longer matter. Knows nothing of words.
//!
//! The form is NFC of the case-folded NFKD (Unicode Standard, 3.13, compatibility caseless
//! matching) without the marks that writers of the script leave out.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use super::class::{is_invisible, is_word};

/// Characters of one unit that are looked at: no script stacks more marks on a letter, and text
/// that does is decoration.
const MAX_UNIT_CHARS: usize = 12;

/// Appends the folded form of a unit: a base character and what composes with it. Appends
/// nothing but word characters, and may append none.
pub(super) fn fold_unit(unit: &str, out: &mut String) {
    let mut chars = unit.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii() => out.push(c.to_ascii_lowercase()),
        (Some(c), None) if folds_to_itself(c) => out.push(c),
        _ => fold_any(unit, out),
    }
}

/// The bulk of the text of some scripts, which needs no tables: Cyrillic small letters, Arabic and
/// Thai letters, Kana, Han, Hangul.
fn folds_to_itself(c: char) -> bool {
    matches!(
        c,
        'а'..='я'
            | '\u{627}' | '\u{628}' | '\u{62a}'..='\u{63a}' | '\u{641}'..='\u{648}' | '\u{64a}'
            | '\u{e01}'..='\u{e30}' | '\u{e32}' | '\u{e40}'..='\u{e46}'
            | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
    )
}

fn fold_any(unit: &str, out: &mut String) {
    let mut folded = String::new();
    for c in unit.chars().filter(|&c| !is_invisible(c)).take(MAX_UNIT_CHARS).nfkd() {
        let short_i = c == '\u{306}' && folded.ends_with('и');
        if short_i || !is_dropped_mark(c) {
            std::iter::once(c).default_case_fold().for_each(|c| push_base(c, &mut folded));
        }
    }
    out.extend(folded.nfc().filter(|&c| is_word(c)));
}

/// Marks that writers leave out: accents of Latin, Greek and Cyrillic (but й is a letter of its
/// own, not и with a breve), points of Hebrew, vowel signs and hamza seats of Arabic, and tatweel.
fn is_dropped_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}'
            | '\u{483}'..='\u{489}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
            | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
            | '\u{610}'..='\u{61a}'
            | '\u{640}'
            | '\u{64b}'..='\u{65f}'
            | '\u{670}'
            | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
            | '\u{8ca}'..='\u{8ff}'
    )
}

/// Appends a case-folded character, replacing letters that have a plain spelling Unicode does
/// not decompose them to.
fn push_base(c: char, folded: &mut String) {
    match c {
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        _ => folded.push(plain_letter(c).unwrap_or(c)),
    }
}

/// Latin letters with a stroke, Arabic letters that differ by keyboard or habit (the pairs of
/// Lucene's Arabic and Persian normalisers), and the digits of other scripts.
fn plain_letter(c: char) -> Option<char> {
    match c {
        'ø' => Some('o'),
        'ł' => Some('l'),
        'đ' | 'ð' => Some('d'),
        'ħ' => Some('h'),
        'ŧ' => Some('t'),
        'ı' => Some('i'),
        '\u{649}' | '\u{6cc}' => Some('\u{64a}'),
        '\u{6a9}' => Some('\u{643}'),
        '\u{629}' => Some('\u{647}'),
        _ => ascii_digit(c),
    }
}

/// First digits of the decimal scripts in everyday use.
const ZEROS: [char; 18] = [
    '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}',
    '\u{c66}', '\u{ce6}', '\u{d66}', '\u{de6}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}', '\u{17e0}',
];

fn ascii_digit(c: char) -> Option<char> {
    let zero = ZEROS.iter().rev().find(|&&zero| zero <= c)?;
    char::from_digit(u32::from(c) - u32::from(*zero), 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(unit: &str) -> String {
        let mut out = String::new();
        fold_unit(unit, &mut out);
        out
    }

    #[test]
    fn short_cuts_yield_what_the_tables_do() {
        for c in '\0'..=char::MAX {
            if c.is_ascii_alphanumeric() || folds_to_itself(c) {
                let mut folded = String::new();
                fold_any(&c.to_string(), &mut folded);
                assert_eq!(fold(&c.to_string()), folded, "{c:?}");
            }
        }
    }

    #[test]
    fn what_is_folded_stays() {
        for c in '\0'..=char::MAX {
            let folded = fold(&c.to_string());
            let again: String = folded.chars().map(|c| fold(&c.to_string())).collect();
            assert_eq!(again, folded, "{c:?}");
        }
    }
}
