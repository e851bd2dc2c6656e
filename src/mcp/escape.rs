//! Untrusted text -> text that cannot be mistaken for the server's own words. Titles, paths and
//! tags become one harmless line; the text of a note goes into a fence that it cannot close.

use crate::reply::may_deceive;

/// Longer labels are cut, in characters: no title takes over an answer.
const MAX_LABEL_CHARS: usize = 500;
/// Shorter fences do not open a code block.
const MIN_FENCE: usize = 3;

/// A path or a cursor: one line without control sequences or hidden text, of any length.
pub(super) fn line(text: &str) -> String {
    text.chars().map(shown_in_line).collect()
}

/// A title, a heading, a tag: the same, and short.
pub(super) fn label(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_LABEL_CHARS).map(shown_in_line).collect();
    if text.chars().nth(MAX_LABEL_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// The text of a note between fences, labelled. Longer than any run of backticks in the text, the
/// fence ends where it should. Invisible characters are part of the text and stay; control
/// characters are not and become escapes such as `\u{1b}`.
pub(super) fn fenced(kind: &str, text: &str) -> String {
    let text: String = text.replace("\r\n", "\n").chars().map(shown_in_text).collect();
    let fence = "`".repeat(MIN_FENCE.max(longest_run(&text) + 1));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{kind}\n{text}{end}{fence}\n")
}

fn shown_in_line(letter: char) -> Shown {
    if may_deceive(letter) { Shown::Escaped(letter) } else { Shown::Plain(letter) }
}

fn shown_in_text(letter: char) -> Shown {
    let harmless = matches!(letter, '\n' | '\t') || !letter.is_control();
    if harmless { Shown::Plain(letter) } else { Shown::Escaped(letter) }
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

enum Shown {
    Plain(char),
    Escaped(char),
}

impl FromIterator<Shown> for String {
    fn from_iter<I: IntoIterator<Item = Shown>>(letters: I) -> String {
        let mut text = String::new();
        for letter in letters {
            match letter {
                Shown::Plain(letter) => text.push(letter),
                Shown::Escaped(letter) => text.extend(letter.escape_unicode()),
            }
        }
        text
    }
}
