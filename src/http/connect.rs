//! A bridge for clients that speak only over standard input and output: each line goes to a running
//! server as one HTTP request, each message of its answer comes back as a line. Several clients share one
//! server that way, and a container needs nothing but the server's socket or one open port.
//!
//! Invariant: standard output carries the server's JSON-RPC messages and nothing else; a request that
//! the server cannot answer is answered here, in words that hold nothing of it.

mod events;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::mcp::termination;
use events::Events;

/// How long the server may be silent. Its own deadline comes before, and a stream says now and then that it is
/// alive.
const PATIENCE: Duration = Duration::from_secs(75);
/// How long answers in flight may still come after the client closed its side.
const GRACE: Duration = Duration::from_millis(1_500);
/// Well below what a server takes at once, which several clients share; further ones wait here.
const REQUESTS_AT_ONCE: usize = 12;
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// The era whose requests carry their method and name in headers.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// JSON-RPC's range for errors of an implementation.
const UNREACHABLE: i64 = -32_000;
const BROKEN: &str = "the connection to the server broke";
const LATE: &str = "the server did not answer in time";

/// Where the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A socket file.
    Socket(PathBuf),
    /// `host:port` and a path on it.
    Url {
        /// With the port.
        authority: String,
        /// From `/` on.
        path: String,
    },
}

impl Target {
    /// Reads `http://host:port/path`.
    pub fn parse_url(text: &str) -> Result<Target, String> {
        let uri: http::Uri = text.parse().map_err(|_| "it is no URL".to_owned())?;
        match (uri.scheme_str(), uri.authority()) {
            (Some("http"), Some(authority)) if !authority.as_str().contains('@') => {
                let port = authority.port_u16().unwrap_or(80);
                let path = match uri.path() {
                    "/" | "" => "/mcp".to_owned(),
                    path => path.to_owned(),
                };
                Ok(Target::Url { authority: format!("{}:{port}", authority.host()), path })
            }
            (Some("https"), _) => Err("obsearch serves plain http; put a tunnel in front of it".to_owned()),
            _ => Err("write it like http://127.0.0.1:9000/mcp".to_owned()),
        }
    }
}

/// Connects standard input and output to a server until the client leaves.
pub fn connect(target: Target, token: Option<String>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let bridge = Arc::new(Bridge::new(target, token));
    runtime.block_on(async {
        tokio::select! {
            () = pass_on(bridge, tokio::io::stdin(), tokio::io::stdout()) => {}
            () = termination() => {}
        }
    });
    runtime.shutdown_background();
    Ok(())
}

async fn pass_on(
    bridge: Arc<Bridge>,
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin + Send + 'static,
) {
    let (sender, mut answers) = mpsc::channel::<String>(64);
    let writing = tokio::spawn(async move {
        while let Some(line) = answers.recv().await {
            let written = output.write_all(format!("{line}\n").as_bytes()).await;
            if written.is_err() || output.flush().await.is_err() {
                return; // nobody reads any more
            }
        }
    });
    let mut input = BufReader::new(input);
    let mut asking = JoinSet::new();
    let mut greeting = None;
    while let Some(line) = next_line(&mut input).await {
        // The first request decides the version that the others name, so it goes alone.
        if let Some(greeting) = greeting.take() {
            let _ = greeting.await;
        }
        if writing.is_finished() {
            return;
        }
        if line.trim().is_empty() {
            continue;
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        let (bridge, sender) = (Arc::clone(&bridge), sender.clone());
        if message["method"] == "notifications/cancelled" {
            bridge.cancel(&message["params"]["requestId"]);
        }
        let cancelled = bridge.cancellation(&message);
        let (greeted, is_greeted) = oneshot::channel::<()>();
        if message["method"] == "initialize" {
            greeting = Some(is_greeted);
        }
        asking.spawn(async move {
            let _greeted = greeted;
            tokio::select! {
                () = bridge.ask(line, &message, &sender) => {}
                // The connection ends with the request, and so does the server's work.
                Ok(()) = cancelled => {}
            }
            bridge.forget(&message);
        });
        while asking.try_join_next().is_some() {}
    }
    drop(sender);
    let all_done = async {
        while asking.join_next().await.is_some() {}
        let _ = writing.await;
    };
    let _ = timeout(GRACE, all_done).await;
}

/// None at the end. What is no text is passed on as far as it is one.
async fn next_line(input: &mut (impl AsyncBufReadExt + Unpin)) -> Option<String> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line).await.ok()?;
    (read > 0).then(|| String::from_utf8_lossy(line.trim_ascii_end()).into_owned())
}

