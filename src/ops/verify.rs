//! Verify: citations with the words that were quoted -> whether those words still stand there, and where else.
//!
//! Invariant: notes are looked for by name and by words among admitted ones only, so that a note that may not be seen
//! answers as one that is not there. Nothing of what was asked is repeated in the answer.

use std::collections::HashSet;
use std::ops::Range;

use serde::Serialize;

use super::names::{self, Name};
use super::read::LineStarts;
use super::shown::{Shown, Shows};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service, search as search_op};
use crate::index::{Cut, Filter, Tree};
use crate::note::quote::{self, Word};
use crate::note::{self, Anchor, Document, fold, link};
use crate::reply::Reply;
use crate::search::{self, Question};
use crate::vault::{Note, Released, Session};

/// Citations to look at.
#[derive(Debug, Clone, Default)]
pub struct VerifyRequest {
    /// Each `path#heading`, and on the lines below it the words that were quoted from there.
    pub citations: Vec<String>,
}

/// What became of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The words stand where they were cited.
    Unchanged,
    /// They stand elsewhere: in another part of the note, or in another note.
    Moved,
    /// The place is there, and says something else.
    Changed,
    /// Neither the place nor the words are there.
    Gone,
    /// The place is there; no words were given.
    Present,
}

/// A citation that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Which one, from 1.
    pub number: usize,
    /// What became of it.
    pub status: Verdict,
    /// `path#heading` of where it stands now; none if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// Path of the note there; `citation` says it to the reader.
    #[serde(skip)]
    pub note: Option<String>,
    /// First line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_start: Option<u32>,
    /// Last line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<u32>,
    /// What stands there instead, the beginning of it; only if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// All citations, in the order in which they were asked.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyAnswer {
    /// One for each.
    pub citations: Vec<Verified>,
}

impl Shows for VerifyAnswer {
    /// Whoever knows the words and is told where they stand was shown the place.
    fn tell(&self, shown: &mut Shown) {
        for one in &self.citations {
            let Some(path) = &one.note else { continue };
            shown.lines(path, one.line_start.unwrap_or(0), one.line_end.unwrap_or(0));
        }
    }
}

/// Fewer words than these may stand anywhere: they are looked for in the cited note alone.
const TELLING_WORDS: usize = 4;
/// Notes that hold most of the words, when they are no longer in the cited one.
const MOST_CANDIDATES: usize = 10;
/// Of what stands there instead, in bytes.
const MOST_TEXT_BYTES: usize = 300;

pub(super) fn run(
    service: &Service,
    request: &VerifyRequest,
    caller: &Caller<'_>,
) -> Result<Reply<VerifyAnswer>, OpError> {
    service.request(caller, |session, tree| {
        let mut found: Vec<Released<'_, Verified>> = Vec::new();
        for (citation, number) in request.citations.iter().zip(1..) {
            found.extend(look(session, tree, &Asked::parse(citation), number)?);
        }
        if found.len() < request.citations.len() {
            check_emptiness(session, tree)?;
        }
        let count = request.citations.len();
        Ok(Reply::new(session.gather(found).map(|found| VerifyAnswer { citations: with_gone(found, count) })))
    })
}

/// What nothing was found for is gone.
fn with_gone(found: Vec<Verified>, count: usize) -> Vec<Verified> {
    let mut found = found.into_iter().peekable();
    let gone = |number| Verified {
        number,
        status: Verdict::Gone,
        citation: None,
        note: None,
        line_start: None,
        line_end: None,
        text: None,
    };
    (1..=count)
        .map(|number| found.next_if(|one| one.number == number).unwrap_or_else(|| gone(number)))
        .collect()
}

/// A citation, taken apart.
struct Asked {
    name: Name,
    quote: Vec<Word>,
}

impl Asked {
    fn parse(text: &str) -> Asked {
        let (citation, quote) = text.trim().split_once('\n').unwrap_or((text, ""));
        Asked { name: Name::parse(citation), quote: quote::words(quote) }
    }
}

