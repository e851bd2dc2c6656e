//! Guide: how the owner keeps this vault. What they wrote about it at its top (`README.md`, `Folders.md`, `Tags.md`),
//! and where they wrote nothing, what the notes themselves show: folders, tags and the notes with most links.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::census::{self, Facts, Resolver};
use super::names;
use super::read::LineStarts;
use super::search::shortened;
use super::shown::{Shown, Shows};
use super::tags::{TagCount, count};
use super::{Caller, OpError, Service};
use crate::index::Tree;
use crate::note::{self, fold};
use crate::reply::Reply;
use crate::vault::{Note, Session};

/// A guide as asked.
#[derive(Debug, Clone)]
pub struct GuideRequest {
    /// Upper bound of the texts of notes in the answer, in bytes.
    pub max_bytes: usize,
}

impl Default for GuideRequest {
    fn default() -> Self {
        GuideRequest { max_bytes: 16 * 1024 }
    }
}

/// A note of the owner's about the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuideNote {
    /// Vault-relative path.
    pub path: String,
    /// Its text, or the beginning of it.
    pub text: String,
    /// First and last line of the whole text in the note; for the account of what was shown, not part of the answer.
    #[serde(skip)]
    pub lines: (u32, u32),
}

/// A folder and its notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FolderCount {
    /// Vault-relative path.
    pub folder: String,
    /// Notes in it and below it.
    pub notes: usize,
}

/// A note with many links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hub {
    /// Vault-relative path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Notes it links to or is linked from.
    pub links: usize,
}

/// What there is to know before looking for anything.
#[derive(Debug, Clone, Serialize)]
pub struct GuideAnswer {
    /// What the owner wrote about the vault.
    pub guides: Vec<GuideNote>,
    /// Folders of the two upper levels, in order; unless `Folders.md` says it.
    pub folders: Vec<FolderCount>,
    /// The tags with most notes; unless `Tags.md` says it.
    pub tags: Vec<TagCount>,
    /// The notes with most links; unless `README.md` says it.
    pub hubs: Vec<Hub>,
    /// More is there than is shown.
    pub truncated: bool,
}

impl Shows for GuideAnswer {
    fn tell(&self, shown: &mut Shown) {
        self.guides.iter().for_each(|guide| shown.lines(&guide.path, guide.lines.0, guide.lines.1));
        self.hubs.iter().for_each(|hub| shown.name(&hub.path));
    }
}

/// The owner's notes about the vault, by importance.
const GUIDES: [&str; 3] = ["README.md", "Folders.md", "Tags.md"];
const MOST_FOLDERS: usize = 60;
const MOST_TAGS: usize = 60;
const MOST_HUBS: usize = 12;

pub(super) fn run(
    service: &Service,
    request: &GuideRequest,
    caller: &Caller<'_>,
) -> Result<Reply<GuideAnswer>, OpError> {
    service.request(caller, |session, tree| {
        let mut guides = Vec::new();
        for name in GUIDES {
            if let Some(note) = at_the_top(session, tree, name)? {
                guides.push(session.release(&note, (name, guide(&note))));
            }
        }
        let written: Vec<&str> = guides.iter().map(|guide| guide.get().0).collect();
        let shown = if written.len() == GUIDES.len() {
            session.gather(Vec::new()).map(|_: Vec<()>| Overview::default())
        } else {
            census::take(session, tree)?.map(|facts| overview(&facts, &written))
        };
        let guides = session.gather(guides);
        Ok(Reply::new(guides.with(shown).map(|(guides, overview)| {
            let mut guides: Vec<GuideNote> = guides.into_iter().map(|(_, guide)| guide).collect();
            let truncated = fit(&mut guides, request.max_bytes) || overview.is_cut;
            let Overview { folders, tags, hubs, .. } = overview;
            GuideAnswer { guides, folders, tags, hubs, truncated }
        })))
    })
}

