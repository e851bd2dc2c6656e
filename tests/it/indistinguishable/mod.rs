//! Missing, private, ignored, too large, not text, not a file: one answer for all of them, to the byte;
//! and what is private stands in nobody's way and changes no overview.
#![expect(clippy::disallowed_methods, reason = "a test puts odd things into the vault")]

mod absences;

use std::fs;

use serde_json::{Value, json};

use absences::{ABSENCES, Absence, in_vault, make_all, note};

use crate::ask::tools;
use crate::common::{Home, is_root, without_mark};
use crate::rest::percent_encoded;
use crate::server::Server;

const SETTINGS: &str = "[vault]\npath = \"~/Notes\"\nmax_note_bytes = 4000\nignore_patterns = [\"templates\"]\n\
    [privacy]\nfolders = [\"journal\", \"people/*\", \"work/*/closed\"]\ntags = [\"secret\"]\n\
    frontmatter_flag = \"private\"\n[embeddings]\nbackend = \"none\"\n";

fn home() -> Home {
    let home = Home::with_vault(
        &[("Public.md", "# Public\n\n## Part\n\nA kettle. ^block\n"), ("work/Other.md", "[[Public]]")],
        "",
    );
    home.configure(SETTINGS);
    fs::create_dir(in_vault(&home, "journal")).unwrap();
    home
}

/// Asks for every absence, by every tool that takes a path, in several ways.
#[track_caller]
fn assert_all_alike(server: &mut Server, when: &str) {
    let takes_path = |tool: &&Value| tool["inputSchema"]["properties"]["path"]["type"] == "string";
    let tools: Vec<Value> = tools(server).iter().filter(takes_path).cloned().collect();
    assert!(tools.len() >= 2, "{tools:?}");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let has = |parameter: &str| tool["inputSchema"]["properties"][parameter].is_object();
        let ways = [
            json!({}),
            json!({ "outline": true }),
            json!({ "section": "Part" }),
            json!({ "block": "block" }),
            json!({ "offset": 2, "limit": 1 }),
        ];
        for way in ways.iter().filter(|way| way.as_object().unwrap().keys().all(|parameter| has(parameter))) {
            let mut ask = |path: &str| {
                let mut arguments = way.clone();
                arguments["path"] = json!(path);
                server.call(name, &arguments)
            };
            let expected = ask("Nothing at all.md");
            assert_eq!(expected["result"]["isError"], json!(true), "{when}, {name} {way}: {expected}");
            let is_told_apart = ask("Public.md") != expected;
            for Absence { what, names, .. } in ABSENCES {
                for path in *names {
                    assert_eq!(ask(path), expected, "{when}, {name} {way}: {what}: {path:?}");
                }
            }
            assert!(
                is_told_apart || expected["result"]["content"][0]["text"] != "note not found",
                "{when}, {name} {way}"
            );
        }
    }
}

/// Among others, too, in whose answers nothing changes.
#[track_caller]
fn assert_alike_among_others(server: &mut Server, when: &str) {
    for outline in [false, true] {
        let mut ask = |path: &str| {
            let paths = json!(["Public.md", path, "work/Other.md", path]);
            let params = json!({ "name": "read_note", "arguments": { "paths": paths, "outline": outline, "max_bytes": 600 } });
            let line = server.request("tools/call", &params).expect("an answer");
            let mut answer: Value = serde_json::from_str(&without_mark(&line)).unwrap();
            answer["id"].take();
            answer
        };
        let expected = ask("Nothing at all.md");
        let notes = expected["result"]["structuredContent"]["notes"].as_array().unwrap();
        assert_eq!(notes[1], json!({ "number": 2, "error": "note not found" }), "{when}");
        assert_eq!((&notes[2]["path"], notes.len()), (&json!("work/Other.md"), 4), "{when}: {expected}");
        for Absence { what, names, .. } in ABSENCES {
            for path in names.iter().filter(|path| !path.trim().is_empty()) {
                assert_eq!(ask(path), expected, "{when}: {what}: {path:?}");
            }
        }
    }
}

