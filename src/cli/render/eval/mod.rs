//! An evaluation: a table with one column for each mode, and what changed since a former run.

mod page;
mod plots;

use std::io::{self, Write};

pub(in crate::cli) use page::page;

use super::{counted, escape, grouped, style};
use crate::eval::{
    Asked, Change, Comparison, Estimate, Measured, ModeComparison, ModeRun, Place, Run, Way, median_and_95th,
};

/// Columns of a value with its interval.
const VALUE_WIDTH: usize = 22;
/// Changed questions told for each mode; the page and the JSON have all.
const MOST_CHANGES: usize = 15;

/// The table, then the differences.
pub(in crate::cli) fn report(
    out: &mut impl Write,
    run: &Run,
    comparison: Option<&Comparison>,
) -> io::Result<()> {
    writeln!(out, "{}", escape::line(&subject(&run.asked)))?;
    missing(out, &run.asked.missing_sources)?;
    for (mode, reason) in run.modes.iter().filter_map(|mode| Some((mode.mode, mode.cannot_run.as_ref()?))) {
        writeln!(out, "{} cannot run: {}", name(mode), escape::line(reason))?;
    }
    let modes: Vec<&ModeRun> = run.modes.iter().filter(|mode| mode.cannot_run.is_none()).collect();
    if !modes.is_empty() {
        table(out, &modes)?;
    }
    comparison.iter().flat_map(|comparison| &comparison.modes).try_for_each(|mode| differences(out, mode))
}

/// What was asked of what, in one sentence.
fn subject(asked: &Asked) -> String {
    let Asked { answerable, unanswerable, notes, passages, .. } = asked;
    let without = match unanswerable {
        0 => String::new(),
        count => format!(" ({} of them without an answer)", grouped(*count as u64)),
    };
    format!(
        "{} from {}{without}, over {} ({}): {}, {}, model {}",
        counted((answerable + unanswerable) as u64, "question"),
        asked.questions_from,
        asked.vault,
        asked.profile,
        counted(*notes, "note"),
        counted(*passages, "passage"),
        model(asked),
    )
}

/// The model's name, without its hash.
fn model(asked: &Asked) -> &str {
    let model = asked.model.as_deref().unwrap_or("none");
    model.split('@').next().unwrap_or(model)
}

fn missing(out: &mut impl Write, missing: &[String]) -> io::Result<()> {
    let Some(first) = missing.first() else { return Ok(()) };
    let (are, more) = if missing.len() == 1 { ("is", "") } else { ("are", ", for example") };
    let notes = counted(missing.len() as u64, "expected note");
    writeln!(out, "{notes} {are} not among the notes of this profile{more}: {}", escape::line(first))
}

fn table(out: &mut impl Write, modes: &[&ModeRun]) -> io::Result<()> {
    let rows = rows(modes);
    let width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or_default() + 2;
    let heading = style::HEADING;
    write!(out, "\n{:width$}", "")?;
    let names: Vec<&str> = modes.iter().map(|mode| name(mode.mode)).collect();
    let names = aligned(&names);
    writeln!(out, "{heading}{names}{heading:#}")?;
    for (label, cells) in rows {
        let cells: Vec<&str> = cells.iter().map(|cell| &**cell).collect();
        writeln!(out, "{:width$}{}", escape::line(&label), aligned(&cells))?;
    }
    Ok(())
}

fn aligned(cells: &[&str]) -> String {
    let padded: Vec<String> = cells.iter().map(|cell| format!("{cell:VALUE_WIDTH$}")).collect();
    padded.concat().trim_end().to_owned()
}

/// A label, and a cell for each mode. The modes were asked the same questions, so their rows are the same.
fn rows(modes: &[&ModeRun]) -> Vec<(String, Vec<String>)> {
    let mut rows = Vec::new();
    let mut row = |label: String, cell: &dyn Fn(&ModeRun) -> Option<String>| {
        let cells: Vec<Option<String>> = modes.iter().map(|mode| cell(mode)).collect();
        if cells.iter().any(Option::is_some) {
            rows.push((label, cells.into_iter().map(Option::unwrap_or_default).collect()));
        }
    };
    for (index, metric) in modes[0].metrics.iter().enumerate() {
        row(metric.name.clone(), &|mode| Some(with_interval(&mode.metrics.get(index)?.estimate)));
    }
    for (index, share) in modes[0].types.iter().enumerate() {
        let label = format!("  hit@1, {} ({})", share.kind, share.estimate.count);
        row(label, &|mode| Some(with_interval(&mode.types.get(index)?.estimate)));
    }
    let count = |estimate: Option<Estimate>| estimate.map_or(0, |estimate| estimate.count);
    let label = format!("first under right heading ({})", count(modes[0].right_heading));
    row(label, &|mode| mode.right_heading.as_ref().map(with_interval));
    let label = format!("false answers ({})", count(modes[0].false_answers));
    row(label, &|mode| mode.false_answers.as_ref().map(with_interval));
    row("p50 / p95 ms".to_owned(), &|mode| {
        let (median, late) = median_and_95th(&mode.latencies());
        Some(format!("{median:.1} / {late:.1}"))
    });
    rows
}

fn with_interval(estimate: &Estimate) -> String {
    format!("{:.3} [{:.3}, {:.3}]", estimate.mean, estimate.low, estimate.high)
}

/// A difference, with its interval.
pub(super) fn signed(estimate: &Estimate) -> String {
    format!("{:+.3} [{:+.3}, {:+.3}]", estimate.mean, estimate.low, estimate.high)
}

fn differences(out: &mut impl Write, mode: &ModeComparison) -> io::Result<()> {
    let heading = style::HEADING;
    let (better, worse) = (mode.better.len(), mode.worse.len());
    writeln!(
        out,
        "\n{heading}{}{heading:#} against the former run: {} in both, {better} better, {worse} worse",
        name(mode.mode),
        counted(mode.compared as u64, "question"),
    )?;
    let has_changed = |difference: &Measured| difference.estimate.low < 0.0 || difference.estimate.high > 0.0;
    let shown = if mode.differences.iter().any(has_changed) { &mode.differences[..] } else { &[] };
    for difference in shown {
        writeln!(out, "  {:10} {}", difference.name, signed(&difference.estimate))?;
    }
    changes(out, "better", &mode.better)?;
    changes(out, "worse", &mode.worse)
}

fn changes(out: &mut impl Write, word: &str, changes: &[Change]) -> io::Result<()> {
    for change in changes.iter().take(MOST_CHANGES) {
        let moved = format!("{} -> {}", place(change.before), place(change.now));
        writeln!(out, "  {word:6} {moved:24} {}: {}", escape::line(&change.id), escape::line(&change.query))?;
    }
    match changes.len().saturating_sub(MOST_CHANGES) {
        0 => Ok(()),
        more => {
            writeln!(out, "  {word:6} and {} more (`--json` and `--html` have all)", grouped(more as u64))
        }
    }
}

fn place(place: Place) -> String {
    match place {
        Place::Rank(rank) => rank.to_string(),
        Place::NotFound => "not found".to_owned(),
        Place::Silent => "no answer".to_owned(),
        Place::FalseAnswer => "false answer".to_owned(),
    }
}

fn name(mode: Way) -> &'static str {
    match mode {
        Way::Keyword => "keyword",
        Way::Semantic => "semantic",
        Way::Hybrid => "hybrid",
        Way::Reranked => "reranked",
    }
}

#[cfg(test)]
mod tests;
