//! Two versions of a text -> the lines that differ, between some that do not.

use std::io::{self, Write};

use crate::cli::render::{escape, style};

/// Lines shown before and after those that differ.
const CONTEXT_LINES: usize = 2;
/// More of a line than this is not shown, in characters: some programs keep everything on one.
const MAX_LINE_CHARACTERS: usize = 160;
/// Characters of such a line before the first that differs.
const LEAD_CHARACTERS: usize = 40;

/// Writes the one place where the texts differ, from the first line that does to the last.
pub(in crate::cli) fn changes(out: &mut impl Write, before: &str, after: &str) -> io::Result<()> {
    let [old, new] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let first = same(old.iter(), new.iter());
    let last = same(old[first..].iter().rev(), new[first..].iter().rev());
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    // Where one line became another one, what differs within it is what matters.
    let at = match (&old[first..old_end], &new[first..new_end]) {
        ([old], [new]) => same(old.chars(), new.chars()),
        _ => 0,
    };
    let (removed, added) = (style::REMOVED, style::ADDED);
    for line in &old[first.saturating_sub(CONTEXT_LINES)..first] {
        writeln!(out, "  {}", clipped(line, 0))?;
    }
    for line in &old[first..old_end] {
        writeln!(out, "{removed}- {}{removed:#}", clipped(line, at))?;
    }
    for line in &new[first..new_end] {
        writeln!(out, "{added}+ {}{added:#}", clipped(line, at))?;
    }
    for line in old[old_end..].iter().take(CONTEXT_LINES) {
        writeln!(out, "  {}", clipped(line, 0))?;
    }
    Ok(())
}

/// How many are the same from the beginning on.
fn same<T: PartialEq>(left: impl Iterator<Item = T>, right: impl Iterator<Item = T>) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

/// A long line around its character `at`.
fn clipped(line: &str, at: usize) -> String {
    let length = line.chars().count();
    if length <= MAX_LINE_CHARACTERS {
        return escape::line(line);
    }
    let start = at.saturating_sub(LEAD_CHARACTERS);
    let shown: String = line.chars().skip(start).take(MAX_LINE_CHARACTERS).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + MAX_LINE_CHARACTERS < length { "…" } else { "" };
    format!("{before}{}{after}", escape::line(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let mut out = Vec::new();
        changes(&mut out, before, after).unwrap();
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        assert_eq!(String::from_utf8(plain).unwrap(), expected);
    }

    #[test]
    fn what_differs_stands_between_what_does_not() {
        let rows = [
            ("", "a\nb\n", "+ a\n+ b\n"),
            ("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n4\n5\n6\n", "  2\n  3\n+ x\n  4\n  5\n"),
            ("1\n2\n3\n", "1\nx\ny\n3\n", "  1\n- 2\n+ x\n+ y\n  3\n"),
            ("a\na\n", "a\na\na\n", "  a\n  a\n+ a\n"),
            ("\u{1b}[2J", "b", "- \\u{1b}[2J\n+ b\n"),
        ];
        for (before, after, expected) in rows {
            check(before, after, expected);
        }
    }

    #[test]
    fn a_long_line_is_shown_where_it_differs() {
        let (lead, end) = ("a".repeat(500), "z".repeat(500));
        let shown = |word: &str| format!("…{}{word}{}…\n", "a".repeat(40), "z".repeat(160 - 40 - word.len()));
        check(
            &format!("{lead}old{end}"),
            &format!("{lead}new{end}"),
            &format!("- {}+ {}", shown("old"), shown("new")),
        );
    }
}
