//! Cases that take several steps, or that need more than words.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault behind the index")]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::expectations::{Case, check, check_answers, check_bytes};
use crate::common::{Dice, Home, names_in, paths};

#[test]
fn a_rename_that_changes_only_case() {
    let Some(case) = Case::open("10-case-only-rename") else { return };
    case.home.index();
    case.set_up();
    let [public, _] = case.home.index();
    assert_eq!((&public["added"], &public["removed"]), (&json!(1), &json!(1)));
    check_answers(&case, case.expected.after.as_ref().unwrap());
    check_answers(&case, &case.expected);
}

#[test]
fn text_that_names_private_notes_stays_as_written() {
    let Some(case) = Case::open("36-private-folder") else { return };
    check(&case);
    // What stands in a public note is public; but links to a private note and to a missing one
    // are the same.
    let read = case.home.json(&["read", "public.md"]);
    let written = "See [[private/diary]] and ![[private/diary#Monday]] and [[salary]]. Public spelt.";
    assert!(read["text"].as_str().unwrap().contains(written), "{read}");
    let links = case.home.json(&["links", "public.md"]);
    assert_eq!(links["unresolved"], json!(["private/diary", "salary"]));
    remove_all(&case.home, &["private", "salary.md", "nested.md"]);
    assert_eq!(case.home.json(&["links", "public.md"]), links);
}

#[test]
fn one_unreadable_folder() {
    let Some(case) = Case::open("37-permission-denied") else { return };
    case.set_up();
    let Some(mut command) = case.home.command_of_plain_user(&["index", "--json"]) else { return };
    let indexed = case.home.output(&mut command);
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    let skipped = json!([{ "reason": "unreadable", "count": 1, "examples": ["locked"] }]);
    for tree in indexed.json()["trees"].as_array().unwrap() {
        assert_eq!((&tree["notes"], &tree["skipped"]), (&json!(2), &skipped));
    }
    let mut command = case.home.command_of_plain_user(&["search", "semolina", "--json"]).unwrap();
    assert_eq!(paths(&case.home.output(&mut command).json()), ["z.md"]);
    case.home.set_mode("Notes/locked", 0o700);
}

#[test]
fn a_vault_that_was_moved() {
    let Some(case) = Case::open("39-moved-vault") else { return };
    case.home.index();
    fs::rename(case.home.vault(), case.home.path("Elsewhere")).unwrap();
    case.home.configure("[vault]\npath = \"~/Elsewhere\"\n[embeddings]\nbackend = \"none\"\n");
    for tree in case.home.index() {
        let done = ["added", "changed", "removed", "embedded"].map(|key| tree[key].clone());
        assert_eq!(done, [json!(0), json!(0), json!(0), json!(0)]);
        assert_eq!(tree["rebuilt"], json!(null));
    }
    check_answers(&case, case.expected.after.as_ref().unwrap());
}

#[test]
fn notes_that_changed_behind_the_index() {
    let Some(case) = Case::open("40-ghost-notes") else { return };
    case.home.index();
    case.set_up();
    for gone in ["ghosttoken", "oldtoken"] {
        assert_eq!(case.home.found(gone, &[]), [""; 0], "{gone}");
    }
    assert_eq!(case.home.run(&["read", "ghost.md"]).code, Some(1));
    assert!(case.home.json(&["read", "edit.md"])["text"].as_str().unwrap().contains("newtoken"));
    case.home.index();
    check_answers(&case, case.expected.after.as_ref().unwrap());
}

#[test]
fn a_change_of_the_model() {
    let Some(case) = Case::with_embeddings("43-model-change", "model = \"english\"") else { return };
    case.home.index();
    let before = case.home.json(&["search", "pear"]);
    assert_eq!((&before["mode"], &before["notices"]), (&json!("hybrid"), &json!([])));
    case.configure("model = \"multilingual\"");
    let mismatch = case.home.json(&["search", "pear"]);
    assert_eq!((paths(&mismatch), &mismatch["mode"]), (vec!["a.md".to_owned()], &json!("keyword")));
    let says_so = |answer: &serde_json::Value| answer["notices"].to_string().contains("model mismatch");
    assert!(says_so(&mismatch) && says_so(&case.home.json(&["status"])), "{mismatch}");
    check_answers(&case, case.expected.after.as_ref().unwrap());
    // The vectors are still there.
    case.configure("model = \"english\"");
    assert_eq!(case.home.json(&["search", "pear"]), before);
    case.configure("model = \"multilingual\"");
    for tree in case.home.index() {
        assert_eq!(
            (&tree["rebuilt"], &tree["pending_vectors"]),
            (&json!("the embedding model changed"), &json!(0))
        );
    }
    assert_eq!(case.home.json(&["search", "pear"])["notices"], json!([]));
}

