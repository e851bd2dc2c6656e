//! Meaning as numbers: text -> vectors. Knows neither notes nor the index.

mod builtin;
mod choose;
mod encoder;
mod models;
mod network;
#[doc(hidden)]
pub mod testing;

use std::fmt;

pub use builtin::{BuiltinEmbedder, BuiltinModel, ModelInfo};
pub use choose::choose_model;
pub use models::{BuiltinModels, Choice, ModelPolicy, Models};

/// Which model made a vector: vectors of two models never mix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelId {
    /// A name people know, such as `multilingual-e5-small-96k`.
    pub name: String,
    /// BLAKE3 of the weights, the tokenizer and the pooling recipe, 16 hex digits.
    pub fingerprint: String,
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.fingerprint)
    }
}

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model could not be loaded.
    #[error("the embedding model {model} could not be loaded: {reason}")]
    Load {
        /// The model's name.
        model: String,
        /// What the runtime said.
        reason: String,
    },
    /// The model failed on a text.
    #[error("the embedding model failed: {0}")]
    Run(String),
}

/// Turns text into vectors of unit length.
pub trait Embedder: Send + Sync {
    /// The model behind it.
    fn model(&self) -> &ModelId;
    /// Length of every vector.
    fn dimensions(&self) -> usize;
    /// How much its judgement counts where words have one too, 0 to 1. Measured for each model (see
    /// `evals/README.md`): more loses exact words, less loses paraphrases.
    fn weight(&self) -> f64;
    /// The cosine below which the passage nearest to a question seldom lies if the notes answer it.
    fn answers_seldom_below(&self) -> f64;
    /// One unit vector per passage, in order.
    fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
    /// The unit vector of a query.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError>;
}
