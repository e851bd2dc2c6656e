//! The legs of a search: candidates by words and by meaning. Numbers only, no text, no judgement.

use super::fuse::Scored;
use super::query::Query;
use super::{Question, SearchError};
use crate::index::{ChunkId, ColumnWeights, Quantised, Tree};

/// No leg is asked for more candidates than this.
pub(super) const MAX_DEPTH: usize = 1600;

/// How much a word counts by where it stands.
pub const KEYWORD_WEIGHTS: ColumnWeights =
    ColumnWeights { title: 4.0, aliases: 4.0, headings: 2.0, tags: 2.0, body: 1.0 };

/// Candidates, best first.
#[derive(Debug, Default)]
pub(super) struct Legs {
    pub(super) words: Vec<Scored<ChunkId>>,
    pub(super) meaning: Vec<Scored<ChunkId>>,
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
    tree: &Tree,
    question: &Question<'_>,
    query: &Query,
    depth: usize,
) -> Result<Legs, SearchError> {
    let mut legs = Legs::default();
    if question.by_words
        && let Some(expression) = query.match_expression()
    {
        legs.words = scored(tree.matching(&expression, &KEYWORD_WEIGHTS, &question.filter, depth)?);
    }
    if let Some(vector) = &question.vector {
        legs.meaning = scored(tree.nearest(&Quantised::new(vector), &question.filter, depth)?);
    }
    Ok(legs)
}

fn scored(candidates: Vec<(ChunkId, f64)>) -> Vec<Scored<ChunkId>> {
    candidates.into_iter().map(|(id, score)| Scored { id, score }).collect()
}