#[test]
fn nothing_is_embedded_twice() {
    let Some(case) = Case::with_embeddings("54-re-embed", "model = \"english\"") else { return };
    let embedded =
        || -> u64 { case.home.index().iter().map(|tree| tree["embedded"].as_u64().unwrap()).sum() };
    // The small sections of a note are one passage; a text of two trees is embedded once.
    assert_eq!(embedded(), 2);
    for note in ["a.md", "b.md"] {
        let text = case.home.read(&format!("Notes/{note}"));
        case.home.write_note(note, &text);
    }
    assert_eq!(embedded(), 0);
    fs::rename(case.home.path("Notes/a.md"), case.home.path("Notes/c.md")).unwrap();
    assert_eq!(embedded(), 0);
    let text = case.home.read("Notes/c.md");
    case.home.write_note("c.md", &text.replace("persimmon one", "persimmon first"));
    assert_eq!(embedded(), 1);
    check_answers(&case, case.expected.after.as_ref().unwrap());
}

#[test]
fn roots_written_in_many_ways() {
    let Some(case) = Case::open("48-windows-paths") else { return };
    case.home.index();
    let absolute = case.home.vault();
    for root in [absolute.to_str().unwrap(), "Notes", "Notes/", "Notes/.", "./Notes", "~/Notes"] {
        for tree in case.home.json(&["index", "--vault", root])["trees"].as_array().unwrap() {
            assert_eq!((&tree["notes"], &tree["added"]), (&json!(2), &json!(0)), "{root}");
        }
        assert_eq!(case.home.found("fig", &["--vault", root]), ["My Folder/Sub/Note one.md"]);
    }
    for name in ["My Notes", "Nötes ünïcödé"] {
        fs::rename(case.home.vault(), case.home.path(name)).unwrap();
        case.home.json(&["index", "--vault", name]);
        assert_eq!(case.home.found("fig", &["--vault", name]), ["My Folder/Sub/Note one.md"]);
        fs::rename(case.home.path(name), case.home.vault()).unwrap();
    }
}

#[test]
fn canvas_files_are_neither_listed_nor_named() {
    // The case wants canvas files indexed. The product serves Markdown only: what a canvas shows
    // are other notes, and no rule says which of its cards are private.
    let Some(case) = Case::open("51-canvas") else { return };
    let indexed = case.run(&["index", "--json"]);
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    let requests: [&[&str]; 8] = [
        &["list", "--json"],
        &["list", "--json", "--profile", "full"],
        &["search", "tangerine plan", "--json"],
        &["search", "nectarine clementine satsuma", "--json", "--profile", "full"],
        &["tags", "--json"],
        &["links", "note.md", "--json"],
        &["read", "good.canvas"],
        &["read", "good.canvas", "--profile", "full"],
    ];
    for request in requests {
        let output = case.run(request);
        assert!(!output.stdout.contains("canvas") && !output.stderr.contains("canvas"), "{output:?}");
        assert!(!output.stdout.to_lowercase().contains("tangerine"), "{output:?}");
    }
    assert_eq!(case.home.listed(&[]), ["note.md"]);
    assert!(!indexed.stdout.contains("canvas"), "{indexed:?}");
}

#[test]
fn comments_show_in_no_part_of_a_note() {
    let Some(case) = Case::open("52-comments") else { return };
    case.home.index();
    let parts: [&[&str]; 6] = [
        &["read", "n.md"],
        &["read", "n.md", "--json"],
        &["read", "n.md", "--lines", "1:9"],
        &["read", "n.md", "--lines", "6"],
        &["read", "n.md#N"],
        &["read", "n.md", "--outline", "--json"],
    ];
    for part in parts {
        assert_eq!(case.run(part).code, Some(0), "{part:?}");
    }
    for query in ["papaya shown", "zqcommentone", "zqcommenttwo zqtag zqlink", "zqcommentthree", "guava"] {
        case.run(&["search", "--full", query]);
        case.run(&["search", "--full", "--profile", "full", query]);
    }
    case.run(&["links", "n.md", "--json"]);
    check_bytes(&case);
    assert_eq!(case.home.words_in_tree("full", &["zqcommentone", "zqcommenttwo", "zqcommentthree"]), [""; 0]);
}

