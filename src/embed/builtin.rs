//! The two models inside the binary: what they are called, what they need, and their embedder.
//!
//! Naming a model costs nothing and creating its embedder next to nothing: weights are unpacked on first use,
//! or earlier by a thread that calls [`BuiltinEmbedder::load`]. This file knows no tensor.

use std::sync::OnceLock;

use super::encoder::SentenceEncoder;
use super::network::{Graph, Pooling};
use super::{EmbedError, Embedder, ModelId};

/// A model compiled into the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuiltinModel {
    /// About 25 languages, and from one to another.
    Multilingual,
    /// English only, two to three times as fast, better at English paraphrases.
    English,
}

/// What can be said about a model without loading it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelInfo {
    /// A name people know.
    pub name: &'static str,
    /// See [`ModelId::fingerprint`].
    pub fingerprint: &'static str,
    /// Length of every vector.
    pub dimensions: usize,
    /// Longest text the model reads, in its own tokens, with prefix and special tokens. The rest is cut.
    pub window_tokens: usize,
    /// See [`Embedder::weight`].
    pub weight: f64,
    /// See [`Embedder::answers_seldom_below`].
    pub answers_seldom_below: f64,
}

/// Everything that decides which vector a text gets.
struct Recipe {
    info: ModelInfo,
    /// An ONNX graph: token ids and mask -> `last_hidden_state`.
    weights: &'static [u8],
    /// A `tokenizer.json`.
    tokenizer: &'static [u8],
    query_prefix: &'static str,
    passage_prefix: &'static str,
}

static MULTILINGUAL: Recipe = Recipe {
    info: ModelInfo {
        name: "multilingual-e5-small-96k",
        fingerprint: "92ea70fa41373d6f",
        dimensions: 384,
        window_tokens: 512,
        weight: 0.4,
        answers_seldom_below: 0.85,
    },
    weights: include_bytes!("../../models/multilingual-e5-small-96k/model_i8e4.onnx"),
    tokenizer: include_bytes!("../../models/multilingual-e5-small-96k/tokenizer.json"),
    query_prefix: "query: ",
    passage_prefix: "passage: ",
};

static ENGLISH: Recipe = Recipe {
    info: ModelInfo {
        name: "all-minilm-l6-v2",
        fingerprint: "611bc06785615903",
        dimensions: 384,
        window_tokens: 256,
        weight: 0.5,
        answers_seldom_below: 0.3,
    },
    weights: include_bytes!("../../models/all-minilm-l6-v2/model_int8.onnx"),
    tokenizer: include_bytes!("../../models/all-minilm-l6-v2/tokenizer.json"),
    query_prefix: "",
    passage_prefix: "",
};

/// How the encoder makes a vector, in words. Change it when a change there gives other vectors.
const ENCODING: &str =
    "special tokens as text; cut at the window; one text per run; mean over tokens; unit length";

impl Recipe {
    /// What [`ModelInfo::fingerprint`] must be.
    fn fingerprint(&self) -> String {
        let window = self.info.window_tokens.to_string();
        let words = [ENCODING, self.query_prefix, self.passage_prefix, &window].map(str::as_bytes);
        let mut hasher = blake3::Hasher::new();
        for part in words.into_iter().chain([self.tokenizer, self.weights]) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

impl BuiltinModel {
    /// Both models.
    pub const ALL: [Self; 2] = [Self::Multilingual, Self::English];

    /// Name, sizes and fingerprint: constants, nothing is read.
    pub fn info(self) -> ModelInfo {
        self.recipe().info
    }

    /// The identity an index records.
    pub fn model_id(self) -> ModelId {
        let info = self.info();
        ModelId { name: info.name.to_owned(), fingerprint: info.fingerprint.to_owned() }
    }

    /// Size of its files.
    pub fn bytes(self) -> u64 {
        let Recipe { weights, tokenizer, .. } = self.recipe();
        (weights.len() + tokenizer.len()) as u64
    }

    /// Are its bytes in this binary those that it was built from?
    pub fn is_intact(self) -> bool {
        self.recipe().fingerprint() == self.info().fingerprint
    }

    fn recipe(self) -> &'static Recipe {
        match self {
            Self::Multilingual => &MULTILINGUAL,
            Self::English => &ENGLISH,
        }
    }
}

/// Embeds with a builtin model, which is loaded when first needed.
///
/// Calls that come while it loads wait for it; a failure to load is remembered and returned to every call.
pub struct BuiltinEmbedder {
    id: ModelId,
    recipe: &'static Recipe,
    encoder: OnceLock<Result<SentenceEncoder, String>>,
}

impl BuiltinEmbedder {
    /// Loads nothing yet.
    pub fn new(model: BuiltinModel) -> Self {
        Self { id: model.model_id(), recipe: model.recipe(), encoder: OnceLock::new() }
    }

    /// Loads the model now (some tenths of a second), if that has not been done. A server calls this from a
    /// thread of its own right after start, so that the first query finds it loaded.
    pub fn load(&self) -> Result<(), EmbedError> {
        self.encoder().map(drop)
    }

    /// Whether a query would be answered without waiting for the model.
    pub fn is_loaded(&self) -> bool {
        self.encoder.get().is_some()
    }

    /// How many tokens of the window a passage takes, with prefix and special tokens. Above
    /// [`ModelInfo::window_tokens`] its end is not embedded.
    pub fn count_passage_tokens(&self, passage: &str) -> Result<usize, EmbedError> {
        self.encoder()?.count_tokens(&self.as_passage(passage))
    }

    fn encoder(&self) -> Result<&SentenceEncoder, EmbedError> {
        let Recipe { info, weights, tokenizer, .. } = self.recipe;
        self.encoder
            .get_or_init(|| {
                SentenceEncoder::load(tokenizer, Graph::Embedded(weights), info.window_tokens, Pooling::Mean)
            })
            .as_ref()
            .map_err(|reason| EmbedError::Load { model: self.id.name.clone(), reason: reason.clone() })
    }

    fn as_passage(&self, text: &str) -> String {
        format!("{}{text}", self.recipe.passage_prefix)
    }
}

impl Embedder for BuiltinEmbedder {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn weight(&self) -> f64 {
        self.recipe.info.weight
    }

    fn answers_seldom_below(&self) -> f64 {
        self.recipe.info.answers_seldom_below
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = passages.iter().map(|passage| self.as_passage(passage)).collect();
        self.encoder()?.encode_all(&texts)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.encoder()?.encode(&format!("{}{query}", self.recipe.query_prefix))
    }
}

#[cfg(test)]
mod tests;
