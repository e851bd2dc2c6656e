//! `obsearch index` over a vault that changes: the least work, the right answers, and a public
//! tree that forgets what is no longer public.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault behind the index")]

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Dice, Home, names_in, paths};
use crate::flips::{CANARIES, FLIPS, NOTE, RULES, TAILS, configure, home, rename, show_text};

/// What a run did to a tree: notes now, added, changed, removed.
fn done(tree: &Value) -> [u64; 4] {
    ["notes", "added", "changed", "removed"].map(|key| tree[key].as_u64().unwrap())
}

type Change = fn(&Home);

#[test]
fn only_what_changed_is_done() {
    let home = home();
    let rows: [(&str, Change, [u64; 4], [u64; 4]); 11] = [
        ("first", |_| {}, [4, 4, 0, 0], [5, 5, 0, 0]),
        ("nothing", |_| {}, [4, 0, 0, 0], [5, 0, 0, 0]),
        ("touch", |home| home.write_note("b.md", &home.read("Notes/b.md")), [4, 0, 0, 0], [5, 0, 0, 0]),
        ("edit", |home| home.write_note("b.md", "# Banana\n\nGreen.\n"), [4, 0, 1, 0], [5, 0, 1, 0]),
        ("edit a private note", |home| home.write_note("journal/today.md", "x"), [4, 0, 0, 0], [5, 0, 1, 0]),
        ("rename", |home| rename(home, "b.md", "folder/bb.md"), [4, 1, 0, 1], [5, 1, 0, 1]),
        ("new", |home| home.write_note("folder/new/d.md", "Date"), [5, 1, 0, 0], [6, 1, 0, 0]),
        ("new private note", |home| home.write_note("journal/new.md", "x"), [5, 0, 0, 0], [7, 1, 0, 0]),
        (
            "delete",
            |home| fs::remove_file(home.path("Notes/folder/new/d.md")).unwrap(),
            [4, 0, 0, 1],
            [6, 0, 0, 1],
        ),
        ("same size and time", edit_unseen, [4, 0, 1, 0], [6, 0, 1, 0]),
        ("nothing again", |_| {}, [4, 0, 0, 0], [6, 0, 0, 0]),
    ];
    for (what, change, public, full) in rows {
        change(&home);
        assert_eq!(home.index().each_ref().map(done), [public, full], "{what}");
    }
    assert_eq!(home.found("yellow", &[]), [""; 0]);
    assert_eq!(home.found("green", &[]), ["folder/bb.md"]);
    assert_eq!(home.found("date", &[]), [""; 0]);
}

/// Other words of the same length, and the time of modification put back.
fn edit_unseen(home: &Home) {
    let path = home.path("Notes/a.md");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    home.write_note("a.md", &home.read("Notes/a.md").replace("Red", "Big"));
    fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

#[test]
fn links_follow_notes_that_come_and_go() {
    let home = home();
    let ends = |direction: &str, note: &str| -> Value {
        let answer = home.json(&["links", note, "--direction", direction]);
        let ends = answer[direction].as_array().unwrap();
        ends.iter().map(|end| end["path"].clone()).collect()
    };
    home.index();
    assert_eq!(ends("outgoing", "a.md"), json!(["b.md", "folder/target.md"]));
    assert_eq!(ends("backlinks", "a.md"), json!(["folder/c.md"]));
    rename(&home, "b.md", "folder/b.md");
    home.index();
    assert_eq!(ends("backlinks", "folder/b.md"), json!(["a.md", "folder/target.md"]));
    home.write_note("b.md", "# Nearer\n");
    home.index();
    assert_eq!(ends("backlinks", "b.md"), json!(["a.md", "folder/target.md"]));
    assert_eq!(home.run(&["links", "folder/b.md", "--direction", "backlinks"]).code, Some(1));
    fs::remove_file(home.path("Notes/b.md")).unwrap();
    home.index();
    assert_eq!(ends("backlinks", "folder/b.md"), json!(["a.md", "folder/target.md"]));
}

/// All that can be asked about the note, on the public profile.
fn ask_everything(home: &Home) -> String {
    let requests: [&[&str]; 16] = [
        &["search", "zqkbodox", "--json"],
        &["search", "vqktitol wzkaliax xqktagox yqkhedox", "--json"],
        &["search", "text", "--json", "--folder", "folder"],
        &["search", "text", "--json", "--tag", "xqktagox"],
        &["search", "round yellow small some text", "--full"],
        &["read", "folder/target.md"],
        &["read", "Vqktitol", "--json"],
        &["read", "Wzkaliax", "--json"],
        &["read", "[[target#Yqkhedox]]"],
        &["read", "target#^block"],
        &["list", "--json"],
        &["list", "--tag", "xqktagox"],
        &["tags", "--json"],
        &["links", "a.md", "--json"],
        &["links", "b.md", "--json"],
        &["links", "target", "--json"],
    ];
    let answers = requests.map(|request| format!("{request:?}\n{}", home.run(request).transcript()));
    answers.concat()
}

/// The canaries in the answers, without the questions.
fn told(answers: &str) -> Vec<&'static str> {
    let answers: Vec<String> =
        answers.lines().filter(|line| !line.starts_with("[\"")).map(str::to_lowercase).collect();
    CANARIES.into_iter().filter(|canary| answers.iter().any(|line| line.contains(canary))).collect()
}

