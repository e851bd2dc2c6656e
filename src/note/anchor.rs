//! Which heading a link's anchor means.
//!
//! Three readings, the strictest first, and in each the first heading wins: the text itself; the
//! text without punctuation and marks, as Obsidian compares it; the slug that GitHub would make.
use std::collections::HashMap;

use super::{Heading, fold};

/// Index of the heading that `names` (from the outer to the inner) means.
pub(super) fn find_heading(headings: &[Heading], names: &[String]) -> Option<usize> {
    let (last, parents) = names.split_last()?;
    let by = |form: fn(&str) -> String| {
        let (wanted, parents) = (form(last), parents.iter().map(|name| form(name)).collect::<Vec<_>>());
        let is_meant = |&index: &usize| {
            !wanted.is_empty()
                && form(&headings[index].text) == wanted
                && is_under(headings, index, &parents, form)
        };
        (0..headings.len()).find(is_meant)
    };
    by(exact_form)
        .or_else(|| by(loose_form))
        .or_else(|| parents.is_empty().then(|| by_slug(headings, last)).flatten())
}

/// Whether the headings above `index` hold `parents` in order, others in between allowed.
fn is_under(headings: &[Heading], index: usize, parents: &[String], form: fn(&str) -> String) -> bool {
    let ancestors = std::iter::successors(headings[index].parent, |&above| headings[above].parent);
    let mut wanted = parents.iter().rev().peekable();
    for above in ancestors {
        wanted.next_if(|&name| form(&headings[above].text) == *name);
    }
    wanted.peek().is_none()
}

fn exact_form(text: &str) -> String {
    fold(text.trim())
}

/// Without ASCII punctuation, except `-`, `_` and `'`, and with single blanks. That covers what a
/// link cannot hold (`#`, `|`, `^`, `:`, `%%`, `[[`, `]]`) and the marks of Markdown.
fn loose_form(text: &str) -> String {
    let is_dropped = |c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '\'');
    let blanked = text.replace(is_dropped, " ");
    fold(&blanked.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The heading whose slug is `wanted`; later headings with the same slug are numbered from 1.
fn by_slug(headings: &[Heading], wanted: &str) -> Option<usize> {
    let wanted = fold(wanted);
    let mut seen: HashMap<String, usize> = HashMap::new();
    headings.iter().position(|heading| {
        let slug = slug(&heading.text);
        let count = seen.entry(slug.clone()).and_modify(|count| *count += 1).or_insert(0);
        let numbered = if *count == 0 { slug } else { format!("{slug}-{count}") };
        !wanted.is_empty() && numbered == wanted
    })
}

/// GitHub's slug: lower case, blanks to hyphens, other punctuation dropped.
fn slug(text: &str) -> String {
    let keep = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c) => Some(c),
        _ => None,
    };
    fold(&text.trim().chars().filter_map(keep).collect::<String>())
}

#[cfg(test)]
mod tests;
