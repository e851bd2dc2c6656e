//! `obsearch similar`: notes like a note or a text, links to put into it, duplicates, tags.

use std::io::Write;

use clap::ValueEnum;

use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::similar::{Purpose, SimilarRequest};

const EXAMPLES: &str = "\
Examples:
  obsearch similar Projects/Alpha.md
  obsearch similar Alpha --purpose link --patch | git apply
  obsearch similar --text 'how to dry varnish' --purpose tag";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SimilarArgs {
    /// Path, title, alias or wikilink of the note
    #[arg(required_unless_present = "text", conflicts_with = "text")]
    name: Option<String>,
    /// Any text in the place of a note
    #[arg(long)]
    text: Option<String>,
    /// What for
    #[arg(long, value_enum, default_value = "related")]
    purpose: PurposeArg,
    /// Candidates wanted
    #[arg(long, short = 'n', default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=50))]
    limit: u8,
    /// With `--purpose link`: print nothing but a diff for `git apply`
    #[arg(long, conflicts_with = "json")]
    patch: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PurposeArg {
    /// Notes about the same
    Related,
    /// What it could link to
    Link,
    /// What says nearly the same
    Duplicate,
    /// Tags it may lack
    Tag,
}

/// A person reads as much as there is.
const MAX_BYTES: usize = 1024 * 1024;

pub(super) fn run(args: &SimilarArgs, context: &Context) -> Result<Exit, CliError> {
    let request = SimilarRequest {
        path: args.name.clone(),
        text: args.text.clone(),
        purpose: match args.purpose {
            PurposeArg::Related => Purpose::Related,
            PurposeArg::Link => Purpose::Link,
            PurposeArg::Duplicate => Purpose::Duplicate,
            PurposeArg::Tag => Purpose::Tag,
        },
        limit: args.limit.into(),
        max_bytes: MAX_BYTES,
    };
    let reply = context.service()?.similar(&request, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        let mut out = context.console.out();
        if args.patch {
            out.write_all(answer.patch.as_deref().unwrap_or_default().as_bytes())?;
        } else {
            render::similar::answer(&mut out, answer)?;
        }
        out.flush()?;
        answer.notices.iter().for_each(|notice| context.console.notice(notice));
    }
    let is_nothing = if args.patch {
        answer.patch.is_none()
    } else {
        answer.candidates.is_empty() && answer.tags.is_empty()
    };
    if is_nothing {
        context.console.message("Nothing found.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}
