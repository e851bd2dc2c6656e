//! A note among those it is linked with: what links to it on the left, what it links to on the right.

use std::collections::HashMap;

use super::html::{Html, address, html};
use super::{Asked, Console, Page, privacy};
use crate::ops::OpError;
use crate::ops::links::{LinkedNote, LinksAnswer, LinksRequest};
use crate::ops::privacy::PrivacyAnswer;

/// Notes shown on each side.
const MOST: usize = 24;
/// The height of a row, in pixels, as the style sheet has it.
const ROW: usize = 40;

pub(super) fn section(console: &Console, note: &PrivacyAnswer, asked: &Asked<'_>) -> Page {
    let request = LinksRequest { name: note.path.clone(), ..LinksRequest::default() };
    let body = match console.full.links(&request, &asked.caller) {
        Ok(reply) if reply.get().path == note.path => graph(console, note, reply.get())?,
        Ok(_) | Err(OpError::NotFound) => html(
            r#"<p class="quiet">Your index does not know this note yet. Run <code>obsearch index</code></p>"#,
            &[],
        ),
        Err(OpError::Unavailable { client, .. }) => html(r#"<p class="notice">{}</p>"#, &[&client]),
        Err(other) => return Err(other),
    };
    Ok(html(r#"<section class="card links"><h2>Links</h2>{}</section>"#, &[&body]))
}

fn graph(console: &Console, note: &PrivacyAnswer, links: &LinksAnswer) -> Page {
    let shown = |notes: &[LinkedNote]| notes.iter().take(MOST).cloned().collect::<Vec<_>>();
    let (incoming, outgoing) = (shown(&links.backlinks), shown(&links.outgoing));
    let paths: Vec<String> = incoming.iter().chain(&outgoing).map(|note| note.path.clone()).collect();
    let judged = console.full.explain_each(&paths)?;
    let judged: HashMap<&str, &PrivacyAnswer> =
        judged.iter().map(|answer| (answer.path.as_str(), answer)).collect();
    let side = |title: &'static str, notes: &[LinkedNote], all: usize| side(title, notes, all, &judged);
    let unresolved = (!links.unresolved.is_empty()).then(|| {
        let targets: Vec<Html> =
            links.unresolved.iter().take(MOST).map(|target| html("<li>{}</li>", &[target])).collect();
        html(r#"<div class="unresolved"><h3>Links to no note</h3><ul>{}</ul></div>"#, &[&targets])
    });
    Ok(html(
        r#"<div class="graph">{}{}<p class="center">{}{}</p>{}{}</div>{}"#,
        &[
            &side("Linked from", &incoming, links.backlinks.len()),
            &curves(incoming.len(), Toward::Center),
            &last(&note.path),
            &privacy::mark(note),
            &curves(outgoing.len(), Toward::Notes),
            &side("Links to", &outgoing, links.outgoing.len()),
            &unresolved,
        ],
    ))
}

fn side(
    title: &'static str,
    notes: &[LinkedNote],
    all: usize,
    judged: &HashMap<&str, &PrivacyAnswer>,
) -> Html {
    let rows: Vec<Html> =
        notes.iter().map(|note| row(note, judged.get(note.path.as_str()).copied())).collect();
    let more = all.saturating_sub(notes.len());
    let more = (more > 0).then(|| html(r#"<p class="more quiet">and {} more</p>"#, &[&more]));
    let nothing = notes.is_empty().then(|| html(r#"<p class="quiet">nothing</p>"#, &[]));
    html(r#"<div class="side"><h3>{}</h3><ul>{}</ul>{}{}</div>"#, &[&title, &rows, &more, &nothing])
}

fn row(note: &LinkedNote, judged: Option<&PrivacyAnswer>) -> Html {
    let mark = judged.map(privacy::mark);
    html(
        r#"<li><button type="button" class="link" data-item data-get="{}" title="{}">{}</button> {}</li>"#,
        &[&address("note", &[("path", &note.path)]), &note.path, &note.title, &mark],
    )
}

/// Where lines meet.
#[derive(Clone, Copy)]
enum Toward {
    Center,
    Notes,
}

/// A line between each of so many rows and the middle.
fn curves(rows: usize, toward: Toward) -> Html {
    if rows == 0 {
        return html("<span></span>", &[]);
    }
    let height = rows * ROW;
    let middle = height / 2;
    let curve = |row: usize| {
        let y = row * ROW + ROW / 2;
        let (from, to) = match toward {
            Toward::Center => (y, middle),
            Toward::Notes => (middle, y),
        };
        html(r#"<path d="{}"/>"#, &[&format!("M0 {from}C50 {from} 50 {to} 100 {to}")])
    };
    let curves: Vec<Html> = (0..rows).map(curve).collect();
    let (height, view) = (height.to_string(), format!("0 0 100 {height}"));
    html(
        r#"<svg class="curves" viewBox="{}" height="{}" preserveAspectRatio="none" aria-hidden="true">{}</svg>"#,
        &[&view, &height, &curves],
    )
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
