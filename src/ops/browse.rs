//! The vault folder by folder, each note with what makes it private, for the owner. Nothing here makes a
//! [`crate::reply::Reply`]: no client can ask for it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::error::vault_unavailable;
use super::privacy::{self, PrivacyAnswer, owner};
use super::{OpError, Service};
use crate::vault::{NotePath, PassedOver, Session};

/// Below a folder with more notes than this, private ones are not counted: each has to be read for it.
const MOST_COUNTED: usize = 2_000;

/// What is in a folder.
#[derive(Debug)]
pub struct FolderAnswer {
    /// The folders in it that have notes, by name.
    pub folders: Vec<Subfolder>,
    /// Some of the notes in it, by name.
    pub notes: Vec<PrivacyAnswer>,
    /// Notes that come after these.
    pub more: usize,
    /// What nobody sees though it has the name of a note, and why.
    pub passed_over: Vec<(String, &'static str)>,
}

/// A folder in a folder.
#[derive(Debug)]
pub struct Subfolder {
    /// Vault-relative.
    pub path: String,
    /// Notes below it.
    pub notes: usize,
    /// How many of them are private, if they were counted.
    pub private: Option<usize>,
    /// A rule of `folders` that covers it as a whole, as written.
    pub rule: Option<String>,
}

/// The entries of a folder, `""` for the top; of its notes at most `most`, from number `first` on.
pub(super) fn run(
    service: &Service,
    folder: &str,
    first: usize,
    most: usize,
) -> Result<FolderAnswer, OpError> {
    owner(service, |session| {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        let below: Vec<(&NotePath, &str)> = walk
            .notes
            .iter()
            .filter_map(|note| Some((&note.path, inside(note.path.as_str(), folder)?)))
            .collect();
        let own: Vec<&NotePath> =
            below.iter().filter(|(_, rest)| !rest.contains('/')).map(|(path, _)| *path).collect();
        let shown: Vec<&NotePath> = own.iter().copied().skip(first).take(most).collect();
        let passed_over = walk.passed_over.iter().filter_map(|(name, why)| {
            let is_here = inside(name, folder).is_some_and(|rest| !rest.contains('/'));
            is_here.then(|| (name.clone(), reason(*why)))
        });
        Ok(FolderAnswer {
            folders: subfolders(session, folder, &below),
            more: own.len().saturating_sub(first + shown.len()),
            notes: shown.into_par_iter().map(|path| privacy::answer(session, path)).collect(),
            passed_over: passed_over.collect(),
        })
    })
}

/// What is left of a name behind the folder that it lies in.
fn inside<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    if folder.is_empty() { Some(name) } else { name.strip_prefix(folder)?.strip_prefix('/') }
}

fn subfolders(session: &Session<'_>, folder: &str, below: &[(&NotePath, &str)]) -> Vec<Subfolder> {
    let mut by_name: BTreeMap<&str, Vec<&NotePath>> = BTreeMap::new();
    for (path, rest) in below {
        if let Some((name, _)) = rest.split_once('/') {
            by_name.entry(name).or_default().push(path);
        }
    }
    let is_private = |path: &&&NotePath| !privacy::answer(session, path).public;
    let subfolder = |(name, notes): (&str, Vec<&NotePath>)| {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let counted = notes.len() <= MOST_COUNTED;
        Subfolder {
            notes: notes.len(),
            private: counted.then(|| notes.par_iter().filter(is_private).count()),
            rule: session.rule_text().folders.iter().find(|rule| session.covers(rule, &path)).cloned(),
            path,
        }
    };
    by_name.into_iter().map(subfolder).collect()
}

fn reason(why: PassedOver) -> &'static str {
    match why {
        PassedOver::Private => "it is private",
        PassedOver::Name => "its name cannot be served",
        PassedOver::Link => "it is a symbolic link, which is never followed",
        PassedOver::NotAFile => "it is no regular file",
        PassedOver::Unreadable => "the folder cannot be read",
    }
}
