//! Tags in use, with the number of notes that carry each.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::error::vault_unavailable;
use super::keys::tag_key;
use super::shown::{Shown, Shows};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service};
use crate::index::Tree;
use crate::note::{self, fold};
use crate::reply::Reply;
use crate::vault::{NotePath, Released, Session};

/// Which tags.
#[derive(Debug, Clone, Default)]
pub struct TagsRequest {
    /// Only this tag and the tags nested below it.
    pub prefix: Option<String>,
}

/// A tag and its notes.
#[derive(Debug, Clone, Serialize)]
pub struct TagCount {
    /// Without `#`, as most often written.
    pub tag: String,
    /// Notes with this tag or one nested below it.
    pub notes: usize,
}

/// All tags, ordered by name; parents of nested tags included.
#[derive(Debug, Clone, Serialize)]
pub struct TagsAnswer {
    /// Ordered by name, case-insensitively.
    pub tags: Vec<TagCount>,
}

impl Shows for TagsAnswer {
    /// Tags are no notes.
    fn tell(&self, _: &mut Shown) {}
}

pub(super) fn run(
    service: &Service,
    request: &TagsRequest,
    caller: &Caller<'_>,
) -> Result<Reply<TagsAnswer>, OpError> {
    let prefix = request.prefix.as_deref().map(tag_key).unwrap_or_default();
    service.request(caller, |session, tree| {
        let paths = tagged_paths(session, tree)?;
        let tags: Vec<Released<'_, Vec<String>>> = paths
            .par_iter()
            .filter_map(|path| {
                let note = session.open(path).ok()?;
                Some(session.release(&note, note::parse(note.text()).tags))
            })
            .collect();
        if tags.is_empty() {
            check_emptiness(session, tree)?;
        }
        Ok(Reply::new(session.gather(tags).map(|notes| TagsAnswer { tags: count(&notes, &prefix) })))
    })
}

/// Notes that had tags when they were indexed; without an index, all notes.
fn tagged_paths(session: &Session<'_>, tree: Option<&Tree>) -> Result<Vec<NotePath>, OpError> {
    let Some(tree) = tree else {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        return Ok(walk.notes.into_iter().map(|note| note.path).collect());
    };
    let mut paths: Vec<String> = tree.tags()?.into_iter().map(|row| row.path).collect();
    paths.dedup();
    Ok(paths.iter().filter_map(|path| NotePath::parse(path).ok()).collect())
}

/// Notes per tag, parents included, each note once per tag.
pub(super) fn count(notes: &[Vec<String>], prefix: &str) -> Vec<TagCount> {
    let mut counts: BTreeMap<String, (usize, BTreeMap<String, usize>)> = BTreeMap::new();
    for tags in notes {
        let mut of_note: BTreeMap<String, &str> = BTreeMap::new();
        for tag in tags {
            let ends = tag.match_indices('/').map(|(at, _)| at).chain([tag.len()]);
            of_note.extend(ends.map(|end| (fold(&tag[..end]), &tag[..end])));
        }
        for (key, written) in of_note {
            let (count, spellings) = counts.entry(key).or_default();
            *count += 1;
            *spellings.entry(written.to_owned()).or_default() += 1;
        }
    }
    let is_wanted = |key: &str| {
        key.strip_prefix(prefix)
            .is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    counts
        .into_iter()
        .filter(|(key, _)| is_wanted(key))
        .map(|(key, (notes, spellings))| {
            // The most common spelling; of several, the first in order.
            let most = spellings.into_iter().rev().max_by_key(|(_, count)| *count);
            TagCount { tag: most.map_or(key, |(written, _)| written), notes }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_count_and_spellings_meet() {
        let notes = [
            vec!["a/B".to_owned(), "a/c".to_owned()],
            vec!["A/b".to_owned()],
            vec!["a/b".to_owned(), "ab".to_owned()],
        ];
        let counted = |prefix: &str| -> Vec<(String, usize)> {
            count(&notes, prefix).into_iter().map(|tag| (tag.tag, tag.notes)).collect()
        };
        let all = [("a", 3), ("A/b", 3), ("a/c", 1), ("ab", 1)].map(|(tag, count)| (tag.to_owned(), count));
        assert_eq!(counted(""), all);
        assert_eq!(counted("a"), all[..3]);
        assert_eq!(counted("a/b"), all[1..2]);
    }
}
