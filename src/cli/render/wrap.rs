//! Text with marked ranges -> lines that fit, marks kept. Pure.

use std::ops::Range;

use super::escape;

/// A character as shown, and whether it belongs to a match.
type Cell = (char, bool);

/// A run of characters that are all marked or all unmarked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) marked: bool,
}

/// The lines of `text`, escaped and broken at blanks to at most `width` columns; words longer
/// than that are broken within. Without a width only the line ends of the text break.
pub(super) fn lines(text: &str, marks: &[Range<usize>], width: Option<usize>) -> Vec<Vec<Run>> {
    let cells = cells(text, marks);
    let written = cells.split(|(letter, _)| *letter == '\n');
    written.flat_map(|line| broken(line, width.unwrap_or(usize::MAX))).map(runs).collect()
}

fn cells(text: &str, marks: &[Range<usize>]) -> Vec<Cell> {
    let text = text.trim_end();
    let mut cells = Vec::with_capacity(text.len());
    // Marks come in any order and number; a sweep over their ends keeps this linear.
    let mut starts: Vec<usize> = marks.iter().map(|mark| mark.start).collect();
    let mut ends: Vec<usize> = marks.iter().map(|mark| mark.end.max(mark.start)).collect();
    starts.sort_unstable();
    ends.sort_unstable();
    let (mut opened, mut closed) = (0, 0);
    for (offset, letter) in text.char_indices() {
        opened += starts[opened..].iter().take_while(|start| **start <= offset).count();
        closed += ends[closed..].iter().take_while(|end| **end <= offset).count();
        if letter == '\r' && text[offset + 1..].starts_with('\n') {
            continue;
        }
        cells.extend(escape::escaped_in_block(letter).map(|shown| (shown, opened > closed)));
    }
    cells
}

/// One written line, broken into those that fit. Blanks at a break are dropped.
fn broken(mut line: &[Cell], width: usize) -> Vec<&[Cell]> {
    let mut lines = Vec::new();
    while let Some(fitting) = overflow(line, width) {
        let is_blank = |cell: &Cell| cell.0 == ' ';
        let indent = line.iter().take_while(|cell| is_blank(cell)).count();
        // A blank right after what fits is as good a break as one within.
        let end = line[..=fitting].iter().rposition(is_blank).filter(|end| *end > indent).unwrap_or(fitting);
        lines.push(&line[..end]);
        let rest = &line[end..];
        line = &rest[rest.iter().take_while(|cell| is_blank(cell)).count()..];
    }
    lines.push(line);
    lines
}

/// How many characters fit, at least one; none if all do.
fn overflow(line: &[Cell], width: usize) -> Option<usize> {
    let mut used = 0;
    let end = line.iter().position(|(letter, _)| {
        used += columns(*letter);
        used > width
    })?;
    Some(end.max(1)).filter(|end| *end < line.len())
}

/// Columns a terminal uses for a character: a rough East Asian Width, enough to break lines.
fn columns(letter: char) -> usize {
    match u32::from(letter) {
        0x0300..=0x036f | 0x200b..=0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

fn runs(line: &[Cell]) -> Vec<Run> {
    let same_mark = |left: &Cell, right: &Cell| left.1 == right.1;
    line.chunk_by(same_mark)
        .map(|cells| Run { text: cells.iter().map(|cell| cell.0).collect(), marked: cells[0].1 })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines joined by `|`, marks in brackets.
    fn shown(text: &str, marks: &[(usize, usize)], width: Option<usize>) -> String {
        let marks: Vec<_> = marks.iter().map(|(start, end)| *start..*end).collect();
        let run = |run: Run| if run.marked { format!("[{}]", run.text) } else { run.text };
        let line = |line: Vec<Run>| line.into_iter().map(run).collect::<String>();
        lines(text, &marks, width).into_iter().map(line).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn lines_break_at_blanks() {
        let rows = [
            ("one two three", 7, "one two|three"),
            ("one two three", 8, "one two|three"),
            ("one two three", 13, "one two three"),
            ("abcdefghij", 4, "abcd|efgh|ij"),
            ("a bcdefghij", 4, "a|bcde|fghi|j"),
            ("  indented code here", 10, "  indented|code here"),
            ("first\nsecond line", 7, "first|second|line"),
            ("日本語の文", 4, "日本|語の|文"),
            ("é\u{301}é\u{301}é", 3, "é\u{301}é\u{301}é"),
            ("", 5, ""),
            ("x\n\ny\n\n", 5, "x||y"),
            ("ab", 1, "a|b"),
            ("日本", 1, "日|本"),
        ];
        for (text, width, expected) in rows {
            assert_eq!(shown(text, &[], Some(width)), expected, "{text:?} at {width}");
        }
    }

    #[test]
    fn marks_survive_breaks_and_escapes() {
        assert_eq!(shown("one two three", &[(4, 13)], Some(7)), "one [two]|[three]");
        assert_eq!(shown("a\u{1b}b", &[(1, 2)], None), r"a[\u{1b}]b");
        assert_eq!(shown("abcdef", &[(3, 5), (0, 1), (4, 9)], None), "[a]bc[def]");
        assert_eq!(shown("a\r\nb", &[(0, 4)], None), "[a]|[b]");
    }

    #[test]
    fn marks_that_make_no_sense_are_harmless() {
        assert_eq!(shown("日本語", &[(5, 2), (90, 99), (1, 1)], Some(4)), "日本|語");
    }
}
