//! `obsearch tune`: the weight of meaning that suits these notes, if one surely does.

use std::io::Write;

use serde::Serialize;

use crate::cli::{CliError, Context, Exit, console, open, progress, render};
use crate::config::{self, Config};
use crate::eval::{self, FEWEST_QUESTIONS, Half, ModeRun, Plan, Question, TUNING_K, Tuned, Way};
use crate::ops::questions::{MadeFrom, MadeQuestion};
use crate::ops::{Caller, Service};
use crate::vault::Profile;
use progress::Shown;

const EXAMPLES: &str = "\
Examples:
  obsearch tune
  obsearch tune --write          # into the configuration file, if there is a sure gain
  obsearch tune --json | jq .best";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TuneArgs {
    /// Write the weight into the configuration file, if it is surely better
    #[arg(long)]
    write: bool,
    /// Ask the first so many questions of each half
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..))]
    take: u16,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Do not show how it goes on
    #[arg(long, short)]
    quiet: bool,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// The best weight is surely better than the current one.
    Better,
    /// No weight is.
    NoSureGain,
    /// The links of the notes make too few questions to tell.
    TooFewQuestions,
    /// The index has no vectors: there is nothing to weigh.
    NoVectors,
}

/// How many there are.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Questions {
    /// To choose a weight on.
    pub(super) tuning: usize,
    /// To see whether it is better.
    pub(super) held_out: usize,
}

/// The whole answer.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) verdict: Verdict,
    pub(super) profile: &'static str,
    pub(super) model: Option<String>,
    pub(super) questions: Questions,
    #[serde(flatten)]
    pub(super) tuned: Option<Tuned>,
    /// The configuration file has the best weight now.
    pub(super) written: bool,
}

pub(super) fn run(args: &TuneArgs, context: &Context) -> Result<Exit, CliError> {
    let config = context.config()?;
    // What can be refused is refused before the work begins.
    let file = if args.write { Some(config.config_file.as_deref().ok_or_else(no_file)?) } else { None };
    let shown = if args.quiet { progress::none() } else { progress::choose(context.console) };
    let mut report = measure(args, &config, context.profile(), &shown)?;
    let best = report.tuned.as_ref().filter(|tuned| tuned.is_better).map(|tuned| tuned.best);
    if let Some((file, best)) = file.zip(best) {
        config::write_meaning_weight(context.environment, file, best)?;
        report.written = true;
    }
    if args.json {
        console::json(&report)?;
    } else {
        let mut out = context.console.out();
        render::tune::report(&mut out, &report)?;
        out.flush()?;
    }
    Ok(Exit::Done)
}

fn no_file() -> CliError {
    CliError::Failed {
        message: "There is no configuration file to write to.".to_owned(),
        hint: "Run `obsearch init --vault PATH` once.".to_owned(),
    }
}

fn measure(args: &TuneArgs, config: &Config, profile: Profile, shown: &Shown) -> Result<Report, CliError> {
    let (mut service, tree) = open::indexed_service(config, profile, shown)?;
    let made = service.make_questions(&Caller::patient())?;
    let links = texts_of_links(&made.get().questions);
    let of_half = |half| eval::own_questions(&links, half, args.take.into());
    let (tuning, held_out) = (of_half(Half::Tuning), of_half(Half::HeldOut));
    let has_enough = tuning.len().min(held_out.len()) >= FEWEST_QUESTIONS;
    let current = service.meaning_weight()?;
    let ask = |weight, half| {
        let questions = if half == Half::Tuning { &tuning } else { &held_out };
        ask_with(weight, questions, &mut service, shown)
    };
    let (verdict, tuned) = match current {
        None => (Verdict::NoVectors, None),
        Some(_) if !has_enough => (Verdict::TooFewQuestions, None),
        Some(current) => {
            let tuned = eval::tune(current, ask)?;
            (if tuned.is_better { Verdict::Better } else { Verdict::NoSureGain }, Some(tuned))
        }
    };
    Ok(Report {
        verdict,
        profile: profile.as_str(),
        model: tree.model,
        questions: Questions { tuning: tuning.len(), held_out: held_out.len() },
        tuned,
        written: false,
    })
}

/// Headings and aliases are indexed as such: they would only teach that words are enough (`evals/README.md`).
fn texts_of_links(made: &[MadeQuestion]) -> Vec<MadeQuestion> {
    made.iter().filter(|question| question.made_from == MadeFrom::Link).cloned().collect()
}

/// All questions of a half with a weight, by words and meaning.
fn ask_with(
    weight: f64,
    questions: &[Question],
    service: &mut Service,
    shown: &Shown,
) -> Result<ModeRun, CliError> {
    service.set_meaning_weight(weight);
    let plan = Plan { questions, modes: &[Way::Hybrid], k: TUNING_K };
    let run = eval::ask(service, &plan, shown)?.remove(0);
    match &run.cannot_run {
        None => Ok(run),
        Some(reason) => Err(CliError::Failed {
            message: format!("Searching by words and meaning is not possible: {reason}."),
            hint: "`obsearch doctor` says what is wrong.".to_owned(),
        }),
    }
}
