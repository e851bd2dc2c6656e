//! Cuts a section that is too long for one chunk.
//!
//! Top down: a part that is too long is cut at the next finer kind of place until every unit fits;
//! then neighbouring units are packed into chunks of about equal size. So a code block, a table or
//! a list item stays whole unless it is too long by itself. Never cuts inside a hidden part.
use std::ops::Range;

use super::cost::{Costs, TOKEN, weight};
use super::{MAX_TOKENS, MIN_TOKENS};
use crate::note::lines::LineIndex;
use crate::note::{Document, spans};

const LIMIT: u32 = MAX_TOKENS * TOKEN;

/// Blocks nested deeper are cut at their lines: looking at every level of a note that is nothing
/// but nesting would not be linear.
const MAX_BLOCK_DEPTH: u32 = 16;

/// Kinds of places where text may be cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    /// Before blocks of this depth.
    Blocks(u32),
    /// After blank lines, which set off the parts of a piece of code.
    BlankLines,
    Lines,
    Sentences,
    Words,
    Letters,
}

/// What is tried in turn once a part has no blocks. A line of wrapped prose is no unit of meaning, a
/// line of code or a row of a table is.
const FINER_IN_PROSE: &[Places] = &[Places::Sentences, Places::Lines, Places::Words, Places::Letters];
const FINER_IN_LINES: &[Places] =
    &[Places::BlankLines, Places::Lines, Places::Sentences, Places::Words, Places::Letters];

/// A part that stays whole.
struct Unit {
    range: Range<usize>,
    cost: u32,
    /// A heading, which must not end a chunk.
    is_heading: bool,
}

/// Cuts `section` into chunks, or leaves it whole if it fits.
pub(super) fn cut(
    text: &str,
    document: &Document,
    costs: &Costs,
    lines: &LineIndex,
    section: Range<usize>,
) -> Vec<Range<usize>> {
    let total = costs.of(section.clone());
    if total <= LIMIT {
        return vec![section];
    }
    let mut cutter = Cutter { text, document, costs, lines, units: Vec::new() };
    cutter.divide(section, Places::Blocks(0));
    pack(&cutter.units, total)
}

struct Cutter<'a> {
    text: &'a str,
    document: &'a Document,
    costs: &'a Costs,
    lines: &'a LineIndex,
    units: Vec<Unit>,
}

impl Cutter<'_> {
    /// Adds the units of `range`, cut at `places` or finer.
    fn divide(&mut self, range: Range<usize>, places: Places) {
        let cost = self.costs.of(range.clone());
        if cost <= LIMIT {
            let is_heading = self.is_heading(range.start);
            self.units.push(Unit { range, cost, is_heading });
            return;
        }
        let mut start = range.start;
        for at in self.places(range.clone(), places) {
            if at > start && !self.is_hidden_inside(at) {
                self.divide(start..at, self.finer(places, start));
                start = at;
            }
        }
        if places == Places::Letters {
            let cost = self.costs.of(start..range.end);
            self.units.push(Unit { range: start..range.end, cost, is_heading: false });
        } else {
            self.divide(start..range.end, self.finer(places, start));
        }
    }

    /// The kind of places to try after `places` for the part that begins at `offset`.
    fn finer(&self, places: Places, offset: usize) -> Places {
        let order = if spans::contains(&self.document.layout.line_based, offset) {
            FINER_IN_LINES
        } else {
            FINER_IN_PROSE
        };
        match places {
            Places::Blocks(depth) if depth < MAX_BLOCK_DEPTH => Places::Blocks(depth + 1),
            Places::Blocks(_) => order[0],
            other => {
                let tried = order.iter().position(|&place| place == other).unwrap_or(order.len());
                order.get(tried + 1).copied().unwrap_or(Places::Letters)
            }
        }
    }

    fn places(&self, range: Range<usize>, places: Places) -> Vec<usize> {
        let part = &self.text[range.clone()];
        let from_start = |at: usize| range.start + at;
        match places {
            Places::Blocks(depth) => self.block_starts(range, depth),
            Places::BlankLines => self.after_blank_lines(range),
            Places::Lines => self.lines.starts_within(range).to_vec(),
            Places::Sentences => sentence_starts(part).into_iter().map(from_start).collect(),
            Places::Words => word_starts(part).into_iter().map(from_start).collect(),
            Places::Letters => letter_cuts(part).into_iter().map(from_start).collect(),
        }
    }

    fn block_starts(&self, range: Range<usize>, depth: u32) -> Vec<usize> {
        let starts = &self.document.layout.block_starts;
        let from = starts.partition_point(|start| start.offset <= range.start);
        let inside = starts[from..].iter().take_while(|start| start.offset < range.end);
        inside.filter(|start| start.depth == depth).map(|start| self.line_start(start.offset)).collect()
    }

    fn after_blank_lines(&self, range: Range<usize>) -> Vec<usize> {
        let starts = self.lines.starts_within(range.clone());
        let line_before =
            |index: usize| &self.text[index.checked_sub(1).map_or(range.start, |i| starts[i])..starts[index]];
        let follows_blank = |&index: &usize| line_before(index).trim().is_empty();
        (0..starts.len()).filter(follows_blank).map(|index| starts[index]).collect()
    }

    /// The start of the line of a block, if only indentation and quote marks stand before it.
    fn line_start(&self, offset: usize) -> usize {
        let before = self.text[..offset].trim_end_matches(['>', ' ', '\t']);
        if before.is_empty() || before.ends_with(['\n', '\r']) { before.len() } else { offset }
    }

    fn is_heading(&self, offset: usize) -> bool {
        let headings = &self.document.headings;
        headings.binary_search_by_key(&offset, |heading| heading.range.start).is_ok()
    }

    fn is_hidden_inside(&self, offset: usize) -> bool {
        let hidden = &self.document.layout.hidden;
        spans::at_or_after(hidden, offset).is_some_and(|range| range.start < offset)
    }
}

