//! Folders and tags as callers write them -> the keys the catalogue knows.

use crate::note::fold;

/// `./A/B/` -> `a/b`.
pub(super) fn folder_key(folder: &str) -> String {
    let folder = folder.trim().trim_start_matches("./").trim_matches('/');
    if folder == "." { String::new() } else { fold(folder) }
}

/// `#A/b` -> `a/b`.
pub(super) fn tag_key(tag: &str) -> String {
    fold(tag.trim().trim_start_matches('#').trim_matches('/'))
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
