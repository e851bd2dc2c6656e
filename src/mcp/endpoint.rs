//! MCP over HTTP for one profile of one vault or several, and calls of tools without MCP around them, through the same door.
//! It knows nothing of sockets, hosts or tokens.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::BoxBody;
use serde_json::{Map, Value};

use super::failure::CallError;
use super::guard::Guard;
use super::limit::TokenBucket;
use super::operations::Operations;
use super::parameters::Described;
use super::server::{Server, Visitor};
use super::streamable::Streamable;
use super::tools::ToolName;
use super::vaults::Vaults;
use super::{CALLS_AT_ONCE, ServerOptions};
use crate::ledger::{Book, Transport};
use crate::ops::Silent;

/// The answers to HTTP requests for one profile.
pub struct Endpoint<O> {
    guard: Arc<Guard<Server<O>>>,
    streamable: Streamable<Server<O>>,
}

impl<O> Clone for Endpoint<O> {
    fn clone(&self) -> Self {
        Endpoint { guard: Arc::clone(&self.guard), streamable: self.streamable.clone() }
    }
}

impl<O: Operations> Endpoint<O> {
    /// One set of limits for all requests that it answers.
    pub fn new(vaults: Vaults<O>, options: ServerOptions, book: Book) -> Self {
        let server = Server::new(vaults, options.reindex, CALLS_AT_ONCE, TokenBucket::generous());
        Endpoint::behind(Guard::new(server.recorded(book).over(Transport::Http)))
    }

    /// The parameter that every tool has here, where there are several vaults.
    pub(crate) fn vault_parameter(&self) -> Option<Described> {
        self.server().vaults().parameter()
    }

    pub(super) fn server(&self) -> &Server<O> {
        self.guard.inner()
    }

    pub(super) fn behind(guard: Guard<Server<O>>) -> Self {
        let guard = Arc::new(guard);
        let streamable = Streamable::behind(Arc::clone(&guard));
        Endpoint { guard, streamable }
    }

    /// The structured content of a tool's answer. A call stops soon after its future is
    /// dropped.
    pub(crate) async fn call(
        &self,
        tool: ToolName,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let server = self.server();
        let visitor = Visitor::of_rest();
        let calling = server.call(tool.as_str(), Some(arguments), visitor, std::future::pending(), Silent);
        self.guard.bounded(calling).await?.map(|answer| answer.structured)
    }

    /// The answer to a request; GET and DELETE are refused, as there are no sessions.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Display,
        B::Data: Send,
    {
        self.streamable.answer(request).await
    }
}
