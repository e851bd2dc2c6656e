//! A tuning: the weights tried, the best one against the current one, and what to do about it.

use std::io::{self, Write};

use super::eval::signed;
use super::{counted, escape, style};
use crate::cli::tune::{Report, Verdict};
use crate::eval::{FEWEST_QUESTIONS, Tuned};

/// The tables, if there is something to weigh, and the verdict.
pub(in crate::cli) fn report(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let tuning = counted(report.questions.tuning as u64, "question");
    let model = report.model.as_deref().and_then(|model| model.split('@').next()).unwrap_or("none");
    writeln!(
        out,
        "{tuning} from the texts of links to choose a weight on, {} held out; profile {}, model {}",
        report.questions.held_out,
        report.profile,
        escape::line(model),
    )?;
    if let Some(tuned) = &report.tuned {
        tried(out, tuned)?;
        held_out(out, tuned)?;
    }
    writeln!(out, "\n{}", verdict(report))
}

fn tried(out: &mut impl Write, tuned: &Tuned) -> io::Result<()> {
    let heading = style::HEADING;
    writeln!(out, "\n{heading}Weight of meaning   nDCG@10{heading:#}")?;
    for tried in &tuned.tried {
        let marks = [(tuned.current, "  now"), (tuned.best, "  best")];
        let is_it = |(weight, _): &&(f64, &str)| weight.total_cmp(&tried.weight).is_eq();
        let marks: String = marks.iter().filter(is_it).map(|(_, mark)| *mark).collect();
        writeln!(out, "{:<19} {:.3}{marks}", tried.weight, tried.ndcg_at_10)?;
    }
    Ok(())
}

fn held_out(out: &mut impl Write, tuned: &Tuned) -> io::Result<()> {
    let heading = style::HEADING;
    let with = |weight: f64| format!("with {weight}");
    let (before, after) = (with(tuned.current), with(tuned.best));
    writeln!(out, "\n{heading}{:12}{before:12}{after:12}difference{heading:#}", "Held out")?;
    for gain in &tuned.held_out {
        let (before, after) = (format!("{:.3}", gain.before), format!("{:.3}", gain.after));
        writeln!(out, "{:12}{before:12}{after:12}{}", gain.name, signed(&gain.difference))?;
    }
    Ok(())
}

fn verdict(report: &Report) -> String {
    let best = report.tuned.as_ref().map_or(0.0, |tuned| tuned.best);
    match report.verdict {
        Verdict::Better if report.written => format!(
            "The configuration file has `meaning_weight = {best}` now. Servers that run take it when they start again."
        ),
        Verdict::Better => {
            format!("Proposed: `meaning_weight = {best}` below [search]; `obsearch tune --write` writes it.")
        }
        Verdict::NoSureGain => {
            "No weight is surely better on the questions held out: nothing is proposed.".to_owned()
        }
        Verdict::TooFewQuestions => format!(
            "Fewer than {FEWEST_QUESTIONS} questions in a half tell nothing: nothing is proposed. Links with a text of \
             their own make more."
        ),
        Verdict::NoVectors => {
            "The index has no vectors, so there is nothing to weigh: nothing is proposed.".to_owned()
        }
    }
}
