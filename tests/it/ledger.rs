//! The ledger, as the owner finds it after real servers have served: what went out, over every transport, is in it;
//! what was asked, and what is private, is not.
#![expect(clippy::disallowed_methods, reason = "a test looks at the ledger and damages it")]

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::ask::ask_all;
use crate::common::{Home, names_in, text};
use crate::http::{ask, token};
use crate::server::{Daemon, Server};
use crate::sse::Messages;

const LEDGER: &str = ".config/obsearch/ledger";
const SEGMENT: &str = ".config/obsearch/ledger/00000001.jsonl";
const RULES: &str = "folders = [\"journal\"]\nfrontmatter_flag = \"private\"";

const NOTES: [(&str, &str); 5] = [
    ("Home.md", "# Home\n\nSee [[Boat]] and [[Nowhere]].\n\nA kettle.\n"),
    (
        "work/Boat.md",
        "---\naliases: [Cutter]\n---\n# Boat\n\nLarch planks. #wood\n\n## Mast\n\nThe mast is spruce.\n",
    ),
    ("work/Sail.md", "# Sail\n\nThe sail hangs on the mast. Boat and Home.\n"),
    ("README.md", "# Read me\n\nBoats live in `work`.\n"),
    ("journal/Sun.md", "# Sun\n\nquelmbrick and the mast\n"),
];

fn home() -> Home {
    let home = Home::words_only(&NOTES, RULES);
    home.index();
    home
}

/// The records, without what is another in every run.
fn records(home: &Home) -> Vec<Value> {
    let output = home.run(&["ledger", "show", "--json", "--limit", "100000"]);
    assert!(matches!(output.code, Some(0 | 1)), "{output:?}");
    let mut records = output.json();
    for record in records.as_array_mut().unwrap() {
        for name in ["number", "time", "previous"] {
            assert!(record.as_object_mut().unwrap().remove(name).is_some());
        }
    }
    records.as_array().unwrap().clone()
}

#[track_caller]
fn assert_whole(home: &Home) -> Value {
    let report = home.json(&["ledger", "verify"]);
    assert_eq!(report["fault"], Value::Null);
    report
}

/// `call: note lines; note lines`
fn brief(record: &Value) -> String {
    let notes = record["notes"].as_array().unwrap().iter().map(|note| {
        let ranges = note["lines"].as_array().into_iter().flatten();
        let ranges: Vec<String> = ranges.map(|range| format!("{}-{}", range[0], range[1])).collect();
        format!("{} {}", text(&note["path"]), ranges.join(" ")).trim().to_owned()
    });
    format!("{}: {}", text(&record["call"]), notes.collect::<Vec<_>>().join("; "))
}

