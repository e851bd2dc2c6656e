//! Links of a note: what it links to, what links to it, what it names that is not there.

use serde::Serialize;

use super::graph::{Ambiguous, Graph, Outgoing};
use super::names::{self, Name};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service, notice};
use crate::note;
use crate::reply::Reply;
use crate::vault::Note;

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
        let ambiguous = Ambiguous::AsInObsidian;
        let graph = Graph { session, tree, ambiguous, most_each_way: usize::MAX };
        let Outgoing { notes: outgoing, unresolved } = if request.direction == Direction::Backlinks {
            Outgoing { notes: Vec::new(), unresolved: Vec::new() }
        } else {
            graph.outgoing(&note, |note| session.release(note, described(note)))?
        };
        let backlinks = if request.direction == Direction::Outgoing {
            Vec::new()
        } else {
            graph.backlinks(note.path().as_str(), |note| session.release(note, described(note)))?
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
