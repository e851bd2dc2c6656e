//! What keeps a note from AI clients and what would change that, in sentences for the owner. Names in them are as
//! they stand in the vault: whoever shows a sentence escapes it as a whole.

use super::privacy::{PrivacyAnswer, RuleKind, RuleUse};
use crate::vault::Ground;

/// The line of the configuration file on which a rule stands: key, rule.
pub type LineOf<'a> = &'a dyn Fn(&str, &str) -> Option<usize>;

/// What the public gets of a note.
pub fn verdict(answer: &PrivacyAnswer) -> String {
    if !answer.public {
        return "private: AI clients get the answer for a note that is not there".to_owned();
    }
    let lines: Vec<String> = answer.private_parts.iter().map(|part| lines(*part)).collect();
    let without = if lines.is_empty() { String::new() } else { format!(", without {}", lines.join(", ")) };
    let masked = match answer.masked {
        0 => String::new(),
        1 => ", 1 place masked".to_owned(),
        places => format!(", {places} places masked"),
    };
    format!("readable{without}{masked}")
}

fn lines((first, last): (usize, usize)) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

/// Which rule it is, and where it and the reason stand.
pub fn reason(ground: &Ground, line_of: LineOf<'_>) -> String {
    let rule = |key: &str, rule: &str| rule_with_line(key, rule, line_of);
    match ground {
        Ground::Folder { rule: written, name } => format!("{} covers {name}", rule("folders", written)),
        Ground::Excluded { filter, name } => {
            format!("Obsidian's excluded files have `{filter}`, which covers {name}")
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

/// What would take the reason away.
pub fn remedy(ground: &Ground) -> String {
    match ground {
        Ground::Folder { name, .. } => format!("move {name} elsewhere, or change the rule"),
        Ground::Excluded { .. } => "take the entry out of Obsidian: Settings, Files and links".to_owned(),
        Ground::Tag { line, .. } => format!("take the tag out of line {line}, or change the rule"),
        Ground::Flag { line, property } => {
            format!("write `{property}: false` on line {line}, or take it out")
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

/// A rule as its owner knows it.
pub fn named(rule: &RuleUse, line_of: LineOf<'_>) -> String {
    match rule.rule {
        RuleKind::Folders => rule_with_line("folders", &rule.written, line_of),
        RuleKind::Tags => rule_with_line("tags", &rule.written, line_of),
        RuleKind::FrontmatterFlag => rule_with_line("frontmatter_flag", &rule.written, line_of),
        RuleKind::ObsidianExcluded => format!("Obsidian's excluded files `{}`", rule.written),
        RuleKind::Strict => "strict (properties that cannot be read)".to_owned(),
        RuleKind::Default => "default = \"private\"".to_owned(),
        RuleKind::Drawing => "being a drawing".to_owned(),
        RuleKind::UnknownNames => "having other names that are not known".to_owned(),
        RuleKind::Ambiguous => "having private parts and bytes that are not UTF-8".to_owned(),
        RuleKind::Unreadable => "being unreadable".to_owned(),
    }
}

/// What is doubtful about a rule: it matches nothing, or leaves out what looks much like it.
pub fn doubt(rule: &RuleUse) -> Option<String> {
    let near: Vec<String> = rule.near.iter().map(|near| format!("`{near}`")).collect();
    match (rule.matches_nothing, near.is_empty()) {
        (true, true) => Some("matches nothing in this vault".to_owned()),
        (true, false) => Some(format!("matches nothing. Did you mean {}?", near.join(" or "))),
        (false, false) => Some(format!("does not cover {}, which looks much like it", near.join(", "))),
        (false, true) => None,
    }
}

/// `folders = "journal" (line 5 of the configuration)`.
pub fn rule_with_line(key: &str, rule: &str, line_of: LineOf<'_>) -> String {
    let place = line_of(key, rule).map(|line| format!(" (line {line} of the configuration)"));
    format!("{key} = \"{rule}\"{}", place.unwrap_or_default())
}
