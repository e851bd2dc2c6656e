//! The bytes of a segment -> its lines, each with what it says and whether it is the rest of a torn one. Pure.

use super::record::{Entry, Gap, hash};

/// A line of a segment.
pub(super) struct Line<'b> {
    /// Where it begins in the segment.
    pub(super) start: usize,
    /// Without its end.
    pub(super) text: &'b [u8],
    /// It has an end: only the last line may lack it.
    pub(super) is_ended: bool,
    /// None if it is no line of a ledger.
    pub(super) entry: Option<Entry>,
    /// A later line says that it is torn, and what it was.
    pub(super) is_torn: bool,
}

/// The lines of a segment, in order.
pub(super) fn lines(segment: &[u8]) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines: Vec<Line<'_>> = segment
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            start += line.len();
            Line {
                start: start - line.len(),
                text,
                is_ended: text.len() < line.len(),
                entry: Entry::parse(text),
                is_torn: false,
            }
        })
        .collect();
    // From the end: the line that says so may itself be part of what was torn later.
    for number in (0..lines.len()).rev() {
        if let Some(from) = torn_from(segment, &lines, number) {
            lines[from..number].iter_mut().for_each(|line| line.is_torn = true);
        }
    }
    lines
}

/// The line with which the torn part begins that a line speaks of, if it is there as it says.
fn torn_from(segment: &[u8], lines: &[Line<'_>], number: usize) -> Option<usize> {
    let line = &lines[number];
    let whole = line.entry.as_ref().filter(|_| line.is_ended && !line.is_torn);
    let Some(Entry::Gap(gap)) = whole else { return None };
    let torn = torn_part(segment, line.start, gap)?;
    let from = line.start - torn.len();
    let from = lines.iter().position(|line| line.start == from)?;
    // A record may lack nothing but its end. It then had the place of the line that speaks of it; any other was put
    // there by somebody else.
    let belongs = |line: &Line<'_>| match &line.entry {
        Some(Entry::Served(record)) => record.number == gap.number && record.previous == gap.previous,
        _ => true,
    };
    (hash(torn) == gap.torn_hash && lines[from..number].iter().all(belongs)).then_some(from)
}

fn torn_part<'b>(segment: &'b [u8], end: usize, gap: &Gap) -> Option<&'b [u8]> {
    let bytes = usize::try_from(gap.torn_bytes).ok().filter(|bytes| *bytes > 0)?;
    segment.get(end.checked_sub(bytes)?..end)
}
