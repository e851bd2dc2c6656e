//! `[embeddings]` and `[rerank]`: which models, and where they run.
//!
//! Invariant: what is resolved here sends no text to another machine unless the owner wrote that it may, for
//! private notes in a line of its own.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::explain::{self, Refusal};
use super::{Environment, Secret};

/// `[embeddings]` as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EmbeddingsSection {
    backend: Backend,
    model: Option<Spanned<String>>,
    runtime: Option<Spanned<String>>,
    base_url: Option<Spanned<String>>,
    api_key_env: Option<Spanned<String>>,
    query_prefix: Option<Spanned<String>>,
    passage_prefix: Option<Spanned<String>>,
    allow_remote: bool,
    allow_remote_full: bool,
}

/// What makes vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Backend {
    #[default]
    Builtin,
    Local,
    FastEmbed,
    Ollama,
    OpenAi,
    None,
}

/// `[rerank]` as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RerankSection {
    backend: RerankBackend,
    model: Option<Spanned<String>>,
    runtime: Option<Spanned<String>>,
    base_url: Option<Spanned<String>>,
    api_key_env: Option<Spanned<String>>,
    allow_remote: bool,
    allow_remote_full: bool,
}

/// What reranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RerankBackend {
    #[default]
    None,
    Local,
    FastEmbed,
    Http,
}

/// Where vectors come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Embeddings {
    /// Nowhere: keyword search only.
    None,
    /// A model compiled into the binary.
    Builtin(ModelChoice),
    /// A model in a folder.
    Local {
        /// Which.
        model: ModelFolder,
        /// Comes before a query; what the folder says, or the model is known to want, if left out.
        query_prefix: Option<String>,
        /// Comes before a passage.
        passage_prefix: Option<String>,
    },
    /// A model that another program runs.
    Server {
        /// What it speaks.
        protocol: Protocol,
        /// Where it is.
        server: ModelServer,
        /// The model's name there.
        model: String,
        /// Comes before a query; what the model is known to want if left out.
        query_prefix: Option<String>,
        /// Comes before a passage.
        passage_prefix: Option<String>,
    },
}

/// Which of the built-in models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ModelChoice {
    /// English for a vault that is nearly all English, else multilingual; fixed at the first
    /// index run.
    #[default]
    Auto,
    /// About a hundred languages.
    Multilingual,
    /// English only.
    English,
}

/// What a server for embeddings speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Ollama's own.
    Ollama,
    /// That of `OpenAI`, which most others speak too.
    OpenAi,
}

/// A program that runs models, here or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelServer {
    /// `http://` or `https://`, a host, and a path.
    pub base_url: String,
    /// For servers that want one.
    pub key: Option<Secret>,
    /// Is it on this machine?
    pub is_here: bool,
    /// May texts of private notes be sent there? Always where it runs on this machine.
    pub may_see_private: bool,
}

/// What runs a model of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// The one inside.
    Inside,
    /// ONNX Runtime, a shared library at this path or where the system looks for it.
    OnnxRuntime(Option<PathBuf>),
}

/// A model in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFolder {
    /// What runs it.
    pub runtime: Runtime,
    /// As written.
    pub name: String,
    /// Where it is, or would be.
    pub folder: PathBuf,
}

/// What reranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reranking {
    /// A cross-encoder in a folder.
    Local(ModelFolder),
    /// `POST base_url` with the query and passages.
    Server {
        /// Where it is.
        server: ModelServer,
        /// The model's name there, if it needs one.
        model: Option<String>,
    },
}

/// Below the cache folder: models by their names.
const MODELS: &str = "models";

impl ModelFolder {
    /// Finds the folder of a model: a path, or the name of one that `obsearch model pull` fetched.
    pub fn find(name: &str, environment: &Environment) -> Option<ModelFolder> {
        let home = environment.home.as_deref();
        let folder = if name.starts_with(['/', '~']) {
            super::expand_home(name, home).ok()?
        } else {
            environment.cache_dir()?.join(MODELS).join(file_name(name))
        };
        Some(ModelFolder { runtime: Runtime::Inside, name: name.to_owned(), folder })
    }
}

/// The folder of all models that were fetched; none without a home folder.
pub fn models_dir(environment: &Environment) -> Option<PathBuf> {
    Some(environment.cache_dir()?.join(MODELS))
}

