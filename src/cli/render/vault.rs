//! The vault as a whole: what to mend, and how it is kept.

use std::io::{self, Write};

use super::{escape, style};
use crate::ops::guide::GuideAnswer;
use crate::ops::health::{CHECKS, Finding};

/// A line for each: what it is, where it is, what was probably meant.
pub(in crate::cli) fn findings(out: &mut impl Write, findings: &[Finding]) -> io::Result<()> {
    let (shown, dim) = (style::CITATION, style::DIM);
    for one in findings {
        let check = CHECKS.iter().find(|(_, check)| *check == one.check).map_or("", |(name, _)| name);
        write!(out, "{dim}{check:<8}{dim:#}")?;
        if let Some(path) = &one.path {
            write!(out, " {shown}{}{shown:#}", escape::line(path))?;
        }
        if let Some(line) = one.line {
            write!(out, "{dim}:{line}{dim:#}")?;
        }
        if let Some(name) = &one.name {
            write!(out, " {}", escape::line(name))?;
        }
        if let Some(nearest) = &one.nearest {
            write!(out, " {dim}->{dim:#} {}", escape::line(nearest))?;
        }
        one.others.iter().try_for_each(|other| write!(out, "{dim},{dim:#} {}", escape::line(other)))?;
        writeln!(out)?;
    }
    Ok(())
}

/// The owner's notes about the vault, then folders, tags and notes with their numbers.
pub(in crate::cli) fn guide(out: &mut impl Write, answer: &GuideAnswer) -> io::Result<()> {
    let heading = style::HEADING;
    for guide in &answer.guides {
        writeln!(out, "{heading}{}{heading:#}", escape::line(&guide.path))?;
        super::notes::text(out, &guide.text)?;
    }
    let folders = answer.folders.iter().map(|one| (one.notes, format!("{}/", one.folder)));
    let tags = answer.tags.iter().map(|one| (one.notes, format!("#{}", one.tag)));
    let hubs = answer.hubs.iter().map(|one| (one.links, one.path.clone()));
    section(out, "Folders", folders)?;
    section(out, "Tags", tags)?;
    section(out, "Notes with most links", hubs)
}

fn section(
    out: &mut impl Write,
    name: &str,
    entries: impl Iterator<Item = (usize, String)>,
) -> io::Result<()> {
    let heading = style::HEADING;
    for (index, (number, entry)) in entries.enumerate() {
        if index == 0 {
            writeln!(out, "{heading}{name}{heading:#}")?;
        }
        writeln!(out, "{number:>6}  {}", escape::line(&entry))?;
    }
    Ok(())
}
