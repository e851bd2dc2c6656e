//! One way to compare names, tags and flags, coarser than any file system or editor: NFKC, full
//! case folding, invisible characters removed. Two texts that anything might take for the same
//! must fold alike.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Folds a text for comparison.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    fold_chars(text.chars()).collect()
}

/// Folds lazily, so that a comparison can stop at the first difference.
pub(super) fn fold_chars(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let visible = chars.filter(|c| !is_ignorable(*c)).nfkc().filter(|c| !is_ignorable(*c));
    visible.default_case_fold().nfkc()
}

/// Default-ignorable code points: they change what is compared but not what is seen.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_alike_fold_alike() {
        let alike = [
            ("Journal", "journal"),
            ("Journée", "Journe\u{301}e"),
            ("STRASSE", "straße"),
            ("pri\u{200B}vate", "private"),
            ("ｐｒｉｖａｔｅ", "PRIVATE"),
            ("ΟΔΟΣ", "οδος"),
            ("ﬁle", "FILE"),
        ];
        for (left, right) in alike {
            assert_eq!(fold(left), fold(right), "{left} {right}");
        }
        assert_ne!(fold("resume"), fold("résumé"));
    }
}
