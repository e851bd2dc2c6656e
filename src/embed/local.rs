//! Models in folders: what a sentence-transformers export holds, read as it is.
//!
//! Invariant: nothing is fetched. The folder's files decide which vectors a text gets, and so they make the
//! identity of the model.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use super::cross::CrossEncoder;
use super::encoder::SentenceEncoder;
use super::known::{Prefixes, prefixes_of};
use super::network::{Graph, Pooling};
use super::onnxruntime::{self, Parts};
use super::{EmbedError, Embedder, ModelId, Reranker, check_dimensions};

/// What runs a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// The one inside.
    Inside,
    /// ONNX Runtime, a shared library at this path or where the system looks for it.
    OnnxRuntime(Option<PathBuf>),
}

/// A folder with a model in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalModel {
    /// What runs it.
    pub runtime: Runtime,
    /// Holds an ONNX graph and a `tokenizer.json`.
    pub folder: PathBuf,
    /// For people, and part of the identity.
    pub name: String,
    /// Comes before a query; what the folder says, or the model is known to want, if left out.
    pub query_prefix: Option<String>,
    /// Comes before a passage.
    pub passage_prefix: Option<String>,
}

/// Where exporters put the graph, the smallest first: it is the fastest, and as good in what was seen.
pub const GRAPHS: [&str; 7] = [
    "model_quantized.onnx",
    "model_int8.onnx",
    "model.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_qint8_avx512_vnni.onnx",
    "onnx/model.onnx",
];
/// The file that says how text is cut into tokens.
pub const TOKENIZER: &str = "tokenizer.json";
/// Files that say how the model is to be used; each may be missing.
pub const SETTINGS: [&str; 5] = [
    "config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
];
/// Longer windows are not used: passages are far shorter, and time grows with the square.
const MOST_WINDOW_TOKENS: u64 = 1024;
const MOST_BYTES: u64 = 4 << 30;
const PROBE: &str = "obsearch";

/// A folder's files.
struct Files<'a>(&'a Path);

impl Files<'_> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a model's folder, which configuration keeps out of the vault"
    )]
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let file = self.0.join(name);
        // A pipe would never end.
        let is_file = std::fs::metadata(&file).is_ok_and(|seen| seen.is_file() && seen.len() <= MOST_BYTES);
        if !is_file {
            return Err(format!("{name} is no file, or larger than 4 GiB"));
        }
        std::fs::read(file).map_err(|error| format!("{name}: {error}"))
    }

    fn parts(&self) -> Result<Parts, String> {
        Ok(Parts {
            graph: self.graph()?,
            tokenizer: self.read(TOKENIZER)?,
            window_tokens: self.window_tokens(),
            pooling: self.pooling(),
        })
    }

    fn graph(&self) -> Result<Vec<u8>, String> {
        let found = GRAPHS.into_iter().find_map(|name| self.read(name).ok());
        found.ok_or_else(|| format!("there is no model.onnx in {}", self.0.display()))
    }

    fn settings(&self, name: &str) -> Value {
        self.read(name).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// The longest text, in tokens with special ones.
    fn window_tokens(&self) -> usize {
        let config = self.settings("config.json");
        // Models of RoBERTa's kind count positions from behind the padding token's number.
        let first = config["pad_token_id"].as_u64().filter(|pad| *pad > 0).map_or(0, |pad| pad + 1);
        let stated = [
            self.settings("sentence_bert_config.json")["max_seq_length"].as_u64(),
            config["max_position_embeddings"].as_u64().map(|positions| positions.saturating_sub(first)),
            self.settings("tokenizer_config.json")["model_max_length"].as_u64(),
        ];
        let window = stated.into_iter().flatten().filter(|window| *window >= 8).min().unwrap_or(512);
        usize::try_from(window.min(MOST_WINDOW_TOKENS)).unwrap_or(512)
    }

    fn pooling(&self) -> Pooling {
        let settings = self.settings("1_Pooling/config.json");
        if settings["pooling_mode_cls_token"] == true { Pooling::First } else { Pooling::Mean }
    }

    fn prefixes(&self, name: &str) -> Prefixes {
        let prompts = &self.settings("config_sentence_transformers.json")["prompts"];
        let known = prefixes_of(name);
        let prompt = |names: &[&str], known| {
            let stated = names.iter().find_map(|name| prompts[*name].as_str());
            stated.filter(|prompt| !prompt.is_empty()).map_or(known, str::to_owned)
        };
        Prefixes {
            query: prompt(&["query", "search_query"], known.query),
            passage: prompt(&["document", "passage", "search_document"], known.passage),
        }
    }
}

/// What makes vectors.
enum Encoder {
    Inside(Box<SentenceEncoder>),
    OnnxRuntime(Box<onnxruntime::Encoder>),
}

impl Encoder {
    fn load(runtime: &Runtime, parts: Parts) -> Result<Self, String> {
        match runtime {
            Runtime::Inside => {
                let Parts { graph, tokenizer, window_tokens, pooling } = parts;
                let encoder = SentenceEncoder::load(&tokenizer, Graph::Read(graph), window_tokens, pooling);
                encoder.map(|encoder| Encoder::Inside(Box::new(encoder)))
            }
            Runtime::OnnxRuntime(library) => {
                let encoder = onnxruntime::Encoder::load(library.as_deref(), parts)?;
                Ok(Encoder::OnnxRuntime(Box::new(encoder)))
            }
        }
    }

