//! `obsearch privacy` and `obsearch doctor`: what the owner is told about the wall, and that no client is.
#![expect(clippy::disallowed_methods, reason = "a test makes links and other odd files in the vault")]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::common::Home;

const RULES: &str = "folders = [\"journal\", \"peple/*\"]\ntags = [\"private\", \"secrt\"]\nfrontmatter_flag = \"hidden\"\n\
    redact_patterns = ['\\d{4}-\\d{4}']";

fn home() -> Home {
    let notes = [
        ("journal/day.md", "# Day\n\nx\n"),
        ("people/ann/x.md", "# Ann Smith\n\n#private\n"),
        ("flag.md", "---\ntitle: F\nhidden: yes\n---\n\nx #private\n"),
        ("parts.md", "# P\n\n## Pay #private\nx\n\n## Next\n\n%%private%%y%%/private%% 1234-5678\n"),
        ("plain.md", "I met Ann Smith today. #privat\n"),
        ("Daily/d.md", "x\n"),
        ("broken.md", "---\na: {{x}}: y\n---\nx\n"),
    ];
    let home = Home::words_only(&notes, RULES);
    home.write("Notes/.obsidian/app.json", r#"{"userIgnoreFilters": ["Daily/"]}"#);
    fs::write(home.path("Notes/binary.md"), b"a\0b").unwrap();
    symlink("journal/day.md", home.path("Notes/link.md")).unwrap();
    symlink("/etc/hostname", home.path("Notes/out.md")).unwrap();
    home
}

#[test]
fn every_note_is_explained_for_both_profiles() {
    let home = home();
    let ground = |kind: &str, more: Value| {
        let mut ground = json!({ "kind": kind });
        ground.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground
    };
    let folder = ground("folder", json!({ "rule": "journal", "name": "journal/day.md" }));
    let table = [
        ("journal/day.md", "journal/day.md", json!([folder])),
        ("day", "journal/day.md", json!([folder])),
        ("link.md", "journal/day.md", json!([folder])),
        ("people/ann/x", "people/ann/x.md", json!([ground("tag", json!({ "rule": "private", "line": 3 }))])),
        (
            "flag.md",
            "flag.md",
            json!([
                ground("tag", json!({ "rule": "private", "line": 6 })),
                ground("flag", json!({ "property": "hidden", "line": 3 }))
            ]),
        ),
        (
            "Daily/d.md",
            "Daily/d.md",
            json!([ground("excluded", json!({ "filter": "Daily/", "name": "Daily/d.md" }))]),
        ),
        ("plain.md", "plain.md", json!([])),
        ("parts.md", "parts.md", json!([])),
    ];
    for (asked, path, grounds) in table {
        let answer = home.json(&["privacy", "explain", asked]);
        assert_eq!((&answer["path"], &answer["grounds"]), (&json!(path), &grounds), "{asked}");
        assert_eq!(answer["public"], json!(grounds == json!([])), "{asked}");
        assert_eq!(answer["full"], json!(true), "{asked}");
        let served = home.run(&["read", path]).code;
        assert_eq!(served, Some(i32::from(grounds != json!([]))), "{asked}");
    }
    let parts = home.json(&["privacy", "explain", "parts.md"]);
    assert_eq!((&parts["private_parts"], &parts["masked"]), (&json!([[3, 5], [8, 8]]), &json!(1)));
    assert_eq!(home.json(&["privacy", "explain", "link.md"])["link"], json!("link.md"));
    let on_disk = home.path("Notes/journal/day.md");
    assert_eq!(
        home.json(&["privacy", "explain", on_disk.to_str().unwrap()])["path"],
        json!("journal/day.md")
    );
    assert_eq!(home.json(&["privacy", "explain", "binary.md"])["full"], json!(false));
    for nothing in ["nothing", "out.md", "journal/none.md", ".obsidian/app.md"] {
        home.run(&["privacy", "explain", nothing]).assert_refused();
    }
}

#[test]
fn an_explanation_names_the_rule_its_line_and_the_way_out() {
    let text = home().run(&["privacy", "explain", "flag"]).stdout;
    for part in [
        "tags = \"private\" (line 5 of the configuration): line 6 of the note",
        "frontmatter_flag = \"hidden\" (line 6 of the configuration): line 3 of the note",
        "take the tag out of line 6",
        "write `hidden: false` on line 3",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn rules_that_match_nothing_are_told_with_what_was_meant() {
    let list = home().json(&["privacy", "list"]);
    assert_eq!((&list["notes"], &list["private"]), (&json!(8), &json!(5)));
    let rule = |written: &str| {
        let rules = list["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["written"] == written).unwrap_or_else(|| panic!("{written}")).clone()
    };
    let row = |written| {
        let rule = rule(written);
        (rule["notes"].as_array().unwrap().len(), rule["matches_nothing"].clone(), rule["near"].clone())
    };
    assert_eq!(row("journal"), (1, json!(false), json!([])));
    assert_eq!(row("peple/*"), (0, json!(true), json!(["people"])));
    assert_eq!(row("private"), (2, json!(false), json!(["privat"])));
    assert_eq!(row("secrt"), (0, json!(true), json!([])));
    assert_eq!(row("Daily/"), (1, json!(false), json!([])));
    assert_eq!((&list["partly_private"], &list["masked"]), (&json!(["parts.md"]), &json!(["parts.md"])));
}

#[test]
fn the_doctor_finds_what_is_wrong_and_names_the_fix() {
    let home = home();
    home.index();
    let findings = |arguments: &[&str]| -> Vec<(String, Vec<Value>)> {
        let output = home.run(&[&["doctor", "--json"], arguments].concat());
        assert_eq!(output.code, Some(1), "{output:?}");
        let found = output.json();
        let about = |finding: &Value| finding["about"].as_array().unwrap().clone();
        let found = found.as_array().unwrap().iter();
        found.map(|finding| (finding["what"].as_str().unwrap().to_owned(), about(finding))).collect()
    };
    let has = |found: &[(String, Vec<Value>)], what: &str, name: &str| {
        let is_about = |about: &[Value]| about.iter().any(|value| value.as_str().unwrap().contains(name));
        assert!(
            found.iter().any(|(text, about)| text.contains(what) && is_about(about)),
            "{what}: {found:?}"
        );
    };
    let found = findings(&["--mentions"]);
    has(&found, "match nothing", "peple/*");
    has(&found, "cannot be read: it has NUL bytes", "binary.md");
    has(&found, "cannot be read as YAML", "broken.md");
    has(&found, "never followed", "link.md");
    has(&found, "name private ones", "plain.md:1 names \"Ann Smith\"");
    home.set_mode(".config/obsearch/config.toml", 0o644);
    let tree = home.tree("public");
    home.set_mode(tree.strip_prefix(home.path("")).unwrap().to_str().unwrap(), 0o640);
    home.write(".local/share/obsearch/other-0123/identity", "x\ny\n");
    let found = findings(&[]);
    has(&found, "may read the configuration", "config.toml");
    has(&found, "may read or change files of the index", "gen-");
    has(&found, "indexes of other vaults", "other-0123");
}

#[test]
fn the_doctor_has_nothing_to_say_about_a_vault_in_order() {
    let home = Home::words_only(&[("a.md", "x #private\n")], "tags = [\"private\"]");
    assert_eq!(home.run(&["doctor"]).code, Some(1), "there is no index");
    home.index();
    let output = home.run(&["doctor"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    home.configure("[vault]\npath = \"~/Notes\"\n[privacy]\ntags = [\"private\", \"x\"]\n[embeddings]\nbackend = \"none\"\n");
    assert!(home.run(&["doctor"]).stdout.contains("built under other privacy rules"));
}

#[test]
fn a_proof_passes_tells_figures_and_leaves_nothing_behind() {
    let home = home();
    // No process has this number.
    home.write(".cache/obsearch/proof-999999999/with/Notes/a.md", "left by a proof that was killed");
    let report = home.json(&["privacy", "prove"]);
    assert_eq!(report["passed"], json!(true), "{report:#}");
    for key in ["notes", "private", "flipped", "canaries", "log_bytes"] {
        assert!(report[key].as_u64().unwrap() > 0, "{key}: {report:#}");
    }
    let phases = report["phases"].as_array().unwrap();
    assert!(phases.iter().all(|phase| phase["requests"].as_u64().unwrap() > 200), "{report:#}");
    assert!(phases[2]["compared"].as_u64().unwrap() > 200 && phases[2]["index_bytes"].as_u64().unwrap() > 0);
    assert_eq!(report["not_exercised"], json!([]));
    let left = fs::read_dir(home.path(".cache/obsearch")).map(Iterator::count);
    assert_eq!(left.unwrap_or(0), 0);
    assert!(!home.path(".local/share/obsearch").exists(), "the owner's index is not touched");
}
