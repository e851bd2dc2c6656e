//! A question -> ranked passages, in stages: legs, the wall, fusion, selection. Ranking is made of
//! pure functions over values; text is read only through the session, in this request.

pub mod excerpt;
pub mod fuse;
pub mod query;
pub mod rerank;

mod admit;
mod doubt;
mod legs;
mod rank;
mod respell;
mod scan;
mod vocabulary;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use serde::Serialize;
use tracing::field::Empty;

pub use legs::KEYWORD_WEIGHTS;
use query::Query;
use rerank::First;
use vocabulary::Vocabulary;

use crate::embed::{EmbedError, Embedder, check_dimensions};
use crate::failpoint::{self, Failpoint};
use crate::index::{ChunkId, Filter, IndexError, Tree};
use crate::vault::{Note, Session};

/// What to look for.
#[derive(Debug, Clone)]
pub struct Question<'q> {
    /// As asked.
    pub text: &'q str,
    /// Which notes to look at.
    pub filter: Filter,
    /// The words leg runs.
    pub by_words: bool,
    /// For the meaning leg.
    pub meaning: Option<Meaning>,
    /// Passages wanted.
    pub limit: usize,
    /// Passages of one note wanted.
    pub max_per_note: usize,
}

/// What a model makes of a question.
#[derive(Debug, Clone)]
pub struct Meaning {
    /// The vector of the question.
    pub vector: Vec<f32>,
    /// How much its nearest passages count against those found by words, 0 to 1.
    pub weight: f64,
    /// See [`Embedder::answers_seldom_below`].
    pub answers_seldom_below: f64,
}

/// A search that could not be done. An outage is never an empty answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The vault's root cannot be read.
    #[error("the vault cannot be read: {0}")]
    Vault(std::io::Error),
}

/// What was found, best first.
pub struct Found<'s> {
    /// The notes the passages are in, all admitted in this request.
    pub notes: Vec<Note<'s>>,
    /// The passages.
    pub hits: Vec<Hit>,
    /// What was looked for, as the analyser writes it, respelt words included.
    pub terms: HashSet<String>,
    /// May a reranker move the first one?
    pub first: First,
    /// They are likely no answer to the question.
    pub is_doubtful: bool,
}

impl Found<'_> {
    /// No notes, no passages.
    pub fn nothing() -> Self {
        Found {
            notes: Vec::new(),
            hits: Vec::new(),
            terms: HashSet::new(),
            first: First::Open,
            is_doubtful: false,
        }
    }
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Index into [`Found::notes`].
    pub note: usize,
    /// Byte range in the note's text.
    pub range: Range<usize>,
    /// Comparable within one answer only, 0 to 1.
    pub score: f64,
    /// Where it stands among those found by words, if it does.
    pub by_words: Option<Standing>,
    /// Where it stands among those found by meaning.
    pub by_meaning: Option<Standing>,
}

/// A place in a leg, among those that may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Standing {
    /// From 1.
    pub rank: usize,
    /// BM25, or the cosine similarity.
    pub score: f64,
}

/// Searches a tree.
pub fn search<'s>(
    session: &Session<'s>,
    tree: &Tree,
    question: &Question<'_>,
) -> Result<Found<'s>, SearchError> {
    let asked = Query::parse(question.text);
    let vocabulary = Vocabulary::admitted(session, tree);
    let query = if question.by_words {
        let _span = tracing::trace_span!("respell").entered();
        respell::respell(&vocabulary, &asked)?
    } else {
        asked.clone()
    };
    let mut depth = fuse::BLEND_DEPTH;
    let mut breadth = Breadth::TellingWords;
    loop {
        let mut legs = legs::run(&vocabulary, question, &query, depth, breadth)?;
        // Whether an answer is likely hangs on these: a name that the index alone knows must not tell that it is one.
        legs.named = admit::still_named(session, legs.named, question.text);
        if failpoint::is_on(Failpoint::FilterAfterRanking) {
            legs.words.truncate(question.limit);
            legs.meaning.truncate(question.limit);
        }
        let admitted = admit::admit(session, tree, &legs, &question.filter)?;
        // Further down, one long note could fill a leg by itself.
        let per_note = if depth > fuse::BLEND_DEPTH { question.max_per_note } else { usize::MAX };
        let survivors = rank::Surviving::new(&admitted, &legs, per_note);
        let coverage_of = |query: &Query| match survivors.best_by_words() {
            Some(best) => words::coverage(&vocabulary, query, best),
            None => Ok(0.0),
        };
        let coverage = coverage_of(&query)?;
        let span = tracing::trace_span!("rank", count = Empty).entered();
        let ranked = rank::rank(&admitted, &legs, &survivors, coverage, question);
        span.record("count", ranked.len());
        drop(span);
        // Notes that may no longer be shown leave gaps: look further until enough passages survive.
        if ranked.len() < question.limit && legs.is_full(depth) {
            depth *= 4;
        } else if ranked.len() < question.limit && admitted.dropped > 0 && breadth == Breadth::TellingWords {
            breadth = Breadth::EveryWord;
        } else {
            // Whether the notes speak of it is told by the words as asked.
            let asked_coverage = if query == asked { coverage } else { coverage_of(&asked)? };
            let is_doubtful = legs.named.is_empty()
                && doubt::is_doubtful(
                    question.by_words.then_some(asked_coverage),
                    survivors.nearness(question),
                );
            let is_best_by_words = |hit: &Hit| {
                let best = survivors.best_by_words().and_then(|best| admitted.places.get(&best));
                best.is_some_and(|(note, range)| *note == hit.note && *range == hit.range)
            };
            let holds_all = coverage >= 1.0 && ranked.first().is_some_and(is_best_by_words);
            let first = if holds_all || !legs.named.is_empty() { First::Settled } else { First::Open };
            let terms = terms(&[&asked, &query]);
            return Ok(Found { notes: admitted.notes, hits: ranked, terms, first, is_doubtful });
        }
    }
}

