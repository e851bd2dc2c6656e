//! How many passages hold a word: what the index counted, but nothing for a word that only passages hold which may not
//! be shown now, or no longer say it. Else a query of one word would tell whether it stands in a note that turned
//! private since the index was built: only a word that no passage holds is respelt.

use std::cell::RefCell;
use std::collections::HashMap;

use super::admit;
use crate::index::{ChunkId, IndexError, Tree};
use crate::vault::Session;

/// So many passages are looked at first: all notes that an index knows are public but for a moment.
const FIRST_LOOK: usize = 1;
/// And at most so many at a time.
const LARGEST_LOOK: usize = 512;

/// The words of a tree, as a session may know them.
pub(super) struct Vocabulary<'a, 's> {
    /// None: every passage counts.
    session: Option<&'a Session<'s>>,
    pub(super) tree: &'a Tree,
    /// What was asked before.
    known: RefCell<HashMap<String, u64>>,
}

impl<'a, 's> Vocabulary<'a, 's> {
    /// Of passages that may be shown now.
    pub(super) fn admitted(session: &'a Session<'s>, tree: &'a Tree) -> Self {
        Vocabulary { session: Some(session), tree, known: RefCell::default() }
    }

    /// As the index has it: for whoever shows nothing.
    pub(super) fn indexed(tree: &'a Tree) -> Self {
        Vocabulary { session: None, tree, known: RefCell::default() }
    }

    /// In how many passages a term stands; 0 if in none that may be shown.
    pub(super) fn frequency(&self, term: &str) -> Result<u64, IndexError> {
        if let Some(known) = self.known.borrow().get(term) {
            return Ok(*known);
        }
        let counted = self.tree.document_frequency(term)?;
        let frequency = if counted > 0 && self.is_held(term)? { counted } else { 0 };
        self.known.borrow_mut().insert(term.to_owned(), frequency);
        Ok(frequency)
    }

    fn is_held(&self, term: &str) -> Result<bool, IndexError> {
        let Some(session) = self.session else { return Ok(true) };
        let expression = format!("\"{term}\"");
        let (mut after, mut look): (Option<ChunkId>, usize) = (None, FIRST_LOOK);
        loop {
            let holders = self.tree.holders(&expression, after, look)?;
            let Some(last) = holders.last() else { return Ok(false) };
            if admit::any(session, self.tree, &holders)? {
                return Ok(true);
            }
            (after, look) = (Some(*last), (look * 8).min(LARGEST_LOOK));
        }
    }
}
