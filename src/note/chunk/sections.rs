//! The sections of a note, the tiny ones joined to their neighbours.
use std::ops::Range;

use super::cost::{Costs, TOKEN};
use super::{MAX_TOKENS, MIN_TOKENS};
use crate::note::Document;

/// Neighbouring sections that become one chunk, or several if they are long.
struct Section {
    range: Range<usize>,
    /// The highest rank among its headings, 0 for text before the first heading.
    level: u8,
    /// Nothing but headings.
    is_bare: bool,
}

/// The ranges of the joined sections, in order, blank ones left out.
pub(super) fn merged(text: &str, document: &Document, costs: &Costs) -> Vec<Range<usize>> {
    let sections = sections(text, document, costs);
    let joined = join_small(join_bare(sections), costs);
    joined.into_iter().map(|section| section.range).collect()
}

fn sections(text: &str, document: &Document, costs: &Costs) -> Vec<Section> {
    let headings = &document.headings;
    let first = headings.first().map_or(text.len(), |heading| heading.range.start);
    let preamble = Section { range: document.body_start..first, level: 0, is_bare: false };
    let under_heading = headings.iter().enumerate().map(|(index, heading)| {
        let end = headings.get(index + 1).map_or(text.len(), |next| next.range.start);
        let is_bare = costs.is_blank(heading.range.end.min(end)..end);
        Section { range: heading.range.start..end, level: heading.level, is_bare }
    });
    let all = std::iter::once(preamble).chain(under_heading);
    all.filter(|section| !costs.is_blank(section.range.clone())).collect()
}

/// Joins headings without text to the section after them, or at the end to the one before.
fn join_bare(sections: Vec<Section>) -> Vec<Section> {
    let mut joined: Vec<Section> = Vec::with_capacity(sections.len());
    for section in sections {
        match joined.last_mut() {
            Some(previous) if previous.is_bare => previous.absorb(&section),
            _ => joined.push(section),
        }
    }
    if let Some(last) = joined.pop_if(|last| last.is_bare) {
        match joined.last_mut() {
            Some(previous) => previous.absorb(&last),
            None => joined.push(last),
        }
    }
    joined
}

/// Joins sections of which one is small, where they are related and fit one chunk.
fn join_small(sections: Vec<Section>, costs: &Costs) -> Vec<Section> {
    let cost = |section: &Section| costs.of(section.range.clone());
    let is_small = |section: &Section| cost(section) < MIN_TOKENS * TOKEN;
    let mut joined: Vec<Section> = Vec::with_capacity(sections.len());
    for section in sections {
        let fits = |previous: &Section| {
            // A section of a higher rank than all before it is neither child nor sibling.
            let is_related = section.level >= previous.level;
            is_related
                && (is_small(previous) || is_small(&section))
                && cost(previous) + cost(&section) <= MAX_TOKENS * TOKEN
        };
        match joined.last_mut() {
            Some(previous) if fits(previous) => previous.absorb(&section),
            _ => joined.push(section),
        }
    }
    joined
}

impl Section {
    /// Takes in the section that follows.
    fn absorb(&mut self, next: &Section) {
        self.range.end = next.range.end;
        self.level = self.level.min(next.level);
        self.is_bare &= next.is_bare;
    }
}
