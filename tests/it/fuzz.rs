//! The inputs in `fuzz/corpus`, those that once broke something among them, against the checks of the fuzz
//! targets. `cargo fuzz run TARGET` looks for more.
#![expect(clippy::disallowed_methods, reason = "the corpus is no vault")]

use std::fs;
use std::path::Path;

#[path = "../../fuzz/checks.rs"]
mod checks;

/// Runs a check over the corpus of its target.
fn replay(target: &str, check: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut count = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let input = fs::read(&path).unwrap();
        let outcome = std::panic::catch_unwind(|| check(&input));
        assert!(outcome.is_ok(), "{}", path.display());
        count += 1;
    }
    assert!(count >= 20, "{target} has {count} inputs");
}

#[test]
fn frontmatter() {
    replay("frontmatter", checks::frontmatter);
}

#[test]
fn inline_tags() {
    replay("inline_tags", checks::inline_tags);
}

#[test]
fn markdown() {
    replay("markdown", checks::markdown);
}

#[test]
fn note_path() {
    replay("note_path", checks::note_path);
}

#[test]
fn config() {
    replay("config", checks::config);
}
