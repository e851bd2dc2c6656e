//! Cases that a reading of the whole code brought up: what a run that was killed leaves behind, what
//! a stale index must not decide, and texts that fell through the cracks.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault behind the index")]

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Home, paths};

fn home(notes: &[(&str, &str)]) -> Home {
    Home::words_only(notes, "folders = [\"journal\"]\ntags = [\"secret\"]")
}

#[test]
fn links_of_a_run_that_was_killed_are_set_by_the_next() {
    let home = home(&[("Hub.md", "# Hub\n")]);
    for number in 0..1_500 {
        home.write_note(&format!("n/{number}.md"), &format!("Note {number} sees [[Hub]].\n"));
    }
    // At whatever moment it dies, the end is the same.
    for milliseconds in [60, 120, 240, 480] {
        let mut run =
            home.command(&["index", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(milliseconds));
        run.kill().unwrap();
        run.wait().unwrap();
    }
    home.index();
    let answer = home.json(&["links", "Hub", "--direction", "backlinks"]);
    assert_eq!(answer["backlinks"].as_array().map(Vec::len), Some(1_500));
}

#[test]
fn a_note_that_moved_to_a_private_folder_leaves_nothing_under_its_reused_name() {
    let home = home(&[("a.md", "Some zqkbodox text.\n"), ("journal/j.md", "x")]);
    home.index();
    assert_eq!(home.words_in_tree("public", &["qkbodox"]), ["qkbodox"]);
    fs::rename(home.path("Notes/a.md"), home.path("Notes/journal/a.md")).unwrap();
    home.write_note("a.md", "Something else.\n");
    home.index();
    assert_eq!(home.words_in_tree("public", &["qkbodox"]), [""; 0]);
}

#[test]
fn public_passages_are_found_behind_any_number_that_turned_private() {
    let home = home(&[("pub1.md", "a kettle and some more words"), ("pub2.md", "one more kettle and so on")]);
    for number in 0..450 {
        home.write_note(&format!("diary/{number}.md"), "kettle kettle\n");
    }
    home.index();
    for number in 0..450 {
        home.write_note(&format!("diary/{number}.md"), "kettle kettle #secret\n");
    }
    let mut found = home.found("kettle", &[]);
    found.sort();
    assert_eq!(found, ["pub1.md", "pub2.md"]);
}

#[test]
fn one_long_note_does_not_hide_the_others() {
    let section = |n: i32| format!("## Part {n}\n\n{}\n\n", "kettle and pot ".repeat(20));
    let sections = (0..150).map(section).collect::<Vec<_>>().concat();
    let home = home(&[("long.md", &sections)]);
    for number in 0..6 {
        home.write_note(
            &format!("short{number}.md"),
            "It mentions a kettle once among a good many other words.\n",
        );
    }
    home.index();
    let found = home.found("kettle", &["--limit", "8"]);
    assert_eq!(found.iter().filter(|path| path.starts_with("short")).count(), 6, "{found:?}");
}

#[test]
fn counts_and_backlinks_do_not_see_a_note_that_turned_private() {
    let home =
        home(&[("src.md", "[[Jane]]"), ("Jane.md", "# Jane\n"), ("archive/deep/Jane.md", "# Other Jane\n")]);
    home.index();
    home.write_note("Jane.md", "# Jane\n\n#secret\n");
    assert_eq!(home.json(&["status"])["notes"], json!(2));
    let links = home.json(&["links", "archive/deep/Jane.md"]);
    assert_eq!(links["backlinks"][0]["path"], json!("src.md"));
}

#[test]
fn equal_passages_of_a_note_that_changed_are_shown_once() {
    let log = "## Log\n\nThe kettle boiled over again and someone has to clean the stove before supper, as always here, \
               which takes the better part of an hour and a whole sponge, and then the kettle has to be scrubbed inside \
               and outside until it shines, dried with a cloth that leaves no threads, and put back on its shelf.\n\n";
    let home = home(&[("a.md", &log.repeat(3))]);
    home.index();
    home.write_note("a.md", &(log.repeat(3) + "One more line.\n"));
    let answer = home.json(&["search", "kettle", "--mode", "keyword"]);
    let lines: Vec<&Value> =
        answer["passages"].as_array().unwrap().iter().map(|hit| &hit["line_start"]).collect();
    let distinct: std::collections::HashSet<String> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), distinct.len(), "{lines:?}");
}

