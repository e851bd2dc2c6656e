//! Similar: a note, or any text -> notes like it, what it could link to, what says the same twice, tags it may lack.
//!
//! Invariant: candidates come out of searches, whose notes were admitted in this request; every name, sentence and tag
//! is read from their text. The index proposes and is never quoted.

mod duplicates;
mod mentions;

use std::collections::BTreeMap;

use serde::Serialize;

use super::names::{self, Name};
use super::search::{self, Mode, Rerank, SearchRequest};
use super::shown::{Shown, Shows};
use super::trees::check_emptiness;
use super::{Caller, OpError, Service, patch};
use crate::index::{Cut, Tree};
use crate::note::fold;
use crate::reply::Reply;
use crate::vault::{Note, Released, Session};

/// What for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Notes about the same.
    #[default]
    Related,
    /// What it could link to.
    Link,
    /// Notes and passages that say nearly the same.
    Duplicate,
    /// Tags of notes like it.
    Tag,
}

/// What to look for the like of.
#[derive(Debug, Clone)]
pub struct SimilarRequest {
    /// Path, title, alias or wikilink of a note.
    pub path: Option<String>,
    /// Or any text.
    pub text: Option<String>,
    /// What for.
    pub purpose: Purpose,
    /// Candidates wanted, 1 to 50.
    pub limit: usize,
    /// Upper bound of the note text in the answer, the patch included, in bytes.
    pub max_bytes: usize,
}

impl Default for SimilarRequest {
    fn default() -> Self {
        SimilarRequest { path: None, text: None, purpose: Purpose::Related, limit: 8, max_bytes: 3 * 1024 }
    }
}

/// Why a note is a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// It is about the same.
    Related,
    /// The text names it without a link.
    Mention,
    /// It is nearly the same note.
    #[serde(rename = "note")]
    WholeNote,
    /// A passage of it is nearly the same as one of the text.
    Passage,
}

/// A note, with the evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// Why it is one.
    pub reason: Reason,
    /// Between 0 and 1, four decimals.
    pub score: f64,
    /// Where the evidence stands, `path#heading`: in the candidate, but for a mention, which stands in the note that was
    /// asked for; none for one in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// First line of the evidence, from 1.
    pub line_start: u32,
    /// Last line of it.
    pub line_end: u32,
    /// The evidence: a passage, or the line with the mention.
    pub text: String,
    /// The wikilink to put in the place of a mention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A tag that notes like it carry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TagProposal {
    /// Without `#`, as in the note most like it.
    pub tag: String,
    /// Between 0 and 1, four decimals: the share of the likeness of all notes that were compared.
    pub score: f64,
    /// Notes that carry it, the most like first; at most three.
    pub notes: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct SimilarAnswer {
    /// Path of the note that was asked for, if it was one; the reader knows it.
    #[serde(skip)]
    pub asked: Option<String>,
    /// What it is for.
    pub purpose: Purpose,
    /// The mode of the searches.
    pub mode: Mode,
    /// What the reader should know.
    pub notices: Vec<&'static str>,
    /// Best first.
    pub candidates: Vec<Candidate>,
    /// For tags: the likeliest first.
    pub tags: Vec<TagProposal>,
    /// For links of a note: a unified diff that puts the wikilinks in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Text or candidates were left out to stay within `max_bytes`.
    pub truncated: bool,
}

impl Shows for SimilarAnswer {
    fn tell(&self, shown: &mut Shown) {
        for candidate in &self.candidates {
            shown.name(&candidate.path);
            let evidence_in =
                if candidate.reason == Reason::Mention { self.asked.as_ref() } else { Some(&candidate.path) };
            if let Some(path) = evidence_in {
                shown.lines(path, candidate.line_start, candidate.line_end);
            }
        }
        self.tags.iter().flat_map(|tag| &tag.notes).for_each(|path| shown.name(path));
        if let (Some(path), Some(patch)) = (&self.asked, &self.patch) {
            patch::old_lines(patch).for_each(|(first, last)| shown.lines(path, first, last));
        }
    }
}

