//! How fresh both indexes are, and what to run where one is not.

use super::html::{Html, counted, html, moment};
use super::{Asked, Console};
use crate::ops::freshness::Freshness;
use crate::ops::status::{IndexState, StatusAnswer};
use crate::ops::{OpError, Service};

pub(super) fn page(console: &Console, asked: &Asked<'_>) -> Html {
    let public = card("What agents search", "public", index(&console.public, asked));
    let full = card("What you search", "full", index(&console.full, asked));
    html(
        r#"<article class="overview" data-view="overview" data-said="Overview">
<h1 tabindex="-1">{}</h1>
<div class="cards">{}{}</div>
<div data-load="/view/rules" aria-live="off"><p class="quiet">Judging every note…</p></div>
</article>"#,
        &[&console.vault_name, &public, &full],
    )
}

/// What is known of an index.
struct Known {
    status: StatusAnswer,
    behind: Option<Freshness>,
}

fn index(service: &Service, asked: &Asked<'_>) -> Result<Known, OpError> {
    let status = service.status(&asked.caller)?.get().clone();
    let behind = service.freshness(&asked.caller)?;
    Ok(Known { status, behind })
}

fn card(title: &'static str, profile: &'static str, known: Result<Known, OpError>) -> Html {
    let body = match known {
        Ok(known) => body(&known),
        Err(error) => super::failure(&error),
    };
    html(
        r#"<section class="card {}"><h2>{} <span class="profile">{} profile</span></h2>{}</section>"#,
        &[&profile, &title, &profile, &body],
    )
}

fn body(Known { status, behind }: &Known) -> Html {
    let notices: Vec<Html> =
        status.notices.iter().map(|notice| html(r#"<p class="notice">{}</p>"#, &[notice])).collect();
    let verdict = verdict(status, behind.as_ref());
    if status.state == IndexState::Missing {
        return html("{}{}", &[&verdict, &notices]);
    }
    let waiting = match status.pending_vectors {
        0 => String::new(),
        pending => format!(", {} without a vector yet", number(pending)),
    };
    html(
        "{}<dl><dt>Notes</dt><dd>{}</dd><dt>Passages</dt><dd>{}{}</dd><dt>Model</dt><dd>{}</dd>\
         <dt>Saw the vault</dt><dd>{}</dd></dl>{}",
        &[
            &verdict,
            &number(status.notes),
            &number(status.chunks),
            &waiting,
            &status.model.as_deref().unwrap_or("none, words only"),
            &status.indexed_at.as_deref().map_or("not yet".to_owned(), moment),
            &notices,
        ],
    )
}

fn verdict(status: &StatusAnswer, behind: Option<&Freshness>) -> Html {
    let stale = |why: &str| {
        html(
            r#"<p class="state stale"><strong>Stale</strong> {}</p><p class="run">Run <code>obsearch index</code></p>"#,
            &[&why],
        )
    };
    match behind {
        None => html(
            r#"<p class="state missing"><strong>No index</strong> searches go through every note, by words</p>
<p class="run">Run <code>obsearch index</code></p>"#,
            &[],
        ),
        Some(behind) if !behind.is_fresh() => stale(&difference(behind)),
        Some(_) if status.state == IndexState::Embedding => stale("some passages have no vector yet"),
        Some(_) => html(r#"<p class="state fresh"><strong>Fresh</strong> as the vault is now</p>"#, &[]),
    }
}

/// `2 new, 1 changed, 3 gone or private by now`.
fn difference(behind: &Freshness) -> String {
    let rows =
        [(behind.added, "new"), (behind.changed, "changed"), (behind.removed, "gone or hidden by now")];
    let counts = rows.into_iter().filter(|(count, _)| *count > 0);
    let mut told: Vec<String> =
        counts.map(|(count, what)| format!("{} {what}", counted(count, "note"))).collect();
    if behind.other_rules {
        told.push("the privacy rules changed".to_owned());
    }
    told.join(", ")
}

fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
