//! What there is and what the tree knows -> what to do. A pure function.

use std::collections::HashMap;

use crate::index::NoteEntry;
use crate::vault::{FileStat, Listed, NotePath};

/// The work of a run.
#[derive(Debug, Default)]
pub struct Plan {
    /// Notes to read: new, or changed by their looks.
    pub read: Vec<Candidate>,
    /// Notes of the tree that the walk no longer shows.
    pub gone: Vec<NoteEntry>,
    /// Notes that look the same as when they were indexed.
    pub unchanged: usize,
}

/// A note to read.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub path: NotePath,
    /// What the tree knows of it.
    pub known: Option<NoteEntry>,
}

/// Does every note have to be judged again?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// A note that looks the same is the same.
    Looks,
    /// The rules changed: every note is read.
    Nothing,
}

/// Compares the walk with the tree.
pub fn plan(walked: &[Listed], indexed: Vec<NoteEntry>, trust: Trust) -> Plan {
    let mut known: HashMap<String, NoteEntry> =
        indexed.into_iter().map(|note| (note.path.clone(), note)).collect();
    let mut plan = Plan::default();
    for Listed { path, stat } in walked {
        let known = known.remove(path.as_str());
        if trust == Trust::Looks && known.as_ref().is_some_and(|known| looks_same(&known.stat, stat)) {
            plan.unchanged += 1;
        } else {
            plan.read.push(Candidate { path: path.clone(), known });
        }
    }
    plan.gone = known.into_values().collect();
    plan.gone.sort_by(|a, b| a.path.cmp(&b.path));
    plan
}

fn looks_same(known: &FileStat, seen: &FileStat) -> bool {
    known == seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(size: u64, changed_ns: i64) -> FileStat {
        FileStat { size, modified_ns: 0, changed_ns, inode: 1 }
    }

    fn listed(path: &str, stat: FileStat) -> Listed {
        Listed { path: NotePath::parse(path).unwrap(), stat }
    }

    fn indexed(path: &str, stat: FileStat) -> NoteEntry {
        NoteEntry { id: 1, path: path.to_owned(), stat, hash: [0; 16] }
    }

    #[test]
    fn only_what_changed_by_its_looks_is_read() {
        let walked =
            [listed("new.md", stat(1, 1)), listed("same.md", stat(1, 1)), listed("touched.md", stat(1, 2))];
        let tree = vec![
            indexed("gone.md", stat(1, 1)),
            indexed("same.md", stat(1, 1)),
            indexed("touched.md", stat(1, 1)),
        ];
        let plan = super::plan(&walked, tree.clone(), Trust::Looks);
        let read: Vec<_> = plan.read.iter().map(|note| (note.path.as_str(), note.known.is_some())).collect();
        assert_eq!(read, [("new.md", false), ("touched.md", true)]);
        assert_eq!(plan.gone.iter().map(|note| &*note.path).collect::<Vec<_>>(), ["gone.md"]);
        assert_eq!(plan.unchanged, 1);
        assert_eq!(super::plan(&walked, tree, Trust::Nothing).read.len(), 3);
    }
}
