//! Which model suits which notes: invented ones, and real vaults where they are at hand.

use std::fs;
use std::path::{Path, PathBuf};

use super::BuiltinModel::{English, Multilingual};
use super::*;

const EN: &str = "The kettle takes four minutes to boil, so start the toast after you have ground the coffee. \
    Warm the pot first and throw that water away, then wait until the leaves have settled.";
const DE: &str = "Der Kessel braucht vier Minuten, also röste das Brot erst, wenn der Kaffee gemahlen ist. \
    Wärme zuerst die Kanne vor und gieße das Wasser weg, dann warte, bis sich die Blätter gesetzt haben.";
const JA: &str = "やかんのお湯が沸くまで四分かかるので、コーヒーを挽いてからパンを焼き始めます。\
    まずポットを温めてその湯を捨て、茶葉が沈むまで待ちます。";

/// `(texts, of each how many)` in a sample, and the model for it.
type Case = (&'static [(&'static str, usize)], BuiltinModel);

#[test]
fn nine_texts_in_ten_must_be_english() {
    let cases: &[Case] = &[
        (&[], Multilingual),
        (&[(EN, 1)], English),
        (&[(DE, 1)], Multilingual),
        (&[(JA, 1)], Multilingual),
        (&[(EN, 9), (DE, 1)], English),
        (&[(EN, 8), (DE, 1)], Multilingual),
        (&[(EN, 9), (JA, 1)], English),
        (&[(EN, 8), (JA, 1)], Multilingual),
    ];
    for (sample, expected) in cases {
        let texts = sample.iter().flat_map(|&(text, count)| std::iter::repeat_n(text, count));
        assert_eq!(choose_model(texts.clone()), *expected, "{sample:?}");
        assert_eq!(choose_model(texts.rev()), *expected, "{sample:?} in reverse");
    }
}

#[test]
fn only_prose_is_judged() {
    let table = "| Das ist eine Zeile einer Tabelle | und noch eine Zelle mit deutschem Text |\n".repeat(5);
    let cases: &[(&str, Option<bool>)] = &[
        (EN, Some(true)),
        (DE, Some(false)),
        (JA, Some(false)),
        ("", None),
        ("Two words", None),
        ("12 345 --- *** 6,789 …", None),
        (&format!("```text\n{DE}\n```\n"), None),
        (&format!("~~~\n{DE}\n```\n{DE}\n~~~\n{EN}"), Some(true)),
        (&format!("---\nsummary: {DE}\n---\n"), None),
        (&format!("\u{feff}---\r\nsummary: {DE}\r\n---\r\n{EN}"), Some(true)),
        (&format!("---\nnever closed: {DE}"), None),
        (&table, None),
        (&format!("{table}\n{EN}"), Some(true)),
        (&"https://example.org/der/die/das `der` {die} das=eins ".repeat(9), None),
        (&format!("{}\n{EN}", "x: 1\n".repeat(RAW_BYTES)), None),
        (&format!("{}{}", EN.repeat(20), DE.repeat(100)), Some(true)),
    ];
    for (text, expected) in cases {
        assert_eq!(is_english(text), *expected, "{}", text.chars().take(80).collect::<String>());
    }
}

#[test]
fn cutting_respects_characters() {
    for shift in 0..4 {
        let text = format!("{}{}", "a".repeat(shift), "日本語".repeat(RAW_BYTES));
        assert_eq!(is_english(&text), Some(false));
    }
}

#[test]
fn real_vaults_get_the_model_they_need() {
    for (vault, expected) in [
        ("evals/own-shikigami-pt/vault", Multilingual),
        ("evals/xquad-hi/vault", Multilingual),
        ("evals/xquad-zh/vault", Multilingual),
        ("evals/jsquad-ja/vault", Multilingual),
        ("vaults/kepano-obsidian", English),
        ("vaults/logseq-docs", English),
        ("vaults/dendron-site", English),
    ] {
        let Some(texts) = read_sample(&shared_data().join(vault)) else {
            eprintln!("skipped: {vault} is not here");
            continue;
        };
        assert_eq!(choose_model(texts.iter().map(String::as_str)), expected, "{vault}");
    }
}

#[expect(clippy::disallowed_methods, reason = "where the test data is, not configuration")]
fn shared_data() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    std::env::var_os("OBSEARCH_SHARED").map_or(beside, PathBuf::from).join("data")
}

/// Some 300 notes, spread evenly; `None` if the folder is absent.
#[expect(clippy::disallowed_methods, reason = "test data, not a vault behind the wall")]
fn read_sample(folder: &Path) -> Option<Vec<String>> {
    let mut notes = Vec::new();
    collect_notes(folder, &mut notes).ok()?;
    notes.sort();
    let step = notes.len().div_ceil(300).max(1);
    Some(notes.iter().step_by(step).filter_map(|note| fs::read_to_string(note).ok()).collect())
}

#[expect(clippy::disallowed_methods, reason = "test data, not a vault behind the wall")]
fn collect_notes(folder: &Path, notes: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_notes(&path, notes)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            notes.push(path);
        }
    }
    Ok(())
}
