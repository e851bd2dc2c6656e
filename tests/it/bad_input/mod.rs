//! What is missing, broken, locked, full or forbidden: each gives one clear sentence and a line of
//! what to do, and loses nothing.
#![expect(clippy::disallowed_methods, reason = "a test breaks files on purpose")]

mod damage;
mod disk;

use std::fs::{self, File};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::Home;

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
    for request in [&["search", "anise"][..], &["list"], &["tags"]] {
        let output = home.run(request);
        output.assert_refused();
        assert!(output.stderr.contains("no notes at all"), "{output:?}");
    }
    for request in [["read", "anise"], ["links", "anise"]] {
        let output = home.run(&request);
        assert_eq!((output.code, &*output.stdout), (Some(1), ""), "{output:?}");
        assert!(!output.stderr.is_empty(), "{output:?}");
    }
    let status = home.json(&["status"]);
    assert_eq!(status["state"], json!("ready"));
    assert!(status["notices"][0].as_str().is_some_and(|notice| notice.contains("no notes")), "{status}");
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
