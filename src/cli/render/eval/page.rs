//! An evaluation as a page for a browser: one file, no script, nothing from elsewhere. Every text of a note
//! or a question goes through [`html`].

use super::{
    Change, Comparison, Estimate, ModeComparison, ModeRun, Run, grouped, name, place, plots, rows, signed,
    subject,
};
use crate::cli::render::escape;
use crate::eval::{Outcome, median_and_95th};

const STYLE: &str = include_str!("style.css");
/// Failing questions shown of each mode; the JSON has all.
const MOST_FAILURES: usize = 1000;

/// The page.
pub(in crate::cli) fn page(run: &Run, comparison: Option<&Comparison>) -> String {
    let modes: Vec<&ModeRun> = run.modes.iter().filter(|mode| mode.cannot_run.is_none()).collect();
    let changes = comparison.map_or_else(String::new, |comparison| joined(&comparison.modes, changed));
    let measured = if modes.is_empty() { String::new() } else { measured(&modes) };
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>How well {vault} is searched</title>
<style>
{STYLE}</style>
</head>
<body>
<h1>How well {vault} is searched</h1>
<p class="soft">{subject}.</p>
{notes}{measured}{changes}{failures}
</body>
</html>
"#,
        vault = html(&run.asked.vault),
        subject = html(&subject(&run.asked)),
        notes = notes(run),
        failures = failures(&modes),
    )
}

/// What the reader must know before the figures.
fn notes(run: &Run) -> String {
    let cannot_run = joined(&run.modes, |mode| match &mode.cannot_run {
        Some(reason) => {
            format!("<p><strong>{}</strong> cannot run: {}.</p>\n", name(mode.mode), html(reason))
        }
        None => String::new(),
    });
    let missing = &run.asked.missing_sources;
    if missing.is_empty() {
        return cannot_run;
    }
    let list = joined(missing, |path| format!("<li>{}</li>\n", html(path)));
    let count = grouped(missing.len() as u64);
    format!(
        "{cannot_run}<details><summary>Expected notes that this profile does not hold: {count}</summary>\
         <ul>{list}</ul></details>\n"
    )
}

fn measured(modes: &[&ModeRun]) -> String {
    let tiles = joined(modes, |mode| tile(mode));
    let metrics = joined(modes[0].metrics.iter().enumerate(), |(index, metric)| {
        let rows: Vec<(&ModeRun, Estimate)> =
            modes.iter().filter_map(|mode| Some((*mode, mode.metrics.get(index)?.estimate))).collect();
        card("", &metric.name, &plots::intervals(&metric.name, &rows))
    });
    let ranks = joined(modes, |mode| card(name(mode.mode), name(mode.mode), &plots::ranks(mode)));
    let most = modes.iter().map(|mode| median_and_95th(&mode.latencies()).1).fold(1.0, f64::max) * 1.25;
    let latency = joined(modes, |mode| card(name(mode.mode), name(mode.mode), &plots::latency(mode, most)));
    format!(
        r#"<div class="grid">{tiles}</div>
<h2>Measures</h2>
<p class="soft">Means over the questions that have an answer; the lines are 95 % bootstrap intervals.</p>
<div class="grid">{metrics}</div>
<h2>Where the first right note stood</h2>
<p class="soft">Questions by rank.</p>
<div class="grid">{ranks}</div>
<h2>Time for an answer</h2>
<p class="soft">Slower answers than the axis has room for are in the last bar.</p>
<div class="grid">{latency}</div>
<h2>All figures</h2>
{table}"#,
        table = table(modes),
    )
}

fn tile(mode: &ModeRun) -> String {
    let value = |name: &str| {
        let found = mode.metrics.iter().find(|metric| metric.name == name);
        found.map_or("none".to_owned(), |metric| format!("{:.3}", metric.estimate.mean))
    };
    let (median, late) = median_and_95th(&mode.latencies());
    format!(
        r#"<div class="card tile {name}"><h3>{name}</h3><div class="big">{hit}</div>
<div class="soft">hit@1; nDCG@10 {ndcg}; {median:.0} ms, 95 % within {late:.0} ms</div></div>
"#,
        name = name(mode.mode),
        hit = value("hit@1"),
        ndcg = value("nDCG@10"),
    )
}