fn look<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
    asked: &Asked,
    number: usize,
) -> Result<Option<Released<'s, Verified>>, OpError> {
    let cited = match names::open(session, tree, &asked.name.target) {
        Ok(note) => Some(note),
        Err(OpError::NotFound) => None,
        Err(error) => return Err(error),
    };
    let in_place = cited.as_ref().map(|note| (note, in_note(note, asked)));
    if let Some((note, Some(place))) = &in_place
        && place.status != Verdict::Changed
    {
        return Ok(Some(session.release(note, place.verified(note, number))));
    }
    if let Some((note, range)) = elsewhere(session, tree, &asked.quote)? {
        let place = Place { status: Verdict::Moved, range };
        return Ok(Some(session.release(&note, place.verified(&note, number))));
    }
    let changed = in_place.and_then(|(note, place)| place.map(|place| (note, place)));
    Ok(changed.map(|(note, place)| session.release(note, place.verified(note, number))))
}

/// Where it stands in a note.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    status: Verdict,
    range: Range<usize>,
}

impl Place {
    fn verified(&self, note: &Note<'_>, number: usize) -> Verified {
        let (text, document) = (note.text(), note::parse(note.text()));
        let lines = LineStarts::new(text);
        let above = heading_above(&document, self.range.start);
        let heading_path: Vec<String> =
            above.map(|index| search_op::shortened(&document.headings[index].text)).into_iter().collect();
        let shown = || {
            let visible = note::chunk::visible_text(text, &document, self.range.clone());
            visible[..visible.floor_char_boundary(MOST_TEXT_BYTES)].to_owned()
        };
        Verified {
            number,
            status: self.status,
            citation: Some(search_op::citation(note.path().as_str(), &heading_path)),
            note: Some(note.path().as_str().to_owned()),
            line_start: Some(lines.line_of(self.range.start)),
            line_end: Some(lines.line_of(self.range.end.saturating_sub(1).max(self.range.start))),
            text: (self.status == Verdict::Changed).then(shown),
        }
    }
}

fn in_note(note: &Note<'_>, asked: &Asked) -> Option<Place> {
    place(note.text(), note.path().stem(), asked)
}

/// `None`: neither the section nor most of the words are in this note.
fn place(text: &str, stem: &str, asked: &Asked) -> Option<Place> {
    let document = note::parse(text);
    let section = match &asked.name.anchor {
        None => Some(document.body_start..text.len()),
        Some(anchor) => link::find_anchor(&document, anchor),
    };
    if asked.quote.is_empty() {
        return section.map(|range| Place { status: Verdict::Present, range });
    }
    let words = quote::visible_words(text, &document);
    let places = quote::places(&words, &asked.quote);
    let is_cited = |range: &Range<usize>| {
        section.as_ref().is_some_and(|section| section.contains(&range.start))
            || is_below(&document, range.start, asked.name.anchor.as_ref())
    };
    if let Some(range) = places.iter().find(|range| is_cited(range)) {
        return Some(Place { status: Verdict::Unchanged, range: range.clone() });
    }
    if let Some(range) = places.into_iter().next() {
        return Some(Place { status: Verdict::Moved, range });
    }
    likeness(text, stem, section.as_ref(), &asked.quote)
        .map(|range| Place { status: Verdict::Changed, range })
}

/// Of several headings of one name each is what the citation says.
fn is_below(document: &Document, at: usize, anchor: Option<&Anchor>) -> bool {
    let Some(Anchor::Heading(names)) = anchor else { return false };
    let Some(name) = names.last().map(|name| fold(name)) else { return false };
    let above = |&index: &usize| document.headings[index].parent;
    std::iter::successors(heading_above(document, at), above)
        .any(|index| fold(&document.headings[index].text) == name)
}

fn heading_above(document: &Document, at: usize) -> Option<usize> {
    // The last one at or before it: only another heading ends its section.
    document.headings.partition_point(|heading| heading.section.start <= at).checked_sub(1)
}

