//! `obsearch eval`: how well questions whose answers are known are answered, mode by mode.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use crate::cli::{CliError, Context, Exit, console, open, progress, render};
use crate::config::{Config, Embeddings, ModelChoice, Overrides};
use crate::eval::{self, Asked, CompareError, Comparison, FORMAT, Half, ModeRun, Plan, Question, Run, Way};
use crate::ops::{Caller, Service};
use crate::sync::TreeSummary;

const EXAMPLES: &str = "\
Examples:
  obsearch eval --evals questions.jsonl
  obsearch eval --self --html report.html          # questions made from your own notes
  obsearch eval --evals questions.jsonl --json > before.json
  obsearch eval --evals questions.jsonl --against before.json

A line of the file is one question:
  {\"id\": \"1\", \"query\": \"…\", \"expectedSources\": [\"Folder/Note.md\"], \"grades\": {\"Folder/Note.md\": 2},
   \"type\": \"paraphrase\", \"expectedHeadings\": [\"Heading\"]}
The last three may be left out. No expected source means that the notes hold no answer.";

/// Questions made from the vault, unless `--take` says otherwise.
const OWN_QUESTIONS: usize = 300;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EvalArgs {
    /// The file of questions, one JSON object a line
    #[arg(long, value_name = "FILE", required_unless_present = "own", conflicts_with = "own")]
    evals: Option<PathBuf>,
    /// Make the questions from the notes: texts of links, aliases, headings; a note that links with the text
    /// that is asked counts as neither right nor wrong
    #[arg(long = "self")]
    own: bool,
    /// With --self: which half of the questions; choose settings on one, report the other
    #[arg(long, value_enum, default_value = "held-out", conflicts_with = "evals")]
    half: HalfArg,
    /// Only the first so many questions [default: all; with --self: 300]
    #[arg(long, value_name = "N", value_parser = parse_take)]
    take: Option<usize>,
    /// Only this mode; may be given several times
    #[arg(long = "mode", value_enum, value_name = "MODE")]
    modes: Vec<WayArg>,
    /// The cut-off of hit@k and recall@k
    #[arg(short, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=50))]
    k: u8,
    /// Keep the index in this folder instead of the usual one
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The embedding model, instead of the configured one
    #[arg(long, value_enum, requires = "data")]
    model: Option<ModelArg>,
    /// Compare with a former run, as `--json` printed it
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Write a report for a browser: one file, which names notes
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Do not show how it goes on
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum WayArg {
    /// By words only
    Keyword,
    /// By meaning only
    Semantic,
    /// By words and by meaning
    Hybrid,
    /// By both, and reranked as configured
    Reranked,
}

impl From<WayArg> for Way {
    fn from(way: WayArg) -> Self {
        match way {
            WayArg::Keyword => Way::Keyword,
            WayArg::Semantic => Way::Semantic,
            WayArg::Hybrid => Way::Hybrid,
            WayArg::Reranked => Way::Reranked,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HalfArg {
    /// To choose settings on
    Tuning,
    /// To report
    HeldOut,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModelArg {
    /// As suits the language of the notes
    Auto,
    /// English only
    English,
    /// About 25 languages
    Multilingual,
    /// No vectors
    None,
}

fn parse_take(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|take| *take > 0).ok_or_else(|| "give a whole number from 1 on".to_owned())
}

pub(super) fn run(args: &EvalArgs, context: &Context) -> Result<Exit, CliError> {
    let config = configured(args, context)?;
    // What can be refused is refused before the work begins.
    if let Some(file) = &args.html {
        check_report_place(file, &config, context)?;
    }
    let former = args.against.as_deref().map(|file| read_run(file, args.k.into())).transpose()?;
    let labelled = args.evals.as_deref().map(read_labelled).transpose()?;
    let shown = if args.quiet { progress::none() } else { progress::choose(context.console) };
    let (service, tree) = open::indexed_service(&config, context.profile(), &shown)?;
    let questions = match labelled {
        Some(questions) => questions.into_iter().take(args.take.unwrap_or(usize::MAX)).collect(),
        None => own_questions(args, &service)?,
    };
    if questions.is_empty() {
        context.console.message("There is no question to ask.");
        return Ok(Exit::NothingFound);
    }
    let modes = ways(args, &config);
    let plan = Plan { questions: &questions, modes: &modes, k: args.k.into() };
    let runs = eval::ask(&service, &plan, &shown)?;
    let asked = asked(args, &config, &service, &questions, tree)?;
    let run = Run { format: FORMAT, asked, k: args.k.into(), modes: runs };
    let comparison = former.map(|former| eval::compare(&former, &run)).transpose();
    tell(args, context, &run, comparison.map_err(|error| not_comparable(&error))?.as_ref())
}

fn configured(args: &EvalArgs, context: &Context) -> Result<Config, CliError> {
    let overrides = Overrides { data_dir: args.data.clone(), ..context.overrides_of_one()? };
    let mut config = Config::resolve(context.environment, &overrides)?;
    if let Some(model) = args.model {
        config.embeddings = model.into();
    }
    Ok(config)
}

impl From<ModelArg> for Embeddings {
    fn from(model: ModelArg) -> Self {
        match model {
            ModelArg::Auto => Embeddings::Builtin(ModelChoice::Auto),
            ModelArg::English => Embeddings::Builtin(ModelChoice::English),
            ModelArg::Multilingual => Embeddings::Builtin(ModelChoice::Multilingual),
            ModelArg::None => Embeddings::None,
        }
    }
}

fn ways(args: &EvalArgs, config: &Config) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    for way in args.modes.iter().map(|mode| Way::from(*mode)) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    if ways.is_empty() {
        ways.extend([Way::Keyword, Way::Semantic, Way::Hybrid]);
        ways.extend(config.reranking.is_some().then_some(Way::Reranked));
    }
    ways
}

fn own_questions(args: &EvalArgs, service: &Service) -> Result<Vec<Question>, CliError> {
    let made = service.make_questions(&Caller::patient())?;
    let half = match args.half {
        HalfArg::Tuning => Half::Tuning,
        HalfArg::HeldOut => Half::HeldOut,
    };
    Ok(eval::own_questions(&made.get().questions, half, args.take.unwrap_or(OWN_QUESTIONS)))
}

fn asked(
    args: &EvalArgs,
    config: &Config,
    service: &Service,
    questions: &[Question],
    tree: TreeSummary,
) -> Result<Asked, CliError> {
    let from = match (&args.evals, args.half) {
        (Some(file), _) => file.display().to_string(),
        (None, HalfArg::Tuning) => "the notes themselves (tuning half)".to_owned(),
        (None, HalfArg::HeldOut) => "the notes themselves (held-out half)".to_owned(),
    };
    let answerable = questions.iter().filter(|question| question.is_answerable()).count();
    Ok(Asked {
        questions_from: from,
        answerable,
        unanswerable: questions.len() - answerable,
        missing_sources: eval::missing_sources(service, questions)?,
        vault: config.vault_name.clone(),
        profile: tree.profile.to_owned(),
        notes: tree.notes,
        passages: tree.chunks,
        model: tree.model,
    })
}

/// A run as `--json` prints it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    run: &'a Run,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
}

fn tell(
    args: &EvalArgs,
    context: &Context,
    run: &Run,
    comparison: Option<&Comparison>,
) -> Result<Exit, CliError> {
    if let Some(file) = &args.html {
        let page = render::eval::page(run, comparison);
        write_report(file, &page).map_err(|error| not_written(file, &error.to_string()))?;
        context
            .console
            .message(format_args!("The report is in {}.", render::escape::line(&file.display().to_string())));
    }
    if args.json {
        console::json(&Printed { run, comparison })?;
    } else {
        let mut out = context.console.out();
        render::eval::report(&mut out, run, comparison)?;
        out.flush()?;
    }
    let has_run = |mode: &ModeRun| mode.cannot_run.is_none();
    Ok(if run.modes.iter().any(has_run) { Exit::Done } else { Exit::NothingFound })
}

fn read_labelled(file: &Path) -> Result<Vec<Question>, CliError> {
    let text = read(file)?;
    eval::read_questions(&text).map_err(|bad| CliError::Failed {
        message: format!("Line {} of {} is no question: {}.", bad.line, file.display(), bad.problem),
        hint: bad.fix.to_owned(),
    })
}

fn read_run(file: &Path, k: usize) -> Result<Run, CliError> {
    let run: Run = serde_json::from_str(&read(file)?).map_err(|error| CliError::Failed {
        message: format!("The file {} is no run of `obsearch eval` ({error}).", file.display()),
        hint: "Keep one with `obsearch eval … --json > FILE`.".to_owned(),
    })?;
    eval::check_comparable(&run, k).map_err(|error| not_comparable(&error))?;
    Ok(run)
}

fn not_comparable(error: &CompareError) -> CliError {
    let hint = match error {
        CompareError::Format(_) => "Keep a new run with `--json`, and compare with that.".to_owned(),
        CompareError::Cutoff { before, .. } => format!("Use `-k {before}`."),
        CompareError::NothingInCommon => "Compare runs over the same questions and modes.".to_owned(),
    };
    CliError::Failed { message: open::sentence(error), hint }
}

#[expect(clippy::disallowed_methods, reason = "questions and former runs are files of the owner, not notes")]
fn read(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|error| CliError::Failed {
        message: format!("The file {} cannot be read ({error}).", file.display()),
        hint: "Check the path; it is taken from the working folder.".to_owned(),
    })
}

/// obsearch never writes into a vault, and a report must not take the place of something else.
fn check_report_place(file: &Path, config: &Config, context: &Context) -> Result<(), CliError> {
    let is_page = file.extension().is_some_and(|extension| extension == "html" || extension == "htm");
    if !is_page {
        return Err(not_written(file, "its name does not end in .html"));
    }
    if config.is_in_vault(file, context.environment) {
        return Err(not_written(file, "it lies in the vault"));
    }
    Ok(())
}

fn not_written(file: &Path, why: &str) -> CliError {
    CliError::Failed {
        message: format!("The report {} cannot be written ({why}).", file.display()),
        hint: "Choose a file outside the vault, such as `--html report.html`.".to_owned(),
    }
}

/// For the owner alone: it names notes. It takes the place of what stood there, a link included, and is never
/// written through one.
#[expect(clippy::disallowed_methods, reason = "the report is a file of the owner's, outside the vault")]
fn write_report(file: &Path, page: &str) -> io::Result<()> {
    let unfinished = file.with_extension(format!("{}.unfinished", std::process::id()));
    let write = || {
        let mut out = File::options().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        out.write_all(page.as_bytes())?;
        std::fs::rename(&unfinished, file)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&unfinished)))
}
