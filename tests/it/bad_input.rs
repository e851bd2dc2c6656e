//! What is missing, broken, locked, full or forbidden: each gives one clear sentence and a line of
//! what to do, and loses nothing.
#![expect(clippy::disallowed_methods, reason = "a test breaks files on purpose")]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;

use crate::common::{Dice, Home, Output, is_root, names_in, paths, seeds};

const RULES: &str = "folders = [\"journal\"]";

/// Some notes, each with a word of its own.
const WORDS: [&str; 12] = [
    "anise", "basil", "caraway", "dill", "endive", "fennel", "garlic", "hyssop", "juniper", "kale", "lovage",
    "mint",
];

fn home() -> Home {
    let home = Home::words_only(&[("journal/private.md", "# Private\n\nzqprivate thoughts\n")], RULES);
    for word in WORDS {
        let text = format!(
            "---\ntags: [herb]\n---\n# Note\n\nAll about {word}, see [[mint]].\n\n## More\n\n{}\n",
            "text ".repeat(90)
        );
        home.write_note(&format!("{word}.md"), &text);
    }
    home
}

/// One of the words finds its note and nothing else.
fn assert_right(home: &Home, word: &str, context: &str) {
    assert_eq!(home.found(word, &[])[0], format!("{word}.md"), "{context}");
}

#[test]
fn a_vault_that_is_not_there() {
    let home = home();
    home.index();
    fs::rename(home.vault(), home.path("Elsewhere")).unwrap();
    let requests: [&[&str]; 6] =
        [&["index"], &["search", "anise"], &["read", "anise"], &["list"], &["tags"], &["links", "anise"]];
    for request in requests {
        let output = home.run(request);
        output.assert_refused();
        assert!(output.stderr.contains("~/Notes"), "{output:?}");
    }
    home.write("Notes", "a file");
    home.run(&["index"]).assert_refused();
    fs::remove_file(home.vault()).unwrap();
    fs::rename(home.path("Elsewhere"), home.vault()).unwrap();
    assert_right(&home, "anise", "back again");
}

#[test]
fn an_empty_vault() {
    let home = Home::words_only(&[], RULES);
    for tree in home.index() {
        assert_eq!((&tree["notes"], &tree["skipped"]), (&json!(0), &json!([])));
    }
    for request in [&["search", "anise"][..], &["list"], &["tags"], &["read", "anise"], &["links", "anise"]] {
        let output = home.run(request);
        assert_eq!((output.code, &*output.stdout), (Some(1), ""), "{output:?}");
        assert!(!output.stderr.is_empty(), "{output:?}");
    }
    assert_eq!(home.json(&["status"])["state"], json!("ready"));
}

#[test]
fn a_vault_without_permission() {
    let home = home();
    home.set_mode("Notes", 0o000);
    for request in [&["index"][..], &["search", "anise"], &["list"]] {
        let Some(mut command) = home.command_of_plain_user(request) else { return };
        home.output(&mut command).assert_refused();
    }
    home.set_mode("Notes", 0o755);
}

#[test]
fn notes_in_other_encodings() {
    let home = home();
    fs::write(home.path("Notes/latin.md"), b"# Caf\xe9\n\nna\xefve zebra\n").unwrap();
    fs::write(home.path("Notes/binary.md"), b"zebra\0zebra").unwrap();
    fs::write(home.path("Notes/secret.md"), b"---\nprivate: caf\xe9\n---\nzebra").unwrap();
    let utf16: Vec<u8> = "\u{feff}# Wide\n\nzebra".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(home.path("Notes/wide.md"), utf16).unwrap();
    home.configure("[vault]\npath = \"~/Notes\"\n[privacy]\nfrontmatter_flag = \"private\"\n[embeddings]\nbackend = \"none\"\n");
    let [public, _] = home.index();
    let skipped = json!([
        { "reason": "private", "count": 1, "examples": ["secret.md"] },
        { "reason": "not_text", "count": 1, "examples": ["binary.md"] },
    ]);
    assert_eq!(public["skipped"], skipped);
    let mut found = home.found("zebra", &[]);
    found.sort();
    assert_eq!(found, ["latin.md", "wide.md"]);
    assert_eq!(home.json(&["read", "Café"])["text"], json!("# Café\n\nnaïve zebra"));
}

