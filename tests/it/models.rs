//! Models in folders: found, fetched, checked, used, and what happens where they are not.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::common::{Home, text};

const NOTES: &[(&str, &str)] = &[
    ("Boats.md", "# Boats\n\nThe ferry crosses to the island at noon.\n"),
    ("Bread.md", "# Bread\n\nKnead the dough until it is smooth.\n"),
];
const ENGLISH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/all-minilm-l6-v2");
const RERANKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/tiny-reranker");

/// A hub with one model, which may cut an answer off, lie about a file, or not know how to go on.
struct Hub {
    url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    files: HashMap<String, Vec<u8>>,
    /// Cut off after so many bytes, once.
    cut: Option<usize>,
    lies: bool,
    ignores_ranges: bool,
    asked: Vec<String>,
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    #[expect(clippy::disallowed_methods, reason = "a test serves the files of a model")]
    fn start() -> Hub {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let mut state = State::default();
        for name in ["model.onnx", "tokenizer.json", "config.json"] {
            state.files.insert(format!("onnx/{name}").replace("onnx/t", "t").replace("onnx/c", "c"), {
                fs::read(Path::new(RERANKER).join(name)).expect("it is there")
            });
        }
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                thread::spawn(move || answer(stream, &state));
            }
        });
        Hub { url: format!("http://127.0.0.1:{port}"), state }
    }

    fn pull(&self, home: &Home, name: &str) -> crate::common::Output {
        home.run(&["model", "pull", name, "--quiet", "--from", &self.url])
    }
}

/// `/owner/tiny/resolve/main/FILE` sends on to `/blobs/FILE`, as hubs do.
fn answer(stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut from = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(range) = header.to_lowercase().strip_prefix("range: bytes=") {
                from = range.trim().trim_end_matches('-').parse().ok()?;
            }
        }
        let mut state = lock(state);
        state.asked.push(format!("{path} {from}"));
        let reply = reply(&mut state, &path, from);
        drop(state);
        stream.write_all(&reply.0).ok()?;
        if reply.1 {
            return None;
        }
    }
}

