//! Folders as people have them: whole, without what may be missing, broken.
#![expect(clippy::disallowed_methods, reason = "a test makes the folder of a model")]

use std::fs;

use super::*;
use crate::embed::{BuiltinEmbedder, BuiltinModel};

const MINILM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/all-minilm-l6-v2");
/// A network of a few hundred bytes, see its README.
const TINY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/tiny-reranker");

fn embedder(folder: &Path, query_prefix: Option<&str>) -> LocalEmbedder {
    LocalEmbedder::new(LocalModel {
        runtime: Runtime::Inside,
        folder: folder.to_owned(),
        name: "mine".to_owned(),
        query_prefix: query_prefix.map(str::to_owned),
        passage_prefix: None,
    })
}

/// A copy of the English model's folder with these files more.
fn folder(more: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["model_int8.onnx", TOKENIZER] {
        std::os::unix::fs::symlink(Path::new(MINILM).join(name), folder.path().join(name)).unwrap();
    }
    for (name, text) in more {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

#[test]
fn a_folder_makes_the_vectors_of_the_same_model_inside() {
    let folder = folder(&[("sentence_bert_config.json", r#"{"max_seq_length": 256}"#)]);
    let (local, inside) = (embedder(folder.path(), None), BuiltinEmbedder::new(BuiltinModel::English));
    let texts = ["The ferry leaves twice a day.", ""];
    assert_eq!(local.embed_passages(&texts).unwrap(), inside.embed_passages(&texts).unwrap());
    assert_eq!(local.embed_query("ferry").unwrap(), inside.embed_query("ferry").unwrap());
    assert_eq!((local.dimensions().unwrap(), &*local.model().name), (384, "mine"));
    assert!(local.check(384).is_ok() && local.check(512).is_err());
}

#[test]
fn what_the_files_say_changes_the_vectors_and_the_identity() {
    let folders = [
        folder(&[]),
        folder(&[("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true}"#)]),
        folder(&[(
            "config_sentence_transformers.json",
            r#"{"prompts": {"document": "d: ", "query": "q: "}}"#,
        )]),
        folder(&[("sentence_bert_config.json", r#"{"max_seq_length": 8}"#)]),
    ];
    let embedders: Vec<LocalEmbedder> = folders.iter().map(|folder| embedder(folder.path(), None)).collect();
    let text = "The ferry to the island leaves twice a day, at nine and at five.";
    for (number, one) in embedders.iter().enumerate() {
        for other in &embedders[number + 1..] {
            assert_ne!(one.model(), other.model());
            assert_ne!(one.embed_passages(&[text]).unwrap(), other.embed_passages(&[text]).unwrap());
        }
    }
    let asked = embedder(folders[0].path(), Some("q: "));
    assert_ne!(asked.model(), embedders[0].model());
    assert_eq!(asked.embed_query(text).unwrap(), embedders[2].embed_query(text).unwrap());
}

#[test]
fn windows_are_those_that_the_files_state() {
    let config = |text: &'static str| ("config.json", text);
    for (files, expected) in [
        (vec![], 512),
        (vec![config(r#"{"max_position_embeddings": 512, "pad_token_id": 0}"#)], 512),
        (vec![config(r#"{"max_position_embeddings": 514, "pad_token_id": 1}"#)], 512),
        (vec![config(r#"{"max_position_embeddings": 8192}"#)], 1024),
        (vec![config("{"), ("tokenizer_config.json", r#"{"model_max_length": 1e30}"#)], 512),
        (
            vec![
                config(r#"{"max_position_embeddings": 512}"#),
                ("tokenizer_config.json", r#"{"model_max_length": 128}"#),
            ],
            128,
        ),
    ] {
        assert_eq!(Files(folder(&files).path()).window_tokens(), expected, "{files:?}");
    }
}

#[test]
fn a_folder_without_a_model_is_an_error_that_names_it() {
    let empty = tempfile::tempdir().unwrap();
    let error = embedder(empty.path(), None).embed_query("x").unwrap_err().to_string();
    assert!(error.contains("there is no model.onnx in "), "{error}");
    let broken = tempfile::tempdir().unwrap();
    for name in ["model.onnx", TOKENIZER] {
        fs::write(broken.path().join(name), "{}").unwrap();
    }
    assert!(matches!(embedder(broken.path(), None).embed_query("x"), Err(EmbedError::Load { .. })));
    let scores = LocalReranker::new(Runtime::Inside, broken.path().to_owned(), "r".to_owned())
        .score("q", &["d".to_owned()]);
    assert!(matches!(scores, Err(EmbedError::Load { .. })));
}

#[test]
fn a_cross_encoder_reads_both_texts_together() {
    let reranker = LocalReranker::new(Runtime::Inside, TINY.into(), "tiny".to_owned());
    let passages = ["the ferry", "bread and dough", "the ferry to the island"].map(str::to_owned);
    // This network counts the tokens of the passage that are in the question too.
    assert_eq!(reranker.score("ferry island", &passages).unwrap(), [1.0, 0.0, 2.0]);
    assert_eq!(reranker.score("dough", &passages).unwrap(), [0.0, 1.0, 0.0]);
    assert_eq!(reranker.score("dough", &[]).unwrap(), Vec::<f64>::new());
    let long = "bread ".repeat(3_000);
    assert_eq!(reranker.score("dough", &[format!("{long}dough")]).unwrap(), [0.0], "the window ends before");
}
