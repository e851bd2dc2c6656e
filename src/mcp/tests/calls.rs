//! Calls of tools without MCP around them: the same door, the same limits, and every failure by its kind.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::client::{Client, Setup};
use super::fake::Fake;
use crate::mcp::guard::Guard;
use crate::mcp::limit::TokenBucket;
use crate::mcp::server::Server;
use crate::mcp::vaults::Vaults;
use crate::mcp::{Endpoint, Failure, ReindexAccess, ToolName};

/// Longer than anything takes here, a panic with its backtrace among it.
const PATIENCE: Duration = Duration::from_secs(30);

fn endpoint(burst: f64, deadline: Duration) -> Endpoint<Fake> {
    let server =
        Server::new(Vaults::one(Fake::new()), ReindexAccess::Refused, 2, TokenBucket::new(burst, 0.0));
    Endpoint::behind(Guard::with_deadline(server, deadline))
}

/// Its structured content, or the kind and the text of its failure.
fn call(endpoint: &Endpoint<Fake>, tool: ToolName, arguments: &Value) -> Result<Value, (Failure, String)> {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let outcome = runtime.block_on(endpoint.call(tool, arguments));
    runtime.shutdown_background();
    outcome.map_err(|error| (error.failure, error.text.into_owned()))
}

#[test]
fn every_failure_is_told_by_its_kind() {
    let endpoint = endpoint(1000.0, PATIENCE);
    let search = |query: &str| (ToolName::SearchVault, json!({ "query": query }));
    let table = [
        (search("panic"), Failure::Internal, "internal error"),
        (search("outage"), Failure::Unavailable, "the index cannot be read"),
        (search("refuse"), Failure::NothingSuch, "the query has no words"),
        ((ToolName::ReadNote, json!({ "path": "missing" })), Failure::NotFound, "note not found"),
        (
            (ToolName::ListTags, json!({ "prefix": 1 })),
            Failure::BadArguments,
            "`prefix` must be a string of at most 4000 characters",
        ),
        (
            (ToolName::ReindexVault, json!({})),
            Failure::UnknownTool,
            "unknown tool: tools/list names those that there are",
        ),
    ];
    for ((tool, arguments), failure, text) in table {
        let expected = Err((failure, text.to_owned()));
        assert_eq!(call(&endpoint, tool, &arguments), expected, "{} {arguments}", tool.as_str());
    }
    let hurried = self::endpoint(1000.0, Duration::from_millis(100));
    let late = call(&hurried, ToolName::SearchVault, &json!({ "query": "slow" }));
    assert_eq!(late, Err((Failure::TooLate, "deadline exceeded".to_owned())));
    let answer = call(&endpoint, ToolName::SearchVault, &json!({ "query": "mast" })).unwrap();
    assert_eq!(answer["passages"][0]["path"], "Projects/Boat.md");
}

/// What MCP over HTTP answers to a message.
fn ask(endpoint: &Endpoint<Fake>, message: &Value) -> Value {
    let request = http::Request::post("http://localhost/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("host", "localhost")
        .body(Full::new(Bytes::from(message.to_string())))
        .unwrap();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let body = runtime.block_on(async { endpoint.answer(request).await.collect().await.unwrap().to_bytes() });
    serde_json::from_slice(&body).unwrap()
}

/// One measure for calls by either protocol.
#[test]
fn a_burst_is_braked() {
    let endpoint = endpoint(3.0, PATIENCE);
    let by_mcp = || {
        let params = json!({ "name": "list_tags" });
        let answer =
            ask(&endpoint, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }));
        (answer["result"]["isError"].clone(), answer["result"]["content"][0]["text"].clone())
    };
    let by_itself = || call(&endpoint, ToolName::ListTags, &json!({})).map_err(|(kind, _)| kind);
    assert!(by_itself().is_ok());
    assert_eq!(by_mcp().0, false);
    assert!(by_itself().is_ok());
    assert_eq!(by_mcp(), (json!(true), json!("too many calls: wait a second, then ask again")));
    assert_eq!(by_itself(), Err(Failure::TooManyCalls));
}

/// What the exact schema calls given is what the check refuses beside another alternative.
#[test]
fn only_one_of_the_alternatives_may_be_given() {
    let endpoint = endpoint(1000.0, PATIENCE);
    let given = |schema: &Value| match (&schema["const"], schema["type"].as_str()) {
        (Value::Null, Some("integer")) => json!(1),
        (Value::Null, Some("array")) => json!(["x"]),
        (Value::Null, _) => json!("x"),
        (value, _) => value.clone(),
    };
    let groups = ToolName::offered(ReindexAccess::Allowed)
        .flat_map(|tool| tool.alternatives().iter().map(move |group| (tool, *group)));
    for (tool, group) in groups {
        let alternatives: Vec<_> =
            tool.described().filter(|parameter| group.contains(&parameter.name)).collect();
        let one_of = tool.one_of().first().filter(|_| !tool.one_of().iter().any(|name| group.contains(name)));
        let required = tool.described().filter(|parameter| parameter.is_required).map(|one| one.name);
        let least: Value =
            required.chain(one_of.copied()).map(|name| (name.to_owned(), json!("x"))).collect();
        for (number, first) in alternatives.iter().enumerate() {
            for second in &alternatives[number + 1..] {
                let mut arguments = least.clone();
                arguments[first.name] = given(&first.given);
                assert!(call(&endpoint, tool, &arguments).is_ok(), "{arguments}");
                arguments[second.name] = given(&second.given);
                let refused = call(&endpoint, tool, &arguments);
                assert!(matches!(refused, Err((Failure::BadArguments, _))), "{arguments}: {refused:?}");
            }
        }
    }
}

/// Of some parameters one must be given; none is refused.
#[test]
fn one_of_some_must_be_given() {
    let endpoint = endpoint(1000.0, PATIENCE);
    for tool in ToolName::offered(ReindexAccess::Allowed).filter(|tool| !tool.one_of().is_empty()) {
        let refused = call(&endpoint, tool, &json!({}));
        assert!(matches!(refused, Err((Failure::BadArguments, _))), "{refused:?}");
    }
}

/// Between two requests over HTTP there is nobody to tell of changes, and nothing is looked at for one who has
/// gone; over a connection there is.
#[test]
fn only_a_connection_is_told_of_changes() {
    let settle = || std::thread::sleep(Duration::from_millis(300));
    let over_http = Fake::new();
    let server = Server::new(
        Vaults::one(Arc::clone(&over_http)),
        ReindexAccess::Refused,
        2,
        TokenBucket::new(10.0, 0.0),
    );
    let endpoint = Endpoint::behind(Guard::with_deadline(server, PATIENCE));
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {} });
    assert!(ask(&endpoint, &list)["result"].is_object());
    settle();
    assert_eq!((over_http.started.load(SeqCst), over_http.looks.load(SeqCst)), (1, 0));

    let over_pipes = Fake::new();
    let mut client = Client::connected(&over_pipes, &Setup::default());
    client.request("resources/list", &json!({}));
    settle();
    client.request("ping", &json!({}));
    assert_eq!(over_pipes.looks.load(SeqCst), 1);
}