/// The bytes of the answer, and whether the connection ends with it.
fn reply(state: &mut State, path: &str, from: usize) -> (Vec<u8>, bool) {
    let empty = |head: &str| (format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n").into_bytes(), false);
    if let Some(name) = path.strip_prefix("/owner/tiny/resolve/main/") {
        let Some(bytes) = state.files.get(name) else { return empty("404 Not Found") };
        let bytes = if state.lies { b"another file" } else { &bytes[..] };
        let sum = Sha256::digest(bytes).iter().fold(String::new(), |sum, byte| sum + &format!("{byte:02x}"));
        return empty(&format!("302 Found\r\nx-linked-etag: \"{sum}\"\r\nlocation: /blobs/{name}"));
    }
    let Some(bytes) = path.strip_prefix("/blobs/").and_then(|name| state.files.get(name)) else {
        return empty("404 Not Found");
    };
    if from >= bytes.len() && from > 0 {
        return empty(&format!("416 Range Not Satisfiable\r\ncontent-range: bytes */{}", bytes.len()));
    }
    let (head, rest) = if from > 0 && !state.ignores_ranges {
        let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
        (format!("206 Partial\r\ncontent-range: {range}"), &bytes[from..])
    } else {
        ("200 OK".to_owned(), &bytes[..])
    };
    let mut all = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", rest.len()).into_bytes();
    let cut = state.cut.take().filter(|cut| *cut < rest.len());
    all.extend(&rest[..cut.unwrap_or(rest.len())]);
    (all, cut.is_some())
}

#[test]
fn a_model_is_fetched_checked_and_used() {
    let hub = Hub::start();
    let home = Home::with_vault(
        NOTES,
        "[embeddings]\nbackend = \"none\"\n[rerank]\nbackend = \"local\"\nmodel = \"owner/tiny\"",
    );
    home.index();
    // Before it is there: words as they are, and the reason.
    let before = home.json(&["search", "the ferry to the dough"]);
    assert_eq!(before["reranked"], json!(false));
    assert!(text(&before["notices"][0]).contains("reranker"), "{before}");
    let pulled = home.run(&["model", "pull", "owner/tiny", "--from", &hub.url]);
    assert_eq!(pulled.code, Some(0), "{pulled:?}");
    assert!(pulled.stderr.contains("backend = \"local\", model = \"owner/tiny\""), "{pulled:?}");
    let listed = home.json(&["model", "list"]);
    let last = listed.as_array().and_then(|models| models.last()).cloned().unwrap_or_default();
    assert_eq!((text(&last["name"]), text(&last["state"])), ("owner/tiny".to_owned(), "present".to_owned()));
    assert_eq!(home.json(&["search", "the ferry to the dough"])["reranked"], json!(true));
    let verified = home.json(&["model", "verify"]);
    let verdicts: Vec<String> = verified
        .as_array()
        .into_iter()
        .flatten()
        .map(|model| format!("{} {}", text(&model["name"]), text(&model["verdict"])))
        .collect();
    let expected = ["multilingual-e5-small-96k intact", "all-minilm-l6-v2 intact", "owner/tiny intact"];
    assert_eq!(verdicts, expected);
    home.write(".cache/obsearch/models/owner--tiny/config.json", "{}");
    let refused = home.run(&["model", "verify", "owner/tiny"]);
    assert_eq!((refused.code, &*refused.stdout), (Some(2), "owner/tiny  changed or missing: config.json\n"));
}

#[test]
fn a_fetch_that_broke_goes_on_where_it_ended() {
    let hub = Hub::start();
    let home = Home::new();
    lock(&hub.state).cut = Some(100);
    let broken = hub.pull(&home, "owner/tiny");
    broken.assert_refused();
    assert!(broken.stderr.contains("goes on from there"), "{broken:?}");
    assert!(home.run(&["model", "list"]).stdout.contains("unfinished"));
    lock(&hub.state).asked.clear();
    assert_eq!(hub.pull(&home, "owner/tiny").code, Some(0));
    assert!(lock(&hub.state).asked.contains(&"/blobs/onnx/model.onnx 100".to_owned()));
    assert_eq!(home.run(&["model", "verify", "owner/tiny"]).stdout, "owner/tiny  intact\n");
    // A hub that cannot go on begins anew.
    let home = Home::new();
    lock(&hub.state).cut = Some(100);
    hub.pull(&home, "owner/tiny").assert_refused();
    lock(&hub.state).ignores_ranges = true;
    assert_eq!(hub.pull(&home, "owner/tiny").code, Some(0));
    assert_eq!(home.run(&["model", "verify", "owner/tiny"]).stdout, "owner/tiny  intact\n");
}

#[test]
fn what_cannot_be_fetched_says_why_and_what_to_do() {
    let hub = Hub::start();
    let home = Home::new();
    lock(&hub.state).lies = true;
    let refused = hub.pull(&home, "owner/tiny");
    refused.assert_refused();
    assert!(refused.stderr.contains("is not what its sender says it is"), "{refused:?}");
    assert!(!home.path(".cache/obsearch/models/owner--tiny").exists());
    lock(&hub.state).lies = false;
    for (name, part) in [
        ("owner/none", "has no ONNX graph of owner/none"),
        ("../tiny", "as owner/model"),
        ("tiny", "as owner/model"),
    ] {
        let refused = hub.pull(&home, name);
        refused.assert_refused();
        assert!(refused.stderr.contains(part), "{refused:?}");
    }
    let refused = home.run(&["model", "pull", "owner/tiny", "--from", "http://127.0.0.1:1"]);
    refused.assert_refused();
    for part in ["cannot be reached", "copy an ONNX graph", "~/.cache/obsearch/models/owner--tiny"] {
        assert!(refused.stderr.contains(part), "{refused:?}");
    }
    assert_eq!(home.run(&["model", "verify", "owner/none"]).code, Some(1));
}

#[test]
fn a_folder_makes_the_vectors() {
    let home = Home::with_vault(NOTES, &format!("[embeddings]\nbackend = \"local\"\nmodel = \"{ENGLISH}\""));
    let [public, full] = home.index();
    for tree in [&public, &full] {
        assert_eq!((&tree["model"], &tree["pending_vectors"]), (&json!(ENGLISH), &json!(0)));
    }
    let answer = home.json(&["search", "boat to an isle", "--mode", "semantic"]);
    assert_eq!((&answer["mode"], &answer["passages"][0]["path"]), (&json!("semantic"), &json!("Boats.md")));
}

#[test]
fn a_folder_that_is_not_there_costs_the_vectors_only() {
    let home = Home::with_vault(NOTES, "[embeddings]\nbackend = \"local\"\nmodel = \"owner/absent\"");
    let [public, _] = home.index();
    assert_eq!((&public["notes"], &public["model"]), (&json!(2), &json!(null)));
    assert!(text(&public["model_failure"]).contains("there is no model.onnx"), "{public}");
    assert_eq!(home.found("ferry", &[]), ["Boats.md"]);
}

#[test]
fn a_model_inside_the_vault_is_refused() {
    let home = Home::with_vault(NOTES, "[embeddings]\nbackend = \"local\"\nmodel = \"~/Notes/model\"");
    home.write_note("model/model.onnx", "");
    let refused = home.run(&["search", "ferry"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("lies inside the vault"), "{refused:?}");
}

/// What reranking does is measured beside what it is added to.
#[test]
fn a_reranker_is_a_column_of_an_evaluation() {
    let home = Home::with_vault(
        NOTES,
        &format!("[embeddings]\nmodel = \"english\"\n[rerank]\nbackend = \"local\"\nmodel = \"{RERANKER}\""),
    );
    home.write(
        "q.jsonl",
        "{\"id\": \"1\", \"query\": \"ferry island\", \"expectedSources\": [\"Boats.md\"]}\n",
    );
    let file = home.path("q.jsonl");
    let measured = home.json(&["eval", "--evals", file.to_str().expect("it is a name"), "--quiet"]);
    let modes: Vec<String> =
        measured["modes"].as_array().into_iter().flatten().map(|mode| text(&mode["mode"])).collect();
    assert_eq!(modes, ["keyword", "semantic", "hybrid", "reranked"]);
    assert_eq!(measured["modes"][3]["cannot_run"], json!(null), "{measured}");
}

/// Without the feature, or without the library, words find and the reason is told.
#[test]
fn onnx_runtime_that_is_not_there_costs_the_vectors_only() {
    let missing = format!("model = \"{ENGLISH}\"\nruntime = \"/nowhere/libonnxruntime.so\"");
    let home = Home::with_vault(NOTES, &format!("[embeddings]\nbackend = \"fastembed\"\n{missing}"));
    let [public, _] = home.index();
    let failure = text(&public["model_failure"]);
    let expected =
        if cfg!(feature = "fastembed") { "/nowhere/libonnxruntime.so" } else { "built without fastembed" };
    assert!(failure.contains(expected), "{failure}");
    assert_eq!(home.found("ferry", &[]), ["Boats.md"]);
}

/// With the library that `OBSEARCH_TEST_ONNXRUNTIME` names.
#[cfg(feature = "fastembed")]
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever runs the test says where the library is")]
fn onnx_runtime_makes_the_vectors_and_scores() {
    let Some(library) = std::env::var("OBSEARCH_TEST_ONNXRUNTIME").ok() else {
        eprintln!("skipped: OBSEARCH_TEST_ONNXRUNTIME names no libonnxruntime.so");
        return;
    };
    let runtime = format!("backend = \"fastembed\"\nruntime = \"{library}\"");
    let home = Home::with_vault(
        NOTES,
        &format!(
            "[embeddings]\n{runtime}\nmodel = \"{ENGLISH}\"\n[rerank]\n{runtime}\nmodel = \"{RERANKER}\""
        ),
    );
    let [public, full] = home.index();
    for tree in [&public, &full] {
        assert_eq!((&tree["pending_vectors"], tree.get("model_failure")), (&json!(0), None), "{tree}");
    }
    let answer = home.json(&["search", "boat to an isle", "--mode", "semantic"]);
    assert_eq!((&answer["mode"], &answer["reranked"]), (&json!("semantic"), &json!(true)), "{answer}");
    assert_eq!(answer["passages"][0]["path"], json!("Boats.md"));
}
