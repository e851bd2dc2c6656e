//! Models in folders, run by ONNX Runtime through fastembed: a shared library that the owner installs. Without the
//! Cargo feature `fastembed` there is only the refusal.
//!
//! Invariant: the library is loaded, or refused, before anything else of fastembed is called, which would panic
//! without it.

use std::path::Path;

/// What a folder says of its model.
pub(super) struct Parts {
    pub(super) graph: Vec<u8>,
    pub(super) tokenizer: Vec<u8>,
    pub(super) window_tokens: usize,
    pub(super) pooling: super::network::Pooling,
}

#[cfg(feature = "fastembed")]
pub(super) use linked::{Encoder, Scorer};
#[cfg(not(feature = "fastembed"))]
pub(super) use refused::{Encoder, Scorer};

#[cfg(feature = "fastembed")]
mod linked {
    use std::sync::{Mutex, OnceLock, PoisonError};

    use fastembed::{
        InitOptionsUserDefined, RerankInitOptionsUserDefined, TextEmbedding, TextRerank, TokenizerFiles,
        UserDefinedEmbeddingModel, UserDefinedRerankingModel,
    };
    use ort::environment::Environment;
    use serde_json::json;

    use super::super::network::Pooling;
    use super::super::{EmbedError, encoder};
    use super::{Parts, Path};

    /// What the system looks for where no library is named.
    const LIBRARY: &str =
        if cfg!(target_os = "macos") { "libonnxruntime.dylib" } else { "libonnxruntime.so" };

    /// Texts -> unit vectors.
    pub(in super::super) struct Encoder(Mutex<TextEmbedding>);

    impl Encoder {
        /// The error is what the runtime said.
        pub(in super::super) fn load(library: Option<&Path>, parts: Parts) -> Result<Self, String> {
            let environment = environment(library)?;
            let files = tokenizer_files(&parts);
            let pooling = match parts.pooling {
                Pooling::Mean => fastembed::Pooling::Mean,
                Pooling::First => fastembed::Pooling::Cls,
            };
            let model = UserDefinedEmbeddingModel::new(parts.graph, files).with_pooling(pooling);
            let mut options = InitOptionsUserDefined::new().with_max_length(parts.window_tokens);
            options.environment = Some(environment);
            let model = TextEmbedding::try_new_from_user_defined(model, options);
            model.map(|model| Self(Mutex::new(model))).map_err(|error| error.to_string())
        }

        /// One unit vector per text, in order; one text a run, as quantised graphs need it.
        pub(in super::super) fn encode_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            let mut model = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let encode = |text: &String| {
                let vectors =
                    model.embed([text], None).map_err(|error| EmbedError::Run(error.to_string()))?;
                let vector = vectors.into_iter().next();
                vector.map(encoder::unit).ok_or_else(|| EmbedError::Run("it gave no vector".to_owned()))
            };
            texts.iter().map(encode).collect()
        }
    }

    /// Questions and passages -> scores.
    pub(in super::super) struct Scorer(Mutex<TextRerank>);

    impl Scorer {
        /// The error is what the runtime said.
        pub(in super::super) fn load(library: Option<&Path>, parts: Parts) -> Result<Self, String> {
            let environment = environment(library)?;
            let files = tokenizer_files(&parts);
            let model = UserDefinedRerankingModel::new(parts.graph, files);
            let mut options = RerankInitOptionsUserDefined::default();
            options.environment = Some(environment);
            options.max_length = parts.window_tokens;
            let model = TextRerank::try_new_from_user_defined(model, options);
            model.map(|model| Self(Mutex::new(model))).map_err(|error| error.to_string())
        }

        /// One score per passage, in order; one passage a run.
        pub(in super::super) fn score(
            &self,
            query: &str,
            passages: &[String],
        ) -> Result<Vec<f64>, EmbedError> {
            let mut model = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let score = |passage: &String| {
                let scored = model.rerank(query, [passage.as_str()], false, None);
                let scored = scored.map_err(|error| EmbedError::Run(error.to_string()))?;
                let first = scored.first().map(|scored| f64::from(scored.score));
                first.ok_or_else(|| EmbedError::Run("it gave no score".to_owned()))
            };
            passages.iter().map(score).collect()
        }
    }

    /// Loads the library, once in a process.
    fn environment(library: Option<&Path>) -> Result<Environment, String> {
        static ENVIRONMENT: OnceLock<Result<Environment, String>> = OnceLock::new();
        let load = || {
            let library = library.unwrap_or(Path::new(LIBRARY));
            let builder = ort::init_from(library).map_err(|error| {
                format!("ONNX Runtime cannot be loaded from {}: {error}", library.display())
            })?;
            builder.build().map_err(|error| error.to_string())
        };
        ENVIRONMENT.get_or_init(load).clone()
    }

    /// What fastembed wants to know beside the tokenizer, whether or not the folder has it.
    fn tokenizer_files(parts: &Parts) -> TokenizerFiles {
        let config = json!({ "model_max_length": parts.window_tokens, "pad_token": "[PAD]" });
        TokenizerFiles {
            tokenizer_file: parts.tokenizer.clone(),
            config_file: b"{\"pad_token_id\": 0}".to_vec(),
            special_tokens_map_file: b"{}".to_vec(),
            tokenizer_config_file: config.to_string().into_bytes(),
        }
    }
}

#[cfg(not(feature = "fastembed"))]
mod refused {
    use std::convert::Infallible;

    use super::super::EmbedError;
    use super::{Parts, Path};

    const NOT_LINKED: &str = "this obsearch was built without fastembed; build it with `--features fastembed`, or write backend = \"local\"";

    /// There is none.
    pub(in super::super) struct Encoder(Infallible);

    impl Encoder {
        pub(in super::super) fn load(_: Option<&Path>, _: Parts) -> Result<Self, String> {
            Err(NOT_LINKED.to_owned())
        }

        pub(in super::super) fn encode_all(&self, _: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            match self.0 {}
        }
    }

    /// There is none.
    pub(in super::super) struct Scorer(Infallible);

    impl Scorer {
        pub(in super::super) fn load(_: Option<&Path>, _: Parts) -> Result<Self, String> {
            Err(NOT_LINKED.to_owned())
        }

        pub(in super::super) fn score(&self, _: &str, _: &[String]) -> Result<Vec<f64>, EmbedError> {
            match self.0 {}
        }
    }
}
