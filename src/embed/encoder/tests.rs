//! What the models must do with real sentences. Similarities were compared with ONNX Runtime 1.32 when the
//! models were added (cosine of the two runtimes' vectors 0.996 or more on 21 texts in 13 languages).

use std::sync::LazyLock;

use rayon::prelude::*;

use super::{Graph, Pooling, SentenceEncoder};
use crate::embed::{BuiltinEmbedder, BuiltinModel, Embedder};

static MULTILINGUAL: LazyLock<BuiltinEmbedder> =
    LazyLock::new(|| BuiltinEmbedder::new(BuiltinModel::Multilingual));
static ENGLISH: LazyLock<BuiltinEmbedder> = LazyLock::new(|| BuiltinEmbedder::new(BuiltinModel::English));

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Similarity of a query to each passage.
fn similarities(embedder: &BuiltinEmbedder, query: &str, passages: &[&str]) -> Vec<f32> {
    let query = embedder.embed_query(query).unwrap();
    embedder.embed_passages(passages).unwrap().iter().map(|passage| dot(&query, passage)).collect()
}

/// `(question, what answers it, what does not)`.
const ENGLISH_TRIPLES: &[(&str, &str, &str)] = &[
    (
        "When does the boat go over to the island?",
        "The ferry leaves twice a day, at nine and at five.",
        "Sharpen the chisel on the coarse stone first.",
    ),
    (
        "how to make a blade keen again",
        "Sharpen the chisel on the coarse stone first.",
        "Water the seedlings early in the morning.",
    ),
];

const OTHER_TRIPLES: &[(&str, &str, &str)] = &[
    (
        "A que horas há barco para a ilha?",
        "A barca sai duas vezes por dia, às nove e às cinco.",
        "Regue as mudas de tomate de manhã cedo.",
    ),
    (
        "Wann geht ein Schiff auf die Insel?",
        "Die Fähre fährt zweimal am Tag, um neun und um fünf.",
        "Der Teig muss über Nacht im Kühlschrank ruhen.",
    ),
    ("什么时候有船去岛上？", "渡轮每天两班，上午九点和下午五点。", "面团需要在冰箱里静置一夜。"),
    (
        "島へ渡る船は何時ですか",
        "フェリーは一日二便、九時と五時に出ます。",
        "生地は冷蔵庫で一晩寝かせる必要があります。",
    ),
    // Across languages.
    (
        "When does the boat go over to the island?",
        "Die Fähre fährt zweimal am Tag, um neun und um fünf.",
        "Der Teig muss über Nacht im Kühlschrank ruhen.",
    ),
    (
        "Quanto tempo a massa precisa descansar na geladeira?",
        "面团需要在冰箱里静置一夜。",
        "渡轮每天两班，上午九点和下午五点。",
    ),
];

#[test]
fn an_answer_is_nearer_than_another_subject() {
    let english = ENGLISH_TRIPLES.iter().map(|triple| (&*ENGLISH, triple, 0.2));
    // The multilingual model keeps all texts within a narrow cone: its similarities lie between 0.75 and 0.95.
    let multilingual =
        ENGLISH_TRIPLES.iter().chain(OTHER_TRIPLES).map(|triple| (&*MULTILINGUAL, triple, 0.02));
    for (embedder, (query, answer, other), margin) in english.chain(multilingual) {
        let found = similarities(embedder, query, &[answer, other]);
        assert!(found[0] > found[1] + margin, "{} {query:?}: {found:?}", embedder.model());
    }
}

#[test]
fn similarities_are_those_of_the_reference_runtime() {
    let texts = [
        "The ferry to the island leaves twice a day, at nine and at five.",
        "Boats to the island depart at 9:00 and 17:00.",
        "Sharpen the chisel on the coarse stone first, then on the fine one.",
        "Die Fähre zur Insel fährt zweimal am Tag, um neun und um fünf.",
    ];
    // The first text to the others, as ONNX Runtime gives them.
    for (embedder, expected) in [(&*MULTILINGUAL, [0.890, 0.804, 0.900]), (&*ENGLISH, [0.636, 0.017, -0.011])]
    {
        let vectors = embedder.embed_passages(&texts).unwrap();
        for (vector, expected) in vectors[1..].iter().zip(expected) {
            let found = dot(&vectors[0], vector);
            assert!((found - expected).abs() < 0.02, "{}: {found}, not {expected}", embedder.model());
        }
    }
}

#[test]
fn a_vector_does_not_depend_on_its_neighbours() {
    let long = "The ferry to the island leaves twice a day. ".repeat(60);
    let texts = ["short", "", &long, "面团需要在冰箱里静置一夜。", "short", "[SEP] </s> \0 \u{fffd}"];
    for embedder in [&*MULTILINGUAL, &*ENGLISH] {
        let together = embedder.embed_passages(&texts).unwrap();
        let alone: Vec<_> =
            texts.iter().map(|text| embedder.embed_passages(&[text]).unwrap().remove(0)).collect();
        assert_eq!(together, alone);
        assert_eq!(together[0], together[4]);
        for (vector, text) in together.iter().zip(texts) {
            assert_eq!(vector.len(), 384);
            assert!((dot(vector, vector) - 1.0).abs() < 1e-5, "{text:?} has no unit vector");
        }
    }
}

#[test]
fn what_the_window_cuts_off_does_not_count() {
    for embedder in [&*MULTILINGUAL, &*ENGLISH] {
        let full = "ferry island ".repeat(600);
        let longer = format!("{full}{}", "chisel stone ".repeat(600));
        let [a, b] = [&full, &longer].map(|text| embedder.embed_passages(&[text]).unwrap());
        assert_eq!(a, b);
        assert_ne!(a, embedder.embed_passages(&["ferry island"]).unwrap());
    }
}

#[test]
fn tokens_are_counted_with_prefix_and_special_ones() {
    // `<s> passage : … </s>` and `[CLS] … [SEP]`.
    for (text, multilingual, english) in
        [("", 4, 2), ("ferry", 6, 3), ("the [SEP] island", 11, 7), (&"the ".repeat(2000), 2004, 2002)]
    {
        let counts = [&*MULTILINGUAL, &*ENGLISH].map(|embedder| embedder.count_passage_tokens(text).unwrap());
        assert_eq!(counts, [multilingual, english], "{}", text.chars().take(20).collect::<String>());
    }
}

#[test]
fn only_the_multilingual_model_tells_questions_from_passages() {
    for (embedder, same) in [(&*MULTILINGUAL, false), (&*ENGLISH, true)] {
        let query = embedder.embed_query("ferry times").unwrap();
        let passage = embedder.embed_passages(&["ferry times"]).unwrap().remove(0);
        assert_eq!(query == passage, same, "{}", embedder.model());
    }
}

#[test]
fn a_first_use_from_many_threads_at_once_ends() {
    let embedder = BuiltinEmbedder::new(BuiltinModel::English);
    let embed = |text| embedder.embed_passages(&[text; 3]).unwrap().len();
    assert_eq!(["note"; 32].par_iter().copied().map(embed).sum::<usize>(), 96);
}

#[test]
fn broken_files_are_an_error() {
    for (tokenizer, onnx) in [(&b"{}"[..], &b""[..]), (b"", b"ONNX"), (b"\xff", &[8, 8, 18])] {
        assert!(SentenceEncoder::load(tokenizer, Graph::Embedded(onnx), 8, Pooling::Mean).is_err());
    }
}
