//! What was served lately, to whom, from the ledger: which notes, and which of them are private now.

use std::collections::{BTreeSet, HashMap};

use super::html::{Html, address, counted, html, moment};
use super::{Console, Page, privacy};
use crate::ledger::{Health, Record};
use crate::ops::privacy::PrivacyAnswer;

/// Answers that are listed.
const MOST_CALLS: usize = 100;
/// Notes of one answer that are listed.
const MOST_NOTES: usize = 12;

/// What is recorded.
pub enum Recorded {
    /// The owner wants no record.
    Off,
    /// It cannot be read: what is wrong, and what to do.
    Broken(String, String),
    /// The last answers, the newest last.
    Known(Health, Vec<Record>),
}

pub(super) fn page(console: &Console) -> Page {
    let (said, body) = match (console.recorded)(MOST_CALLS) {
        Recorded::Off => {
            let told = "The ledger is off: what is served is not recorded.";
            (told.to_owned(), html(r#"<p class="quiet">{}</p>"#, &[&told]))
        }
        Recorded::Broken(what, fix) => (what.clone(), super::told(&what, &fix)),
        Recorded::Known(health, records) => {
            let said = format!("{}, the newest first", counted(records.len(), "answer"));
            (said, html("{}{}", &[&notice(health), &calls(console, &records)?]))
        }
    };
    Ok(html(
        r#"<article class="calls" data-view="calls" data-said="{}">
<h1 tabindex="-1">What agents got</h1>
<p class="quiet">The last answers of every server, as the ledger has them: notes and lines, never what was asked.</p>
{}</article>"#,
        &[&said, &body],
    ))
}

fn notice(health: Health) -> Option<Html> {
    let told = match health {
        Health::Absent | Health::Well => return None,
        Health::Failing { unrecorded } => {
            let count = usize::try_from(unrecorded).unwrap_or(usize::MAX);
            format!("The ledger cannot be written: {} not in it.", counted(count, "answer"))
        }
        Health::Headless => "The ledger is damaged; run `obsearch ledger verify`.".to_owned(),
    };
    Some(html(r#"<p class="notice">{}</p>"#, &[&told]))
}

fn calls(console: &Console, records: &[Record]) -> Page {
    if records.is_empty() {
        return Ok(html(r#"<p class="card quiet">Nothing was served so far.</p>"#, &[]));
    }
    let listed = records.iter().flat_map(|record| record.notes.iter().take(MOST_NOTES));
    let paths: BTreeSet<String> = listed.map(|note| note.path.clone()).collect();
    let judged = console.full.explain_each(&Vec::from_iter(paths))?;
    let judged: HashMap<&str, &PrivacyAnswer> =
        judged.iter().map(|answer| (answer.path.as_str(), answer)).collect();
    let rows: Vec<Html> = records.iter().rev().map(|record| call(record, &judged)).collect();
    Ok(html(r#"<ol class="card record">{}</ol>"#, &[&rows]))
}

fn call(record: &Record, judged: &HashMap<&str, &PrivacyAnswer>) -> Html {
    let way = record.transport.as_str();
    let client = format!("{} {}", record.client, record.client_version);
    // A REST client has no other name.
    let sender = match client.trim() {
        "" => format!("(no name) over {way}"),
        client if client == way => format!("over {way}"),
        client => format!("{client} over {way}"),
    };
    let notes: Vec<Html> = record
        .notes
        .iter()
        .take(MOST_NOTES)
        .map(|note| {
            let ranges = note.lines.iter().map(|(first, last)| {
                if first == last { first.to_string() } else { format!("{first}–{last}") }
            });
            let lines = ranges.collect::<Vec<_>>().join(", ");
            let mark = judged.get(note.path.as_str()).filter(|answer| !answer.public);
            html(
                r#"<li><button type="button" class="link" data-item data-get="{}">{}</button> <span class="lines">{}</span> {}</li>"#,
                &[&address("note", &[("path", &note.path)]), &note.path, &lines, &mark.map(|answer| privacy::mark(answer))],
            )
        })
        .collect();
    let more = record.notes.len().saturating_sub(MOST_NOTES);
    let more = (more > 0).then(|| html(r#"<li class="quiet">and {} more</li>"#, &[&more]));
    html(
        r#"<li><p><code>{}</code> <span class="chip {}">{}</span> <span class="quiet">{} · {}</span></p><ul>{}{}</ul></li>"#,
        &[
            &record.call,
            &if record.profile == "full" { "full" } else { "place" },
            &record.profile,
            &sender,
            &moment(&record.time),
            &notes,
            &more,
        ],
    )
}