/// `owner/model` as the name of one folder.
fn file_name(name: &str) -> String {
    name.replace('/', "--").trim_start_matches('.').to_owned()
}

const OLLAMA: &str = "http://127.0.0.1:11434";

impl EmbeddingsSection {
    /// Understands the section; `bytes` is the text of the file.
    pub(super) fn resolve(&self, bytes: &[u8], environment: &Environment) -> Result<Embeddings, Refusal> {
        let protocol = match self.backend {
            Backend::None => return Ok(Embeddings::None),
            Backend::Builtin => return self.builtin(bytes),
            Backend::Local => return self.local(Runtime::Inside, bytes, environment),
            Backend::FastEmbed => {
                let runtime = onnx_runtime(self.runtime.as_ref(), bytes, environment)?;
                return self.local(runtime, bytes, environment);
            }
            Backend::Ollama => Protocol::Ollama,
            Backend::OpenAi => Protocol::OpenAi,
        };
        let Some(model) = self.model.as_ref().filter(|model| !model.get_ref().trim().is_empty()) else {
            return Err(explain::missing_key(bytes, "embeddings", "model", r#"model = "nomic-embed-text""#));
        };
        let default_url = (protocol == Protocol::Ollama).then_some(OLLAMA);
        Ok(Embeddings::Server {
            protocol,
            server: self.location().server(bytes, environment, default_url)?,
            model: model.get_ref().trim().to_owned(),
            query_prefix: text(self.query_prefix.as_ref()),
            passage_prefix: text(self.passage_prefix.as_ref()),
        })
    }

    fn builtin(&self, bytes: &[u8]) -> Result<Embeddings, Refusal> {
        let of_servers = [&self.base_url, &self.api_key_env, &self.query_prefix, &self.passage_prefix];
        if let Some(written) = of_servers.into_iter().flatten().next() {
            let problem = "the models inside need no server";
            let fix = r#"Remove the line, or write backend = "ollama" or "openai"."#;
            return Err(explain::bad_line(bytes, &written.span(), problem, fix));
        }
        let Some(model) = &self.model else { return Ok(Embeddings::Builtin(ModelChoice::Auto)) };
        match &**model.get_ref() {
            "auto" => Ok(Embeddings::Builtin(ModelChoice::Auto)),
            "multilingual" => Ok(Embeddings::Builtin(ModelChoice::Multilingual)),
            "english" => Ok(Embeddings::Builtin(ModelChoice::English)),
            _ => {
                let problem = "there is no such model inside";
                let fix = r#"Write model = "auto", "multilingual" or "english", or another backend."#;
                Err(explain::bad_line(bytes, &model.span(), problem, fix))
            }
        }
    }

    fn local(
        &self,
        runtime: Runtime,
        bytes: &[u8],
        environment: &Environment,
    ) -> Result<Embeddings, Refusal> {
        Ok(Embeddings::Local {
            model: local_model("embeddings", runtime, self.model.as_ref(), bytes, environment)?,
            query_prefix: text(self.query_prefix.as_ref()),
            passage_prefix: text(self.passage_prefix.as_ref()),
        })
    }

    fn location(&self) -> Location<'_> {
        Location {
            section: "embeddings",
            base_url: self.base_url.as_ref(),
            api_key_env: self.api_key_env.as_ref(),
            allow_remote: self.allow_remote,
            allow_remote_full: self.allow_remote_full,
        }
    }
}

impl RerankSection {
    /// Understands the section; none if nothing is to rerank.
    pub(super) fn resolve(
        &self,
        bytes: &[u8],
        environment: &Environment,
    ) -> Result<Option<Reranking>, Refusal> {
        match self.backend {
            RerankBackend::None => return Ok(None),
            RerankBackend::Local | RerankBackend::FastEmbed => {
                let runtime = if self.backend == RerankBackend::Local {
                    Runtime::Inside
                } else {
                    onnx_runtime(self.runtime.as_ref(), bytes, environment)?
                };
                let model = local_model("rerank", runtime, self.model.as_ref(), bytes, environment)?;
                return Ok(Some(Reranking::Local(model)));
            }
            RerankBackend::Http => {}
        }
        let location = Location {
            section: "rerank",
            base_url: self.base_url.as_ref(),
            api_key_env: self.api_key_env.as_ref(),
            allow_remote: self.allow_remote,
            allow_remote_full: self.allow_remote_full,
        };
        let server = location.server(bytes, environment, None)?;
        Ok(Some(Reranking::Server { server, model: text(self.model.as_ref()) }))
    }
}

/// ONNX Runtime, where it was said to be.
fn onnx_runtime(
    written: Option<&Spanned<String>>,
    bytes: &[u8],
    environment: &Environment,
) -> Result<Runtime, Refusal> {
    let Some(written) = written else { return Ok(Runtime::OnnxRuntime(None)) };
    let library = super::expand_home(written.get_ref(), environment.home.as_deref());
    let library =
        library.map_err(|(problem, fix)| explain::bad_line(bytes, &written.span(), problem, &fix))?;
    Ok(Runtime::OnnxRuntime(Some(library)))
}

fn local_model(
    section: &str,
    runtime: Runtime,
    model: Option<&Spanned<String>>,
    bytes: &[u8],
    environment: &Environment,
) -> Result<ModelFolder, Refusal> {
    let Some(model) = model.filter(|model| !model.get_ref().trim().is_empty()) else {
        return Err(explain::missing_key(bytes, section, "model", r#"model = "~/models/bge-small""#));
    };
    let found = ModelFolder::find(model.get_ref().trim(), environment);
    found.map(|found| ModelFolder { runtime, ..found }).ok_or_else(|| {
        let fix = "Write the whole path of its folder, or a name that `obsearch model list` shows.";
        explain::bad_line(bytes, &model.span(), "there can be no such folder", fix)
    })
}

/// The keys of a section that say where a server is.
struct Location<'a> {
    section: &'static str,
    base_url: Option<&'a Spanned<String>>,
    api_key_env: Option<&'a Spanned<String>>,
    allow_remote: bool,
    allow_remote_full: bool,
}

impl Location<'_> {
    fn server(
        &self,
        bytes: &[u8],
        environment: &Environment,
        default_url: Option<&str>,
    ) -> Result<ModelServer, Refusal> {
        let (url, place) = match (self.base_url, default_url) {
            (Some(url), _) => (url.get_ref().trim(), url.span()),
            (None, Some(url)) => (url, 0..0),
            (None, None) => {
                let example = r#"base_url = "http://127.0.0.1:8080/v1""#;
                return Err(explain::missing_key(bytes, self.section, "base_url", example));
            }
        };
        let refuse = |problem: &str, fix: &str| Err(explain::bad_line(bytes, &place, problem, fix));
        let Some(is_here) = is_on_this_machine(url) else {
            return refuse("it is no address of a server", "Write it like \"http://127.0.0.1:8080/v1\".");
        };
        if !is_here && !self.allow_remote {
            return refuse(
                "texts of your notes would leave this machine",
                "Name a server on this machine, or add allow_remote = true if the public notes may go there.",
            );
        }
        Ok(ModelServer {
            base_url: url.to_owned(),
            key: self.api_key_env.and_then(|name| environment.variable(name.get_ref())),
            is_here,
            may_see_private: is_here || self.allow_remote_full,
        })
    }
}

/// Is it a URL of a server here, as against one elsewhere? `None` if it is none.
fn is_on_this_machine(url: &str) -> Option<bool> {
    let uri: http::Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    let host = authority.host();
    let written = authority.port().map_or(host.to_owned(), |port| format!("{host}:{}", port.as_str()));
    let is_plain = matches!(uri.scheme_str(), Some("http" | "https"))
        // Nothing before the host, and nothing between its brackets and the port.
        && authority.as_str() == written
        && uri.query().is_none()
        && !url.contains('#')
        && !host.is_empty();
    let address: Option<IpAddr> = match host.strip_prefix('[') {
        Some(inside) => Some(IpAddr::V6(inside.strip_suffix(']')?.parse().ok()?)),
        None if host.contains(['[', ']']) => return None,
        None => host.parse().ok(),
    };
    let is_loopback = address.map(|address| address.to_canonical().is_loopback());
    is_plain.then(|| is_loopback.unwrap_or_else(|| host.eq_ignore_ascii_case("localhost")))
}

fn text(written: Option<&Spanned<String>>) -> Option<String> {
    written.map(|written| written.get_ref().clone())
}

#[cfg(test)]
mod tests;
