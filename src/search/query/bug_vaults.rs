//! What users of other tools met: the small vaults of the shared bug collection, searched by
//! words alone. Skipped where the collection is absent.

#![expect(
    clippy::disallowed_methods,
    reason = "the test reads a collection of vaults, not a vault of a user"
)]

use std::path::{Path, PathBuf};

use super::Query;
use super::tests::{matches, table};

#[test]
fn searches_find_what_users_of_other_tools_missed() {
    let cases =
        ["01-fts-hyphen", "03-fts-quotes", "04-fts-dates-versions", "06-cjk-substring", "07-cjk-partial"];
    for case in cases.iter().chain(&["27-lossy-paths", "30-empty-tiny"]) {
        let folder = bug_folder(case);
        if !folder.exists() {
            eprintln!("skipped: there is no {}; set OBSEARCH_SHARED", folder.display());
            return;
        }
        check_bug(&folder);
    }
}

fn check_bug(folder: &Path) {
    let expectations = std::fs::read_to_string(folder.join("expect.json")).unwrap();
    let expectations: Expectations = serde_json::from_str(&expectations).unwrap();
    let notes = read_notes(&folder.join("vault"));
    let connection = table(&notes);
    assert!(!expectations.searches.is_empty());
    for search in expectations.searches {
        let expression = Query::parse(&search.query).match_expression();
        let rows = expression.map_or_else(Vec::new, |expression| matches(&connection, &expression).unwrap());
        let found: Vec<&str> = rows.iter().map(|&row| &*notes[usize::try_from(row).unwrap()].0).collect();
        let context = format!("{}: {:?} found {found:?}", folder.display(), search.query);
        assert!(search.must_include.iter().all(|name| found.contains(&&**name)), "{context}");
        assert!(!search.must_exclude.iter().any(|name| found.contains(&&**name)), "{context}");
        assert!(search.top.is_none_or(|top| found.first() == Some(&&*top)), "{context}");
    }
}

fn bug_folder(name: &str) -> PathBuf {
    let shared = std::env::var_os("OBSEARCH_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    shared.join("data/bugs").join(name)
}

fn read_notes(vault: &Path) -> Vec<(String, String)> {
    let mut notes = Vec::new();
    let mut folders = vec![vault.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(vault).unwrap().to_str().unwrap().to_owned();
                notes.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    notes.sort();
    notes
}

#[derive(serde::Deserialize)]
struct Expectations {
    searches: Vec<Search>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Search {
    query: String,
    must_include: Vec<String>,
    must_exclude: Vec<String>,
    top: Option<String>,
}
