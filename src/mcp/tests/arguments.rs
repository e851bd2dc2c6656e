//! Arguments as clients send them -> requests, or the words that help to mend them.

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::mcp::arguments::Arguments;
use crate::mcp::requests::request;
use crate::mcp::tools::{ReindexAccess, ToolName};

fn outcome(tool: &str, arguments: &str) -> String {
    let tool = ToolName::offered(ReindexAccess::Allowed).find(|known| known.as_str() == tool).unwrap();
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    let checked = Arguments::check(tool.parameters(), arguments.as_object().cloned(), None);
    match checked.and_then(|arguments| request(tool, arguments)) {
        Ok(request) => format!("{request:?}"),
        Err(bad) => bad.to_string(),
    }
}

/// Each row is an object of arguments; the outcome follows on the line below.
#[expect(clippy::needless_pass_by_value, reason = "an expectation is used once")]
fn check(tool: &str, rows: &[&str], expected: Expect) {
    let outcomes: Vec<_> = rows.iter().map(|row| format!("{row}\n  {}\n", outcome(tool, row))).collect();
    expected.assert_eq(&outcomes.concat());
}

#[test]
fn search() {
    check(
        "search_vault",
        &[
            r#"{"query": "mast"}"#,
            r#"{"query": " mast ", "mode": null, "limit": null, "folders": null, "folder": "", "tags": []}"#,
            r#"{"query": "q", "mode": "keyword", "limit": 50, "folders": ["A", " "], "folder": "B/C", "tags": ["t"]}"#,
            r#"{"query": "q", "hypothetical": " a sketch ", "expand_links": true}"#,
            r#"{"query": "q", "mode": "semantic", "top_k": 3.0, "max_per_note": 10, "verbose": true, "max_bytes": 256}"#,
        ],
        expect![[r#"
            {"query": "mast"}
              Search(SearchRequest { query: "mast", hypothetical: None, mode: Hybrid, limit: 6, folders: [], tags: [], conditions: Conditions { properties: [], since: None, until: None }, max_per_note: 2, expand_links: false, detail: Excerpt, rerank: IfConfigured, max_bytes: 16384 })
            {"query": " mast ", "mode": null, "limit": null, "folders": null, "folder": "", "tags": []}
              Search(SearchRequest { query: "mast", hypothetical: None, mode: Hybrid, limit: 6, folders: [], tags: [], conditions: Conditions { properties: [], since: None, until: None }, max_per_note: 2, expand_links: false, detail: Excerpt, rerank: IfConfigured, max_bytes: 16384 })
            {"query": "q", "mode": "keyword", "limit": 50, "folders": ["A", " "], "folder": "B/C", "tags": ["t"]}
              Search(SearchRequest { query: "q", hypothetical: None, mode: Keyword, limit: 50, folders: ["A", "B/C"], tags: ["t"], conditions: Conditions { properties: [], since: None, until: None }, max_per_note: 2, expand_links: false, detail: Excerpt, rerank: IfConfigured, max_bytes: 16384 })
            {"query": "q", "hypothetical": " a sketch ", "expand_links": true}
              Search(SearchRequest { query: "q", hypothetical: Some("a sketch"), mode: Hybrid, limit: 6, folders: [], tags: [], conditions: Conditions { properties: [], since: None, until: None }, max_per_note: 2, expand_links: true, detail: Excerpt, rerank: IfConfigured, max_bytes: 16384 })
            {"query": "q", "mode": "semantic", "top_k": 3.0, "max_per_note": 10, "verbose": true, "max_bytes": 256}
              Search(SearchRequest { query: "q", hypothetical: None, mode: Semantic, limit: 3, folders: [], tags: [], conditions: Conditions { properties: [], since: None, until: None }, max_per_note: 10, expand_links: false, detail: Full, rerank: IfConfigured, max_bytes: 256 })
        "#]],
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
        expect![[r#"
            null
              `query` is missing: give a string that is not blank, of at most 4000 characters
            {}
              `query` is missing: give a string that is not blank, of at most 4000 characters
            {"query": null}
              `query` is missing: give a string that is not blank, of at most 4000 characters
            {"query": "  "}
              `query` must be a string that is not blank, of at most 4000 characters
            {"query": 5}
              `query` must be a string that is not blank, of at most 4000 characters
            {"query": "q", "limit": 0}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": 51}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": -1}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": "8"}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": 8.5}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": 1e300}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": true}
              `limit` must be an integer from 1 to 50
            {"query": "q", "limit": 8, "top_k": 8}
              give `limit` or `top_k`, not both
            {"query": "q", "mode": "fuzzy"}
              `mode` must be one of hybrid, semantic, keyword
            {"query": "q", "mode": "Hybrid"}
              `mode` must be one of hybrid, semantic, keyword
            {"query": "q", "tags": "boat"}
              `tags` must be an array of at most 64 strings, such as ["one", "two"]
            {"query": "q", "tags": ["boat", 5]}
              `tags` must be an array of at most 64 strings, such as ["one", "two"]
            {"query": "q", "verbose": "true"}
              `verbose` must be true or false
            {"query": "q", "max_bytes": 1048577}
              `max_bytes` must be an integer from 256 to 1048576
            {"query": "q", "bad\u001b[2Jname\u202e": 1}
              unknown argument `bad\u{1b}[2Jname\u{202e}`: this tool takes query, hypothetical, mode, limit, top_k, folders, folder, tags, where, since, until, max_per_note, expand_links, verbose, max_bytes
        "#]],
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
            r#"{"paths": ["Boat", "Boat#Mast", "Boat"], "outline": true, "max_bytes": 300}"#,
            r#"{"path": "  ", "paths": [" Boat "], "section": ""}"#,
            "{}",
            r#"{"paths": null}"#,
            r#"{"paths": []}"#,
            r#"{"paths": ["Boat", " "]}"#,
            r#"{"paths": "Boat"}"#,
            r#"{"path": "Boat", "paths": ["Mast"]}"#,
            r#"{"paths": ["Boat"], "section": "Mast"}"#,
            r#"{"paths": ["Boat"], "offset": 2}"#,
        ],
        expect![[r#"
            {"path": "A.md"}
              Read(ReadRequest { name: "A.md", naming: Loose, part: Whole, first_line: None, line_limit: None, max_bytes: 65536 })
            {"path": "[[A#b]]", "section": "One#Two", "block": "", "outline": false, "max_bytes": 1000}
              Read(ReadRequest { name: "[[A#b]]", naming: Loose, part: Section("One#Two"), first_line: None, line_limit: None, max_bytes: 1000 })
            {"path": "A", "block": "b1", "offset": 5, "limit": 10}
              Read(ReadRequest { name: "A", naming: Loose, part: Block("b1"), first_line: Some(5), line_limit: Some(10), max_bytes: 65536 })
            {"path": "A", "outline": true}
              Read(ReadRequest { name: "A", naming: Loose, part: Outline, first_line: None, line_limit: None, max_bytes: 65536 })
            {"section": "One"}
              `path` is missing: give a note, or several with `paths`
            {"path": "A", "section": "One", "block": "b1"}
              give only one of `section`, `block` and `outline`
            {"path": "A", "section": "One", "outline": true}
              give only one of `section`, `block` and `outline`
            {"path": "A", "offset": 0}
              `offset` must be an integer from 1 to 10000000
            {"path": "A", "offset": 4294967296}
              `offset` must be an integer from 1 to 10000000
            {"path": ["A"]}
              `path` must be a string of at most 4000 characters
            {"paths": ["Boat", "Boat#Mast", "Boat"], "outline": true, "max_bytes": 300}
              ReadMany(ReadManyRequest { names: ["Boat", "Boat#Mast", "Boat"], part: Outline, max_bytes: 300 })
            {"path": "  ", "paths": [" Boat "], "section": ""}
              ReadMany(ReadManyRequest { names: ["Boat"], part: Whole, max_bytes: 65536 })
            {}
              `path` is missing: give a note, or several with `paths`
            {"paths": null}
              `path` is missing: give a note, or several with `paths`
            {"paths": []}
              `paths` must be an array of 1 to 64 strings, none of them blank
            {"paths": ["Boat", " "]}
              `paths` must be an array of 1 to 64 strings, none of them blank
            {"paths": "Boat"}
              `paths` must be an array of 1 to 64 strings, none of them blank
            {"path": "Boat", "paths": ["Mast"]}
              give `path` or `paths`, not both
            {"paths": ["Boat"], "section": "Mast"}
              `section`, `block`, `offset` and `limit` are for one `path`, not for `paths`
            {"paths": ["Boat"], "offset": 2}
              `section`, `block`, `offset` and `limit` are for one `path`, not for `paths`
        "#]],
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
        expect![[r#"
            {}
              List(ListRequest { folder: None, tags: [], conditions: Conditions { properties: [], since: None, until: None }, sort: Path, cursor: None, limit: 75, folders_only: false })
            {"folder": "A", "tags": ["t"], "cursor": "c", "limit": 1000, "folders_only": true}
              List(ListRequest { folder: Some("A"), tags: ["t"], conditions: Conditions { properties: [], since: None, until: None }, sort: Path, cursor: Some("c"), limit: 1000, folders_only: true })
            {"limit": 1001}
              `limit` must be an integer from 1 to 1000
        "#]],
    );
    check(
        "list_tags",
        &["{}", r#"{"prefix": "project"}"#, r#"{"prefix": 1}"#],
        expect![[r#"
        {}
          Tags(TagsRequest { prefix: None })
        {"prefix": "project"}
          Tags(TagsRequest { prefix: Some("project") })
        {"prefix": 1}
          `prefix` must be a string of at most 4000 characters
    "#]],
    );
    check(
        "note_links",
        &[
            r#"{"path": "A"}"#,
            r#"{"path": "A", "direction": "outgoing"}"#,
            r#"{"path": "A", "direction": "backlinks"}"#,
            r#"{"path": "A", "direction": "up"}"#,
            r#"{"direction": "both"}"#,
        ],
        expect![[r#"
            {"path": "A"}
              Links(LinksRequest { name: "A", direction: Both, depth: 1, to: None })
            {"path": "A", "direction": "outgoing"}
              Links(LinksRequest { name: "A", direction: Outgoing, depth: 1, to: None })
            {"path": "A", "direction": "backlinks"}
              Links(LinksRequest { name: "A", direction: Backlinks, depth: 1, to: None })
            {"path": "A", "direction": "up"}
              `direction` must be one of both, outgoing, backlinks
            {"direction": "both"}
              `path` is missing: give a string that is not blank, of at most 4000 characters
        "#]],
    );
    check(
        "index_status",
        &["null", "{}", r#"{"verbose": true}"#],
        expect![[r#"
            null
              Status
            {}
              Status
            {"verbose": true}
              unknown argument `verbose`: this tool takes no arguments
        "#]],
    );
    check(
        "reindex_vault",
        &["{}", r#"{"mode": "full"}"#, r#"{"mode": "all"}"#],
        expect![[r#"
        {}
          Reindex(ReindexRequest { mode: Incremental })
        {"mode": "full"}
          Reindex(ReindexRequest { mode: Full })
        {"mode": "all"}
          `mode` must be one of incremental, full
    "#]],
    );
}

#[test]
fn long_arguments() {
    let query = |length: usize| format!(r#"{{"query": "{}"}}"#, "ä".repeat(length));
    assert!(outcome("search_vault", &query(4000)).starts_with("Search"));
    expect!["`query` must be a string that is not blank, of at most 4000 characters"]
        .assert_eq(&outcome("search_vault", &query(4001)));
    let tags = |number: usize| format!(r#"{{"tags": {:?}}}"#, vec!["t"; number]);
    assert!(outcome("list_notes", &tags(64)).starts_with("List"));
    expect![[r#"`tags` must be an array of at most 64 strings, such as ["one", "two"]"#]]
        .assert_eq(&outcome("list_notes", &tags(65)));
}