fn terms(queries: &[&Query]) -> HashSet<String> {
    queries.iter().flat_map(|query| query.terms()).map(str::to_owned).collect()
}

/// The words leg alone, for `benches/words.rs`: passages that hold words of a question, best first.
pub fn find_by_words(
    tree: &Tree,
    text: &str,
    limit: usize,
    breadth: Breadth,
) -> Result<Vec<(ChunkId, f64)>, IndexError> {
    words::find(&Vocabulary::indexed(tree), &Query::parse(text), &Filter::default(), limit, breadth)
}

/// Which words of a question bring passages in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// Those that tell most: see [`words`].
    TellingWords,
    /// All of them.
    EveryWord,
}

/// Searches the notes themselves, word by word: for a vault that has no index yet.
pub fn search_without_index<'s>(
    session: &Session<'s>,
    question: &Question<'_>,
) -> Result<Found<'s>, SearchError> {
    let query = Query::parse(question.text);
    let found = scan::scan(session, &query, question)?;
    Ok(Found { terms: terms(&[&query]), ..found })
}

/// What a model makes of the text of a question, and of a sketch of its answer if there is one; to be
/// asked of this tree.
pub fn embed_question(
    embedder: &dyn Embedder,
    text: &str,
    sketch: Option<&str>,
    tree: &Tree,
) -> Result<Meaning, EmbedError> {
    let _span = tracing::trace_span!("embed the question").entered();
    let asked = embedder.embed_query(bounded(text))?;
    let vector = match sketch {
        Some(sketch) => midway(&asked, &embedder.embed_query(bounded(sketch))?),
        None => asked,
    };
    check_dimensions(vector.len(), tree.header().dimensions)?;
    Ok(Meaning { vector, weight: embedder.weight(), answers_seldom_below: embedder.answers_seldom_below() })
}

fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(query::MAX_QUERY_BYTES)]
}

/// The unit vector halfway between two unit vectors; the first if they are opposites.
///
/// Both are embedded as questions: two made-up texts of the same kind, which measured better than one of each.
/// Source: Gao, Ma, Lin, Callan, "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL 2023, which
/// averages the vectors of the question and of answers that a model made up. See `evals/README.md`.
fn midway(one: &[f32], other: &[f32]) -> Vec<f32> {
    let sum: Vec<f32> = one.iter().zip(other).map(|(one, other)| one + other).collect();
    let length = sum.iter().map(|component| component * component).sum::<f32>().sqrt();
    if length > f32::EPSILON {
        sum.iter().map(|component| component / length).collect()
    } else {
        one.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::midway;

    #[test]
    fn a_sketch_moves_a_question_halfway_and_keeps_its_length() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let table: [([f32; 2], [f32; 2], [f32; 2]); 3] = [
            ([1.0, 0.0], [0.0, 1.0], [half, half]),
            ([1.0, 0.0], [1.0, 0.0], [1.0, 0.0]),
            ([1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]),
        ];
        for (one, other, expected) in table {
            let found = midway(&one, &other);
            let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6);
            assert!(is_near, "{one:?} {other:?}: {found:?}");
        }
    }
}
