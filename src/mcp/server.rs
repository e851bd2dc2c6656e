//! What is offered: the server's name, its tools, and calls of them. A call is checked here, on
//! the async side, and then works on a thread of its own. It knows nothing of the streams.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;

use super::answer::{self, Answer};
use super::arguments::Arguments;
use super::failure::CallError;
use super::limit::TokenBucket;
use super::operations::Operations;
use super::requests;
use super::tools::{INSTRUCTIONS, ReindexAccess, ToolName};

/// The server over one vault.
pub(super) struct Server<O> {
    operations: Arc<O>,
    reindex: ReindexAccess,
    slots: Arc<Semaphore>,
    bucket: TokenBucket,
}

impl<O: Operations> Server<O> {
    /// At most `calls_at_once` calls work at the same time; further ones wait for their turn.
    pub(super) fn new(
        operations: Arc<O>,
        reindex: ReindexAccess,
        calls_at_once: usize,
        bucket: TokenBucket,
    ) -> Self {
        Server { operations, reindex, slots: Arc::new(Semaphore::new(calls_at_once)), bucket }
    }

    fn tool(&self, name: &str) -> Result<ToolName, CallError> {
        ToolName::offered(self.reindex).find(|tool| tool.as_str() == name).ok_or(CallError::UNKNOWN_TOOL)
    }

    /// Calls a tool, by whichever protocol. A call that is cancelled while it waits never starts.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Option<JsonObject>,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Answer, CallError> {
        let _token = self.bucket.take().ok_or(CallError::TOO_MANY_CALLS)?;
        let tool = self.tool(tool)?;
        let request = requests::request(tool, Arguments::check(tool.parameters(), arguments)?)?;
        let operations = Arc::clone(&self.operations);
        let started = Instant::now();
        let outcome = self.on_a_thread(cancelled, move || answer::to(&request, &*operations)).await?;
        let failed = outcome.is_err();
        tracing::debug!(tool = tool.as_str(), failed, elapsed = ?started.elapsed(), "call");
        outcome
    }

    /// Runs synchronous work off the async threads. The answer to work that is cancelled once it has
    /// begun is dropped by the protocol.
    async fn on_a_thread<T: Send + 'static>(
        &self,
        cancelled: impl Future<Output = ()>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let slot = tokio::select! {
            slot = Arc::clone(&self.slots).acquire_owned() => slot.map_err(|_closed| CallError::INTERNAL)?,
            () = cancelled => return Err(CallError::CANCELLED),
        };
        let task = tokio::task::spawn_blocking(move || {
            // Held by the work and not by the waiting: a deadline does not free it early.
            let _slot = slot;
            work()
        });
        task.await.map_err(|_panicked| CallError::INTERNAL)
    }
}

impl<O: Operations> ServerHandler for Server<O> {
    fn get_info(&self) -> ServerConfig {
        let identity = Implementation::new("obsearch", env!("CARGO_PKG_VERSION")).with_title("obsearch");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(identity)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::offered(self.reindex).map(ToolName::listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool(name).ok().map(ToolName::listed)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let outcome = self.call(&call.name, call.arguments, context.ct.cancelled()).await;
        answer::result(outcome).map(CallToolResponse::from)
    }

    /// A known method whose parameters do not fit ends up here, as rmcp reads requests as an
    /// untagged union with this one last.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "method not found", None);
        let is_modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        Err(match request.method.as_str() {
            "initialize" if is_modern => unknown(),
            "tools/call" => {
                ErrorData::invalid_params("`name` must be a string and `arguments` an object", None)
            }
            "initialize" | "server/discover" | "tools/list" => {
                ErrorData::invalid_params("the parameters of this method do not fit", None)
            }
            _ => unknown(),
        })
    }
}