    fn encode_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self {
            Encoder::Inside(encoder) => encoder.encode_all(texts),
            Encoder::OnnxRuntime(encoder) => encoder.encode_all(texts),
        }
    }

    fn encode(&self, text: String) -> Result<Vec<f32>, EmbedError> {
        Ok(self.encode_all(&[text])?.remove(0))
    }
}

/// What makes scores.
enum Scorer {
    Inside(Box<CrossEncoder>),
    OnnxRuntime(Box<onnxruntime::Scorer>),
}

/// What was read of a folder.
struct Loaded {
    id: ModelId,
    prefixes: Prefixes,
    encoder: Encoder,
}

/// Embeds with a model of a folder, which is read when first needed.
pub struct LocalEmbedder {
    model: LocalModel,
    loaded: OnceLock<Result<Loaded, String>>,
    /// What it is called while it cannot be read.
    unread: ModelId,
}

impl LocalEmbedder {
    /// Reads nothing yet.
    pub fn new(model: LocalModel) -> Self {
        let unread = ModelId { name: model.name.clone(), fingerprint: String::new() };
        Self { model, loaded: OnceLock::new(), unread }
    }

    /// Length of the model's vectors.
    pub fn dimensions(&self) -> Result<usize, EmbedError> {
        Ok(self.loaded()?.encoder.encode(PROBE.to_owned())?.len())
    }

    fn loaded(&self) -> Result<&Loaded, EmbedError> {
        let loaded = self.loaded.get_or_init(|| load(&self.model)).as_ref();
        loaded.map_err(|reason| load_error(&self.model.name, reason))
    }
}

fn load_error(model: &str, reason: &str) -> EmbedError {
    EmbedError::Load { model: model.to_owned(), reason: reason.to_owned() }
}

fn load(model: &LocalModel) -> Result<Loaded, String> {
    let files = Files(&model.folder);
    let stated = files.prefixes(&model.name);
    let prefixes = Prefixes {
        query: model.query_prefix.clone().unwrap_or(stated.query),
        passage: model.passage_prefix.clone().unwrap_or(stated.passage),
    };
    let parts = files.parts()?;
    let fingerprint = fingerprint(&parts, &prefixes, &model.runtime);
    let encoder = Encoder::load(&model.runtime, parts)?;
    Ok(Loaded { id: ModelId { name: model.name.replace('@', "-"), fingerprint }, prefixes, encoder })
}

/// Over everything that decides which vector a text gets; the runtimes round differently.
fn fingerprint(parts: &Parts, prefixes: &Prefixes, runtime: &Runtime) -> String {
    let runtime = match runtime {
        Runtime::Inside => "inside",
        Runtime::OnnxRuntime(_) => "onnxruntime",
    };
    let Parts { graph, tokenizer, window_tokens, pooling } = parts;
    let recipe = format!("{runtime} {pooling:?} {window_tokens}\n{}\n{}", prefixes.query, prefixes.passage);
    let mut hasher = blake3::Hasher::new();
    for part in [recipe.as_bytes(), tokenizer, graph] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

impl Embedder for LocalEmbedder {
    fn model(&self) -> &ModelId {
        self.loaded().map_or(&self.unread, |loaded| &loaded.id)
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

    fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let Loaded { prefixes, encoder, .. } = self.loaded()?;
        let texts: Vec<String> =
            passages.iter().map(|passage| format!("{}{passage}", prefixes.passage)).collect();
        encoder.encode_all(&texts)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let Loaded { prefixes, encoder, .. } = self.loaded()?;
        encoder.encode(format!("{}{query}", prefixes.query))
    }
}

/// Reranks with a cross-encoder of a folder, which is read when first needed.
pub struct LocalReranker {
    runtime: Runtime,
    folder: PathBuf,
    name: String,
    loaded: OnceLock<Result<Scorer, String>>,
}

impl LocalReranker {
    /// Reads nothing yet.
    pub fn new(runtime: Runtime, folder: PathBuf, name: String) -> Self {
        Self { runtime, folder, name, loaded: OnceLock::new() }
    }

    fn load(&self) -> Result<Scorer, String> {
        let parts = Files(&self.folder).parts()?;
        match &self.runtime {
            Runtime::Inside => {
                let Parts { graph, tokenizer, window_tokens, .. } = parts;
                let encoder = CrossEncoder::load(&tokenizer, Graph::Read(graph), window_tokens)?;
                Ok(Scorer::Inside(Box::new(encoder)))
            }
            Runtime::OnnxRuntime(library) => {
                let scorer = onnxruntime::Scorer::load(library.as_deref(), parts)?;
                Ok(Scorer::OnnxRuntime(Box::new(scorer)))
            }
        }
    }
}

impl Reranker for LocalReranker {
    fn score(&self, query: &str, passages: &[String]) -> Result<Vec<f64>, EmbedError> {
        let scorer = self.loaded.get_or_init(|| self.load());
        match scorer.as_ref().map_err(|reason| load_error(&self.name, reason))? {
            Scorer::Inside(encoder) => encoder.score(query, passages),
            Scorer::OnnxRuntime(scorer) => scorer.score(query, passages),
        }
    }
}

#[cfg(test)]
mod tests;
