//! Search: a question -> ranked, cited passages.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::conditions::narrowed;
use super::expand::{self, Linked};
use super::keys::filter;
use super::rerank::{self, Outcome};
use super::shown::{Shown, Shows};
use super::status::rfc3339;
use super::trees::check_emptiness;
use super::{Caller, Conditions, OpError, Service, notice};
use crate::index::{Cut, Piece, Tree};
use crate::reply::Reply;
pub use crate::search::Standing;
use crate::search::excerpt::{bytes_for, excerpt};
use crate::search::rerank::CANDIDATES;
use crate::search::{self, Found, Hit, Meaning, Question};
use crate::vault::{Note, NotePath, Released, Session};

/// Which legs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning, fused.
    #[default]
    Hybrid,
    /// Words only.
    Keyword,
    /// Meaning only.
    Semantic,
}

/// How much of a passage is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// The best window of each passage.
    #[default]
    Excerpt,
    /// Whole passages.
    Full,
}

/// Does the reranker take part?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rerank {
    /// If there is one.
    #[default]
    IfConfigured,
    /// No, so that it can be measured what it does.
    Off,
}

/// A search as asked.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// Free text; quotes make a phrase.
    pub query: String,
    /// A sketch of the answer, for the vector leg: passages like it are found, too.
    pub hypothetical: Option<String>,
    /// Which legs to run.
    pub mode: Mode,
    /// Passages wanted, 1 to 50.
    pub limit: usize,
    /// Only notes below one of these folders; empty = everywhere.
    pub folders: Vec<String>,
    /// Only notes with all of these tags (nested tags count); empty = any.
    pub tags: Vec<String>,
    /// Only notes for which these hold.
    pub conditions: Conditions,
    /// Passages per note, 1 to 10.
    pub max_per_note: usize,
    /// Add passages of up to three notes that are linked with those found.
    pub expand_links: bool,
    /// Excerpts or whole passages.
    pub detail: Detail,
    /// Whether passages are reranked.
    pub rerank: Rerank,
    /// Upper bound of the note text in the answer, in bytes.
    pub max_bytes: usize,
}

impl Default for SearchRequest {
    fn default() -> Self {
        SearchRequest {
            query: String::new(),
            hypothetical: None,
            mode: Mode::Hybrid,
            limit: 6,
            folders: Vec::new(),
            tags: Vec::new(),
            conditions: Conditions::default(),
            max_per_note: 2,
            expand_links: false,
            detail: Detail::Excerpt,
            rerank: Rerank::IfConfigured,
            max_bytes: 16 * 1024,
        }
    }
}

/// How a passage was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// By words.
    Keyword,
    /// By meaning.
    Semantic,
}