struct Bridge {
    target: Target,
    token: Option<String>,
    /// What `initialize` agreed on.
    version: Mutex<Option<String>>,
    /// What the client said of itself then, for the server's ledger.
    client: Mutex<Option<HeaderValue>>,
    slots: Semaphore,
    /// Requests that are not answered yet, by their `id`.
    asked: Mutex<HashMap<String, oneshot::Sender<()>>>,
}

impl Bridge {
    fn new(target: Target, token: Option<String>) -> Bridge {
        let slots = Semaphore::new(REQUESTS_AT_ONCE);
        let (version, client) = (Mutex::default(), Mutex::default());
        Bridge { target, token, version, client, slots, asked: Mutex::default() }
    }

    /// Asks the server, and sends on what it answers.
    async fn ask(&self, line: String, message: &Value, answers: &mpsc::Sender<String>) {
        if let Err(text) = self.exchange(line, message, answers).await
            && let Some(line) = refusal(message, text)
        {
            let _ = answers.send(line).await;
        }
    }

    /// Completes when the client cancels the request.
    fn cancellation(&self, message: &Value) -> oneshot::Receiver<()> {
        let (cancel, cancelled) = oneshot::channel();
        if is_request(message) {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.insert(message["id"].to_string(), cancel);
        }
        cancelled
    }

    fn cancel(&self, id: &Value) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string());
        if let Some(cancel) = asked {
            let _ = cancel.send(());
        }
    }

    fn forget(&self, message: &Value) {
        if is_request(message) {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.remove(&message["id"].to_string());
        }
    }

    fn remember_client(&self, message: &Value) {
        let client = &message["params"]["clientInfo"];
        let [name, version] =
            ["name", "version"].map(|key| client[key].as_str().unwrap_or_default().replace([' ', '/'], "-"));
        let product = HeaderValue::from_str(&format!("{name}/{version}")).ok();
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = product;
    }

    fn remember_version(&self, line: &str) {
        let answer: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(version) = answer["result"]["protocolVersion"].as_str() {
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
        }
    }

    async fn exchange(
        &self,
        line: String,
        message: &Value,
        answers: &mpsc::Sender<String>,
    ) -> Result<(), &'static str> {
        if message["method"] == "initialize" {
            self.remember_client(message);
        }
        let slot = self.slots.acquire().await.map_err(|_| BROKEN)?;
        let mut answer = timeout(PATIENCE, self.reach(line, message)).await.map_err(|_elapsed| LATE)??;
        let response = &mut answer.response;
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(()),
            StatusCode::UNAUTHORIZED => {
                Err("the server wants a token: set OBSEARCH_TOKEN to one that it knows")
            }
            StatusCode::FORBIDDEN => Err("the server does not accept this host name: see its --allowed-host"),
            _ if is_stream(response) => {
                // It may stay open for as long as the client likes.
                drop(slot);
                self.pass_on_events(response.body_mut(), message, answers).await
            }
            // An error of the protocol has a status of its own, and is a message all the same.
            _ => {
                let body = timeout(PATIENCE, whole(response.body_mut())).await.map_err(|_elapsed| LATE)?;
                let line = one_line(&body.ok_or(BROKEN)?).ok_or("the server refused the request")?;
                if message["method"] == "initialize" {
                    self.remember_version(&line);
                }
                let _ = answers.send(line).await;
                Ok(())
            }
        }
    }

    /// Sends on the messages of a stream as they come. Once the request is answered, its end is as good as any.
    async fn pass_on_events(
        &self,
        body: &mut Incoming,
        message: &Value,
        answers: &mpsc::Sender<String>,
    ) -> Result<(), &'static str> {
        let mut events = Events::default();
        let mut is_answered = false;
        let end = loop {
            let piece = match timeout(PATIENCE, body.frame()).await {
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(Some(Err(_)) | None) => break BROKEN,
                Err(_elapsed) => break LATE,
            };
            let Ok(whole) = events.read(&piece) else { break BROKEN };
            for line in whole.iter().filter_map(|data| one_line(data)) {
                let told: Value = serde_json::from_str(&line).unwrap_or_default();
                if told["id"] == message["id"] && told["method"].is_null() {
                    is_answered = true;
                    if message["method"] == "initialize" {
                        self.remember_version(&line);
                    }
                }
                let _ = answers.send(line).await;
            }
        };
        if is_answered { Ok(()) } else { Err(end) }
    }

    /// Sends the request, until the head of its answer is there.
    async fn reach(&self, line: String, message: &Value) -> Result<Answer, &'static str> {
        const UNREACHED: &str = "the server cannot be reached; is `obsearch serve` running there?";
        match &self.target {
            Target::Socket(path) => {
                let stream = UnixStream::connect(path).await.map_err(|_| UNREACHED)?;
                send(stream, self.request(line, message, "localhost", "/mcp")?).await
            }
            Target::Url { authority, path } => {
                let stream = TcpStream::connect(authority).await.map_err(|_| UNREACHED)?;
                let _ = stream.set_nodelay(true);
                send(stream, self.request(line, message, authority, path)?).await
            }
        }
    }

    fn request(
        &self,
        line: String,
        message: &Value,
        host: &str,
        path: &str,
    ) -> Result<Request<Full<Bytes>>, &'static str> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(HOST, host)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream");
        if let Some(client) = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            request = request.header(USER_AGENT, client);
        }
        let named = message["params"]["_meta"][VERSION_KEY].as_str().map(str::to_owned);
        let is_named = named.is_some();
        let agreed = self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(version) = named.or(agreed) {
            request = request.header("mcp-protocol-version", version);
        }
        if is_named {
            let params = &message["params"];
            // A resource is named by its address.
            let subject = if params["name"].is_string() { &params["name"] } else { &params["uri"] };
            let texts = [("mcp-method", &message["method"]), ("mcp-name", subject)];
            for (name, value) in texts {
                if let Some(value) = value.as_str().and_then(|text| HeaderValue::from_str(text).ok()) {
                    request = request.header(name, value);
                }
            }
        }
        if let Some(token) = &self.token {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| "the token is no token")?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        request.body(Full::new(Bytes::from(line))).map_err(|_| "the request could not be made")
    }
}

