//! The report of a proof of the wall.

use std::io::{self, Write};

use super::{counted, escape, grouped, style};
use crate::prove::{Evidence, Phase, Report};

/// The verdict last, where the eye rests.
pub(in crate::cli) fn report(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let (notes, private) = (counted(report.notes as u64, "note"), grouped(report.private as u64));
    let words = counted(report.canaries as u64, "word");
    writeln!(
        out,
        "A throw-away vault of {notes}, {private} of them private, with {words} that stand nowhere else."
    )?;
    report.phases.iter().try_for_each(|phase| one(out, phase))?;
    row(out, "log lines", report.log_leaks.is_empty())?;
    writeln!(out, "    {} bytes of log looked at", grouped(report.log_bytes as u64))?;
    evidence(out, "private word", &report.log_leaks)?;
    for rule in &report.not_exercised {
        writeln!(out, "  no example could be made up for {}", escape::line(rule))?;
    }
    let heading = style::HEADING;
    let verdict =
        if report.passed { "Passed: no difference, no private word." } else { "FAILED. Please report it." };
    writeln!(out, "\n{heading}{verdict}{heading:#}")
}

fn one(out: &mut impl Write, phase: &Phase) -> io::Result<()> {
    row(out, phase.name, phase.leaks.is_empty() && phase.differences.is_empty())?;
    writeln!(
        out,
        "    {} asked, {} compared, {} bytes of index looked at",
        counted(phase.requests as u64, "request"),
        counted(phase.compared as u64, "answer"),
        grouped(phase.index_bytes as u64),
    )?;
    evidence(out, "private word", &phase.leaks)?;
    evidence(out, "difference", &phase.differences)
}

fn row(out: &mut impl Write, name: &str, is_clean: bool) -> io::Result<()> {
    let (style, mark) = if is_clean { (style::HEADING, "ok") } else { (style::ERROR, "FAILED") };
    writeln!(out, "  {style}{mark:6}{style:#} {name}")
}

fn evidence(out: &mut impl Write, what: &str, evidence: &[Evidence]) -> io::Result<()> {
    for Evidence { place, found } in evidence {
        writeln!(out, "    {what}: {} in {}", escape::line(found), escape::line(place))?;
    }
    Ok(())
}