/// A passage of a note, cited.
#[derive(Debug, Clone, Serialize)]
pub struct Passage {
    /// From 1.
    pub rank: usize,
    /// Vault-relative, `/`-separated.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// `path#heading`, or `path` before the first heading.
    pub citation: String,
    /// Headings above the passage, from the outer to the inner.
    pub heading_path: Vec<String>,
    /// First line of the passage, from 1.
    pub line_start: u32,
    /// Last line of the passage.
    pub line_end: u32,
    /// The excerpt, or the whole passage.
    pub text: String,
    /// Byte ranges of `text` that match the query; for terminals, not part of the answer.
    #[serde(skip)]
    pub highlights: Vec<std::ops::Range<usize>>,
    /// Between 0 and 1, four decimals; comparable within one answer only.
    pub score: f64,
    /// Which legs found it.
    pub matched_by: Vec<MatchedBy>,
    /// Where it stands among those found by words and among those found by meaning; for the owner, not part of the
    /// answer.
    #[serde(skip)]
    pub standings: [Option<Standing>; 2],
    /// The note of this answer that it was reached from, if only by a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// The answer to a search.
#[derive(Debug, Clone, Serialize)]
pub struct SearchAnswer {
    /// The mode that ran, which is not the one asked for when a leg was not there.
    pub mode: Mode,
    /// What the reader should know: a missing leg, an unfinished or missing index.
    pub notices: Vec<&'static str>,
    /// When the index last saw the vault (RFC 3339), if there is an index.
    pub indexed_at: Option<String>,
    /// Text was left out to stay within `max_bytes`.
    pub truncated: bool,
    /// Is an answer likely among the passages?
    pub likely: bool,
    /// A reranker has looked at the best of them.
    pub reranked: bool,
    /// Best first.
    pub passages: Vec<Passage>,
}

impl Shows for SearchAnswer {
    fn tell(&self, shown: &mut Shown) {
        for passage in &self.passages {
            shown.lines(&passage.path, passage.line_start, passage.line_end);
            passage.via.iter().for_each(|path| shown.name(path));
        }
    }
}

/// Letters of the passages of ranks 1, 2 and further that are shown: the first is the likeliest to hold the answer.
const EXCERPT_LETTERS: [usize; 3] = [360, 240, 120];

pub(super) fn run(
    service: &Service,
    request: &SearchRequest,
    caller: &Caller<'_>,
) -> Result<Reply<SearchAnswer>, OpError> {
    check(request)?;
    service.request(caller, |session, tree| {
        let Searched { found, question, mode, mut notices, reranked, indexed_at } =
            find(service, session, tree, request)?;
        let mut shown = passages(session, &found, request, 1);
        if let Some(tree) = tree.filter(|_| request.expand_links) {
            let _span = tracing::trace_span!("follow links").entered();
            let linked = expand::linked(session, tree, &question, &found)?;
            shown.extend(linked_passages(session, &linked, request, shown.len() + 1));
        }
        let answer = session.gather(shown).map(|mut passages| {
            let truncated = fit(&mut passages, request.max_bytes);
            let likely = !passages.is_empty() && !found.is_doubtful;
            if !passages.is_empty() && found.is_doubtful {
                notices.push(notice::DOUBTFUL);
            }
            SearchAnswer { mode, notices, indexed_at, truncated, likely, reranked, passages }
        });
        Ok(Reply::new(answer))
    })
}

/// A search, before its passages are written down.
pub(super) struct Searched<'q, 's> {
    pub(super) found: Found<'s>,
    question: Question<'q>,
    pub(super) mode: Mode,
    pub(super) notices: Vec<&'static str>,
    reranked: bool,
    pub(super) indexed_at: Option<String>,
}

/// Searches, reranks where that is configured, and makes sure that nothing found is the truth.
pub(super) fn find<'q, 's>(
    service: &Service,
    session: &Session<'s>,
    tree: Option<&Tree>,
    request: &'q SearchRequest,
) -> Result<Searched<'q, 's>, OpError> {
    let filter = filter(request.folders.iter(), &request.tags)?;
    let filter = narrowed(session, tree, filter, &request.conditions.parse()?)?;
    let mut legs = Legs::new(service, session, request, tree);
    let reranks =
        request.rerank == Rerank::IfConfigured && request.mode != Mode::Keyword && service.reranker.is_some();
    let question = Question {
        text: &request.query,
        filter,
        by_words: legs.by_words,
        meaning: legs.meaning.take(),
        limit: if reranks { request.limit.max(CANDIDATES) } else { request.limit },
        max_per_note: request.max_per_note,
    };
    let mut found = match tree {
        Some(tree) => search::search(session, tree, &question)?,
        None => search::search_without_index(session, &question)?,
    };
    if found.hits.is_empty() {
        check_emptiness(session, tree)?;
    }
    let reranking = if reranks { rerank::apply(service, &request.query, &mut found) } else { Outcome::Off };
    found.hits.truncate(request.limit);
    legs.notices.extend(reranking.notice());
    Ok(Searched {
        found,
        question,
        mode: legs.mode,
        notices: legs.notices,
        reranked: reranking == Outcome::Done,
        indexed_at: tree.and_then(|tree| tree.header().indexed_at).map(rfc3339),
    })
}

pub(super) fn check(request: &SearchRequest) -> Result<(), OpError> {
    if request.query.trim().is_empty() {
        return Err(OpError::InvalidArgument("the query is empty; give some words or a question"));
    }
    if !(1..=50).contains(&request.limit) || !(1..=10).contains(&request.max_per_note) {
        return Err(OpError::InvalidArgument("limit goes from 1 to 50, max_per_note from 1 to 10"));
    }
    Ok(())
}

/// Which legs can run, and what to say about those that cannot.
struct Legs {
    mode: Mode,
    by_words: bool,
    meaning: Option<Meaning>,
    notices: Vec<&'static str>,
}

impl Legs {
    fn new(service: &Service, session: &Session<'_>, request: &SearchRequest, tree: Option<&Tree>) -> Legs {
        let mut legs = Legs { mode: Mode::Keyword, by_words: true, meaning: None, notices: Vec::new() };
        match tree {
            None if service.is_indexing() => legs.notices.push(notice::FIRST_PASS_INDEXING),
            None => legs.notices.push(notice::FIRST_PASS),
            Some(tree) if request.mode != Mode::Keyword => legs.add_meaning(service, session, request, tree),
            Some(_) => {}
        }
        if tree.is_none() && request.expand_links {
            legs.notices.push(notice::LINKS_NEED_INDEX);
        }
        if legs.meaning.is_none() && request.hypothetical.is_some() {
            legs.notices.push(notice::SKETCH_UNUSED);
        }
        legs
    }

