//! Every way in which an indexed note turns private behind the back of its index, and the way back;
//! and that a running server knows at once.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault behind the index")]

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ask::{ask_all, tools};
use crate::common::{Home, at_once, seeds};
use crate::server::Server;

pub(crate) const RULES: &str = "folders = [\"journal\"]\ntags = [\"secret\"]\nfrontmatter_flag = \"private\"";

/// Stands in every part of the note that turns private: title, alias, tag, heading, text, property.
pub(crate) const CANARIES: [&str; 6] =
    ["vqktitol", "wzkaliax", "xqktagox", "yqkhedox", "zqkbodox", "kqkpropox"];
/// The canaries as an inverted index keeps them: without letters that the term before shares.
pub(crate) const TAILS: [&str; 5] = ["qktitol", "zkaliax", "qktagox", "qkhedox", "qkbodox"];

pub(crate) const NOTE: &str = "---\ntitle: Vqktitol\naliases: [Wzkaliax]\ntags: [xqktagox]\nkind: kqkpropox\n---\n\
    Some zqkbodox text, and [[b]].\n\n## Yqkhedox\n\nMore zqkbodox text. ^block\n";

/// A few notes; `folder/target.md` is the one that turns private.
pub(crate) fn home() -> Home {
    let notes = [
        ("a.md", "---\ntags: [fruit]\n---\n# Apple\n\nRed and round, see [[b]] and [[target]].\n"),
        ("b.md", "# Banana\n\nYellow and long.\n"),
        ("folder/c.md", "# Cherry\n\nSmall #fruit in [[A]].\n"),
        ("folder/target.md", NOTE),
        ("journal/today.md", "# Today\n\nAte an apple.\n"),
    ];
    Home::words_only(&notes, RULES)
}

/// A way for the note to become private, and the way back.
pub(crate) struct Flip {
    pub(crate) name: &'static str,
    pub(crate) hide: fn(&Home),
    pub(crate) show: fn(&Home),
}

/// The first four show each layer that `mutation` breaks; other transports play the first alone.
pub(crate) const FLIPS: [Flip; 13] = [
    Flip {
        name: "tag in the properties",
        hide: |home| home.write_note("folder/target.md", &NOTE.replace("[xqktagox]", "[xqktagox, Secret]")),
        show: show_text,
    },
    Flip {
        name: "replaced by a link to a private note",
        hide: |home| {
            rename(home, "folder/target.md", "journal/target.md");
            symlink("../journal/target.md", home.path("Notes/folder/target.md")).unwrap();
        },
        show: |home| {
            fs::remove_file(home.path("Notes/folder/target.md")).unwrap();
            rename(home, "journal/target.md", "folder/target.md");
        },
    },
    Flip {
        name: "rule for the folder",
        hide: |home| configure(home, &RULES.replace("[\"journal\"]", "[\"journal\", \"folder\"]")),
        show: |home| configure(home, RULES),
    },
    Flip {
        name: "link in a private folder",
        hide: |home| symlink("../folder/target.md", home.path("Notes/journal/way.md")).unwrap(),
        show: |home| fs::remove_file(home.path("Notes/journal/way.md")).unwrap(),
    },
    Flip {
        name: "nested tag in the text",
        hide: |home| home.write_note("folder/target.md", &format!("{NOTE}\n#secret/deep\n")),
        show: show_text,
    },
    Flip {
        name: "flag",
        hide: |home| home.write_note("folder/target.md", &NOTE.replace("kind:", "private: yes\nkind:")),
        show: show_text,
    },
    Flip {
        name: "moved into a private folder",
        hide: |home| rename(home, "folder/target.md", "journal/target.md"),
        show: |home| rename(home, "journal/target.md", "folder/target.md"),
    },
    Flip {
        name: "rule for the tag",
        hide: |home| configure(home, &RULES.replace("[\"secret\"]", "[\"xqktagox\"]")),
        show: |home| configure(home, RULES),
    },
    Flip {
        name: "rule for every folder",
        hide: |home| configure(home, &RULES.replace("[\"journal\"]", "[\"*\"]")),
        show: |home| configure(home, RULES),
    },
    Flip {
        name: "tag in code",
        hide: |home| home.write_note("folder/target.md", &format!("{NOTE}\n```\n#Secret\n```\n")),
        show: show_text,
    },
    Flip {
        name: "link to its folder in a private folder",
        hide: |home| symlink("../folder", home.path("Notes/journal/way")).unwrap(),
        show: |home| fs::remove_file(home.path("Notes/journal/way")).unwrap(),
    },
    Flip {
        name: "hard link in a private folder",
        hide: |home| {
            let note = home.path("Notes/folder/target.md");
            fs::hard_link(note, home.path("Notes/journal/other name.md")).unwrap();
        },
        show: |home| fs::remove_file(home.path("Notes/journal/other name.md")).unwrap(),
    },
    Flip {
        name: "hard link outside the vault",
        hide: |home| fs::hard_link(home.path("Notes/folder/target.md"), home.path("outside.md")).unwrap(),
        show: |home| fs::remove_file(home.path("outside.md")).unwrap(),
    },
];

pub(crate) fn show_text(home: &Home) {
    home.write_note("folder/target.md", NOTE);
}

