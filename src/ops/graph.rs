//! The link graph of what a session may see: other notes do not exist in it. Links are read from texts as
//! they are now; the index only tells where to look.

use std::collections::{BTreeSet, HashSet};

use super::OpError;
use crate::index::{LinkRecord, NoteEntry, Tree};
use crate::note::{self, Link, LinkKind, link};
use crate::vault::{Note, NotePath, Session};

/// What a link leads to that could mean several notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ambiguous {
    /// To the one that Obsidian would open.
    AsInObsidian,
    /// To none.
    Nowhere,
}

/// The graph, as this session sees it.
pub(super) struct Graph<'a, 's> {
    pub(super) session: &'a Session<'s>,
    pub(super) tree: &'a Tree,
    pub(super) ambiguous: Ambiguous,
    /// No more notes are looked for each way.
    pub(super) most_each_way: usize,
}

/// Where the links of a note lead.
pub(super) struct Outgoing<T> {
    /// What was asked of other notes, in order of first mention.
    pub(super) notes: Vec<T>,
    /// Targets as written that lead to none, in order of first mention.
    pub(super) unresolved: Vec<String>,
}

impl<'s> Graph<'_, 's> {
    /// Where the note's text links to now, and `described` of each note.
    pub(super) fn outgoing<T>(
        &self,
        note: &Note<'s>,
        described: impl Fn(&Note<'s>) -> T,
    ) -> Result<Outgoing<T>, OpError> {
        let mut outgoing = Outgoing { notes: Vec::new(), unresolved: Vec::new() };
        let (mut seen, mut targets) = (BTreeSet::new(), HashSet::new());
        let document = note::parse(note.text());
        // A target that is written twice means the same note twice, the kind of link being equal.
        let is_new = |link: &&Link| {
            !link.target.is_empty() && targets.insert((link.kind == LinkKind::Markdown, link.target.clone()))
        };
        for link in document.links.iter().filter(is_new) {
            if outgoing.notes.len() >= self.most_each_way {
                break;
            }
            match self.target(link, note.path().as_str())? {
                Some(target) => {
                    if target.path() != note.path() && seen.insert(target.path().clone()) {
                        outgoing.notes.push(described(&target));
                    }
                }
                None => outgoing.unresolved.push(link.target.clone()),
            }
        }
        let mut listed = HashSet::new();
        outgoing.unresolved.retain(|target: &String| listed.insert(target.clone()));
        Ok(outgoing)
    }

    /// `described` of the notes whose text links to a note now, by path.
    pub(super) fn backlinks<T>(
        &self,
        target: &str,
        described: impl Fn(&Note<'s>) -> T,
    ) -> Result<Vec<T>, OpError> {
        let mut notes = Vec::new();
        let mut sources = self.tree.sources_of(&[LinkRecord::key_of(target)])?;
        sources.sort_by(|one, other| one.path.cmp(&other.path));
        for source in sources.iter().filter(|source| source.path != target) {
            if notes.len() >= self.most_each_way {
                break;
            }
            if let Some(note) = self.open(source)
                && self.links_to(&note, target)?
            {
                notes.push(described(&note));
            }
        }
        Ok(notes)
    }

    fn links_to(&self, note: &Note<'s>, target: &str) -> Result<bool, OpError> {
        let key = link::name_key(target);
        let document = note::parse(note.text());
        for link in document.links.iter().filter(|link| link::name_key(&link.target) == key) {
            if self.target(link, note.path().as_str())?.is_some_and(|note| note.path().as_str() == target) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The note a link means among those that may be seen: one that may not stands in nobody's way.
    fn target(&self, link: &Link, from: &str) -> Result<Option<Note<'s>>, OpError> {
        let mut candidates = self.tree.notes_by_name_key(&link::name_key(&link.target))?;
        let Some(target) = self.next_target(&mut candidates, link, from) else { return Ok(None) };
        let is_certain = self.ambiguous == Ambiguous::AsInObsidian
            || self.next_target(&mut candidates, link, from).is_none();
        Ok(is_certain.then_some(target))
    }

    /// Takes the best candidate that may be seen, and those before it, out of the candidates.
    fn next_target(&self, candidates: &mut Vec<NoteEntry>, link: &Link, from: &str) -> Option<Note<'s>> {
        loop {
            let paths: Vec<&str> = candidates.iter().map(|note| &*note.path).collect();
            let chosen = link::choose(&paths, link, from)?;
            if let Some(note) = self.open(&candidates.remove(chosen)) {
                return Some(note);
            }
        }
    }

    fn open(&self, entry: &NoteEntry) -> Option<Note<'s>> {
        self.session.open(&NotePath::parse(&entry.path).ok()?).ok()
    }
}
