//! Every name that leads to a file: symbolic links to it or to a folder above it, hard links, and
//! folders that show up in two places. A note is as private as the most private of its names.
//!
//! Not covered, because it cannot be known without reading what is not the vault's: a link to a
//! folder outside that in turn holds a link back into the vault.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Mode};

use super::fold::fold;
use super::resolve::FOLDER_FLAGS;
use super::rules::Rules;
use super::scan::{EntryKind, FileId, FileStat, Folder, Scan, file_id, link_target, scan};

/// A note with more names than this is private: nobody can oversee them.
const MAX_NAMES: usize = 64;
/// File systems keep time in steps; a folder that changed this shortly before it was read may
/// change again without showing it.
const SETTLING: Duration = Duration::from_millis(100);
/// The same where times come in whole seconds, or in pairs of them.
const COARSE_SETTLING: Duration = Duration::from_millis(2_500);
/// Names that keep changing while they are read are read again, but not for ever.
const READ_TRIES: usize = 3;

/// The links of a vault, as last seen.
#[derive(Debug)]
pub(super) struct LinkMap {
    folders: Vec<Folder>,
    /// Every link, by its name on disk, with what it led to.
    targets: Vec<(Vec<u8>, Option<FileId>)>,
    /// Folded name of a folder -> links to it: all that lies in the folder can also be reached
    /// below the link.
    folder_links: HashMap<String, Vec<FolderLink>>,
    /// Links to a file.
    file_links: HashMap<FileId, Vec<String>>,
    /// Names of the files that have several.
    hard_links: HashMap<FileId, Vec<String>>,
    /// No folder changed shortly before it was read.
    is_settled: bool,
    rules_fingerprint: String,
}

#[derive(Debug)]
struct FolderLink {
    number: usize,
    name: String,
}

/// What the names of a note say about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// All of them, the one it was opened by included.
    Known(Vec<String>),
    /// Too many, or some outside the vault.
    Uncertain,
}

impl LinkMap {
    /// Reads the names of the vault that was opened at `vault`; they come along, but for the folders.
    pub(super) fn read(root: BorrowedFd<'_>, vault: &Path, rules: &Rules) -> io::Result<(LinkMap, Scan)> {
        let (mut links, mut names) = LinkMap::read_once(root, vault, rules)?;
        // A link that moves from a folder not read yet to one already read would be missed.
        for _ in 1..READ_TRIES {
            if links.is_unchanged(root) {
                break;
            }
            (links, names) = LinkMap::read_once(root, vault, rules)?;
        }
        Ok((links, names))
    }

    fn read_once(root: BorrowedFd<'_>, vault: &Path, rules: &Rules) -> io::Result<(LinkMap, Scan)> {
        let began = SystemTime::now();
        let mut scan = scan(root, rules)?;
        let folder_links = FolderLinks::of(&scan, folders_above(root, vault));
        let links = LinkMap {
            is_settled: scan.folders.iter().all(|folder| is_settled(&folder.stat, began)),
            file_links: file_links(&scan),
            hard_links: hard_links(&scan),
            targets: links(&scan).map(|(_, raw, target)| (raw.to_owned(), target)).collect(),
            folder_links: folder_links.links,
            folders: std::mem::take(&mut scan.folders),
            rules_fingerprint: rules.fingerprint().to_owned(),
        };
        Ok((links, scan))
    }

    /// Has no name in the vault changed since?
    pub(super) fn is_current(&self, root: BorrowedFd<'_>, rules: &Rules) -> bool {
        self.is_settled && self.rules_fingerprint == rules.fingerprint() && self.is_unchanged(root)
    }

    /// What a link leads to may change outside the vault or in a hidden folder, so links are
    /// followed again.
    fn is_unchanged(&self, root: BorrowedFd<'_>) -> bool {
        let is_same = |folder: &Folder| {
            rustix::fs::statat(root, &*folder.raw, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileStat::of(&stat) == folder.stat)
        };
        self.folders.iter().all(is_same)
            && self.targets.iter().all(|(raw, target)| link_target(root, &**raw) == *target)
    }

    /// All names of the file that was opened as `path` and has `link_count` hard links.
    pub(super) fn names(&self, path: &str, id: FileId, link_count: u64) -> Names {
        let mut names = match self.hard_links.get(&id) {
            None if link_count <= 1 => vec![path.to_owned()],
            Some(found) if is_complete(found, path, link_count) => found.clone(),
            _ => return Names::Uncertain,
        };
        names.extend(self.file_links.get(&id).into_iter().flatten().cloned());
        self.add_names_through_folders(names)
    }

    /// Adds the names below links to a folder, and below links to a folder in such a name, until
    /// there are no more. No name goes through the same link twice: a link to a folder above
    /// itself would give names without end.
    fn add_names_through_folders(&self, names: Vec<String>) -> Names {
        if self.folder_links.is_empty() {
            return Names::Known(names);
        }
        let mut seen: HashSet<String> = names.iter().cloned().collect();
        let mut reached: Vec<(String, Vec<usize>)> =
            names.into_iter().map(|name| (name, Vec::new())).collect();
        let mut next = 0;
        while next < reached.len() {
            let (name, through) = reached[next].clone();
            for (link, rest) in self.links_above(&name) {
                let through = [through.as_slice(), &[link.number]].concat();
                let name = format!("{}/{rest}", link.name);
                if !through[..through.len() - 1].contains(&link.number) && seen.insert(name.clone()) {
                    reached.push((name, through));
                }
            }
            if reached.len() > MAX_NAMES {
                return Names::Uncertain;
            }
            next += 1;
        }
        Names::Known(reached.into_iter().map(|(name, _)| name).collect())
    }

