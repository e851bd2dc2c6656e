//! A search without an index: every note is read, judged, cut and scored, by words only. It is for
//! the minutes before the first index is there; it keeps nothing.

use std::collections::HashMap;

use rayon::prelude::*;

use super::query::{Ending, Query};
use super::rank::select;
use super::{Found, Hit, KEYWORD_WEIGHTS, Question, SearchError, Standing};
use crate::index::{Cut, Filter};
use crate::note::fold;
use crate::vault::{Listed, Note, Session};

/// BM25's usual constants, as in FTS5.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A passage with its counts.
struct Passage {
    range: std::ops::Range<usize>,
    /// Weighted occurrences of each wanted phrase.
    frequencies: Vec<f64>,
    /// Terms in all columns.
    length: f64,
}

/// A note with its passages that hold any wanted phrase, and the sizes of all.
struct Scanned<'s> {
    note: Note<'s>,
    matching: Vec<Passage>,
    passages: usize,
    length: f64,
}

pub(super) fn scan<'s>(
    session: &Session<'s>,
    query: &Query,
    question: &Question<'_>,
) -> Result<Found<'s>, SearchError> {
    let phrases: Vec<Wanted> = query.phrases().map(Wanted::new).collect();
    let walk = session.walk().map_err(SearchError::Vault)?;
    let scanned: Vec<Scanned<'s>> = walk
        .notes
        .par_iter()
        .filter_map(|listed| scan_note(session, listed, &phrases, &question.filter))
        .collect();
    let scores = score(&scanned, &phrases);
    let mut hits: Vec<Hit> = scores
        .into_iter()
        .map(|(note, passage, score)| {
            let range = scanned[note].matching[passage].range.clone();
            Hit { note, range, score, by_words: None, by_meaning: None }
        })
        .collect();
    // The walk is in the order of paths, which thus breaks ties.
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.note, a.range.start).cmp(&(b.note, b.range.start)))
    });
    let best = hits.first().map_or(1.0, |hit| hit.score);
    let hits = (1..).zip(hits).map(|(rank, hit)| {
        let by_words = Some(Standing { rank, score: hit.score });
        Hit { score: hit.score / best, by_words, ..hit }
    });
    let hits = select(hits, question);
    let notes = scanned.into_iter().map(|scanned| scanned.note).collect();
    Ok(Found { notes, hits, ..Found::nothing() })
}

/// A phrase to look for.
struct Wanted {
    terms: Vec<String>,
    ending: Ending,
    is_required: bool,
}

impl Wanted {
    fn new((phrase, is_required): (&super::query::Phrase, bool)) -> Wanted {
        Wanted { terms: phrase.terms.clone(), ending: phrase.ending, is_required }
    }

    fn count(&self, terms: &[&str]) -> usize {
        terms.windows(self.terms.len().max(1)).filter(|window| self.matches(window)).count()
    }

    fn matches(&self, window: &[&str]) -> bool {
        let last = self.terms.len() - 1;
        self.terms.iter().zip(window).enumerate().all(|(index, (wanted, found))| {
            found == wanted
                || (index == last && self.ending == Ending::Prefix && found.starts_with(&**wanted))
        })
    }
}

fn scan_note<'s>(
    session: &Session<'s>,
    listed: &Listed,
    phrases: &[Wanted],
    filter: &Filter,
) -> Option<Scanned<'s>> {
    let note = session.open(&listed.path).ok()?;
    let stem = listed.path.stem();
    let cut = Cut::new(note.text(), stem);
    if !passes(filter, listed.path.as_str(), &cut.document.tags) {
        return None;
    }
    let weights = KEYWORD_WEIGHTS;
    let weights = [weights.title, weights.aliases, weights.headings, weights.tags, weights.body];
    let (mut matching, mut passages, mut length) = (Vec::new(), 0, 0.0);
    for piece in cut.pieces() {
        let columns = piece.record(stem).columns;
        let terms: Vec<Vec<&str>> = columns.iter().map(|column| column.split(' ').collect()).collect();
        let size = terms.iter().map(Vec::len).sum::<usize>() as f64;
        passages += 1;
        length += size;
        let frequency = |wanted: &Wanted| {
            terms.iter().zip(weights).map(|(terms, weight)| weight * wanted.count(terms) as f64).sum::<f64>()
        };
        let frequencies: Vec<f64> = phrases.iter().map(frequency).collect();
        let has_required =
            phrases.iter().zip(&frequencies).all(|(wanted, count)| !wanted.is_required || *count > 0.0);
        if has_required && frequencies.iter().any(|count| *count > 0.0) {
            matching.push(Passage { range: piece.range(), frequencies, length: size });
        }
    }
    drop(cut);
    Some(Scanned { note, matching, passages, length })
}

/// Does a note with this path and these tags pass?
pub(super) fn passes(filter: &Filter, path: &str, tags: &[String]) -> bool {
    let is_among = filter.notes.as_ref().is_none_or(|notes| notes.contains(path));
    let path = fold(path);
    let below = |folder: &String| path.strip_prefix(&**folder).is_some_and(|rest| rest.starts_with('/'));
    let tags: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
    let carries = |wanted: &String| {
        tags.iter().any(|tag| {
            tag.strip_prefix(&**wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    is_among
        && (filter.folders.is_empty() || filter.folders.iter().any(below))
        && filter.tags.iter().all(carries)
}

/// BM25 over the matching passages: `(note, passage, score)`.
fn score(scanned: &[Scanned<'_>], phrases: &[Wanted]) -> Vec<(usize, usize, f64)> {
    let total = scanned.iter().map(|note| note.passages).sum::<usize>() as f64;
    let average = scanned.iter().map(|note| note.length).sum::<f64>() / total.max(1.0);
    let mut holding: HashMap<usize, f64> = HashMap::new();
    for passage in scanned.iter().flat_map(|note| &note.matching) {
        for (phrase, count) in passage.frequencies.iter().enumerate() {
            *holding.entry(phrase).or_default() += f64::from(u8::from(*count > 0.0));
        }
    }
    let rarity: Vec<f64> = (0..phrases.len())
        .map(|phrase| {
            let holding = holding.get(&phrase).copied().unwrap_or_default();
            ((total - holding + 0.5) / (holding + 0.5)).ln().max(1e-6)
        })
        .collect();
    let bm25 = |passage: &Passage| -> f64 {
        let norm = K1 * (1.0 - B + B * passage.length / average);
        let term = |(count, rarity): (&f64, &f64)| rarity * count * (K1 + 1.0) / (count + norm);
        passage.frequencies.iter().zip(&rarity).map(term).sum()
    };
    let passages = |(note, scanned): (usize, &Scanned<'_>)| {
        scanned
            .matching
            .iter()
            .enumerate()
            .map(|(index, passage)| (note, index, bm25(passage)))
            .collect::<Vec<_>>()
    };
    scanned.iter().enumerate().flat_map(passages).collect()
}
