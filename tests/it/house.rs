//! The rules of the house that no compiler checks: every file says what it is, and dependencies
//! between folders point downwards only.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of `src`, and what each may use. Anything else is a step upwards. (`failpoint` is used
/// everywhere, and by itself knows nothing.)
const MAY_USE: &[(&str, &[&str])] = &[
    ("vault", &[]),
    ("note", &[]),
    ("text", &[]),
    ("embed", &[]),
    ("index", &["note", "text", "vault"]),
    ("search", &["embed", "index", "note", "text", "vault"]),
    ("sync", &["embed", "index", "note", "text", "vault"]),
    ("reply", &["ops", "vault"]),
    ("ops", &["embed", "index", "note", "reply", "search", "sync", "vault"]),
    ("eval", &["ops"]),
    ("config", &["vault"]),
    ("prove", &["vault"]),
    ("ledger", &["ops", "reply", "vault"]),
    ("mcp", &["ledger", "ops", "reply"]),
    ("console", &["ledger", "ops", "reply", "vault"]),
    ("http", &["console", "ledger", "mcp", "vault"]),
    ("hub", &["embed"]),
    (
        "cli",
        &[
            "config", "console", "embed", "eval", "http", "hub", "index", "ledger", "mcp", "ops", "prove",
            "reply", "sync", "vault",
        ],
    ),
];

/// Crates that only the edge may name.
const EDGE_CRATES: &[(&str, &[&str])] = &[
    ("rmcp", &["mcp"]),
    ("axum", &["http"]),
    ("hyper", &["http"]),
    ("tokio", &["http", "mcp"]),
    ("notify", &["vault"]),
    ("clap", &["cli", "main"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("anstream", &["cli"]),
    ("indicatif", &["cli"]),
    ("rusqlite", &["index"]),
    ("sqlite_vec", &["index"]),
    ("rten", &["embed"]),
    ("fastembed", &["embed"]),
    ("ureq", &["embed", "hub"]),
    ("rustix", &["vault", "config", "cli", "http", "ledger", "prove"]),
];

#[expect(clippy::disallowed_methods, reason = "the sources of the project are no vault")]
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pending = vec![root.join("src"), root.join("tests"), root.join("evals"), root.join("benches")];
    let mut sources = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            sources.push((path.strip_prefix(root).unwrap().to_owned(), text));
        }
    }
    sources.sort();
    sources
}

/// `src/vault/judge/area.rs` -> `vault`; `src/reply.rs` -> `reply`.
fn folder(path: &Path) -> Option<&str> {
    let inside = path.strip_prefix("src").ok()?;
    inside.iter().next()?.to_str().map(|first| first.trim_end_matches(".rs"))
}

/// The first names behind `crate::` on a line of code.
fn used_folders(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    let names = code.split("crate::").skip(1).filter(|_| !code.contains("pub(in crate"));
    names
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .collect()
}

#[test]
fn every_file_says_what_it_is() {
    for (path, text) in sources() {
        let is_case = path.starts_with("tests/compile_fail");
        assert!(is_case || text.starts_with("//!"), "{} does not open with //!", path.display());
    }
}

#[test]
fn dependencies_point_downwards() {
    for (path, text) in sources() {
        let Some(own) = folder(&path).filter(|own| !matches!(*own, "lib" | "main" | "failpoint")) else {
            continue;
        };
        let (_, may_use) =
            MAY_USE.iter().find(|(name, _)| *name == own).unwrap_or_else(|| panic!("{own} is new here"));
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let is_test =
            path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
        for line in production.lines().filter(|_| !is_test) {
            for used in
                used_folders(line).into_iter().filter(|used| MAY_USE.iter().any(|(name, _)| name == used))
            {
                assert!(used == own || may_use.contains(&used), "{} uses crate::{used}", path.display());
            }
        }
    }
}

#[test]
fn only_the_edge_names_the_crates_of_the_edge() {
    for (path, text) in sources() {
        let Some(own) = folder(&path) else { continue };
        for (name, allowed) in EDGE_CRATES {
            let is_named = text.lines().map(|line| line.split("//").next().unwrap_or_default()).any(|code| {
                code.match_indices(&format!("{name}::")).any(|(at, _)| {
                    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
                })
            });
            let is_test =
                path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")));
            assert!(
                !is_named || is_test || allowed.contains(&own) || text.contains("#[cfg(test)]"),
                "{} names {name}",
                path.display()
            );
        }
    }
}
