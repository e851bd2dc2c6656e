//! The same tokens as from the library, whatever the text and the vocabulary.
#![allow(clippy::disallowed_methods, reason = "tests read texts")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokenizers::Tokenizer;

use crate::embed::tokens::TokenizerWith;

use super::*;

const MULTILINGUAL: &[u8] = include_bytes!("../../../models/multilingual-e5-small-96k/tokenizer.json");

static OURS: LazyLock<TokenizerWith<Unigram>> = LazyLock::new(|| ours(MULTILINGUAL));
static LIBRARY: LazyLock<Tokenizer> = LazyLock::new(|| library(MULTILINGUAL));

fn ours(description: &[u8]) -> TokenizerWith<Unigram> {
    let mut tokenizer: TokenizerWith<Unigram> = serde_json::from_slice(description).unwrap();
    tokenizer.set_encode_special_tokens(true);
    tokenizer
}

fn library(description: &[u8]) -> Tokenizer {
    let mut tokenizer = Tokenizer::from_bytes(description).unwrap();
    tokenizer.set_encode_special_tokens(true);
    tokenizer
}

/// Numbers, texts and places of the tokens agree.
fn assert_same(text: &str) {
    let [found, expected] = [OURS.encode(text, true), LIBRARY.encode(text, true)].map(Result::unwrap);
    assert_eq!(found.get_ids(), expected.get_ids(), "{text:?}");
    assert_eq!(found.get_tokens(), expected.get_tokens(), "{text:?}");
    assert_eq!(found.get_offsets(), expected.get_offsets(), "{text:?}");
}

/// The files below a folder whose names end so.
fn files_below(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path, ends));
        } else if ends.iter().any(|end| path.extension().is_some_and(|extension| extension == *end)) {
            found.push(path);
        }
    }
    found
}

#[test]
fn unusual_texts_have_the_tokens_of_the_library() {
    let long = ["abc".repeat(700), "面团".repeat(500), "\u{e000}".repeat(300), "e\u{301}".repeat(300)];
    let texts = [
        "",
        " ",
        "\n\t \r\n",
        "\0",
        "a\0b\u{1}c\u{1f}\u{7f}\u{9f}",
        "passage: The ferry leaves at nine.",
        "query: A que horas há barco para a ilha?",
        "</s> <s> <pad> <unk> <unk><unk> x<unk>\u{e000} <mask> [SEP] <0x41>",
        "\u{e000}\u{e001} a\u{e000}b\u{e001}\u{e002}",
        "😀😃 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇵🇹🇧🇷 ❤️",
        "e\u{301} é ﬁ ﬀ ² ½ Å Å ㎏ ｆｕｌｌ ﷺ İ ß ẞ",
        "z\u{334}\u{335}\u{336}\u{337}algo\u{488}",
        "面团需要在冰箱里静置一夜。島へ渡る船は何時ですか カタカナ ｶﾀｶﾅ 가나다 각",
        "เรือไปเกาะกี่โมง ភាសាខ្មែរ தமிழ் ქართული বাংলা हिन्दी में पूछें",
        "متى تغادر العبّارة؟ עִבְרִית \u{202b}rtl\u{202c} \u{200f}",
        "a\u{a0}b\u{2003}c\u{3000}d\u{200b}e\u{200d}f\u{feff}g\u{2028}h\u{85}i\u{ad}j\u{180e}k",
        "▁ ▁▁ a▁b \u{fffd}",
        "\u{10ffff}\u{fdd0}\u{e0041}\u{1d400}\u{20000}\u{2f800}",
        "https://example.org/a?b=c&d=%20#e 192.168.0.1 1,234.56 € 10^-3 C:\\x\\y",
        "fn main() { let x = vec![1; 3]; } // ✓",
    ];
    for text in texts.into_iter().chain(long.iter().map(String::as_str)) {
        assert_same(text);
    }
}

#[test]
fn the_example_notes_have_the_tokens_of_the_library() {
    let notes = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/vault"), &["md"]);
    assert!(notes.len() > 40);
    for note in &notes {
        assert_same(&std::fs::read_to_string(note).unwrap());
    }
}

#[test]
#[ignore = "takes a minute or two: run it after a change of the model or of the library"]
fn every_shared_text_has_the_tokens_of_the_library() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("OBSEARCH_SHARED").map_or(beside, PathBuf::from).join("data");
    if !shared.is_dir() {
        eprintln!("skipped: there is no {}; set OBSEARCH_SHARED", shared.display());
        return;
    }
    let mut lines = 0;
    for file in files_below(&shared, &["md", "jsonl", "json", "txt"]) {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        lines += text.lines().inspect(|line| assert_same(line)).count();
    }
    assert!(lines > 10_000, "only {lines} lines");
    eprintln!("{lines} lines");
}

#[test]
fn other_vocabularies_are_left_to_the_library() {
    let model = |kind: &str, unknown: Value, bytes: bool| json!({"type": kind, "unk_id": unknown, "byte_fallback": bytes, "vocab": [["<unk>", 0.0], ["a", -1.0]]});
    let unpacked = |model: Value| serde_json::from_str::<Unigram>(&model.to_string());
    assert!(unpacked(model("Unigram", 0.into(), false)).is_ok());
    for refused in [
        model("Unigram", 0.into(), true),
        model("Unigram", 2.into(), false),
        model("Unigram", Value::Null, false),
        model("WordPiece", 0.into(), false),
    ] {
        assert!(unpacked(refused.clone()).is_err(), "{refused}");
    }
}

#[test]
fn an_unknown_piece_may_be_a_text_and_twice_it_a_piece() {
    let model = json!({"type": "Unigram", "unk_id": 0, "vocab": [["面", -1.0], ["面面", -3.0]]}).to_string();
    let ours: Unigram = serde_json::from_str(&model).unwrap();
    let library: tokenizers::models::unigram::Unigram = serde_json::from_str(&model).unwrap();
    for word in ["面", "面面", "面面面", "面x", "xx面面"] {
        assert_eq!(ours.tokenize(word).unwrap(), library.tokenize(word).unwrap(), "{word}");
    }
}

proptest! {
    #[test]
    fn any_text_has_the_tokens_of_the_library(text in any::<String>(), word in "[a-zà-ü▁]{0,40}") {
        assert_same(&text);
        assert_same(&word);
        assert_same(&format!("{word}{text}"));
    }

    /// Whole scores, so that many ways score the same; twice the same piece; characters that are no piece.
    #[test]
    fn any_vocabulary_cuts_as_in_the_library(
        pieces in prop::collection::vec(("[abcé面]{1,4}", -6_i32..0), 1..40),
        words in prop::collection::vec("[abcdé面]{0,12}", 1..20),
    ) {
        let vocabulary: Vec<Value> =
            pieces.iter().map(|(text, score)| json!([text, f64::from(*score)])).collect();
        let model = json!({"type": "Unigram", "unk_id": 0, "vocab": vocabulary}).to_string();
        let ours: Unigram = serde_json::from_str(&model).unwrap();
        let library: tokenizers::models::unigram::Unigram = serde_json::from_str(&model).unwrap();
        prop_assert_eq!(ours.get_vocab(), library.get_vocab());
        prop_assert_eq!(ours.get_vocab_size(), library.get_vocab_size());
        for word in &words {
            prop_assert_eq!(ours.tokenize(word).unwrap(), library.tokenize(word).unwrap());
        }
    }
}
