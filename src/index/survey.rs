//! A look at the files of the data folder, for the owner: what lies there that should not, and who
//! could read it. Changes nothing.
#![expect(clippy::disallowed_methods, reason = "it looks at the files of an index, never at notes")]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::store::Store;

/// What lies in a data folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Trees that were never finished, or were set aside as damaged.
    pub leftovers: Vec<PathBuf>,
    /// Files and folders that other users may read or change.
    pub open_to_others: Vec<PathBuf>,
    /// Indexes of other vaults, with their size in bytes: nobody can tell whether those still exist.
    pub other_stores: Vec<(PathBuf, u64)>,
}

/// Looks at the data folder. What cannot be read is left out. `known` are stores of vaults that there are besides.
pub fn survey(data_dir: &Path, own: Option<&Store>, known: &[Store]) -> Survey {
    let mut survey = Survey::default();
    for path in below(data_dir) {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.mode() & 0o077 != 0 {
            survey.open_to_others.push(path.clone());
        }
        let is_leftover = path.extension().is_some_and(|end| end == "building" || end == "damaged");
        if is_leftover && own.is_some_and(|own| path.starts_with(own.folder())) {
            survey.leftovers.push(path);
        }
    }
    for store in names(data_dir).into_iter().filter(|path| path.join("identity").is_file()) {
        if own.into_iter().chain(known).all(|known| known.folder() != store) {
            let sizes = below(&store).into_iter().filter_map(|file| file.symlink_metadata().ok());
            survey.other_stores.push((store, sizes.map(|metadata| metadata.len()).sum()));
        }
    }
    survey
}

/// The folder itself and all below it, in order.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            pending.extend(names(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    names
}
