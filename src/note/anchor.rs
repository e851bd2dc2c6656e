//! Which part of a note a link's anchor means.
//!
//! Headings have three readings, the strictest first, and in each the first heading wins: the text itself; the
//! text without punctuation and marks, as Obsidian compares it; the slug that GitHub would make.
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::link::Anchor;
use super::{Document, Heading, fold};

/// The anchors of one note, for any number of links to it: what is looked up is made ready once.
pub struct Anchors<'d> {
    document: &'d Document,
    /// Blocks by folded name.
    blocks: Option<HashMap<String, usize>>,
    /// Headings by their names and those of headings above them, hashed; for each reading and number of names.
    chains: HashMap<(Reading, usize), HashMap<u64, usize>>,
    slugs: Option<HashMap<String, usize>>,
}

/// How texts of headings are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reading {
    Exact,
    Loose,
}

impl<'d> Anchors<'d> {
    /// Nothing is made ready yet.
    pub fn new(document: &'d Document) -> Anchors<'d> {
        Anchors { document, blocks: None, chains: HashMap::new(), slugs: None }
    }

    /// The range of the section or block, if it exists.
    pub fn find(&mut self, anchor: &Anchor) -> Option<Range<usize>> {
        match anchor {
            Anchor::Block(id) => {
                let blocks = self.blocks.get_or_insert_with(|| blocks(self.document));
                blocks.get(&id.to_ascii_lowercase()).map(|index| self.document.blocks[*index].range.clone())
            }
            Anchor::Heading(names) => {
                self.heading(names).map(|index| self.document.headings[index].section.clone())
            }
        }
    }

    /// Index of the heading that `names` (from the outer to the inner) means; headings between them may be left out.
    fn heading(&mut self, names: &[String]) -> Option<usize> {
        let last = names.last()?;
        [Reading::Exact, Reading::Loose]
            .into_iter()
            .find_map(|reading| self.by_chain(reading, names))
            .or_else(|| (names.len() == 1).then(|| self.by_slug(last)).flatten())
    }

    fn by_chain(&mut self, reading: Reading, names: &[String]) -> Option<usize> {
        let names: Vec<String> = names.iter().map(|name| reading.form(name)).collect();
        if names.last()?.is_empty() || names.len() > DEEPEST {
            return None;
        }
        let chains = self.chains.entry((reading, names.len()));
        let chains = chains.or_insert_with(|| chains_of(&self.document.headings, reading, names.len()));
        chains.get(&hashed(names.iter().rev())).copied()
    }

    fn by_slug(&mut self, wanted: &str) -> Option<usize> {
        let slugs = self.slugs.get_or_insert_with(|| slugs(&self.document.headings));
        slugs.get(&fold(wanted)).copied().filter(|_| !wanted.is_empty())
    }
}

/// Levels of headings.
const DEEPEST: usize = 6;

fn blocks(document: &Document) -> HashMap<String, usize> {
    let mut blocks = HashMap::new();
    for (index, block) in document.blocks.iter().enumerate() {
        blocks.entry(block.id.to_ascii_lowercase()).or_insert(index);
    }
    blocks
}

/// The first heading for each way to name one with `length` names.
fn chains_of(headings: &[Heading], reading: Reading, length: usize) -> HashMap<u64, usize> {
    let forms: Vec<String> = headings.iter().map(|heading| reading.form(&heading.text)).collect();
    let mut chains = HashMap::new();
    for index in 0..headings.len() {
        let above = std::iter::successors(headings[index].parent, |&above| headings[above].parent);
        let above: Vec<&String> = above.take(DEEPEST).map(|above| &forms[above]).collect();
        for_each_choice(&above, length - 1, &mut vec![&forms[index]], &mut |names| {
            chains.entry(hashed(names.iter().copied())).or_insert(index);
        });
    }
    chains
}

/// Adds every choice of `count` names to `chosen`, in order.
fn for_each_choice<'n>(
    names: &[&'n String],
    count: usize,
    chosen: &mut Vec<&'n String>,
    then: &mut impl FnMut(&[&'n String]),
) {
    if count == 0 {
        return then(chosen);
    }
    for (at, name) in names.iter().enumerate() {
        chosen.push(name);
        for_each_choice(&names[at + 1..], count - 1, chosen, then);
        chosen.pop();
    }
}

/// Of names from the inner to the outer.
fn hashed<'n>(names: impl Iterator<Item = &'n String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    names.for_each(|name| name.hash(&mut hasher));
    hasher.finish()
}

impl Reading {
    fn form(self, text: &str) -> String {
        match self {
            Reading::Exact => exact_form(text),
            Reading::Loose => loose_form(text),
        }
    }
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

/// The first heading of each slug; later headings with the same slug are numbered from 1.
fn slugs(headings: &[Heading]) -> HashMap<String, usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut slugs = HashMap::new();
    for (index, heading) in headings.iter().enumerate() {
        let slug = slug(&heading.text);
        let count = seen.entry(slug.clone()).and_modify(|count| *count += 1).or_insert(0);
        let numbered = if *count == 0 { slug } else { format!("{slug}-{count}") };
        slugs.entry(numbered).or_insert(index);
    }
    slugs
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
