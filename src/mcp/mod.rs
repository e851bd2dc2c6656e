//! The MCP server: tools, resources, prompts and completions, over standard input and output or one HTTP
//! request at a time. The only part of the house that names rmcp.
//!
//! Invariants: standard output, where it is the wire, carries nothing but JSON-RPC; the handshake touches neither vault
//! nor index; a tool call is one [`Operations`] call on a thread of its own; what the client reads
//! of a failure is a constant text or names the client's own argument.

mod account;
mod answer;
mod arguments;
mod completions;
mod conversation;
mod endpoint;
mod escape;
mod failure;
mod guard;
mod limit;
mod log;
mod operations;
mod output;
mod parameters;
mod progress;
mod prompts;
mod requests;
mod resources;
mod server;
mod streamable;
mod subscriptions;
mod text;
mod tools;
mod uri;
mod vaults;
mod wire;

#[cfg(test)]
mod tests;

use std::io;

#[cfg(feature = "fixture")]
pub(crate) use rmcp::ServerHandler;
use tokio::runtime::{Builder, Runtime};

pub(crate) use conversation::{Conversation, Unheard};
pub use endpoint::Endpoint;
pub(crate) use failure::{CallError, Failure};
pub use log::log_filter;
pub(crate) use log::silence_panics;
pub use operations::{Operations, Outcome};
pub(crate) use parameters::Described;
pub use streamable::MAX_BODY_BYTES;
#[cfg(feature = "fixture")]
pub(crate) use streamable::Streamable;
pub use tools::ReindexAccess;
pub(crate) use tools::ToolName;
pub use vaults::{Opening, Vaults};
pub(crate) use wire::termination;

use guard::Guard;
use limit::TokenBucket;
use server::Server;

use crate::ledger::Book;

/// Tool calls that work at once; the others wait. Well below [`BLOCKING_THREADS`]: standard input
/// and output borrow threads from the same pool, and a full pool would not even read a
/// cancellation.
const CALLS_AT_ONCE: usize = 8;
const BLOCKING_THREADS: usize = 32;
/// The threads that only move messages.
const ASYNC_THREADS: usize = 2;

/// What the owner's configuration says about serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerOptions {
    /// Whether clients may ask for the index to be updated.
    pub reindex: ReindexAccess,
}

/// Why the server could not serve. The texts are safe to show to any client.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system refused threads or the handling of signals.
    #[error("the server's threads cannot be started: {0}")]
    Threads(#[from] io::Error),
    /// The client spoke, but not the protocol.
    #[error("the client did not complete the handshake")]
    Handshake,
}

/// Serves one client on standard input and output until it goes away, by whichever way: end of
/// input, a broken pipe, SIGTERM and SIGINT all end well. From here on a panic anywhere in the
/// process logs its place and never its message. Afterwards the process should end: an abandoned
/// call may still be at work.
pub fn serve_stdio<O: Operations>(
    vaults: Vaults<O>,
    options: ServerOptions,
    book: Book,
) -> Result<(), ServeError> {
    silence_panics();
    let runtime = runtime()?;
    let server = Server::new(vaults, options.reindex, CALLS_AT_ONCE, TokenBucket::generous());
    let service = Guard::new(server.recorded(book).for_one_client());
    let outcome = runtime.block_on(wire::serve_until_left(service, tokio::io::stdin(), tokio::io::stdout()));
    // Dropping the runtime would wait for the blocking read of standard input and for abandoned work.
    runtime.shutdown_background();
    outcome
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(ASYNC_THREADS)
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
}
