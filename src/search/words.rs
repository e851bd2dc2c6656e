//! The keyword leg: which words of a query bring passages in, and which only rank them. Asks the
//! tree for numbers only.
//!
//! A question is mostly common words, and scoring every passage that holds one costs far more than
//! it tells. So in a large tree the rarest words find passages, words of many passages rank
//! what those found, and words of very many do neither. The choice depends on the query and on
//! how many passages of this tree hold its words, on nothing else.

use std::collections::HashSet;

use super::Breadth;
use super::fuse::{self, Presence};
use super::legs::KEYWORD_WEIGHTS;
use super::query::{Ending, Phrase, Query};
use super::vocabulary::Vocabulary;
use crate::index::{ChunkId, Filter, IndexError};

/// In a tree of fewer passages every word finds: that takes a few milliseconds.
const LARGE_TREE: u64 = 4_000;

/// About so many passages are brought in. Measured on 51,362 passages, see `evals/README.md`.
const ENOUGH_PASSAGES: u64 = 2_000;

/// While fewer passages than this are brought in, or fewer words than [`FEWEST_WORDS`] did it,
/// the next rarest word finds as well.
const TOO_FEW_PASSAGES: u64 = 200;

/// See [`TOO_FEW_PASSAGES`].
const FEWEST_WORDS: usize = 2;

/// A word of a larger share of the passages than this tells nothing (BM25 gives it at most a fifth
/// of the weight of a rare one), and takes longest.
const LARGEST_SHARE: f64 = 0.3;

/// The passages that hold words of the query, best first.
pub(super) fn find(
    vocabulary: &Vocabulary<'_, '_>,
    query: &Query,
    filter: &Filter,
    depth: usize,
    breadth: Breadth,
) -> Result<Vec<(ChunkId, f64)>, IndexError> {
    let tree = vocabulary.tree;
    let Some(every_word) = query.match_expression() else { return Ok(Vec::new()) };
    if breadth == Breadth::TellingWords
        && let Some(Roles { finding, ranking }) = assign_roles(vocabulary, query)?
    {
        let found = if ranking.is_empty() {
            tree.matching(&finding, &KEYWORD_WEIGHTS, filter, depth)?
        } else {
            tree.matching_among(&finding, &ranking, &KEYWORD_WEIGHTS, filter, depth)?
        };
        // Below a folder there may be none of them, but many with the common words.
        if found.len() >= depth || filter.is_empty() {
            return Ok(found);
        }
    }
    tree.matching(&every_word, &KEYWORD_WEIGHTS, filter, depth)
}

/// How much of the query a passage holds, 0 to 1: see [`fuse::coverage`]. Beginnings of words
/// cannot be counted; a query with one is covered.
pub(super) fn coverage(
    vocabulary: &Vocabulary<'_, '_>,
    query: &Query,
    passage: ChunkId,
) -> Result<f64, IndexError> {
    if query.phrases().any(|(phrase, _)| phrase.ending == Ending::Prefix) {
        return Ok(1.0);
    }
    let mut terms = Vec::new();
    for term in query.terms() {
        let is_held = vocabulary.tree.holds(passage, &format!("\"{term}\""))?;
        let presence = if is_held { Presence::Held } else { Presence::Absent };
        terms.push((vocabulary.frequency(term)?, presence));
    }
    Ok(fuse::coverage(vocabulary.tree.passage_count()?, terms))
}

/// Two FTS5 expressions.
struct Roles {
    finding: String,
    /// Empty if no word only ranks.
    ranking: String,
}

/// `None` if every word finds.
fn assign_roles(vocabulary: &Vocabulary<'_, '_>, query: &Query) -> Result<Option<Roles>, IndexError> {
    let passages = vocabulary.tree.passage_count()?;
    if passages < LARGE_TREE || query.phrases().any(|(_, is_required)| is_required) {
        return Ok(None);
    }
    let mut seen = HashSet::new();
    let mut phrases = Vec::new();
    for (phrase, _) in query.phrases().filter(|(phrase, _)| seen.insert(*phrase)) {
        phrases.push((most_passages(vocabulary, phrase)?, phrase));
    }
    // Stable: words of as many passages stay in the order of the query.
    phrases.sort_by_key(|(held_by, _)| *held_by);
    let (mut finding, mut ranking) = (Vec::new(), Vec::new());
    let mut brought_in = 0;
    for (held_by, phrase) in phrases {
        let is_telling = held_by as f64 <= LARGEST_SHARE * passages as f64;
        let is_needed = finding.len() < FEWEST_WORDS || brought_in < TOO_FEW_PASSAGES;
        if held_by == 0 {
            continue;
        }
        if finding.is_empty() || is_telling && (is_needed || brought_in + held_by <= ENOUGH_PASSAGES) {
            brought_in += held_by;
            finding.push(phrase.to_fts5());
        } else if is_telling {
            ranking.push(phrase.to_fts5());
        }
    }
    let roles = Roles { finding: finding.join(" OR "), ranking: ranking.join(" OR ") };
    Ok(Some(roles).filter(|roles| !roles.finding.is_empty()))
}

/// No more passages than this hold the phrase. Beginnings of words are not counted, but they are
/// single characters and so what the query is about.
fn most_passages(vocabulary: &Vocabulary<'_, '_>, phrase: &Phrase) -> Result<u64, IndexError> {
    let mut fewest = if phrase.ending == Ending::Prefix { 1 } else { u64::MAX };
    for term in &phrase.terms {
        if phrase.ending == Ending::Exact {
            fewest = fewest.min(vocabulary.frequency(term)?);
        }
    }
    Ok(fewest)
}

#[cfg(test)]
mod tests;
