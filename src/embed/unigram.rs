//! The unigram language model of tokens (Kudo 2018, "Subword Regularization", section 3.2): a word -> the pieces
//! whose logarithmic probabilities have the greatest sum, found with Viterbi's algorithm.
//!
//! Invariant: the numbers are those that the `tokenizers` library gives for the same file, which a test
//! compares. Its own model takes about six times as long to unpack, and seven times the memory. Everything around
//! it (normalisation, words, special tokens) is the library's.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::{Model, Result, Token};

/// How much less likely than the least likely piece a character is that no piece consists of (in sentencepiece's
/// `unigram_model.cc`: `kUnkPenalty`).
const UNKNOWN_PENALTY: f64 = 10.0;

/// A vocabulary with probabilities.
pub(super) struct Unigram {
    pieces: HashMap<Box<str>, Piece>,
    /// Stands for what is not in the vocabulary.
    unknown: Piece,
    longest_bytes: usize,
    /// How many entries the vocabulary has, those of the same text counted each.
    entries: usize,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    id: u32,
    /// Logarithm of the probability.
    score: f64,
}

/// The last piece of the best way to a place in a word, and what the whole way scores.
#[derive(Clone, Copy)]
struct Step {
    start: usize,
    id: u32,
    score: f64,
}

/// The part `model` of a `tokenizer.json`.
#[derive(Deserialize)]
struct Description<'a> {
    #[serde(rename = "type")]
    _kind: Kind,
    unk_id: usize,
    /// Whether an unknown character becomes the pieces of its bytes, which is not done here.
    #[serde(default)]
    byte_fallback: bool,
    #[serde(borrow)]
    vocab: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
enum Kind {
    Unigram,
}

#[derive(Deserialize)]
struct Entry<'a>(#[serde(borrow)] Cow<'a, str>, f64);

impl<'de> Deserialize<'de> for Unigram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let description = Description::deserialize(deserializer)?;
        if description.byte_fallback {
            return Err(D::Error::custom("pieces of single bytes are not known here"));
        }
        Self::new(description.vocab, description.unk_id)
            .ok_or_else(|| D::Error::custom("unk_id is not in the vocabulary"))
    }
}

impl Unigram {
    /// Of two entries with the same text the later one counts.
    fn new(vocabulary: Vec<Entry<'_>>, unknown: usize) -> Option<Self> {
        let lowest = vocabulary.iter().map(|entry| entry.1).fold(f64::INFINITY, f64::min);
        let unknown = u32::try_from(unknown).ok().filter(|_| unknown < vocabulary.len())?;
        let unknown = Piece { id: unknown, score: lowest - UNKNOWN_PENALTY };
        let longest_bytes = vocabulary.iter().map(|entry| entry.0.len()).max()?;
        let entries = vocabulary.len();
        let mut pieces = HashMap::with_capacity(entries);
        for (id, Entry(text, score)) in (0..).zip(vocabulary) {
            pieces.insert(text.into(), Piece { id, score });
        }
        Some(Self { pieces, unknown, longest_bytes, entries })
    }

    /// For each place in a word the best way there; `None` inside a character.
    fn best_steps(&self, word: &str) -> Vec<Option<Step>> {
        let mut best: Vec<Option<Step>> = vec![None; word.len() + 1];
        let mut offer = |start: usize, end: usize, piece: Piece| {
            let before = if start == 0 { 0.0 } else { best[start].map_or(0.0, |step: Step| step.score) };
            let score = before + piece.score;
            if best[end].is_none_or(|step| score > step.score) {
                best[end] = Some(Step { start, id: piece.id, score });
            }
        };
        for (start, first) in word.char_indices() {
            let rest = &word[start..];
            let mut stands_alone = false;
            for (offset, last) in rest.char_indices() {
                let length = offset + last.len_utf8();
                if length > self.longest_bytes {
                    break;
                }
                if let Some(piece) = self.pieces.get(&rest[..length]) {
                    offer(start, start + length, *piece);
                    stands_alone |= offset == 0;
                }
            }
            if !stands_alone {
                offer(start, start + first.len_utf8(), self.unknown);
            }
        }
        best
    }
}

impl Model for Unigram {
    type Trainer = UnigramTrainer;

    /// What is unknown side by side is one token.
    fn tokenize(&self, word: &str) -> Result<Vec<Token>> {
        let best = self.best_steps(word);
        let mut found: Vec<(u32, usize, usize)> = Vec::new();
        let mut end = word.len();
        while let Some(Step { start, id, .. }) = best[end].filter(|_| end > 0) {
            match found.last_mut() {
                Some(next) if id == self.unknown.id && next.0 == id => next.1 = start,
                _ => found.push((id, start, end)),
            }
            end = start;
        }
        let token = |(id, start, end): (u32, usize, usize)| {
            let text = &word[start..end];
            // Where the unknown piece is a text of its own, what it makes side by side may be a piece too.
            let is_unknown = id == self.unknown.id;
            let id = self.pieces.get(text).filter(|_| is_unknown).map_or(id, |piece| piece.id);
            Token::new(id, text.to_owned(), (start, end))
        };
        Ok(found.into_iter().rev().map(token).collect())
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.pieces.get(token).map(|piece| piece.id)
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        self.pieces.iter().find(|(_, piece)| piece.id == id).map(|(text, _)| text.to_string())
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        self.pieces.iter().map(|(text, piece)| (text.to_string(), piece.id)).collect()
    }

    fn get_vocab_size(&self) -> usize {
        self.entries
    }

    fn save(&self, _: &Path, _: Option<&str>) -> Result<Vec<PathBuf>> {
        Err("a vocabulary is only read here".into())
    }

    fn get_trainer(&self) -> UnigramTrainer {
        UnigramTrainer::default()
    }
}

#[cfg(test)]
mod tests;
