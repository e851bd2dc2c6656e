//! Rerankers: a question and passages -> how well each passage answers it. Read together, a model sees what
//! vectors of each alone do not.
//!
//! One protocol, which Cohere, Jina, Voyage, vLLM, Infinity and llama.cpp share as far as it is used here:
//! `query` and `documents` there, a list of `index` and score back.

use serde::Deserialize;
use serde_json::json;

use super::EmbedError;
use super::endpoint::{Endpoint, IsAllowed, Patience};

/// Scores passages by how well they answer a question.
pub trait Reranker: Send + Sync {
    /// One score per passage, in order; higher is better, comparable within one call only.
    fn score(&self, query: &str, passages: &[String]) -> Result<Vec<f64>, EmbedError>;
}

/// A reranker that a server runs.
pub struct RemoteReranker {
    model: Option<String>,
    endpoint: Endpoint,
}

impl RemoteReranker {
    /// Asks nothing yet. `url` is that of the very route.
    pub fn new(url: &str, model: Option<String>, key: Option<&str>, is_allowed: IsAllowed) -> Self {
        Self { model, endpoint: Endpoint::new(url, key, is_allowed) }
    }
}

impl Reranker for RemoteReranker {
    fn score(&self, query: &str, passages: &[String]) -> Result<Vec<f64>, EmbedError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let mut body = json!({ "query": query, "documents": passages });
        if let Some(model) = &self.model {
            body["model"] = json!(model);
        }
        let answer = self.endpoint.post("", &body, Patience::Query)?;
        scores(answer, passages.len())
            .ok_or_else(|| self.endpoint.error("answered something that is no scores"))
    }
}

#[derive(Deserialize)]
struct Answer {
    #[serde(alias = "data")]
    results: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f64,
}

/// No reranker scores like this; sums of such numbers are none.
const ABSURD: f64 = 1e12;

/// The scores in the order of the passages, if there is a sensible one for each.
fn scores(answer: Answer, passages: usize) -> Option<Vec<f64>> {
    let mut scores = vec![None; passages];
    for item in answer.results {
        *scores.get_mut(item.index)? = Some(item.relevance_score).filter(|score| score.abs() < ABSURD);
    }
    scores.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn scores_are_read_by_their_index() {
        let rows: [(Value, Option<Vec<f64>>); 9] = [
            (
                json!({ "results": [{ "index": 0, "score": 1.7e308 }, { "index": 1, "score": -1.7e308 }] }),
                None,
            ),
            (
                json!({ "results": [{ "index": 1, "relevance_score": 0.9 }, { "index": 0, "relevance_score": 0.1 }] }),
                Some(vec![0.1, 0.9]),
            ),
            (
                json!({ "data": [{ "index": 0, "relevance_score": -3, "document": "x" }, { "index": 1, "relevance_score": 2 }] }),
                Some(vec![-3.0, 2.0]),
            ),
            (
                json!({ "results": [{ "index": 0, "score": 1 }, { "index": 1, "score": 0 }], "usage": {} }),
                Some(vec![1.0, 0.0]),
            ),
            (json!({ "results": [{ "index": 0, "score": 1 }] }), None),
            (json!({ "results": [{ "index": 0, "score": 1 }, { "index": 2, "score": 1 }] }), None),
            (json!({ "results": [{ "index": 0, "score": 1 }, { "index": 0, "score": 2 }] }), None),
            (json!({ "results": [{ "index": 0, "score": null }, { "index": 1, "score": 2 }] }), None),
            (json!([]), None),
        ];
        for (answer, expected) in rows {
            let read = serde_json::from_value::<Answer>(answer.clone()).ok();
            assert_eq!(read.and_then(|answer| scores(answer, 2)), expected, "{answer}");
        }
    }
}