#[test]
fn a_note_far_too_large() {
    let home = home();
    File::create(home.path("Notes/huge.md")).unwrap().set_len(300 * 1024 * 1024).unwrap();
    home.write_note("solid.md", &"zebra ".repeat(3_000_000));
    let began = Instant::now();
    let [public, _] = home.index();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let skipped = json!([
        { "reason": "private", "count": 1, "examples": ["journal/private.md"] },
        { "reason": "too_large", "count": 2, "examples": ["huge.md", "solid.md"] },
    ]);
    assert_eq!(public["skipped"], skipped);
    assert_eq!(home.run(&["read", "huge"]), home.run(&["read", "no such note"]));
    assert_right(&home, "anise", "beside a huge note");
}

/// Texts that broke parsers of queries, names and patterns.
fn nasty_texts() -> Vec<String> {
    let texts = [
        "\"",
        "'",
        "\\",
        "*",
        "**",
        "(",
        ")",
        "()",
        "AND",
        "OR NOT",
        "NEAR(a b)",
        "NEAR(",
        "title:x",
        "title : x",
        "^a",
        "a^",
        "-",
        "--",
        "+a",
        "a*b",
        "{a}",
        ":",
        ";",
        "%",
        "_",
        "%00",
        "\u{1}",
        "\u{feff}",
        "\u{202e}abc",
        "👩\u{200d}👧",
        "ß",
        "İ",
        "\u{301}",
        "[[",
        "]]",
        "[[]]",
        "[[|]]",
        "![[x",
        "#",
        "##",
        "#^",
        "a#",
        "a#^",
        "#a#b",
        "/",
        "//",
        "./",
        "../..",
        "~",
        "a/",
        "/a",
        ".md",
        "\n",
        "\t",
        "a\nb",
        "DROP TABLE note",
        "'; DELETE FROM note; --",
        "NULL",
        "0",
        "-1",
        "1e999",
        "\u{10ffff}",
        "図",
        "图书馆*",
    ];
    let long = ["word ", "\"", "(", "[[", "图", "a*", "../", "#"].map(|text| text.repeat(4000));
    texts.iter().map(|text| (*text).to_owned()).chain(long).collect()
}

#[test]
fn texts_of_any_kind_are_answered() {
    let home = home();
    for (round, step) in [("no index", 5), ("index", 1)] {
        for text in nasty_texts().into_iter().step_by(step) {
            let option = |name: &str| format!("--{name}={text}");
            let [folder, tag, section, block, cursor] =
                ["folder", "tag", "section", "block", "cursor"].map(option);
            let requests: [&[&str]; 7] = [
                &["search", "--", &text],
                &["search", "--mode", "keyword", "--json", &folder, &tag, "anise"],
                &["read", "--", &text],
                &["read", "anise", &section],
                &["read", "anise", &block],
                &["links", "--", &text],
                &["list", &tag, &cursor, "--", &text],
            ];
            for request in requests {
                let output = home.run(request);
                let is_fine = matches!(output.code, Some(0 | 1)) || output.is_refused();
                assert!(is_fine, "{round}: {request:?}: {output:?}");
                assert!(!output.stderr.contains("panicked"), "{round}: {request:?}: {output:?}");
            }
        }
        home.index();
    }
}

#[test]
fn a_broken_configuration() {
    let home = home();
    home.index();
    let good = home.read(".config/obsearch/config.toml");
    let broken = [
        "",
        "[vault",
        "[vault]\npath = 3\n",
        "[privacy]\nfolder = [\"journal\"]\n",
        "\u{0}",
        "[vault]\npath = \"~/No\"\n",
        "[vault]\npath = \"~/Notes\"\n[privacy]\nfolders = [\"[\"]\n",
        "[vault]\npath = \"~/Notes\"\n[embeddings]\nbackend = \"magic\"\n",
    ];
    for text in broken {
        home.configure(text);
        for request in
            [&["index"][..], &["search", "anise"], &["read", "anise"], &["list"], &["tags"], &["status"]]
        {
            home.run(request).assert_refused();
        }
    }
    home.configure(&good);
    assert_right(&home, "anise", "mended");
}

