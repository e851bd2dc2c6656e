//! What is offered: the server's name, tools, resources, prompts and completions. A request is checked here,
//! on the async side, and then works on a thread of its own. It knows nothing of the streams.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Icon, Implementation, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestMethod, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;

use super::account::Account;
use super::answer::Answer;
use super::arguments::Arguments;
use super::completions::{self, Completion};
use super::failure::CallError;
use super::limit::TokenBucket;
use super::operations::Operations;
use super::progress::Reporter;
use super::resources::Place;
use super::subscriptions::{MAX_ADDRESSES, MAX_STREAMS, Subscriptions, Watch};
use super::tools::{ReindexAccess, ToolName};
use super::vaults::{Chosen, Vaults};
use super::{answer, prompts, requests, resources, vaults};
use crate::ledger::{Asked, Book, Client, Transport};
use crate::ops::{Caller, IsWanted, Progress};

/// A page and a lens.
const ICON: &str = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%20\
                    0%2024%2024'%20fill='none'%20stroke='%237c3aed'%20stroke-width='2'%3E%3Cpath%2\
                    0d='M5%203h9l5%205v13H5z'/%3E%3Ccircle%20cx='11'%20cy='13'%20r='3'/%3E%3Cpath%\
                    20d='m13.5%2015.5%202.5%202.5'/%3E%3C/svg%3E";

/// The server over one vault, or several.
pub(super) struct Server<O> {
    vaults: Vaults<O>,
    reindex: ReindexAccess,
    /// Of each vault its own: one that hangs, as an unmounted share does, keeps no other from its answers.
    slots: Arc<[Arc<Semaphore>]>,
    /// Streams of notifications, of the newest revision.
    streams: Arc<Semaphore>,
    /// What the one client watches, if there is a connection that lasts and it speaks an older revision.
    subscriptions: Option<Subscriptions>,
    bucket: Arc<TokenBucket>,
    /// Where it is recorded what went out.
    book: Book,
    transport: Transport,
}

impl<O: Operations> Server<O> {
    /// At most `calls_at_once` calls work at the same time, of each vault an equal share; further ones wait for
    /// their turn.
    pub(super) fn new(
        vaults: Vaults<O>,
        reindex: ReindexAccess,
        calls_at_once: usize,
        bucket: TokenBucket,
    ) -> Self {
        let share = (calls_at_once / vaults.len()).max(1);
        let slots = vaults.each().map(|_| Arc::new(Semaphore::new(share))).collect();
        Server {
            vaults,
            reindex,
            slots,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            subscriptions: None,
            bucket: Arc::new(bucket),
            book: Book::default(),
            transport: Transport::Stdio,
        }
    }

    /// What goes out is recorded there from now on.
    pub(super) fn recorded(self, book: Book) -> Self {
        Server { book, ..self }
    }

    /// Its clients come this way.
    pub(super) fn over(self, transport: Transport) -> Self {
        Server { transport, ..self }
    }

    /// All requests come from one client, over one connection, on which it can be told of changes.
    /// Whatever limits this server has are shared with it.
    pub(super) fn for_one_client(&self) -> Self {
        Server {
            vaults: self.vaults.clone(),
            reindex: self.reindex,
            slots: Arc::clone(&self.slots),
            streams: Arc::clone(&self.streams),
            subscriptions: Some(Subscriptions::default()),
            bucket: Arc::clone(&self.bucket),
            book: self.book.clone(),
            transport: self.transport,
        }
    }

    fn tool(&self, name: &str) -> Result<ToolName, CallError> {
        ToolName::offered(self.reindex).find(|tool| tool.as_str() == name).ok_or(CallError::UNKNOWN_TOOL)
    }

    /// What the server offers.
    pub(super) fn vaults(&self) -> &Vaults<O> {
        &self.vaults
    }

    fn listed(&self, tool: ToolName) -> Tool {
        self.vaults.with_parameter(tool.listed())
    }

