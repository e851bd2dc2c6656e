//! What a caller calls a note -> the note, through the catalogue of this profile only: a private
//! note neither answers nor stands in the way of a public one.

use rayon::prelude::*;

use crate::index::{NoteEntry, Tree};
use crate::note::{self, Anchor, Link, LinkKind, fold, link};
use crate::vault::{Listed, Note, NotePath, Profile, Session};

use super::OpError;
use super::error::vault_unavailable;

/// A name as asked, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Path, title, alias or file name.
    pub(super) target: String,
    /// `#heading` or `#^block` behind it.
    pub(super) anchor: Option<Anchor>,
}

impl Name {
    /// Reads `path.md`, `Title`, `[[Note#Heading|label]]`, `Note#^block`.
    pub(super) fn parse(text: &str) -> Name {
        let text = text.trim();
        let inner = text
            .strip_prefix('!')
            .unwrap_or(text)
            .strip_prefix("[[")
            .and_then(|rest| rest.strip_suffix("]]"));
        let without_label = |inner: &str| inner.split('|').next().unwrap_or_default().trim().to_owned();
        let text = inner.map_or_else(|| text.to_owned(), without_label);
        match split_anchor(&text) {
            Some((target, anchor)) if !target.is_empty() => {
                Name { target: target.trim().to_owned(), anchor: Some(parse_anchor(anchor)) }
            }
            _ => Name { target: text, anchor: None },
        }
    }
}

/// What stands before and behind the `#`: behind `.md` if that is there, as names may hold a `#`.
fn split_anchor(text: &str) -> Option<(&str, &str)> {
    let lower = format!("{}#", text.to_ascii_lowercase());
    let extension_end = lower.find(".md#").map(|at| at + ".md".len());
    match extension_end {
        Some(end) => text[end..].strip_prefix('#').map(|anchor| (&text[..end], anchor)),
        None => text.split_once('#'),
    }
}

/// `Heading`, `Parent#Child` or `^block`.
pub(super) fn parse_anchor(text: &str) -> Anchor {
    match text.trim().strip_prefix('^') {
        Some(id) => Anchor::Block(id.trim().to_owned()),
        None => Anchor::Heading(text.split('#').map(|name| name.trim().to_owned()).collect()),
    }
}

/// Opens the note a name means: by path, as a link would find it, by title, by alias; in that order.
pub(super) fn open<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
    target: &str,
) -> Result<Note<'s>, OpError> {
    let Some(tree) = tree else { return open_without_index(session, target) };
    let key = fold(target);
    let with_extension = format!("{key}.md");
    let by_path = [tree.notes_by_path_key(&key)?, tree.notes_by_path_key(&with_extension)?].concat();
    let exact_first = |notes: Vec<NoteEntry>| {
        let (exact, folded): (Vec<_>, Vec<_>) = notes
            .into_iter()
            .partition(|note| note.path == target || note.path.strip_suffix(".md") == Some(target));
        [exact, folded].concat()
    };
    let linked = order_as_link(tree.notes_by_name_key(&link::name_key(target))?, target);
    let open = |entry: &NoteEntry| {
        let path = NotePath::parse(&entry.path).ok()?;
        session.open_indexed(&path, &entry.hash).ok()
    };
    if let Some(note) = exact_first(by_path).into_iter().chain(linked).find_map(|entry| open(&entry)) {
        return Ok(note);
    }
    let by_text = [tree.notes_by_title_key(&key)?, tree.notes_by_alias_key(&key)?].concat();
    let still_named = |entry: &NoteEntry| {
        open(entry).filter(|note| note.content_hash() == entry.hash || is_named(note, &key))
    };
    by_text.iter().find_map(still_named).ok_or(OpError::NotFound)
}

/// Does the note, as it stands now, have this title or alias? What the index remembers of it may have turned
/// private.
fn is_named(note: &Note<'_>, key: &str) -> bool {
    let document = note::parse(note.text());
    let title = document.title(note.path().stem());
    fold(title) == key || document.frontmatter.aliases.iter().any(|alias| fold(alias) == key)
}

/// Before the first index, names of files are all there is. For the public every note is judged first,
/// whatever the name: opening the one that is named would tell, by the work it makes, that it exists.
fn open_without_index<'s>(session: &Session<'s>, target: &str) -> Result<Note<'s>, OpError> {
    let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
    let is_shown =
        |listed: &&Listed| session.profile() == Profile::Full || session.open(&listed.path).is_ok();
    let shown: Vec<&Listed> = walk.notes.par_iter().filter(is_shown).collect();
    let key = link::name_key(target);
    let paths: Vec<&NotePath> =
        shown.iter().map(|note| &note.path).filter(|path| link::name_key(path.as_str()) == key).collect();
    let names: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
    let chosen = link::choose(&names, &wikilink(target), "").ok_or(OpError::NotFound)?;
    Ok(session.open(paths[chosen])?)
}

/// Candidates in the order in which a wikilink from the root would choose them, one after the other: the first will
/// mostly do.
fn order_as_link(mut candidates: Vec<NoteEntry>, target: &str) -> impl Iterator<Item = NoteEntry> {
    let wiki = wikilink(target);
    std::iter::from_fn(move || {
        let paths: Vec<&str> = candidates.iter().map(|note| &*note.path).collect();
        let chosen = link::choose(&paths, &wiki, "")?;
        Some(candidates.remove(chosen))
    })
}

fn wikilink(target: &str) -> Link {
    Link {
        kind: LinkKind::Wiki,
        embed: false,
        target: target.to_owned(),
        anchor: None,
        label: None,
        range: 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let heading =
            |names: &[&str]| Some(Anchor::Heading(names.iter().map(|name| (*name).to_owned()).collect()));
        let table = [
            ("a/b.md", "a/b.md", None),
            (" [[Note]] ", "Note", None),
            ("![[Note#Part|shown]]", "Note", heading(&["Part"])),
            ("Note#A#B", "Note", heading(&["A", "B"])),
            ("Note#^id", "Note", Some(Anchor::Block("id".to_owned()))),
            ("#tag", "#tag", None),
            ("C# notes.md", "C# notes.md", None),
            ("C# notes.md#Part", "C# notes.md", heading(&["Part"])),
        ];
        for (text, target, anchor) in table {
            assert_eq!(Name::parse(text), Name { target: target.to_owned(), anchor }, "{text}");
        }
    }
}