/// By their addresses, too, and by what completes to them.
#[track_caller]
fn assert_no_resources(server: &mut Server, when: &str) {
    let mut ask = |method: &str, params: &Value| -> Value {
        let line = server.request(method, params).expect("an answer");
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        answer["id"].take();
        answer
    };
    let template = json!({ "type": "ref/resource", "uri": "obsearch://note/{path}" });
    let mut by_address = |name: &str| {
        let name = percent_encoded(name);
        ask("resources/read", &json!({ "uri": format!("obsearch://note/{name}") }))
    };
    let missing = by_address("Nothing at all.md");
    assert!(missing["error"].is_object() && by_address("Public.md") != missing, "{when}: {missing}");
    for Absence { what, names, .. } in ABSENCES {
        for path in *names {
            let found = by_address(path);
            let is_no_name = found["error"]["code"] == -32602 && path.contains('\0');
            assert!(found == missing || is_no_name, "{when}: {what}: {path:?}: {found}");
        }
    }
    let mut completed = |value: &str| {
        let params = json!({ "ref": template, "argument": { "name": "path", "value": value } });
        ask("completion/complete", &params)
    };
    let nothing = completed("Nothing at all");
    for Absence { what, names, .. } in ABSENCES {
        for path in names.iter().filter(|path| path.len() > 3) {
            assert_eq!(completed(path), nothing, "{when}: {what}: {path:?}");
        }
    }
}

#[test]
fn whatever_is_not_there_gets_the_same_answer() {
    assert!(ABSENCES.len() >= 30);
    for is_made_first in [true, false] {
        let home = home();
        if is_made_first {
            make_all(&home);
            let (mut server, _lock) = locked_server(&home);
            assert_all_alike(&mut server, "no index");
            assert_alike_among_others(&mut server, "no index");
            assert_no_resources(&mut server, "no index");
        }
        home.index();
        let (mut server, _lock) = locked_server(&home);
        if !is_made_first {
            // The index is older than all of them.
            make_all(&home);
        }
        let when = if is_made_first { "fresh index" } else { "older index" };
        assert_all_alike(&mut server, when);
        assert_alike_among_others(&mut server, when);
        assert_no_resources(&mut server, when);
        let missing = [home.run(&["read", "Nope"]), home.run(&["links", "Nope"])];
        for path in ABSENCES.iter().flat_map(|absence| absence.names).filter(|path| !path.contains('\0')) {
            let answers = [home.run(&["read", "--", path]), home.run(&["links", "--", path])];
            assert_eq!(answers, missing, "{path:?}");
        }
    }
}

/// A server that nothing happens behind: while the lock is held, no run changes the index.
fn locked_server(home: &Home) -> (Server, fs::File) {
    // There is a lock to hold once there is a store.
    home.json(&["index", "--profile", "full"]);
    let lock = home.hold_writer_lock("public");
    let mut server = Server::start(home, &[]);
    while server.call("index_status", &json!({}))["result"]["structuredContent"]["state"] == "indexing" {}
    (server, lock)
}

#[test]
fn a_note_that_may_not_be_read_gets_the_same_answer() {
    let home = home();
    home.write_note("Closed.md", "# Closed\n");
    home.write_note("shut/Inside.md", "# Inside\n");
    home.set_mode("Notes/Closed.md", 0o000);
    home.set_mode("Notes/shut", 0o000);
    let Some(mut index) = home.command_of_plain_user(&["index", "--quiet"]) else { return };
    assert_eq!(home.output(&mut index).code, Some(0));
    let mut server = Server::greet(&mut home.command_of_plain_user(&["serve"]).unwrap());
    let missing = server.call("read_note", &json!({ "path": "Nothing.md" }));
    for path in ["Closed.md", "Closed", "shut/Inside.md", "Inside"] {
        assert_eq!(server.call("read_note", &json!({ "path": path })), missing, "{path}");
    }
    // So that the folder can be removed.
    home.set_mode("Notes/shut", 0o700);
    assert!(is_root() || fs::read(in_vault(&home, "Closed.md")).is_err());
}

