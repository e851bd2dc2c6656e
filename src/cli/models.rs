//! From a configuration to the models of each profile.

use std::sync::Arc;

use crate::config::{
    Config, Embeddings, ModelChoice, ModelFolder, ModelServer, Protocol, Reranking, Runtime, Secret,
};
use crate::embed::{
    self, BuiltinModel, BuiltinModels, IsAllowed, LocalModel, LocalModels, LocalReranker, ModelPolicy,
    Models, RemoteModel, RemoteModels, RemoteReranker, Reranker,
};
use crate::sync::ModelsByProfile;
use crate::vault::Profile;

/// The models as configured. Where texts of private notes may not be sent, a model inside reads those.
pub(super) fn by_profile(config: &Config) -> ModelsByProfile {
    if let Embeddings::Server { server, .. } = &config.embeddings {
        // Each its own: whether a server answered a private query shows in no public answer.
        let full = if server.may_see_private { models(config) } else { builtin(ModelPolicy::Auto) };
        return ModelsByProfile { public: models(config), full };
    }
    let both = models(config);
    ModelsByProfile { public: Arc::clone(&both), full: both }
}

/// No models: nothing is embedded.
pub(super) fn none() -> ModelsByProfile {
    ModelsByProfile { public: builtin(ModelPolicy::None), full: builtin(ModelPolicy::None) }
}

fn models(config: &Config) -> Arc<dyn Models> {
    match &config.embeddings {
        Embeddings::None => builtin(ModelPolicy::None),
        Embeddings::Builtin(ModelChoice::Auto) => builtin(ModelPolicy::Auto),
        Embeddings::Builtin(ModelChoice::Multilingual) => {
            builtin(ModelPolicy::Fixed(BuiltinModel::Multilingual))
        }
        Embeddings::Builtin(ModelChoice::English) => builtin(ModelPolicy::Fixed(BuiltinModel::English)),
        Embeddings::Local { model, query_prefix, passage_prefix } => Arc::new(LocalModels::new(LocalModel {
            runtime: runtime(&model.runtime),
            folder: model.folder.clone(),
            name: model.name.clone(),
            query_prefix: query_prefix.clone(),
            passage_prefix: passage_prefix.clone(),
        })),
        Embeddings::Server { protocol, server, model, query_prefix, passage_prefix } => {
            let model = RemoteModel {
                protocol: match protocol {
                    Protocol::Ollama => embed::Protocol::Ollama,
                    Protocol::OpenAi => embed::Protocol::OpenAi,
                },
                base_url: server.base_url.clone(),
                name: model.clone(),
                key: server.key.as_ref().map(Secret::expose).map(str::to_owned),
                query_prefix: query_prefix.clone(),
                passage_prefix: passage_prefix.clone(),
            };
            Arc::new(RemoteModels::new(&model, is_allowed(config, server)))
        }
    }
}

/// A server here may always be asked; one elsewhere while the configuration says so.
fn is_allowed(config: &Config, server: &ModelServer) -> IsAllowed {
    if server.is_here { Arc::new(|| true) } else { Arc::clone(&config.models_are_current) }
}

/// The reranker as configured, if this profile's notes may be sent to it.
pub(super) fn reranker(config: &Config, profile: Profile) -> Option<Arc<dyn Reranker>> {
    match config.reranking.as_ref()? {
        Reranking::Local(ModelFolder { runtime: by, name, folder }) => {
            Some(Arc::new(LocalReranker::new(runtime(by), folder.clone(), name.clone())))
        }
        Reranking::Server { server, .. } if profile == Profile::Full && !server.may_see_private => None,
        Reranking::Server { server, model } => {
            let key = server.key.as_ref().map(Secret::expose);
            Some(Arc::new(RemoteReranker::new(
                &server.base_url,
                model.clone(),
                key,
                is_allowed(config, server),
            )))
        }
    }
}

fn runtime(configured: &Runtime) -> embed::Runtime {
    match configured {
        Runtime::Inside => embed::Runtime::Inside,
        Runtime::OnnxRuntime(library) => embed::Runtime::OnnxRuntime(library.clone()),
    }
}

fn builtin(policy: ModelPolicy) -> Arc<dyn Models> {
    Arc::new(BuiltinModels::new(policy))
}
