//! Links of a note: what it links to, what links to it, what it names that is not there.

use serde::Serialize;

use super::graph::{Ambiguous, Graph, Outgoing};
use super::names::{self, Name};
use super::reach::{self, Bounds, NearNote};
use super::shown::{Shown, Shows};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service, notice, search};
use crate::note;
use crate::reply::Reply;
use crate::vault::{Note, Released, Session};

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
#[derive(Debug, Clone)]
pub struct LinksRequest {
    /// Path, title, alias or wikilink.
    pub name: String,
    /// Which way.
    pub direction: Direction,
    /// How many links away notes are listed, 1 to 3.
    pub depth: u32,
    /// A note to find a way to: path, title, alias or wikilink.
    pub to: Option<String>,
}

impl Default for LinksRequest {
    fn default() -> Self {
        LinksRequest { name: String::new(), direction: Direction::Both, depth: 1, to: None }
    }
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
    /// Targets as written, cut where they are long, that lead to no note, in order of first mention.
    pub unresolved: Vec<String>,
    /// With a depth of 2 or 3: the notes beyond, the nearest first.
    pub near: Option<Vec<NearNote>>,
    /// With `to`: a shortest way, both ends among it; empty if there is none.
    pub route: Option<Vec<LinkedNote>>,
    /// There are more notes than are listed, or than were looked at.
    pub truncated: bool,
}

impl Shows for LinksAnswer {
    fn tell(&self, shown: &mut Shown) {
        shown.name(&self.path);
        let linked = self.outgoing.iter().chain(&self.backlinks).chain(self.route.iter().flatten());
        linked.for_each(|note| shown.name(&note.path));
        for note in self.near.iter().flatten() {
            shown.name(&note.path);
            shown.name(&note.via);
        }
    }
}

/// Notes listed each way.
const MOST_EACH_WAY: usize = 5000;
/// Notes listed beyond these.
const MOST_NEAR: usize = 200;
/// How far and among how many notes a way to another is looked for.
const ROUTE: Bounds = Bounds { depth: 8, most_notes: 2000 };

pub(super) fn run(
    service: &Service,
    request: &LinksRequest,
    caller: &Caller<'_>,
) -> Result<Reply<LinksAnswer>, OpError> {
    if !(1..=3).contains(&request.depth) {
        return Err(OpError::InvalidArgument("depth goes from 1 to 3"));
    }
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
        let graph = Graph { session, tree, ambiguous, most_each_way: MOST_EACH_WAY + 1 };
        let Outgoing { notes: mut outgoing, mut unresolved } = if request.direction == Direction::Backlinks {
            Outgoing { notes: Vec::new(), unresolved: Vec::new() }
        } else {
            graph.outgoing(&note, |note| session.release(note, described(note)))?
        };
        let mut backlinks = if request.direction == Direction::Outgoing {
            Vec::new()
        } else {
            graph.backlinks(note.path().as_str(), |note| session.release(note, described(note)))?
        };
        if outgoing.is_empty() && backlinks.is_empty() {
            check_emptiness(session, Some(tree))?;
        }
        let mut truncated = outgoing.len().max(backlinks.len()).max(unresolved.len()) > MOST_EACH_WAY;
        outgoing.truncate(MOST_EACH_WAY);
        unresolved.truncate(MOST_EACH_WAY);
        backlinks.truncate(MOST_EACH_WAY);
        let graph = Graph { most_each_way: usize::MAX, ..graph };
        let near = if request.depth > 1 {
            let bounds =
                Bounds { depth: request.depth, most_notes: outgoing.len() + backlinks.len() + MOST_NEAR };
            let spread = reach::spread(&graph, &note, request.direction, bounds, None)?;
            truncated |= spread.is_cut;
            Some(session.gather(spread.near()))
        } else {
            None
        };
        let route = match request.to.as_deref().map(Name::parse) {
            Some(to) => {
                let end = names::open(session, Some(tree), &to.target)?;
                let end = end.path().as_str();
                let spread = reach::spread(&graph, &note, request.direction, ROUTE, Some(end))?;
                truncated |= spread.is_cut;
                Some(session.gather(spread.route(end)))
            }
            None => None,
        };
        let unresolved: Vec<String> = unresolved.iter().map(|target| search::shortened(target)).collect();
        let own = session.release(&note, (described(&note), unresolved));
        let ends = session.gather(outgoing).with(session.gather(backlinks));
        let far = either(session, near).with(either(session, route));
        Ok(Reply::new(own.with(ends).with(far).map(
            |(((own, unresolved), (outgoing, backlinks)), (near, route))| LinksAnswer {
                path: own.path,
                title: own.title,
                outgoing,
                backlinks,
                unresolved,
                near,
                route,
                truncated,
            },
        )))
    })
}

/// What was not asked for is a value, too.
fn either<'s, T>(session: &Session<'s>, value: Option<Released<'s, T>>) -> Released<'s, Option<T>> {
    session.gather(value.into_iter().collect()).map(|mut values| values.pop())
}

pub(super) fn described(note: &Note<'_>) -> LinkedNote {
    let title = note::parse(note.text()).title(note.path().stem()).to_owned();
    LinkedNote { path: note.path().as_str().to_owned(), title: search::shortened(&title) }
}
