//! The link graph of a tree, kept right while notes come and go.

use std::collections::{BTreeSet, HashMap};

use crate::index::{Cut, Hash16, IndexError, LinkRecord, NoteId, Tree, Writer};
use crate::note::Link;
use crate::note::link::Named;
use crate::vault::{NotePath, Session};

/// What a run changed that links depend on.
#[derive(Debug, Default)]
pub(super) struct LinkWork {
    /// Links of the notes that were written.
    written: HashMap<NoteId, (String, Vec<Link>)>,
    /// Names that came or went: links that look for them may mean another note now.
    names: BTreeSet<Hash16>,
}

impl LinkWork {
    pub(super) fn note_written(&mut self, id: NoteId, path: &str, links: Vec<Link>) {
        self.written.insert(id, (path.to_owned(), links));
    }

    pub(super) fn name_changed(&mut self, path: &str) {
        self.names.insert(LinkRecord::key_of(path));
    }

    pub(super) fn note_removed(&mut self, id: NoteId, path: &str) {
        self.written.remove(&id);
        self.name_changed(path);
    }

    /// Takes up every note: a run that was killed wrote notes and set no links.
    pub(super) fn add_all(&mut self, session: &Session<'_>, tree: &Tree) -> Result<(), IndexError> {
        for note in tree.notes()? {
            if !self.written.contains_key(&note.id)
                && let Some(links) = links_of(session, &note.path)
            {
                self.written.insert(note.id, (note.path, links));
            }
        }
        Ok(())
    }

    /// Sets the links of all notes concerned. Other notes that look for a changed name are read
    /// again, through the session: a tree keeps no text of links.
    pub(super) fn apply(mut self, session: &Session<'_>, writer: &mut Writer) -> Result<(), IndexError> {
        if self.written.is_empty() && self.names.is_empty() {
            return writer.links_are_set();
        }
        let changed: Vec<Hash16> = self.names.iter().copied().collect();
        for source in writer.tree().sources_of(&changed)? {
            if !self.written.contains_key(&source.id)
                && let Some(links) = links_of(session, &source.path)
            {
                self.written.insert(source.id, (source.path, links));
            }
        }
        let notes = writer.tree().notes()?;
        let named = Named::new(notes.iter().map(|note| &*note.path));
        let record = |from: &str, link: &Link| LinkRecord {
            key: LinkRecord::key_of(&link.target),
            target: named.target(link, from).map(|place| notes[place].id),
        };
        let resolved: Vec<(NoteId, Vec<LinkRecord>)> = self
            .written
            .iter()
            .map(|(id, (path, links))| {
                let links = links.iter().filter(|link| !link.target.is_empty());
                let records: BTreeSet<LinkRecord> = links.map(|link| record(path, link)).collect();
                (*id, records.into_iter().collect())
            })
            .collect();
        for batch in resolved.chunks(512) {
            writer.transaction(|writer| {
                batch.iter().try_for_each(|(id, links)| writer.set_links(*id, links))
            })?;
        }
        writer.links_are_set()
    }
}

fn links_of(session: &Session<'_>, path: &str) -> Option<Vec<Link>> {
    let path = NotePath::parse(path).ok()?;
    let note = session.open(&path).ok()?;
    Some(Cut::new(note.text(), path.stem()).document.links)
}
