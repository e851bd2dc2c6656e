//! The only thing that may leave. A [`Reply`] about notes is made from [`Released`] values, and
//! only the gate makes those, from notes it admitted in this request. What an index says of
//! itself (see [`Reply::about_index`]) holds no note's name or text.

use crate::ops::reindex::ReindexAnswer;
use crate::ops::status::StatusAnswer;
use crate::vault::Released;

/// An answer that has passed the wall.
#[derive(Debug)]
pub struct Reply<T> {
    value: T,
}

impl<T> Reply<T> {
    /// The answer that was made of admitted notes.
    pub fn new(released: Released<'_, T>) -> Reply<T> {
        Reply { value: released.into_reply_value() }
    }

    /// The answer, to be written out by a transport.
    pub fn get(&self) -> &T {
        &self.value
    }
}

impl Reply<StatusAnswer> {
    /// What an index says of itself: counts and times of this profile's tree, no name, no text.
    pub fn about_index(status: StatusAnswer) -> Reply<StatusAnswer> {
        Reply { value: status }
    }
}

impl Reply<ReindexAnswer> {
    /// What a run did to this profile's tree: counts of what is in it, never of what is not.
    pub fn about_run(done: ReindexAnswer) -> Reply<ReindexAnswer> {
        Reply { value: done }
    }
}

/// Could this character, shown as it is, pass for something else? Control characters (C0, C1, DEL),
/// line and paragraph separators, marks that change the direction of text (Unicode Annex 9), and
/// characters that are never visible and may smuggle text. Joiners and variation selectors are not among
/// them: scripts and emoji need them, see [`may_deceive_after`]. Transports spell such characters out.
pub fn may_deceive(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// The same of a character that stands behind this one. A joiner or a variation selector is invisible, and
/// harmless where it changes a letter that knows it: of two in a row one is too many, behind a Latin letter or a
/// blank every one. What stands elsewhere, or in runs, may be a message that only a model reads.
pub fn may_deceive_after(before: Option<char>, letter: char) -> bool {
    let is_behind = |knows: fn(char) -> bool| before.is_some_and(knows);
    match letter {
        '\u{200c}' | '\u{200d}' => !is_behind(is_joined),
        '\u{fe00}'..='\u{fe0f}' => !is_behind(has_variants),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            !is_behind(|before| matches!(before, '\u{1820}'..='\u{18aa}'))
        }
        '\u{e0100}'..='\u{e01ef}' => !is_behind(is_ideograph),
        letter => may_deceive(letter),
    }
}

/// Emoji are joined behind their selector, too.
fn is_joined(letter: char) -> bool {
    letter == '\u{fe0f}' || (!letter.is_ascii() && is_seen(letter))
}

/// Digits become keys, other signs emoji.
fn has_variants(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '#' | '*') || (!letter.is_ascii() && is_seen(letter))
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_seen(letter: char) -> bool {
    let is_selector = matches!(letter,
        '\u{180b}'..='\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    !letter.is_whitespace() && !is_selector && !may_deceive(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_and_emoji_need_stays() {
        let spelt_out = |text: &str| {
            let befores = std::iter::once(None).chain(text.chars().map(Some));
            text.chars().zip(befores).filter(|(letter, before)| may_deceive_after(*before, *letter)).count()
        };
        let rows = [
            ("فارسی\u{200c}ها क्\u{200d}ष", 0),
            ("👩\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3} ☀\u{fe0e} 👍🏽", 0),
            ("葛\u{e0100} ᠠ\u{180b}", 0),
            ("a\u{200d}b \u{200c}", 2),
            ("👩\u{200d}\u{200c}\u{200d}", 2),
            ("☀\u{fe0f}\u{fe0f}\u{fe01}", 2),
            ("😀\u{e0101}\u{e0142}\u{e01ef}", 3),
            ("x\u{fe0f}y\u{fe01}", 2),
            ("a\u{200b}\u{200b}b\u{feff}\u{2062}", 4),
            ("\u{e0041}\u{e0042}\u{3164}\u{202e}\u{1b}\r", 6),
        ];
        for (text, expected) in rows {
            assert_eq!(spelt_out(text), expected, "{}", text.escape_unicode());
        }
    }
}
