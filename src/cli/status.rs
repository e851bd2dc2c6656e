//! `obsearch status`: the state of the index, on one screen.

use std::io::Write;

use serde::Serialize;

use crate::cli::{CliError, Context, Exit, console, ledger, open, render};
use crate::ops::Caller;
use crate::ops::status::StatusAnswer;

const EXAMPLES: &str = "\
Examples:
  obsearch status
  obsearch status --profile full
  obsearch status --json | jq .notes";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatusArgs {
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Only the owner hears of the ledger.
#[derive(Serialize)]
struct WithLedger<'a> {
    #[serde(flatten)]
    answer: &'a StatusAnswer,
    ledger: String,
}

pub(super) fn run(args: &StatusArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let config = context.config()?;
    let reply = open::service(&config, context.profile())?.status(&Caller::patient())?;
    let answer = reply.get();
    let ledger = ledger::state(&config, context);
    if args.json {
        console::json(&WithLedger { answer, ledger })?;
        return Ok(Exit::Done);
    }
    let mut out = console.out();
    render::status::status(&mut out, &config, context.profile(), answer, &ledger)?;
    out.flush()?;
    answer.notices.iter().for_each(|notice| console.notice(notice));
    Ok(Exit::Done)
}
