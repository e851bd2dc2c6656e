//! Untrusted text -> the name of a note. No IO.
//!
//! Invariant: a [`NotePath`] is a vault-relative, `/`-separated name of a visible `.md` file that
//! can be handed to the operating system below the vault's root without leaving it. `parse` is
//! the only constructor, so whoever holds one need not check again.

use std::fmt;

use super::fold::{fold, is_ignorable};

/// Longest name accepted, in bytes.
const MAX_PATH_BYTES: usize = 4096;
/// Longest segment that file systems take, in bytes.
const MAX_SEGMENT_BYTES: usize = 255;
/// Most folders a note may lie in, one inside the other: the scan enters no deeper ones, so the
/// links down there are not known.
pub(super) const MAX_DEPTH: usize = 64;
/// Names that Windows gives to devices, in whatever folder and with whatever extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// The name of a note inside the vault.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NotePath(Box<str>);

/// The text is not the name of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a note")]
pub struct InvalidPath;

impl NotePath {
    /// Parses untrusted text.
    pub fn parse(text: &str) -> Result<NotePath, InvalidPath> {
        let is_shallow = text.split('/').nth(MAX_DEPTH + 1).is_none();
        let fits = text.len() <= MAX_PATH_BYTES && is_shallow && is_markdown(text);
        if fits && text.split('/').all(is_safe_segment) {
            Ok(NotePath(text.into()))
        } else {
            Err(InvalidPath)
        }
    }

    /// The name, `/`-separated, as it stands on disk.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file name without folders and without `.md`.
    pub fn stem(&self) -> &str {
        let name = self.0.rsplit('/').next().unwrap_or_default();
        &name[..name.len() - ".md".len()]
    }

    /// The folder, without a trailing `/`; empty at the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Logs must not carry the names of notes; they see a shape instead.
impl fmt::Debug for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotePath({} bytes)", self.0.len())
    }
}

/// A file name with something before `.md`, in any case.
pub(super) fn is_markdown(name: &str) -> bool {
    let stem_bytes = name.len().saturating_sub(".md".len());
    stem_bytes > 0 && name.is_char_boundary(stem_bytes) && name[stem_bytes..].eq_ignore_ascii_case(".md")
}

/// A segment that means the same file on every platform, and no hidden one.
pub(super) fn is_safe_segment(segment: &str) -> bool {
    let plain = !segment.is_empty() && segment.len() <= MAX_SEGMENT_BYTES;
    plain
        && !is_hidden(segment)
        && !segment.ends_with(['.', ' '])
        && !segment.contains(|c: char| c == '\\' || c == ':' || c.is_control())
        && !is_device(segment)
}

/// Begins with a dot; invisible characters before it do not count, since HFS+ skips them too.
fn is_hidden(segment: &str) -> bool {
    segment.chars().find(|c| !is_ignorable(*c)) == Some('.')
}

/// `COM1` to `LPT9`, superscript digits included, and the other device names.
fn is_device(segment: &str) -> bool {
    let stem = segment.split('.').next().unwrap_or_default().trim_end();
    if stem.len() > 8 {
        return false;
    }
    // Compatibility folding turns the superscript digits into plain ones.
    let stem = fold(stem);
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    DEVICES.contains(&&*stem) || numbered.is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_notes_are_accepted_as_they_are() {
        let names = [
            "a.md",
            "Folder/Note one.md",
            "x.MD",
            "ünïcödé/日本.md",
            "a..b.md",
            "per%2e.md",
            "company.md",
            "comet/com10.md",
            "it's (1) [2] {3}.md",
            "emoji 🪴.md",
            "a/b/c/d/e.md",
        ];
        for name in names {
            assert_eq!(NotePath::parse(name).as_ref().map(NotePath::as_str), Ok(name));
        }
    }

    #[test]
    fn the_deepest_name_is_accepted() {
        assert!(NotePath::parse(&format!("{}x.md", "d/".repeat(MAX_DEPTH))).is_ok());
    }

    #[test]
    fn everything_else_is_refused() {
        let long = format!("{}.md", "x".repeat(300));
        let deep = format!("{}x.md", "d/".repeat(MAX_DEPTH + 1));
        let far = format!("{}x.md", format!("{}/", "d".repeat(200)).repeat(21));
        let names = [
            "",
            ".",
            "..",
            "a",
            "a.txt",
            ".md",
            "a/.md",
            "/a.md",
            "a//b.md",
            "a.md/",
            "./a.md",
            "a/./b.md",
            "../a.md",
            "a/../b.md",
            "a/..",
            "..\\a.md",
            "a\\b.md",
            "C:\\x.md",
            "C:x.md",
            "c:/x.md",
            "\\\\s\\x.md",
            "//s/x.md",
            "a.md\0",
            "a\0.md",
            "a\n.md",
            "a\u{85}.md",
            "a.md::$DATA",
            "a:b.md",
            ".git/a.md",
            ".obsidian/x.md",
            "a/.trash/x.md",
            "\u{200c}.obsidian/x.md",
            ".\u{200d}git/x.md",
            "\u{feff}.x.md",
            "dot./x.md",
            "blank /x.md",
            "con.md",
            "NUL.md",
            "a/Com1.md",
            "COM¹.md",
            "lpt³.x.md",
            "aux /x.md",
            "file:///etc/x.md",
            &long,
            &deep,
            &far,
        ];
        for name in names {
            assert_eq!(NotePath::parse(name), Err(InvalidPath), "{name:?}");
        }
    }

    #[test]
    fn parts_and_shape() {
        let path = NotePath::parse("a/b/Note.v2.md").unwrap();
        assert_eq!((path.folder(), path.stem()), ("a/b", "Note.v2"));
        assert_eq!(NotePath::parse("x.md").unwrap().folder(), "");
        assert_eq!(format!("{path:?}"), "NotePath(14 bytes)");
    }
}
