//! What is private and why, for the owner at a terminal. Nothing here makes a [`crate::reply::Reply`]:
//! no transport can ask for it.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::error::vault_unavailable;
use super::{OpError, Service};
use crate::note::{self, Frontmatter, fold, link};
use crate::vault::{
    Explanation, Ground, NotePath, Place, Profile, Refusal, RuleText, Session, Standing, Walk,
};

/// Why a note is private or public.
#[derive(Debug, Clone, Serialize)]
pub struct PrivacyAnswer {
    /// The note.
    pub path: String,
    /// The name that was asked for, where it leads to the note through a symbolic link.
    pub link: Option<String>,
    /// AI clients can read it.
    pub public: bool,
    /// The owner can read it, with the full profile.
    pub full: bool,
    /// Why nobody can read it.
    pub refusal: Option<&'static str>,
    /// All that keeps it from AI clients.
    pub grounds: Vec<Ground>,
    /// Every name of the file that is known.
    pub names: Vec<String>,
    /// First and last lines of the parts that are taken out for AI clients.
    pub private_parts: Vec<(usize, usize)>,
    /// Places that are masked for AI clients.
    pub masked: usize,
}

/// What is known of the name that was asked for.
pub enum Explained {
    /// A note.
    Found(PrivacyAnswer),
    /// Ignored for everybody, under this pattern.
    Ignored(String),
    /// A link that leads out of the vault: never followed.
    LinkOut,
}

/// Explains a note, found by its path, with or without `.md`, or by its name.
pub(super) fn explain(service: &Service, asked: &str) -> Result<Explained, OpError> {
    owner(service, |session| {
        let path = find(session, asked)?;
        Ok(match session.place(&path) {
            Place::Ignored(pattern) => Explained::Ignored(pattern),
            Place::LinkOut => Explained::LinkOut,
            Place::LinkTo(real) => {
                let real = NotePath::parse(&real).map_err(|_| OpError::NotFound)?;
                let link = Some(path.as_str().to_owned());
                Explained::Found(PrivacyAnswer { link, ..answer(session, &real) })
            }
            Place::Here | Place::Nowhere => Explained::Found(answer(session, &path)),
        })
    })
}

/// Explains several notes by their paths; what is no path of a note is left out.
pub(super) fn explain_each(service: &Service, paths: &[String]) -> Result<Vec<PrivacyAnswer>, OpError> {
    owner(service, |session| {
        let paths: Vec<NotePath> = paths.iter().filter_map(|path| NotePath::parse(path).ok()).collect();
        Ok(paths.par_iter().map(|path| answer(session, path)).collect())
    })
}

/// One request that sees everything.
pub(super) fn owner<R>(
    service: &Service,
    run: impl for<'s> FnOnce(&Session<'s>) -> Result<R, OpError>,
) -> Result<R, OpError> {
    service.vault.request(Profile::Full, |session| run(session))?
}

fn find(session: &Session<'_>, asked: &str) -> Result<NotePath, OpError> {
    let as_path = [asked.to_owned(), format!("{asked}.md")];
    let paths = as_path.iter().filter_map(|name| NotePath::parse(name).ok());
    let there = paths.into_iter().find(|path| session.place(path) != Place::Nowhere);
    let by_name = || {
        // A path that leads nowhere is no name of another note.
        let walk = session.walk().ok().filter(|_| !asked.contains('/'))?;
        let key = link::name_key(asked);
        walk.notes.into_iter().map(|note| note.path).find(|path| link::name_key(path.as_str()) == key)
    };
    there.or_else(by_name).ok_or(OpError::NotFound)
}

pub(super) fn answer(session: &Session<'_>, path: &NotePath) -> PrivacyAnswer {
    let Explanation { refusal, grounds, names, private_parts, masked } = session.explain(path);
    PrivacyAnswer {
        path: path.as_str().to_owned(),
        link: None,
        public: refusal.is_none() && grounds.is_empty(),
        full: refusal.is_none(),
        refusal: refusal.map(reason),
        grounds,
        names,
        private_parts,
        masked,
    }
}

/// Why nobody can read a note.
pub(super) fn reason(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Absent => "it is not there, or a link stands in the way",
        Refusal::NotAFile => "it is no regular file",
        Refusal::TooLarge => "it is larger than max_note_bytes",
        Refusal::NotText => "it has NUL bytes or an unknown encoding",
        Refusal::Unstable => "it keeps changing while it is read",
        Refusal::Private => "it is private",
        Refusal::Denied => "permission to read it is missing",
        Refusal::Placeholder => "its content is not on this disk",
    }
}

/// What a proof needs to know of a vault: names and rules, no text.
pub struct Shape {
    /// Names of some of its notes, those that a folder hides among them.
    pub names: Vec<String>,
    /// The owner's rules.
    pub rules: RuleText,
    /// The entries of Obsidian's excluded files.
    pub excluded: Vec<String>,
}