/// A vault that takes a moment to index.
fn busy_vault() -> Option<Case> {
    let case = Case::open("49-db-locked")?;
    for number in 0..150 {
        let text = format!(
            "# Filler {number}\n\nwheat {number} [[a]]\n\n## Part\n\n{}\n",
            "barley oat rye ".repeat(40)
        );
        case.home.write_note(&format!("filler/{number}.md"), &text);
    }
    Some(case)
}

#[test]
fn searches_while_two_runs_index() {
    let Some(case) = busy_vault() else { return };
    case.home.index();
    let home = &case.home;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let indexing = [["index", "--quiet"], ["index", "--rebuild"]].map(|arguments| {
            let is_over = &is_over;
            scope.spawn(move || finished_runs(home, &arguments, is_over))
        });
        let searching: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        assert_finds_grape(home);
                    }
                })
            })
            .collect();
        let changing = scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                home.write_note("filler/0.md", &format!("# Filler 0\n\nwheat {number} [[b]]\n"));
                number += 1;
                thread::sleep(Duration::from_millis(20));
            }
        });
        thread::sleep(Duration::from_secs(3));
        is_over.store(true, Ordering::Relaxed);
        searching.into_iter().chain([changing]).for_each(|thread| thread.join().unwrap());
        let runs: u32 = indexing.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert!(runs > 0, "no run came to its end");
    });
    home.index();
    assert_whole(home);
}

/// Indexes again and again; a run that meets the other one must say so.
fn finished_runs(home: &Home, arguments: &[&str], is_over: &AtomicBool) -> u32 {
    let mut finished = 0;
    while !is_over.load(Ordering::Relaxed) {
        let output = home.run(arguments);
        let is_locked = output.stderr.contains("Another obsearch is writing this index");
        assert!(output.code == Some(0) || is_locked, "{output:?}");
        finished += u32::from(output.code == Some(0));
    }
    finished
}

fn assert_finds_grape(home: &Home) {
    let output = home.run(&["search", "grape", "--json"]);
    assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{output:?}");
    assert_eq!(paths(&output.json()), ["a.md"], "{output:?}");
}

#[test]
fn runs_that_are_killed_leave_a_tree_that_works() {
    let Some(case) = busy_vault() else { return };
    let home = &case.home;
    let began = Instant::now();
    home.index();
    let whole_run = began.elapsed();
    let mut dice = Dice::new(49);
    for round in 0..20 {
        for number in 0..40 {
            home.write_note(
                &format!("filler/{number}.md"),
                &format!("# Filler {number}\n\nrye {round} [[b]]\n"),
            );
        }
        let arguments: &[&str] = dice.choose(&[&["index"], &["index", "--rebuild"]]);
        let mut run = home.command(arguments);
        let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(whole_run.mul_f64(dice.below(100) as f64 / 100.0));
        run.kill().unwrap();
        run.wait().unwrap();
        assert_eq!(home.found("grape", &[]), ["a.md"], "round {round}");
        assert_whole(home);
    }
    let [public, _] = home.index();
    assert_eq!((&public["notes"], &public["rebuilt"]), (&json!(152), &json!(null)));
    assert_eq!(home.found("grape", &[]), ["a.md"]);
    // What was left half done does not pile up: there is the tree, what stands beside it, and the lock.
    for profile in ["public", "full"] {
        let tree = home.tree(profile);
        let name = tree.file_name().unwrap().to_str().unwrap();
        let names = names_in(tree.parent().unwrap());
        assert!(names.iter().all(|found| found.starts_with(name) || found == "lock"), "{names:?}");
    }
}

/// SQLite finds no fault with either tree.
fn assert_whole(home: &Home) {
    for profile in ["public", "full"] {
        assert_eq!(integrity(&home.tree(profile)), "ok", "{profile}");
    }
}

fn integrity(tree: &Path) -> String {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(tree, flags).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

fn remove_all(home: &Home, names: &[&str]) {
    for path in names.iter().map(|name| home.vault().join(name)) {
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
}
