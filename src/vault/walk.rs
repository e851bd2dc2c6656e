//! The notes of a vault that a session may see by their names; their content is judged when they
//! are opened.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::AtFlags;

use super::gate::Session;
use super::path::{self, NotePath};
use super::scan::{Entry, EntryKind, FileStat, Problem, scan};

/// A note by its name.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its name.
    pub path: NotePath,
    /// What is known without reading it.
    pub stat: FileStat,
}

/// Why a file with a note's name, or a folder, is passed over. For the owner's terminal only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedOver {
    /// A folder rule.
    Private,
    /// A name that cannot be served.
    Name,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    NotAFile,
    /// A folder that cannot be read.
    Unreadable,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walk {
    /// Notes, ordered by name.
    pub notes: Vec<Listed>,
    /// Names passed over, with the reason.
    pub passed_over: Vec<(String, PassedOver)>,
}

impl Session<'_> {
    /// Walks the vault.
    pub fn walk(&self) -> io::Result<Walk> {
        let names = scan(self.vault.root_fd(), &self.rules)?;
        let mut walk = Walk::default();
        for (name, problem) in names.problems {
            walk.passed_over.push((name, passed_over(problem)));
        }
        for entry in names.entries.into_iter().filter(|entry| path::is_markdown(&entry.name)) {
            match self.list(&entry) {
                Ok(Some(listed)) => walk.notes.push(listed),
                Ok(None) => {}
                Err(reason) => walk.passed_over.push((entry.name, reason)),
            }
        }
        walk.notes.sort_by(|a, b| a.path.cmp(&b.path));
        walk.passed_over.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(walk)
    }

    /// `None` for a note that is gone already.
    fn list(&self, entry: &Entry) -> Result<Option<Listed>, PassedOver> {
        match entry.kind {
            EntryKind::Link(_) => return Err(PassedOver::Link),
            EntryKind::Other => return Err(PassedOver::NotAFile),
            EntryKind::File => {}
        }
        let path = NotePath::parse(&entry.name).map_err(|_| PassedOver::Name)?;
        if self.profile() == super::Profile::Public && self.rules.hides_note(&path) {
            return Err(PassedOver::Private);
        }
        let stat = rustix::fs::statat(self.vault.root_fd(), path.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        Ok(stat.ok().map(|stat| Listed { path, stat: FileStat::of(&stat) }))
    }
}

fn passed_over(problem: Problem) -> PassedOver {
    match problem {
        Problem::Name => PassedOver::Name,
        Problem::Unreadable => PassedOver::Unreadable,
    }
}

impl super::gate::Vault {
    fn root_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.root.as_fd()
    }
}