#[test]
fn a_note_that_turned_private_is_gone_at_once() {
    for flip in FLIPS {
        let home = home();
        home.index();
        let before = ask_everything(&home);
        assert_eq!(told(&before), CANARIES, "{}", flip.name);
        (flip.hide)(&home);
        let hidden = ask_everything(&home);
        assert_eq!(told(&hidden), [""; 0], "{}:\n{hidden}", flip.name);
        (flip.show)(&home);
        assert_eq!(ask_everything(&home), before, "{}", flip.name);
    }
}

#[test]
fn a_note_that_turned_private_leaves_no_byte_in_the_public_tree() {
    for flip in FLIPS {
        let home = home();
        home.index();
        let before = ask_everything(&home);
        assert_eq!(home.words_in_tree("public", &TAILS), TAILS, "{}", flip.name);
        (flip.hide)(&home);
        let [public, full] = home.index();
        assert!(public["removed"].as_u64() >= Some(1), "{}: {public}", flip.name);
        assert_eq!(home.words_in_tree("public", &TAILS), [""; 0], "{}", flip.name);
        assert_eq!(told(&ask_everything(&home)), [""; 0], "{}", flip.name);
        assert!(full["notes"].as_u64() >= Some(5), "{}", flip.name);
        assert_ne!(home.found("zqkbodox", &["--profile", "full"]), [""; 0], "{}", flip.name);
        (flip.show)(&home);
        home.index();
        assert_eq!(without_time(&ask_everything(&home)), without_time(&before), "{}", flip.name);
    }
}