/// An answer whose head has come. Its connection ends with it.
struct Answer {
    response: Response<Incoming>,
    _connection: JoinSet<hyper::Result<()>>,
}

async fn send<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Answer, &'static str>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, driving) = handshake(TokioIo::new(stream)).await.map_err(|_| BROKEN)?;
    let mut connection = JoinSet::new();
    connection.spawn(driving);
    let response = sender.send_request(request).await.map_err(|_| BROKEN)?;
    Ok(Answer { response, _connection: connection })
}

fn is_stream(answer: &Response<Incoming>) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

async fn whole(body: &mut Incoming) -> Option<String> {
    let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await.ok()?.to_bytes();
    String::from_utf8(body.to_vec()).ok()
}

/// A JSON-RPC message on one line; none for anything else.
fn one_line(body: &str) -> Option<String> {
    let message: Value = serde_json::from_str(body).ok()?;
    message["jsonrpc"].is_string().then(|| message.to_string())
}

fn is_request(message: &Value) -> bool {
    message["method"].is_string() && !message["id"].is_null()
}

/// The answer to a request that got none; none for notifications.
fn refusal(message: &Value, text: &str) -> Option<String> {
    let error = json!({ "code": UNREACHABLE, "message": text });
    is_request(message).then(|| json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_and_what_cannot_work_is_refused() {
        let url =
            |authority: &str, path: &str| Ok(Target::Url { authority: authority.into(), path: path.into() });
        assert_eq!(Target::parse_url("http://127.0.0.1:9000/mcp"), url("127.0.0.1:9000", "/mcp"));
        assert_eq!(Target::parse_url("http://[::1]:9000"), url("[::1]:9000", "/mcp"));
        assert_eq!(Target::parse_url("http://box/x"), url("box:80", "/x"));
        for wrong in ["https://box/mcp", "box:9000", "/mcp", "", "ftp://box", "http://user:pass@box/mcp"] {
            assert!(Target::parse_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_messages_are_passed_on_and_only_requests_answered() {
        assert_eq!(one_line("{\"error\":\"not found\"}"), None);
        assert_eq!(refusal(&json!({ "method": "x" }), "y"), None);
        assert_eq!(refusal(&json!({ "id": 1, "result": {} }), "y"), None);
    }
}
