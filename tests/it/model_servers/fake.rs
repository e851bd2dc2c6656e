//! A small HTTP server that speaks the protocols of model servers and misbehaves on demand. Its vectors count
//! words by their hash, so that texts with the same words are near.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What it does with requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Good,
    /// An answer takes so long.
    Slow(Duration),
    /// Nothing but this status, with what it was sent as its body.
    Status(u16),
    /// Vectors of so many components instead of 64.
    Components(usize),
    /// A page for people.
    Html,
    /// Status 500 for texts that hold this word.
    Chokes(&'static str),
    /// A reranker that prefers what has the fewest words of the query.
    Shuffles,
    /// Closes the connection instead of answering.
    HangsUp,
}

/// A request that came.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) authorization: Option<String>,
    pub(super) body: Value,
}

impl Received {
    pub(super) fn texts(&self) -> Vec<String> {
        let texts = ["input", "documents"].into_iter().find_map(|name| self.body[name].as_array());
        texts.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// The server, until it is dropped; then nothing listens any more.
pub(super) struct Fake {
    pub(super) port: u16,
    state: Arc<Mutex<State>>,
}

struct State {
    manner: Manner,
    received: Vec<Received>,
    has_ended: bool,
}

impl Fake {
    pub(super) fn start() -> Fake {
        Fake::listen(Ipv4Addr::LOCALHOST.into(), 0)
    }

    pub(super) fn listen(address: IpAddr, port: u16) -> Fake {
        let listener = TcpListener::bind((address, port)).expect("the port is free");
        let port = listener.local_addr().expect("it listens").port();
        let state = State { manner: Manner::Good, received: Vec::new(), has_ended: false };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if lock(&shared).has_ended {
                    return;
                }
                let state = Arc::clone(&shared);
                thread::spawn(move || stream.map(|stream| serve(stream, &state)));
            }
        });
        Fake { port, state }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn behave(&self, manner: Manner) {
        lock(&self.state).manner = manner;
    }

    /// What came since the last time this was asked.
    pub(super) fn received(&self) -> Vec<Received> {
        std::mem::take(&mut lock(&self.state).received)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        lock(&self.state).has_ended = true;
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of one connection.
fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    let Ok(reading) = stream.try_clone() else { return };
    let mut reader = BufReader::new(reading);
    while let Some(request) = read_request(&mut reader) {
        let manner = {
            let mut state = lock(state);
            state.received.push(request.clone());
            state.manner
        };
        let (status, body) = match manner {
            Manner::HangsUp => return,
            Manner::Status(status) => (status, request.body.to_string()),
            Manner::Html => (200, "<html>It works!</html>".to_owned()),
            Manner::Chokes(word) if request.texts().iter().any(|text| text.contains(word)) => {
                (500, request.body.to_string())
            }
            Manner::Components(length) => (200, answer(&request, length).to_string()),
            Manner::Slow(pause) => {
                thread::sleep(pause);
                (200, answer(&request, 64).to_string())
            }
            Manner::Shuffles => (200, reranked(&request, -1.0).to_string()),
            Manner::Good | Manner::Chokes(_) => (200, answer(&request, 64).to_string()),
        };
        let head = format!(
            "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\nlocation: http://127.0.0.1:1/\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else { break };
        match name.to_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { path, authorization, body: serde_json::from_slice(&body).ok()? })
}

fn answer(request: &Received, length: usize) -> Value {
    if request.path.ends_with("/rerank") {
        return reranked(request, 1.0);
    }
    let texts = request.texts();
    let vectors = texts.iter().map(|text| vector(text, length));
    if request.path.ends_with("/api/embed") {
        return json!({ "embeddings": vectors.collect::<Vec<_>>() });
    }
    let items = vectors.enumerate().map(|(index, vector)| json!({ "index": index, "embedding": vector }));
    // The order is the server's own affair.
    json!({ "data": items.rev().collect::<Vec<_>>() })
}

fn reranked(request: &Received, sign: f64) -> Value {
    let query = request.body["query"].as_str().unwrap_or_default();
    let texts = request.texts();
    let scored = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "index": index, "relevance_score": sign * likeness(query, text) }));
    json!({ "results": scored.collect::<Vec<_>>() })
}

/// How many words of the query the text has.
fn likeness(query: &str, text: &str) -> f64 {
    let words = words(query);
    let found = words.iter().filter(|word| self::words(text).contains(word)).count();
    found as f64 / words.len().max(1) as f64
}

fn vector(text: &str, length: usize) -> Vec<f64> {
    let mut vector = vec![0.01; length];
    for word in words(text) {
        let slot = word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        if let Some(component) = vector.get_mut(slot % length.max(1)) {
            *component += 1.0;
        }
    }
    vector
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}
