//! Serving over HTTP, on a TCP port or a Unix socket. The only part of the house that names axum and
//! hyper. What is answered is the business of `mcp`; this is about who may ask, and how much at once.
//!
//! Invariants: every route stands behind one door (Host, Origin, token), which is asked before a body is
//! read; a request gets the profile of its token and never more; without a token there is no full
//! profile, and no address but this machine's own.

mod connect;
mod console;
mod door;
#[cfg(feature = "fixture")]
mod fixture;
mod interfaces;
mod listen;
mod reach;
mod response;
mod rest;
mod routes;
mod sse;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, UnixListener};
use tokio::runtime::Builder;
use tokio::sync::watch;

pub use connect::{Target, connect};
pub use console::{ConsoleServer, serve_console};
pub use door::Tokens;
#[cfg(feature = "fixture")]
pub use fixture::serve_fixture;
pub use interfaces::{NoAddress, address_of};
pub use reach::Reach;

use door::Door;
use listen::Listener;
use routes::Endpoints;

use crate::ledger::{Book, Ledger};
use crate::mcp::{Endpoint, Operations, ServerOptions, Vaults, silence_panics, termination};
use crate::vault::Profile;

/// What is left of the process after it was told to end.
const GRACE: Duration = Duration::from_millis(1_500);

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An address and a port; port 0 takes any that is free.
    Tcp {
        /// Of an interface of this machine.
        host: IpAddr,
        /// 0 to 65535.
        port: u16,
    },
    /// A socket file, for the owner alone.
    Socket(PathBuf),
}

/// What is served, where, and to whom.
pub struct HttpServer<O> {
    /// The public profile.
    pub public: Vaults<O>,
    /// The full profile of the same vaults, where a token allows it.
    pub full: Option<Vaults<O>>,
    /// What clients may ask for.
    pub options: ServerOptions,
    /// Where it is recorded what went out; none if the owner wants no record.
    pub ledger: Option<Arc<Ledger>>,
    /// What the vaults are called there, in their order.
    pub vault_names: Vec<String>,
    /// Also the transport of the first revisions, at `/sse`.
    pub sse: bool,
    /// Where, and to whom.
    pub listening: Listening,
}

/// Where to listen, and to whom.
pub struct Listening {
    /// The address or the socket.
    pub place: Place,
    /// Further values of the Host header, `host:port`, besides the names of this machine and the address itself.
    pub allowed_hosts: Vec<String>,
    /// Who may ask.
    pub tokens: Arc<dyn Tokens>,
    /// A request needs a token.
    pub needs_token: bool,
}

/// Why it cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is taken, or not one of this machine.
    #[error("cannot listen on {place}: {source}")]
    Listen {
        /// The address or the socket's path.
        place: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another server listens on the socket.
    #[error("another server listens on {0}")]
    SocketInUse(String),
    /// Something that is no socket stands there.
    #[error("{0} is there and is no socket")]
    NotASocket(String),
    /// The system refused threads.
    #[error("the server's threads cannot be started: {0}")]
    Threads(#[from] io::Error),
}

/// Serves until the process is told to end. `announce` hears where it listens and who can reach it.
pub fn serve<O: Operations>(server: HttpServer<O>, announce: impl FnOnce(&Reach)) -> Result<(), HttpError> {
    let HttpServer { public, full, options, ledger, vault_names, sse, listening } = server;
    let endpoint = |vaults, profile| {
        Endpoint::new(vaults, options, Book::new(ledger.clone(), profile, vault_names.clone()))
    };
    let endpoints = Endpoints {
        public: endpoint(public, Profile::Public),
        full: full.map(|full| endpoint(full, Profile::Full)),
    };
    let router = |door| routes::router(endpoints, options, sse, door);
    until_told_to_end(listening, router, |address, listening| {
        announce(&Reach::new(address, &listening.place, sse, listening.needs_token));
    })
}

/// Serves what `router` puts behind the door.
fn until_told_to_end(
    listening: Listening,
    router: impl FnOnce(Door) -> Router,
    announce: impl FnOnce(Option<SocketAddr>, &Listening),
) -> Result<(), HttpError> {
    silence_panics();
    let runtime =
        Builder::new_multi_thread().worker_threads(2).max_blocking_threads(32).enable_all().build()?;
    let outcome = runtime.block_on(run(listening, router, announce));
    runtime.shutdown_background();
    outcome
}

async fn run(
    listening: Listening,
    router: impl FnOnce(Door) -> Router,
    announce: impl FnOnce(Option<SocketAddr>, &Listening),
) -> Result<(), HttpError> {
    let ended = termination();
    let (listener, address) = listen(&listening.place).await?;
    let without_token = (!listening.needs_token).then_some(Profile::Public);
    let tokens = Arc::clone(&listening.tokens);
    let door = match address {
        Some(address) => {
            let hosts = hosts(address, &listening.allowed_hosts);
            Door::on_port(address.port(), &hosts, without_token, tokens)
        }
        None => Door::on_socket(without_token, tokens),
    };
    let router = router(door);
    announce(address, &listening);
    let (over, is_over) = watch::channel(false);
    let accepting = tokio::spawn(listen::accept(listener, router, is_over));
    ended.await;
    let _ = over.send(true);
    let _ = accepting.await;
    // Connections end as their last answers are written; the process does not wait for slow readers.
    let _ = tokio::time::timeout(GRACE, over.closed()).await;
    if let Place::Socket(path) = &listening.place {
        remove_socket(path);
    }
    Ok(())
}

/// The names by which clients may call it, besides those of this machine. A page can make a foreign name point
/// here, but not the address itself.
fn hosts(address: SocketAddr, allowed: &[String]) -> Vec<String> {
    let is_one = !address.ip().is_unspecified();
    let own = is_one.then(|| address.to_string());
    // A client leaves out the port that its scheme implies.
    let without_port = (is_one && address.port() == 80).then(|| match address.ip() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    });
    allowed.iter().cloned().chain(own).chain(without_port).collect()
}

async fn listen(place: &Place) -> Result<(Listener, Option<SocketAddr>), HttpError> {
    match place {
        Place::Tcp { host, port } => {
            let fail =
                |source| HttpError::Listen { place: SocketAddr::new(*host, *port).to_string(), source };
            let listener = TcpListener::bind((*host, *port)).await.map_err(fail)?;
            let address = listener.local_addr().map_err(fail)?;
            Ok((Listener::Tcp(listener), Some(address)))
        }
        Place::Socket(path) => bind_socket(path).await.map(|listener| (Listener::Unix(listener), None)),
    }
}

/// Binds a socket that only the owner can open. One that a server left behind is replaced, one on which
/// somebody listens is not.
async fn bind_socket(path: &Path) -> Result<UnixListener, HttpError> {
    use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
    let shown = path.display().to_string();
    let fail = |source| HttpError::Listen { place: shown.clone(), source };
    if let Ok(metadata) = path.symlink_metadata() {
        if !metadata.file_type().is_socket() {
            return Err(HttpError::NotASocket(shown));
        }
        if tokio::net::UnixStream::connect(path).await.is_ok() {
            return Err(HttpError::SocketInUse(shown));
        }
        remove_socket(path);
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(fail)?;
    }
    let listener = UnixListener::bind(path).map_err(fail)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(fail)?;
    Ok(listener)
}

#[expect(clippy::disallowed_methods, reason = "the socket file is this server's own")]
fn remove_socket(path: &Path) {
    let _ = std::fs::remove_file(path);
}
