//! `obsearch index`: builds the index or brings it up to date.

use std::io::Write;

use serde::Serialize;

use crate::cli::timings::{Stage, Timings};
use crate::cli::{CliError, Context, Exit, console, open, progress, render};
use crate::sync::{BOTH_PROFILES, Mode, TreeSummary};
use crate::vault::Profile;

const EXAMPLES: &str = "\
Examples:
  obsearch index
  obsearch index --profile public --quiet
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

pub(super) fn run(args: &IndexArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let config = context.config()?;
    let chosen = context.global.profile.map(|profile| [Profile::from(profile)]);
    let profiles = chosen.as_ref().map_or(&BOTH_PROFILES[..], |one| &one[..]);
    let mode = if args.rebuild { Mode::Rebuild } else { Mode::Incremental };
    let progress = if args.quiet { progress::none() } else { progress::choose(console) };
    let trees = open::run_index(&config, profiles, mode, &progress)?;
    let mut failures: Vec<&str> = trees.iter().filter_map(|tree| tree.model_failure.as_deref()).collect();
    failures.dedup();
    for failure in failures {
        console.notice(failure);
    }
    if args.json {
        console::json(&IndexAnswer { trees, timings: context.timings.as_ref().map(Timings::stages) })?;
    } else if !args.quiet {
        let mut out = console.out();
        render::index::summaries(&mut out, &trees)?;
        if let Some(timings) = &context.timings {
            timings.print(&mut out)?;
        }
        out.flush()?;
    }
    Ok(Exit::Done)
}