#[test]
fn an_index_that_another_process_writes() {
    let home = home();
    home.index();
    for profile in ["public", "full"] {
        let lock = File::open(home.tree(profile).with_file_name("lock")).unwrap();
        lock.lock().unwrap();
        let refused = home.run(&["index", "--quiet"]);
        refused.assert_refused();
        assert!(refused.stderr.contains("Another obsearch is writing this index."), "{refused:?}");
        assert_right(&home, "anise", "while another process writes");
        drop(lock);
        home.index();
    }
}

/// Either the right answer or a clear error; never nothing found.
fn assert_right_or_refused(home: &Home, word: &str, context: &str) -> bool {
    let output = home.run(&["search", "--json", "--mode", "keyword", word]);
    if output.code == Some(0) {
        let found = paths(&output.json());
        assert_eq!(found.first(), Some(&format!("{word}.md")), "{context}: {output:?}");
        return true;
    }
    assert_refused_as_damaged(&output, context);
    false
}

fn assert_refused_as_damaged(output: &Output, context: &str) {
    output.assert_refused();
    assert!(output.stderr.contains("`obsearch index`"), "{context}: {output:?}");
}

/// Breaks both trees in one way, looks at the answers, and lets `index` heal them.
fn check_damage(home: &Home, context: &str, damage: &mut dyn FnMut(&mut Vec<u8>)) {
    let healthy = home.json(&["list"]);
    for profile in ["public", "full"] {
        let tree = home.tree(profile);
        let mut bytes = fs::read(&tree).unwrap();
        damage(&mut bytes);
        fs::write(&tree, bytes).unwrap();
    }
    for word in WORDS {
        assert_right_or_refused(home, word, context);
    }
    for request in [&["list"][..], &["tags"], &["links", "mint"], &["read", "mint"], &["status"]] {
        let output = home.run(request);
        if output.code != Some(0) {
            assert_refused_as_damaged(&output, context);
        }
    }
    let damaged = home.tree("public");
    let healed = home.run(&["index", "--json"]);
    assert_eq!(healed.code, Some(0), "{context}: {healed:?}");
    // A server that has the damaged tree open sees by its name that there is another one.
    let is_rebuilt = healed.json()["trees"][0]["rebuilt"].is_string();
    assert_eq!(home.tree("public") != damaged, is_rebuilt, "{context}");
    for word in WORDS {
        assert_right(home, word, context);
    }
    assert_eq!(home.json(&["list"]), healthy, "{context}");
    assert_eq!(home.words_in_tree("public", &["zqprivate"]), [""; 0], "{context}");
}

#[test]
fn a_tree_that_lost_its_end() {
    let home = home();
    home.index();
    for keep in [0, 1, 15, 16, 100, 4095, 4096, 8192, 40_000, 80_000] {
        check_damage(&home, &format!("{keep} bytes left"), &mut |bytes| bytes.truncate(keep));
    }
}

#[test]
fn a_tree_of_garbage() {
    let home = home();
    home.index();
    let mut dice = Dice::new(3);
    check_damage(&home, "text", &mut |bytes| *bytes = b"this is no database".repeat(400));
    check_damage(&home, "zeros", &mut |bytes| bytes.fill(0));
    check_damage(&home, "noise", &mut |bytes| dice.fill(bytes));
    for page in 0..12 {
        check_damage(&home, &format!("noise in page {page}"), &mut |bytes| {
            let page = bytes.chunks_mut(4096).nth(page).unwrap();
            dice.fill(page);
        });
    }
}

