//! `obsearch status`: the state of the index, on one screen.

use std::io::Write;

use serde::Serialize;

use crate::cli::vaults::{self, Vaults};
use crate::cli::{CliError, Context, Exit, console, ledger, open, render};
use crate::config::Config;
use crate::ops::Caller;
use crate::ops::status::StatusAnswer;

const EXAMPLES: &str = "\
Examples:
  obsearch status
  obsearch status --profile full
  obsearch status --vault-name work
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
struct WithLedger {
    #[serde(flatten)]
    answer: StatusAnswer,
    ledger: String,
}

pub(super) fn run(args: &StatusArgs, context: &Context) -> Result<Exit, CliError> {
    match vaults::chosen(context)? {
        Vaults::One(config) => {
            let answer = look(args, &config, context)?;
            if args.json {
                console::json(&answer)?;
            }
            Ok(Exit::Done)
        }
        Vaults::Several(several) => {
            let (answers, exit) =
                vaults::each(several, context, |_, config| Ok((look(args, config, context)?, Exit::Done)));
            if args.json {
                console::json(&answers)?;
            }
            Ok(exit)
        }
    }
}

/// The state of one vault's index, shown unless all answers are to be printed as JSON.
fn look(args: &StatusArgs, config: &Config, context: &Context) -> Result<WithLedger, CliError> {
    let reply = open::service(config, context.profile())?.status(&Caller::patient())?;
    let answer = reply.get();
    let ledger = ledger::state(config, context);
    if !args.json {
        let mut out = context.console.out();
        render::status::status(&mut out, config, context.profile(), answer, &ledger)?;
        out.flush()?;
        answer.notices.iter().for_each(|notice| context.console.notice(notice));
    }
    Ok(WithLedger { answer: answer.clone(), ledger })
}