    /// The links to the folders that a name lies in, each with the part of the name below it.
    fn links_above<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a FolderLink, &'a str)> {
        let below_folders = name.match_indices('/').map(|(at, _)| (&name[..at], &name[at + 1..]));
        std::iter::once(("", name)).chain(below_folders).flat_map(|(folder, rest)| {
            self.folder_links.get(&folder_key(folder)).into_iter().flatten().map(move |link| (link, rest))
        })
    }
}

/// A file system may find a folder by another spelling of its name than the one it stores.
fn folder_key(folder: &str) -> String {
    folder.split('/').map(fold).collect::<Vec<_>>().join("/")
}

/// Are these all the names of a file, `path` among them? A file system that does not count links
/// says there is one.
fn is_complete(found: &[String], path: &str, link_count: u64) -> bool {
    (link_count <= 1 || found.len() as u64 == link_count) && found.iter().any(|name| name == path)
}

/// `(name, name on disk, target)` of every link.
fn links(scan: &Scan) -> impl Iterator<Item = (&str, &[u8], Option<FileId>)> {
    scan.entries.iter().filter_map(|entry| match entry.kind {
        EntryKind::Link(target) => Some((&*entry.name, &*entry.raw, target)),
        _ => None,
    })
}

fn file_links(scan: &Scan) -> HashMap<FileId, Vec<String>> {
    let mut names: HashMap<FileId, Vec<String>> = HashMap::new();
    for (name, _, target) in links(scan) {
        if let Some(target) = target {
            names.entry(target).or_default().push(name.to_owned());
        }
    }
    names
}

fn hard_links(scan: &Scan) -> HashMap<FileId, Vec<String>> {
    let mut names: HashMap<FileId, Vec<&str>> = HashMap::new();
    for entry in &scan.entries {
        if let EntryKind::File(id, _) = entry.kind {
            names.entry(id).or_default().push(&entry.name);
        }
    }
    names.retain(|_, names| names.len() > 1);
    names.into_iter().map(|(id, names)| (id, names.into_iter().map(str::to_owned).collect())).collect()
}

/// Collects the links to folders.
#[derive(Default)]
struct FolderLinks {
    links: HashMap<String, Vec<FolderLink>>,
    count: usize,
}

impl FolderLinks {
    fn of(scan: &Scan, above: Vec<(FileId, String)>) -> FolderLinks {
        let mut places: HashMap<FileId, Vec<&str>> = HashMap::new();
        for folder in &scan.folders {
            places.entry(folder.id).or_default().push(&folder.name);
        }
        let above: HashMap<FileId, String> = above.into_iter().collect();
        let mut found = FolderLinks::default();
        for (name, _, target) in links(scan) {
            let Some(target) = target else { continue };
            for folder in places.get(&target).into_iter().flatten() {
                found.add(folder, name.to_owned());
            }
            if let Some(way_down) = above.get(&target) {
                found.add("", format!("{name}/{way_down}"));
            }
        }
        // One folder in two places: mounted there, or linked hard where that is possible.
        for same in places.values().filter(|same| same.len() > 1) {
            for (folder, other) in
                same.iter().flat_map(|folder| same.iter().map(move |other| (folder, other)))
            {
                if folder != other {
                    found.add(folder, (*other).to_owned());
                }
            }
        }
        found
    }

    fn add(&mut self, folder: &str, name: String) {
        let link = FolderLink { number: self.count, name };
        self.count += 1;
        self.links.entry(folder_key(folder)).or_default().push(link);
    }
}

/// The folders that the vault lies in, each with the way down from it to the vault: a link to one
/// of them leads to every note.
fn folders_above(root: BorrowedFd<'_>, vault: &Path) -> Vec<(FileId, String)> {
    let mut above = Vec::new();
    let mut way_down = String::new();
    let mut here: Option<OwnedFd> = None;
    for component in vault.components().rev() {
        let Component::Normal(own_name) = component else { break };
        let below = here.as_ref().map_or(root, AsFd::as_fd);
        let Ok(parent) = rustix::fs::openat(below, "..", FOLDER_FLAGS, Mode::empty()) else { break };
        let Ok(stat) = rustix::fs::fstat(&parent) else { break };
        let own_name = own_name.to_string_lossy();
        way_down = if way_down.is_empty() { own_name.into_owned() } else { format!("{own_name}/{way_down}") };
        above.push((file_id(&stat), way_down.clone()));
        here = Some(parent);
    }
    above
}

fn is_settled(stat: &FileStat, began: SystemTime) -> bool {
    let settling = if stat.has_coarse_times() { COARSE_SETTLING } else { SETTLING };
    stat.changed() + settling < began
}
