//! `obsearch privacy`: what is private and why, for the owner at a terminal. No client can ask for it.

use std::io::Write;
use std::path::Path;

use crate::cli::{CliError, Context, Exit, console, open, render};
use crate::config::Config;
use crate::ops::OpError;
use crate::ops::privacy::{Explained, PrivacyAnswer};
use crate::prove::{self, Exhibit};
use crate::vault::Profile;

const EXAMPLES: &str = "\
Examples:
  obsearch privacy list
  obsearch privacy explain journal/2031-04-09.md
  obsearch privacy prove";

/// Show what AI clients cannot see, and why
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PrivacyArgs {
    #[command(subcommand)]
    command: PrivacyCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PrivacyCommand {
    /// Tell why a note is private or public, and what would change that
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// List the private notes by rule, and rules that match nothing
    #[command(after_help = LIST_EXAMPLES)]
    List(ListArgs),
    /// Show on throw-away vaults, under your rules, that nothing private gets out
    #[command(after_help = PROVE_EXAMPLES)]
    Prove(ProveArgs),
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  obsearch privacy explain journal/2031-04-09.md
  obsearch privacy explain \"My note\" --json";

#[derive(Debug, clap::Args)]
struct ExplainArgs {
    /// The note: its path in the vault or on disk, or its name
    #[arg(value_name = "PATH")]
    note: String,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

const LIST_EXAMPLES: &str = "\
Examples:
  obsearch privacy list
  obsearch privacy list --all
  obsearch privacy list --json | jq -r '.rules[].notes[]'";

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Every note, not only some under each rule
    #[arg(long)]
    all: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

const PROVE_EXAMPLES: &str = "\
Examples:
  obsearch privacy prove
  obsearch privacy prove --json > proof.json

Exit codes: 0 passed, 1 failed, 2 it could not be carried through.";

/// Show on throw-away vaults, under your rules, that nothing private gets out
///
/// Two vaults are made in the cache folder with the names of some of your notes and made-up texts: one with
/// private notes, planted under each of your rules, and one without. The server must answer every request
/// alike for both, and no word of a private note may stand in an answer, a log line or the public index.
#[derive(Debug, clap::Args)]
struct ProveArgs {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PrivacyArgs, context: &Context) -> Result<Exit, CliError> {
    match &args.command {
        PrivacyCommand::Explain(args) => explain(args, context),
        PrivacyCommand::List(args) => list(args, context),
        PrivacyCommand::Prove(args) => prove(args, context),
    }
}

fn explain(args: &ExplainArgs, context: &Context) -> Result<Exit, CliError> {
    let config = context.config()?;
    let service = open::service(&config, Profile::Full)?;
    let asked = in_vault(&args.note, &config, context);
    let explained = service.explain_privacy(&asked).map_err(|error| match error {
        OpError::NotFound => CliError::Failed {
            message: format!("There is no note `{asked}`."),
            hint: "List the notes with `obsearch list --profile full`.".to_owned(),
        },
        other => other.into(),
    });
    match explained? {
        Explained::Found(answer) => show(args, &config, &answer, context),
        Explained::Ignored(pattern) => Err(CliError::Failed {
            message: format!("Nobody sees `{asked}`, you neither: ignore_patterns has `{pattern}`."),
            hint: "Take the pattern out of [vault] to make it a note like any other.".to_owned(),
        }),
        Explained::LinkOut => Err(CliError::Failed {
            message: format!("The symbolic link `{asked}` leads to nothing, or out of the vault."),
            hint: "It is never followed, on any profile. Copy the file into the vault to read it.".to_owned(),
        }),
    }
}

fn show(
    args: &ExplainArgs,
    config: &Config,
    answer: &PrivacyAnswer,
    context: &Context,
) -> Result<Exit, CliError> {
    if args.json {
        console::json(answer)?;
        return Ok(Exit::Done);
    }
    let mut out = context.console.out();
    let line_of = |key: &str, rule: &str| config.rule_line(key, rule);
    render::privacy::explanation(&mut out, answer, &line_of)?;
    out.flush()?;
    Ok(Exit::Done)
}

/// A path on disk as a path in the vault; anything else as it is.
fn in_vault(asked: &str, config: &Config, context: &Context) -> String {
    let here = context.environment.current_dir.as_deref().unwrap_or(Path::new("/"));
    let on_disk = here.join(asked);
    let inside = on_disk.strip_prefix(&config.vault).ok().and_then(Path::to_str);
    inside.filter(|inside| !inside.is_empty()).unwrap_or(asked).to_owned()
}

fn list(args: &ListArgs, context: &Context) -> Result<Exit, CliError> {
    let config = context.config()?;
    let answer = open::service(&config, Profile::Full)?.list_privacy()?;
    if args.json {
        console::json(&answer)?;
        return Ok(Exit::Done);
    }
    let mut out = context.console.out();
    let shown = if args.all { usize::MAX } else { render::privacy::EXAMPLES };
    let line_of = |key: &str, rule: &str| config.rule_line(key, rule);
    render::privacy::list(&mut out, &answer, shown, &line_of)?;
    out.flush()?;
    Ok(Exit::Done)
}

/// Names of notes that a proof borrows.
const PROOF_NAMES: usize = 150;

fn prove(args: &ProveArgs, context: &Context) -> Result<Exit, CliError> {
    let config = context.config()?;
    let shape = open::service(&config, Profile::Full)?.privacy_shape(PROOF_NAMES)?;
    let Some(executable) = context.environment.executable.clone() else {
        return Err(CliError::Failed {
            message: "The program does not know where it lies itself.".to_owned(),
            hint: "Start it by its whole path.".to_owned(),
        });
    };
    let exhibit = Exhibit {
        executable,
        folder: config.cache_dir.join(format!("{}{}", prove::FOLDER_PREFIX, std::process::id())),
        configuration: Box::new({
            let config = config.clone();
            move |vault| config.text_for_vault(vault)
        }),
        rules: shape.rules,
        excluded: shape.excluded,
        names: shape.names,
    };
    let tell = |doing: &str| context.console.notice(doing);
    let report = prove::run(&exhibit, &tell).map_err(|error| CliError::Failed {
        message: format!("The proof could not be carried through: {error}."),
        hint: "This says nothing about the wall; see whether `obsearch index` and `obsearch serve` work."
            .to_owned(),
    })?;
    if args.json {
        console::json(&report)?;
    } else {
        let mut out = context.console.out();
        render::proof::report(&mut out, &report)?;
        out.flush()?;
    }
    Ok(if report.passed { Exit::Done } else { Exit::NothingFound })
}
