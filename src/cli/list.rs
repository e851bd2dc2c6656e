//! `obsearch list`: paths of notes or folders, one a line.

use std::io::Write;

use clap::ValueEnum;

use crate::cli::conditions::ConditionArgs;
use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::list::{ListRequest, Sort};

const EXAMPLES: &str = "\
Examples:
  obsearch list
  obsearch list Projects --tag active
  obsearch list --folders
  obsearch list --where 'status = open' --since 2031-01-01 --sort modified
  obsearch list --json | jq -r '.notes[].title'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ListArgs {
    /// Only below this folder
    folder: Option<String>,
    /// Only notes with this tag; given several times, all of them are needed
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// The order of notes
    #[arg(long, value_enum, default_value = "path")]
    sort: SortArg,
    /// Folders instead of notes
    #[arg(long)]
    folders: bool,
    /// Entries on a page
    #[arg(long, short = 'n', default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Where the last page ended, as it said
    #[arg(long)]
    cursor: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SortArg {
    /// By path
    Path,
    /// By title
    Title,
    /// The last changed first
    Modified,
}

pub(super) fn run(args: &ListArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let reply = context.service()?.list(&request(args), &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = console.out();
        render::notes::list(&mut out, answer)?;
        out.flush()?;
        if let Some(cursor) = &answer.next_cursor {
            console.notice(&format!("There are more; `--cursor {cursor}` shows the next page."));
        }
    }
    if answer.notes.is_empty() && answer.folders.is_empty() {
        console.message("Nothing found.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

fn request(args: &ListArgs) -> ListRequest {
    ListRequest {
        folder: args.folder.clone(),
        tags: super::tags::without_hash(&args.tags),
        conditions: (&args.conditions).into(),
        sort: match args.sort {
            SortArg::Path => Sort::Path,
            SortArg::Title => Sort::Title,
            SortArg::Modified => Sort::Modified,
        },
        cursor: args.cursor.clone(),
        limit: args.limit.into(),
        folders_only: args.folders,
    }
}
