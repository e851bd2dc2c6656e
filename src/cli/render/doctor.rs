//! Findings, each with its fix.

use std::io::{self, Write};

use super::{counted, escape, grouped, style};
use crate::config::Config;
use crate::ops::doctor::{Finding, Severity};

/// At most `shown` names below each finding.
pub(in crate::cli) fn findings(
    out: &mut impl Write,
    config: &Config,
    findings: &[Finding],
    shown: usize,
) -> io::Result<()> {
    let (name, path) = (escape::line(&config.vault_name), config.vault.display());
    if findings.is_empty() {
        return writeln!(out, "{name} ({path}): nothing to mend.");
    }
    writeln!(out, "{name} ({path}): {}", counted(findings.len() as u64, "finding"))?;
    findings.iter().try_for_each(|finding| one(out, finding, shown))
}

fn one(out: &mut impl Write, finding: &Finding, shown: usize) -> io::Result<()> {
    let (label, style) = match finding.severity {
        Severity::Problem => ("problem", style::ERROR),
        Severity::Advice => ("advice", style::HEADING),
    };
    writeln!(out, "\n{style}{label:8}{style:#}{}", escape::line(&finding.what))?;
    for name in finding.about.iter().take(shown) {
        writeln!(out, "          {}", escape::line(name))?;
    }
    let more = finding.about.len().saturating_sub(shown);
    if more > 0 {
        writeln!(out, "          and {} more (`--all` shows them)", grouped(more as u64))?;
    }
    let dim = style::DIM;
    writeln!(out, "        {dim}{}{dim:#}", escape::line(&finding.fix))
}