#[test]
fn what_was_served_is_recorded_with_its_lines() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    let table = [
        ("read_note", json!({ "path": "Cutter" }), "read_note: work/Boat.md 4-10"),
        ("read_note", json!({ "path": "Boat#Mast" }), "read_note: work/Boat.md 8-10"),
        ("read_note", json!({ "path": "Boat", "offset": 6, "limit": 1 }), "read_note: work/Boat.md 6-6"),
        ("read_note", json!({ "path": "Boat", "outline": true }), "read_note: work/Boat.md 4-4 8-8"),
        ("search_vault", json!({ "query": "larch" }), "search_vault: work/Boat.md 4-10"),
        ("search_vault", json!({ "query": "quelmbrick" }), "search_vault: "),
        ("context_pack", json!({ "question": "larch planks" }), "context_pack: work/Boat.md 4-10"),
        ("list_notes", json!({ "folder": "work" }), "list_notes: work/Boat.md; work/Sail.md"),
        ("list_tags", json!({}), "list_tags: "),
        ("vault_guide", json!({}), "vault_guide: README.md 1-3"),
        ("note_links", json!({ "path": "Home" }), "note_links: Home.md; work/Boat.md"),
        ("note_links", json!({ "path": "Boat", "direction": "outgoing" }), "note_links: work/Boat.md"),
        (
            "find_similar",
            json!({ "path": "Sail", "purpose": "link" }),
            "find_similar: Home.md; work/Boat.md; work/Sail.md 2-3",
        ),
        ("vault_health", json!({ "checks": ["links"] }), "vault_health: Home.md 3-3"),
        (
            "verify_citation",
            json!({ "citations": ["work/Boat.md#Mast\nThe mast is spruce.", "journal/Sun.md", "Gone.md"] }),
            "verify_citation: work/Boat.md 10-10",
        ),
        ("index_status", json!({}), "index_status: "),
    ];
    for (tool, arguments, _) in &table {
        let answer = server.call(tool, arguments);
        assert_eq!(answer["result"]["isError"], json!(false), "{tool} {arguments}: {answer}");
    }
    let others = [
        ("resources/read", json!({ "uri": "obsearch://note/Home.md" }), "resources/read: Home.md 1-5"),
        ("resources/list", json!({}), "resources/list: Home.md; README.md; work/Boat.md; work/Sail.md"),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "obsearch://note/{path}" }, "argument": { "name": "path", "value": "Sa" } }),
            "completion/complete: work/Sail.md",
        ),
        ("prompts/get", json!({ "name": "review_tags" }), "prompts/get: "),
    ];
    for (method, params, _) in &others {
        let answer = server.request(method, params).unwrap();
        assert!(answer.contains("\"result\""), "{method} {params}: {answer}");
    }
    assert_eq!(server.end().stderr, "");
    let found = records(&home);
    let expected = table.iter().map(|(.., line)| *line).chain(others.iter().map(|(.., line)| *line));
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for record in &found {
        let who = ["client", "client_version", "transport", "profile"].map(|name| text(&record[name]));
        assert_eq!(who, ["test", "0", "stdio", "public"]);
    }
    assert_eq!(assert_whole(&home)["records"], json!(found.len()));
    assert_eq!([home.mode(LEDGER), home.mode(SEGMENT)], [0o700, 0o600]);
}

/// A tool that is added tomorrow is asked like these, with everything that its schema takes.
#[test]
fn every_note_that_an_answer_names_is_in_the_ledger() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    let listed: Value = serde_json::from_str(&server.request("tools/list", &json!({})).unwrap()).unwrap();
    let mut named = 0;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        for word in ["Boat", "mast", "work/Boat.md\nThe mast", "status", "links"] {
            let mut arguments = serde_json::Map::new();
            for name in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
                let property = &tool["inputSchema"]["properties"][name.as_str().unwrap()];
                let value = if property["type"] == "array" { json!([word]) } else { json!(word) };
                arguments.insert(text(name), value);
            }
            if tool["name"] == "find_similar" {
                arguments.insert("text".to_owned(), json!("The mast of the Boat at Home"));
            }
            let before = records(&home).len();
            let answer = server.call(tool["name"].as_str().unwrap(), &json!(arguments));
            let records = records(&home);
            if answer["result"]["isError"] != json!(false) {
                assert_eq!(records.len(), before, "{answer}");
                continue;
            }
            assert_eq!(records.len(), before + 1, "{} leaves a record", tool["name"]);
            let record = &records[before]["notes"];
            for (path, _) in NOTES {
                let is_named = answer["result"].to_string().contains(path);
                named += usize::from(is_named);
                let is_recorded = record.as_array().unwrap().iter().any(|note| note["path"] == path);
                assert!(!is_named || is_recorded, "{} shows {path}: {record}", tool["name"]);
            }
        }
    }
    assert!(named > 20, "{named}");
}

