//! What is private and why, as text.

use std::io::{self, Write};

use super::{counted, escape, grouped, style};
use crate::ops::grounds::{self, LineOf};
use crate::ops::privacy::{PrivacyAnswer, PrivacyList, RuleKind, RuleUse};

/// Notes shown under each rule, unless all are asked for.
pub(in crate::cli) const EXAMPLES: usize = 5;

/// The verdict for both profiles, every reason, and what would make the note public.
pub(in crate::cli) fn explanation(
    out: &mut impl Write,
    answer: &PrivacyAnswer,
    line_of: LineOf<'_>,
) -> io::Result<()> {
    let heading = style::HEADING;
    writeln!(out, "{heading}{}{heading:#}", escape::line(&answer.path))?;
    if let Some(link) = &answer.link {
        writeln!(out, "  {} is a link to it; links are never followed for anyone", escape::line(link))?;
    }
    writeln!(out, "  public   {}", grounds::verdict(answer))?;
    writeln!(
        out,
        "  full     {}",
        answer.refusal.map_or("readable".to_owned(), |why| format!("not readable: {why}"))
    )?;
    for name in answer.names.iter().filter(|name| **name != answer.path) {
        writeln!(out, "  also at  {}", escape::line(name))?;
    }
    if !answer.grounds.is_empty() {
        writeln!(out, "\n{heading}Why it is private{heading:#}")?;
        let told = |ground| escape::line(&grounds::reason(ground, line_of));
        answer.grounds.iter().try_for_each(|ground| writeln!(out, "  {}", told(ground)))?;
        writeln!(out, "\n{heading}What would make it public (all of it){heading:#}")?;
        let told = |ground| escape::line(&grounds::remedy(ground));
        answer.grounds.iter().try_for_each(|ground| writeln!(out, "  {}", told(ground)))?;
    }
    Ok(())
}

/// The rules, each with some of the notes it hides, and the rules that hide nothing.
pub(in crate::cli) fn list(
    out: &mut impl Write,
    answer: &PrivacyList,
    shown: usize,
    line_of: LineOf<'_>,
) -> io::Result<()> {
    let (private, all) = (grouped(answer.private as u64), counted(answer.notes as u64, "note"));
    writeln!(out, "{private} of {all} are private: AI clients cannot see them.")?;
    for rule in answer.rules.iter().filter(|rule| !rule.notes.is_empty()) {
        let count = counted(rule.notes.len() as u64, "note");
        paths(
            out,
            &format!("{} hides {count}", escape::line(&grounds::named(rule, line_of))),
            &rule.notes,
            shown,
        )?;
    }
    let partly = counted(answer.partly_private.len() as u64, "public note");
    if !answer.partly_private.is_empty() {
        paths(out, &format!("{partly} without their private parts"), &answer.partly_private, shown)?;
    }
    if !answer.masked.is_empty() {
        let masked = counted(answer.masked.len() as u64, "public note");
        paths(out, &format!("{masked} with something masked"), &answer.masked, shown)?;
    }
    doubts(out, &answer.rules, line_of)
}

/// What the rules of one kind hide, a line each, and then all of them together.
pub(in crate::cli) fn brief(answer: &PrivacyList, kind: RuleKind) -> Vec<String> {
    let of_kind = answer.rules.iter().filter(|rule| rule.rule == kind);
    let mut lines: Vec<String> = of_kind.map(brief_rule).collect();
    let (private, all) = (grouped(answer.private as u64), counted(answer.notes as u64, "note"));
    lines.push(format!("{private} of {all} are private so far."));
    lines
}

fn brief_rule(rule: &RuleUse) -> String {
    let name = escape::line(&rule.written);
    let near: Vec<String> = rule.near.iter().map(|near| format!("`{}`", escape::line(near))).collect();
    match (rule.notes.len() as u64, near.is_empty()) {
        (0, true) => format!("`{name}` hides no note."),
        (0, false) => format!("`{name}` hides no note. Did you mean {}?", near.join(" or ")),
        (count, true) => format!("`{name}` hides {}.", counted(count, "note")),
        (count, false) => {
            format!("`{name}` hides {}; it does not cover {}.", counted(count, "note"), near.join(", "))
        }
    }
}

fn paths(out: &mut impl Write, title: &str, paths: &[String], shown: usize) -> io::Result<()> {
    let heading = style::HEADING;
    writeln!(out, "\n{heading}{title}{heading:#}")?;
    paths.iter().take(shown).try_for_each(|path| writeln!(out, "  {}", escape::line(path)))?;
    match paths.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "  and {} more (`--all` shows them)", grouped(more as u64)),
    }
}

/// A misspelt privacy rule is a hole that nobody sees: it is told last, where the eye rests.
fn doubts(out: &mut impl Write, rules: &[RuleUse], line_of: LineOf<'_>) -> io::Result<()> {
    let doubtful: Vec<String> = rules
        .iter()
        .filter_map(|rule| Some(format!("{} {}", grounds::named(rule, line_of), grounds::doubt(rule)?)))
        .collect();
    if doubtful.is_empty() {
        return Ok(());
    }
    let error = style::ERROR;
    writeln!(out, "\n{error}To be looked at{error:#}")?;
    doubtful.iter().try_for_each(|doubt| writeln!(out, "  {}", escape::line(doubt)))
}
