//! obsearch: retrieval over a folder of Markdown for AI clients, behind a wall.
//!
//! The folders are the architecture; dependencies point downwards only:
//! `cli`, `console`, `eval`, `http`, `mcp` -> `ledger` -> `ops` -> `search`, `sync` -> `index`, `embed`, `text` -> `note`,
//! `vault`.

pub mod cli;
pub mod config;
pub mod console;
pub mod embed;
pub mod eval;
mod failpoint;
pub mod http;
pub mod hub;
pub mod index;
pub mod ledger;
pub mod mcp;
pub mod note;
pub mod ops;
pub mod prove;
pub mod reply;
pub mod search;
pub mod sync;
pub mod text;
pub mod vault;
