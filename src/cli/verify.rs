//! `obsearch verify`: whether quoted words still stand where they were cited.

use std::io::Write;

use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::verify::{Verdict, VerifyRequest};

const EXAMPLES: &str = "\
Examples:
  obsearch verify 'Projects/Boat.md#Mast' The mast is spruce
  obsearch verify Projects/Boat.md --json";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// path#heading, as a search cites it
    citation: String,
    /// The words that were quoted from there
    quote: Vec<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &VerifyArgs, context: &Context) -> Result<Exit, CliError> {
    let citation = format!("{}\n{}", args.citation.replace('\n', " "), args.quote.join(" "));
    let reply =
        context.service()?.verify(&VerifyRequest { citations: vec![citation] }, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = context.console.out();
        render::notes::verified(&mut out, &answer.citations)?;
        out.flush()?;
    }
    let stands = |status| matches!(status, Verdict::Unchanged | Verdict::Present);
    let all_stand = answer.citations.iter().all(|one| stands(one.status));
    Ok(if all_stand { Exit::Done } else { Exit::NothingFound })
}
