//! Notes one link away from what a search shows, both ways, and their best passages for the same question.
//!
//! Invariant: links are read from notes admitted in this request and lead to such notes only; they are all known
//! before the first of them is ranked. A link that could mean several notes leads nowhere.

use std::collections::{BTreeMap, BTreeSet};

use super::OpError;
use super::graph::{Ambiguous, Graph};
use crate::index::{Filter, Tree};
use crate::search::{self, Found, Question};
use crate::vault::{Note, Session};

/// Notes added to an answer.
const MOST_NOTES: usize = 3;
/// Notes looked at each way from one note, in the order of its links or of their paths: each has to be opened
/// and judged, and a hub that links to everything says little about any of it.
const MOST_EACH_WAY: usize = 50;

/// Linked notes and their passages.
pub(super) struct Linked<'s> {
    /// One passage of each note, with scores below those of the passages that led there.
    pub(super) found: Found<'s>,
    /// For each note by its path, the path of the best note that led to it.
    pub(super) via: BTreeMap<String, String>,
}

/// The notes that the shown ones link to or that link to them, by how well their best passage answers; those
/// that the question's filter lets pass.
pub(super) fn linked<'s>(
    session: &Session<'s>,
    tree: &Tree,
    question: &Question<'_>,
    shown: &Found<'s>,
) -> Result<Linked<'s>, OpError> {
    let graph = Graph { session, tree, ambiguous: Ambiguous::Nowhere, most_each_way: MOST_EACH_WAY };
    let via = neighbours(&graph, shown)?;
    if via.is_empty() {
        return Ok(Linked { found: Found::nothing(), via });
    }
    let passes = |path: &&String| question.filter.notes.as_ref().is_none_or(|notes| notes.contains(*path));
    let notes: BTreeSet<String> = via.keys().filter(passes).cloned().collect();
    let filter = Filter { notes: Some(notes), ..question.filter.clone() };
    let question = Question { filter, limit: MOST_NOTES, max_per_note: 1, ..question.clone() };
    let mut found = search::search(session, tree, &question)?;
    let lowest = shown.hits.last().map_or(0.0, |hit| hit.score);
    found.hits.iter_mut().for_each(|hit| hit.score *= lowest);
    Ok(Linked { found, via })
}

/// Paths of notes that are not shown, each with the path of the first shown note it is linked with.
fn neighbours<'s>(graph: &Graph<'_, 's>, shown: &Found<'s>) -> Result<BTreeMap<String, String>, OpError> {
    let mut sources: Vec<usize> = Vec::new();
    for hit in &shown.hits {
        if !sources.contains(&hit.note) {
            sources.push(hit.note);
        }
    }
    let path_of = |note: &Note<'_>| note.path().as_str().to_owned();
    let mut via = BTreeMap::new();
    for source in sources.iter().map(|note| &shown.notes[*note]) {
        let linked = graph.outgoing(source, path_of)?.notes;
        let linking = graph.backlinks(source.path().as_str(), path_of)?;
        for path in linked.into_iter().chain(linking) {
            via.entry(path).or_insert_with(|| path_of(source));
        }
    }
    let is_shown = |path: &str| sources.iter().any(|note| shown.notes[*note].path().as_str() == path);
    via.retain(|path, _| !is_shown(path));
    Ok(via)
}
