//! What a text could link to: notes that it names without a link, then notes about the same that it does not link to.
//!
//! Names are looked up in the catalogue and held against the notes that are admitted now. A name that several notes
//! have is proposed for none of them, and each note once.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Asked, Candidate, Found, Parts, Reason, SimilarRequest, search};
use crate::index::Tree;
use crate::note::link::{self};
use crate::note::mention::{self, Run};
use crate::note::{self, fold};
use crate::ops::graph::{Ambiguous, Graph};
use crate::ops::patch::{self, Edit};
use crate::ops::read::LineStarts;
use crate::ops::{OpError, notice};
use crate::vault::{Note, NotePath, Released, Session};

/// Words of a text that are looked up; the rest of a longer one is not.
const MOST_WORDS: usize = 5000;
/// Of a line that is shown.
const LINE_BYTES: usize = 200;

/// A mention and the link for it.
struct Mention<'s> {
    edit: Edit,
    candidate: Released<'s, Candidate>,
}

pub(super) fn find<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
    asked: &Asked<'_, 's>,
    found: &Found<'s>,
    request: &SimilarRequest,
) -> Result<Parts<'s>, OpError> {
    let Some(tree) = tree else {
        let client = notice::LINKS_NEED_INDEX;
        return Err(OpError::Unavailable { client, log: client.to_owned() });
    };
    let linked = linked(session, tree, asked)?;
    let mentions = Names::new(session, tree).mentions(asked, &linked, request.limit)?;
    let mut is_cut = false;
    let mut edits: Vec<Edit> = mentions.iter().map(|mention| mention.edit.clone()).collect();
    let mut patch = asked.note.map(|_| patch::unified(asked.path(), asked.text, &edits));
    // Half of the answer is for the evidence.
    while patch.as_ref().is_some_and(|patch| patch.len() > request.max_bytes / 2) {
        is_cut = edits.pop().is_some();
        patch = asked.note.map(|_| patch::unified(asked.path(), asked.text, &edits));
    }
    let patch = asked.note.zip(patch.filter(|patch| !patch.is_empty()));
    let patch = patch.map(|(note, patch)| session.release(note, patch));
    let mut candidates: Vec<Released<'s, Candidate>> =
        mentions.into_iter().map(|mention| mention.candidate).collect();
    let named: HashSet<String> = candidates.iter().map(|one| one.get().path.clone()).collect();
    let is_new =
        |one: &Released<'s, Candidate>| !named.contains(&one.get().path) && !linked.contains(&one.get().path);
    candidates.extend(found.related(session).into_iter().filter(is_new));
    Ok(Parts { patch: session.gather(patch.into_iter().collect()), is_cut, ..Parts::of(session, candidates) })
}

/// Paths of the notes that the text links to already.
fn linked<'s>(session: &Session<'s>, tree: &Tree, asked: &Asked<'_, 's>) -> Result<HashSet<String>, OpError> {
    let graph = Graph { session, tree, ambiguous: Ambiguous::AsInObsidian, most_each_way: usize::MAX };
    let Some(note) = asked.note else { return Ok(HashSet::new()) };
    Ok(graph.outgoing(note, |note| note.path().as_str().to_owned())?.notes.into_iter().collect())
}

/// Names of notes that may be seen.
struct Names<'a, 's> {
    session: &'a Session<'s>,
    tree: &'a Tree,
    /// What was looked up before.
    known: HashMap<String, Option<String>>,
    notes: BTreeMap<String, Note<'s>>,
}

impl<'a, 's> Names<'a, 's> {
    fn new(session: &'a Session<'s>, tree: &'a Tree) -> Names<'a, 's> {
        Names { session, tree, known: HashMap::new(), notes: BTreeMap::new() }
    }

