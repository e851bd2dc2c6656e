//! The one door in front of the server: panics, the deadline, and what only the newest protocol
//! revision knows. It is a `Service` and not a `ServerHandler`, so nothing that is added to the
//! server goes round it. It knows nothing of tools.

use std::borrow::Cow;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use rmcp::model::{
    ClientNotification, ClientRequest, MetaObject, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, Service};

use super::failure::CallError;

/// How long a request may take. Clients give up after a minute by default.
const DEADLINE: Duration = Duration::from_mins(1);
/// How long a client may keep what never changes while this process runs.
const CONSTANT_TTL_MS: u64 = 300_000;
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A server behind the door.
pub(super) struct Guard<H> {
    inner: H,
    deadline: Duration,
}

impl<H> Guard<H> {
    pub(super) fn new(inner: H) -> Self {
        Guard::with_deadline(inner, DEADLINE)
    }

    /// The server, for what is no request.
    pub(super) fn inner(&self) -> &H {
        &self.inner
    }

    pub(super) fn with_deadline(inner: H, deadline: Duration) -> Self {
        Guard { inner, deadline }
    }

    /// The answer, unless it panics or takes too long. Whatever is asked of the server goes through here.
    pub(super) async fn bounded<T>(&self, answering: impl Future<Output = T>) -> Result<T, CallError> {
        match tokio::time::timeout(self.deadline, caught(answering)).await {
            Ok(answer) => answer.map_err(|Panicked| CallError::INTERNAL),
            Err(_elapsed) => Err(CallError::TOO_LATE),
        }
    }
}

impl<H: Service<RoleServer>> Service<RoleServer> for Guard<H> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        // A stream of notifications lasts for as long as the client wants it.
        let is_stream = matches!(request, ClientRequest::SubscriptionsListenRequest(_));
        let answering = self.inner.handle_request(request, context);
        let result = if is_stream {
            caught(answering).await.map_err(|Panicked| CallError::INTERNAL)??
        } else {
            self.bounded(answering).await??
        };
        Ok(if modern { self.stamped(result) } else { result })
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        caught(self.inner.handle_notification(notification, context)).await.unwrap_or(Ok(()))
    }

    fn get_info(&self) -> ServerConfig {
        self.inner.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }
}

impl<H: Service<RoleServer>> Guard<H> {
    /// Adds the server's name and the cache hints of the 2026-07-28 revision. rmcp leaves hints in
    /// answers to older clients too, so they are set here and not where the lists are made. Lists and texts of
    /// notes keep what rmcp gives them: not a moment, and for this client alone.
    fn stamped(&self, mut result: ServerResult) -> ServerResult {
        match &mut result {
            ServerResult::ListToolsResult(listed) => listed.ttl_ms = Some(CONSTANT_TTL_MS),
            ServerResult::ListPromptsResult(listed) => listed.ttl_ms = Some(CONSTANT_TTL_MS),
            ServerResult::ListResourceTemplatesResult(listed) => listed.ttl_ms = Some(CONSTANT_TTL_MS),
            ServerResult::DiscoverResult(found) => found.ttl_ms = CONSTANT_TTL_MS,
            _ => {}
        }
        let identity = serde_json::to_value(self.inner.get_info().server_info);
        if let (Some(meta), Ok(identity)) = (meta_of(&mut result), identity) {
            meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), identity);
        }
        result
    }
}

/// The metadata of the results this server gives. That of `server/discover` names the server
/// already.
fn meta_of(result: &mut ServerResult) -> Option<&mut Option<MetaObject>> {
    match result {
        ServerResult::CallToolResult(result) => Some(&mut result.meta),
        ServerResult::ListToolsResult(result) => Some(&mut result.meta),
        ServerResult::ListPromptsResult(result) => Some(&mut result.meta),
        ServerResult::ListResourcesResult(result) => Some(&mut result.meta),
        ServerResult::ListResourceTemplatesResult(result) => Some(&mut result.meta),
        ServerResult::ReadResourceResult(result) => Some(&mut result.meta),
        ServerResult::GetPromptResult(result) => Some(&mut result.meta),
        ServerResult::CompleteResult(result) => Some(&mut result.meta),
        _ => None,
    }
}

/// It panicked.
pub(super) struct Panicked;

/// The future, with a panic in it as a value: rmcp would never answer such a request.
pub(super) async fn caught<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    poll_fn(move |task| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(task))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(_message) => Poll::Ready(Err(Panicked)),
    })
    .await
}
