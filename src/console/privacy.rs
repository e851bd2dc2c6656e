//! What is private and which rule says so: marks beside names, reasons, and the rules with what they hide.

use super::html::{Html, address, counted, html};
use super::{Console, Page};
use crate::ops::grounds;
use crate::ops::privacy::{PrivacyAnswer, RuleUse};
use crate::vault::Ground;

/// `public` or `private`, as a word and not as a colour alone.
pub(super) fn mark(answer: &PrivacyAnswer) -> Html {
    if !answer.public {
        return html(r#"<span class="mark private">private</span>"#, &[]);
    }
    if !answer.private_parts.is_empty() || answer.masked > 0 {
        return html(r#"<span class="mark partly">public in parts</span>"#, &[]);
    }
    html(r#"<span class="mark public">public</span>"#, &[])
}

/// Why the public does not get a note, or not all of it, in one line; nothing for a note that is public as it is.
pub(super) fn because(console: &Console, answer: &PrivacyAnswer) -> Option<String> {
    let line_of = |key: &str, rule: &str| console.line_of(key, rule);
    // Beside the note's own name, the rule says enough.
    let reason = |ground: &Ground| match ground {
        Ground::Folder { rule, name } if *name == answer.path => {
            grounds::rule_with_line("folders", rule, &line_of)
        }
        other => grounds::reason(other, &line_of),
    };
    let mut reasons: Vec<String> = answer.grounds.iter().map(reason).collect();
    reasons.extend(answer.refusal.map(|why| format!("nobody can read it: {why}")));
    if answer.public && (!answer.private_parts.is_empty() || answer.masked > 0) {
        reasons.push(grounds::verdict(answer));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// All that keeps a note from agents, each with what would take it away.
pub(super) fn reasons(console: &Console, answer: &PrivacyAnswer) -> Html {
    let line_of = |key: &str, rule: &str| console.line_of(key, rule);
    let refusal = answer.refusal.map(|why| html("<li>nobody can read it, you neither: {}</li>", &[&why]));
    let rows: Vec<Html> = answer
        .grounds
        .iter()
        .map(|ground| {
            let (reason, remedy) = (grounds::reason(ground, &line_of), grounds::remedy(ground));
            html(r#"<li>{}<span class="remedy">To change that: {}.</span></li>"#, &[&reason, &remedy])
        })
        .collect();
    html(r#"<ul class="reasons">{}{}</ul>"#, &[&rows, &refusal])
}

/// The rules with what they hide; those that hide nothing and should, first.
pub(super) fn rules(console: &Console) -> Page {
    let list = console.full.list_privacy()?;
    let private = format!("{} of {} private", list.private, counted(list.notes, "note"));
    let mut rules: Vec<&RuleUse> = list.rules.iter().collect();
    rules.sort_by_key(|rule| !rule.matches_nothing);
    let rows: Vec<Html> = rules.into_iter().map(|rule| rule_row(console, rule)).collect();
    let table = if rows.is_empty() {
        html(r#"<p class="quiet">There are no rules: every note is public.</p>"#, &[])
    } else {
        html(
            r#"<table><thead><tr><th scope="col">Rule</th><th scope="col">Hides</th></tr></thead><tbody>{}</tbody></table>"#,
            &[&rows],
        )
    };
    let partly = some(list.partly_private.len(), "public without their private parts");
    let masked = some(list.masked.len(), "public with something masked");
    Ok(html(
        r#"<section class="card rules"><h2>Privacy</h2><p class="figure">{}</p>{}{}{}</section>"#,
        &[&private, &table, &partly, &masked],
    ))
}

fn some(count: usize, what: &str) -> Option<Html> {
    (count > 0).then(|| html(r#"<p class="quiet">{}, {}</p>"#, &[&counted(count, "note"), &what]))
}

/// Notes that are named under a rule.
const EXAMPLES: usize = 20;

fn rule_row(console: &Console, rule: &RuleUse) -> Html {
    let line_of = |key: &str, rule: &str| console.line_of(key, rule);
    let doubt = grounds::doubt(rule).map(|doubt| html(r#"<span class="doubt">It {}</span>"#, &[&doubt]));
    let notes: Vec<Html> = rule.notes.iter().take(EXAMPLES).map(|path| note_item(path)).collect();
    let more = rule.notes.len().saturating_sub(EXAMPLES);
    let more = (more > 0).then(|| html(r#"<li class="quiet">and {} more</li>"#, &[&more]));
    let hidden = counted(rule.notes.len(), "note");
    let hides = if rule.notes.is_empty() {
        html(r#"<span class="quiet">nothing</span>"#, &[])
    } else {
        html("<details><summary>{}</summary><ul>{}{}</ul></details>", &[&hidden, &notes, &more])
    };
    html("<tr><td><code>{}</code>{}</td><td>{}</td></tr>", &[&grounds::named(rule, &line_of), &doubt, &hides])
}

fn note_item(path: &str) -> Html {
    html(
        r#"<li><button type="button" class="link" data-item data-get="{}">{}</button></li>"#,
        &[&address("note", &[("path", path)]), &path],
    )
}