    fn add_meaning(
        &mut self,
        service: &Service,
        session: &Session<'_>,
        request: &SearchRequest,
        tree: &Tree,
    ) {
        let Some(model) = tree.header().model.as_deref() else {
            if request.mode == Mode::Semantic || !service.models.accepts(None) {
                self.notices.push(notice::NO_VECTORS);
            }
            return;
        };
        let Some(embedder) = service.models.embedder(model) else {
            self.notices.push(notice::MODEL_MISMATCH);
            return;
        };
        match search::embed_question(&*embedder, &request.query, request.hypothetical.as_deref(), tree) {
            Ok(meaning) => {
                let weight = service.meaning_weight.unwrap_or(meaning.weight);
                self.meaning = Some(Meaning { weight, ..meaning });
            }
            Err(error) => {
                // Without the error: it may name a folder, and a client may read the log.
                tracing::warn!("a query could not be embedded: {}", notice::of_model(&error));
                self.notices.push(notice::of_model(&error));
                return;
            }
        }
        self.mode = request.mode;
        self.by_words = request.mode != Mode::Semantic;
        // As they may be seen now: what waits may have turned private.
        let is_shown = |path: &str| NotePath::parse(path).is_ok_and(|path| session.open(&path).is_ok());
        if tree.any_waiting_note(is_shown).unwrap_or_default() {
            self.notices.push(notice::VECTORS_PENDING);
        }
    }
}

/// The hits as passages, read from the notes that were admitted.
fn passages<'s>(
    session: &Session<'s>,
    found: &Found<'s>,
    request: &SearchRequest,
    first_rank: usize,
) -> Vec<Released<'s, Passage>> {
    let _span = tracing::trace_span!("write passages down").entered();
    let notes: BTreeSet<usize> = found.hits.iter().map(|hit| hit.note).collect();
    let cut = |index: usize| (index, Cut::new(found.notes[index].text(), found.notes[index].path().stem()));
    let cuts: HashMap<usize, Cut<'_>> = notes.into_par_iter().map(cut).collect();
    let ranked = found.hits.iter().zip(first_rank..);
    ranked
        .filter_map(|(hit, rank)| {
            let note = &found.notes[hit.note];
            let passage = passage(note, &cuts[&hit.note], hit, rank, &found.terms, request.detail)?;
            Some(session.release(note, passage))
        })
        .collect()
}

