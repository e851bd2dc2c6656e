//! Questions made from the notes themselves, each with the one note it means: the texts of links, aliases
//! and headings. For measuring a search without labels. The names of this profile's notes are all there is: a
//! link to a note that it may not see makes no question.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rayon::prelude::*;

use super::error::vault_unavailable;
use super::shown::{Shown, Shows};
use super::{Caller, OpError, Service};
use crate::note::link::Named;
use crate::note::{self, Link, fold};
use crate::reply::Reply;
use crate::vault::{NotePath, Released, Session};

/// Longer texts are no questions, in characters.
const MOST_CHARS: usize = 200;
/// What more notes than this say is a common word: too many of them would have to be left out of a ranking.
const MOST_LINKING: usize = 20;

/// What a question was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MadeFrom {
    /// The text of a link, other than the name of the note it leads to.
    Link,
    /// An alias.
    Alias,
    /// A heading.
    Heading,
}

impl MadeFrom {
    /// As one word.
    pub fn as_str(self) -> &'static str {
        match self {
            MadeFrom::Link => "link",
            MadeFrom::Alias => "alias",
            MadeFrom::Heading => "heading",
        }
    }
}

/// A question, and the note it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeQuestion {
    /// The text.
    pub text: String,
    /// Where it was found; of several places the first in the order of [`MadeFrom`].
    pub made_from: MadeFrom,
    /// The path of the note it means.
    pub target: String,
    /// Paths of other notes that link to it with this text: they hold the text too, but are no answer.
    pub linked_from: Vec<String>,
}

/// The questions, ordered by their text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionsAnswer {
    /// No two with the same text.
    pub questions: Vec<MadeQuestion>,
}

impl Shows for QuestionsAnswer {
    fn tell(&self, shown: &mut Shown) {
        for question in &self.questions {
            shown.name(&question.target);
            question.linked_from.iter().for_each(|path| shown.name(path));
        }
    }
}

pub(super) fn run(service: &Service, caller: &Caller<'_>) -> Result<Reply<QuestionsAnswer>, OpError> {
    service.request(caller, |session, _| {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        let described = walk.notes.par_iter().filter_map(|listed| describe(session, &listed.path)).collect();
        let notes = session.gather(described);
        Ok(Reply::new(notes.map(|notes| QuestionsAnswer { questions: questions(&notes) })))
    })
}

/// What a note says that may become a question.
struct Described {
    path: String,
    names: [String; 2],
    aliases: Vec<String>,
    headings: Vec<String>,
    /// With a text of their own.
    links: Vec<Link>,
}

fn describe<'s>(session: &Session<'s>, path: &NotePath) -> Option<Released<'s, Described>> {
    let note = session.open(path).ok()?;
    Some(session.release(&note, Described::of(path.as_str(), path.stem(), note.text())))
}

impl Described {
    fn of(path: &str, stem: &str, text: &str) -> Described {
        let document = note::parse(text);
        let has_text = |link: &Link| !link.embed && !link.target.is_empty() && link.label.is_some();
        Described {
            path: path.to_owned(),
            names: [stem.to_owned(), document.title(stem).to_owned()],
            aliases: document.frontmatter.aliases,
            headings: document.headings.into_iter().map(|heading| heading.text).collect(),
            links: document.links.into_iter().filter(has_text).collect(),
        }
    }
}

/// All that was found about one text.
#[derive(Default)]
struct Found {
    text: String,
    made_from: Option<MadeFrom>,
    targets: BTreeSet<String>,
    linked_from: BTreeSet<String>,
}

/// A text makes a question if it leads to one note only and is no note's name.
fn questions(notes: &[Described]) -> Vec<MadeQuestion> {
    let names: HashSet<String> = notes.iter().flat_map(|note| &note.names).map(|name| key(name)).collect();
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for (text, made_from, target, linked_from) in texts(notes) {
        let text = as_one_line(text);
        let key = key(&text);
        if !can_be_asked(&text) || names.contains(&key) {
            continue;
        }
        let entry = found.entry(key).or_default();
        if entry.made_from.is_none_or(|other| made_from < other) {
            (entry.text, entry.made_from) = (text, Some(made_from));
        }
        entry.targets.insert(target.to_owned());
        entry.linked_from.extend(linked_from.map(str::to_owned));
    }
    found.into_values().filter_map(Found::into_question).collect()
}