#[test]
fn every_transport_and_profile_is_told_apart() {
    let home = home();
    let full = token(&home, "own", "full");
    let daemon = Daemon::start(&home, &["--transport", "sse", "--port", "0"]);
    let port = daemon.port();
    let (host, bearer) = (format!("localhost:{port}"), format!("Bearer {full}"));
    let headers = [("Host", &*host), ("Authorization", &*bearer)];
    assert_eq!(ask(port, "POST", "/get_full_note", &headers, r#"{"path":"Home.md"}"#).status, 200);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "2" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let read = |meta: Value| {
        let arguments = json!({ "path": "journal/Sun.md" });
        let mut params = json!({ "name": "read_note", "arguments": arguments });
        if meta.is_object() {
            params["_meta"] = meta;
        }
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
    };
    let modern = [
        &headers[..],
        &[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "read_note")],
    ]
    .concat();
    let answer = ask(port, "POST", "/mcp", &modern, &read(meta));
    assert!(answer.body.contains("quelmbrick"), "{answer:?}");
    assert!(ask(port, "POST", "/mcp", &headers, &read(Value::Null)).body.contains("quelmbrick"));
    let named = [&headers[..], &[("User-Agent", "curl/8.5 (a b)")]].concat();
    assert!(ask(port, "POST", "/mcp", &named, &read(Value::Null)).body.contains("quelmbrick"));
    let url = format!("http://localhost:{port}/mcp");
    let mut bridge = Server::greet(home.command(&["connect", "--url", &url]).env("OBSEARCH_TOKEN", &full));
    bridge.call("read_note", &json!({ "path": "Home" }));
    bridge.end();
    let (messages, lines) = Messages::open(port, Some(&bearer)).unwrap();
    let mut messages = Box::new(messages);
    let hello = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }).to_string(),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        read(Value::Null),
    ] {
        std::io::Write::write_all(&mut messages, format!("{message}\n").as_bytes()).unwrap();
        std::io::Write::flush(&mut messages).unwrap();
    }
    while !lines.recv_timeout(Duration::from_secs(20)).unwrap().contains("quelmbrick") {}
    drop(messages);
    assert_eq!(daemon.end().0, Some(0));
    let mut stdio = Server::start_stdio(&home);
    stdio.call("read_note", &json!({ "path": "Home" }));
    stdio.end();
    let who =
        |record: &Value| ["client", "client_version", "transport", "profile"].map(|name| text(&record[name]));
    let found: Vec<_> = records(&home).iter().map(who).collect();
    let expected = [
        ["rest", "", "rest", "full"],
        ["modern", "2", "http", "full"],
        ["", "", "http", "full"],
        ["curl", "8.5", "http", "full"],
        ["test", "0", "http", "full"],
        ["old", "1", "sse", "full"],
        ["test", "0", "stdio", "public"],
    ];
    assert_eq!(found, expected);
}

/// A home with private notes and one without: the ledgers of their public servers are the same, and hold nothing
/// that was asked for.
#[test]
fn private_notes_change_nothing_in_the_ledger() {
    let secrets = [
        ("journal/Moon.md", "# Moon\n\nquelmbrick larch\n"),
        ("work/Flagged.md", "---\nprivate: 1\naliases: [Dorblast]\n---\nquelmbrick [[Boat]]\n"),
    ];
    let whole = Home::words_only(&[&NOTES[..], &secrets].concat(), RULES);
    symlink("../work/Sail.md", whole.path("Notes/journal/way.md")).unwrap();
    let public: Vec<_> = NOTES
        .into_iter()
        .filter(|(path, _)| !path.starts_with("journal") && !path.ends_with("Sail.md"))
        .collect();
    let without = Home::words_only(&public, RULES);
    let texts = [
        "quelmbrick",
        "journal/Moon.md",
        "work/Flagged.md",
        "Dorblast",
        "work/Sail.md",
        "work/Boat.md",
        "larch",
        "zzgone.md",
    ];
    let [found, expected] = [&whole, &without].map(|home| {
        home.index();
        let _lock = home.hold_writer_lock("public");
        let mut server = Server::start(home, &[]);
        ask_all(&mut server, &texts);
        assert_eq!(server.end().code, Some(0));
        let mut records: Vec<String> = records(home).iter().map(Value::to_string).collect();
        // They were asked at once.
        records.sort();
        records
    });
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(found, expected);
    let folder = whole.path(LEDGER);
    for file in names_in(&folder) {
        let bytes = fs::read_to_string(folder.join(&file)).unwrap();
        for word in ["quelmbrick", "Moon", "Flagged", "Dorblast", "Sail", "larch", "zzgone", "spruce"] {
            assert!(!bytes.contains(word), "{word} in {file}");
        }
    }
}

