//! Line numbers of byte offsets.
//!
//! A line ends at CR LF, at a lone LF or at a lone CR, whatever the note mixes. Knows nothing of
//! Markdown.

/// Where the lines of a text begin.
#[derive(Debug)]
pub(super) struct LineIndex {
    starts: Vec<usize>,
    text_bytes: usize,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let is_end =
            |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let starts =
            std::iter::once(0).chain((0..bytes.len()).filter(|&at| is_end(at)).map(|at| at + 1)).collect();
        Self { starts, text_bytes: bytes.len() }
    }

    /// The line that holds the byte at `offset`, from 1. The end of a text that closes with a line
    /// end belongs to its last line, not to an empty one after it.
    pub(super) fn line(&self, offset: usize) -> u32 {
        let offset = offset.min(self.text_bytes.saturating_sub(1));
        u32::try_from(self.starts.partition_point(|&start| start <= offset)).unwrap_or(u32::MAX)
    }

    /// Where the lines that begin within `range` begin, its own start left out.
    pub(super) fn starts_within(&self, range: std::ops::Range<usize>) -> &[usize] {
        let from = self.starts.partition_point(|&start| start <= range.start);
        let to = self.starts.partition_point(|&start| start < range.end);
        &self.starts[from..to.max(from)]
    }
}

/// Splits off the first line of `text`, without its end: (line, bytes of the line with its end).
pub(super) fn first_line(text: &str) -> (&str, usize) {
    let Some(end) = text.find(['\r', '\n']) else { return (text, text.len()) };
    let end_bytes = if text[end..].starts_with("\r\n") { 2 } else { 1 };
    (&text[..end], end + end_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let index = LineIndex::new("a\r\nb\rc\n\nd\n");
        let lines: Vec<u32> = (0..=10).map(|offset| index.line(offset)).collect();
        assert_eq!(lines, [1, 1, 1, 2, 2, 3, 3, 4, 5, 5, 5]);
        assert_eq!(LineIndex::new("").line(0), 1);
    }

    #[test]
    fn first_line_and_its_length() {
        for (text, expected) in
            [("", ("", 0)), ("a", ("a", 1)), ("a\nb", ("a", 2)), ("a\r\nb", ("a", 3)), ("a\rb", ("a", 2))]
        {
            assert_eq!(first_line(text), expected, "{text:?}");
        }
    }
}
