//! `obsearch index`: builds the index or brings it up to date.

use std::io::Write;

use serde::Serialize;

use crate::cli::timings::{Stage, Timings};
use crate::cli::vaults::{self, Answers, Vaults};
use crate::cli::{CliError, Context, Exit, console, open, progress, render};
use crate::config::Config;
use crate::sync::{BOTH_PROFILES, Mode, TreeSummary};
use crate::vault::Profile;

const EXAMPLES: &str = "\
Examples:
  obsearch index
  obsearch index --profile public --quiet
  obsearch index --vault-name work
  obsearch index --rebuild       # everything anew; the old index serves until it is done";

#[derive(Debug, Default, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct IndexArgs {
    /// Build everything anew instead of only what changed
    #[arg(long)]
    rebuild: bool,
    /// Print nothing but errors (and the answer, with `--json`)
    #[arg(long, short)]
    quiet: bool,
    /// Tell where the time went
    #[arg(long)]
    timings: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

impl IndexArgs {
    pub(super) fn takes_times(&self) -> bool {
        self.timings
    }
}

#[derive(Serialize)]
struct IndexAnswer {
    trees: Vec<TreeSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Vec<Stage>>,
}

/// The same for several vaults; the times are those of all of them.
#[derive(Serialize)]
struct IndexAnswers {
    #[serde(flatten)]
    answers: Answers<IndexAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Vec<Stage>>,
}

pub(super) fn run(args: &IndexArgs, context: &Context) -> Result<Exit, CliError> {
    let timings = || context.timings.as_ref().map(Timings::stages);
    let exit = match vaults::chosen(context)? {
        Vaults::One(config) => {
            let trees = index(args, &config, context)?;
            if args.json {
                console::json(&IndexAnswer { trees, timings: timings() })?;
                return Ok(Exit::Done);
            }
            show(args, None, &trees, context)?;
            Exit::Done
        }
        Vaults::Several(several) => {
            let (answers, exit) = vaults::each(several, context, |name, config| {
                let trees = index(args, config, context)?;
                show(args, Some(name), &trees, context)?;
                Ok((IndexAnswer { trees, timings: None }, Exit::Done))
            });
            if args.json {
                console::json(&IndexAnswers { answers, timings: timings() })?;
                return Ok(exit);
            }
            exit
        }
    };
    if let Some(timings) = context.timings.as_ref().filter(|_| !args.quiet) {
        let mut out = context.console.out();
        timings.print(&mut out)?;
        out.flush()?;
    }
    Ok(exit)
}

/// Brings the trees of one vault up to date.
fn index(args: &IndexArgs, config: &Config, context: &Context) -> Result<Vec<TreeSummary>, CliError> {
    let console = context.console;
    let chosen = context.global.profile.map(|profile| [Profile::from(profile)]);
    let profiles = chosen.as_ref().map_or(&BOTH_PROFILES[..], |one| &one[..]);
    let mode = if args.rebuild { Mode::Rebuild } else { Mode::Incremental };
    let progress = if args.quiet { progress::none() } else { progress::choose(console) };
    let trees = open::run_index(config, profiles, mode, &progress)?;
    let mut failures: Vec<&str> = trees.iter().filter_map(|tree| tree.model_failure.as_deref()).collect();
    failures.dedup();
    for failure in failures {
        console.notice(failure);
    }
    if trees.iter().all(|tree| tree.notes == 0) {
        let vault = crate::cli::render::escape::line(&config.vault.display().to_string());
        console.notice(&format!("There is no note (a file that ends in .md) to be seen in {vault}."));
    }
    Ok(trees)
}

/// What was done, below the name of the vault where there are several.
fn show(
    args: &IndexArgs,
    name: Option<&str>,
    trees: &[TreeSummary],
    context: &Context,
) -> Result<(), CliError> {
    if args.json || args.quiet {
        return Ok(());
    }
    let mut out = context.console.out();
    if let Some(name) = name {
        render::vault_heading(&mut out, name)?;
    }
    render::index::summaries(&mut out, trees)?;
    Ok(out.flush()?)
}
