//! Trees that are truncated, garbled, flipped in a bit, or not ours: either the right answer or a
//! clear error, never a silent empty one, and `index` heals them.
#![expect(clippy::disallowed_methods, reason = "a test breaks files on purpose")]

use std::fs;

use rusqlite::Connection;
use serde_json::json;

use super::{WORDS, assert_right, home};
use crate::common::{Dice, Home, Output, paths, seeds};

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
    for seed in seeds(10) {
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