#[test]
fn a_private_note_stands_in_no_public_notes_way() {
    let home = home();
    // The private ones are nearer to the root, shorter, older, and have the name as title and alias.
    home.write_note("journal/Jane.md", "---\ntitle: Boss\naliases: [Chief, Plan]\n---\nprivate");
    home.write_note("Jane.md", "---\ntitle: Boss\naliases: [Chief]\nprivate: true\n---\nprivate");
    home.write_note("jane.md", "#secret");
    home.write_note("Boss.md", "#secret");
    home.write_note("archive/deep/Jane.md", "---\ntitle: Boss\naliases: [Chief]\n---\npublic");
    home.write_note("archive/deep/Plan.md", "[[Jane]] [[Boss]] [[Chief]] [[jane]]");
    let names = [
        "Jane",
        "jane",
        "[[Jane]]",
        "JANE",
        "Boss",
        "boss",
        "Chief",
        "[[Chief]]",
        "deep/Jane",
        "archive/deep/Jane.md",
    ];
    home.index();
    let mut server = Server::start(&home, &[]);
    for name in names {
        let answer = server.call("read_note", &json!({ "path": name }));
        assert_eq!(answer["result"]["structuredContent"]["path"], "archive/deep/Jane.md", "{name}: {answer}");
    }
    assert_eq!(
        server.call("read_note", &json!({ "path": "Plan" }))["result"]["structuredContent"]["path"],
        "archive/deep/Plan.md"
    );
    let links = server.call("note_links", &json!({ "path": "archive/deep/Jane.md" }));
    assert_eq!(links["result"]["structuredContent"]["backlinks"][0]["path"], "archive/deep/Plan.md");
    for path in ["journal/Jane.md", "Jane.md", "jane.md", "Boss.md"] {
        let answer = server.call("read_note", &json!({ "path": path }));
        let shown = &answer["result"]["structuredContent"]["path"];
        assert!(*shown == json!(null) || *shown == json!("archive/deep/Jane.md"), "{path}: {answer}");
    }
}

type Edit = fn(&Home);

#[test]
fn a_private_edit_changes_no_overview() {
    let home = home();
    note(&home, "journal/Day.md", str::to_owned);
    note(&home, "work/Tagged.md", |text| format!("{text} #secret/x #fruit"));
    home.index();
    let (mut server, _lock) = locked_server(&home);
    let mut overviews = || {
        [
            ("index_status", json!({})),
            ("list_notes", json!({})),
            ("list_notes", json!({ "folders_only": true })),
            ("list_tags", json!({})),
        ]
        .map(|(tool, arguments)| server.call(tool, &arguments))
    };
    let before = overviews();
    let edits: [(&str, Edit); 8] = [
        ("edit", |home| note(home, "journal/Day.md", |text| format!("{text} #new/tag"))),
        ("new note", |home| note(home, "journal/new/Note.md", str::to_owned)),
        ("new folder", |home| fs::create_dir(in_vault(home, "journal/empty")).unwrap()),
        ("edit of a tagged note", |home| {
            note(home, "work/Tagged.md", |text| format!("{text} #secret #other"));
        }),
        ("new tagged note in a new folder", |home| {
            note(home, "fresh/Note.md", |text| format!("{text} #secret #only/here"));
        }),
        ("rename", |home| {
            fs::rename(in_vault(home, "journal/Day.md"), in_vault(home, "journal/Night.md")).unwrap();
        }),
        ("touch", |home| {
            let file = fs::File::options().write(true).open(in_vault(home, "journal/Night.md")).unwrap();
            file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_hours(9_000)).unwrap();
        }),
        ("removal", |home| fs::remove_file(in_vault(home, "journal/Night.md")).unwrap()),
    ];
    for (what, edit) in edits {
        edit(&home);
        assert_eq!(overviews(), before, "{what}");
    }
}
