//! `obsearch search`: passages, best first.

use std::io::Write;

use clap::ValueEnum;
use serde::Serialize;

use crate::cli::conditions::ConditionArgs;
use crate::cli::timings::{Stage, Timings};
use crate::cli::{CliError, Context, Exit, console, render};
use crate::ops::Caller;
use crate::ops::search::{Detail, Mode, Passage, SearchAnswer, SearchRequest, Standing};

const EXAMPLES: &str = "\
Examples:
  obsearch search how do I renew the certificate
  obsearch search '\"exact phrase\"' --mode keyword
  obsearch search budget --folder Projects --tag work --limit 3
  obsearch search budget --json | jq -r '.passages[].citation'";

/// A person reads as much as there is; the bound of clients is for their context windows.
const MAX_BYTES: usize = 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct SearchArgs {
    /// What to look for; quotes make a phrase
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Passages wanted
    #[arg(long, short = 'n', default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=50))]
    limit: u8,
    /// Only notes below this folder; may be given several times
    #[arg(long = "folder", value_name = "FOLDER")]
    folders: Vec<String>,
    /// Only notes with this tag; given several times, all of them are needed
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// How to look
    #[arg(long, value_enum, default_value = "hybrid")]
    mode: ModeArg,
    /// How the answer might read: finds passages of that meaning too
    #[arg(long, value_name = "TEXT")]
    hypothetical: Option<String>,
    /// Add passages of up to three notes that are linked with those found
    #[arg(long)]
    expand_links: bool,
    /// Whole passages instead of excerpts
    #[arg(long)]
    full: bool,
    /// Tell where the time went, and how many passages each stage came out with
    #[arg(long)]
    timings: bool,
    /// Tell what placed each passage where it is
    #[arg(long)]
    explain: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

impl SearchArgs {
    fn detail(&self) -> render::search::Detail {
        if self.explain { render::search::Detail::Explained } else { render::search::Detail::Plain }
    }

    pub(super) fn takes_times(&self) -> bool {
        self.timings
    }
}

/// The answer with what the owner alone may know.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    answer: &'a SearchAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanations: Option<Vec<Explanation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Vec<Stage>>,
}

/// What placed a passage where it is.
#[derive(Serialize)]
struct Explanation {
    rank: usize,
    by_words: Option<Standing>,
    by_meaning: Option<Standing>,
}

impl Explanation {
    fn of(passage: &Passage) -> Explanation {
        let [by_words, by_meaning] = passage.standings;
        Explanation { rank: passage.rank, by_words, by_meaning }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ModeArg {
    /// By words and by meaning
    Hybrid,
    /// By words only
    Keyword,
    /// By meaning only
    Semantic,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Hybrid => Mode::Hybrid,
            ModeArg::Keyword => Mode::Keyword,
            ModeArg::Semantic => Mode::Semantic,
        }
    }
}

pub(super) fn run(args: &SearchArgs, context: &Context) -> Result<Exit, CliError> {
    let console = context.console;
    let reply = context.service()?.search(&request(args), &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        let explanations = args.explain.then(|| answer.passages.iter().map(Explanation::of).collect());
        let timings = context.timings.as_ref().map(Timings::stages);
        console::json(&Told { answer, explanations, timings })?;
    } else {
        answer.notices.iter().for_each(|notice| console.notice(notice));
        let mut out = console.out();
        render::search::passages(&mut out, &answer.passages, console::width(), args.detail())?;
        if let Some(timings) = &context.timings {
            writeln!(out)?;
            timings.print(&mut out)?;
        }
        out.flush()?;
        if answer.truncated {
            console.notice("Text was left out; a smaller `--limit` shows more of each passage.");
        }
    }
    if answer.passages.is_empty() {
        console.message("Nothing found.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

fn request(args: &SearchArgs) -> SearchRequest {
    SearchRequest {
        query: args.query.join(" "),
        hypothetical: args.hypothetical.clone().filter(|sketch| !sketch.trim().is_empty()),
        mode: args.mode.into(),
        limit: args.limit.into(),
        folders: args.folders.clone(),
        tags: super::tags::without_hash(&args.tags),
        conditions: (&args.conditions).into(),
        max_bytes: MAX_BYTES,
        expand_links: args.expand_links,
        detail: if args.full { Detail::Full } else { Detail::Excerpt },
        ..SearchRequest::default()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn arguments_become_a_request() {
        let line = "obsearch search two words --folder A --folder B --tag #x -n 3 --mode semantic --hypothetical yes --full --expand-links";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Search(args) = cli.command else { panic!("not a search") };
        let request = request(&args);
        assert_eq!(request.query, "two words");
        assert_eq!(request.hypothetical.as_deref(), Some("yes"));
        assert!(request.expand_links);
        assert_eq!(request.folders, ["A", "B"]);
        assert_eq!(request.tags, ["x"]);
        assert_eq!((request.limit, request.mode, request.detail), (3, Mode::Semantic, Detail::Full));
    }
}
