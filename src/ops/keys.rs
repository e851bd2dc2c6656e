//! Folders and tags as callers write them -> the keys the catalogue knows.

use super::OpError;
use crate::index::Filter;
use crate::note::fold;

/// Which notes to look at. The root among the folders means everywhere.
pub(super) fn filter<'a>(
    folders: impl Iterator<Item = &'a String>,
    tags: &[String],
) -> Result<Filter, OpError> {
    let mut folders: Vec<String> = folders.map(|folder| folder_key(folder)).collect();
    if folders.iter().any(String::is_empty) {
        folders.clear();
    }
    let tags: Vec<String> = tags.iter().map(|tag| tag_key(tag)).collect();
    if tags.iter().any(String::is_empty) {
        return Err(OpError::InvalidArgument("a tag is empty; leave it out, or name it"));
    }
    Ok(Filter { folders, tags, notes: None })
}

/// `./A/B/` -> `a/b`.
pub(super) fn folder_key(folder: &str) -> String {
    let folder = folder.trim().trim_start_matches("./").trim_matches('/');
    if folder == "." { String::new() } else { fold(folder) }
}

/// `#A/b` -> `a/b`.
pub(super) fn tag_key(tag: &str) -> String {
    fold(tag.trim().trim_start_matches('#').trim_matches('/'))
}

/// Are all of these tags, given as keys, among the tags of a note, nested ones included?
pub(super) fn carries(tags: &[String], wanted: &[String]) -> bool {
    let keys: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
    let is_below = |key: &String, wanted: &String| {
        key.strip_prefix(&**wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    wanted.iter().all(|wanted| keys.iter().any(|key| is_below(key, wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_tags_are_keyed_however_they_are_written() {
        for folder in ["A/B", "/a/b/", "./a/b", " A/b "] {
            assert_eq!(folder_key(folder), "a/b", "{folder}");
        }
        for folder in ["", "/", ".", "./"] {
            assert_eq!(folder_key(folder), "", "{folder}");
        }
        for tag in ["#A/b", "a/B", " #a/b/ "] {
            assert_eq!(tag_key(tag), "a/b", "{tag}");
        }
    }
}
