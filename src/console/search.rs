//! One question asked twice, as an agent and as the owner, side by side, with what placed each passage where it is.
//!
//! Invariant: the column of the agent is made of the public reply; the full one adds to it only at which place
//! of its own the same passage stands.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::PoisonError;

use super::html::{Block, Html, address, counted, html, moment};
use super::{Asked, Console, Page, Stage, privacy};
use crate::ops::privacy::PrivacyAnswer;
use crate::ops::search::{Mode, Passage, SearchAnswer, SearchRequest, Standing};
use crate::ops::{OpError, Service};

/// Passages wanted of each.
const LIMIT: usize = 10;

pub(super) fn page(console: &Console, asked: &Asked<'_>) -> Page {
    let request = request(asked);
    let public = searched(console, &console.public, &request, asked)?;
    let full = searched(console, &console.full, &request, asked)?;
    let paths: Vec<String> = full.answer.passages.iter().map(|passage| passage.path.clone()).collect();
    let judged = console.full.explain_each(&paths)?;
    let judged: HashMap<&str, &PrivacyAnswer> =
        judged.iter().map(|answer| (answer.path.as_str(), answer)).collect();
    let hidden = full.answer.passages.iter().filter(|passage| is_private(&judged, passage)).count();
    let said = format!(
        "{} for an agent, {} for you, {} of them private",
        counted(public.answer.passages.len(), "passage"),
        counted(full.answer.passages.len(), "passage"),
        hidden
    );
    let as_agent = |passage: &Passage| {
        elsewhere("yours", &full.answer, passage).unwrap_or_else(|| chip("dim", "not among yours"))
    };
    let as_owner = |passage: &Passage| match judged.get(passage.path.as_str()) {
        Some(answer) if !answer.public => {
            let because = privacy::because(console, answer).unwrap_or_default();
            html(r#"{}<span class="because">{}</span>"#, &[&privacy::mark(answer), &because])
        }
        _ => elsewhere("agent", &public.answer, passage)
            .unwrap_or_else(|| chip("dim", "not among the agent's")),
    };
    Ok(html(
        r#"<article class="search" data-view="search" data-said="{}">
<h1 tabindex="-1">{}</h1>
<p class="quiet">{}</p>
<div class="columns">{}{}</div>
</article>"#,
        &[
            &said,
            &request.query,
            &said,
            &column("public", "What an agent gets", &public, as_agent),
            &column("full", "What you get", &full, as_owner),
        ],
    ))
}

fn request(asked: &Asked<'_>) -> SearchRequest {
    SearchRequest {
        query: asked.text("q").to_owned(),
        mode: match asked.text("mode") {
            "keyword" => Mode::Keyword,
            "semantic" => Mode::Semantic,
            _ => Mode::Hybrid,
        },
        limit: LIMIT,
        expand_links: asked.text("links") == "on",
        ..SearchRequest::default()
    }
}

/// An answer, and where its time went.
struct Searched {
    answer: SearchAnswer,
    stages: Vec<Stage>,
}

fn searched(
    console: &Console,
    service: &Service,
    request: &SearchRequest,
    asked: &Asked<'_>,
) -> Result<Searched, OpError> {
    let _one_at_a_time = console.searching.lock().unwrap_or_else(PoisonError::into_inner);
    drop((console.stages)());
    let answer = service.search(request, &asked.caller)?.get().clone();
    Ok(Searched { answer, stages: (console.stages)() })
}

fn is_private(judged: &HashMap<&str, &PrivacyAnswer>, passage: &Passage) -> bool {
    judged.get(passage.path.as_str()).is_some_and(|answer| !answer.public)
}

fn column(
    profile: &'static str,
    title: &'static str,
    searched: &Searched,
    beside: impl Fn(&Passage) -> Html,
) -> Html {
    let Searched { answer, stages } = searched;
    let notices: Vec<Html> =
        answer.notices.iter().map(|notice| html(r#"<p class="notice">{}</p>"#, &[notice])).collect();
    let hits: Vec<Html> =
        answer.passages.iter().map(|passage| hit(passage, answer.mode, &beside(passage))).collect();
    let hits = if hits.is_empty() {
        html(r#"<p class="nothing">Nothing found.</p>"#, &[])
    } else {
        html(r#"<ol class="hits">{}</ol>"#, &[&hits])
    };
    html(
        r#"<section class="column {}" data-column aria-labelledby="as-{}">
<h2 id="as-{}">{} <span class="profile">{} profile</span></h2>
<p class="about">{}</p>{}{}
{}</section>"#,
        &[&profile, &profile, &profile, &title, &profile, &about(answer), &notices, &hits, &times(stages)],
    )
}

/// How it was searched, and when the index saw the vault.
fn about(answer: &SearchAnswer) -> String {
    let mode = match answer.mode {
        Mode::Hybrid => "by words and meaning",
        Mode::Keyword => "by words",
        Mode::Semantic => "by meaning",
    };
    let reranked = if answer.reranked { ", reranked" } else { "" };
    let likely = match (answer.passages.is_empty(), answer.likely) {
        (true, _) => "",
        (false, true) => "; an answer is likely",
        (false, false) => "; an answer is doubtful",
    };
    let seen =
        answer.indexed_at.as_deref().map(|at| format!("; index of {}", moment(at))).unwrap_or_default();
    format!("{mode}{reranked}{likely}{seen}")
}

fn hit(passage: &Passage, mode: Mode, beside: &Html) -> Html {
    let [words, meaning] = passage.standings;
    let lines = if passage.line_start == passage.line_end {
        format!("line {}", passage.line_start)
    } else {
        format!("lines {}–{}", passage.line_start, passage.line_end)
    };
    let via = passage.via.as_deref().map(|via| chip("via", &format!("linked with {via}")));
    html(
        r#"<li class="hit"><div class="title"><span class="rank">{}</span><button type="button" class="link" data-item data-get="{}">{}</button><span class="lines">{}</span></div>
<p class="marks">{}{}</p>
<p class="why">{}<span class="score">{}</span>{}{}</p>
<p class="excerpt">{}</p></li>"#,
        &[
            &passage.rank,
            &address("note", &[("path", &passage.path)]),
            &passage.citation,
            &lines,
            beside,
            &via,
            &bar(passage.score),
            &format!("{:.4}", passage.score),
            &(mode != Mode::Semantic).then(|| leg("words", "BM25", words)),
            &(mode != Mode::Keyword).then(|| leg("meaning", "cosine", meaning)),
            &marked(&passage.text, &passage.highlights),
        ],
    )
}

/// Where a leg that ran placed the passage.
fn leg(name: &'static str, measure: &'static str, standing: Option<Standing>) -> Html {
    match standing {
        Some(Standing { rank, score }) => html(
            r#"<span class="chip {}">{} no. {} <span class="measure">{} {}</span></span>"#,
            &[&name, &name, &rank, &measure, &format!("{score:.3}")],
        ),
        None => html(r#"<span class="chip dim">not by {}</span>"#, &[&name]),
    }
}

fn chip(kind: &'static str, text: &str) -> Html {
    html(r#"<span class="chip {}">{}</span>"#, &[&kind, &text])
}

/// At which place the same passage stands in the other answer.
fn elsewhere(whose: &'static str, other: &SearchAnswer, passage: &Passage) -> Option<Html> {
    let is_same = |one: &&Passage| (&one.path, one.line_start) == (&passage.path, passage.line_start);
    let rank = other.passages.iter().find(is_same)?.rank;
    Some(html(r#"<span class="chip place">{} no. {}</span>"#, &[&whose, &rank]))
}

/// A score between 0 and 1 as a length. No style may be written into the page, so that it is an image.
fn bar(score: f64) -> Html {
    let length = format!("{:.1}", (score * 100.0).clamp(0.0, 100.0));
    html(
        r#"<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="4"/><rect class="length" width="{}" height="4"/></svg>"#,
        &[&length],
    )
}

/// The text with the words of the query marked.
fn marked(text: &str, highlights: &[Range<usize>]) -> Vec<Html> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for range in highlights {
        let (Some(before), Some(word)) = (text.get(end..range.start), text.get(range.clone())) else {
            continue;
        };
        pieces.push(html("{}<mark>{}</mark>", &[&Block(before), &Block(word)]));
        end = range.end;
    }
    pieces.push(html("{}", &[&Block(&text[end..])]));
    pieces
}

fn times(stages: &[Stage]) -> Option<Html> {
    let rows: Vec<Html> = stages
        .iter()
        .map(|stage| {
            let count = stage.count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
            html(
                "<tr><td>{}</td><td>{} ms</td><td>{}</td></tr>",
                &[&stage.name, &format!("{:.1}", stage.milliseconds), &count],
            )
        })
        .collect();
    (!rows.is_empty()).then(|| {
        html(
            r#"<details class="times"><summary>Where the time went</summary><table><thead><tr><th scope="col">Stage</th><th scope="col">Time</th><th scope="col">Came out with</th></tr></thead><tbody>{}</tbody></table></details>"#,
            &[&rows],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_and_nothing_else_is_markup() {
        type Places<'a> = &'a [(usize, usize)];
        let table: [(&str, Places<'_>, &str); 3] = [
            ("a <b> c", &[(2, 5)], "a <mark>&lt;b&gt;</mark> c"),
            ("é", &[(1, 2)], "é"),
            ("ab", &[(0, 1), (1, 2)], "<mark>a</mark><mark>b</mark>"),
        ];
        for (text, places, expected) in table {
            let highlights: Vec<Range<usize>> = places.iter().map(|(start, end)| *start..*end).collect();
            assert_eq!(html("{}", &[&marked(text, &highlights)]).into_string(), expected);
        }
    }
}
