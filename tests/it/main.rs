//! The integration tests: one binary, the real program, a home folder of its own for each test.
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare its home has failed")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod ask;
mod bad_input;
mod bugs;
mod canary;
mod cli;
mod common;
mod console;
mod eval;
mod filters;
mod flips;
mod fuzz;
mod house;
mod http;
mod index;
mod indistinguishable;
mod init;
mod injection;
mod ledger;
mod manual;
mod mcp;
mod model_servers;
mod models;
#[cfg(feature = "failpoints")]
mod mutation;
mod offers;
mod pack;
mod packaging;
mod privacy;
mod reach;
mod read_many;
mod referee;
mod refresh;
mod rest;
mod review;
mod search;
mod server;
mod setup;
mod similar;
mod sse;
mod system_calls;
mod terminal;
mod timing;
mod tune;
mod vaults;
mod verify;
mod watch;
