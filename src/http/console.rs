//! The owner's console over HTTP, on this machine's own address alone. What its pages show is the business of
//! `console`; this is about who may ask.
//!
//! Invariants: only the shell, which is the same for everybody and knows nothing of the vault, is given without
//! the token of this run; whoever is not let in gets one constant answer, whatever was asked; no page may load,
//! run or reach anything but what this server gives it; nothing may be kept.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use super::door::{Door, Tokens, bearer};
use super::rest::pairs;
use super::{HttpError, Listening, Place, until_told_to_end};
use crate::console::{Asset, Console, SHELL, problem};
use crate::vault::Profile;

/// Pages that are made at once; further requests wait.
const PAGES_AT_ONCE: usize = 4;
/// How long a page may take.
const DEADLINE: Duration = Duration::from_mins(1);

const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types fragments",
    ),
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The console and its keys.
pub struct ConsoleServer {
    /// What is shown.
    pub console: Console,
    /// 0 takes any that is free.
    pub port: u16,
    /// Opens every page, for as long as the process lives. Random, and made for this run.
    pub token: String,
    /// Gives the token, once: for a link that passes through places where others may see it.
    pub ticket: String,
}

/// Serves until the process is told to end. `announce` hears the address of the shell.
pub fn serve_console(server: ConsoleServer, announce: impl FnOnce(&str)) -> Result<(), HttpError> {
    let ConsoleServer { console, port, token, ticket } = server;
    let listening = Listening {
        place: Place::Tcp { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port },
        allowed_hosts: Vec::new(),
        tokens: Arc::new(OneToken(blake3::hash(token.as_bytes()))),
        needs_token: true,
    };
    let keys = Keys { token, ticket: Mutex::new(Some(blake3::hash(ticket.as_bytes()))) };
    let router = |door| router(Arc::new(console), Gate { door, keys });
    until_told_to_end(listening, router, |address, _| {
        announce(&address.map(|address| format!("http://{address}/")).unwrap_or_default());
    })
}

/// The token of this run, as the door asks for it.
struct OneToken(blake3::Hash);

impl Tokens for OneToken {
    fn profile_of(&self, token: &str) -> Option<Profile> {
        is_hash_of(&self.0, token).then_some(Profile::Full)
    }
}

/// Takes the same time for every text of the same length.
fn is_hash_of(hash: &blake3::Hash, text: &str) -> bool {
    blake3::hash(text.as_bytes()).as_bytes().ct_eq(hash.as_bytes()).into()
}

struct Keys {
    token: String,
    /// None once it was used.
    ticket: Mutex<Option<blake3::Hash>>,
}

impl Keys {
    /// The token, for whoever brings the ticket first.
    fn redeem(&self, headers: &HeaderMap) -> Option<&str> {
        let given = headers.get(AUTHORIZATION)?.to_str().ok().and_then(bearer)?;
        let mut ticket = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        ticket.take_if(|hash| is_hash_of(hash, given)).map(|_| self.token.as_str())
    }
}

struct Gate {
    door: Door,
    keys: Keys,
}

/// Where the ticket is given for the token.
const KEY: &str = "/key";

impl Gate {
    fn lets_in(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
        let is_free = uri.path() == KEY || SHELL.iter().any(|asset| asset.path == uri.path());
        let is_known = if is_free {
            self.door.check_sender(uri, headers).is_ok()
        } else {
            self.door.check(uri, headers) == Ok(Profile::Full)
        };
        is_known && method == Method::GET
    }
}

/// Routes take any method, since the gate lets GET in alone: a refusal must not tell which routes there are.
fn router(console: Arc<Console>, gate: Gate) -> Router {
    let gate = Arc::new(gate);
    let pages = Arc::new(Pages { console, slots: Arc::new(Semaphore::new(PAGES_AT_ONCE)) });
    let shell = SHELL.iter().fold(Router::new(), |router, asset| {
        router.route(asset.path, any(move || std::future::ready(written(asset))))
    });
    let key = Router::new().route(KEY, any(key)).with_state(Arc::clone(&gate));
    shell
        .route("/view/{view}", any(page))
        .with_state(pages)
        .merge(key)
        .fallback(|| std::future::ready(refused()))
        .layer(middleware::from_fn_with_state(gate, admit))
}

async fn admit(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let is_welcome = gate.lets_in(request.method(), request.uri(), request.headers());
    let mut response = if is_welcome { next.run(request).await } else { refused() };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What everybody gets who is not let in, and for everything that is not there.
fn refused() -> Response {
    (StatusCode::FORBIDDEN, "refused\n").into_response()
}

fn written(asset: &Asset) -> Response {
    ([(CONTENT_TYPE, asset.content_type)], asset.text).into_response()
}

async fn key(State(gate): State<Arc<Gate>>, headers: HeaderMap) -> Response {
    gate.keys.redeem(&headers).map_or_else(refused, |token| token.to_owned().into_response())
}

struct Pages {
    console: Arc<Console>,
    slots: Arc<Semaphore>,
}

async fn page(State(pages): State<Arc<Pages>>, Path(view): Path<String>, uri: Uri) -> Response {
    let Some(parameters) = pairs(uri.query().unwrap_or_default()) else { return refused() };
    let making = make(&pages, view, parameters);
    let made = tokio::time::timeout(DEADLINE, making).await;
    let shown = match made {
        Ok(Some(Made::Page(text))) => text,
        Ok(Some(Made::NoSuchView)) => return refused(),
        Ok(None) => problem("Something went wrong inside obsearch.", "Try it again."),
        Err(_elapsed) => problem("This took more than a minute.", "Ask for less."),
    };
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], shown).into_response()
}

enum Made {
    Page(String),
    NoSuchView,
}

/// Makes a page on a thread of its own; none if that failed. The work ends soon after nobody waits for it.
async fn make(pages: &Pages, view: String, parameters: Vec<(String, String)>) -> Option<Made> {
    let slot = Arc::clone(&pages.slots).acquire_owned().await.ok()?;
    let console = Arc::clone(&pages.console);
    let presence = Presence(Arc::new(AtomicBool::new(true)));
    let is_there = Arc::clone(&presence.0);
    let task = tokio::task::spawn_blocking(move || {
        let _slot = slot;
        let is_wanted = Arc::new(move || is_there.load(Ordering::Relaxed));
        console.page(&view, &parameters, is_wanted).map_or(Made::NoSuchView, Made::Page)
    });
    task.await.ok()
}

/// Says that nobody waits any more, once it is dropped with the request.
struct Presence(Arc<AtomicBool>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