/// The shape of the vault, with at most so many names, spread over it.
pub(super) fn shape(service: &Service, most: usize) -> Result<Shape, OpError> {
    owner(service, |session| {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        let step = walk.notes.len().div_ceil(most).max(1);
        let names = walk.notes.iter().step_by(step).map(|note| note.path.as_str().to_owned());
        let excluded = session.excluded_filters().into_iter().map(str::to_owned).collect();
        Ok(Shape { names: names.collect(), rules: session.rule_text().clone(), excluded })
    })
}

/// The private notes of a vault, by rule.
#[derive(Debug, Clone, Serialize)]
pub struct PrivacyList {
    /// Notes in the vault.
    pub notes: usize,
    /// Notes that AI clients cannot see.
    pub private: usize,
    /// Each rule with the notes it hides, in the order of the configuration; a note may be under several.
    pub rules: Vec<RuleUse>,
    /// Notes that are public but for some of their parts.
    pub partly_private: Vec<String>,
    /// Public notes in which something is masked.
    pub masked: Vec<String>,
}

/// A rule and what it does.
#[derive(Debug, Clone, Serialize)]
pub struct RuleUse {
    /// Which key of the configuration, or what else hides notes.
    pub rule: RuleKind,
    /// As written; empty where there is nothing to write.
    pub written: String,
    /// The notes it hides, by path.
    pub notes: Vec<String>,
    /// It hides nothing, and there is nothing it could hide: perhaps it is misspelt.
    pub matches_nothing: bool,
    /// What stands in the vault and looks much like it.
    pub near: Vec<String>,
}

/// What hides notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// `folders`.
    Folders,
    /// `tags`.
    Tags,
    /// `frontmatter_flag`.
    FrontmatterFlag,
    /// Obsidian's own list.
    ObsidianExcluded,
    /// `strict`.
    Strict,
    /// `default = "private"`.
    Default,
    /// Drawings.
    Drawing,
    /// Files with names that are not known.
    UnknownNames,
    /// Private parts in bytes that can be read in two ways.
    Ambiguous,
    /// Notes that cannot be read at all.
    Unreadable,
}

type RuleKey = (RuleKind, String);

/// The rule that a ground is about.
pub(super) fn rule_of(ground: &Ground) -> RuleKey {
    match ground {
        Ground::Folder { rule, .. } => (RuleKind::Folders, rule.clone()),
        Ground::Excluded { filter, .. } => (RuleKind::ObsidianExcluded, filter.clone()),
        Ground::Tag { rule, .. } => (RuleKind::Tags, rule.clone()),
        Ground::Flag { property, .. } => (RuleKind::FrontmatterFlag, property.clone()),
        Ground::Malformed { .. } => (RuleKind::Strict, String::new()),
        Ground::Ambiguous => (RuleKind::Ambiguous, String::new()),
        Ground::Drawing => (RuleKind::Drawing, String::new()),
        Ground::UnknownNames => (RuleKind::UnknownNames, String::new()),
        Ground::NotAllowed => (RuleKind::Default, String::new()),
    }
}

/// Lists the private notes by rule, and the rules that match nothing.
pub(super) fn list(service: &Service) -> Result<PrivacyList, OpError> {
    owner(service, |session| {
        let unavailable = |error: std::io::Error| vault_unavailable(error.to_string());
        let walk = session.walk().map_err(unavailable)?;
        let folders = session.folder_names().map_err(unavailable)?;
        let notes = look_at_all(session, &walk);
        let mut by_rule: BTreeMap<RuleKey, Vec<String>> =
            configured(session).into_iter().map(|key| (key, Vec::new())).collect();
        for Looked { answer, .. } in &notes {
            let mut keys: Vec<RuleKey> = answer.grounds.iter().map(rule_of).collect();
            keys.extend(answer.refusal.map(|_| (RuleKind::Unreadable, String::new())));
            keys.sort();
            keys.dedup();
            for key in keys {
                by_rule.entry(key).or_default().push(answer.path.clone());
            }
        }
        let vocabulary = Vocabulary::of(&notes, folders);
        let is_public = |looked: &&Looked| looked.answer.public;
        let public_paths = |wanted: fn(&PrivacyAnswer) -> bool| -> Vec<String> {
            let public = notes.iter().filter(is_public).map(|looked| &looked.answer);
            public.filter(|answer| wanted(answer)).map(|answer| answer.path.clone()).collect()
        };
        Ok(PrivacyList {
            notes: notes.len(),
            private: notes.iter().filter(|looked| !looked.answer.public).count(),
            partly_private: public_paths(|answer| !answer.private_parts.is_empty()),
            masked: public_paths(|answer| answer.masked > 0),
            rules: by_rule.into_iter().map(|(key, notes)| vocabulary.rule_use(session, key, notes)).collect(),
        })
    })
}

/// A note, and the words in it that a rule might name.
pub(super) struct Looked {
    pub(super) answer: PrivacyAnswer,
    /// It has properties that cannot be read.
    pub(super) is_malformed: bool,
    /// Title and aliases.
    pub(super) names: Vec<String>,
    tags: Vec<String>,
    properties: Vec<String>,
}

