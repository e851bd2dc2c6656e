//! Links of a note: what it links to, what links to it, what it names that is not there.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::names::{self, Name};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service, notice};
use crate::index::{LinkRecord, Tree};
use crate::note::{self, Link, LinkKind, link};
use crate::reply::Reply;
use crate::vault::{Note, NotePath, Released, Session};

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both ways.
    #[default]
    Both,
    /// From the note.
    Outgoing,
    /// To the note.
    Backlinks,
}

/// A question about a note's links.
#[derive(Debug, Clone, Default)]
pub struct LinksRequest {
    /// Path, title, alias or wikilink.
    pub name: String,
    /// Which way.
    pub direction: Direction,
}

/// The other end of a link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LinkedNote {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
}

/// The links of a note.
#[derive(Debug, Clone, Serialize)]
pub struct LinksAnswer {
    /// The note asked for.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Notes it links to or embeds, in order of first mention.
    pub outgoing: Vec<LinkedNote>,
    /// Notes that link to it, by path.
    pub backlinks: Vec<LinkedNote>,
    /// Targets as written that lead to no note, in order of first mention.
    pub unresolved: Vec<String>,
}

pub(super) fn run(
    service: &Service,
    request: &LinksRequest,
    caller: &Caller<'_>,
) -> Result<Reply<LinksAnswer>, OpError> {
    let name = Name::parse(&request.name);
    service.request(caller, |session, tree| {
        let Some(tree) = tree else {
            return Err(OpError::Unavailable {
                client: notice::LINKS_NEED_INDEX,
                log: notice::LINKS_NEED_INDEX.to_owned(),
            });
        };
        let note = names::open(session, Some(tree), &name.target)?;
        let graph = Graph { session, tree };
        let (outgoing, unresolved) = if request.direction == Direction::Backlinks {
            Default::default()
        } else {
            graph.outgoing(&note)?
        };
        let backlinks = if request.direction == Direction::Outgoing {
            Vec::new()
        } else {
            graph.backlinks(note.path().as_str())?
        };
        if outgoing.is_empty() && backlinks.is_empty() {
            check_emptiness(session, Some(tree))?;
        }
        let own = session.release(&note, (described(&note), unresolved));
        let ends = session.gather(outgoing).with(session.gather(backlinks));
        Ok(Reply::new(own.with(ends).map(|((own, unresolved), (outgoing, backlinks))| LinksAnswer {
            path: own.path,
            title: own.title,
            outgoing,
            backlinks,
            unresolved,
        })))
    })
}

fn described(note: &Note<'_>) -> LinkedNote {
    let title = note::parse(note.text()).title(note.path().stem()).to_owned();
    LinkedNote { path: note.path().as_str().to_owned(), title }
}

type Ends<'s> = Vec<Released<'s, LinkedNote>>;

/// The link graph of what this session may see: other notes do not exist in it.
struct Graph<'a, 's> {
    session: &'a Session<'s>,
    tree: &'a Tree,
}

impl<'s> Graph<'_, 's> {
    /// Notes that the note's text links to now, and targets that lead to none.
    fn outgoing(&self, note: &Note<'s>) -> Result<(Ends<'s>, Vec<String>), OpError> {
        let (mut ends, mut unresolved) = (Vec::new(), Vec::new());
        let (mut seen, mut targets) = (BTreeSet::new(), HashSet::new());
        let document = note::parse(note.text());
        // A target that is written twice means the same note twice, the kind of link being equal.
        let is_new = |link: &&Link| {
            !link.target.is_empty() && targets.insert((link.kind == LinkKind::Markdown, link.target.clone()))
        };
        for link in document.links.iter().filter(is_new) {
            match self.target(link, note.path().as_str())? {
                Some(target) => {
                    if target.path() != note.path() && seen.insert(target.path().clone()) {
                        ends.push(self.session.release(&target, described(&target)));
                    }
                }
                None => unresolved.push(link.target.clone()),
            }
        }
        let mut listed = HashSet::new();
        unresolved.retain(|target: &String| listed.insert(target.clone()));
        Ok((ends, unresolved))
    }

    /// The note a link means among those that may be seen: one that may not stands in nobody's way.
    fn target(&self, link: &Link, from: &str) -> Result<Option<Note<'s>>, OpError> {
        let mut candidates = self.tree.notes_by_name_key(&link::name_key(&link.target))?;
        loop {
            let paths: Vec<&str> = candidates.iter().map(|note| &*note.path).collect();
            let Some(chosen) = link::choose(&paths, link, from) else { return Ok(None) };
            let path = NotePath::parse(&candidates.remove(chosen).path).map_err(|_| OpError::NotFound)?;
            if let Ok(note) = self.session.open(&path) {
                return Ok(Some(note));
            }
        }
    }

    /// Notes whose text links to a note now.
    fn backlinks(&self, target: &str) -> Result<Ends<'s>, OpError> {
        let mut ends = Vec::new();
        for source in self.tree.sources_of(&[LinkRecord::key_of(target)])? {
            let Some(note) =
                NotePath::parse(&source.path).ok().and_then(|path| self.session.open(&path).ok())
            else {
                continue;
            };
            if note.path().as_str() != target && self.links_to(&note, target)? {
                ends.push(self.session.release(&note, described(&note)));
            }
        }
        ends.sort_by(|a, b| a.get().path.cmp(&b.get().path));
        Ok(ends)
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
}
