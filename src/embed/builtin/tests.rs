//! What the builtin models promise: sizes, likeness, stable fingerprints.

use super::*;

#[test]
fn the_fingerprints_are_those_of_the_embedded_bytes() {
    let stated = BuiltinModel::ALL.map(|model| model.info().fingerprint.to_owned());
    let computed = BuiltinModel::ALL.map(|model| model.recipe().fingerprint());
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
