//! Notes, outlines, lists, tags and links as text.

use std::io::{self, Write};

use super::{escape, style};
use crate::ops::links::{LinkedNote, LinksAnswer};
use crate::ops::list::ListAnswer;
use crate::ops::read::OutlineEntry;
use crate::ops::tags::TagCount;
use crate::ops::verify::{Verdict, Verified};

/// The text of a note, with a line end last.
pub(in crate::cli) fn text(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(escape::block(text).as_bytes())?;
    if text.is_empty() || text.ends_with('\n') { Ok(()) } else { writeln!(out) }
}

/// A path over the text of a note.
pub(in crate::cli) fn heading(out: &mut impl Write, path: &str) -> io::Result<()> {
    let heading = style::HEADING;
    writeln!(out, "{heading}{}{heading:#}", escape::line(path))
}

/// Headings, indented by level, with their lines.
pub(in crate::cli) fn outline(out: &mut impl Write, outline: &[OutlineEntry]) -> io::Result<()> {
    let dim = style::DIM;
    let widest = outline.iter().map(|entry| entry.line).max().unwrap_or(0).to_string().len();
    for entry in outline {
        let indent = 2 * usize::from(entry.level.saturating_sub(1));
        let heading = escape::line(&entry.heading);
        writeln!(out, "{dim}{:>widest$}{dim:#}  {:indent$}{heading}", entry.line, "")?;
    }
    Ok(())
}

/// Paths, one a line, so that other programs can read them.
pub(in crate::cli) fn list(out: &mut impl Write, answer: &ListAnswer) -> io::Result<()> {
    let paths = answer.notes.iter().map(|note| &note.path);
    answer.folders.iter().chain(paths).try_for_each(|path| writeln!(out, "{}", escape::line(path)))
}

/// Counts and tags, one a line.
pub(in crate::cli) fn tags(out: &mut impl Write, tags: &[TagCount]) -> io::Result<()> {
    let widest = tags.iter().map(|tag| tag.notes).max().unwrap_or(0).to_string().len();
    tags.iter().try_for_each(|tag| writeln!(out, "{:>widest$}  {}", tag.notes, escape::line(&tag.tag)))
}

/// The links of a note, by direction; directions without any are left out.
pub(in crate::cli) fn links(out: &mut impl Write, answer: &LinksAnswer) -> io::Result<()> {
    writeln!(out, "{}", linked(&answer.path, &answer.title))?;
    let notes =
        |notes: &[LinkedNote]| notes.iter().map(|note| linked(&note.path, &note.title)).collect::<Vec<_>>();
    section(out, "Links to", &notes(&answer.outgoing))?;
    section(out, "Linked from", &notes(&answer.backlinks))?;
    let unresolved: Vec<String> = answer.unresolved.iter().map(|target| escape::line(target)).collect();
    section(out, "Links to no note", &unresolved)?;
    let near = answer.near.iter().flatten().map(|near| {
        format!(
            "{}  {} links, by way of {}",
            linked(&near.path, &near.title),
            near.distance,
            escape::line(&near.via)
        )
    });
    section(out, "Further away", &near.collect::<Vec<_>>())?;
    section(out, "The way there", &notes(answer.route.as_deref().unwrap_or_default()))
}

/// What became of citations, where they stand now, and what stands there instead.
pub(in crate::cli) fn verified(out: &mut impl Write, citations: &[Verified]) -> io::Result<()> {
    for one in citations {
        let status = match one.status {
            Verdict::Unchanged => "unchanged",
            Verdict::Moved => "moved",
            Verdict::Changed => "changed",
            Verdict::Gone => "gone",
            Verdict::Present => "there",
        };
        let (shown, dim) = (style::CITATION, style::DIM);
        write!(out, "{status}")?;
        if let (Some(citation), Some(first), Some(last)) = (&one.citation, one.line_start, one.line_end) {
            write!(out, "  {shown}{}{shown:#}  {dim}lines {first}-{last}{dim:#}", escape::line(citation))?;
        }
        writeln!(out)?;
        one.text
            .iter()
            .flat_map(|text| text.lines())
            .try_for_each(|line| writeln!(out, "  {}", escape::line(line)))?;
    }
    Ok(())
}

fn section(out: &mut impl Write, name: &str, entries: &[String]) -> io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let heading = style::HEADING;
    writeln!(out, "\n{heading}{name}{heading:#}")?;
    entries.iter().try_for_each(|entry| writeln!(out, "  {entry}"))
}

fn linked(path: &str, title: &str) -> String {
    let citation = style::CITATION;
    let path_shown = format!("{citation}{}{citation:#}", escape::line(path));
    if title_says_more(title, path) { format!("{path_shown}  {}", escape::line(title)) } else { path_shown }
}

/// Whether a title is something else than the file's name.
pub(super) fn title_says_more(title: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    title != stem && !title.is_empty()
}