fn card(class: &str, title: &str, inner: &str) -> String {
    format!("<div class=\"card {class}\"><h3>{}</h3>{inner}</div>\n", html(title))
}

fn table(modes: &[&ModeRun]) -> String {
    let head = joined(modes, |mode| format!("<th>{}</th>", name(mode.mode)));
    let body = joined(rows(modes), |(label, cells)| {
        let cells = joined(cells, |cell| format!("<td>{}</td>", html(&cell)));
        format!("<tr><th>{}</th>{cells}</tr>\n", html(&label))
    });
    format!(
        "<div class=\"scroll\"><table class=\"figures\"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>\n"
    )
}

fn changed(mode: &ModeComparison) -> String {
    let differences = joined(&mode.differences, |one| {
        format!("<tr><th>{}</th><td>{}</td></tr>\n", html(&one.name), signed(&one.estimate))
    });
    let rows = [("better", &mode.better), ("worse", &mode.worse)];
    let questions = joined(rows, |(word, changes)| joined(changes, |change| changed_question(word, change)));
    format!(
        r#"<h2>Since the former run: {name}</h2>
<p class="soft">{compared} questions in both; {better} better, {worse} worse. Differences of means, with paired intervals.</p>
<div class="scroll"><table class="figures"><tbody>{differences}</tbody></table></div>
<div class="scroll"><table class="stack changes"><tbody>{questions}</tbody></table></div>
"#,
        name = name(mode.mode),
        compared = mode.compared,
        better = mode.better.len(),
        worse = mode.worse.len(),
    )
}

fn changed_question(word: &str, change: &Change) -> String {
    format!(
        "<tr><td class=\"{word}\">{word}</td><td>{} → {}</td><td>{}</td></tr>\n",
        place(change.before),
        place(change.now),
        html(&change.query),
    )
}

/// A table of failing questions for each mode; the last one, which is the fused one, is open.
fn failures(modes: &[&ModeRun]) -> String {
    let tables = joined(modes.iter().enumerate(), |(index, mode)| {
        let open = if index + 1 == modes.len() { " open" } else { "" };
        let failing: Vec<&Outcome> = mode.outcomes.iter().filter(|outcome| outcome.is_failure()).collect();
        let rows = joined(failing.iter().take(MOST_FAILURES), |outcome| failure(outcome));
        let (name, count) = (name(mode.mode), grouped(failing.len() as u64));
        format!(
            r#"<details{open}><summary>{name}: {count}</summary>
<div class="scroll"><table class="stack"><thead><tr><th>Question</th><th>Type</th><th>Right note at</th><th>First instead</th><th>Right</th></tr></thead>
<tbody>{rows}</tbody></table></div></details>
"#
        )
    });
    format!(
        "<h2>Questions that fail</h2>\n<p class=\"soft\">The first note is not a right one, or there is an answer \
         where the notes hold none.</p>\n{tables}"
    )
}

fn failure(outcome: &Outcome) -> String {
    let stood = match (&outcome.scores, outcome.first_right()) {
        (Some(_), Some(rank)) => rank.to_string(),
        (Some(_), None) => "not found".to_owned(),
        (None, _) => "no right one".to_owned(),
    };
    let cell = |label: &str, text: &str| match text {
        "" => "<td></td>".to_owned(),
        text => format!("<td data-name=\"{label}\">{}</td>", html(text)),
    };
    format!(
        "<tr><td>{}</td>{}{}{}{}</tr>\n",
        html(&outcome.query),
        cell("Type", outcome.kind.as_deref().unwrap_or_default()),
        cell("Right note at", &stood),
        cell("First instead", outcome.first.as_deref().unwrap_or_default()),
        cell("Right", &outcome.expected.join(", ")),
    )
}

/// Text as it is shown on a page: no tag, no attribute's end, nothing that deceives the eye.
pub(super) fn html(text: &str) -> String {
    let plain = escape::line(text);
    let with_and = plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    with_and.replace('"', "&quot;").replace('\'', "&#39;")
}

/// Each item as text, one after the other.
pub(super) fn joined<T>(items: impl IntoIterator<Item = T>, show: impl Fn(T) -> String) -> String {
    items.into_iter().map(show).collect::<Vec<_>>().concat()
}