/// The passage with most of the quoted words: in the section if that is there, else one with half of them.
fn likeness(text: &str, stem: &str, section: Option<&Range<usize>>, quote: &[Word]) -> Option<Range<usize>> {
    let wanted: HashSet<&str> = quote.iter().map(|word| &*word.key).collect();
    let cut = Cut::new(text, stem);
    let shared = |range: &Range<usize>| {
        let words = quote::words(&text[range.clone()]);
        words.iter().map(|word| &*word.key).collect::<HashSet<_>>().intersection(&wanted).count()
    };
    let passages = cut.pieces().map(|piece| piece.range());
    let inside = |range: &Range<usize>| match section {
        Some(section) => range.start < section.end && range.end > section.start,
        None => true,
    };
    let scored = passages.filter(inside).map(|range| (shared(&range), range));
    // The first of the best.
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    match section {
        Some(section) => Some(best.1.start.max(section.start)..best.1.end.min(section.end)),
        None => (best.0 * 2 >= wanted.len()).then_some(best.1),
    }
}

/// Another note in which the words stand.
fn elsewhere<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
    quote: &[Word],
) -> Result<Option<(Note<'s>, Range<usize>)>, OpError> {
    if quote.len() < TELLING_WORDS {
        return Ok(None);
    }
    let text = quote.iter().map(|word| word.key.replace('"', " ")).collect::<Vec<_>>().join(" ");
    let question = Question {
        text: &text,
        filter: Filter::default(),
        by_words: true,
        meaning: None,
        limit: MOST_CANDIDATES,
        max_per_note: 1,
    };
    let found = match tree {
        Some(tree) => search::search(session, tree, &question)?,
        None => search::search_without_index(session, &question)?,
    };
    let ranks: Vec<usize> = found.hits.iter().map(|hit| hit.note).collect();
    let mut places: Vec<(usize, Note<'s>, Range<usize>)> = Vec::new();
    for (index, note) in found.notes.into_iter().enumerate() {
        let Some(rank) = ranks.iter().position(|of| *of == index) else { continue };
        let words = quote::visible_words(note.text(), &note::parse(note.text()));
        if let Some(range) = quote::places(&words, quote).into_iter().next() {
            places.push((rank, note, range));
        }
    }
    Ok(places.into_iter().min_by_key(|(rank, _, _)| *rank).map(|(_, note, range)| (note, range)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "Intro words here.\n\n# Mast\n\nThe mast is **spruce** and oiled twice.\n\n# Hull\n\nThe hull is larch %% or oak %% and tarred.\n\n# Mast\n\nA second mast of pine.\n";

    #[test]
    fn quotes_stand_move_change_and_go() {
        let table = [
            ("A.md#Mast\nthe mast is spruce", Some((Verdict::Unchanged, "The mast is **spruce"))),
            ("A.md#Mast\nsecond mast of pine", Some((Verdict::Unchanged, "second mast of pine"))),
            (
                "A.md\nThe hull is larch and tarred.",
                Some((Verdict::Unchanged, "The hull is larch %% or oak %% and tarred")),
            ),
            ("A.md#Hull\nThe mast is spruce", Some((Verdict::Moved, "The mast is **spruce"))),
            ("A.md#Keel\nThe mast is spruce", Some((Verdict::Moved, "The mast is **spruce"))),
            ("A.md#Hull\nThe hull is oak", Some((Verdict::Changed, ""))),
            ("A.md#Hull\nSomething else entirely", Some((Verdict::Changed, ""))),
            ("A.md#Keel\nThe mast is spruce and oiled thrice", Some((Verdict::Changed, ""))),
            ("A.md#Keel\nlead ballast of two tons", None),
            ("A.md#Hull", Some((Verdict::Present, ""))),
            ("A.md#Keel", None),
            ("A.md", Some((Verdict::Present, ""))),
        ];
        for (asked, expected) in table {
            let found = place(NOTE, "A", &Asked::parse(asked));
            assert_eq!(
                found.as_ref().map(|place| place.status),
                expected.map(|(status, _)| status),
                "{asked}"
            );
            if let (Some(place), Some((_, words))) = (found, expected) {
                assert!(words.is_empty() || &NOTE[place.range] == words, "{asked}");
            }
        }
    }

    #[test]
    fn what_is_not_found_is_gone() {
        let place = |number| Verified { number, ..with_gone(Vec::new(), 1).remove(0) };
        let numbers: Vec<usize> = with_gone(vec![place(2)], 3).iter().map(|one| one.number).collect();
        assert_eq!(numbers, [1, 2, 3]);
    }
}
