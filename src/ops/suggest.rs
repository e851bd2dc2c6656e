//! Suggest: the beginning of a path, or a part of one -> paths that it may become.

use rayon::prelude::*;
use serde::Serialize;

use super::error::vault_unavailable;
use super::shown::{Shown, Shows};
use super::{Caller, OpError, Service};
use crate::index::Tree;
use crate::note::fold;
use crate::reply::Reply;
use crate::vault::{NotePath, Profile, Released, Session};

/// What was typed so far.
#[derive(Debug, Clone)]
pub struct SuggestRequest {
    /// Any part of a path, in any case; empty = every note.
    pub typed: String,
    /// Paths wanted.
    pub limit: usize,
}

/// Paths, the likeliest first.
#[derive(Debug, Clone, Serialize)]
pub struct SuggestAnswer {
    /// Vault-relative: those that begin with what was typed, then those whose file name does, then those
    /// that hold it anywhere.
    pub paths: Vec<String>,
    /// There are more.
    pub has_more: bool,
}

impl Shows for SuggestAnswer {
    fn tell(&self, shown: &mut Shown) {
        self.paths.iter().for_each(|path| shown.name(path));
    }
}

pub(super) fn run(
    service: &Service,
    request: &SuggestRequest,
    caller: &Caller<'_>,
) -> Result<Reply<SuggestAnswer>, OpError> {
    let typed = fold(&request.typed);
    service.request(caller, |session, tree| {
        let mut matching: Vec<(Match, NotePath)> = names(session, tree)?
            .into_iter()
            .filter_map(|path| Some((Match::of(&path, &typed)?, path)))
            .collect();
        matching.sort();
        let mut paths: Vec<Released<'_, String>> = Vec::new();
        let mut matching = matching.into_iter().map(|(_, path)| path);
        // Notes that may no longer be shown leave no gaps: look until there are enough, and one more.
        while paths.len() <= request.limit {
            let next: Vec<NotePath> = matching.by_ref().take(request.limit + 1 - paths.len()).collect();
            if next.is_empty() {
                break;
            }
            paths.extend(next.iter().filter_map(|path| {
                let note = session.open(path).ok()?;
                Some(session.release(&note, path.as_str().to_owned()))
            }));
        }
        Ok(Reply::new(session.gather(paths).map(|mut paths| {
            let has_more = paths.len() > request.limit;
            paths.truncate(request.limit);
            SuggestAnswer { paths, has_more }
        })))
    })
}

/// The names to choose from, judged or not; without an index only those that were judged, all of them.
fn names(session: &Session<'_>, tree: Option<&Tree>) -> Result<Vec<NotePath>, OpError> {
    if let Some(tree) = tree {
        let notes = tree.notes()?;
        return Ok(notes.iter().filter_map(|note| NotePath::parse(&note.path).ok()).collect());
    }
    let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
    let is_shown = |path: &NotePath| session.profile() == Profile::Full || session.open(path).is_ok();
    Ok(walk.notes.into_par_iter().map(|listed| listed.path).filter(is_shown).collect())
}

/// How a path holds what was typed; the better way first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Beginning,
    FileName,
    Anywhere,
}

impl Match {
    fn of(path: &NotePath, typed: &str) -> Option<Match> {
        let key = fold(path.as_str());
        if key.starts_with(typed) {
            Some(Match::Beginning)
        } else if fold(path.stem()).starts_with(typed) {
            Some(Match::FileName)
        } else {
            key.contains(typed).then_some(Match::Anywhere)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_matches_come_first() {
        let path = NotePath::parse("Projects/Boat/Mast.md").unwrap();
        let table = [
            ("", Some(Match::Beginning)),
            ("projects/b", Some(Match::Beginning)),
            ("mas", Some(Match::FileName)),
            ("boat", Some(Match::Anywhere)),
            ("sail", None),
        ];
        for (typed, expected) in table {
            assert_eq!(Match::of(&path, typed), expected, "{typed}");
        }
    }
}
