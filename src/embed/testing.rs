//! A stand-in for tests of other parts: meaning is shared words, nothing more.
//!
//! It loads nothing and is the same on every machine. Never offer it to a user.

use super::{EmbedError, Embedder, ModelId};

/// Each word adds or subtracts one in a slot picked by its hash: texts that share words are near.
#[derive(Debug, Clone)]
pub struct WordHashEmbedder {
    model: ModelId,
    dimensions: usize,
}

impl WordHashEmbedder {
    /// A model called `name`; two names are two models, whose vectors must not be mixed.
    ///
    /// # Panics
    /// If `dimensions` is zero.
    pub fn new(name: &str, dimensions: usize) -> Self {
        assert!(dimensions > 0, "a vector needs at least one dimension");
        let recipe = format!("word-hash {name} {dimensions}");
        let fingerprint = blake3::hash(recipe.as_bytes()).to_hex()[..16].to_owned();
        Self { model: ModelId { name: name.to_owned(), fingerprint }, dimensions }
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let hash = blake3::hash(word.to_lowercase().as_bytes());
            let [slot @ .., sign] = hash.as_bytes().first_chunk::<9>().expect("a hash has 32 bytes");
            let slot = u64::from_le_bytes(*slot) % self.dimensions as u64;
            vector[usize::try_from(slot).expect("below `dimensions`")] +=
                if sign % 2 == 0 { 1.0 } else { -1.0 };
        }
        unit(vector)
    }
}

/// Scaled to length one; a text without words points along the first axis.
fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length == 0.0 {
        vector[0] = 1.0;
        return vector;
    }
    for x in &mut vector {
        *x /= length;
    }
    vector
}

impl Embedder for WordHashEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn weight(&self) -> f64 {
        0.4
    }

    fn answers_seldom_below(&self) -> f64 {
        0.1
    }

    fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(passages.iter().map(|passage| self.embed(passage)).collect())
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(query))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(a: &str, b: &str) -> f32 {
        let embedder = WordHashEmbedder::new("words", 64);
        embedder.embed(a).iter().zip(embedder.embed(b)).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn shared_words_are_near() {
        for (a, b, least, most) in [
            ("Red apple", "apple, red!", 0.999, 1.001),
            ("red apple", "green apple", 0.4, 0.6),
            ("red apple", "blue whale", -0.1, 0.1),
            ("", "", 0.999, 1.001),
        ] {
            let similarity = similarity(a, b);
            assert!((least..most).contains(&similarity), "{a:?} and {b:?}: {similarity}");
        }
    }

    #[test]
    fn a_name_is_an_identity() {
        let ids =
            [("a", 8), ("b", 8), ("a", 9)].map(|(n, d)| WordHashEmbedder::new(n, d).model().to_string());
        assert_ne!(ids[0], ids[1]);
        assert_ne!(ids[0], ids[2]);
        assert_eq!(ids[0], WordHashEmbedder::new("a", 8).model().to_string());
    }
}
