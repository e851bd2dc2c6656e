//! Meaning as numbers: text -> vectors. Knows neither notes nor the index.

mod builtin;
mod choose;
mod cross;
mod encoder;
mod endpoint;
mod known;
mod lanes;
mod local;
mod models;
mod network;
mod onnxruntime;
mod remote;
mod rerank;
#[doc(hidden)]
pub mod testing;
mod tokens;
mod unigram;

use std::fmt;

pub use builtin::{BuiltinEmbedder, BuiltinModel, ModelInfo};
pub use choose::choose_model;
pub use endpoint::IsAllowed;
pub use local::{GRAPHS, LocalEmbedder, LocalModel, LocalReranker, Runtime, SETTINGS, TOKENIZER};
pub use models::{BuiltinModels, Choice, LocalModels, ModelPolicy, Models, RemoteModels};
pub use remote::{Protocol, RemoteEmbedder, RemoteModel};
pub use rerank::{RemoteReranker, Reranker};

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
    /// A server that runs models was not there, refused, or answered something else.
    #[error("the model server {base_url} {reason}")]
    Endpoint {
        /// As configured.
        base_url: String,
        /// In words that hold nothing of what the server said.
        reason: String,
    },
    /// The model makes vectors of another length than those of the index.
    #[error("the embedding model makes vectors of {found} components, the index has {expected}")]
    Dimensions {
        /// In the index.
        expected: usize,
        /// Of the model.
        found: usize,
    },
}

impl EmbedError {
    /// What the owner can do.
    pub fn fix(&self) -> &'static str {
        match self {
            EmbedError::Load { .. } | EmbedError::Run(_) => {
                "Write another `model` under [embeddings], or backend = \"none\"."
            }
            EmbedError::Endpoint { .. } => {
                "See that the server of [embeddings] runs and has the model, then run `obsearch index`."
            }
            EmbedError::Dimensions { .. } => "The model is another one now: run `obsearch index --rebuild`.",
        }
    }
}

/// Fails if vectors of so many components are not as long as those of an index.
pub fn check_dimensions(found: usize, expected: usize) -> Result<(), EmbedError> {
    if found == expected { Ok(()) } else { Err(EmbedError::Dimensions { expected, found }) }
}

/// Turns text into vectors of unit length.
pub trait Embedder: Send + Sync {
    /// The model behind it.
    fn model(&self) -> &ModelId;
    /// How much its judgement counts where words have one too, 0 to 1. Measured for each model (see
    /// `evals/README.md`): more loses exact words, less loses paraphrases.
    fn weight(&self) -> f64;
    /// The cosine below which the passage nearest to a question seldom lies if the notes answer it.
    fn answers_seldom_below(&self) -> f64;
    /// Does it work, whatever the text, and make vectors of this length? A model that runs elsewhere may be
    /// gone, or another one.
    fn check(&self, _dimensions: usize) -> Result<(), EmbedError> {
        Ok(())
    }
    /// May a call take so long that whoever waits must be able to leave?
    fn may_take_long(&self) -> bool {
        false
    }
    /// One unit vector per passage, in order.
    fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
    /// The unit vector of a query.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError>;
}
