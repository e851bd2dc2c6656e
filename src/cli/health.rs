//! `obsearch health`: what to mend in the notes.

use std::io::Write;

use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::health::HealthRequest;

const EXAMPLES: &str = "\
Examples:
  obsearch health
  obsearch health links anchors
  obsearch health tags --json";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct HealthArgs {
    /// What to look for; all of it if left out
    #[arg(value_parser = ["orphans", "links", "embeds", "anchors", "titles", "empty", "tags"])]
    checks: Vec<String>,
    /// Findings on a page
    #[arg(long, short = 'n', default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Where the last page ended, as it said
    #[arg(long)]
    cursor: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &HealthArgs, context: &Context) -> Result<Exit, CliError> {
    let request =
        HealthRequest { checks: args.checks.clone(), cursor: args.cursor.clone(), limit: args.limit.into() };
    let reply = context.service()?.health(&request, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = context.console.out();
        render::vault::findings(&mut out, &answer.findings)?;
        out.flush()?;
        if let Some(cursor) = &answer.next_cursor {
            context.console.notice(&format!("There are more; `--cursor {cursor}` shows the next page."));
        }
    }
    if answer.findings.is_empty() {
        context.console.message("Nothing to mend.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}