#[test]
fn a_tree_with_one_bit_wrong() {
    let home = home();
    home.index();
    for seed in seeds(20) {
        let mut dice = Dice::new(seed);
        check_damage(&home, &format!("bit of seed {seed}"), &mut |bytes| {
            let at = dice.below(bytes.len());
            bytes[at] ^= 1 << dice.below(8);
        });
    }
}

#[test]
fn an_inverted_index_with_a_part_missing() {
    let home = home();
    home.index();
    for sql in [
        "DELETE FROM words_idx",
        "DELETE FROM words_data WHERE id > 10",
        "UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10",
        "UPDATE words_data SET block = zeroblob(length(block))",
        "DELETE FROM words_docsize",
    ] {
        for profile in ["public", "full"] {
            Connection::open(home.tree(profile)).unwrap().execute(sql, []).unwrap();
        }
        check_damage(&home, sql, &mut |_| {});
    }
}

#[test]
fn a_full_tree_in_the_public_place() {
    let home = home();
    home.index();
    fs::copy(home.tree("full"), home.tree("public")).unwrap();
    for request in [&["search", "zqprivate"][..], &["list"], &["tags"], &["links", "mint"], &["status"]] {
        let output = home.run(request);
        assert_refused_as_damaged(&output, "full tree");
        assert!(!output.stderr.contains("private"), "{output:?}");
    }
    let [public, _] = home.index();
    assert_eq!(public["rebuilt"], json!("the index was not this vault's"));
    assert_right(&home, "anise", "healed");
    assert_eq!(home.words_in_tree("public", &["zqprivate"]), [""; 0]);
}

#[test]
fn a_tree_of_another_vault() {
    let (home, other) = (home(), home_of_another_vault());
    home.index();
    other.index();
    fs::copy(other.tree("public"), home.tree("public")).unwrap();
    assert_refused_as_damaged(&home.run(&["search", "anise"]), "foreign tree");
    home.index();
    assert_right(&home, "anise", "healed");
    assert_eq!(home.found("foreignword", &[]), [""; 0]);
}

fn home_of_another_vault() -> Home {
    Home::words_only(&[("anise.md", "foreignword")], "")
}

#[test]
fn a_tree_of_another_format() {
    let home = home();
    home.index();
    for version in [0, 99] {
        for profile in ["public", "full"] {
            let connection = Connection::open(home.tree(profile)).unwrap();
            connection.pragma_update(None, "user_version", version).unwrap();
        }
        assert_right(&home, "anise", "searched note by note");
        let answer = home.run(&["search", "anise"]);
        assert!(answer.stderr.contains("`obsearch index`"), "{answer:?}");
        let [public, _] = home.index();
        assert_eq!(public["rebuilt"], json!("the format of the index changed"));
        assert_right(&home, "anise", "built anew");
    }
}

/// Takes a file system away again, even when a test fails.
struct Mounted<'h>(&'h Home, &'static str);

impl<'h> Mounted<'h> {
    /// A file system of so many KiB at a folder of the home; `None`, with a message, where that is
    /// not allowed.
    fn new(home: &'h Home, folder: &'static str, kib: usize) -> Option<Self> {
        fs::create_dir_all(home.path(folder)).unwrap();
        let size = format!("size={kib}k,mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(home.path(folder));
        let is_mounted = is_root() && mount.output().is_ok_and(|output| output.status.success());
        if !is_mounted {
            eprintln!("skipped: a small file system cannot be mounted here");
        }
        is_mounted.then(|| Mounted(home, folder))
    }

    fn used_kib(&self) -> u64 {
        let state = rustix::fs::statvfs(self.0.path(self.1)).unwrap();
        (state.f_blocks - state.f_bfree) * state.f_frsize / 1024
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        let status = mount.args(["-o", &format!("remount,{options}")]).arg(self.0.path(self.1)).status();
        assert!(status.unwrap().success(), "{options}");
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path(self.1)).status();
    }
}

const DATA: &str = ".local/share";

