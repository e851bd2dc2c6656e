//! The ledger: what was served to whom, kept for the owner beside the configuration. It says which notes and lines
//! went out in an answer, never what was asked and nothing of a note's text.
//!
//! Lines of JSON in segments, each line with the hash of the one before it; a head says how far they go. Any number
//! of servers append to it, one at a time; nothing is ever removed or rewritten. Whoever may write the folder can
//! write a new chain as well: the hashes show damage and edits by hand, and are no proof against the owner's user.
//! It knows nothing of protocols, and no transport serves it.

mod disk;
mod head;
mod lines;
mod read;
mod record;
mod verify;
mod write;

pub use read::{Filter, Health, covers, look, select};
pub use record::{Record, Transport};
pub use verify::{Fault, FaultKind, Report, verify};
pub use write::{Asked, Book, Client, Ledger};

#[cfg(test)]
mod tests;
