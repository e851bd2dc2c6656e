//! Public notes that name private ones. What a public note says is public, names included; its owner
//! may not have meant it.

use rayon::prelude::*;
use regex::{Regex, RegexBuilder};

use super::privacy::Looked;
use crate::vault::{NotePath, Session};

/// Shorter names are words of their own, in characters.
const MIN_NAME_CHARS: usize = 4;
/// Room for the names of many thousand notes, in bytes.
const MAX_PATTERN_BYTES: usize = 256 * 1024 * 1024;

/// `path:line names "Title"`, ordered by path.
pub(super) fn mentions(session: &Session<'_>, notes: &[Looked]) -> Vec<String> {
    let (public, private): (Vec<&Looked>, Vec<&Looked>) = notes.iter().partition(|note| note.answer.public);
    let Some(names) = pattern(&private, &public) else { return Vec::new() };
    let found = public.par_iter().flat_map_iter(|note| {
        let path = NotePath::parse(&note.answer.path).ok();
        let text = path.and_then(|path| session.open(&path).ok()).map(|open| open.text().to_owned());
        of_note(&note.answer.path, &text.unwrap_or_default(), &names)
    });
    found.collect()
}

fn of_note(path: &str, text: &str, names: &Regex) -> Vec<String> {
    let lines = text.lines().zip(1..);
    lines
        .filter_map(|(line, number)| {
            let name = names.captures(line)?.get(1)?;
            Some(format!("{path}:{number} names \"{}\"", name.as_str()))
        })
        .collect()
}

/// Titles, aliases and file names of the private notes that no public note has too.
fn pattern(private: &[&Looked], public: &[&Looked]) -> Option<Regex> {
    let names_of = |notes: &[&Looked]| -> Vec<String> {
        let names = notes.iter().flat_map(|note| {
            let file = NotePath::parse(&note.answer.path).map(|path| path.stem().to_owned()).ok();
            note.names.iter().cloned().chain(file)
        });
        let mut names: Vec<String> = names.map(|name| name.trim().to_lowercase()).collect();
        names.sort();
        names.dedup();
        names
    };
    let known = names_of(public);
    let telling = names_of(private)
        .into_iter()
        .filter(|name| name.chars().count() >= MIN_NAME_CHARS && known.binary_search(name).is_err());
    let names: Vec<String> = telling.map(|name| regex::escape(&name)).collect();
    if names.is_empty() {
        return None;
    }
    let pattern = format!(r"(?:^|\W)({})(?:\W|$)", names.join("|"));
    RegexBuilder::new(&pattern).case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build().ok()
}
