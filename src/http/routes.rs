//! What can be asked over HTTP. Every route stands behind the same door and the same limits.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{any, get};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_stream::StreamExt;

use super::door::{Door, Refused};
use super::response::{said, turned_away, with_json};
use super::{rest, sse};
use crate::mcp::{Endpoint, MAX_BODY_BYTES, Operations, ServerOptions};
use crate::vault::Profile;

/// Requests that are worked on at once; more are refused.
const MAX_IN_FLIGHT: usize = 64;
/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// What is read away, and for how long, of a body that is refused.
const MAX_DRAINED_BYTES: usize = 8 << 20;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an answer may take; the server's own deadline comes before.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(70);

/// The endpoints of both profiles; none for a profile that nobody may ask for.
pub(super) struct Endpoints<O> {
    pub(super) public: Endpoint<O>,
    pub(super) full: Option<Endpoint<O>>,
}

impl<O> Endpoints<O> {
    /// The endpoint of the profile that the door found.
    pub(super) fn of(&self, request: &Request) -> Option<&Endpoint<O>> {
        match request.extensions().get::<Profile>()? {
            Profile::Full => self.full.as_ref(),
            Profile::Public => Some(&self.public),
        }
    }
}

impl<O> Clone for Endpoints<O> {
    fn clone(&self) -> Self {
        Endpoints { public: self.public.clone(), full: self.full.clone() }
    }
}

/// All routes, behind the door.
pub(super) fn router<O: Operations>(
    endpoints: Endpoints<O>,
    options: ServerOptions,
    with_sse: bool,
    door: Door,
) -> Router {
    let router = Router::new().route("/mcp", any(mcp::<O>));
    let router = if with_sse { sse::add_routes(router) } else { router };
    let router = rest::add_routes(router, &endpoints.public, options.reindex, door.authorization());
    behind(door, router.with_state(endpoints))
}

/// These routes, and those that are there whatever is served, behind the door and the limits.
pub(super) fn behind(door: Door, routes: Router) -> Router {
    let limits = Arc::new(Limits { door, in_flight: Semaphore::new(MAX_IN_FLIGHT) });
    routes
        .route("/health", get(health))
        .fallback(|| async { said(StatusCode::NOT_FOUND, "no such route") })
        .method_not_allowed_fallback(|| async {
            said(StatusCode::METHOD_NOT_ALLOWED, "this route has other methods: see Allow")
        })
        .layer(middleware::from_fn_with_state(limits, admit))
}

struct Limits {
    door: Door,
    in_flight: Semaphore,
}

/// The door, then the body, whole and bounded, then the work, bounded in number and time.
async fn admit(State(limits): State<Arc<Limits>>, request: Request, next: Next) -> Response {
    let (mut head, mut body) = request.into_parts();
    let profile = match limits.door.check(&head.uri, &head.headers) {
        Ok(profile) => profile,
        Err(refused) => return drained(body, turned_away(refused)).await,
    };
    let Ok(_permit) = limits.in_flight.try_acquire() else {
        let busy = said(StatusCode::SERVICE_UNAVAILABLE, "too many requests at once; try again");
        return drained(body, busy).await;
    };
    let body = match whole(&mut body).await {
        Ok(body) => body,
        Err(status) => {
            return drained(body, said(status, "the body is too long, or came too slowly")).await;
        }
    };
    head.extensions.insert(profile);
    let (uri, headers) = (head.uri.clone(), head.headers.clone());
    let answering = next.run(Request::from_parts(head, Body::from(body)));
    let mut response = tokio::time::timeout(ANSWER_TIMEOUT, answering)
        .await
        .unwrap_or_else(|_elapsed| said(StatusCode::GATEWAY_TIMEOUT, "no answer in time"));
    // Nothing on the way may keep what was private a moment later.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let limits = Arc::clone(&limits);
    for_as_long_as(response, move || limits.door.check(&uri, &headers) == Ok(profile))
}

/// A stream that ends before its next byte once its client is no longer welcome, as when its token was revoked.
/// Other answers are let through: they are whole.
fn for_as_long_as(response: Response, is_welcome: impl Fn() -> bool + Send + 'static) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| Body::from_stream(body.into_data_stream().take_while(move |_| is_welcome())))
}

async fn whole(body: &mut Body) -> Result<Bytes, StatusCode> {
    let collecting = Limited::new(body, MAX_BODY_BYTES).collect();
    match tokio::time::timeout(BODY_TIMEOUT, collecting).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_elapsed) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// The answer to a request whose body nobody wants. The body is read away for a moment first: a
/// connection that is closed on bytes still unread takes the answer along.
async fn drained(body: Body, answer: Response) -> Response {
    let mut body = Limited::new(body, MAX_DRAINED_BYTES);
    let draining = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, draining).await;
    answer
}

async fn health() -> Response {
    with_json(StatusCode::OK, &json!({ "status": "ok" }))
}

async fn mcp<O: Operations>(State(endpoints): State<Endpoints<O>>, request: Request) -> Response {
    let Some(endpoint) = endpoints.of(&request) else { return turned_away(Refused::Unauthorized) };
    endpoint.answer(request).await.map(Body::new)
}