#[test]
fn a_vault_of_private_notes_alone_is_no_vault_that_vanished() {
    let home = Home::words_only(&[("folder/target.md", NOTE)], RULES);
    home.index();
    configure(&home, &RULES.replace("journal", "folder"));
    let [public, full] = home.index();
    assert_eq!((&public["notes"], &full["notes"]), (&json!(0), &json!(1)));
    assert_eq!(home.words_in_tree("public", &TAILS), [""; 0]);
    // One that did vanish keeps its index.
    fs::rename(home.path("Notes/folder"), home.path("Elsewhere")).unwrap();
    let refused = home.run(&["index", "--quiet"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("nothing was removed"), "{refused:?}");
    fs::rename(home.path("Elsewhere"), home.path("Notes/folder")).unwrap();
    assert_eq!(done(&home.index()[1]), [1, 0, 0, 0]);
}

/// Answers of two indexes differ in when they were built.
fn without_time(answers: &str) -> String {
    let lines = answers.lines().filter(|line| !line.contains("\"indexed_at\""));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn a_note_that_a_new_link_makes_private_leaves_no_byte_in_the_public_tree() {
    let home = home();
    home.index();
    std::os::unix::fs::symlink("../folder", home.path("Notes/journal/link")).unwrap();
    assert_eq!(told(&ask_everything(&home)), [""; 0]);
    home.index();
    assert_eq!(home.words_in_tree("public", &TAILS), [""; 0]);
}

#[test]
fn what_a_killed_rebuild_left_is_forgotten_too() {
    let home = home();
    home.index();
    home.run(&["index", "--rebuild"]);
    // One was killed before it was done, another before it had removed the tree it replaced.
    let left = ["gen-000001.db", "gen-000001.db.verified", "gen-000002.db.damaged", "gen-000003.db.building"];
    let left = left.map(|name| home.tree("public").with_file_name(name));
    for path in &left {
        fs::copy(home.tree("public"), path).unwrap();
    }
    assert!(home.tree("public").ends_with("gen-000002.db"));
    (FLIPS[2].hide)(&home);
    home.index();
    assert_eq!(home.words_in_tree("public", &TAILS), [""; 0]);
    assert!(left.iter().all(|path| !path.exists()));
}

#[test]
fn a_kill_in_the_middle_of_forgetting_leaves_no_byte_for_long() {
    let home = home();
    for number in 0..60 {
        home.write_note(
            &format!("filler/{number}.md"),
            &format!("# Filler {number}\n\n{}", "oats and rye ".repeat(60)),
        );
    }
    home.index();
    let mut dice = Dice::new(1);
    for round in 0..12 {
        show_text(&home);
        let began = Instant::now();
        home.index();
        let whole_run = began.elapsed();
        // Half of the runs are killed while they build a tree that still holds the note.
        let arguments: &[&str] = if round % 2 == 0 { &["index", "--rebuild"] } else { &["index"] };
        if round % 2 == 1 {
            (FLIPS[2].hide)(&home);
        }
        kill_after(&home, arguments, whole_run.mul_f64(dice.below(100) as f64 / 100.0));
        (FLIPS[2].hide)(&home);
        home.index();
        assert_eq!(home.words_in_tree("public", &TAILS), [""; 0], "round {round}");
    }
}

fn kill_after(home: &Home, arguments: &[&str], time: Duration) {
    let mut command = home.command(arguments);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(time);
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn a_rebuild_is_a_new_tree_with_the_same_answers() {
    let home = home();
    home.index();
    let (old, answers) = (home.tree("public"), ask_everything(&home));
    for tree in home.json(&["index", "--rebuild"])["trees"].as_array().unwrap() {
        assert_eq!(tree["rebuilt"], json!("asked for"));
        assert_eq!(tree["added"], tree["notes"]);
    }
    assert_ne!(home.tree("public"), old);
    assert!(!old.exists());
    assert_eq!(without_time(&ask_everything(&home)), without_time(&answers));
}

#[test]
fn trees_are_their_owners_alone_and_share_no_file() {
    let home = home();
    home.index();
    home.found("apple", &[]);
    let stores = home.path(".local/share/obsearch");
    let store = names_in(&stores).into_iter().find(|name| stores.join(name).is_dir()).unwrap();
    let store = format!(".local/share/obsearch/{store}");
    for folder in [".local/share/obsearch", &store, &format!("{store}/public"), &format!("{store}/full")] {
        assert_eq!(home.mode(folder), 0o700, "{folder}");
    }
    let files: Vec<_> = ["public", "full"].iter().flat_map(|profile| home.tree_files(profile)).collect();
    for file in &files {
        assert_eq!(home.mode(file.strip_prefix(home.path("")).unwrap().to_str().unwrap()), 0o600, "{file:?}");
    }
    let inodes: std::collections::BTreeSet<u64> =
        files.iter().map(|file| std::os::unix::fs::MetadataExt::ino(&fs::metadata(file).unwrap())).collect();
    assert_eq!(inodes.len(), files.len());
    assert_eq!(home.words_in_tree("public", &["today"]), [""; 0]);
    assert_eq!(home.words_in_tree("full", &["today"]), ["today"]);
}

#[test]
fn runs_that_begin_together_agree_on_the_vault() {
    for round in 0..8 {
        let home = home();
        let runs: Vec<_> = (0..6)
            .map(|_| {
                let mut command = home.command(&["index", "--quiet"]);
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for run in runs {
            let output = run.wait_with_output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let is_locked = said.contains("Another obsearch is writing this index");
            assert!(output.status.success() || is_locked, "round {round}: {said}");
        }
        assert_eq!(home.found("yellow", &[]), ["b.md"], "round {round}");
        assert_eq!(home.index().each_ref().map(|tree| tree["rebuilt"].clone()), [json!(null), json!(null)]);
    }
}

#[test]
fn searches_while_trees_are_replaced() {
    let home = home();
    home.index();
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while began.elapsed() < Duration::from_secs(2) {
                    assert_eq!(home.found("yellow", &[]), ["b.md"]);
                }
            });
        }
        while began.elapsed() < Duration::from_secs(2) {
            home.json(&["index", "--rebuild"]);
        }
    });
}

