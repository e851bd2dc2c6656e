//! The notes of a vault that a session may see by their names; their content is judged when they
//! are opened.

use std::io;
use std::os::fd::AsFd;

use super::Profile;
use super::gate::Session;
use super::path::{self, NotePath};
use super::scan::{Entry, EntryKind, FileStat, Problem};

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
    /// Is there nothing at all in the vault's root, not even a hidden file? A vault that is not mounted
    /// looks like that.
    pub fn is_bare(&self) -> io::Result<bool> {
        for entry in rustix::fs::Dir::read_from(self.vault.root_fd())? {
            if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Is there any note that this profile may see? Takes the longer the more notes it may not.
    pub fn has_notes(&self) -> io::Result<bool> {
        Ok(self.walk()?.notes.iter().any(|note| self.open(&note.path).is_ok()))
    }

    /// Walks the vault.
    pub fn walk(&self) -> io::Result<Walk> {
        let names = self.scan()?;
        let mut walk = Walk::default();
        for (name, problem) in names.problems {
            walk.passed_over.push((name, passed_over(problem)));
        }
        let is_note = |entry: &Entry| entry.is_exact() && path::is_markdown(&entry.name);
        for entry in names.entries.into_iter().filter(is_note) {
            match self.list(&entry) {
                Ok(listed) => walk.notes.push(listed),
                Err(reason) => walk.passed_over.push((entry.name, reason)),
            }
        }
        walk.notes.sort_by(|a, b| a.path.cmp(&b.path));
        walk.passed_over.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(walk)
    }

    fn list(&self, entry: &Entry) -> Result<Listed, PassedOver> {
        let (id, stat) = match entry.kind {
            EntryKind::Link(_) => return Err(PassedOver::Link),
            EntryKind::Other => return Err(PassedOver::NotAFile),
            EntryKind::File(id, stat) => (id, stat),
        };
        let path = NotePath::parse(&entry.name).map_err(|_| PassedOver::Name)?;
        // A link that leads to the note changes nothing of its file. (A hard link does; whoever reads
        // the note then finds it.)
        let is_private = || self.rules.hides_note(&path) || !self.names_are_public(&path, id, 1);
        if self.profile() == Profile::Public && is_private() {
            return Err(PassedOver::Private);
        }
        Ok(Listed { path, stat })
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
