//! Candidates before the wall: every note is opened and judged now, before anything is ranked. A
//! passage counts only if it still stands in the text that was admitted.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;
use tracing::field::Empty;

use super::SearchError;
use super::legs::{Legs, name_key};
use super::scan::passes;
use crate::index::{ChunkId, ChunkPlace, Cut, Filter, IndexError, Tree};
use crate::note::chunk::CHUNKER_VERSION;
use crate::note::{self, fold};
use crate::vault::{Note, NotePath, Session};

/// The candidates that survive.
pub(super) struct Admitted<'s> {
    pub(super) notes: Vec<Note<'s>>,
    /// Where each surviving passage stands: index of its note, byte range.
    pub(super) places: HashMap<ChunkId, (usize, Range<usize>)>,
    /// Candidates that did not survive.
    pub(super) dropped: usize,
}

pub(super) fn admit<'s>(
    session: &Session<'s>,
    tree: &Tree,
    legs: &Legs,
    filter: &Filter,
) -> Result<Admitted<'s>, SearchError> {
    let span = tracing::trace_span!("open and judge", count = Empty).entered();
    let ids = legs.ids();
    let mut by_note: HashMap<String, Vec<ChunkPlace>> = HashMap::new();
    for place in tree.places(&ids)? {
        by_note.entry(place.path.clone()).or_default().push(place);
    }
    let by_note: Vec<(String, Vec<ChunkPlace>)> = by_note.into_iter().collect();
    let cut_by = CutBy::of(tree);
    let opened: Vec<_> = by_note
        .par_iter()
        .filter_map(|(path, places)| admit_note(session, path, places, filter, cut_by))
        .collect();
    let mut admitted = Admitted { notes: Vec::new(), places: HashMap::new(), dropped: 0 };
    for (note, ranges) in opened {
        let index = admitted.notes.len();
        admitted.places.extend(ranges.into_iter().map(|(id, range)| (id, (index, range))));
        admitted.notes.push(note);
    }
    span.record("count", admitted.places.len());
    admitted.dropped = ids.len() - admitted.places.len();
    Ok(admitted)
}

/// Does any of these passages stand in a note that may be seen?
pub(super) fn any(session: &Session<'_>, tree: &Tree, passages: &[ChunkId]) -> Result<bool, IndexError> {
    let cut_by = CutBy::of(tree);
    let stands = |place: ChunkPlace| {
        let (path, places) = (place.path.clone(), [place]);
        let admitted = admit_note(session, &path, &places, &Filter::default(), cut_by);
        admitted.is_some_and(|(_, ranges)| !ranges.is_empty())
    };
    let mut places = tree.places(passages)?;
    Ok(if places.len() == 1 { places.pop().is_some_and(stands) } else { places.into_par_iter().any(stands) })
}

/// Of the notes that the index knows by this name, those that may be seen and still have it.
pub(super) fn still_named(session: &Session<'_>, paths: Vec<String>, name: &str) -> Vec<String> {
    let key = name_key(name);
    let has_it = |path: &String| {
        let note = NotePath::parse(path).ok().and_then(|path| session.open(&path).ok());
        note.is_some_and(|note| {
            let document = note::parse(note.text());
            let aliases = &document.frontmatter.aliases;
            fold(document.title(note.path().stem())) == key || aliases.iter().any(|alias| fold(alias) == key)
        })
    };
    paths.into_par_iter().filter(has_it).collect()
}

/// Who cut the notes of the tree into passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutBy {
    /// Ranges are as this version would cut.
    ThisVersion,
    /// Passages are found again by what they say.
    AnotherVersion,
}

impl CutBy {
    fn of(tree: &Tree) -> CutBy {
        if tree.header().chunker == CHUNKER_VERSION { CutBy::ThisVersion } else { CutBy::AnotherVersion }
    }
}

type Ranges = Vec<(ChunkId, Range<usize>)>;

fn admit_note<'s>(
    session: &Session<'s>,
    path: &str,
    places: &[ChunkPlace],
    filter: &Filter,
    cut_by: CutBy,
) -> Option<(Note<'s>, Ranges)> {
    let path = NotePath::parse(path).ok()?;
    let note = session.open_indexed(&path, &places.first()?.note_hash).ok()?;
    let hash = note.content_hash();
    let is_unchanged = places.iter().all(|place| place.note_hash == hash);
    let ranges = if is_unchanged && cut_by == CutBy::ThisVersion {
        places.iter().map(|place| (place.id, place.range.clone())).collect()
    } else {
        // The note changed since: passages are found again by what they say, or dropped.
        let cut = Cut::new(note.text(), path.stem());
        // A tag that it no longer carries, or no longer for everybody, brings in nothing.
        if !passes(filter, path.as_str(), &cut.document.tags) {
            return None;
        }
        let find = |place: &ChunkPlace| Some((place.id, cut.piece_with_hash(&place.hash)?.range()));
        // Of passages that say the same, one is enough.
        let mut seen = HashSet::new();
        places.iter().filter_map(find).filter(|(_, range)| seen.insert(range.start)).collect()
    };
    Some((note, ranges))
}
