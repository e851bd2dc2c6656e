//! `obsearch serve` as a process: what a client finds on its output, and how it ends. The Python
//! clients in `tests/mcp` say more about the protocol.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Home;
use crate::server::Server;

fn home() -> Home {
    let notes = [("Boat.md", "# Boat\nLarch.\n"), ("Secret.md", "---\nprivate: true\n---\nquelmbrick\n")];
    Home::with_vault(&notes, "frontmatter_flag = \"private\"")
}

/// The answers of the server to these requests, by id from 1; each line of its output is one.
fn answers(home: &Home, requests: &[(&str, Value)]) -> Vec<Value> {
    let client = json!({ "name": "test", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let message = |(id, (method, params)): (usize, &(&str, Value))| {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string() + "\n"
    };
    let hello = [("initialize", hello)];
    let input: String = hello.iter().chain(requests).enumerate().map(message).collect();
    let output = home.run_with_input(&["serve"], &input);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{}", output.stdout);
    let parsed = output.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    let mut answers: Vec<Value> = parsed.collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), requests.len() + 1, "{answers:?}");
    answers.split_off(1)
}

fn call(tool: &str, arguments: &Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": tool, "arguments": arguments }))
}

#[test]
fn it_ends_well_when_nobody_speaks() {
    let output = home().run_with_input(&["serve"], "");
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn it_lists_tools_before_there_is_an_index() {
    let listed = answers(&home(), &[("tools/list", json!({}))]).remove(0);
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "search_vault",
            "context_pack",
            "read_note",
            "list_notes",
            "list_tags",
            "vault_guide",
            "note_links",
            "find_similar",
            "vault_health",
            "verify_citation",
            "index_status"
        ]
    );
}

#[test]
fn the_owner_decides_about_reindex_vault() {
    let home = home();
    home.configure("[vault]\npath = \"~/Notes\"\n[server]\nallow_reindex = true\n");
    let listed = answers(&home, &[("tools/list", json!({}))]).remove(0);
    assert_eq!(listed["result"]["tools"].as_array().unwrap().last().unwrap()["name"], "reindex_vault");
}

#[test]
fn a_private_note_looks_like_none() {
    let names = ["Nothing.md", "Secret.md", "Secret", "[[Secret]]", "../Secret.md"];
    let calls: Vec<_> = names.iter().map(|name| call("read_note", &json!({ "path": name }))).collect();
    let answers = answers(&home(), &calls);
    for (name, answer) in names.iter().zip(&answers) {
        assert_eq!(answer["result"], answers[0]["result"], "{name}");
        assert_eq!(answer["result"]["content"][0]["text"], "note not found", "{name}");
    }
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    let answers = answers(&home(), &[call("search_vault", &json!({ "query": "x", "limit": 0 }))]);
    assert_eq!(
        (&answers[0]["result"]["isError"], &answers[0]["result"]["content"][0]["text"]),
        (&json!(true), &json!("`limit` must be an integer from 1 to 50"))
    );
}

/// A client may start and leave a server many times a day, by whichever way. Each leaves within two seconds,
/// and no file stays.
#[test]
fn a_hundred_servers_leave_nothing_behind() {
    let home = Home::words_only(&[("Boat.md", "# Boat\nLarch.\n")], "");
    home.index();
    let before = home.tree_files("public");
    for number in 0..100 {
        let mut server = Server::start(&home, &[]);
        if number % 2 == 0 {
            server.send("tools/call", &json!({ "name": "search_vault", "arguments": { "query": "larch" } }));
        }
        let began = Instant::now();
        let ended = if number % 5 == 0 { server.kill() } else { server.end() };
        assert!(began.elapsed() < Duration::from_secs(2), "{number}: {:?}", began.elapsed());
        assert!(number % 5 == 0 || ended.code == Some(0), "{number}: {:?}", ended.code);
    }
    let mut left = home.tree_files("public");
    // A server that was killed leaves what SQLite keeps beside an open tree; the next one takes it up.
    let is_of_sqlite = |name: &str| name.ends_with("-wal") || name.ends_with("-shm");
    left.retain(|file| !before.contains(file) && !is_of_sqlite(&file.to_string_lossy()));
    assert!(left.is_empty(), "{left:?}");
}