#[test]
fn one_profile_at_a_time() {
    let home = home();
    let trees = home.json(&["index", "--profile", "public"]);
    assert_eq!(trees["trees"].as_array().unwrap().len(), 1);
    assert_eq!(done(&trees["trees"][0]), [4, 4, 0, 0]);
    assert_eq!(home.tree_files("full"), [""; 0].map(std::path::PathBuf::from));
    let status = |profile: &str| home.json(&["status", "--profile", profile])["state"].clone();
    assert_eq!([status("public"), status("full")], [json!("ready"), json!("missing")]);
    // Without its tree, the full profile is searched note by note; the public tree is no help.
    let answer = home.json(&["search", "today", "--profile", "full"]);
    assert_eq!(paths(&answer), ["journal/today.md"]);
    assert!(answer["notices"].to_string().contains("there is no index under these rules yet"), "{answer}");
    let trees = home.json(&["index", "--profile", "full"]);
    assert_eq!(done(&trees["trees"][0]), [5, 5, 0, 0]);
    assert_eq!(status("full"), json!("ready"));
}

/// A vault whose vectors take a while.
fn slow_home(notes: usize) -> Home {
    let home = Home::with_vault(&[], "folders = [\"journal\"]\n[embeddings]\nmodel = \"english\"");
    let words = ["river", "stone", "bread", "lamp", "chair", "grass", "wheel", "paper", "cloud", "kettle"];
    let mut dice = Dice::new(7);
    for number in 0..notes {
        let text: Vec<&str> = (0..15).map(|_| dice.choose(&words)).collect();
        home.write_note(&format!("{number}.md"), &format!("# Note {number}\n\n{}\n", text.join(" ")));
    }
    home.write_note("journal/private.md", "# Private\n\nA day at the lake.\n");
    home
}

#[test]
fn a_text_of_both_trees_is_embedded_once() {
    let home = slow_home(5);
    let [public, full] = home.index();
    assert_eq!((&public["chunks"], &public["embedded"]), (&json!(5), &json!(5)));
    assert_eq!((&full["chunks"], &full["embedded"]), (&json!(6), &json!(1)));
    for tree in [public, full] {
        assert_eq!(
            (&tree["pending_vectors"], &tree["model"]),
            (&json!(0), &json!("all-minilm-l6-v2")),
            "{tree}"
        );
    }
    let answer = home.json(&["search", "a trip to the water", "--profile", "full", "--mode", "semantic"]);
    assert_eq!(paths(&answer)[0], "journal/private.md");
}

#[test]
fn a_run_killed_while_it_embeds_is_taken_up_again() {
    let home = slow_home(300);
    let mut command = home.command(&["index", "--json"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pending = || -> u64 {
        let status = home.run(&["status", "--json"]);
        if status.code == Some(0) { status.json()["pending_vectors"].as_u64().unwrap() } else { 0 }
    };
    let began = Instant::now();
    while !(1..300).contains(&pending()) && began.elapsed() < Duration::from_mins(1) {
        assert!(run.try_wait().unwrap().is_none(), "the run ended before it was killed");
        thread::sleep(Duration::from_millis(10));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let left = pending();
    assert!((1..300).contains(&left), "{left}");
    assert_eq!(home.json(&["status"])["state"], json!("embedding"));
    let answer = home.json(&["search", "note 299 kettle"]);
    assert!(answer["notices"].to_string().contains("some passages have no vector yet"), "{answer}");
    assert!(paths(&answer).contains(&"299.md".to_owned()), "{answer}");
    let [public, full] = home.index();
    assert_eq!((&public["added"], &public["embedded"]), (&json!(0), &json!(left)));
    assert_eq!([&public["pending_vectors"], &full["pending_vectors"]], [&json!(0), &json!(0)]);
    assert_eq!(home.json(&["status"])["state"], json!("ready"));
}
