//! What an answer says about itself when it is not the whole one. Constant texts: they depend on
//! the state of this profile's index only.

use crate::embed::EmbedError;

/// No index, or one under other rules, and one is on its way.
pub(super) const FIRST_PASS_INDEXING: &str =
    "indexing: there is no index under these rules yet, so this is a first pass over the words of all notes";
/// No index.
pub(super) const FIRST_PASS: &str = "there is no index under these rules yet, so this is a slow pass over the words of all notes; `obsearch index` builds it";
/// An index of words only.
pub(super) const NO_VECTORS: &str = "the index has no vectors: found by words only";
/// An index of another model.
pub(super) const MODEL_MISMATCH: &str = "model mismatch: the index was built with another embedding model, so this was found by words only; \
     `obsearch index` rebuilds it";
/// The model does not run, or is not the one the index was built with.
pub(super) const MODEL_FAILED: &str = "the embedding model failed: found by words only";
/// The model runs elsewhere, and does not answer.
pub(super) const MODEL_SERVER_FAILED: &str = "the server of the embedding model does not answer as it should: found by words only; \
     the owner must see that it runs and has the model";
/// The reranker gave no scores.
pub(super) const NOT_RERANKED: &str =
    "the reranker does not answer as it should: passages stand in the order of the search alone";
/// Vectors are still being made.
pub(super) const VECTORS_PENDING: &str = "some passages have no vector yet and can be found by words only";
/// A sketch of the answer has a meaning, and there is nothing to compare it with.
pub(super) const SKETCH_UNUSED: &str = "`hypothetical` was not used: it has no part in a search by words";
/// What was found is far from what was asked.
pub(super) const DOUBTFUL: &str =
    "the notes may hold no answer: little of the question stands in any of them";
/// No note that this profile may see.
pub(super) const NO_NOTES: &str =
    "the vault shows no notes at all; if it should have some, its disk may not be mounted";
/// A pack of little.
pub(super) const NOT_ENOUGH: &str =
    "not enough found: the notes likely hold no answer; say so instead of guessing";
/// Tags are looked up in the index.
pub(super) const TAGS_NEED_INDEX: &str =
    "there is no index under these rules yet, and tags are looked up in it; `obsearch index` builds it";
/// Links are looked up in the index.
pub(super) const LINKS_NEED_INDEX: &str =
    "there is no index under these rules yet, and links are looked up in it; `obsearch index` builds it";

/// Why a model gave no vector.
pub(super) fn of_model(error: &EmbedError) -> &'static str {
    match error {
        EmbedError::Endpoint { .. } => MODEL_SERVER_FAILED,
        EmbedError::Dimensions { .. } => MODEL_MISMATCH,
        EmbedError::Load { .. } | EmbedError::Run(_) => MODEL_FAILED,
    }
}