pub(crate) fn configure(home: &Home, rules: &str) {
    home.configure(&format!(
        "[vault]\npath = \"~/Notes\"\n[privacy]\n{rules}\n[embeddings]\nbackend = \"none\"\n"
    ));
}

pub(crate) fn rename(home: &Home, from: &str, to: &str) {
    fs::rename(home.vault().join(from), home.vault().join(to)).unwrap();
}

/// What the note may be called.
const NAMES: [&str; 7] = [
    "folder/target.md",
    "target",
    "[[target#Yqkhedox]]",
    "target#^block",
    "journal/target.md",
    "Vqktitol",
    "Wzkaliax",
];

/// All that can be asked of a server about the note.
fn answers(server: &mut Server) -> Vec<String> {
    let others = ["some text", "a.md", "b.md", "folder", "journal", "round yellow small some text"];
    let texts: Vec<&str> = [&CANARIES[..], &NAMES, &others].concat();
    ask_all(server, &texts)
}

/// The canaries in the answers.
fn told(answers: &[String]) -> Vec<&'static str> {
    let answers: Vec<String> = answers.iter().map(|answer| answer.to_lowercase()).collect();
    CANARIES.into_iter().filter(|canary| answers.iter().any(|answer| answer.contains(canary))).collect()
}

/// Every tool that takes a path answers as if there had never been such a note.
#[track_caller]
fn assert_looks_missing(server: &mut Server, when: &str) {
    for tool in tools(server).iter().filter(|tool| tool["inputSchema"]["properties"]["path"].is_object()) {
        let name = tool["name"].as_str().unwrap();
        let missing = server.call(name, &json!({ "path": "Nothing.md" }));
        for path in NAMES {
            assert_eq!(server.call(name, &json!({ "path": path })), missing, "{when}: {name} {path}");
        }
    }
    let listed = server.call("list_notes", &json!({}))["result"]["structuredContent"]["notes"].take();
    let status = server.call("index_status", &json!({}))["result"]["structuredContent"].take();
    // A vault without a note for this profile answers like one that is not there; under other rules there is no index.
    let has_index = status["indexed_at"].is_string();
    let listed = listed.as_array().filter(|_| has_index).map_or(0, Vec::len);
    assert_eq!(status["notes"].as_u64(), Some(listed as u64), "{when}");
    assert!(has_index || when.starts_with("rule"), "{when}");
}

#[test]
fn a_running_server_knows_at_once_that_a_note_turned_private() {
    with_each_flip(is_known_at_once);
}

#[test]
fn a_note_that_turned_private_stays_hidden_while_a_server_brings_its_index_up_to_date() {
    with_each_flip(stays_hidden_during_an_update);
}

/// A few of them, the first ones, where `OBSEARCH_TEST_SEEDS` says so.
fn with_each_flip(check: fn(&Flip)) {
    let tried = seeds(FLIPS.len() as u64);
    let flips = FLIPS.iter().zip(0..).filter(|(_, number)| tried.contains(number));
    at_once(3, flips, |(flip, _)| check(flip));
}

fn is_known_at_once(flip: &Flip) {
    let home = home();
    home.index();
    // No run may take the note out of the index: what is seen is the work of the wall alone.
    let lock = home.hold_writer_lock("public");
    let mut server = Server::start(&home, &[]);
    let before = answers(&mut server);
    assert_eq!(told(&before), CANARIES, "{}", flip.name);
    (flip.hide)(&home);
    let hidden = answers(&mut server);
    assert_eq!(told(&hidden), [""; 0], "{}:\n{hidden:#?}", flip.name);
    assert_looks_missing(&mut server, flip.name);
    (flip.show)(&home);
    assert_eq!(answers(&mut server), before, "{}", flip.name);
    drop(lock);
    assert_eq!(server.end().code, Some(0), "{}", flip.name);
}

fn stays_hidden_during_an_update(flip: &Flip) {
    let home = home();
    home.index();
    let mut server = Server::start(&home, &["--verbose"]);
    (flip.hide)(&home);
    let began = Instant::now();
    // The run that a server makes behind its first answers takes the note out of the tree.
    while !home.words_in_tree("public", &TAILS).is_empty() {
        let hidden = answers(&mut server);
        assert_eq!(told(&hidden), [""; 0], "{}:\n{hidden:#?}", flip.name);
        assert!(began.elapsed() < Duration::from_mins(1), "{}: it stays in the tree", flip.name);
        // A server takes two hundred calls a second in the long run.
        std::thread::sleep(Duration::from_secs(1));
    }
    assert_eq!(told(&answers(&mut server)), [""; 0], "{}", flip.name);
    let ended = server.end();
    assert_eq!(told(&[ended.stderr]), [""; 0], "{}", flip.name);
}

#[test]
fn a_server_lists_the_same_tools_whatever_is_private() {
    let home = home();
    let mut server = Server::start(&home, &[]);
    let before = server.request("tools/list", &json!({})).unwrap();
    configure(&home, &RULES.replace("journal", "*"));
    let after = server.request("tools/list", &json!({})).unwrap();
    let tools = |line: &str| serde_json::from_str::<Value>(line).unwrap()["result"].clone();
    assert_eq!(tools(&before), tools(&after));
}
