//! `obsearch guide`: how the vault is kept, as AI clients are told.

use std::io::Write;

use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::guide::GuideRequest;

const EXAMPLES: &str = "\
Examples:
  obsearch guide
  obsearch guide --json | jq -r '.hubs[].path'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct GuideArgs {
    /// Upper bound of the text of notes, in bytes
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(256..=1_048_576))]
    max_bytes: u32,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &GuideArgs, context: &Context) -> Result<Exit, CliError> {
    let request = GuideRequest { max_bytes: args.max_bytes as usize };
    let reply = context.service()?.guide(&request, &Caller::patient())?;
    if args.json {
        console::json(reply.get())?;
    } else {
        let mut out = context.console.out();
        render::vault::guide(&mut out, reply.get())?;
        out.flush()?;
    }
    Ok(Exit::Done)
}
