//! A conversation with one client over two one-way streams: what it sends comes in one message at a time, and
//! what it is told goes out as lines. It is like standard input and output, but for who else shares the
//! limits of the endpoint. It knows nothing of HTTP.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{GetExtensions, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::endpoint::Endpoint;
use super::guard::Guard;
use super::operations::Operations;
use super::wire::converse;

/// Requests of one client that are not answered yet.
const MAX_UNANSWERED: usize = 32;
/// Messages to a client that does not read, and their bytes; one more ends the conversation.
const MAX_UNREAD: usize = 1_000;
const MAX_UNREAD_BYTES: usize = 4 << 20;

/// The client's end of a conversation. Without it the conversation is over.
pub(crate) struct Conversation {
    heard: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    unanswered: Arc<Semaphore>,
}

/// A message to the client.
pub(crate) struct Told {
    /// One line of JSON.
    pub(crate) line: String,
    /// Until it is read.
    _room: OwnedSemaphorePermit,
}

/// Why a message was not heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unheard {
    /// It is no message of JSON-RPC.
    NoMessage,
    /// Too many requests wait for their answer.
    TooMany,
    /// The conversation has ended.
    Over,
}

impl Conversation {
    /// Takes one message; what it is answered with goes out as a line.
    pub(crate) async fn hear(&self, message: &[u8]) -> Result<(), Unheard> {
        let mut message: RxJsonRpcMessage<RoleServer> =
            serde_json::from_slice(message).map_err(|_| Unheard::NoMessage)?;
        if let JsonRpcMessage::Request(request) = &mut message {
            let permit = Arc::clone(&self.unanswered).try_acquire_owned().map_err(|_| Unheard::TooMany)?;
            // The request carries it along until nobody works on it any more.
            request.request.extensions_mut().insert(Arc::new(permit));
        }
        self.heard.send(message).await.map_err(|_| Unheard::Over)
    }

    /// Completes when the conversation has ended, for which both ends must go as long as somebody waits here.
    pub(crate) fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let heard = self.heard.clone();
        async move { heard.closed().await }
    }
}

impl<O: Operations> Endpoint<O> {
    /// Begins a conversation. It ends with either of its two ends.
    pub(crate) fn converse(&self) -> (Conversation, mpsc::Receiver<Told>) {
        let (heard, hearing) = mpsc::channel(1);
        let (telling, told) = mpsc::channel(MAX_UNREAD);
        let service = Guard::new(self.server().for_one_client().over(crate::ledger::Transport::Sse));
        let room = Arc::new(Semaphore::new(MAX_UNREAD_BYTES));
        tokio::spawn(async move {
            let left = telling.clone();
            tokio::select! {
                _ = converse(service, Lines { hearing, telling, room }) => {}
                () = left.closed() => {}
            }
        });
        (Conversation { heard, unanswered: Arc::new(Semaphore::new(MAX_UNANSWERED)) }, told)
    }
}

/// The server's end.
struct Lines {
    hearing: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    telling: mpsc::Sender<Told>,
    room: Arc<Semaphore>,
}

impl Lines {
    fn tell(&self, message: &TxJsonRpcMessage<RoleServer>) -> Result<(), Unread> {
        let line = serde_json::to_string(message).map_err(|_| Unread)?;
        let bytes = u32::try_from(line.len()).map_err(|_| Unread)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(bytes).map_err(|_| Unread)?;
        self.telling.try_send(Told { line, _room: room }).map_err(|_| Unread)
    }
}

/// Nobody reads what is told.
#[derive(Debug, thiserror::Error)]
#[error("the client does not read")]
struct Unread;

impl Transport<RoleServer> for Lines {
    type Error = Unread;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Unread>> + Send + 'static {
        std::future::ready(self.tell(&message))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.hearing.recv().await
    }

    async fn close(&mut self) -> Result<(), Unread> {
        Ok(())
    }
}