    /// The first mention of each note, in order, the longest names first where they begin together.
    fn mentions(
        mut self,
        asked: &Asked<'_, 's>,
        linked: &HashSet<String>,
        limit: usize,
    ) -> Result<Vec<Mention<'s>>, OpError> {
        let mut mentions: Vec<Mention<'s>> = Vec::new();
        let mut done: HashSet<String> = linked.clone();
        done.insert(asked.path().to_owned());
        let mut end = 0;
        for runs in mention::runs(asked.text, &asked.cut.document).take(MOST_WORDS) {
            if mentions.len() >= limit {
                break;
            }
            for run in runs.iter().filter(|run| run.range.start >= end) {
                let Some(path) = self.named(&run.key)? else { continue };
                end = run.range.end;
                if done.insert(path.clone()) {
                    mentions.extend(self.mention(asked, run, &path)?);
                }
                break;
            }
        }
        Ok(mentions)
    }

    /// The path of the one note that has this name now.
    fn named(&mut self, key: &str) -> Result<Option<String>, OpError> {
        if let Some(known) = self.known.get(key) {
            return Ok(known.clone());
        }
        let entries = [
            self.tree.notes_by_name_key(key)?,
            self.tree.notes_by_title_key(key)?,
            self.tree.notes_by_alias_key(key)?,
        ];
        let mut paths: Vec<String> = entries.into_iter().flatten().map(|entry| entry.path).collect();
        paths.sort();
        paths.dedup();
        let mut named =
            paths.into_iter().filter(|path| self.open(path).is_some_and(|note| is_named(note, key)));
        // A second one is enough to know that the name means none.
        let named = named.next().filter(|_| named.next().is_none());
        self.known.insert(key.to_owned(), named.clone());
        Ok(named)
    }

    fn open(&mut self, path: &str) -> Option<&Note<'s>> {
        if !self.notes.contains_key(path) {
            let note = self.session.open(&NotePath::parse(path).ok()?).ok()?;
            self.notes.insert(path.to_owned(), note);
        }
        self.notes.get(path)
    }

    fn mention(
        &mut self,
        asked: &Asked<'_, 's>,
        run: &Run,
        path: &str,
    ) -> Result<Option<Mention<'s>>, OpError> {
        let Some(target) = self.target(path)? else { return Ok(None) };
        let Some(note) = self.notes.get(path) else { return Ok(None) };
        let shown = &asked.text[run.range.clone()];
        let link = if target == shown { format!("[[{target}]]") } else { format!("[[{target}|{shown}]]") };
        let title = note::parse(note.text()).title(note.path().stem()).to_owned();
        let (number, text) = line_of(asked.text, run.range.start);
        let document = &asked.cut.document;
        let above = document.headings.iter().rfind(|heading| heading.section.contains(&run.range.start));
        let heading_path: Vec<String> =
            above.map(|heading| search::shortened(&heading.text)).into_iter().collect();
        let candidate = Candidate {
            path: path.to_owned(),
            title: search::shortened(&title),
            reason: Reason::Mention,
            score: 1.0,
            citation: asked.note.map(|note| search::citation(note.path().as_str(), &heading_path)),
            line_start: number,
            line_end: number,
            text,
            link: Some(link.clone()),
        };
        let edit = Edit { range: run.range.clone(), by: link };
        let candidate = self.session.release(note, candidate);
        // The evidence is a line of the note that was asked for, if it is one.
        let candidate = match asked.note {
            Some(own) => candidate.with(self.session.release(own, ())).map(|(candidate, ())| candidate),
            None => candidate,
        };
        Ok(Some(Mention { edit, candidate }))
    }

    /// What a wikilink to the note says: its file name, or its path where others have that name; none where a link
    /// could not hold it.
    fn target(&mut self, path: &str) -> Result<Option<String>, OpError> {
        let whole = path.strip_suffix(".md").unwrap_or(path);
        let stem = whole.rsplit('/').next().unwrap_or(whole).to_owned();
        let others = self.tree.notes_by_name_key(&link::name_key(path))?;
        let is_only = others.iter().all(|other| other.path == path || self.open(&other.path).is_none());
        let target = if is_only { stem } else { whole.to_owned() };
        Ok((!target.contains(['[', ']', '#', '^', '|'])).then_some(target))
    }
}

fn is_named(note: &Note<'_>, key: &str) -> bool {
    let document = note::parse(note.text());
    let stem = note.path().stem();
    fold(stem) == key
        || fold(document.title(stem)) == key
        || document.frontmatter.aliases.iter().any(|alias| fold(alias) == key)
}

/// The line in which a byte stands, from 1, and its text, cut around it if it is long.
fn line_of(text: &str, at: usize) -> (u32, String) {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    let from = text.ceil_char_boundary(at.saturating_sub(LINE_BYTES / 2).max(start));
    let to = text.floor_char_boundary((from + LINE_BYTES).min(end)).max(from);
    (LineStarts::new(text).line_of(at), text[from..to].trim().to_owned())
}
