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
/// characters that are never visible and may smuggle text. Joiners are not among them: scripts and
/// emoji need them. Transports spell such characters out in names and titles.
pub fn may_deceive(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
