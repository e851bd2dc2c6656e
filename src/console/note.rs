//! One note: whether it is public and why, what an agent gets when it asks for it, and its links.
//!
//! Invariant: text and properties come from the public reply. Of a private note there is nothing but its name and
//! the reasons.

use super::html::{Block, Html, html};
use super::{Asked, Console, Page, links, privacy};
use crate::ops::OpError;
use crate::ops::grounds;
use crate::ops::privacy::Explained;
use crate::ops::read::{Naming, ReadAnswer, ReadRequest};

/// Text that is shown, in bytes.
const MOST_BYTES: usize = 256 * 1024;

pub(super) fn page(console: &Console, asked: &Asked<'_>) -> Page {
    let path = asked.text("path");
    let answer = match console.full.explain_privacy(path)? {
        Explained::Found(answer) => answer,
        Explained::Ignored(pattern) => {
            return Ok(super::told(
                "Nobody sees this note, you neither.",
                &format!("ignore_patterns has {pattern}"),
            ));
        }
        Explained::LinkOut => {
            return Ok(super::told("This is a link that leads out of the vault.", "It is never followed."));
        }
    };
    let other_names = answer.names.iter().filter(|name| **name != answer.path);
    let other_names: Vec<Html> =
        other_names.map(|name| html(r#"<p class="quiet">also at {}</p>"#, &[name])).collect();
    let is_whole = answer.public && answer.private_parts.is_empty() && answer.masked == 0;
    let reasons = (!answer.public).then(|| privacy::reasons(console, &answer));
    let parts = (answer.public && !is_whole)
        .then(|| html(r#"<p class="because">For agents: {}.</p>"#, &[&grounds::verdict(&answer)]));
    let said = format!("{}: {}", answer.path, if answer.public { "public" } else { "private" });
    Ok(html(
        r#"<article class="note" data-view="note" data-said="{}">
<p class="back"><button type="button" data-back>Back <kbd>Esc</kbd></button></p>
<h1 tabindex="-1">{} {}</h1>{}{}{}
{}{}</article>"#,
        &[
            &said,
            &answer.path,
            &privacy::mark(&answer),
            &other_names,
            &reasons,
            &parts,
            &as_agent(console, &answer.path, asked)?,
            &links::section(console, &answer, asked)?,
        ],
    ))
}

/// What `read_note` gives for this path.
fn as_agent(console: &Console, path: &str, asked: &Asked<'_>) -> Page {
    let request = ReadRequest {
        name: path.to_owned(),
        naming: Naming::Path,
        max_bytes: MOST_BYTES,
        ..ReadRequest::default()
    };
    let body = match console.public.read(&request, &asked.caller) {
        Ok(reply) => text(reply.get()),
        Err(OpError::NotFound) => html(
            r#"<p class="absent"><code>note not found</code></p><p class="quiet">The same as for a note that does not exist.</p>"#,
            &[],
        ),
        Err(other) => return Err(other),
    };
    Ok(html(r#"<section class="card agent"><h2>What an agent gets</h2>{}</section>"#, &[&body]))
}

fn text(note: &ReadAnswer) -> Html {
    let row = |name: &'static str, value: String| {
        (!value.is_empty()).then(|| html("<dt>{}</dt><dd>{}</dd>", &[&name, &value]))
    };
    let tags: Vec<String> = note.tags.iter().map(|tag| format!("#{tag}")).collect();
    // These have rows of their own.
    let is_further = |name: &str| !["title", "aliases", "alias", "tags", "tag"].contains(&name);
    let properties = note.properties.iter().filter(|(name, _)| is_further(name)).map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        html("<dt>{}</dt><dd>{}</dd>", &[name, &value])
    });
    let cut = (note.next_line.is_some() || note.line_cut)
        .then(|| html(r#"<p class="notice">There is more: this is its beginning.</p>"#, &[]));
    html(
        r#"<dl class="properties">{}{}{}{}</dl><pre tabindex="0" aria-label="Text">{}</pre>{}"#,
        &[
            &row("Title", note.title.clone()),
            &row("Aliases", note.aliases.join(", ")),
            &row("Tags", tags.join(" ")),
            &properties.collect::<Vec<_>>(),
            &Block(&note.text),
            &cut,
        ],
    )
}
