//! `obsearch status`: the state of the index, on one screen.

use std::io::Write;

use crate::cli::{CliError, Context, Exit, console, open, render};
use crate::ops::Caller;

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

pub(super) fn run(args: &StatusArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let config = context.config()?;
    let reply = open::service(&config, context.profile())?.status(&Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
        return Ok(Exit::Done);
    }
    let mut out = console.out();
    render::status::status(&mut out, &config, context.profile(), answer)?;
    out.flush()?;
    answer.notices.iter().for_each(|notice| console.notice(notice));
    Ok(Exit::Done)
}
