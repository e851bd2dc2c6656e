//! The line transport and its end: a client may leave by closing its side, by breaking the pipe
//! or by a signal, and none of them is an error. It knows nothing of tools.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, JsonRpcRequest, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::{Transport, async_rw::AsyncRwTransport};
use rmcp::{RoleServer, Service, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

use super::ServeError;

/// How long work in flight may still answer after the client closed its side. Clients send a
/// signal after two seconds.
const GRACE: Duration = Duration::from_millis(1500);
/// Longer lines are dropped unread.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Serves until the client has left or a signal comes.
pub(super) async fn serve_until_left<S, R, W>(service: S, reader: R, writer: W) -> Result<(), ServeError>
where
    S: Service<RoleServer>,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let termination = termination();
    let transport = AsyncRwTransport::new_server(reader, writer).with_max_line_length(MAX_REQUEST_BYTES);
    tokio::select! {
        ended = converse(service, transport) => ended,
        () = termination => Ok(()),
    }
}

/// Serves one client until it has left.
pub(super) async fn converse<S, T>(service: S, transport: T) -> Result<(), ServeError>
where
    S: Service<RoleServer>,
    T: Transport<RoleServer> + 'static,
{
    let client = Arc::new(Client::default());
    let wire = Wire {
        inner: transport,
        supported: service.supported_protocol_versions(),
        session: Session::Awaited,
        client: Arc::clone(&client),
    };
    tokio::select! {
        ended = serve(service, wire) => ended,
        () = client.left() => Ok(()),
    }
}

async fn serve<S, T>(service: S, transport: T) -> Result<(), ServeError>
where
    S: Service<RoleServer>,
    T: Transport<RoleServer> + 'static,
{
    match Box::pin(service.serve(transport)).await {
        Ok(running) => {
            // Closed, cancelled or failed: the session is over.
            let _reason = running.waiting().await;
            Ok(())
        }
        // The client left before the handshake.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. }) => {
            Ok(())
        }
        Err(_) => Err(ServeError::Handshake),
    }
}

/// Completes when the process is told to end. It listens from the call on, not from the first
/// poll: by then the handshake may be over.
#[cfg(unix)]
pub(crate) fn termination() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async {
        match signals {
            (Ok(mut terminate), Ok(mut interrupt)) => {
                tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            }
            _ => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
pub(crate) async fn termination() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// The two ways in which the streams end.
#[derive(Default)]
struct Client {
    closed_input: Notify,
    broke_output: Notify,
}

impl Client {
    async fn left(&self) {
        tokio::select! {
            // Nobody reads: nothing is worth finishing.
            () = self.broke_output.notified() => {}
            () = self.grace_after_input() => {}
        }
    }

    async fn grace_after_input(&self) {
        self.closed_input.notified().await;
        tokio::time::sleep(GRACE).await;
    }
}

/// Whether rmcp still waits for the request that decides the protocol era.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Session {
    Awaited,
    Open,
}

/// rmcp's line transport with two things added: it says when the client has left, and it drops
/// notifications that come before a session, which rmcp takes for a failed handshake.
struct Wire<T> {
    inner: T,
    supported: Cow<'static, [ProtocolVersion]>,
    session: Session,
    client: Arc<Client>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Wire<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sending = self.inner.send(message);
        let client = Arc::clone(&self.client);
        async move {
            let outcome = sending.await;
            if outcome.is_err() {
                client.broke_output.notify_one();
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.client.closed_input.notify_one();
                return None;
            };
            match &message {
                JsonRpcMessage::Request(request) if opens(request, &self.supported) => {
                    self.session = Session::Open;
                }
                JsonRpcMessage::Request(_) => {}
                _ if self.session == Session::Awaited => continue,
                _ => {}
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Whether rmcp leaves its handshake loop on this request.
fn opens(message: &JsonRpcRequest<ClientRequest>, supported: &[ProtocolVersion]) -> bool {
    match &message.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|version| supported.contains(&version))
        }
    }
}
