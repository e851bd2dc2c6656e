//! What the builtin models promise: sizes, likeness, stable fingerprints.

use super::*;

/// How the encoder makes a vector, in words. Change it when a change there gives other vectors.
const ENCODING: &str =
    "special tokens as text; cut at the window; one text per run; mean over tokens; unit length";

/// What a constant in the parent module must be.
fn fingerprint(recipe: &Recipe) -> String {
    let window = recipe.info.window_tokens.to_string();
    let words = [ENCODING, recipe.query_prefix, recipe.passage_prefix, &window].map(str::as_bytes);
    let mut hasher = blake3::Hasher::new();
    for part in words.into_iter().chain([recipe.tokenizer, recipe.weights]) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[test]
fn the_fingerprints_are_those_of_the_embedded_bytes() {
    let stated = BuiltinModel::ALL.map(|model| model.info().fingerprint.to_owned());
    let computed = BuiltinModel::ALL.map(|model| fingerprint(model.recipe()));
    assert_eq!(stated, computed, "correct the constants");
}

#[test]
fn a_new_embedder_has_loaded_nothing() {
    let embedder = BuiltinEmbedder::new(BuiltinModel::English);
    assert!(!embedder.is_loaded());
    assert_eq!(embedder.model().to_string(), format!("all-minilm-l6-v2@{}", ENGLISH.info.fingerprint));
    assert_eq!(embedder.embed_passages(&[]).unwrap(), Vec::<Vec<f32>>::new());
    assert!(!embedder.is_loaded(), "no text needs no model");
    embedder.load().unwrap();
    assert!(embedder.is_loaded());
}
