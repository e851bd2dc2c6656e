//! Text of notes -> text that a terminal shows as it is: no control sequences, nothing that
//! reorders or hides what stands beside it. Notes are untrusted text.

use crate::reply::may_deceive;

/// A path, a title, a tag, a message: everything that stands on one line.
pub(in crate::cli) fn line(text: &str) -> String {
    text.chars().flat_map(escaped_in_line).collect()
}

/// Text of several lines: tabs and line ends stay, `\r\n` becomes `\n`.
pub(in crate::cli) fn block(text: &str) -> String {
    text.replace("\r\n", "\n").chars().flat_map(escaped_in_block).collect()
}

/// A character of a text of several lines, as it is shown.
pub(super) fn escaped_in_block(letter: char) -> Shown {
    if letter == '\n' || letter == '\t' { Shown::plain(letter) } else { escaped_in_line(letter) }
}

fn escaped_in_line(letter: char) -> Shown {
    if may_deceive(letter) { Shown::Escaped(letter.escape_unicode()) } else { Shown::plain(letter) }
}

/// A character as it is shown: itself, or an escape such as `\u{1b}`.
pub(super) enum Shown {
    Plain(std::iter::Once<char>),
    Escaped(std::char::EscapeUnicode),
}

impl Shown {
    fn plain(letter: char) -> Self {
        Shown::Plain(std::iter::once(letter))
    }
}

impl Iterator for Shown {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self {
            Shown::Plain(letter) => letter.next(),
            Shown::Escaped(letters) => letters.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_fool_a_terminal_is_spelt_out() {
        let rows = [
            ("plain, Grüße, 日本語, 👩‍🚀, فارسی‌ها", "plain, Grüße, 日本語, 👩‍🚀, فارسی‌ها"),
            ("\u{1b}[2Jgone", r"\u{1b}[2Jgone"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("a\u{202e}fdp.md", r"a\u{202e}fdp.md"),
            ("\u{2066}x\u{2069}\u{200f}", r"\u{2066}x\u{2069}\u{200f}"),
            ("bell\u{7}back\u{8}", r"bell\u{7}back\u{8}"),
            ("tag\u{e0041}", r"tag\u{e0041}"),
            ("two\nlines\t", r"two\u{a}lines\u{9}"),
        ];
        for (text, shown) in rows {
            assert_eq!(line(text), shown);
        }
    }

    #[test]
    fn blocks_keep_their_lines() {
        assert_eq!(block("a\r\n\tb\nc\rd\u{1b}"), "a\n\tb\nc\\u{d}d\\u{1b}");
    }
}