/// Passages of the text that are searched for.
const MOST_SEEDS: usize = 4;
/// Notes whose tags are proposed.
const TAG_NEIGHBOURS: usize = 15;
/// Of each passage that is shown.
const EVIDENCE_BYTES: usize = 200;

pub(super) fn run(
    service: &Service,
    request: &SimilarRequest,
    caller: &Caller<'_>,
) -> Result<Reply<SimilarAnswer>, OpError> {
    if request.path.is_some() == request.text.is_some() {
        return Err(OpError::InvalidArgument("give either path or text"));
    }
    if !(1..=50).contains(&request.limit) {
        return Err(OpError::InvalidArgument("limit goes from 1 to 50"));
    }
    service.request(caller, |session, tree| {
        let note = match &request.path {
            Some(path) => Some(names::open(session, tree, &Name::parse(path).target)?),
            None => None,
        };
        let asked = Asked::new(note.as_ref(), request);
        let found = Found::look(service, session, tree, &asked, request)?;
        let (mode, notices) = (found.mode, found.notices.clone());
        let parts = match request.purpose {
            Purpose::Related => Parts::of(session, found.related(session)),
            Purpose::Link => mentions::find(session, tree, &asked, &found, request)?,
            Purpose::Duplicate => Parts::of(session, duplicates::find(session, &asked, &found)),
            Purpose::Tag => Parts { tags: found.tags(session, &asked), ..Parts::of(session, Vec::new()) },
        };
        let Parts { candidates, tags, patch, is_cut } = parts;
        if candidates.get().is_empty() && tags.get().is_empty() {
            check_emptiness(session, tree)?;
        }
        let all = candidates.with(tags).with(patch);
        let asked = note.as_ref().map(|note| note.path().as_str().to_owned());
        Ok(Reply::new(all.map(|((candidates, tags), patch)| {
            let answer = SimilarAnswer {
                asked,
                purpose: request.purpose,
                mode,
                notices,
                candidates,
                tags,
                patch: patch.into_iter().next(),
                truncated: is_cut,
            };
            fit(answer, request)
        })))
    })
}

/// What the answer is made of.
struct Parts<'s> {
    candidates: Released<'s, Vec<Candidate>>,
    tags: Released<'s, Vec<TagProposal>>,
    /// One or none.
    patch: Released<'s, Vec<String>>,
    is_cut: bool,
}

impl<'s> Parts<'s> {
    fn of(session: &Session<'s>, candidates: Vec<Released<'s, Candidate>>) -> Parts<'s> {
        Parts {
            candidates: session.gather(candidates),
            tags: session.gather(Vec::new()),
            patch: session.gather(Vec::new()),
            is_cut: false,
        }
    }
}

/// The text that is asked about.
struct Asked<'n, 's> {
    note: Option<&'n Note<'s>>,
    text: &'n str,
    cut: Cut<'n>,
}

impl<'n, 's> Asked<'n, 's> {
    fn new(note: Option<&'n Note<'s>>, request: &'n SimilarRequest) -> Asked<'n, 's> {
        let text = note.map_or_else(|| request.text.as_deref().unwrap_or_default(), |note| note.text());
        let stem = note.map_or("", |note| note.path().stem());
        Asked { note, text, cut: Cut::new(text, stem) }
    }

    fn path(&self) -> &str {
        self.note.map_or("", |note| note.path().as_str())
    }

    /// Texts to search for: the title with the beginning, then passages from all over it.
    fn seeds(&self) -> Vec<String> {
        let passages: Vec<String> = self.cut.pieces().map(|piece| piece.visible_text()).collect();
        let step = passages.len().div_ceil(MOST_SEEDS).max(1);
        let some = passages.iter().step_by(step).enumerate();
        let mut seeds: Vec<String> = some
            .map(
                |(number, passage)| {
                    if number == 0 { format!("{}\n{passage}", self.cut.title) } else { passage.clone() }
                },
            )
            // Quotation marks would ask for exact phrases.
            .map(|seed| seed.replace(['"', '\u{201c}', '\u{201d}', '\u{201e}'], " "))
            .collect();
        seeds.retain(|seed| !seed.trim().is_empty());
        seeds
    }
}

