//! Questions -> outcomes: asks them of the service, mode by mode, one after the other.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::Way;
use super::{DEPTH, ModeRun, Outcome, Question, Scores};
use crate::ops::list::ListRequest;
use crate::ops::search::{Passage, SearchAnswer, SearchRequest};
use crate::ops::{Caller, OpError, Service};

/// The service gives no more notes in one answer.
const MOST_NOTES: usize = 50;
/// Notes listed at a time.
const PAGE: usize = 1000;

/// What to ask.
pub struct Plan<'a> {
    /// The questions.
    pub questions: &'a [Question],
    /// The modes, each asked everything.
    pub modes: &'a [Way],
    /// The cut-off of hit@k and recall@k, 1 to 50.
    pub k: usize,
}

/// Is told how an evaluation goes on.
pub trait Watch {
    /// A mode begins, with so many questions.
    fn begin(&self, mode: Way, questions: u64);
    /// One more is answered.
    fn advance(&self);
    /// The mode is done.
    fn end(&self);
}

/// Asks everything of every mode. A note ranks as its best passage does.
pub fn ask(service: &Service, plan: &Plan<'_>, watch: &dyn Watch) -> Result<Vec<ModeRun>, OpError> {
    plan.modes
        .iter()
        .map(|mode| {
            watch.begin(*mode, plan.questions.len() as u64);
            let run = ask_mode(service, plan, *mode, watch);
            watch.end();
            run
        })
        .collect()
}

/// The first question is asked twice, so that loading a model is not timed.
fn ask_mode(service: &Service, plan: &Plan<'_>, mode: Way, watch: &dyn Watch) -> Result<ModeRun, OpError> {
    let mut outcomes = Vec::with_capacity(plan.questions.len());
    for question in plan.questions.iter().take(1).chain(plan.questions) {
        let began = Instant::now();
        let reply = service.search(&request(question, mode, plan.k), &Caller::patient())?;
        let took = began.elapsed();
        let answer = reply.get();
        if answer.mode != mode.mode() || answer.reranked != (mode == Way::Reranked) {
            return Ok(ModeRun::impossible(mode, reason(answer)));
        }
        outcomes.push(outcome(question, answer, plan.k, took));
        if outcomes.len() > 1 {
            watch.advance();
        }
    }
    if !outcomes.is_empty() {
        outcomes.remove(0);
    }
    Ok(ModeRun::of(mode, outcomes, plan.k))
}

fn request(question: &Question, mode: Way, k: usize) -> SearchRequest {
    SearchRequest {
        query: question.query.clone(),
        mode: mode.mode(),
        rerank: mode.rerank(),
        limit: (DEPTH.max(k) + question.neutral_sources.len()).min(MOST_NOTES),
        max_per_note: 1,
        ..SearchRequest::default()
    }
}

fn reason(answer: &SearchAnswer) -> String {
    let told = answer.notices.join("; ");
    if told.is_empty() { "the index has no vectors".to_owned() } else { told }
}

/// Does the answer claim to hold what was asked for?
fn says_it_has_an_answer(answer: &SearchAnswer) -> bool {
    answer.likely
}

fn outcome(question: &Question, answer: &SearchAnswer, k: usize, took: Duration) -> Outcome {
    let is_neutral = |path: &str| question.neutral_sources.iter().any(|neutral| neutral == path);
    let passages: Vec<&Passage> =
        answer.passages.iter().filter(|passage| !is_neutral(&passage.path)).take(DEPTH.max(k)).collect();
    let ranked: Vec<&str> = passages.iter().map(|passage| &*passage.path).collect();
    let is_right = |(path, rank): (&&str, usize)| (question.gain(path) > 0.0).then_some(rank);
    Outcome {
        id: question.id.clone(),
        query: question.query.clone(),
        kind: question.kind.clone(),
        expected: question.expected_sources.clone(),
        ranks: ranked.iter().zip(1..).filter_map(is_right).collect(),
        first: ranked.first().map(|path| (*path).to_owned()),
        answered: says_it_has_an_answer(answer),
        right_heading: right_heading(question, passages.first().copied()),
        scores: question.is_answerable().then(|| Scores::of(question, &ranked, k)),
        milliseconds: (took.as_secs_f64() * 1e6).round() / 1e3,
    }
}

