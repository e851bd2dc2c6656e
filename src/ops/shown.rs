//! What an answer shows: which notes, and which of their lines. Every kind of answer says it of itself, beside its
//! fields, so that whoever keeps account of answers needs no list of them. Nothing of what was asked is in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An answer that can say which notes it shows.
pub trait Shows {
    /// Adds every note that is named in it, and the lines of which it gives the text.
    fn tell(&self, shown: &mut Shown);
}

/// A note that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownNote {
    /// Vault-relative path.
    pub path: String,
    /// First and last lines, from 1, in order, with lines between them; none: it was only named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<(u32, u32)>,
}

/// The notes that one or several answers show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown(BTreeMap<String, Vec<(u32, u32)>>);

impl Shown {
    /// The note is named.
    pub fn name(&mut self, path: &str) {
        if !self.0.contains_key(path) {
            self.0.insert(path.to_owned(), Vec::new());
        }
    }

    /// The text of these lines of the note is given. Line 0 means that none is.
    pub fn lines(&mut self, path: &str, first: u32, last: u32) {
        self.name(path);
        if first > 0
            && let Some(lines) = self.0.get_mut(path)
        {
            lines.push((first, last.max(first)));
        }
    }

    /// By path; lines that touch are one range.
    pub fn into_notes(self) -> Vec<ShownNote> {
        self.0.into_iter().map(|(path, lines)| ShownNote { path, lines: joined(lines) }).collect()
    }
}

fn joined(mut lines: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    lines.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (first, last) in lines {
        match joined.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    type Ranges = &'static [(u32, u32)];

    #[test]
    fn lines_that_touch_are_one_range() {
        let table: [(Ranges, Ranges); 6] = [
            (&[], &[]),
            (&[(0, 0)], &[]),
            (&[(3, 5)], &[(3, 5)]),
            (&[(7, 9), (1, 2), (3, 5)], &[(1, 5), (7, 9)]),
            (&[(1, 9), (2, 3)], &[(1, 9)]),
            (&[(1, u32::MAX), (5, 4)], &[(1, u32::MAX)]),
        ];
        for (given, expected) in table {
            let mut shown = Shown::default();
            shown.name("a.md");
            for (first, last) in given {
                shown.lines("a.md", *first, *last);
            }
            let note = ShownNote { path: "a.md".to_owned(), lines: expected.to_vec() };
            assert_eq!(shown.into_notes(), [note], "{given:?}");
        }
    }
}
