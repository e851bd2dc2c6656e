//! What obsearch can do, one operation per file: protocol-free, synchronous, plain data in and
//! out. Transports convert; they never read a note.

pub mod browse;
pub mod catalogue;
pub mod doctor;
pub mod freshness;
pub mod grounds;
pub mod guide;
pub mod health;
pub mod links;
pub mod list;
pub mod pack;
pub mod privacy;
pub mod questions;
pub mod read;
pub mod read_many;
pub mod reindex;
pub mod search;
pub mod shown;
pub mod similar;
pub mod status;
pub mod suggest;
pub mod tags;
pub mod verify;

mod caller;
mod census;
mod conditions;
mod error;
mod expand;
mod graph;
mod keys;
mod mentions;
mod names;
mod notice;
mod patch;
mod reach;
mod refresh;
mod rerank;
mod service;
mod trees;
mod watch;

pub use caller::Caller;
pub use conditions::Conditions;
pub use error::OpError;
pub use reach::NearNote;
pub use service::{Service, Settings};

pub use crate::sync::{Progress, Silent, Stage};
pub use crate::vault::IsWanted;
