//! Models that another program runs: Ollama, or any server that speaks the protocol of `OpenAI`.
//!
//! Knows what is sent and what comes back, not where notes come from. Texts go to the configured server
//! only; who may be sent there is decided where it is configured.

use serde::Deserialize;
use serde_json::json;

use super::encoder::unit;
use super::endpoint::{Endpoint, IsAllowed, Patience};
use super::known::{Prefixes, prefixes_of};
use super::{EmbedError, Embedder, ModelId, check_dimensions};

/// What the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `POST /api/embed`.
    Ollama,
    /// `POST /embeddings`.
    OpenAi,
}

impl Protocol {
    fn as_str(self) -> &'static str {
        match self {
            Protocol::Ollama => "ollama",
            Protocol::OpenAi => "openai",
        }
    }
}

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteModel {
    /// What the server speaks.
    pub protocol: Protocol,
    /// `http://host:port` and whatever comes before the protocol's own paths.
    pub base_url: String,
    /// The model's name there.
    pub name: String,
    /// Sent as a bearer token.
    pub key: Option<String>,
    /// Comes before a query; what the model is known to want if left out.
    pub query_prefix: Option<String>,
    /// Comes before a passage.
    pub passage_prefix: Option<String>,
}

impl RemoteModel {
    /// Protocol, name and prefixes make the identity: the same model elsewhere makes the same vectors.
    pub fn model_id(&self) -> ModelId {
        let Prefixes { query, passage } = self.prefixes();
        let recipe = [self.protocol.as_str(), &self.name, &query, &passage].join("\n");
        ModelId {
            name: format!("{}:{}", self.protocol.as_str(), self.name.replace('@', "-")),
            fingerprint: blake3::hash(recipe.as_bytes()).to_hex()[..16].to_owned(),
        }
    }

    fn prefixes(&self) -> Prefixes {
        let known = prefixes_of(&self.name);
        Prefixes {
            query: self.query_prefix.clone().unwrap_or(known.query),
            passage: self.passage_prefix.clone().unwrap_or(known.passage),
        }
    }
}

/// Embeds by asking the server.
pub struct RemoteEmbedder {
    id: ModelId,
    protocol: Protocol,
    name: String,
    prefixes: Prefixes,
    endpoint: Endpoint,
}

/// sqlite-vec holds no longer vectors.
const MOST_DIMENSIONS: usize = 8192;

/// The text that is embedded to see whether the server works, and how long its vectors are.
const PROBE: &str = "obsearch";

impl RemoteEmbedder {
    /// Asks nothing yet.
    pub fn new(model: &RemoteModel, is_allowed: IsAllowed) -> Self {
        Self {
            id: model.model_id(),
            protocol: model.protocol,
            name: model.name.clone(),
            prefixes: model.prefixes(),
            endpoint: Endpoint::new(&model.base_url, model.key.as_deref(), is_allowed),
        }
    }

    /// Length of the model's vectors, by asking for one.
    pub fn dimensions(&self) -> Result<usize, EmbedError> {
        let dimensions = self.ask(&[PROBE.to_owned()], Patience::Query)?[0].len();
        if dimensions > MOST_DIMENSIONS {
            return Err(self.endpoint.error("has a model of longer vectors than an index can hold"));
        }
        Ok(dimensions)
    }

    /// One unit vector per text.
    fn ask(&self, texts: &[String], patience: Patience) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (path, body) = match self.protocol {
            Protocol::Ollama => ("/api/embed", json!({ "model": self.name, "input": texts })),
            Protocol::OpenAi => {
                ("/embeddings", json!({ "model": self.name, "input": texts, "encoding_format": "float" }))
            }
        };
        let vectors = match self.protocol {
            Protocol::Ollama => Some(self.endpoint.post::<OllamaAnswer>(path, &body, patience)?.embeddings),
            Protocol::OpenAi => in_order(self.endpoint.post(path, &body, patience)?),
        };
        let vectors = vectors.filter(|vectors| is_complete(vectors, texts.len()));
        let vectors = vectors.ok_or_else(|| self.endpoint.error("answered something that is no vectors"))?;
        Ok(vectors.into_iter().map(unit).collect())
    }
}

impl Embedder for RemoteEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    /// What most models want that were measured.
    fn weight(&self) -> f64 {
        0.5
    }

    /// Not known of a model that was not measured: words alone tell when there is no answer.
    fn answers_seldom_below(&self) -> f64 {
        -1.0
    }

    fn check(&self, dimensions: usize) -> Result<(), EmbedError> {
        check_dimensions(self.dimensions()?, dimensions)
    }

    fn may_take_long(&self) -> bool {
        true
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let prefix = &self.prefixes.passage;
        let texts: Vec<String> = passages.iter().map(|passage| format!("{prefix}{passage}")).collect();
        self.ask(&texts, Patience::Batch)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let text = format!("{}{query}", self.prefixes.query);
        Ok(self.ask(&[text], Patience::Query)?.remove(0))
    }
}

/// <https://github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings>
#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

/// <https://platform.openai.com/docs/api-reference/embeddings/object>
#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiItem>,
}

#[derive(Deserialize)]
struct OpenAiItem {
    index: usize,
    embedding: Vec<f32>,
}

/// The vectors in the order of the texts, if each has its number.
fn in_order(answer: OpenAiAnswer) -> Option<Vec<Vec<f32>>> {
    let mut items = answer.data;
    items.sort_by_key(|item| item.index);
    let is_numbered = items.iter().enumerate().all(|(number, item)| item.index == number);
    is_numbered.then(|| items.into_iter().map(|item| item.embedding).collect())
}

/// As many vectors as texts, all of one length, finite and of some direction.
fn is_complete(vectors: &[Vec<f32>], texts: usize) -> bool {
    let length = vectors.first().map_or(0, Vec::len);
    let is_vector = |vector: &Vec<f32>| {
        vector.len() == length
            && vector.iter().all(|component| component.is_finite())
            && vector.iter().any(|component| *component != 0.0)
    };
    length > 0 && vectors.len() == texts && vectors.iter().all(is_vector)
}

#[cfg(test)]
mod tests;
