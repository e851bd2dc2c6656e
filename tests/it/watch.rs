//! A running server hears of changes: what is saved is found, what goes is gone, though nobody runs `obsearch
//! index` and no request meets the change. What is private makes no sound.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault in every way an editor does")]

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Home;
use crate::server::Server;

/// The first run of a server is over by then, and it listens.
const STARTED: Duration = Duration::from_secs(2);
/// It takes half a second on a quiet machine.
const PATIENCE: Duration = Duration::from_secs(15);

fn home() -> Home {
    let notes = [
        ("Boat.md", "# Boat\n\nLarch.\n"),
        ("work/Mast.md", "# Mast\n\nSpruce.\n"),
        ("Secret.md", "---\nprivate: true\n---\nquelmbrick\n"),
        ("journal/Day.md", "ossifrane\n"),
    ];
    let home = Home::words_only(&notes, "folders = [\"journal\"]\nfrontmatter_flag = \"private\"");
    home.index();
    home
}

fn started(home: &Home) -> Server {
    let server = Server::start(home, &[]);
    sleep(STARTED);
    server
}

/// The paths that hold a word, by the index alone.
fn found(server: &mut Server, word: &str) -> Vec<String> {
    let answer = server.call("search_vault", &json!({ "query": word, "mode": "keyword" }));
    let passages = answer["result"]["structuredContent"]["passages"].as_array().cloned().unwrap_or_default();
    passages.iter().map(|passage| passage["path"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn assert_becomes(server: &mut Server, word: &str, expected: &[&str]) {
    let began = Instant::now();
    while found(server, word) != expected {
        assert!(began.elapsed() < PATIENCE, "{word}: {:?}, not {expected:?}", found(server, word));
        sleep(Duration::from_millis(25));
    }
}

#[test]
fn whatever_happens_to_a_note_shows_by_itself() {
    let home = home();
    let mut server = started(&home);
    let at = |path: &str| home.path(&format!("Notes/{path}"));
    home.write_note("New.md", "A hawser.\n");
    assert_becomes(&mut server, "hawser", &["New.md"]);
    // Editors write beside and rename over.
    home.write_note(".New.md.tmp", "A bollard.\n");
    fs::rename(at(".New.md.tmp"), at("New.md")).unwrap();
    assert_becomes(&mut server, "bollard", &["New.md"]);
    fs::rename(at("New.md"), at("work/Renamed.md")).unwrap();
    assert_becomes(&mut server, "bollard", &["work/Renamed.md"]);
    // Folders within folders that come at once, and what comes into them afterwards.
    home.write_note("deep/er/One.md", "A fairlead.\n");
    assert_becomes(&mut server, "fairlead", &["deep/er/One.md"]);
    home.write_note("deep/er/Two.md", "A capstan.\n");
    assert_becomes(&mut server, "capstan", &["deep/er/Two.md"]);
    fs::rename(at("deep"), at("deeper")).unwrap();
    assert_becomes(&mut server, "capstan", &["deeper/er/Two.md"]);
    home.write_note("deeper/er/Three.md", "A gudgeon.\n");
    assert_becomes(&mut server, "gudgeon", &["deeper/er/Three.md"]);
    fs::remove_dir_all(at("deeper")).unwrap();
    assert_becomes(&mut server, "gudgeon", &[]);
    // A name that differs by case alone, and one that was a folder.
    fs::rename(at("work/Renamed.md"), at("work/RENAMED.md")).unwrap();
    assert_becomes(&mut server, "bollard", &["work/RENAMED.md"]);
    home.write_note("deep", "no note");
    home.write_note("journal/New.md", "hawser\n");
    home.write_note("Other.md", "A hawser.\n");
    assert_becomes(&mut server, "hawser", &["Other.md"]);
    assert_eq!(server.end().code, Some(0));
}

/// Ten thousand touches are one change.
#[test]
fn a_storm_of_changes_is_lived_through() {
    let home = home();
    for number in 0..500 {
        home.write_note(&format!("many/{number}.md"), &format!("# {number}\n\nrye\n"));
    }
    home.index();
    let mut server = started(&home);
    for _ in 0..20 {
        for number in 0..500 {
            home.write_note(&format!("many/{number}.md"), &format!("# {number}\n\nbarley\n"));
        }
    }
    home.write_note("Last.md", "A hawser.\n");
    assert_becomes(&mut server, "hawser", &["Last.md"]);
    assert_becomes(&mut server, "rye", &[]);
    assert_eq!(server.end().code, Some(0));
}

/// A vault that is not there any more, or is empty of a sudden, is not mounted; nothing is forgotten.
#[test]
fn a_vault_that_vanished_comes_back_whole() {
    let home = home();
    let mut server = started(&home);
    fs::rename(home.path("Notes"), home.path("Elsewhere")).unwrap();
    sleep(Duration::from_secs(1));
    fs::rename(home.path("Elsewhere"), home.path("Notes")).unwrap();
    home.write_note("New.md", "A hawser.\n");
    assert_becomes(&mut server, "larch", &["Boat.md"]);
    assert_eq!(server.end().code, Some(0));
}

/// Nobody can see in an answer that, or when, a private note changed.
#[test]
fn what_is_private_moves_nothing() {
    let home = home();
    let mut server = started(&home);
    let mut status =
        || -> Value { server.call("index_status", &json!({}))["result"]["structuredContent"].take() };
    let before = status();
    for number in 0..4 {
        home.write_note("Secret.md", &format!("---\nprivate: true\n---\nquelmbrick {number}\n"));
        home.write_note("journal/Day.md", &format!("ossifrane {number}\n"));
        home.write_note(&format!("Secret {number}.md"), "---\nprivate: true\n---\nquelmbrick\n");
        home.write_note(&format!("journal/{number}/More.md"), "ossifrane\n");
        sleep(Duration::from_millis(600));
        assert_eq!(status(), before);
    }
    home.write_note("Boat.md", "# Boat\n\nLarch and oak.\n");
    let began = Instant::now();
    while status()["indexed_at"] == before["indexed_at"] {
        assert!(began.elapsed() < PATIENCE, "a public change is told");
        sleep(Duration::from_millis(25));
    }
    assert_eq!(server.end().code, Some(0));
}
