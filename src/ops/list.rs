//! List: the notes and folders below a folder, page by page.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use super::error::vault_unavailable;
use super::keys::{carries, filter};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service, notice};
use crate::index::{Filter, Tree};
use crate::note;
use crate::reply::Reply;
use crate::vault::{Note, NotePath, Released, Session};

/// A listing as asked.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Only below this folder; none = the whole vault.
    pub folder: Option<String>,
    /// Only notes with all of these tags.
    pub tags: Vec<String>,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Notes on a page, 1 to 1000.
    pub limit: usize,
    /// Folders instead of notes.
    pub folders_only: bool,
}

impl Default for ListRequest {
    fn default() -> Self {
        ListRequest { folder: None, tags: Vec::new(), cursor: None, limit: 100, folders_only: false }
    }
}

/// A note on a page.
#[derive(Debug, Clone, Serialize)]
pub struct ListedNote {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
}

/// One page.
#[derive(Debug, Clone, Serialize)]
pub struct ListAnswer {
    /// Ordered by path.
    pub notes: Vec<ListedNote>,
    /// Folders (with `folders_only`), ordered.
    pub folders: Vec<String>,
    /// Ask again with it for the next page; none on the last.
    pub next_cursor: Option<String>,
}

pub(super) fn run(
    service: &Service,
    request: &ListRequest,
    caller: &Caller<'_>,
) -> Result<Reply<ListAnswer>, OpError> {
    if !(1..=1000).contains(&request.limit) {
        return Err(OpError::InvalidArgument("limit goes from 1 to 1000"));
    }
    let filter = filter(request.folder.iter(), &request.tags)?;
    service.request(caller, |session, tree| {
        let after = position(request)?;
        let pages = Pages { session, tree, filter: &filter };
        let answer = if request.folders_only {
            pages.folders(after, request.limit)?
        } else {
            pages.notes(after, request.limit)?
        };
        if answer.get().notes.is_empty() && answer.get().folders.is_empty() {
            check_emptiness(session, tree)?;
        }
        Ok(Reply::new(answer))
    })
}

/// Marks a cursor: transports may trim texts, and a name may begin with a blank.
const CURSOR: &str = "after:";

/// The name behind which the page begins.
fn position(request: &ListRequest) -> Result<&str, OpError> {
    let Some(cursor) = request.cursor.as_deref().filter(|cursor| !cursor.is_empty()) else { return Ok("") };
    cursor
        .strip_prefix(CURSOR)
        .ok_or(OpError::InvalidArgument("this is no cursor of a page before; leave it out"))
}

/// Pages of the catalogue. A cursor is the last name of a page: a public position, nothing more.
struct Pages<'a, 's> {
    session: &'a Session<'s>,
    tree: Option<&'a Tree>,
    filter: &'a Filter,
}

impl<'s> Pages<'_, 's> {
    fn notes(&self, after: &str, limit: usize) -> Result<Released<'s, ListAnswer>, OpError> {
        let mut page: Vec<Released<'s, ListedNote>> = Vec::new();
        let mut after = after.to_owned();
        let mut has_more = true;
        // Notes that may no longer be shown leave no gaps: fetch until the page is full, and one more.
        while page.len() <= limit && has_more {
            let paths = self.paths(&after, limit + 1)?;
            has_more = paths.len() > limit;
            after = paths.last().cloned().unwrap_or_default();
            let (session, tags) = (self.session, &self.filter.tags);
            let listed: Vec<_> = paths.par_iter().filter_map(|path| list_note(session, path, tags)).collect();
            page.extend(listed);
        }
        let is_last = page.len() <= limit;
        page.truncate(limit);
        let notes = self.session.gather(page);
        Ok(notes.map(|notes| {
            let next_cursor = notes.last().filter(|_| !is_last).map(|note| format!("{CURSOR}{}", note.path));
            ListAnswer { notes, folders: Vec::new(), next_cursor }
        }))
    }

    fn folders(&self, after: &str, limit: usize) -> Result<Released<'s, ListAnswer>, OpError> {
        let mut folders: Vec<Released<'s, String>> = Vec::new();
        let mut seen = BTreeSet::new();
        for path in self.paths("", usize::MAX)? {
            let new: Vec<&str> = ancestors(&path).filter(|folder| !seen.contains(*folder)).collect();
            // A folder is there because a note in it is: one admitted note is enough.
            let Some(note) = (!new.is_empty()).then(|| open(self.session, &path)).flatten() else { continue };
            for folder in new {
                seen.insert(folder.to_owned());
                folders.push(self.session.release(&note, folder.to_owned()));
            }
        }
        Ok(self.session.gather(folders).map(|mut folders| {
            folders.sort_unstable();
            folders.retain(|folder| folder.as_str() > after);
            let next_cursor =
                folders.get(limit).and(folders.get(limit - 1)).map(|last| format!("{CURSOR}{last}"));
            folders.truncate(limit);
            ListAnswer { notes: Vec::new(), folders, next_cursor }
        }))
    }

    /// Names after `after` that pass the filter, judged or not.
    fn paths(&self, after: &str, limit: usize) -> Result<Vec<String>, OpError> {
        if let Some(tree) = self.tree {
            return Ok(tree
                .notes_after(after, self.filter, limit)?
                .into_iter()
                .map(|note| note.path)
                .collect());
        }
        if !self.filter.tags.is_empty() {
            return Err(OpError::Unavailable {
                client: notice::TAGS_NEED_INDEX,
                log: notice::TAGS_NEED_INDEX.to_owned(),
            });
        }
        let walk = self.session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        let paths = walk.notes.into_iter().map(|note| note.path.as_str().to_owned());
        Ok(paths
            .filter(|path| path.as_str() > after && is_below(path, &self.filter.folders))
            .take(limit)
            .collect())
    }
}

fn open<'s>(session: &Session<'s>, path: &str) -> Option<Note<'s>> {
    session.open(&NotePath::parse(path).ok()?).ok()
}

/// The note, if its text still carries the tags.
fn list_note<'s>(session: &Session<'s>, path: &str, tags: &[String]) -> Option<Released<'s, ListedNote>> {
    let note = open(session, path)?;
    let document = note::parse(note.text());
    let title = document.title(note.path().stem()).to_owned();
    carries(&document.tags, tags).then(|| session.release(&note, ListedNote { path: path.to_owned(), title }))
}

fn is_below(path: &str, folders: &[String]) -> bool {
    let path = note::fold(path);
    folders.is_empty()
        || folders.iter().any(|folder| path.strip_prefix(&**folder).is_some_and(|rest| rest.starts_with('/')))
}

/// `a`, `a/b` for `a/b/c.md`.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