#[test]
fn five_servers_at_once_write_one_chain() {
    let home = home();
    let served: usize = thread::scope(|scope| {
        let serving: Vec<_> = (0..5)
            .map(|_| {
                scope.spawn(|| {
                    let mut server = Server::start_stdio(&home);
                    let ids: Vec<u64> = (0..60)
                        .map(|_| {
                            server.send(
                                "tools/call",
                                &json!({ "name": "read_note", "arguments": { "path": "Home" } }),
                            )
                        })
                        .collect();
                    for id in &ids {
                        server.answer(*id).unwrap();
                    }
                    assert_eq!(server.end().stderr, "");
                    ids.len()
                })
            })
            .collect();
        serving.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let report = assert_whole(&home);
    assert_eq!(
        [&report["records"], &report["torn"], &report["unrecorded"]],
        [&json!(served), &json!(0), &json!(0)]
    );
}

#[test]
fn servers_that_are_killed_leave_a_whole_chain() {
    let home = home();
    for round in 0..8 {
        let mut servers = [Server::start_stdio(&home), Server::start_stdio(&home)];
        for server in &mut servers {
            for _ in 0..100 {
                server.send("tools/call", &json!({ "name": "read_note", "arguments": { "path": "Home" } }));
            }
        }
        thread::sleep(Duration::from_millis(7 * round));
        for server in servers {
            server.kill();
        }
        assert_whole(&home);
    }
    let mut server = Server::start_stdio(&home);
    server.call("read_note", &json!({ "path": "Boat" }));
    server.end();
    assert_whole(&home);
    assert_eq!(brief(records(&home).last().unwrap()), "read_note: work/Boat.md 4-10");
}

#[test]
fn off_means_that_there_is_no_file() {
    let home = home();
    home.configure(&format!("{}[ledger]\nenabled = false\n", home.read(".config/obsearch/config.toml")));
    let mut server = Server::start_stdio(&home);
    server.call("read_note", &json!({ "path": "Home" }));
    assert_eq!(server.end().stderr, "");
    assert!(!home.path(LEDGER).exists());
    assert!(home.run(&["status"]).stdout.contains("Ledger    off"));
    assert_eq!(home.run(&["ledger", "show"]).code, Some(1));
}

#[test]
fn no_command_but_serve_makes_a_ledger() {
    let home = home();
    for command in [
        &["status"][..],
        &["doctor"],
        &["read", "Home"],
        &["search", "mast"],
        &["ledger", "show"],
        &["ledger", "verify"],
    ] {
        home.run(command);
        assert!(!home.path(LEDGER).exists(), "{command:?}");
    }
}

#[test]
fn a_server_whose_ledger_cannot_be_opened_does_not_start() {
    let home = home();
    home.write(LEDGER, "in its way");
    let refused = home.run(&["serve", "--transport", "http", "--port", "0"]);
    refused.assert_refused();
    assert!(
        refused.stderr.contains("could not be recorded") && refused.stderr.contains("`enabled = false`"),
        "{refused:?}"
    );
    let refused = home.run(&["serve"]);
    refused.assert_refused();
    assert!(!refused.stderr.contains('~'), "nothing of the owner's in the log of a client: {refused:?}");
    let status = home.run(&["status"]).stdout;
    assert!(status.contains("could not be recorded"), "{status}");
    assert_eq!(home.run(&["doctor"]).code, Some(1));
    fs::remove_file(home.path(LEDGER)).unwrap();
    fs::create_dir(home.path(LEDGER)).unwrap();
    home.set_mode(LEDGER, 0o777);
    let refused = home.run(&["serve", "--transport", "http", "--port", "0"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("chmod 700"), "{refused:?}");
    fs::remove_dir(home.path(LEDGER)).unwrap();
    symlink(home.vault(), home.path(LEDGER)).unwrap();
    let refused = home.run(&["serve", "--transport", "http", "--port", "0"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("inside the vault"), "{refused:?}");
    assert_eq!(names_in(&home.vault()), ["Home.md", "README.md", "journal", "work"]);
}

/// A folder in the place of the next file stands for a full disk.
#[test]
fn a_ledger_that_fails_later_stops_no_answer_and_is_told() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    let read = json!({ "path": "Home" });
    fs::create_dir(home.path(SEGMENT)).unwrap();
    for _ in 0..3 {
        assert_eq!(server.call("read_note", &read)["result"]["isError"], json!(false));
    }
    fs::remove_dir(home.path(SEGMENT)).unwrap();
    let status = home.run(&["status"]).stdout;
    assert!(status.contains("3 answers were given without a record"), "{status}");
    let findings = home.run(&["doctor", "--json"]);
    assert!(findings.code == Some(1) && findings.stdout.contains("3 answers are not in it"), "{findings:?}");
    assert_eq!(server.call("read_note", &read)["result"]["isError"], json!(false));
    let log = server.end().stderr;
    assert_eq!(log.matches("the ledger cannot be written").count(), 1, "{log}");
    let report = assert_whole(&home);
    assert_eq!([&report["records"], &report["unrecorded"]], [&json!(1), &json!(3)]);
    assert!(!home.run(&["status"]).stdout.contains("without a record"));
}

#[test]
fn the_owner_is_told_what_was_done_to_the_ledger() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    (0..4).for_each(|_| drop(server.call("read_note", &json!({ "path": "Home" }))));
    server.end();
    let whole = home.run(&["ledger", "verify"]);
    assert_eq!(
        (whole.code, &*whole.stdout),
        (Some(0), "4 records in 1 file: every one is there and as it was written.\n")
    );
    let lines: Vec<String> = home.read(SEGMENT).lines().map(str::to_owned).collect();
    let joined = |lines: &[&String]| lines.iter().fold(String::new(), |text, line| format!("{text}{line}\n"));
    let other = lines[1].replace("Home.md", "Hole.md");
    let table = [
        (
            joined(&[&lines[0], &other, &lines[2], &lines[3]]),
            "Record 2 was changed (00000001.jsonl, line 2).",
        ),
        (joined(&[&lines[0], &lines[3]]), "Records 2 to 3 are missing (00000001.jsonl, line 2)."),
        (
            joined(&[&lines[0], &lines[2], &lines[1], &lines[3]]),
            "Record 2 was moved (00000001.jsonl, line 2).",
        ),
        (joined(&[&lines[0], &lines[1], &lines[2]]), "Record 4 is missing."),
    ];
    for (text, expected) in table {
        fs::write(home.path(SEGMENT), text).unwrap();
        let report = home.run(&["ledger", "verify"]);
        assert_eq!((report.code, report.stdout.lines().next()), (Some(1), Some(expected)), "{report:?}");
        assert!(home.run(&["doctor", "--json"]).stdout.contains(expected));
    }
    home.set_mode(LEDGER, 0o755);
    assert!(home.run(&["doctor", "--json"]).stdout.contains("Other users may enter"));
}

#[test]
fn what_is_shown_can_be_read_and_fools_no_terminal() {
    let home = Home::words_only(&[("a\u{202e}b.md", "# A\n\nx\n"), ("Plain.md", "# B\n\ny\n\nz\n")], RULES);
    home.index();
    let mut server = Server::start_stdio(&home);
    server.call("list_notes", &json!({}));
    server.call("read_note", &json!({ "path": "Plain.md" }));
    server.end();
    let masked = |output: String| {
        let time = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
        time.replace_all(&output, "[time]").into_owned()
    };
    let shown = masked(home.run(&["ledger", "show"]).stdout);
    let expected = "[time] UTC  test 0  stdio  public  list_notes\n    Plain.md\n    a\\u{202e}b.md\n\
                    [time] UTC  test 0  stdio  public  read_note\n    Plain.md  1-5\n";
    assert_eq!(shown, expected);
    let shown = masked(home.run(&["ledger", "show", "--note", "Plain.md", "-n", "2"]).stdout);
    assert_eq!(shown, expected.replace("    a\\u{202e}b.md\n", ""));
    let none: [&[&str]; 3] = [&["--since", "2999-01-01"], &["--client", "other"], &["--note", "a"]];
    for arguments in none {
        assert_eq!(home.run(&[&["ledger", "show"], arguments].concat()).code, Some(1), "{arguments:?}");
    }
    for since in ["yesterday", "2031-13-01", "2031-04-0é"] {
        assert_eq!(home.run(&["ledger", "show", "--since", since]).code, Some(2), "{since}");
    }
}
