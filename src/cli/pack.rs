//! `obsearch pack`: what the notes say about a question, to be read or handed to a model.

use std::io::Write;

use crate::cli::conditions::ConditionArgs;
use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::pack::PackRequest;

const EXAMPLES: &str = "\
Examples:
  obsearch pack how long must the coating dry
  obsearch pack what did we decide about the lease --max-bytes 20000
  obsearch pack budget --folder Projects --json | jq -r '.windows[].citation'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PackArgs {
    /// What is to be answered; quotes make a phrase
    #[arg(required = true, value_name = "QUESTION")]
    question: Vec<String>,
    /// How the answer might read: finds passages of that meaning too
    #[arg(long, value_name = "TEXT")]
    hypothetical: Option<String>,
    /// Only notes below this folder; may be given several times
    #[arg(long = "folder", value_name = "FOLDER")]
    folders: Vec<String>,
    /// Only notes with this tag; given several times, all of them are needed
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Upper bound of the note text, in bytes
    #[arg(long, default_value_t = 8192, value_parser = clap::value_parser!(u32).range(256..=1_048_576))]
    max_bytes: u32,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PackArgs, context: &Context) -> Result<Exit, CliError> {
    let request = PackRequest {
        question: args.question.join(" "),
        hypothetical: args.hypothetical.clone(),
        folders: args.folders.clone(),
        tags: args.tags.clone(),
        conditions: (&args.conditions).into(),
        max_bytes: args.max_bytes as usize,
    };
    let reply = context.service()?.pack(&request, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = context.console.out();
        render::search::windows(&mut out, &answer.windows)?;
        out.flush()?;
        answer.notices.iter().for_each(|notice| context.console.notice(notice));
    }
    Ok(if answer.windows.is_empty() { Exit::NothingFound } else { Exit::Done })
}
