//! The legs of a search: candidates by words and by meaning, and notes by name. Numbers and paths
//! only, no text, no judgement.

use tracing::field::Empty;

use super::fuse::Scored;
use super::query::{MAX_QUERY_BYTES, Query};
use super::vocabulary::Vocabulary;
use super::{Breadth, Question, SearchError, words};
use crate::index::{ChunkId, ColumnWeights, Tree};
use crate::note::fold;

/// How much a word counts by where it stands, chosen on the tuning sets: see `evals/README.md`.
pub const KEYWORD_WEIGHTS: ColumnWeights =
    ColumnWeights { title: 3.0, aliases: 3.0, headings: 2.0, tags: 2.0, body: 1.0 };

/// Candidates, best first.
#[derive(Debug, Default)]
pub(super) struct Legs {
    pub(super) words: Vec<Scored<ChunkId>>,
    pub(super) meaning: Vec<Scored<ChunkId>>,
    /// Paths of the notes whose title or alias is the query.
    pub(super) named: Vec<String>,
}

impl Legs {
    /// Did a leg give as many candidates as it was asked for?
    pub(super) fn is_full(&self, depth: usize) -> bool {
        self.words.len() >= depth || self.meaning.len() >= depth
    }

    /// All candidates, each once.
    pub(super) fn ids(&self) -> Vec<ChunkId> {
        let mut ids: Vec<ChunkId> =
            self.words.iter().chain(&self.meaning).map(|candidate| candidate.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

pub(super) fn run(
    vocabulary: &Vocabulary<'_, '_>,
    question: &Question<'_>,
    query: &Query,
    depth: usize,
    breadth: Breadth,
) -> Result<Legs, SearchError> {
    let tree = vocabulary.tree;
    let mut legs = Legs::default();
    if question.by_words {
        let span = tracing::trace_span!("find by words", count = Empty).entered();
        legs.words = scored(words::find(vocabulary, query, &question.filter, depth, breadth)?);
        span.record("count", legs.words.len());
        legs.named = named(tree, question.text)?;
    }
    if let Some(meaning) = &question.meaning {
        let span = tracing::trace_span!("find by meaning", count = Empty).entered();
        legs.meaning = scored(tree.nearest(&meaning.vector, &question.filter, depth)?);
        span.record("count", legs.meaning.len());
    }
    Ok(legs)
}

fn named(tree: &Tree, text: &str) -> Result<Vec<String>, SearchError> {
    let key = name_key(text);
    let titled = tree.notes_by_title_key(&key)?;
    let with_alias = tree.notes_by_alias_key(&key)?;
    Ok(titled.into_iter().chain(with_alias).map(|note| note.path).collect())
}

/// A question as the name of a note.
pub(super) fn name_key(text: &str) -> String {
    fold(text[..text.floor_char_boundary(MAX_QUERY_BYTES)].trim())
}

fn scored(candidates: Vec<(ChunkId, f64)>) -> Vec<Scored<ChunkId>> {
    candidates.into_iter().map(|(id, score)| Scored { id, score }).collect()
}
