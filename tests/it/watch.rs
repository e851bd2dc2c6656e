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
    // A folder that goes and comes back at once is another one.
    fs::remove_dir_all(at("work")).unwrap();
    home.write_note("work/Renamed.md", "A bollard.\n");
    assert_becomes(&mut server, "spruce", &[]);
    home.write_note("work/Four.md", "A windlass.\n");
    assert_becomes(&mut server, "windlass", &["work/Four.md"]);
    // Away and back, by a name that another one had, and two that change names.
    fs::rename(at("work"), at("works")).unwrap();
    fs::rename(at("works"), at("work")).unwrap();
    home.write_note("work/Five.md", "A halyard.\n");
    assert_becomes(&mut server, "halyard", &["work/Five.md"]);
    fs::rename(at("work"), at("works")).unwrap();
    home.write_note("work/Six.md", "A shackle.\n");
    assert_becomes(&mut server, "shackle", &["work/Six.md"]);
    home.write_note("work/Seven.md", "A thimble.\n");
    assert_becomes(&mut server, "thimble", &["work/Seven.md"]);
    home.write_note("works/Eight.md", "A toggle.\n");
    assert_becomes(&mut server, "toggle", &["works/Eight.md"]);
    // A name that differs by case alone, and one that was a folder.
    fs::rename(at("works/Renamed.md"), at("works/RENAMED.md")).unwrap();
    assert_becomes(&mut server, "bollard", &["works/RENAMED.md"]);
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

/// One folder that may not be listened to leaves all the others heard.
#[test]
fn a_folder_that_may_not_be_read_deafens_nothing() {
    let home = home();
    home.write_note("shut/Inside.md", "A grapnel.\n");
    home.set_mode("Notes/shut", 0o000);
    let Some(mut index) = home.command_of_plain_user(&["index", "--quiet"]) else { return };
    assert_eq!(home.output(&mut index).code, Some(0));
    let mut server = Server::greet(&mut home.command_of_plain_user(&["serve"]).unwrap());
    sleep(STARTED);
    home.write_note("New.md", "A hawser.\n");
    assert_becomes(&mut server, "hawser", &["New.md"]);
    // So that the folder can be removed.
    home.set_mode("Notes/shut", 0o700);
    assert_eq!(server.end().code, Some(0));
}

/// Other rules and a private change together move the time of the index no more than other rules alone.
#[test]
fn a_private_change_moves_nothing_under_other_rules() {
    let home = home();
    let mut server = started(&home);
    let mut indexed_at =
        || server.call("index_status", &json!({}))["result"]["structuredContent"]["indexed_at"].take();
    let before = indexed_at();
    home.configure(
        "[vault]\npath = \"~/Notes\"\n[privacy]\nfolders = [\"journal\", \"nowhere\"]\nfrontmatter_flag = \"private\"\n\
         [embeddings]\nbackend = \"none\"\n",
    );
    sleep(Duration::from_millis(1_100));
    home.write_note("Secret.md", "---\nprivate: true\n---\nquelmbrick again\n");
    sleep(STARTED);
    assert_eq!(indexed_at(), before);
    sleep(STARTED);
    assert_eq!(indexed_at(), before);
    assert_eq!(server.end().code, Some(0));
}

/// Nobody can see in an answer that, or when, a private note changed.
#[test]
fn what_is_private_moves_nothing() {
    let home = home();
    let mut server = Server::start(&home, &["--verbose"]);
    sleep(STARTED);
    let mut status =
        || -> Value { server.call("index_status", &json!({}))["result"]["structuredContent"].take() };
    let before = status();
    let files = || -> Vec<_> {
        let files = home.tree_files("public").into_iter();
        files.map(|file| (file.clone(), file.metadata().and_then(|seen| seen.modified()).ok())).collect()
    };
    let files_before = files();
    for number in 0..4 {
        home.write_note("Secret.md", &format!("---\nprivate: true\n---\nquelmbrick {number}\n"));
        home.write_note("journal/Day.md", &format!("ossifrane {number}\n"));
        home.write_note(&format!("Secret {number}.md"), "---\nprivate: true\n---\nquelmbrick\n");
        home.write_note(&format!("journal/{number}/More.md"), "ossifrane\n");
        sleep(Duration::from_millis(600));
        assert_eq!(status(), before);
        // Not even a file of the index is touched, nor is its lock held for it.
        assert_eq!(files(), files_before);
    }
    home.write_note("Boat.md", "# Boat\n\nLarch and oak.\n");
    let began = Instant::now();
    while status()["indexed_at"] == before["indexed_at"] {
        assert!(began.elapsed() < PATIENCE, "a public change is told");
        sleep(Duration::from_millis(25));
    }
    // The line comes when the run has ended, a moment after its answer.
    sleep(STARTED);
    let ended = server.end();
    assert_eq!(ended.code, Some(0));
    let told = ended.stderr.matches("the index is up to date").count();
    assert_eq!(told, 2, "at the start, and of the public change: {}", ended.stderr);
}