    /// Calls a tool, by whichever protocol. The work stops soon after `cancelled`, or after nobody waits for
    /// this future any longer.
    pub(super) async fn call(
        &self,
        tool: &str,
        mut arguments: Option<JsonObject>,
        visitor: Visitor,
        cancelled: impl Future<Output = ()>,
        progress: impl Progress + Send + 'static,
    ) -> Result<Answer, CallError> {
        self.admit()?;
        let tool = self.tool(tool)?;
        let vault = self.vaults.take(&mut arguments)?;
        let taken = vault.name().map(|_| vaults::ARGUMENT);
        let request = requests::request(tool, Arguments::check(tool.parameters(), arguments, taken)?)?;
        let started = Instant::now();
        let asked = visitor.asks(tool.as_str());
        let number = vault.number();
        let work = move |account: &Account, caller: &Caller<'_>| {
            let operations = vault.operations(account).map_err(answer::failed)?;
            Ok::<_, CallError>(vault.signed(answer::to(&request, &operations, caller)?))
        };
        let outcome = self.on_a_thread(number, asked, cancelled, progress, work).await?;
        let failed = outcome.is_err();
        tracing::debug!(tool = tool.as_str(), failed, elapsed = ?started.elapsed(), "call");
        outcome
    }

    /// Runs synchronous work for the vault of this number off the async threads. A request that is cancelled while
    /// it waits for its turn never starts; later on the work itself notices. What is answered is recorded before it
    /// goes out; what is refused leaves no trace.
    async fn on_a_thread<T: Send + 'static, E: Send + 'static>(
        &self,
        vault: usize,
        asked: Asked,
        cancelled: impl Future<Output = ()>,
        progress: impl Progress + Send + 'static,
        work: impl FnOnce(&Account, &Caller<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<Result<T, E>, CallError> {
        let mut cancelled = pin!(cancelled);
        let slot = tokio::select! {
            slot = Arc::clone(&self.slots[vault]).acquire_owned() => slot.map_err(|_closed| CallError::INTERNAL)?,
            () = cancelled.as_mut() => return Err(CallError::CANCELLED),
        };
        let presence = Presence(Arc::new(()));
        let (account, is_waiting) = (Account::of(vault), presence.watched());
        let book = self.book.clone();
        let task = tokio::task::spawn_blocking(move || {
            // Held by the work and not by the waiting: a deadline does not free it early.
            let _slot = slot;
            let caller = Caller::new(is_waiting, &progress);
            let outcome = work(&account, &caller);
            if outcome.is_ok() && caller.is_waiting() {
                account.close(&book, &asked);
            }
            outcome
        });
        tokio::select! {
            done = task => done.map_err(|_panicked| CallError::INTERNAL),
            () = cancelled => Err(CallError::CANCELLED),
        }
    }

    /// Work for a request of MCP.
    async fn asked<T: Send + 'static, E: Send + 'static>(
        &self,
        method: &'static str,
        context: &RequestContext<RoleServer>,
        vault: usize,
        work: impl FnOnce(&Account, &Caller<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<Result<T, E>, CallError> {
        self.admit()?;
        let asked = self.visitor(context).asks(method);
        self.on_a_thread(vault, asked, context.ct.cancelled(), Reporter::new(context), work).await
    }

    fn visitor(&self, context: &RequestContext<RoleServer>) -> Visitor {
        // Between two requests over HTTP nothing is remembered, and rmcp puts its own name in the place of the client's.
        let told = match self.transport {
            Transport::Http => context.meta.client_info(),
            _ => context.client_info(),
        };
        let told = told.map(|told| Client::new(&told.name, &told.version));
        let client = told.or_else(|| user_agent(context)).unwrap_or_default();
        Visitor { client, transport: self.transport }
    }

    /// One more request that has work to do, unless there were too many.
    fn admit(&self) -> Result<(), CallError> {
        self.bucket.take().map(drop).ok_or(CallError::TOO_MANY_CALLS)
    }
}

/// Who is there, as far as it is known.
pub(super) struct Visitor {
    client: Client,
    transport: Transport,
}

impl Visitor {
    /// Somebody who speaks no MCP.
    pub(super) fn of_rest() -> Visitor {
        Visitor { client: Client::new("rest", ""), transport: Transport::Rest }
    }

    fn asks(self, call: &'static str) -> Asked {
        Asked { client: self.client, transport: self.transport, call }
    }
}

/// Somebody waits for as long as it exists.
struct Presence(Arc<()>);

impl Presence {
    fn watched(&self) -> IsWanted {
        let watched = Arc::downgrade(&self.0);
        Arc::new(move || watched.strong_count() > 0)
    }
}

impl<O: Operations> ServerHandler for Server<O> {
    fn get_info(&self) -> ServerConfig {
        let identity =
            Implementation::new("obsearch", env!("CARGO_PKG_VERSION")).with_title("obsearch").with_icons(
                vec![Icon::new(ICON).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()])],
            );
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(identity)
            .with_instructions(self.vaults.instructions())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::offered(self.reindex).map(|tool| self.listed(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool(name).ok().map(|tool| self.listed(tool))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (visitor, reporter) = (self.visitor(&context), Reporter::new(&context));
        let outcome = self.call(&call.name, call.arguments, visitor, context.ct.cancelled(), reporter).await;
        answer::result(outcome).map(CallToolResponse::from)
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let place = Place::of(&self.vaults, cursor)?;
        let number = place.vault();
        let work = move |account: &Account, caller: &Caller<'_>| resources::page(place, account, caller);
        let page = self.asked("resources/list", &context, number, work).await??;
        if let Some(subscriptions) = self.subscriptions.as_ref().filter(|_| is_older(&context)) {
            subscriptions.list_was_seen();
            subscriptions.notify(&self.vaults, context.peer);
        }
        Ok(page)
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates(&self.vaults)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (vault, path) = resources::at(&self.vaults, &request.uri)?;
        let number = vault.number();
        let work =
            move |account: &Account, caller: &Caller<'_>| resources::read(&vault, path, account, caller);
        Ok(self.asked("resources/read", &context, number, work).await??.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some(subscriptions) = &self.subscriptions else {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        };
        if self.vaults.address(&request.uri).is_none() {
            return Err(ErrorData::invalid_params("this is no address of a note", None));
        }
        if !subscriptions.add(request.uri) {
            let message = format!("at most {MAX_ADDRESSES} addresses can be watched");
            return Err(ErrorData::invalid_params(message, None));
        }
        subscriptions.notify(&self.vaults, context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let Some(subscriptions) = &self.subscriptions {
            subscriptions.remove(&request.uri);
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, wanted: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(resources::accepted(&self.vaults, wanted))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Ok(_stream) = self.streams.try_acquire() else {
            return Err(ErrorData::internal_error("too many clients listen already", None));
        };
        let mut watch = Watch::begin(self.vaults.clone()).await;
        loop {
            let news = tokio::select! {
                news = watch.next(|| context.accepted().clone()) => news,
                () = context.cancelled() => return Ok(()),
            };
            for told in news {
                if context.sink().send(told).await.is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(
            prompts::ALL.iter().map(|prompt| prompt.listed(&self.vaults)).collect(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (vault, prompt) = prompts::get(request, &self.vaults)?;
        let (book, asked) = (self.book.clone(), self.visitor(&context).asks("prompts/get"));
        // It shows no note. Whether or not it could be recorded, it goes out.
        let _ = tokio::task::spawn_blocking(move || Account::of(vault).close(&book, &asked)).await;
        Ok(prompt.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Completion { vault, wanted } = Completion::of(request, &self.vaults)
            .ok_or_else(|| ErrorData::invalid_params("there is nothing of that name to complete", None))?;
        let number = vault.as_ref().map_or(0, Chosen::number);
        let vaults = self.vaults.clone();
        let suggested = self
            .asked("completion/complete", &context, number, move |account, caller| match vault {
                Some(vault) => completions::suggestions(&vault.operations(account)?, &wanted, caller),
                None => Ok(completions::without_a_vault(&vaults, &wanted)),
            })
            .await?;
        Ok(suggested.map(CompleteResult::new).map_err(answer::failed)?)
    }

    /// A known method whose parameters do not fit ends up here, as rmcp reads requests as an
    /// untagged union with this one last.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "method not found", None);
        let is_modern = !is_older(&context);
        Err(match request.method.as_str() {
            "initialize" | "resources/subscribe" | "resources/unsubscribe" if is_modern => unknown(),
            "tools/call" => {
                ErrorData::invalid_params("`name` must be a string and `arguments` an object", None)
            }
            "initialize"
            | "server/discover"
            | "tools/list"
            | "prompts/list"
            | "prompts/get"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "subscriptions/listen"
            | "completion/complete" => {
                ErrorData::invalid_params("the parameters of this method do not fit", None)
            }
            _ => unknown(),
        })
    }
}

/// What the program behind a request over HTTP calls itself: the first `name/version`.
fn user_agent(context: &RequestContext<RoleServer>) -> Option<Client> {
    let head = context.extensions.get::<http::request::Parts>()?;
    let product = head.headers.get(http::header::USER_AGENT)?.to_str().ok()?.split(' ').next()?;
    let (name, version) = product.split_once('/').unwrap_or((product, ""));
    Some(Client::new(name, version))
}

/// Does the client speak a revision with a handshake, and so with a connection of its own?
fn is_older(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|version| version.has_initialize())
}