#[test]
fn names_with_a_hash_or_a_leading_blank_are_read_and_paged() {
    let notes =
        [(" lead.md", "x"), ("C# notes.md", "# C# basics\n\ntext\n"), ("Zed.md", "y"), ("long.md", "z")];
    let home = home(&notes);
    home.index();
    assert_eq!(home.json(&["read", "C# notes.md"])["path"], json!("C# notes.md"));
    assert_eq!(home.json(&["read", "C# notes.md#C# basics"])["line_start"], json!(1));
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = home.json(&["list", "--limit", "1", "--cursor", &cursor]);
        listed.extend(page["notes"].as_array().unwrap().iter().map(|note| note["path"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = next.trim().to_owned();
    }
    assert_eq!(Value::from(listed), json!([" lead.md", "C# notes.md", "Zed.md", "long.md"]));
}

#[test]
fn a_vault_without_any_file_is_no_empty_answer() {
    let home = home(&[("a.md", "kettle")]);
    home.index();
    fs::remove_file(home.path("Notes/a.md")).unwrap();
    for command in [&["search", "kettle"][..], &["list"], &["tags"], &["index"]] {
        let output = home.run(command);
        assert_eq!(output.code, Some(2), "{command:?} {output:?}");
    }
    home.write_note("b.md", "pot");
    home.index();
    assert_eq!(paths(&home.json(&["search", "pot"])), ["b.md"]);
}

#[test]
fn a_filter_means_what_it_says() {
    let home = home(&[("a.md", "#fruit kettle"), ("in/b.md", "kettle")]);
    home.index();
    assert_eq!(home.found("kettle", &["--folder", "/", "--folder", "nowhere"]).len(), 2);
    assert_eq!(home.found("kettle", &["--folder", "nowhere"]), [""; 0]);
    assert_eq!(home.run(&["search", "kettle", "--tag", "#"]).code, Some(2));
    assert_eq!(home.listed(&["--tag", "fruit"]), ["a.md"]);
    home.write_note("a.md", "kettle");
    assert_eq!(home.run(&["list", "--tag", "fruit"]).code, Some(1));
}

#[test]
fn private_by_default_and_masked_text_hold_from_the_file_to_the_tree() {
    let home = home(&[
        ("plain.md", "A kettle nobody allowed, zqkbodox.\n"),
        ("published/a.md", "A kettle, card 1234-5678.\n"),
        ("tagged.md", "---\ntags: [public]\n---\nAnother kettle.\n"),
    ]);
    home.configure(
        "[vault]\npath = \"~/Notes\"\n[privacy]\ndefault = \"private\"\nallow_folders = [\"published\"]\n\
         allow_tags = [\"public\"]\nredact_patterns = ['\\d{4}-\\d{4}']\n[embeddings]\nbackend = \"none\"\n",
    );
    home.index();
    let mut found = home.found("kettle", &[]);
    found.sort();
    assert_eq!(found, ["published/a.md", "tagged.md"]);
    assert_eq!(home.run(&["read", "plain.md"]).code, Some(1));
    assert_eq!(home.words_in_tree("public", &["qkbodox", "1234", "5678"]), [""; 0]);
    assert_eq!(home.found("1234", &[]), [""; 0]);
    assert!(home.json(&["read", "published/a.md"])["text"].as_str().unwrap().contains("card *********"));
    assert!(
        home.json(&["read", "published/a.md", "--profile", "full"])["text"]
            .as_str()
            .unwrap()
            .contains("1234-5678")
    );
}

/// That a question is the very title of a note makes an answer likely. It must not, once the note may not be seen.
#[test]
fn the_title_of_a_note_that_turned_private_makes_no_answer_likely() {
    let public: Vec<(String, String)> = (0..12)
        .map(|number| {
            (format!("{number}.md"), format!("# Note {number}\n\nThe offer of week {number} stands.\n"))
        })
        .collect();
    let title = "Falcon acquisition dossier offer";
    let home = || {
        let notes: Vec<(&str, &str)> = public.iter().map(|(path, text)| (&**path, &**text)).collect();
        let home = home(&notes);
        home.write_note("P.md", &format!("# {title}\n\nThe price is nine.\n"));
        home.index();
        home
    };
    let (with, without) = (home(), home());
    let asked = |home: &Home, command: &str| home.json(&[command, title]);
    assert_eq!(asked(&with, "search")["likely"], json!(true), "it is public so far");
    with.write_note("P.md", &format!("# {title}\n\nThe price is nine. #secret\n"));
    fs::remove_file(without.path("Notes/P.md")).unwrap();
    for (command, flag, parts) in [("search", "likely", "passages"), ("pack", "enough", "windows")] {
        let (found, expected) = (asked(&with, command), asked(&without, command));
        assert_eq!(found[flag], json!(false), "{command}");
        for part in [flag, "notices", parts] {
            assert_eq!(found[part], expected[part], "{command}");
        }
    }
}

#[test]
fn folders_are_listed_by_the_tags_that_their_notes_carry_now() {
    let home = home(&[("A/n.md", "x #kept\n"), ("B/n.md", "x #kept\n")]);
    home.index();
    home.write_note("A/n.md", "x\n\n> [!private]\n> #kept\n");
    let listed = home.json(&["list", "--folders", "--tag", "kept"]);
    assert_eq!(listed["folders"], json!(["B"]));
}
