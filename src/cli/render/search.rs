//! Passages: where each comes from, and its text with the words of the query marked.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use super::wrap::{self, Run};
use super::{escape, notes, style};
use crate::ops::pack::Window;
use crate::ops::search::{Passage, Standing};

/// Columns before the text of a passage.
const INDENT: usize = 3;

/// What is told of a passage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Detail {
    /// Where it stands and what it says.
    Plain,
    /// What placed it where it is, as well.
    Explained,
}

/// Passages in order, a blank line between two; text is wrapped to `width` columns.
pub(in crate::cli) fn passages(
    out: &mut impl Write,
    passages: &[Passage],
    width: Option<usize>,
    detail: Detail,
) -> io::Result<()> {
    for (index, passage) in passages.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        heading(out, passage)?;
        if detail == Detail::Explained {
            explanation(out, passage)?;
        }
        let text_width = width.map(|width| width - INDENT);
        for line in wrap::lines(&passage.text, &passage.highlights, text_width) {
            text_line(out, &line)?;
        }
    }
    Ok(())
}

/// Windows in order: where each stands, and its text as it is, so that it can be handed on.
pub(in crate::cli) fn windows(out: &mut impl Write, windows: &[Window]) -> io::Result<()> {
    let (citation, dim) = (style::CITATION, style::DIM);
    for (index, window) in windows.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let lines = line_range(window.line_start..=window.line_end);
        writeln!(out, "{citation}{}{citation:#}  {dim}{lines}{dim:#}", escape::line(&window.citation))?;
        for line in window.text.lines() {
            writeln!(out, "{}", escape::line(line))?;
        }
    }
    Ok(())
}

fn heading(out: &mut impl Write, passage: &Passage) -> io::Result<()> {
    let (citation, dim) = (style::CITATION, style::DIM);
    write!(out, "{}. {citation}{}{citation:#}", passage.rank, escape::line(&passage.citation))?;
    if notes::title_says_more(&passage.title, &passage.path) {
        write!(out, "  {}", escape::line(&passage.title))?;
    }
    let lines = line_range(passage.line_start..=passage.line_end);
    let via = passage.via.as_deref().map(|via| format!(", linked with {}", escape::line(via)));
    writeln!(out, "  {dim}{lines}{}{dim:#}", via.unwrap_or_default())
}

fn explanation(out: &mut impl Write, passage: &Passage) -> io::Result<()> {
    let dim = style::DIM;
    let legs = ["by words", "by meaning"].iter().zip(passage.standings);
    let told = legs.map(|(leg, standing)| match standing {
        Some(Standing { rank, score }) => format!("{leg} no. {rank} ({score:.3})"),
        None => format!("not {leg}"),
    });
    let told = told.collect::<Vec<_>>().join(", ");
    writeln!(out, "{:INDENT$}{dim}score {:.4}: {told}{dim:#}", "", passage.score)
}

fn text_line(out: &mut impl Write, line: &[Run]) -> io::Result<()> {
    if line.iter().any(|run| !run.text.trim().is_empty()) {
        write!(out, "{:INDENT$}", "")?;
        line.iter().try_for_each(|run| text_run(out, run))?;
    }
    writeln!(out)
}

fn text_run(out: &mut impl Write, run: &Run) -> io::Result<()> {
    if run.marked { write!(out, "{0}{1}{0:#}", style::MATCH, run.text) } else { write!(out, "{}", run.text) }
}

fn line_range(lines: RangeInclusive<u32>) -> String {
    if lines.start() == lines.end() {
        format!("line {}", lines.start())
    } else {
        format!("lines {}-{}", lines.start(), lines.end())
    }
}
