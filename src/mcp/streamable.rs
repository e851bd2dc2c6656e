//! MCP over HTTP, one request at a time: rmcp's Streamable HTTP without sessions, in front of the same
//! door as standard input and output. It knows nothing of vaults, and nothing of sockets, hosts or tokens.

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
    ProtocolVersion, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, ServerResult, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, Service};

use super::failure::CallError;
use super::guard::{Guard, Panicked, caught};

/// Longer bodies are refused.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// The answers of a server to HTTP requests.
pub(crate) struct Streamable<H> {
    service: StreamableHttpService<Behind<H>, NeverSessionManager>,
}

impl<H> Clone for Streamable<H> {
    fn clone(&self) -> Self {
        Streamable { service: self.service.clone() }
    }
}

impl<H: ServerHandler> Streamable<H> {
    pub(super) fn behind(guard: Arc<Guard<H>>) -> Self {
        // Who may ask was checked before: see `crate::http`.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .disable_allowed_hosts();
        let factory = move || Ok(Behind { guard: Arc::clone(&guard) });
        let service = StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config);
        Streamable { service }
    }

    /// The answers of a test's own server.
    #[cfg(feature = "fixture")]
    pub(crate) fn of_fixture(handler: H) -> Self {
        Streamable::behind(Arc::new(Guard::new(handler)))
    }

    /// The answer to a request; GET and DELETE are refused, as there are no sessions.
    pub(crate) async fn answer<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Display,
        B::Data: Send,
    {
        self.service.handle(request).await
    }
}

/// A server behind its door, as rmcp's HTTP side wants it. Each method goes through the door.
struct Behind<H> {
    guard: Arc<Guard<H>>,
}

impl<H: ServerHandler> Behind<H> {
    async fn ask(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        Box::pin(self.guard.handle_request(request, context)).await
    }
}

/// Sends a request through the door and takes the kinds of answer that it has.
macro_rules! asked {
    ($self:ident, $context:ident, $kind:ident($request:expr) -> $($result:ident)|+) => {
        match $self.ask(ClientRequest::$kind($request), $context).await? {
            $(ServerResult::$result(result) => Ok(result.into()),)+
            _ => Err(CallError::INTERNAL.into()),
        }
    };
}

impl<H: ServerHandler> ServerHandler for Behind<H> {
    fn get_info(&self) -> ServerConfig {
        Service::get_info(&*self.guard)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&*self.guard)
    }

    /// Without sessions there is nobody to notify between requests, and nothing is remembered from one to the next;
    /// the newest revision has streams for it.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        withdraw_what_lasts(&mut result.capabilities);
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
        asked!(self, context, CallToolRequest(CallToolRequest::new(params)) -> CallToolResult | InputRequiredResult)
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
        asked!(self, context, ReadResourceRequest(ReadResourceRequest::new(params)) -> ReadResourceResult | InputRequiredResult)
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
        asked!(self, context, GetPromptRequest(GetPromptRequest::new(params)) -> GetPromptResult | InputRequiredResult)
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

/// Takes back what needs a session in the revisions with a handshake: the level of log messages and all
/// notifications of changes.
fn withdraw_what_lasts(capabilities: &mut ServerCapabilities) {
    capabilities.logging = None;
    if let Some(resources) = &mut capabilities.resources {
        (resources.subscribe, resources.list_changed) = (None, None);
    }
    if let Some(tools) = &mut capabilities.tools {
        tools.list_changed = None;
    }
    if let Some(prompts) = &mut capabilities.prompts {
        prompts.list_changed = None;
    }
}
