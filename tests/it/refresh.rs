//! A running server forgets: what turned private leaves the public tree within two seconds of being
//! noticed, though nobody runs `obsearch index`; and what a server has open follows what is on disk.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::flips::{FLIPS, NOTE, TAILS, home};
use crate::server::Server;

/// As the threat model promises.
const PROMISED: Duration = Duration::from_secs(2);
/// The first run of a server is over by then.
const STARTED: Duration = Duration::from_millis(1_500);

#[test]
fn what_turned_private_is_erased_within_two_seconds_of_being_noticed() {
    std::thread::scope(|scope| {
        for flip in &FLIPS {
            scope.spawn(|| {
                let home = home();
                home.index();
                let mut server = Server::start(&home, &[]);
                sleep(STARTED);
                (flip.hide)(&home);
                // Some of them are heard; other rules are known with the next request.
                server.call("search_vault", &json!({ "query": "zqkbodox", "mode": "keyword" }));
                let noticed = Instant::now();
                while !home.words_in_tree("public", &TAILS).is_empty() {
                    // Thirteen servers share the machine here; each alone takes some hundredths of a second.
                    assert!(noticed.elapsed() < PROMISED * 3, "{}: it is not erased", flip.name);
                    sleep(Duration::from_millis(20));
                }
                (flip.show)(&home);
                assert_eq!(server.end().code, Some(0), "{}", flip.name);
            });
        }
    });
}

#[test]
fn one_note_alone_is_erased_in_time() {
    let home = home();
    home.index();
    let mut server = Server::start(&home, &[]);
    sleep(STARTED);
    (FLIPS[0].hide)(&home);
    server.call("read_note", &json!({ "path": "folder/target.md" }));
    sleep(PROMISED);
    assert_eq!(home.words_in_tree("public", &TAILS), [""; 0]);
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn a_part_that_turned_private_is_erased_in_time() {
    let ways: [(&str, Value); 2] = [
        ("search_vault", json!({ "query": "zqkbodox", "mode": "keyword" })),
        ("read_note", json!({ "path": "folder/target.md" })),
    ];
    for (tool, arguments) in ways {
        let home = home();
        home.index();
        let mut server = Server::start(&home, &[]);
        sleep(STARTED);
        home.write_note("folder/target.md", &NOTE.replace("Some zq", "%%private%%\n\nSome zq"));
        server.call(tool, &arguments);
        sleep(PROMISED);
        assert_eq!(home.words_in_tree("public", &["qkhedox", "qkbodox"]), [""; 0], "{tool}");
        assert_eq!(server.end().code, Some(0));
    }
}

#[test]
fn a_title_or_tag_that_turned_private_leads_nowhere_at_once() {
    let home = home();
    home.write_note("named.md", "# Vexmorel\n\nA name.\n");
    let tagged = format!(
        "## Plain\n\nA plain grovelune. {filler}\n\n## End\n\n{filler}",
        filler = "Words. ".repeat(400)
    );
    home.write_note("tagged.md", &format!("{tagged}\n\n#ubextag\n"));
    home.index();
    let mut server = Server::start(&home, &[]);
    sleep(STARTED);
    let mut ask = || {
        let by_tag = json!({ "query": "grovelune", "tags": ["ubextag"], "mode": "keyword" });
        let found = server.call("search_vault", &by_tag)["result"]["structuredContent"]["passages"].take();
        let read = server.call("read_note", &json!({ "path": "Vexmorel" }))["result"]["isError"].take();
        (found.as_array().map(Vec::len), read.as_bool().unwrap_or(false))
    };
    assert_eq!(ask(), (Some(1), false));
    home.write_note("named.md", "%%private%%\n# Vexmorel\n%%/private%%\n\nA name.\n");
    home.write_note("tagged.md", &format!("{tagged}\n\n%%private%%#ubextag%%/private%%\n"));
    sleep(Duration::from_millis(50));
    assert_eq!(ask(), (Some(0), true));
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn several_servers_that_notice_the_same_erase_it_once_and_go_on() {
    let home = home();
    home.index();
    let mut servers: Vec<Server> = (0..4).map(|_| Server::start(&home, &[])).collect();
    sleep(STARTED);
    (FLIPS[0].hide)(&home);
    for server in &mut servers {
        server.call("read_note", &json!({ "path": "folder/target.md" }));
    }
    sleep(PROMISED);
    assert_eq!(home.words_in_tree("public", &TAILS), [""; 0]);
    for mut server in servers {
        let notes = server.call("index_status", &json!({}))["result"]["structuredContent"]["notes"].take();
        assert_eq!(notes, json!(3));
        let ended = server.end();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_newly_excluded_folder_is_erased_as_well() {
    let home = home();
    home.index();
    let mut server = Server::start(&home, &[]);
    sleep(STARTED);
    home.write_note(".obsidian/app.json", r#"{"userIgnoreFilters": ["folder/"]}"#);
    // Any request knows that the rules are others now, whatever it is about.
    server.call("list_tags", &json!({}));
    sleep(PROMISED);
    assert_eq!(home.words_in_tree("public", &TAILS), [""; 0]);
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn an_index_that_was_deleted_and_built_anew_is_taken_up() {
    let home = home();
    home.index();
    let mut server = Server::start(&home, &[]);
    let notes = |server: &mut Server| {
        server.call("index_status", &json!({}))["result"]["structuredContent"]["notes"].take()
    };
    sleep(STARTED);
    assert_eq!(notes(&mut server), json!(4));
    fs::remove_dir_all(home.path(".local/share/obsearch")).unwrap();
    home.write_note("new.md", "A new note with a quelmbrick.\n");
    home.index();
    assert_eq!(notes(&mut server), json!(5));
    let found = server.call("search_vault", &json!({ "query": "quelmbrick", "mode": "keyword" }));
    assert_eq!(found["result"]["structuredContent"]["passages"][0]["path"], Value::from("new.md"));
    assert_eq!(server.end().code, Some(0));
}
