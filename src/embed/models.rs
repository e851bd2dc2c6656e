//! Which model a tree is built with, and the embedder for a tree that is there.

use std::sync::{Arc, OnceLock};

use super::{
    BuiltinEmbedder, BuiltinModel, EmbedError, Embedder, IsAllowed, LocalEmbedder, LocalModel, ModelId,
    RemoteEmbedder, RemoteModel, choose_model,
};

/// What the owner configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPolicy {
    /// No vectors.
    None,
    /// Chosen from the notes when a tree is built, kept until it is rebuilt.
    Auto,
    /// This one.
    Fixed(BuiltinModel),
}

/// A model for a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Recorded in the tree.
    pub id: ModelId,
    /// Length of its vectors.
    pub dimensions: usize,
    /// No component of its unit vectors should lie farther from zero: what does is clipped when the vector is
    /// stored with a byte per component.
    pub largest_component: f64,
}

/// The largest component seen of the built-in models was 0.224 (see `evals/README.md`).
const LARGEST_OF_BUILTIN: f64 = 0.25;

/// For a model that was not measured: ten times what a component has if all are alike, which for 384 of them is
/// twice what the built-in models need.
fn largest_component(dimensions: usize) -> f64 {
    (10.0 / (dimensions as f64).sqrt()).min(1.0)
}

/// Provides embedders. One per process: a loaded model takes tens of megabytes.
pub trait Models: Send + Sync {
    /// The model for a new tree of these notes, `None` for words only.
    fn choose(&self, sample: &[&str]) -> Result<Option<Choice>, EmbedError>;
    /// Could a new tree have vectors now? A model that runs elsewhere may be gone.
    fn check(&self) -> Result<(), EmbedError> {
        Ok(())
    }
    /// May a tree with this model (as [`ModelId`] prints it, or none) be kept?
    fn accepts(&self, model: Option<&str>) -> bool;
    /// The embedder of a tree with this model.
    fn embedder(&self, model: &str) -> Option<Arc<dyn Embedder>>;
}

/// The models inside the binary, each loaded once, when first needed.
pub struct BuiltinModels {
    policy: ModelPolicy,
    multilingual: OnceLock<Arc<BuiltinEmbedder>>,
    english: OnceLock<Arc<BuiltinEmbedder>>,
}

impl BuiltinModels {
    /// Loads nothing yet.
    pub fn new(policy: ModelPolicy) -> Self {
        Self { policy, multilingual: OnceLock::new(), english: OnceLock::new() }
    }

    fn get(&self, model: BuiltinModel) -> Arc<BuiltinEmbedder> {
        let cell = match model {
            BuiltinModel::Multilingual => &self.multilingual,
            BuiltinModel::English => &self.english,
        };
        Arc::clone(cell.get_or_init(|| Arc::new(BuiltinEmbedder::new(model))))
    }

    fn allowed(&self) -> &[BuiltinModel] {
        match &self.policy {
            ModelPolicy::None => &[],
            ModelPolicy::Auto => &BuiltinModel::ALL,
            ModelPolicy::Fixed(model) => std::slice::from_ref(model),
        }
    }

    /// The allowed model with this printed identity.
    fn find(&self, id: &str) -> Option<BuiltinModel> {
        self.allowed().iter().copied().find(|model| model.model_id().to_string() == id)
    }
}

impl Models for BuiltinModels {
    fn choose(&self, sample: &[&str]) -> Result<Option<Choice>, EmbedError> {
        let model = match self.policy {
            ModelPolicy::None => return Ok(None),
            ModelPolicy::Auto => choose_model(sample.iter().copied()),
            ModelPolicy::Fixed(model) => model,
        };
        Ok(Some(Choice {
            id: model.model_id(),
            dimensions: model.info().dimensions,
            largest_component: LARGEST_OF_BUILTIN,
        }))
    }

    fn accepts(&self, model: Option<&str>) -> bool {
        model.map_or(self.policy == ModelPolicy::None, |id| self.find(id).is_some())
    }

    fn embedder(&self, model: &str) -> Option<Arc<dyn Embedder>> {
        self.find(model).map(|model| self.get(model) as Arc<dyn Embedder>)
    }
}

/// One model on a server.
pub struct RemoteModels {
    id: String,
    embedder: Arc<RemoteEmbedder>,
}

impl RemoteModels {
    /// Asks nothing yet.
    pub fn new(model: &RemoteModel, is_allowed: IsAllowed) -> Self {
        Self { id: model.model_id().to_string(), embedder: Arc::new(RemoteEmbedder::new(model, is_allowed)) }
    }
}

impl Models for RemoteModels {
    fn choose(&self, _: &[&str]) -> Result<Option<Choice>, EmbedError> {
        let dimensions = self.embedder.dimensions()?;
        let largest_component = largest_component(dimensions);
        Ok(Some(Choice { id: self.embedder.model().clone(), dimensions, largest_component }))
    }

    fn check(&self) -> Result<(), EmbedError> {
        self.embedder.dimensions().map(drop)
    }

    fn accepts(&self, model: Option<&str>) -> bool {
        model == Some(&self.id)
    }

    fn embedder(&self, model: &str) -> Option<Arc<dyn Embedder>> {
        (model == self.id).then(|| Arc::clone(&self.embedder) as Arc<dyn Embedder>)
    }
}

/// One model in a folder.
pub struct LocalModels {
    embedder: Arc<LocalEmbedder>,
}

impl LocalModels {
    /// Reads nothing yet.
    pub fn new(model: LocalModel) -> Self {
        Self { embedder: Arc::new(LocalEmbedder::new(model)) }
    }

    fn is(&self, model: &str) -> bool {
        self.embedder.model().to_string() == model
    }
}

impl Models for LocalModels {
    fn choose(&self, _: &[&str]) -> Result<Option<Choice>, EmbedError> {
        let dimensions = self.embedder.dimensions()?;
        let largest_component = largest_component(dimensions);
        Ok(Some(Choice { id: self.embedder.model().clone(), dimensions, largest_component }))
    }

    fn check(&self) -> Result<(), EmbedError> {
        self.embedder.dimensions().map(drop)
    }

    fn accepts(&self, model: Option<&str>) -> bool {
        model.is_some_and(|model| self.is(model))
    }

    fn embedder(&self, model: &str) -> Option<Arc<dyn Embedder>> {
        self.is(model).then(|| Arc::clone(&self.embedder) as Arc<dyn Embedder>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_keeps_its_model_while_the_policy_allows_it() {
        let english = BuiltinModel::English.model_id().to_string();
        let multilingual = BuiltinModel::Multilingual.model_id().to_string();
        let table = [
            (ModelPolicy::None, [true, false, false]),
            (ModelPolicy::Auto, [false, true, true]),
            (ModelPolicy::Fixed(BuiltinModel::English), [false, true, false]),
        ];
        for (policy, expected) in table {
            let models = BuiltinModels::new(policy);
            let accepted = [None, Some(&*english), Some(&*multilingual)].map(|model| models.accepts(model));
            assert_eq!(accepted, expected, "{policy:?}");
            assert_eq!(models.embedder(&english).is_some(), expected[1], "{policy:?}");
        }
    }
}