/// Every note of a walk, read and judged on all cores.
pub(super) fn look_at_all(session: &Session<'_>, walk: &Walk) -> Vec<Looked> {
    walk.notes.par_iter().map(|note| look_at(session, &note.path)).collect()
}

fn look_at(session: &Session<'_>, path: &NotePath) -> Looked {
    let document = session.open(path).map(|note| note::parse(note.text())).unwrap_or_default();
    let title = document.title(path.stem()).to_owned();
    let Frontmatter { properties, aliases, malformed, .. } = document.frontmatter;
    Looked {
        answer: answer(session, path),
        is_malformed: malformed,
        names: [vec![title], aliases].concat(),
        tags: document.tags,
        properties: properties.keys().cloned().collect(),
    }
}

/// The rules that name something, which then ought to be there.
fn configured(session: &Session<'_>) -> Vec<RuleKey> {
    let text = session.rule_text();
    let of =
        |kind, rules: &[String]| -> Vec<RuleKey> { rules.iter().map(|rule| (kind, rule.clone())).collect() };
    let mut keys = of(RuleKind::Folders, &text.folders);
    keys.extend(of(RuleKind::Tags, &text.tags));
    keys.extend(text.frontmatter_flag.iter().map(|flag| (RuleKind::FrontmatterFlag, flag.clone())));
    keys.extend(
        session.excluded_filters().into_iter().map(|filter| (RuleKind::ObsidianExcluded, filter.to_owned())),
    );
    if text.default == Standing::Private {
        keys.push((RuleKind::Default, String::new()));
    }
    keys
}

/// All that rules could name.
struct Vocabulary {
    folders: Vec<String>,
    tags: Vec<String>,
    properties: Vec<String>,
}

impl Vocabulary {
    fn of(notes: &[Looked], folders: Vec<String>) -> Vocabulary {
        let distinct = |words: Vec<&String>| -> Vec<String> {
            let mut words: Vec<String> = words.into_iter().cloned().collect();
            words.sort();
            words.dedup();
            words
        };
        Vocabulary {
            folders,
            tags: distinct(notes.iter().flat_map(|looked| &looked.tags).collect()),
            properties: distinct(notes.iter().flat_map(|looked| &looked.properties).collect()),
        }
    }

    fn rule_use(&self, session: &Session<'_>, key: RuleKey, notes: Vec<String>) -> RuleUse {
        let (rule, written) = key;
        let is_about_names = matches!(rule, RuleKind::Folders | RuleKind::Tags | RuleKind::FrontmatterFlag);
        let covers_folder = || self.folders.iter().any(|folder| session.covers(&written, folder));
        let matches_nothing =
            is_about_names && notes.is_empty() && !(rule == RuleKind::Folders && covers_folder());
        let near = match rule {
            RuleKind::Folders => {
                let free = self.folders.iter().filter(|folder| !session.covers(&written, folder));
                near(&written, free.map(|folder| part_to_compare(&written, folder)))
            }
            RuleKind::Tags => {
                let name = fold(written.trim_start_matches('#'));
                let is_below = |tag: &&String| {
                    fold(tag)
                        .strip_prefix(&*name)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                near(&name, self.tags.iter().filter(|tag| !is_below(tag)).map(String::as_str))
            }
            RuleKind::FrontmatterFlag => near(&written, self.properties.iter().map(String::as_str)),
            _ => Vec::new(),
        };
        RuleUse { rule, written, notes, matches_nothing, near }
    }
}

/// A rule with a slash is about a path, one without about a name.
fn part_to_compare<'a>(rule: &str, folder: &'a str) -> &'a str {
    if rule.trim_end_matches(['/', '*']).contains('/') {
        folder
    } else {
        folder.rsplit('/').next().unwrap_or(folder)
    }
}

/// Words that differ from the rule by a slip of the finger or an ending.
fn near<'a>(rule: &str, words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let rule = fold(rule.trim_end_matches(['/', '*']));
    let is_near = |word: &&str| {
        let word = fold(word);
        let distance = strsim::damerau_levenshtein(&rule, &word);
        let allowed = if rule.chars().count() < 5 { 1 } else { 2 };
        distance > 0 && distance <= allowed && rule.chars().count() > 2
    };
    let mut near: Vec<String> = words.filter(is_near).map(str::to_owned).collect();
    near.sort();
    near.dedup();
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_that_differ_by_a_slip() {
        let words = ["jounral", "journals", "Journal", "journey", "diary", "jo", "Jornal"];
        assert_eq!(near("journal/*", words.into_iter()), ["Jornal", "jounral", "journals", "journey"]);
        assert_eq!(near("hr", ["hs", "h"].into_iter()), [""; 0]);
        assert_eq!(part_to_compare("a/b", "a/b/c"), "a/b/c");
        assert_eq!(part_to_compare("b/**", "a/c"), "c");
    }
}
