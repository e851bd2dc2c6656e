//! What is private and why, as text.

use std::io::{self, Write};

use super::{counted, escape, grouped, style};
use crate::ops::privacy::{PrivacyAnswer, PrivacyList, RuleKind, RuleUse};
use crate::vault::Ground;

/// Notes shown under each rule, unless all are asked for.
pub(in crate::cli) const EXAMPLES: usize = 5;

/// The line of the configuration file on which a rule stands: key, rule.
pub(in crate::cli) type LineOf<'a> = &'a dyn Fn(&str, &str) -> Option<usize>;

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
    writeln!(out, "  public   {}", public(answer))?;
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
        answer.grounds.iter().try_for_each(|ground| writeln!(out, "  {}", reason(ground, line_of)))?;
        writeln!(out, "\n{heading}What would make it public (all of it){heading:#}")?;
        answer.grounds.iter().try_for_each(|ground| writeln!(out, "  {}", remedy(ground)))?;
    }
    Ok(())
}

fn public(answer: &PrivacyAnswer) -> String {
    if !answer.public {
        return "private: AI clients get the answer for a note that is not there".to_owned();
    }
    let lines: Vec<String> = answer.private_parts.iter().map(|part| lines(*part)).collect();
    let without = if lines.is_empty() { String::new() } else { format!(", without {}", lines.join(", ")) };
    let masked = match answer.masked {
        0 => String::new(),
        places => format!(", {} masked", counted(places as u64, "place")),
    };
    format!("readable{without}{masked}")
}

fn lines((first, last): (usize, usize)) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

fn reason(ground: &Ground, line_of: LineOf<'_>) -> String {
    let rule = |key: &str, rule: &str| rule_with_line(key, rule, line_of);
    match ground {
        Ground::Folder { rule: written, name } => {
            format!("{} covers {}", rule("folders", written), escape::line(name))
        }
        Ground::Excluded { filter, name } => {
            format!(
                "Obsidian's excluded files have `{}`, which covers {}",
                escape::line(filter),
                escape::line(name)
            )
        }
        Ground::Tag { rule: written, line } => format!("{}: line {line} of the note", rule("tags", written)),
        Ground::Flag { property, line } => {
            format!("{}: line {line} of the note", rule("frontmatter_flag", property))
        }
        Ground::Malformed { line } => {
            format!("strict: the properties that begin on line {line} cannot be read")
        }
        Ground::Ambiguous => "it has private parts, and bytes that are not UTF-8".to_owned(),
        Ground::Drawing => "it is a drawing; its text is data".to_owned(),
        Ground::UnknownNames => "the file has other names that are not known: outside the vault, in hidden \
            folders, or too many"
            .to_owned(),
        Ground::NotAllowed => "default = \"private\", and nothing allows it".to_owned(),
    }
}

fn remedy(ground: &Ground) -> String {
    match ground {
        Ground::Folder { name, .. } => format!("move {} elsewhere, or change the rule", escape::line(name)),
        Ground::Excluded { .. } => "take the entry out of Obsidian: Settings, Files and links".to_owned(),
        Ground::Tag { line, .. } => format!("take the tag out of line {line}, or change the rule"),
        Ground::Flag { line, property } => {
            format!("write `{}: false` on line {line}, or take it out", escape::line(property))
        }
        Ground::Malformed { .. } => {
            "mend the properties, or take `strict` out of the configuration".to_owned()
        }
        Ground::Ambiguous => "save the note as UTF-8".to_owned(),
        Ground::Drawing => "nothing: drawings are attachments".to_owned(),
        Ground::UnknownNames => "give the note a file of its own: copy it, and remove this name".to_owned(),
        Ground::NotAllowed => "allow it: allow_folders, allow_tags or allow_flag".to_owned(),
    }
}

fn rule_with_line(key: &str, rule: &str, line_of: LineOf<'_>) -> String {
    let place = line_of(key, rule).map(|line| format!(" (line {line} of the configuration)"));
    format!("{key} = \"{}\"{}", escape::line(rule), place.unwrap_or_default())
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
        paths(out, &format!("{} hides {count}", named(rule, line_of)), &rule.notes, shown)?;
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
    let doubtful: Vec<&RuleUse> =
        rules.iter().filter(|rule| rule.matches_nothing || !rule.near.is_empty()).collect();
    if doubtful.is_empty() {
        return Ok(());
    }
    let error = style::ERROR;
    writeln!(out, "\n{error}To be looked at{error:#}")?;
    for rule in doubtful {
        let near: Vec<String> = rule.near.iter().map(|near| format!("`{}`", escape::line(near))).collect();
        let name = named(rule, line_of);
        match (rule.matches_nothing, near.is_empty()) {
            (true, true) => writeln!(out, "  {name} matches nothing in this vault")?,
            (true, false) => {
                writeln!(out, "  {name} matches nothing. Did you mean {}?", near.join(" or "))?;
            }
            _ => writeln!(out, "  {name} does not cover {}, which looks much like it", near.join(", "))?,
        }
    }
    Ok(())
}

/// A rule as its owner knows it.
fn named(rule: &RuleUse, line_of: LineOf<'_>) -> String {
    match rule.rule {
        RuleKind::Folders => rule_with_line("folders", &rule.written, line_of),
        RuleKind::Tags => rule_with_line("tags", &rule.written, line_of),
        RuleKind::FrontmatterFlag => rule_with_line("frontmatter_flag", &rule.written, line_of),
        RuleKind::ObsidianExcluded => format!("Obsidian's excluded files `{}`", escape::line(&rule.written)),
        RuleKind::Strict => "strict (properties that cannot be read)".to_owned(),
        RuleKind::Default => "default = \"private\"".to_owned(),
        RuleKind::Drawing => "being a drawing".to_owned(),
        RuleKind::UnknownNames => "having other names that are not known".to_owned(),
        RuleKind::Ambiguous => "having private parts and bytes that are not UTF-8".to_owned(),
        RuleKind::Unreadable => "being unreadable".to_owned(),
    }
}
