//! Arguments as clients send them -> requests, or the words that help to mend them.

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::mcp::arguments::Arguments;
use crate::mcp::requests::request;
use crate::mcp::tools::{ReindexAccess, ToolName};

fn outcome(tool: &str, arguments: &str) -> String {
    let tool = ToolName::offered(ReindexAccess::Allowed).find(|known| known.as_str() == tool).unwrap();
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    let checked = Arguments::check(tool.parameters(), arguments.as_object().cloned());
    match checked.and_then(|arguments| request(tool, arguments)) {
        Ok(request) => format!("{request:?}"),
        Err(bad) => bad.to_string(),
    }
}

/// Each row is an object of arguments; the outcome follows on the line below.
#[expect(clippy::needless_pass_by_value, reason = "an expectation is used once")]
fn check(tool: &str, rows: &[&str], expected: Expect) {
    let outcomes: String = rows.iter().map(|row| format!("{row}\n  {}\n", outcome(tool, row))).collect();
    expected.assert_eq(&outcomes);
}

#[test]
fn search() {
    check(
        "search_vault",
        &[
            r#"{"query": "mast"}"#,
            r#"{"query": " mast ", "mode": null, "limit": null, "folders": null, "folder": "", "tags": []}"#,
            r#"{"query": "q", "mode": "keyword", "limit": 50, "folders": ["A", " "], "folder": "B/C", "tags": ["t"]}"#,
            r#"{"query": "q", "mode": "semantic", "top_k": 3.0, "max_per_note": 10, "verbose": true, "max_bytes": 256}"#,
        ],
        expect![[""]],
    );
}

#[test]
fn bad_search() {
    check(
        "search_vault",
        &[
            "null",
            "{}",
            r#"{"query": null}"#,
            r#"{"query": "  "}"#,
            r#"{"query": 5}"#,
            r#"{"query": "q", "limit": 0}"#,
            r#"{"query": "q", "limit": 51}"#,
            r#"{"query": "q", "limit": -1}"#,
            r#"{"query": "q", "limit": "8"}"#,
            r#"{"query": "q", "limit": 8.5}"#,
            r#"{"query": "q", "limit": 1e300}"#,
            r#"{"query": "q", "limit": true}"#,
            r#"{"query": "q", "limit": 8, "top_k": 8}"#,
            r#"{"query": "q", "mode": "fuzzy"}"#,
            r#"{"query": "q", "mode": "Hybrid"}"#,
            r#"{"query": "q", "tags": "boat"}"#,
            r#"{"query": "q", "tags": ["boat", 5]}"#,
            r#"{"query": "q", "verbose": "true"}"#,
            r#"{"query": "q", "max_bytes": 1048577}"#,
            r#"{"query": "q", "bad\u001b[2Jname\u202e": 1}"#,
        ],
        expect![[""]],
    );
}

#[test]
fn read() {
    check(
        "read_note",
        &[
            r#"{"path": "A.md"}"#,
            r#"{"path": "[[A#b]]", "section": "One#Two", "block": "", "outline": false, "max_bytes": 1000}"#,
            r#"{"path": "A", "block": "b1", "offset": 5, "limit": 10}"#,
            r#"{"path": "A", "outline": true}"#,
            r#"{"section": "One"}"#,
            r#"{"path": "A", "section": "One", "block": "b1"}"#,
            r#"{"path": "A", "section": "One", "outline": true}"#,
            r#"{"path": "A", "offset": 0}"#,
            r#"{"path": "A", "offset": 4294967296}"#,
            r#"{"path": ["A"]}"#,
        ],
        expect![[""]],
    );
}

#[test]
fn the_others() {
    check(
        "list_notes",
        &[
            "{}",
            r#"{"folder": "A", "tags": ["t"], "cursor": "c", "limit": 1000, "folders_only": true}"#,
            r#"{"limit": 1001}"#,
        ],
        expect![[""]],
    );
    check("list_tags", &["{}", r#"{"prefix": "project"}"#, r#"{"prefix": 1}"#], expect![[""]]);
    check(
        "note_links",
        &[
            r#"{"path": "A"}"#,
            r#"{"path": "A", "direction": "outgoing"}"#,
            r#"{"path": "A", "direction": "backlinks"}"#,
            r#"{"path": "A", "direction": "up"}"#,
            r#"{"direction": "both"}"#,
        ],
        expect![[""]],
    );
    check("index_status", &["null", "{}", r#"{"verbose": true}"#], expect![[""]]);
    check("reindex_vault", &["{}", r#"{"mode": "full"}"#, r#"{"mode": "all"}"#], expect![[""]]);
}

#[test]
fn long_arguments() {
    let query = |length: usize| format!(r#"{{"query": "{}"}}"#, "ä".repeat(length));
    assert!(outcome("search_vault", &query(4000)).starts_with("Search"));
    expect!["`query` must be a string that is not blank, of at most 4000 characters"]
        .assert_eq(&outcome("search_vault", &query(4001)));
    let tags = |number: usize| format!(r#"{{"tags": {:?}}}"#, vec!["t"; number]);
    assert!(outcome("list_notes", &tags(64)).starts_with("List"));
    expect![[""]].assert_eq(&outcome("list_notes", &tags(65)));
}
