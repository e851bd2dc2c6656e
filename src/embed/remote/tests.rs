//! What servers answer, as values; the wire itself is tested end to end (`tests/it/model_servers.rs`).

use serde_json::{Value, json};

use super::*;

fn model(name: &str, query_prefix: Option<&str>) -> RemoteModel {
    RemoteModel {
        protocol: Protocol::Ollama,
        base_url: "http://127.0.0.1:1".to_owned(),
        name: name.to_owned(),
        key: None,
        query_prefix: query_prefix.map(str::to_owned),
        passage_prefix: None,
    }
}

#[test]
fn vectors_are_read_in_the_order_of_the_texts() {
    let of_ollama = |answer: Value| {
        let answer = serde_json::from_value::<OllamaAnswer>(answer).ok();
        answer.map(|answer| answer.embeddings).filter(|vectors| is_complete(vectors, 2))
    };
    let of_openai = |answer: Value| {
        let answer = serde_json::from_value::<OpenAiAnswer>(answer).ok();
        answer.and_then(in_order).filter(|vectors| is_complete(vectors, 2))
    };
    let two = Some(vec![vec![1.0, 0.0], vec![0.0, 2.0]]);
    assert_eq!(of_ollama(json!({ "embeddings": [[1, 0], [0, 2]] })), two);
    let item = |index: usize, embedding: [f32; 2]| json!({ "index": index, "embedding": embedding });
    assert_eq!(of_openai(json!({ "data": [item(1, [0.0, 2.0]), item(0, [1.0, 0.0])] })), two);
    let no_vectors = [
        json!({}),
        json!([]),
        json!({ "embeddings": [] }),
        json!({ "embeddings": [[1, 0]] }),
        json!({ "embeddings": [[1, 0], [1]] }),
        json!({ "embeddings": [[], []] }),
        json!({ "embeddings": [[0, 0], [0, 1]] }),
        json!({ "embeddings": [["a"], ["b"]] }),
        json!({ "embeddings": [[1e39, 0], [0, 1]] }),
        json!({ "data": [item(0, [1.0, 0.0]), item(0, [0.0, 2.0])] }),
        json!({ "data": [item(1, [1.0, 0.0]), item(2, [0.0, 2.0])] }),
    ];
    for answer in no_vectors {
        assert_eq!(of_ollama(answer.clone()), None, "{answer}");
        assert_eq!(of_openai(answer.clone()), None, "{answer}");
    }
}

#[test]
fn whatever_changes_the_vectors_is_another_model() {
    let ids = [
        model("nomic-embed-text", None),
        model("nomic-embed-text:v1.5", None),
        model("nomic-embed-text", Some("")),
        RemoteModel { protocol: Protocol::OpenAi, ..model("nomic-embed-text", None) },
    ]
    .map(|model| model.model_id().to_string());
    let distinct: std::collections::HashSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    let elsewhere =
        RemoteModel { base_url: "http://127.0.0.1:2".to_owned(), ..model("nomic-embed-text", None) };
    assert_eq!(elsewhere.model_id().to_string(), ids[0]);
    // What the model is known to want, written out, is the same.
    assert_eq!(model("nomic-embed-text", Some("search_query: ")).model_id().to_string(), ids[0]);
}