/// Notes that searches for the text found, the most like first.
struct Found<'s> {
    notes: Vec<FoundNote<'s>>,
    mode: Mode,
    notices: Vec<&'static str>,
}

struct FoundNote<'s> {
    note: Note<'s>,
    /// Of its best passage, over all searches.
    score: f64,
    /// Its passages that were found, the best first.
    ranges: Vec<std::ops::Range<usize>>,
}

impl<'s> Found<'s> {
    fn look(
        service: &Service,
        session: &Session<'s>,
        tree: Option<&Tree>,
        asked: &Asked<'_, 's>,
        request: &SimilarRequest,
    ) -> Result<Found<'s>, OpError> {
        let seeds = asked.seeds();
        let mut found = Found { notes: Vec::new(), mode: Mode::Keyword, notices: Vec::new() };
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for seed in &seeds {
            let search = SearchRequest {
                query: seed.clone(),
                limit: (2 * request.limit).clamp(TAG_NEIGHBOURS, 50),
                max_per_note: if request.purpose == Purpose::Duplicate { 3 } else { 1 },
                rerank: Rerank::Off,
                ..SearchRequest::default()
            };
            let searched = search::find(service, session, tree, &search)?;
            (found.mode, found.notices) = (searched.mode, searched.notices);
            found.add(searched.found, seeds.len(), asked.path(), &mut places);
        }
        found.notes.sort_by(|one, other| {
            other.score.total_cmp(&one.score).then_with(|| one.note.path().cmp(other.note.path()))
        });
        Ok(found)
    }

    fn add(
        &mut self,
        found: crate::search::Found<'s>,
        searches: usize,
        own: &str,
        places: &mut BTreeMap<String, usize>,
    ) {
        let mut hits: BTreeMap<usize, Vec<(f64, std::ops::Range<usize>)>> = BTreeMap::new();
        for hit in found.hits {
            hits.entry(hit.note).or_default().push((hit.score, hit.range));
        }
        for (index, note) in
            found.notes.into_iter().enumerate().filter(|(_, note)| note.path().as_str() != own)
        {
            let Some(hits) = hits.remove(&index) else { continue };
            let place = *places.entry(note.path().as_str().to_owned()).or_insert_with(|| {
                self.notes.push(FoundNote { note, score: 0.0, ranges: Vec::new() });
                self.notes.len() - 1
            });
            // A note that is like all of the text is more like it than one that is like a part.
            self.notes[place].score +=
                hits.iter().map(|(score, _)| *score).fold(0.0, f64::max) / searches as f64;
            for (_, range) in hits {
                if !self.notes[place].ranges.contains(&range) {
                    self.notes[place].ranges.push(range);
                }
            }
        }
    }

    fn related(&self, session: &Session<'s>) -> Vec<Released<'s, Candidate>> {
        let candidate = |found: &FoundNote<'s>| {
            let range = found.ranges.first()?;
            let candidate = evidence(&found.note, range, Reason::Related, found.score)?;
            Some(session.release(&found.note, candidate))
        };
        self.notes.iter().filter_map(candidate).collect()
    }

    /// The tags of the notes most like it that it has not, with what speaks for each.
    fn tags(&self, session: &Session<'s>, asked: &Asked<'_, 's>) -> Released<'s, Vec<TagProposal>> {
        let own: Vec<String> = asked.cut.document.tags.iter().map(|tag| fold(tag)).collect();
        let of_note = |found: &FoundNote<'s>| {
            let tags = crate::note::parse(found.note.text()).tags;
            session.release(&found.note, (found.note.path().as_str().to_owned(), found.score, tags))
        };
        let notes = self.notes.iter().take(TAG_NEIGHBOURS).map(of_note).collect();
        session.gather(notes).map(|notes: Vec<(String, f64, Vec<String>)>| proposals(&notes, &own))
    }
}

