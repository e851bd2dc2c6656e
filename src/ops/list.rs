//! List: the notes and folders below a folder, page by page.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use super::conditions::Wanted;
use super::error::vault_unavailable;
use super::keys::{carries, filter};
use super::shown::{Shown, Shows};
use super::trees::check_emptiness;
use super::{Caller, Conditions, OpError, Service, notice, search};
use crate::index::{Filter, Tree};
use crate::note;
use crate::reply::Reply;
use crate::vault::{Note, NotePath, Released, Session};

/// The order of a list of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// By path.
    #[default]
    Path,
    /// By title, in any case.
    Title,
    /// By the time of the file's last change, the newest first.
    Modified,
}

/// A listing as asked.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Only below this folder; none = the whole vault.
    pub folder: Option<String>,
    /// Only notes with all of these tags.
    pub tags: Vec<String>,
    /// Only notes for which these hold.
    pub conditions: Conditions,
    /// The order of notes.
    pub sort: Sort,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Notes on a page, 1 to 1000.
    pub limit: usize,
    /// Folders instead of notes.
    pub folders_only: bool,
}

impl Default for ListRequest {
    fn default() -> Self {
        ListRequest {
            folder: None,
            tags: Vec::new(),
            conditions: Conditions::default(),
            sort: Sort::Path,
            cursor: None,
            limit: 75,
            folders_only: false,
        }
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
    /// In the order that was asked for.
    pub notes: Vec<ListedNote>,
    /// Folders (with `folders_only`), ordered.
    pub folders: Vec<String>,
    /// Ask again with it for the next page; none on the last.
    pub next_cursor: Option<String>,
}

impl Shows for ListAnswer {
    fn tell(&self, shown: &mut Shown) {
        self.notes.iter().for_each(|note| shown.name(&note.path));
    }
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
    let wanted = request.conditions.parse()?;
    service.request(caller, |session, tree| {
        let after = position(request)?;
        let pages = Pages { session, tree, filter: &filter, wanted: &wanted };
        let answer = if request.folders_only {
            pages.folders(after, request.limit)?
        } else if request.sort == Sort::Path {
            pages.notes(after, request.limit)?
        } else {
            pages.sorted(after, request)?
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
    wanted: &'a Wanted,
}

impl<'s> Pages<'_, 's> {
    fn gate(&self) -> Gate<'_, 's> {
        Gate { session: self.session, tags: &self.filter.tags, wanted: self.wanted }
    }

    fn notes(&self, after: &str, limit: usize) -> Result<Released<'s, ListAnswer>, OpError> {
        let mut page: Vec<Released<'s, ListedNote>> = Vec::new();
        let mut after = after.to_owned();
        let mut has_more = true;
        // Notes that may no longer be shown leave no gaps: fetch until the page is full, and one more.
        while page.len() <= limit && has_more {
            let paths = self.paths(&after, limit + 1)?;
            has_more = paths.len() > limit;
            after = paths.last().cloned().unwrap_or_default();
            let gate = self.gate();
            let listed: Vec<_> = paths.par_iter().filter_map(|path| gate.listed(path)).collect();
            page.extend(listed.into_iter().map(|(_, note)| note));
        }
        let is_last = page.len() <= limit;
        page.truncate(limit);
        let notes = self.session.gather(page);
        Ok(notes.map(|notes| {
            let next_cursor = notes.last().filter(|_| !is_last).map(|note| format!("{CURSOR}{}", note.path));
            ListAnswer { notes, folders: Vec::new(), next_cursor }
        }))
    }

    /// A page in another order than that of paths. All notes are looked at for it; the cursor is the path of the last
    /// note of the page before, wherever that stands by now.
    fn sorted(&self, after: &str, request: &ListRequest) -> Result<Released<'s, ListAnswer>, OpError> {
        let paths = self.paths("", usize::MAX)?;
        let gate = self.gate();
        let mut listed: Vec<_> = paths.par_iter().filter_map(|path| gate.listed(path)).collect();
        match request.sort {
            Sort::Title => listed.sort_by_cached_key(|(_, note)| note::fold(&note.get().title)),
            Sort::Modified => listed.sort_by_key(|(modified_ns, _)| std::cmp::Reverse(*modified_ns)),
            Sort::Path => {}
        }
        let start = match after {
            "" => 0,
            after => {
                let last = listed.iter().position(|(_, note)| note.get().path == after);
                1 + last.ok_or(OpError::InvalidArgument(
                    "the note that this page begins after is not in the list; leave the cursor out",
                ))?
            }
        };
        let is_last = listed.len() - start <= request.limit;
        let page = listed.into_iter().skip(start).take(request.limit).map(|(_, note)| note);
        Ok(self.session.gather(page.collect()).map(|notes: Vec<ListedNote>| {
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
            let Some(note) = (!new.is_empty()).then(|| self.gate().open(&path)).flatten() else { continue };
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

/// Who gets in: threads can share it.
struct Gate<'a, 's> {
    session: &'a Session<'s>,
    tags: &'a [String],
    wanted: &'a Wanted,
}

impl<'s> Gate<'_, 's> {
    /// The note as it is listed, and when its file changed, if its text still carries the tags and what was asked holds.
    fn listed(&self, path: &str) -> Option<(i64, Released<'s, ListedNote>)> {
        let note = self.session.open(&NotePath::parse(path).ok()?).ok()?;
        let document = note::parse(note.text());
        let is_wanted = carries(&document.tags, self.tags) && self.wanted.hold(&note, &document);
        let title = search::shortened(document.title(note.path().stem()));
        let listed = ListedNote { path: path.to_owned(), title };
        is_wanted.then(|| (note.stat().modified_ns, self.session.release(&note, listed)))
    }

    /// The note, if its text still carries the tags and what was asked holds.
    fn open(&self, path: &str) -> Option<Note<'s>> {
        let note = self.session.open(&NotePath::parse(path).ok()?).ok()?;
        if self.tags.is_empty() && self.wanted.is_empty() {
            return Some(note);
        }
        let document = note::parse(note.text());
        (carries(&document.tags, self.tags) && self.wanted.hold(&note, &document)).then_some(note)
    }
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
