//! Every name that leads to a file: symbolic links to it or to a folder above it, and hard links.
//! A note is as private as the most private of its names.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, SystemTime};

use rustix::fs::AtFlags;

use super::rules::Rules;
use super::scan::{EntryKind, FileId, FileStat, Folder, Scan, scan};

/// A note with more names than this is private: nobody can oversee them.
const MAX_NAMES: usize = 64;
/// File systems keep time in steps; a folder that changed this shortly before it was read may
/// change again without showing it.
const SETTLING: Duration = Duration::from_millis(100);

/// The links of a vault, as last seen.
#[derive(Debug)]
pub(super) struct LinkMap {
    folders: Vec<Folder>,
    /// `(folder, link)`: all that lies in the folder can also be reached below the link.
    folder_links: Vec<(String, String)>,
    /// Links to a file.
    file_links: HashMap<FileId, Vec<String>>,
    /// Names of the files that have several, by inode.
    shared_inodes: HashMap<u64, Vec<String>>,
    /// No folder changed shortly before it was read.
    settled: bool,
    rules_fingerprint: String,
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
    /// Reads the names of the vault.
    pub(super) fn read(root: BorrowedFd<'_>, rules: &Rules) -> io::Result<LinkMap> {
        let began = SystemTime::now();
        let scan = scan(root, rules)?;
        Ok(LinkMap::from_scan(scan, began, rules))
    }

    fn from_scan(scan: Scan, began: SystemTime, rules: &Rules) -> LinkMap {
        let by_id: HashMap<FileId, &str> =
            scan.folders.iter().map(|folder| (folder.id, &*folder.name)).collect();
        let mut folder_links = Vec::new();
        let mut file_links: HashMap<FileId, Vec<String>> = HashMap::new();
        for entry in &scan.entries {
            let EntryKind::Link(Some(target)) = entry.kind else { continue };
            match by_id.get(&target) {
                Some(folder) => folder_links.push(((*folder).to_owned(), entry.name.clone())),
                None => file_links.entry(target).or_default().push(entry.name.clone()),
            }
        }
        let settled = scan.folders.iter().all(|folder| is_settled(&folder.stat, began));
        let shared_inodes = shared_inodes(&scan);
        let rules_fingerprint = rules.fingerprint().to_owned();
        LinkMap { folders: scan.folders, folder_links, file_links, shared_inodes, settled, rules_fingerprint }
    }

    /// Has no name in the vault changed since?
    pub(super) fn is_current(&self, root: BorrowedFd<'_>, rules: &Rules) -> bool {
        self.settled
            && self.rules_fingerprint == rules.fingerprint()
            && self.folders.iter().all(|folder| {
                let name = if folder.name.is_empty() { "." } else { &folder.name };
                rustix::fs::statat(root, name, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| FileStat::of(&stat) == folder.stat)
            })
    }

    /// All names of the file that was opened as `path`.
    pub(super) fn names(&self, path: &str, id: FileId, hard_links: u64) -> Names {
        let mut names = vec![path.to_owned()];
        if hard_links > 1 {
            match self.shared_inodes.get(&id.1) {
                Some(found) if found.len() as u64 == hard_links && found.iter().any(|name| name == path) => {
                    names.clone_from(found);
                }
                _ => return Names::Uncertain,
            }
        }
        names.extend(self.file_links.get(&id).into_iter().flatten().cloned());
        self.add_names_through_folders(names)
    }

    /// Adds the names below links to a folder, and below links to a folder in such a name, until
    /// there are no more.
    fn add_names_through_folders(&self, mut names: Vec<String>) -> Names {
        let mut seen: HashSet<String> = names.iter().cloned().collect();
        let mut next = 0;
        while next < names.len() {
            for (folder, link) in &self.folder_links {
                let Some(rest) = below(&names[next], folder) else { continue };
                let name = format!("{link}/{rest}");
                if seen.insert(name.clone()) {
                    names.push(name);
                }
                if names.len() > MAX_NAMES {
                    return Names::Uncertain;
                }
            }
            next += 1;
        }
        Names::Known(names)
    }
}

/// The part of `path` below `folder`.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

fn shared_inodes(scan: &Scan) -> HashMap<u64, Vec<String>> {
    let mut names: HashMap<u64, Vec<&str>> = HashMap::new();
    for entry in scan.entries.iter().filter(|entry| entry.kind == EntryKind::File) {
        names.entry(entry.inode).or_default().push(&entry.name);
    }
    names.retain(|_, names| names.len() > 1);
    names.into_iter().map(|(inode, names)| (inode, names.into_iter().map(str::to_owned).collect())).collect()
}

fn is_settled(stat: &FileStat, began: SystemTime) -> bool {
    let changed = SystemTime::UNIX_EPOCH + Duration::from_nanos(stat.changed_ns.max(0).unsigned_abs());
    changed + SETTLING < began
}
