//! The server as a client sees it: what it accepts, what it shows, and how it behaves on the wire.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots")]

mod arguments;
mod calls;
mod client;
mod conversation;
mod fake;
mod schemas;
mod shape;
mod texts;
mod vaults;
mod wire;
