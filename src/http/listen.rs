//! Connections: accepted in bounded number, each with time limits, closed when the server ends. It knows
//! nothing of what is asked.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Semaphore, watch};

/// Connections at once; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 256;
/// How long a client may take to send the head of a request, and how long a connection may idle.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_HEADERS: usize = 64;
/// Bytes of a request's head.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// After an error of `accept`, such as too many open files.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Where connections come from.
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Serves connections until `is_over` changes.
pub(super) async fn accept(listener: Listener, router: Router, mut is_over: watch::Receiver<bool>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let accepted: io::Result<Connection> = tokio::select! {
            accepted = next(&listener) => accepted,
            _ = is_over.changed() => return,
        };
        let connection = match accepted {
            Ok(connection) => connection,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => continue,
            Err(_) => {
                tokio::time::sleep(AFTER_ERROR).await;
                continue;
            }
        };
        let (router, is_over) = (router.clone(), is_over.clone());
        tokio::spawn(async move {
            let _slot = slot;
            match connection {
                Connection::Tcp(stream) => serve(stream, router, is_over).await,
                Connection::Unix(stream) => serve(stream, router, is_over).await,
            }
        });
    }
}

enum Connection {
    Tcp(tokio::net::TcpStream),
    Unix(tokio::net::UnixStream),
}

async fn next(listener: &Listener) -> io::Result<Connection> {
    match listener {
        Listener::Tcp(listener) => {
            let (stream, _) = listener.accept().await?;
            // Answers are small and whole: nothing is gained by waiting for more.
            let _ = stream.set_nodelay(true);
            Ok(Connection::Tcp(stream))
        }
        Listener::Unix(listener) => {
            let (stream, _) = listener.accept().await?;
            // The file's mode says the same; not every system heeds it.
            let peer = stream.peer_cred()?.uid();
            let own = rustix::process::geteuid().as_raw();
            if peer != own && peer != 0 {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(Connection::Unix(stream))
        }
    }
}

async fn serve<S>(stream: S, router: Router, mut is_over: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = is_over.changed() => {
            // What is being answered is answered; the process ends soon in any case.
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
