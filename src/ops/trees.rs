//! Open trees, kept between requests. A newer generation, or another file in its place, is noticed on the
//! next request.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::vault_unavailable;
use super::{OpError, notice};
use crate::failpoint::{self, Failpoint};
use crate::index::{FileIdentity, Filter, IndexError, Store, Tree, VectorCache};
use crate::vault::{NotePath, Profile, Session};

/// The trees of one profile, open for reading.
pub(super) struct Trees {
    data_dir: PathBuf,
    vault: PathBuf,
    profile: Profile,
    idle: Mutex<Vec<(Place, Tree)>>,
    /// The vectors of the newest file.
    vectors: Mutex<Option<(Place, Arc<VectorCache>)>>,
}

/// Where a tree was opened: the path, and which file that was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    path: PathBuf,
    file: FileIdentity,
}

impl Trees {
    pub(super) fn new(data_dir: PathBuf, vault: PathBuf, profile: Profile) -> Trees {
        Trees { data_dir, vault, profile, idle: Mutex::default(), vectors: Mutex::default() }
    }

    /// Runs with the current tree, `None` where there is none this version can read.
    pub(super) fn with_tree<R>(
        &self,
        run: impl FnOnce(Option<&Tree>) -> Result<R, OpError>,
    ) -> Result<R, OpError> {
        let Some((place, mut tree)) = self.take()? else { return run(None) };
        tree.refresh_header()?;
        // What was kept while the vault showed no notes counts again from the next run on: a tree that lost its
        // last note to the wall has nothing to show before that either.
        let emptied = if tree.is_kept()? { Some(tree.emptied()?) } else { None };
        let snapshot = emptied.as_ref().unwrap_or(&tree).snapshot(|tree| Ok(run(Some(tree))));
        let answer = snapshot?;
        if tree.follows_changes() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((place, tree));
        }
        answer
    }

    fn take(&self) -> Result<Option<(Place, Tree)>, IndexError> {
        let Some(store) = Store::find(&self.data_dir, &self.vault)? else { return Ok(None) };
        if failpoint::is_on(Failpoint::OpenFullTree)
            && let Some(full) = store.current(Profile::Full)?
        {
            let _ = Tree::open(&full, Profile::Full, store.vault_id());
        }
        let mut current = store.current(self.profile)?;
        while let Some(path) = current {
            let opened = self.open(&path, &store);
            match opened {
                Ok(open) => return Ok(Some(open)),
                // Built anew by the next run; until then it is as good as none.
                Err(IndexError::OtherFormat { .. }) => return Ok(None),
                Err(error) => {
                    // A run may have replaced it after the look at its name.
                    current = store.current(self.profile)?;
                    if current.as_ref() == Some(&path) {
                        return Err(error);
                    }
                }
            }
        }
        Ok(None)
    }

    fn open(&self, path: &Path, store: &Store) -> Result<(Place, Tree), IndexError> {
        let place = Place { path: path.to_owned(), file: FileIdentity::of(path)? };
        if let Some(open) = self.take_idle(&place) {
            return Ok(open);
        }
        let mut tree = Tree::open(path, self.profile, store.vault_id())?;
        tree.share_vectors(&self.vectors_of(&place));
        Ok((place, tree))
    }

    /// What is in memory of this file; that of another is given up.
    fn vectors_of(&self, place: &Place) -> Arc<VectorCache> {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, cache) = vectors.get_or_insert_with(|| (place.clone(), Arc::default()));
        if of != place {
            (*of, *cache) = (place.clone(), Arc::default());
        }
        Arc::clone(cache)
    }

    /// An open tree of this file; those of others are closed.
    fn take_idle(&self, place: &Place) -> Option<(Place, Tree)> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(of, _)| of == place);
        idle.pop()
    }
}

/// Is "nothing" the truth? Before an empty answer the tree is checked as a whole, once per opened tree,
/// and the vault must have notes: damage or an unmounted disk must not look like "nothing found".
pub(super) fn check_emptiness(session: &Session<'_>, tree: Option<&Tree>) -> Result<(), OpError> {
    tree.map_or(Ok(()), Tree::check_whole)?;
    check_presence(session, tree)
}

/// Fails if the vault has no note for this profile. The index is only asked where one may be: what else it has
/// may be notes that are private by now, or that it keeps for a disk to come back.
pub(super) fn check_presence(session: &Session<'_>, tree: Option<&Tree>) -> Result<(), OpError> {
    let known = tree.map_or(Ok(Vec::new()), |tree| tree.notes_after("", &Filter::default(), 1))?;
    let is_there = |path: &str| NotePath::parse(path).is_ok_and(|path| session.open(&path).is_ok());
    if known.iter().any(|note| is_there(&note.path)) {
        return Ok(());
    }
    match session.has_notes() {
        Ok(true) => Ok(()),
        Ok(false) => Err(OpError::Unavailable {
            client: notice::NO_NOTES,
            log:
                "look whether its folder is the right one and mounted, and what `obsearch privacy list` says"
                    .to_owned(),
        }),
        Err(error) => Err(vault_unavailable(error.to_string())),
    }
}
