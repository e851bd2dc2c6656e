//! `obsearch links`: what a note links to, and what links to it.

use std::io::Write;

use clap::ValueEnum;

use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::links::{Direction, LinksRequest};

const EXAMPLES: &str = "\
Examples:
  obsearch links Projects/Alpha.md
  obsearch links Alpha --direction backlinks --depth 2
  obsearch links Alpha --to Beta";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct LinksArgs {
    /// Path, title, alias or wikilink of the note
    name: String,
    /// Which way
    #[arg(long, value_enum, default_value = "both")]
    direction: DirectionArg,
    /// Also notes up to so many links away
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=3))]
    depth: u32,
    /// The shortest way over links to this note
    #[arg(long, value_name = "NAME")]
    to: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DirectionArg {
    /// Both ways
    Both,
    /// From the note
    Outgoing,
    /// To the note
    Backlinks,
}

impl From<DirectionArg> for Direction {
    fn from(direction: DirectionArg) -> Self {
        match direction {
            DirectionArg::Both => Direction::Both,
            DirectionArg::Outgoing => Direction::Outgoing,
            DirectionArg::Backlinks => Direction::Backlinks,
        }
    }
}

pub(super) fn run(args: &LinksArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let request = LinksRequest {
        name: args.name.clone(),
        direction: args.direction.into(),
        depth: args.depth,
        to: args.to.clone(),
    };
    let reply = context.service()?.links(&request, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = console.out();
        render::notes::links(&mut out, answer)?;
        out.flush()?;
    }
    if answer.outgoing.is_empty() && answer.backlinks.is_empty() && answer.unresolved.is_empty() {
        console.message("No links.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}