/// Notes as path, score and tags, the most like first; `own` is folded.
fn proposals(notes: &[(String, f64, Vec<String>)], own: &[String]) -> Vec<TagProposal> {
    let whole: f64 = notes.iter().map(|(_, score, _)| *score).sum();
    let mut proposals: Vec<(String, TagProposal)> = Vec::new();
    for (path, score, tags) in notes {
        for tag in tags {
            let key = fold(tag);
            let is_own = |own: &String| {
                *own == key || own.strip_prefix(&*key).is_some_and(|rest| rest.starts_with('/'))
            };
            if own.iter().any(is_own) {
                continue;
            }
            let place = proposals.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                let proposal = TagProposal { tag: search::shortened(tag), score: 0.0, notes: Vec::new() };
                proposals.push((key, proposal));
                proposals.len() - 1
            });
            let proposal = &mut proposals[place].1;
            proposal.score += score / whole.max(f64::EPSILON);
            if proposal.notes.len() < 3 {
                proposal.notes.push(path.clone());
            }
        }
    }
    let mut proposals: Vec<TagProposal> = proposals.into_iter().map(|(_, proposal)| proposal).collect();
    for proposal in &mut proposals {
        proposal.score = rounded(proposal.score);
    }
    // A stable sort: of several, the one of the note most like it.
    proposals.sort_by(|one, other| other.score.total_cmp(&one.score));
    proposals
}

/// A passage of a note as evidence.
fn evidence(
    note: &Note<'_>,
    range: &std::ops::Range<usize>,
    reason: Reason,
    score: f64,
) -> Option<Candidate> {
    let cut = Cut::new(note.text(), note.path().stem());
    let piece = cut.piece_at(range)?;
    let text = piece.visible_text();
    Some(Candidate {
        path: note.path().as_str().to_owned(),
        title: search::shortened(&cut.title),
        reason,
        score: rounded(score),
        citation: Some(search::citation(note.path().as_str(), &search::headings(&piece))),
        line_start: piece.lines().0,
        line_end: piece.lines().1,
        text: text[..text.floor_char_boundary(EVIDENCE_BYTES)].to_owned(),
        link: None,
    })
}

fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// Leaves out the last candidates and tags until the answer fits; a patch counts first.
fn fit(mut answer: SimilarAnswer, request: &SimilarRequest) -> SimilarAnswer {
    answer.candidates.truncate(request.limit);
    answer.tags.truncate(request.limit);
    let mut left = request.max_bytes.saturating_sub(answer.patch.as_ref().map_or(0, String::len));
    let fits = |candidate: &Candidate| {
        // Of a mention both the note and the place that names it are shown.
        let link = candidate.link.as_ref().map_or(0, |link| link.len() + candidate.path.len());
        let cost = candidate.text.len() + candidate.path.len() + link;
        let is_within = cost <= left;
        left = left.saturating_sub(cost);
        is_within
    };
    let count = answer.candidates.iter().map(fits).take_while(|is_within| *is_within).count();
    answer.truncated |= count < answer.candidates.len();
    answer.candidates.truncate(count);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_the_likest_notes_come_first() {
        let note = |path: &str, score: f64, tags: &[&str]| {
            (path.to_owned(), score, tags.iter().map(|tag| (*tag).to_owned()).collect())
        };
        let notes = [
            note("a.md", 1.0, &["Boat", "wood/oak", "have"]),
            note("b.md", 0.6, &["boat", "wood"]),
            note("c.md", 0.4, &["sea", "have/more"]),
        ];
        let own = ["have", "wood/ash"].map(str::to_owned);
        let shown: Vec<String> = proposals(&notes, &own)
            .iter()
            .map(|one| format!("{} {} {}", one.tag, one.score, one.notes.join(" ")))
            .collect();
        assert_eq!(shown, ["Boat 0.8 a.md b.md", "wood/oak 0.5 a.md", "sea 0.2 c.md", "have/more 0.2 c.md"]);
    }
}