#[test]
fn a_disk_without_room_for_a_first_index() {
    for kib in [4, 8, 16, 28, 40, 60, 80, 100, 120, 140, 160, 200, 240, 320] {
        let home = home();
        let Some(disk) = Mounted::new(&home, DATA, kib) else { return };
        let output = home.run(&["index", "--quiet"]);
        if output.code != Some(0) {
            output.assert_refused();
            assert!(output.stderr.contains("isk is full"), "{kib}: {output:?}");
        }
        // Words are found with what there is, or note by note.
        let output = home.run(&["search", "anise"]);
        if output.code != Some(0) {
            output.assert_refused();
            assert!(output.stderr.contains("isk is full"), "{kib}: {output:?}");
        }
        let data = home.path(".local/share/obsearch");
        let left = if data.is_dir() { names_in(&data) } else { Vec::new() };
        assert!(!left.iter().any(|name| name.starts_with("key.")), "{left:?}");
        disk.remount("size=8m");
        home.index();
        assert_right(&home, "anise", "room again");
        let identity = fs::read_to_string(home.tree("public").ancestors().nth(2).unwrap().join("identity"));
        assert_eq!(identity.unwrap().lines().count(), 2, "{kib}");
    }
}

#[test]
fn a_disk_without_room_for_more() {
    for kib in [4, 12, 40, 90, 150, 220] {
        let home = home();
        let Some(disk) = Mounted::new(&home, DATA, 8192) else { return };
        home.index();
        disk.remount(&format!("size={}k", disk.used_kib() + kib));
        for arguments in [&["index", "--quiet", "--rebuild"][..], &["index", "--quiet"]] {
            home.write_note("new.md", &"zebra and more words ".repeat(4000));
            let output = home.run(arguments);
            if output.code != Some(0) {
                output.assert_refused();
                assert!(output.stderr.contains("isk is full"), "{kib}: {output:?}");
            }
            assert_right(&home, "anise", &format!("{kib} KiB of room"));
        }
        disk.remount("size=8m");
        home.index();
        assert_eq!(home.found("zebra", &[])[0], "new.md", "{kib} KiB, room again");
    }
}

#[test]
fn a_data_folder_that_cannot_be_written() {
    let home = home();
    home.index();
    let before = home.json(&["search", "anise"]);
    let Some(disk) = Mounted::new(&home, "read-only", 8192) else { return };
    let copied = Command::new("cp")
        .arg("-a")
        .arg(home.path(".local/share/obsearch"))
        .arg(home.path("read-only"))
        .status();
    assert!(copied.unwrap().success());
    disk.remount("ro");
    let run = |arguments: &[&str]| {
        let mut command = home.command(arguments);
        home.output(command.env("XDG_DATA_HOME", home.path("read-only")))
    };
    assert_eq!(run(&["search", "anise", "--json"]).json(), before);
    assert_eq!(run(&["status"]).code, Some(0));
    run(&["index", "--quiet"]).assert_refused();
}

#[test]
fn a_data_folder_that_may_not_be_written() {
    let home = home();
    let Some(mut command) = home.command_of_plain_user(&["index", "--json"]) else { return };
    assert_eq!(home.output(&mut command).code, Some(0));
    let folders = ["public", "full"].map(|profile| home.tree(profile).parent().unwrap().to_owned());
    for file in home.tree_files("public") {
        if file.to_string_lossy().ends_with("-shm") || file.to_string_lossy().ends_with("-wal") {
            fs::remove_file(file).unwrap();
        }
    }
    let forbid = |mode: u32| {
        folders
            .iter()
            .for_each(|folder| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap());
    };
    forbid(0o500);
    let run = |arguments: &[&str]| home.output(&mut home.command_of_plain_user(arguments).unwrap());
    assert_eq!(paths(&run(&["search", "anise", "--json"]).json())[0], "anise.md");
    home.write_note("new.md", "zebra");
    run(&["index", "--quiet"]).assert_refused();
    assert_eq!(paths(&run(&["search", "anise", "--json"]).json())[0], "anise.md");
    forbid(0o700);
    assert_eq!(run(&["index", "--quiet"]).code, Some(0));
    assert_eq!(paths(&run(&["search", "zebra", "--json"]).json()), ["new.md"]);
}
