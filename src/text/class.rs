//! What a character is to the analyser. Knows single characters only.
//!
//! Block ranges come from the Unicode Character Database, version 16.

use unicode_normalization::char::is_combining_mark;

/// How the analyser cuts a run of characters into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Words stand between blanks.
    Spaced,
    /// Words stand side by side: terms are bigrams.
    Unspaced,
}

/// Letters, numbers, marks and private use: what a word is made of.
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    (c.is_alphanumeric() || is_combining_mark(c) || is_private_use(c))
        && !is_apostrophe(c)
        && !is_invisible(c)
}

fn is_private_use(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

/// Marks inside a word that some writers leave out: apostrophes, the Hebrew geresh and
/// gershayim, the Catalan middle dot.
pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '\u{2018}'
            | '\u{2019}'
            | '\u{201b}'
            | '\u{2bb}'
            | '\u{2bc}'
            | '\u{ff07}'
            | '\u{b4}'
            | '\u{5f3}'
            | '\u{5f4}'
            | '\u{b7}'
    )
}

/// Characters nobody sees: soft hyphen, zero-width and direction marks, variation selectors, tags.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}'
            | '\u{61c}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

/// Whether `next` belongs to the same written unit as `previous`, and so is folded with it.
///
/// Wider than combining marks: conjoining Hangul, half-width sound marks and Thai and Lao AM
/// (composed or not) compose with the character before, and a Khmer, Myanmar or Tai Tham stacker takes the
/// consonant after it.
pub(super) fn continues_cluster(previous: char, next: char) -> bool {
    is_combining_mark(next)
        || is_invisible(next)
        || matches!(next, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}' | '\u{ff9e}' | '\u{ff9f}')
        || matches!(next, '\u{e33}' | '\u{eb3}')
        || matches!((previous, next), ('\u{e4d}', '\u{e32}') | ('\u{ecd}', '\u{eb2}'))
        || (matches!(previous, '\u{17d2}' | '\u{1039}' | '\u{1a60}') && is_word(next))
}

/// The script class of a folded character.
pub(super) fn script(c: char) -> Script {
    if is_cjk(c) || is_south_east_asian(c) { Script::Unspaced } else { Script::Spaced }
}

/// Han, Kana, Bopomofo, Hangul and Yi.
fn is_cjk(c: char) -> bool {
    matches!(
        c,
        '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{302f}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3038}'..='\u{303c}'
            | '\u{3041}'..='\u{318f}'
            | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{a4cf}'
            | '\u{1100}'..='\u{11ff}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{1aff0}'..='\u{1b16f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Scripts of South-East Asia that put no blanks between words.
fn is_south_east_asian(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}'      // Thai, Lao
            | '\u{1000}'..='\u{109f}' // Myanmar
            | '\u{1780}'..='\u{17ff}' // Khmer
            | '\u{1950}'..='\u{19ff}' // Tai Le, New Tai Lue, Khmer symbols
            | '\u{1a20}'..='\u{1aaf}' // Tai Tham
            | '\u{1b00}'..='\u{1b7f}' // Balinese
            | '\u{a980}'..='\u{a9ff}' // Javanese, Myanmar extended-B
            | '\u{aa60}'..='\u{aadf}' // Myanmar extended-A, Tai Viet
    )
}

/// Pictures people search for. Symbols such as arrows, currency and mathematics are no terms.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{2318}' | '\u{231a}' | '\u{231b}' | '\u{2328}' | '\u{23cf}'
            | '\u{23e9}'..='\u{23fa}'
            | '\u{2600}'..='\u{2767}'
            | '\u{2794}'..='\u{27bf}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1f3fa}' // the gap is the skin tones
            | '\u{1f400}'..='\u{1faff}'
    )
}

/// Two of these make a flag.
pub(super) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}