fn at_the_top<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
    name: &str,
) -> Result<Option<Note<'s>>, OpError> {
    match names::open(session, tree, name) {
        Ok(note) => Ok(Some(note).filter(|note| fold(note.path().as_str()) == fold(name))),
        Err(OpError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

fn guide(note: &Note<'_>) -> GuideNote {
    let (text, document) = (note.text(), note::parse(note.text()));
    let starts = LineStarts::new(text);
    let lines = (starts.line_of(document.body_start), starts.line_of(text.len().saturating_sub(1)));
    let text = note::chunk::visible_text(text, &document, document.body_start..text.len());
    GuideNote { path: note.path().as_str().to_owned(), text, lines }
}

/// What the notes show.
#[derive(Default)]
struct Overview {
    folders: Vec<FolderCount>,
    tags: Vec<TagCount>,
    hubs: Vec<Hub>,
    is_cut: bool,
}

fn overview(facts: &[Facts], written: &[&str]) -> Overview {
    let is_open = |name: &str| !written.contains(&name);
    let mut overview = Overview::default();
    if is_open("Folders.md") {
        overview.folders = folders(facts);
    }
    if is_open("Tags.md") {
        let of_notes: Vec<Vec<String>> = facts.iter().map(|note| note.tags.clone()).collect();
        overview.tags = count(&of_notes, "");
        overview.tags.sort_by_key(|tag| std::cmp::Reverse(tag.notes));
        overview.tags.iter_mut().for_each(|tag| tag.tag = shortened(&tag.tag));
    }
    if is_open("README.md") {
        overview.hubs = hubs(facts);
    }
    overview.is_cut = overview.folders.len() > MOST_FOLDERS || overview.tags.len() > MOST_TAGS;
    overview.folders.truncate(MOST_FOLDERS);
    overview.tags.truncate(MOST_TAGS);
    overview
}

fn folders(facts: &[Facts]) -> Vec<FolderCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for note in facts {
        for (end, _) in note.path.match_indices('/').take(2) {
            *counts.entry(&note.path[..end]).or_default() += 1;
        }
    }
    counts.into_iter().map(|(folder, notes)| FolderCount { folder: folder.to_owned(), notes }).collect()
}

fn hubs(facts: &[Facts]) -> Vec<Hub> {
    let degrees: HashMap<usize, usize> = Resolver::new(facts).degrees().into_iter().enumerate().collect();
    let mut linked: Vec<usize> = (0..facts.len()).filter(|index| degrees[index] > 1).collect();
    // A stable sort: of several with as many links, in order of path.
    linked.sort_by_key(|index| std::cmp::Reverse(degrees[index]));
    linked
        .into_iter()
        .take(MOST_HUBS)
        .map(|index| Hub {
            path: facts[index].path.clone(),
            title: shortened(&facts[index].title),
            links: degrees[&index],
        })
        .collect()
}

/// Cuts texts, the last ones first. Tells whether it cut.
fn fit(guides: &mut Vec<GuideNote>, max_bytes: usize) -> bool {
    let mut left = max_bytes;
    let mut is_cut = false;
    for guide in guides.iter_mut() {
        let end = guide.text.floor_char_boundary(left);
        left = if end < guide.text.len() { 0 } else { left - end };
        is_cut |= end < guide.text.len();
        guide.text.truncate(end);
    }
    guides.retain(|guide| !guide.text.is_empty());
    is_cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_wrote_is_counted() {
        let facts: Vec<Facts> = [
            ("Home.md", "[[Boat]] [[Mast]] #wood"),
            ("a/Boat.md", "[[Mast]] #wood #oak/old"),
            ("a/b/Mast.md", ""),
            ("a/b/c/Sail.md", "#oak"),
        ]
        .iter()
        .map(|(path, text)| {
            let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
            Facts::read(path, stem, text)
        })
        .collect();
        let shown = overview(&facts, &[]);
        let folders: Vec<_> = shown.folders.iter().map(|one| (&*one.folder, one.notes)).collect();
        assert_eq!(folders, [("a", 3), ("a/b", 2)]);
        let tags: Vec<_> = shown.tags.iter().map(|one| (&*one.tag, one.notes)).collect();
        assert_eq!(tags, [("oak", 2), ("wood", 2), ("oak/old", 1)]);
        let hubs: Vec<_> = shown.hubs.iter().map(|one| (&*one.path, one.links)).collect();
        assert_eq!(hubs, [("Home.md", 2), ("a/Boat.md", 2), ("a/b/Mast.md", 2)]);
        let shown = overview(&facts, &["Folders.md", "Tags.md", "README.md"]);
        assert!(shown.folders.is_empty() && shown.tags.is_empty() && shown.hubs.is_empty());
    }

    #[test]
    fn texts_fit() {
        let guide = |text: &str| GuideNote { path: "x.md".to_owned(), text: text.to_owned(), lines: (1, 1) };
        let mut guides = vec![guide("aaaa"), guide("bébé"), guide("cccc")];
        assert!(fit(&mut guides, 6));
        assert_eq!(guides, [guide("aaaa"), guide("b")]);
        assert!(!fit(&mut guides, 6));
    }
}