impl Found {
    fn into_question(mut self) -> Option<MadeQuestion> {
        let target = self.targets.pop_first().filter(|_| self.targets.is_empty())?;
        self.linked_from.remove(&target);
        let is_rare = self.linked_from.len() <= MOST_LINKING;
        is_rare.then_some(MadeQuestion {
            text: self.text,
            made_from: self.made_from?,
            target,
            linked_from: self.linked_from.into_iter().collect(),
        })
    }
}

/// Each text with where it was found, the path of the note it means, and of the note that links with it.
fn texts(notes: &[Described]) -> Vec<(&str, MadeFrom, &str, Option<&str>)> {
    let named = Named::new(notes.iter().map(|note| &*note.path));
    let mut texts = Vec::new();
    for note in notes {
        let own = |text, made_from| (text, made_from, &*note.path, None);
        texts.extend(note.aliases.iter().map(|alias| own(&**alias, MadeFrom::Alias)));
        texts.extend(note.headings.iter().map(|heading| own(&**heading, MadeFrom::Heading)));
        texts.extend(note.links.iter().filter_map(|link| {
            let target = &*notes[named.target(link, &note.path)?].path;
            Some((link.label.as_deref()?, MadeFrom::Link, target, Some(&*note.path)))
        }));
    }
    texts
}

/// What two spellings of a name have in common: files are often named `as_this` or `as-this`.
fn key(name: &str) -> String {
    fold(&as_one_line(&name.replace(['_', '-'], " ")))
}

fn as_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Not a number, a mark or a whole paragraph.
fn can_be_asked(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
        && text.chars().filter(|letter| letter.is_alphanumeric()).count() >= 2
        && text.chars().count() <= MOST_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(notes: &[(&str, &str)]) -> Vec<(String, &'static str, String, Vec<String>)> {
        let described: Vec<Described> = notes
            .iter()
            .map(|(path, text)| Described::of(path, NotePath::parse(path).unwrap().stem(), text))
            .collect();
        let questions = questions(&described).into_iter();
        questions.map(|one| (one.text, one.made_from.as_str(), one.target, one.linked_from)).collect()
    }

    fn row(
        text: &str,
        from: &'static str,
        target: &str,
        linked: &[&str],
    ) -> (String, &'static str, String, Vec<String>) {
        (text.to_owned(), from, target.to_owned(), linked.iter().map(|path| (*path).to_owned()).collect())
    }

    #[test]
    fn links_aliases_and_headings_make_questions() {
        let notes = [
            ("a.md", "see [[b|the second one]], [[B]] and [that](c.md), ![[b|300]] [[#Own part|here]]"),
            ("b.md", "---\naliases: [Second, b]\n---\n# b\n## How to turn\ntext"),
            ("c.md", "[[b|the  Second one]] and [[gone|nowhere]]"),
        ];
        assert_eq!(
            made(&notes),
            [
                row("How to turn", "heading", "b.md", &[]),
                row("Second", "alias", "b.md", &[]),
                row("that", "link", "c.md", &["a.md"]),
                row("the second one", "link", "b.md", &["a.md", "c.md"]),
            ]
        );
    }

    #[test]
    fn what_means_two_notes_or_is_a_name_makes_none() {
        let rows: [&[(&str, &str)]; 7] = [
            &[("a.md", "# a\n## Notes"), ("b.md", "# b\n## notes")],
            &[("a.md", "[[b|it]] [[c|it]]"), ("b.md", ""), ("c.md", "")],
            &[("a.md", "[[b|c]]"), ("b.md", ""), ("c.md", "")],
            &[("a.md", "[[b|The title]]"), ("b.md", "# The Title")],
            &[("a.md", "---\naliases: ['7', '2024', '!?', A]\n---")],
            &[("a.md", "[[b|secret]]")],
            &[("a.md", "[[The_two-fold name|the two fold Name]]"), ("The_two-fold name.md", "")],
        ];
        for notes in rows {
            assert_eq!(made(notes), [], "{notes:?}");
        }
    }

    #[test]
    fn what_everybody_says_makes_none() {
        let linking = |count: usize| -> Vec<(String, &str)> {
            let linking = (0..count).map(|number| (format!("n{number}.md"), "[[target|common words]]"));
            linking.chain([("target.md".to_owned(), "")]).collect()
        };
        let made_of = |count| {
            let notes = linking(count);
            made(&notes.iter().map(|(path, text)| (&**path, *text)).collect::<Vec<_>>()).len()
        };
        assert_eq!((made_of(MOST_LINKING), made_of(MOST_LINKING + 1)), (1, 0));
    }
}