/// Where sentences begin after the first: behind a full stop and blanks, or a CJK full stop.
fn sentence_starts(part: &str) -> Vec<usize> {
    starts(
        part,
        |before, c| match before {
            Some('。' | '！' | '？') => !matches!(c, '」' | '』' | '”' | '）'),
            _ => false,
        },
        |c| matches!(c, '.' | '!' | '?' | '…' | ';' | ':'),
    )
}

fn word_starts(part: &str) -> Vec<usize> {
    starts(part, |_, _| false, |_| true)
}

/// Offsets of characters that begin something: `begins` says so right away, given the character
/// before; else blanks must stand before, and `ends` must hold for the last character before them.
fn starts(part: &str, begins: fn(Option<char>, char) -> bool, ends: fn(char) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut before, mut last_shown) = (None, None);
    for (at, c) in part.char_indices() {
        let follows_blank = before.is_some_and(char::is_whitespace);
        if !c.is_whitespace() {
            if begins(before, c) || (follows_blank && last_shown.is_some_and(ends)) {
                found.push(at);
            }
            last_shown = Some(c);
        }
        before = Some(c);
    }
    found
}

/// Cuts text without any other place to cut.
fn letter_cuts(part: &str) -> Vec<usize> {
    let (mut cuts, mut cost) = (Vec::new(), 0);
    for (at, c) in part.char_indices() {
        cost += weight(c);
        if cost > LIMIT {
            cuts.push(at);
            cost = weight(c);
        }
    }
    cuts
}

/// Packs units into as few chunks as needed, of about equal cost. A heading goes with what follows.
fn pack(units: &[Unit], total: u32) -> Vec<Range<usize>> {
    let aim = total / total.div_ceil(LIMIT);
    let mut packed: Vec<(Range<usize>, u32)> = Vec::new();
    // The chunk being filled: its first unit, the cost so far, and the end of its last text.
    let (mut first, mut cost, mut text_end) = (0, 0, 0);
    for (index, unit) in units.iter().enumerate() {
        let has_text = text_end > first;
        let is_full = cost + unit.cost > LIMIT || cost + unit.cost / 2 > aim;
        // Headings at the end of a full chunk go to the next. Headings alone are no chunk, unless
        // there are so many that they must be.
        let end = if has_text { text_end } else { index };
        if (is_full && has_text) || cost > LIMIT {
            packed.push(span(&units[first..end]));
            first = end;
            cost = units[end..index].iter().map(|unit| unit.cost).sum();
        }
        cost += unit.cost;
        if !unit.is_heading {
            text_end = index + 1;
        }
    }
    packed.push(span(&units[first..]));
    join_tail(&mut packed);
    packed.into_iter().map(|(range, _)| range).collect()
}

/// A crumb at the end is worth a slight excess.
fn join_tail(packed: &mut Vec<(Range<usize>, u32)>) {
    let Some((tail, cost)) = packed.pop_if(|(_, cost)| *cost < MIN_TOKENS * TOKEN / 2) else { return };
    match packed.last_mut() {
        Some((range, _)) => range.end = tail.end,
        None => packed.push((tail, cost)),
    }
}

fn span(units: &[Unit]) -> (Range<usize>, u32) {
    let (first, last) = (units.first(), units.last());
    let range = first.map_or(0, |unit| unit.range.start)..last.map_or(0, |unit| unit.range.end);
    (range, units.iter().map(|unit| unit.cost).sum())
}
