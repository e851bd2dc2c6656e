//! `obsearch tags`: tags with the number of notes that carry each.

use std::io::Write;

use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::tags::TagsRequest;

const EXAMPLES: &str = "\
Examples:
  obsearch tags
  obsearch tags project          # `project` and what is nested below it";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TagsArgs {
    /// Only this tag and those nested below it
    prefix: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TagsArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let prefix = args.prefix.as_deref().map(|tag| tag.trim_start_matches('#').to_owned());
    let reply = context.service()?.tags(&TagsRequest { prefix }, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = console.out();
        render::notes::tags(&mut out, &answer.tags)?;
        out.flush()?;
    }
    if answer.tags.is_empty() {
        console.message("Nothing found.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

/// Tags as people type them -> tags as operations name them.
pub(super) fn without_hash(tags: &[String]) -> Vec<String> {
    tags.iter().map(|tag| tag.trim_start_matches('#').to_owned()).collect()
}
