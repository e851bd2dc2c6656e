//! The vault as a tree, each note with whether it is public and which rule says so. Folders are read when they
//! are opened.

use super::html::{Html, address, counted, html};
use super::{Asked, Console, Page, privacy};
use crate::ops::browse::Subfolder;
use crate::ops::grounds;
use crate::ops::privacy::PrivacyAnswer;

/// Notes of a folder that are shown at once.
const NOTES_AT_ONCE: usize = 300;

pub(super) fn page(console: &Console) -> Page {
    let top = entries(console, "", 0)?;
    Ok(html(
        r#"<article class="vault" data-view="vault" data-said="The vault">
<h1 tabindex="-1">{}</h1>
<p class="quiet">Every note as it is judged at this moment. An agent sees those marked public, and nothing of the rest.</p>
<ul class="tree">{}</ul></article>"#,
        &[&console.vault_name, &top],
    ))
}

/// What is in one folder, for the place inside it.
pub(super) fn folder(console: &Console, asked: &Asked<'_>) -> Page {
    let first = asked.text("first").parse().unwrap_or(0);
    entries(console, asked.text("path"), first)
}

fn entries(console: &Console, folder: &str, first: usize) -> Page {
    let found = console.full.browse(folder, first, NOTES_AT_ONCE)?;
    let notes: Vec<Html> = found.notes.iter().map(|note| note_row(console, note)).collect();
    let next = (first + found.notes.len()).to_string();
    let more = (found.more > 0).then(|| {
        html(
            r#"<li><button type="button" data-item data-get="{}" data-into="self">{} more</button></li>"#,
            &[&address("folder", &[("path", folder), ("first", &next)]), &found.more],
        )
    });
    let is_first = first == 0;
    let folders: Vec<Html> =
        found.folders.iter().filter(|_| is_first).map(|folder| folder_row(console, folder)).collect();
    let passed_over: Vec<Html> = found
        .passed_over
        .iter()
        .filter(|_| is_first)
        .map(|(name, why)| {
            html(
                r#"<li class="leaf"><span class="name">{}</span> <span class="mark nobody">nobody</span> <span class="because">{}</span></li>"#,
                &[&last(name), why],
            )
        })
        .collect();
    let is_empty = folders.is_empty() && notes.is_empty() && passed_over.is_empty();
    let nothing = is_empty.then(|| html(r#"<li class="quiet">No notes.</li>"#, &[]));
    Ok(html("{}{}{}{}{}", &[&folders, &notes, &passed_over, &more, &nothing]))
}

fn folder_row(console: &Console, folder: &Subfolder) -> Html {
    let line_of = |key: &str, rule: &str| console.line_of(key, rule);
    let (mark, because) = match (&folder.rule, folder.private) {
        (Some(rule), _) => (
            html(r#"<span class="mark private">private</span>"#, &[]),
            Some(grounds::rule_with_line("folders", rule, &line_of)),
        ),
        (None, Some(0)) => (html(r#"<span class="mark public">public</span>"#, &[]), None),
        (None, Some(private)) if private == folder.notes => {
            (html(r#"<span class="mark private">private</span>"#, &[]), None)
        }
        (None, Some(private)) => (html(r#"<span class="mark partly">{} private</span>"#, &[&private]), None),
        (None, None) => (Html::default(), None),
    };
    html(
        r#"<li><details data-load="{}"><summary data-item><span class="name">{}</span> <span class="quiet">{}</span> {} <span class="because">{}</span></summary><ul class="inside"><li class="quiet">…</li></ul></details></li>"#,
        &[
            &address("folder", &[("path", &folder.path)]),
            &last(&folder.path),
            &counted(folder.notes, "note"),
            &mark,
            &because,
        ],
    )
}

fn note_row(console: &Console, note: &PrivacyAnswer) -> Html {
    html(
        r#"<li class="leaf"><button type="button" class="link name" data-item data-get="{}">{}</button> {} <span class="because">{}</span></li>"#,
        &[
            &address("note", &[("path", &note.path)]),
            &last(&note.path),
            &privacy::mark(note),
            &privacy::because(console, note),
        ],
    )
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