/// Is the first passage of a right note, and under an expected heading? None where no heading is expected.
fn right_heading(question: &Question, first: Option<&Passage>) -> Option<bool> {
    if question.expected_headings.is_empty() || !question.is_answerable() {
        return None;
    }
    let is_right = |passage: &Passage| {
        question.gain(&passage.path) > 0.0
            && question.expected_headings.iter().any(|expected| stands_under(passage, expected))
    };
    Some(first.is_some_and(is_right))
}

/// `expected` is a heading, or `path.md#Heading`.
fn stands_under(passage: &Passage, expected: &str) -> bool {
    let heading = match expected.split_once(".md#") {
        Some((path, heading)) if passage.path.strip_suffix(".md") == Some(path) => heading,
        Some(_) => return false,
        None => expected,
    };
    let wanted = heading.trim().to_lowercase();
    passage.heading_path.iter().any(|heading| heading.to_lowercase() == wanted)
}

/// Expected sources that this profile does not list, in order: labels that are out of date, or private notes.
pub fn missing_sources(service: &Service, questions: &[Question]) -> Result<Vec<String>, OpError> {
    let expected: BTreeSet<&str> =
        questions.iter().flat_map(|question| &question.expected_sources).map(|path| &**path).collect();
    let mut listed = BTreeSet::new();
    let mut request = ListRequest { limit: PAGE, ..ListRequest::default() };
    loop {
        let reply = service.list(&request, &Caller::patient())?;
        listed.extend(reply.get().notes.iter().map(|note| note.path.clone()));
        request.cursor.clone_from(&reply.get().next_cursor);
        if request.cursor.is_none() {
            break;
        }
    }
    Ok(expected.into_iter().filter(|path| !listed.contains(*path)).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(path: &str, headings: &[&str]) -> Passage {
        Passage {
            rank: 1,
            path: path.to_owned(),
            title: String::new(),
            citation: String::new(),
            heading_path: headings.iter().map(|heading| (*heading).to_owned()).collect(),
            line_start: 1,
            line_end: 1,
            text: String::new(),
            highlights: Vec::new(),
            score: 1.0,
            matched_by: Vec::new(),
            standings: [None; 2],
            via: None,
        }
    }

    fn answer(paths: &[&str]) -> SearchAnswer {
        let passages = paths.iter().map(|path| passage(path, &[])).collect();
        SearchAnswer {
            mode: Way::Keyword.mode(),
            notices: Vec::new(),
            indexed_at: None,
            truncated: false,
            likely: !paths.is_empty(),
            reranked: false,
            passages,
        }
    }

    #[test]
    fn neutral_notes_take_no_rank() {
        let question = Question {
            expected_sources: vec!["right.md".to_owned()],
            neutral_sources: vec!["linking.md".to_owned()],
            ..Question::default()
        };
        let ranks = |paths: &[&str]| {
            let outcome = outcome(&question, &answer(paths), 5, Duration::ZERO);
            (outcome.ranks.clone(), outcome.first.unwrap_or_default(), outcome.scores.unwrap().hit_at_1)
        };
        assert_eq!(ranks(&["linking.md", "right.md"]), (vec![1], "right.md".to_owned(), 1.0));
        assert_eq!(ranks(&["wrong.md", "linking.md", "right.md"]), (vec![2], "wrong.md".to_owned(), 0.0));
        assert_eq!(ranks(&["linking.md"]), (vec![], String::new(), 0.0));
    }

    #[test]
    fn a_heading_counts_in_a_right_note_only() {
        let rows: [(&str, &[&str], &str, bool); 7] = [
            ("a.md", &["Outer", "Inner"], "inner", true),
            ("a.md", &["Outer", "Inner"], "Outer", true),
            ("a.md", &["Outer"], "Other", false),
            ("a.md", &[], "Outer", false),
            ("b.md", &["Outer"], "Outer", false),
            ("a.md", &["Outer"], "a.md#Outer", true),
            ("a.md", &["Outer"], "b.md#Outer", false),
        ];
        for (path, headings, expected, is_right) in rows {
            let question = Question {
                expected_sources: vec!["a.md".to_owned()],
                expected_headings: vec![expected.to_owned()],
                ..Question::default()
            };
            let first = passage(path, headings);
            assert_eq!(
                right_heading(&question, Some(&first)),
                Some(is_right),
                "{path} {headings:?} {expected}"
            );
            assert_eq!(right_heading(&question, None), Some(false));
        }
        assert_eq!(right_heading(&Question::default(), None), None);
    }
}
