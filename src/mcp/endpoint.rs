//! MCP over HTTP, one request at a time: rmcp's Streamable HTTP without sessions, in front of the same
//! door as standard input and output; and calls of tools without MCP around them, through that door too.
//! It knows nothing of sockets, hosts or tokens.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::BoxBody;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, ClientRequest, CustomRequest, CustomResult,
    DiscoverRequest, DiscoverResult, ListToolsRequest, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerConfig, ServerResult, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, Service};
use serde_json::{Map, Value};

use super::failure::CallError;
use super::guard::Guard;
use super::limit::TokenBucket;
use super::operations::Operations;
use super::server::Server;
use super::tools::ToolName;
use super::{CALLS_AT_ONCE, ServerOptions};

/// Longer bodies are refused.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// The answers to HTTP requests for one vault and profile.
pub struct Endpoint<O> {
    guard: Arc<Guard<Server<O>>>,
    service: StreamableHttpService<Behind<O>, NeverSessionManager>,
}

impl<O> Clone for Endpoint<O> {
    fn clone(&self) -> Self {
        Endpoint { guard: Arc::clone(&self.guard), service: self.service.clone() }
    }
}

impl<O: Operations> Endpoint<O> {
    /// One set of limits for all requests that it answers.
    pub fn new(operations: Arc<O>, options: ServerOptions) -> Self {
        let server = Server::new(operations, options.reindex, CALLS_AT_ONCE, TokenBucket::generous());
        Endpoint::behind(Guard::new(server))
    }

    pub(super) fn behind(guard: Guard<Server<O>>) -> Self {
        let guard = Arc::new(guard);
        let behind = Behind { guard: Arc::clone(&guard) };
        // Who may ask was checked before: see `crate::http`.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .disable_allowed_hosts();
        let factory = move || Ok(Behind { guard: Arc::clone(&behind.guard) });
        let service = StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config);
        Endpoint { guard, service }
    }

    /// The structured content of a tool's answer. A call whose future is dropped while it waits for its
    /// turn never starts.
    pub(crate) async fn call(
        &self,
        tool: ToolName,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let calling = self.guard.inner().call(tool.as_str(), Some(arguments), std::future::pending());
        self.guard.bounded(calling).await?.map(|answer| answer.structured)
    }

    /// The answer to a request; GET and DELETE are refused, as there are no sessions.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Display,
        B::Data: Send,
    {
        self.service.handle(request).await
    }
}

/// A server behind its door, as rmcp's HTTP side wants it. Each method goes through the door.
struct Behind<O> {
    guard: Arc<Guard<Server<O>>>,
}

impl<O: Operations> Behind<O> {
    async fn ask(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        self.guard.handle_request(request, context).await
    }
}

impl<O: Operations> ServerHandler for Behind<O> {
    fn get_info(&self) -> ServerConfig {
        Service::get_info(&*self.guard)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&*self.guard)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        match self.ask(ClientRequest::DiscoverRequest(DiscoverRequest::default()), context).await? {
            ServerResult::DiscoverResult(found) => Ok(found),
            _ => Err(CallError::INTERNAL.into()),
        }
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let request = ListToolsRequest { params: page, ..Default::default() };
        match self.ask(ClientRequest::ListToolsRequest(request), context).await? {
            ServerResult::ListToolsResult(listed) => Ok(listed),
            _ => Err(CallError::INTERNAL.into()),
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.guard.inner().get_tool(name)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = CallToolRequest::new(call);
        match self.ask(ClientRequest::CallToolRequest(request), context).await? {
            ServerResult::CallToolResult(result) => Ok(result.into()),
            _ => Err(CallError::INTERNAL.into()),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match self.ask(ClientRequest::CustomRequest(request), context).await? {
            ServerResult::CustomResult(result) => Ok(result),
            _ => Err(CallError::INTERNAL.into()),
        }
    }
}
