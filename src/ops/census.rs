//! Census: what matters of every note that a session may see, for answers about the vault as a whole.
//!
//! Invariant: every note of it was opened and judged in this request, and links lead only to notes of it. What is made
//! of a census is made of values alone.

use std::collections::HashSet;

use rayon::prelude::*;

use super::OpError;
use super::error::vault_unavailable;
use super::read::LineStarts;
use super::trees::check_emptiness;
use crate::index::Tree;
use crate::note::link::Named;
use crate::note::{self, Document, Link};
use crate::vault::{Note, NotePath, Released, Session};

/// A note of the census.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) aliases: Vec<String>,
    pub(super) tags: Vec<String>,
    /// Links with their lines.
    pub(super) links: Vec<(Link, u32)>,
    /// Headings and blocks alone.
    pub(super) parts: Document,
    pub(super) is_empty: bool,
}

/// Takes it, ordered by path.
pub(super) fn take<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
) -> Result<Released<'s, Vec<Facts>>, OpError> {
    let paths: Vec<NotePath> = if let Some(tree) = tree {
        tree.notes()?.iter().filter_map(|note| NotePath::parse(&note.path).ok()).collect()
    } else {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        walk.notes.into_iter().map(|listed| listed.path).collect()
    };
    let of_path = |path: &NotePath| {
        let note = session.open(path).ok()?;
        Some(session.release(&note, Facts::of(&note)))
    };
    let mut facts: Vec<Released<'s, Facts>> = paths.par_iter().filter_map(of_path).collect();
    if facts.is_empty() {
        check_emptiness(session, tree)?;
    }
    facts.sort_by(|one, other| one.get().path.cmp(&other.get().path));
    Ok(session.gather(facts))
}

impl Facts {
    fn of(note: &Note<'_>) -> Facts {
        Facts::read(note.path().as_str(), note.path().stem(), note.text())
    }

    pub(super) fn read(path: &str, stem: &str, text: &str) -> Facts {
        let document = note::parse(text);
        let line_starts = LineStarts::new(text);
        let body = document.body_start..text.len();
        let is_empty = note::chunk::visible_text(text, &document, body).trim().is_empty();
        let title = document.title(stem).to_owned();
        let Document { headings, blocks, links, tags, frontmatter, .. } = document;
        let links = links.into_iter().map(|link| {
            let line = line_starts.line_of(link.range.start);
            (link, line)
        });
        Facts {
            path: path.to_owned(),
            title,
            aliases: frontmatter.aliases,
            tags,
            links: links.collect(),
            parts: Document { headings, blocks, ..Document::default() },
            is_empty,
        }
    }

    /// The file's name without its extension.
    pub(super) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.strip_suffix(".md").unwrap_or(name)
    }
}

/// Finds the notes that links mean, as Obsidian would among these notes.
pub(super) struct Resolver<'f> {
    facts: &'f [Facts],
    named: Named<'f>,
}

impl<'f> Resolver<'f> {
    pub(super) fn new(facts: &'f [Facts]) -> Resolver<'f> {
        Resolver { facts, named: Named::new(facts.iter().map(|note| &*note.path)) }
    }

    /// Which note a link in another one means; a link without a target means its own note.
    pub(super) fn target(&self, link: &Link, from: usize) -> Option<usize> {
        if link.target.is_empty() {
            return Some(from);
        }
        self.named.target(link, &self.facts[from].path)
    }

    /// How many other notes each one links to or is linked from.
    pub(super) fn degrees(&self) -> Vec<usize> {
        let mut others: Vec<HashSet<usize>> = vec![HashSet::new(); self.facts.len()];
        for (from, note) in self.facts.iter().enumerate() {
            for to in note.links.iter().filter_map(|(link, _)| self.target(link, from)) {
                if to != from {
                    others[from].insert(to);
                    others[to].insert(from);
                }
            }
        }
        others.iter().map(HashSet::len).collect()
    }
}
