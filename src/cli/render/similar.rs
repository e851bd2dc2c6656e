//! Similar notes, tags and links as text.

use std::io::{self, Write};

use super::{escape, style};
use crate::ops::similar::{Candidate, Reason, SimilarAnswer};

/// A line for each candidate and its evidence below, then tags.
pub(in crate::cli) fn answer(out: &mut impl Write, answer: &SimilarAnswer) -> io::Result<()> {
    answer.candidates.iter().try_for_each(|one| candidate(out, one))?;
    for one in &answer.tags {
        let notes: Vec<String> = one.notes.iter().map(|path| escape::line(path)).collect();
        writeln!(out, "#{}  {:.2}  {}", escape::line(&one.tag), one.score, notes.join(", "))?;
    }
    Ok(())
}

fn candidate(out: &mut impl Write, one: &Candidate) -> io::Result<()> {
    let (shown, dim) = (style::CITATION, style::DIM);
    let reason = match one.reason {
        Reason::Related => "related",
        Reason::Mention => "mentioned",
        Reason::WholeNote => "nearly the same note",
        Reason::Passage => "nearly the same passage",
    };
    writeln!(out, "{shown}{}{shown:#}  {dim}{reason}, {:.2}{dim:#}", escape::line(&one.path), one.score)?;
    if let Some(link) = &one.link {
        writeln!(out, "  line {}: {}", one.line_start, escape::line(link))?;
    }
    one.text.lines().take(3).try_for_each(|line| writeln!(out, "  {}", escape::line(line)))
}
