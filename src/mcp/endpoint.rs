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
    CallToolRequest, CallToolRequestParams, CallToolResponse, ClientRequest, CompleteRequest,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, DiscoverRequest, DiscoverResult,
    GetPromptRequest, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult,
    ListPromptsRequest, ListPromptsResult, ListResourceTemplatesRequest, ListResourceTemplatesResult,
    ListResourcesRequest, ListResourcesResult, ListToolsRequest, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    ServerResult, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, Service};
use serde_json::{Map, Value};

use super::failure::CallError;
use super::guard::{Guard, Panicked, caught};
use super::limit::TokenBucket;
use super::operations::Operations;
use super::server::Server;
use super::tools::ToolName;
use super::{CALLS_AT_ONCE, ServerOptions};
use crate::ops::Silent;

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

    pub(super) fn server(&self) -> &Server<O> {
        self.guard.inner()
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

    /// The structured content of a tool's answer. A call stops soon after its future is
    /// dropped.
    pub(crate) async fn call(
        &self,
        tool: ToolName,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let server = self.server();
        let calling = server.call(tool.as_str(), Some(arguments), std::future::pending(), Silent);
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
        Box::pin(self.guard.handle_request(request, context)).await
    }
}

/// Sends a request through the door and takes the one kind of answer that it has.
macro_rules! asked {
    ($self:ident, $context:ident, $kind:ident($request:expr) -> $result:ident) => {
        match $self.ask(ClientRequest::$kind($request), $context).await? {
            ServerResult::$result(result) => Ok(result.into()),
            _ => Err(CallError::INTERNAL.into()),
        }
    };
}

impl<O: Operations> ServerHandler for Behind<O> {
    fn get_info(&self) -> ServerConfig {
        Service::get_info(&*self.guard)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&*self.guard)
    }

    /// Without sessions there is nobody to notify between requests; the newest revision has streams for it.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        if let Some(resources) = &mut result.capabilities.resources {
            (resources.subscribe, resources.list_changed) = (None, None);
        }
        Ok(result)
    }

    fn accepted_subscription_filter(&self, wanted: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.guard.inner().accepted_subscription_filter(wanted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        caught(self.guard.inner().listen(context))
            .await
            .unwrap_or_else(|Panicked| Err(CallError::INTERNAL.into()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.guard.inner().get_tool(name)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        asked!(self, context, DiscoverRequest(DiscoverRequest::default()) -> DiscoverResult)
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let request = ListToolsRequest { params, ..Default::default() };
        asked!(self, context, ListToolsRequest(request) -> ListToolsResult)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        asked!(self, context, CallToolRequest(CallToolRequest::new(params)) -> CallToolResult)
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let request = ListResourcesRequest { params, ..Default::default() };
        asked!(self, context, ListResourcesRequest(request) -> ListResourcesResult)
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let request = ListResourceTemplatesRequest { params, ..Default::default() };
        asked!(self, context, ListResourceTemplatesRequest(request) -> ListResourceTemplatesResult)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        asked!(self, context, ReadResourceRequest(ReadResourceRequest::new(params)) -> ReadResourceResult)
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let request = ListPromptsRequest { params, ..Default::default() };
        asked!(self, context, ListPromptsRequest(request) -> ListPromptsResult)
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        asked!(self, context, GetPromptRequest(GetPromptRequest::new(params)) -> GetPromptResult)
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        asked!(self, context, CompleteRequest(CompleteRequest::new(params)) -> CompleteResult)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        asked!(self, context, CustomRequest(request) -> CustomResult)
    }
}