/// The passages of linked notes, each with the note that led to it.
fn linked_passages<'s>(
    session: &Session<'s>,
    linked: &Linked<'s>,
    request: &SearchRequest,
    first_rank: usize,
) -> impl Iterator<Item = Released<'s, Passage>> {
    let via = |passage: &Passage| linked.via.get(&passage.path).cloned();
    let passages = passages(session, &linked.found, request, first_rank).into_iter();
    passages.map(move |one| one.map(|passage| Passage { via: via(&passage), ..passage }))
}

fn passage(
    note: &Note<'_>,
    cut: &Cut<'_>,
    hit: &Hit,
    rank: usize,
    terms: &HashSet<String>,
    detail: Detail,
) -> Option<Passage> {
    let piece = cut.piece_at(&hit.range)?;
    let text = piece.visible_text();
    let shown = excerpt(&text, terms, room(&text, rank, detail));
    let heading_path = headings(&piece);
    let path = note.path().as_str();
    let legs =
        [(hit.by_words.is_some(), MatchedBy::Keyword), (hit.by_meaning.is_some(), MatchedBy::Semantic)];
    Some(Passage {
        rank,
        path: path.to_owned(),
        title: shortened(&cut.title),
        citation: citation(path, &heading_path),
        line_start: piece.lines().0,
        line_end: piece.lines().1,
        text: text[shown.range.clone()].to_owned(),
        highlights: relative(&shown.highlights, shown.range.start),
        score: (hit.score * 10_000.0).round() / 10_000.0,
        matched_by: legs.into_iter().filter(|(found, _)| *found).map(|(_, leg)| leg).collect(),
        heading_path,
        standings: [hit.by_words, hit.by_meaning],
        via: None,
    })
}

/// Bytes of a passage that are shown.
fn room(text: &str, rank: usize, detail: Detail) -> usize {
    match detail {
        Detail::Full => usize::MAX,
        Detail::Excerpt => bytes_for(EXCERPT_LETTERS[rank.clamp(1, EXCERPT_LETTERS.len()) - 1], text),
    }
}

/// Longer titles and headings are cut, so that what stands around a text is bounded as the text is.
const MOST_TITLE_BYTES: usize = 200;
/// Marks what is cut.
const CUT: char = '…';

pub(super) fn shortened(title: &str) -> String {
    match title.floor_char_boundary(MOST_TITLE_BYTES) {
        end if end < title.len() => format!("{}{CUT}", &title[..end]),
        _ => title.to_owned(),
    }
}

/// The headings above a passage, from the outer to the inner.
pub(super) fn headings(piece: &Piece<'_>) -> Vec<String> {
    piece.heading_path().into_iter().map(shortened).collect()
}

/// `path#heading`, or `path` before the first heading and below one that is cut: no such heading could be found.
pub(super) fn citation(path: &str, heading_path: &[String]) -> String {
    match heading_path.last() {
        Some(heading) if !heading.ends_with(CUT) => format!("{path}#{heading}"),
        _ => path.to_owned(),
    }
}

fn relative(ranges: &[Range<usize>], start: usize) -> Vec<Range<usize>> {
    ranges.iter().map(|range| range.start - start..range.end - start).collect()
}

/// Cuts texts, the last ones first, until they fit; paths always stay, but for those of linked notes of which
/// nothing would be shown. Tells whether it cut.
fn fit(passages: &mut Vec<Passage>, max_bytes: usize) -> bool {
    let mut left = max_bytes;
    let mut truncated = false;
    for passage in passages.iter_mut() {
        if passage.text.len() > left {
            passage.text.truncate(passage.text.floor_char_boundary(left));
            passage.highlights.retain(|range| range.end <= passage.text.len());
            truncated = true;
        }
        left -= passage.text.len();
    }
    passages.retain(|passage| passage.via.is_none() || !passage.text.is_empty());
    truncated
}
