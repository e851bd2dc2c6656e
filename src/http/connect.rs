//! A bridge for clients that speak only over standard input and output: each line goes to a running
//! server as one HTTP request, each answer comes back as a line. Several clients share one server that
//! way, and a container needs nothing but the server's socket or one open port.
//!
//! Invariant: standard output carries the server's JSON-RPC messages and nothing else; a request that
//! the server cannot answer is answered here, in words that hold nothing of it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::mcp::termination;

/// How long the server may take; its own deadline comes before.
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
    let bridge = Arc::new(Bridge { target, token, version: Mutex::new(None) });
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
    let mut lines = BufReader::new(input).lines();
    let slots = Arc::new(Semaphore::new(REQUESTS_AT_ONCE));
    let mut asking = JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        if writing.is_finished() {
            return;
        }
        if line.trim().is_empty() {
            continue;
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        let (bridge, sender) = (Arc::clone(&bridge), sender.clone());
        // The first request decides the version that the others name, so it goes alone.
        if message["method"] == "initialize" {
            bridge.ask(line, &message, &sender).await;
        } else {
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
            asking.spawn(async move {
                bridge.ask(line, &message, &sender).await;
                drop(slot);
            });
        }
    }
    drop(sender);
    let all_done = async {
        while asking.join_next().await.is_some() {}
        let _ = writing.await;
    };
    let _ = tokio::time::timeout(GRACE, all_done).await;
}

struct Bridge {
    target: Target,
    token: Option<String>,
    /// What `initialize` agreed on.
    version: Mutex<Option<String>>,
}

impl Bridge {
    /// Asks the server, and sends on what it answers.
    async fn ask(&self, line: String, message: &Value, answers: &mpsc::Sender<String>) {
        let outcome = tokio::time::timeout(PATIENCE, self.exchange(line, message)).await;
        let lines = match outcome {
            Ok(Ok(lines)) => lines,
            Ok(Err(text)) => refusal(message, text),
            Err(_elapsed) => refusal(message, "the server did not answer in time"),
        };
        for line in lines {
            if message["method"] == "initialize" {
                self.remember_version(&line);
            }
            let _ = answers.send(line).await;
        }
    }

    fn remember_version(&self, line: &str) {
        let answer: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(version) = answer["result"]["protocolVersion"].as_str() {
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
        }
    }

    async fn exchange(&self, line: String, message: &Value) -> Result<Vec<String>, &'static str> {
        const UNREACHED: &str = "the server cannot be reached; is `obsearch serve` running there?";
        match &self.target {
            Target::Socket(path) => {
                let stream = UnixStream::connect(path).await.map_err(|_| UNREACHED)?;
                self.send(stream, self.request(line, message, "localhost", "/mcp")?).await
            }
            Target::Url { authority, path } => {
                let stream = TcpStream::connect(authority).await.map_err(|_| UNREACHED)?;
                let _ = stream.set_nodelay(true);
                self.send(stream, self.request(line, message, authority, path)?).await
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

    async fn send<S>(&self, stream: S, request: Request<Full<Bytes>>) -> Result<Vec<String>, &'static str>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        const BROKEN: &str = "the connection to the server broke";
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|_| BROKEN)?;
        tokio::spawn(connection);
        let response = sender.send_request(request).await.map_err(|_| BROKEN)?;
        let status = response.status();
        let is_stream = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let body = whole(response.into_body()).await.ok_or(BROKEN)?;
        match status {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(Vec::new()),
            StatusCode::UNAUTHORIZED => {
                Err("the server wants a token: set OBSEARCH_TOKEN to one that it knows")
            }
            StatusCode::FORBIDDEN => Err("the server does not accept this host name: see its --allowed-host"),
            _ if is_stream => Ok(events(&body)),
            // An error of the protocol has a status of its own, and is a message all the same.
            _ => one_line(&body).map(|line| vec![line]).ok_or("the server refused the request"),
        }
    }
}

async fn whole(body: Incoming) -> Option<String> {
    let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await.ok()?.to_bytes();
    String::from_utf8(body.to_vec()).ok()
}

/// A JSON-RPC message on one line; none for anything else.
fn one_line(body: &str) -> Option<String> {
    let message: Value = serde_json::from_str(body).ok()?;
    message["jsonrpc"].is_string().then(|| message.to_string())
}

/// The messages of an event stream.
fn events(body: &str) -> Vec<String> {
    let events = body.split("\n\n").map(|event| {
        let data = event.lines().filter_map(|line| line.strip_prefix("data:"));
        data.map(str::trim_start).collect::<Vec<_>>().join("\n")
    });
    events.filter_map(|data| one_line(&data)).collect()
}

/// The answer to a request that got none; notifications get none anyway.
fn refusal(message: &Value, text: &str) -> Vec<String> {
    let id = &message["id"];
    if id.is_null() || message["method"].is_null() {
        return Vec::new();
    }
    let error = json!({ "code": UNREACHABLE, "message": text });
    vec![json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()]
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
    fn messages_are_taken_from_streams_and_nothing_else_is_passed_on() {
        let stream = "retry: 3000\n\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1}\n\n: ping\n\ndata: {\"x\":1}\n\n";
        assert_eq!(events(stream), [r#"{"jsonrpc":"2.0","id":1}"#]);
        assert_eq!(one_line("{\"error\":\"not found\"}"), None);
        assert_eq!(refusal(&json!({ "method": "x" }), "y"), [""; 0]);
        assert_eq!(refusal(&json!({ "id": 1, "result": {} }), "y"), [""; 0]);
    }
}
