//! What the index of this profile lists, and what became different between two looks at it: for clients
//! that want to hear of changes. It follows the tree, which holds nothing that this profile may not see.

use std::collections::BTreeMap;

use super::{OpError, Service};
use crate::index::{Hash16, Tree};

/// The notes of a tree, at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue {
    notes: BTreeMap<String, Hash16>,
}

impl Catalogue {
    /// Notes in it.
    pub fn len(&self) -> usize {
        self.notes.len()
    }

    /// Is there no note in it?
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// Does it list other notes than the earlier one?
    pub fn lists_others_than(&self, earlier: &Catalogue) -> bool {
        !self.notes.keys().eq(earlier.notes.keys())
    }

    /// Is the note with this path another than in the earlier one: changed, new or gone?
    pub fn differs_in(&self, earlier: &Catalogue, path: &str) -> bool {
        self.notes.get(path) != earlier.notes.get(path)
    }
}

/// The catalogue as of the last run, if there is an index. Where changes are not heard it asks for another run, so
/// that the next look sees what changed since.
pub(super) fn look(service: &Service) -> Result<Option<Catalogue>, OpError> {
    service.refresher.ask_unless_it_hears();
    service.with_tree(|tree| {
        let Some(tree) = tree.filter(|tree: &&Tree| tree.header().complete) else { return Ok(None) };
        let notes = tree.notes()?.into_iter().map(|note| (note.path, note.hash)).collect();
        Ok(Some(Catalogue { notes }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_apart() {
        let catalogue = |notes: &[(&str, u8)]| Catalogue {
            notes: notes.iter().map(|(path, hash)| ((*path).to_owned(), [*hash; 16])).collect(),
        };
        let before = catalogue(&[("a.md", 1), ("b.md", 2)]);
        let edited = catalogue(&[("a.md", 3), ("b.md", 2)]);
        let renamed = catalogue(&[("a.md", 1), ("c.md", 2)]);
        assert!(!edited.lists_others_than(&before) && renamed.lists_others_than(&before));
        let changed =
            |now: &Catalogue| ["a.md", "b.md", "c.md", "d.md"].map(|path| now.differs_in(&before, path));
        assert_eq!(changed(&edited), [true, false, false, false]);
        assert_eq!(changed(&renamed), [false, true, true, false]);
    }
}
