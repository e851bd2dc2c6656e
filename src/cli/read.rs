//! `obsearch read`: a note, or a part of it; or several notes.

use std::io::Write;
use std::str::FromStr;

use crate::cli::console::{self, Console};
use crate::cli::{CliError, Context, Exit, render};
use crate::ops::Caller;
use crate::ops::read::{Part, ReadAnswer, ReadRequest};
use crate::ops::read_many::{Found, ReadManyAnswer, ReadManyRequest};

const EXAMPLES: &str = "\
Examples:
  obsearch read Projects/Alpha.md
  obsearch read \"Alpha#Next steps\"
  obsearch read Alpha --outline
  obsearch read Alpha --lines 20:40
  obsearch read Alpha Beta \"Gamma#Next steps\"";

/// Enough for any note that a person wrote, and for many of them; the answer says where to go on if it is not.
const MAX_BYTES: usize = 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReadArgs {
    /// Path, title, alias or wikilink of the note, or of several
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Only the section below this heading (`Heading` or `Parent#Child`)
    #[arg(long, value_name = "HEADING", conflicts_with_all = ["block", "outline"])]
    section: Option<String>,
    /// Only the block with this id
    #[arg(long, value_name = "ID", conflicts_with = "outline")]
    block: Option<String>,
    /// Only the headings
    #[arg(long)]
    outline: bool,
    /// Only these lines, such as `20:40`, `20:` or `:40`
    #[arg(long, value_name = "A:B", conflicts_with = "outline")]
    lines: Option<LineRange>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Lines as asked for, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineRange {
    first: Option<u32>,
    last: Option<u32>,
}

impl FromStr for LineRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let range = LineRange { first: line(first)?, last: line(last)? };
        match (range.first, range.last) {
            (None, None) => Err("write two line numbers, such as 20:40"),
            (Some(first), Some(last)) if last < first => Err("the last line comes before the first"),
            _ => Ok(range),
        }
    }
}

fn line(text: &str) -> Result<Option<u32>, &'static str> {
    match text.parse() {
        _ if text.is_empty() => Ok(None),
        Ok(0) => Err("lines count from 1"),
        Ok(line) => Ok(Some(line)),
        Err(_) => Err("write two line numbers, such as 20:40"),
    }
}

pub(super) fn run(args: &ReadArgs, context: &Context) -> Result<Exit, CliError> {
    if args.names.len() > 1 {
        return run_many(args, context);
    }
    let reply = context.service()?.read(&request(args), &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
        return Ok(Exit::Done);
    }
    let mut out = context.console.out();
    show(args, answer, &mut out)?;
    out.flush()?;
    tell_of_a_cut(answer, context.console);
    if args.lines.is_some() && answer.line_start == 0 {
        context.console.message(format_args!("Nothing found: the note has {} lines.", answer.line_count));
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

fn run_many(args: &ReadArgs, context: &Context) -> Result<Exit, CliError> {
    if args.section.is_some() || args.block.is_some() || args.lines.is_some() {
        return Err(CliError::Failed {
            message: "Of several notes no section, block or lines can be shown.".to_owned(),
            hint: "Read them one by one, or write the section behind the name: \"Alpha#Next steps\"."
                .to_owned(),
        });
    }
    let request = ReadManyRequest { names: args.names.clone(), part: part(args), max_bytes: MAX_BYTES };
    let reply = context.service()?.read_many(&request, &Caller::patient())?;
    let answer = reply.get();
    if args.json {
        console::json(answer)?;
    } else {
        show_many(args, answer, context.console)?;
    }
    let is_found = answer.notes.iter().all(|one| matches!(one.found, Found::Note(_)));
    Ok(if is_found { Exit::Done } else { Exit::NothingFound })
}

fn show(args: &ReadArgs, note: &ReadAnswer, out: &mut impl Write) -> std::io::Result<()> {
    if args.outline {
        render::notes::outline(out, &note.outline)
    } else {
        render::notes::text(out, &note.text)
    }
}

/// Each under its path, with a blank line between; what is not there is told beside.
fn show_many(args: &ReadArgs, answer: &ReadManyAnswer, console: Console) -> Result<(), CliError> {
    let mut out = console.out();
    let mut before = "";
    for one in &answer.notes {
        match &one.found {
            Found::Note(note) => {
                write!(out, "{before}")?;
                render::notes::heading(&mut out, &note.path)?;
                show(args, note, &mut out)?;
                out.flush()?;
                before = "\n";
                tell_of_a_cut(note, console);
            }
            Found::Refused { error } => console.notice(&format!("Name {}: {error}.", one.number)),
        }
    }
    out.flush()?;
    if let Some(first) = answer.not_shown.first() {
        console.notice(&format!("Cut here: there was no room for name {first} and those behind it."));
    }
    Ok(())
}

fn tell_of_a_cut(note: &ReadAnswer, console: Console) {
    if note.line_cut {
        console.notice("The last line is cut: it is longer than what is shown at once.");
    }
    if let Some(next) = note.next_line {
        console.notice(&format!("Cut here; `--lines {next}:` goes on."));
    }
}

fn request(args: &ReadArgs) -> ReadRequest {
    let first_line = args.lines.and_then(|lines| lines.first);
    let line_limit = args.lines.and_then(|lines| lines.last).map(|last| last - first_line.unwrap_or(1) + 1);
    ReadRequest {
        name: args.names.first().cloned().unwrap_or_default(),
        part: part(args),
        first_line,
        line_limit,
        max_bytes: MAX_BYTES,
        ..ReadRequest::default()
    }
}

fn part(args: &ReadArgs) -> Part {
    if args.outline {
        return Part::Outline;
    }
    let section = args.section.clone().map(Part::Section);
    let block = || args.block.as_deref().map(|id| Part::Block(id.trim_start_matches('^').to_owned()));
    section.or_else(block).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parsed(line: &str) -> ReadRequest {
        let Command::Read(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("not a read")
        };
        request(&args)
    }

    #[test]
    fn lines_become_a_first_line_and_a_count() {
        let rows = [
            ("20:40", Some(20), Some(21)),
            ("7", Some(7), Some(1)),
            ("20:", Some(20), None),
            (":40", None, Some(40)),
        ];
        for (lines, first, limit) in rows {
            let request = parsed(&format!("obsearch read x --lines {lines}"));
            assert_eq!((request.first_line, request.line_limit), (first, limit), "{lines}");
        }
    }

    #[test]
    fn lines_that_make_no_sense_are_refused() {
        for lines in ["", ":", "0:3", "5:4", "a:b", "1:2:3", "-1:3"] {
            assert!(lines.parse::<LineRange>().is_err(), "{lines}");
        }
    }

    #[test]
    fn parts_are_told_apart() {
        assert_eq!(parsed("obsearch read x").part, Part::Whole);
        assert_eq!(parsed("obsearch read x --section A#B").part, Part::Section("A#B".into()));
        assert_eq!(parsed("obsearch read x --block ^id").part, Part::Block("id".into()));
        assert_eq!(parsed("obsearch read x --outline").part, Part::Outline);
    }
}
