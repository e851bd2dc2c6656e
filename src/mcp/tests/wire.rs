//! The protocol: both eras, errors, panics, deadlines, cancellation, limits and the end.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tracing_subscriber::filter::FilterExt;
use tracing_subscriber::layer::{Layer, SubscriberExt};

use super::client::{Client, Setup};
use super::fake::Fake;
use super::shape::misfits;
use crate::mcp::log_filter;
use crate::mcp::tools::ReindexAccess;

const MOMENT: Duration = Duration::from_millis(300);

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// An answer in a line: the error, the text of a failure, or `ok`.
fn brief(answer: &Value) -> String {
    if let Some(error) = answer.get("error") {
        return format!("{} {}", error["code"], error["message"].as_str().unwrap());
    }
    let result = &answer["result"];
    match (result["isError"].as_bool(), result.get("structuredContent")) {
        (Some(true), None) => format!("failed: {}", result["content"][0]["text"].as_str().unwrap()),
        (Some(true), Some(_)) => "failed with structured content".to_owned(),
        _ => "ok".to_owned(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an expectation is used once")]
fn check(client: &mut Client, calls: &[(&str, Value)], expected: Expect) {
    let answers = calls
        .iter()
        .map(|(tool, arguments)| format!("{tool} {arguments}\n  {}\n", brief(&client.call(tool, arguments))));
    expected.assert_eq(&answers.collect::<String>());
}

#[test]
fn the_handshake_and_the_list_touch_no_note() {
    let fake = Fake::new();
    let mut client = Client::connected(&fake, &Setup::default());
    let answer = client.request("tools/list", &json!({}));
    let names: Vec<_> = answer["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "search_vault",
            "context_pack",
            "read_note",
            "list_notes",
            "list_tags",
            "vault_guide",
            "note_links",
            "find_similar",
            "vault_health",
            "verify_citation",
            "index_status"
        ]
    );
    assert!(answer["result"].get("_meta").is_none(), "{answer}");
    assert!(answer["result"].get("ttlMs").is_none(), "{answer}");
    assert_eq!(fake.started.load(Ordering::SeqCst), 0);
    assert!(client.end().is_ok());
}

#[test]
fn the_stateless_era() {
    let mut client = Client::start(&Fake::new(), &Setup::default());
    let found = client.request("server/discover", &json!({ "_meta": meta() }));
    let listed = client.request("tools/list", &json!({ "_meta": meta() }));
    let call = json!({ "name": "list_tags", "arguments": {}, "_meta": meta() });
    let called = client.request("tools/call", &call);
    for (answer, ttl) in [(&found, json!(300_000)), (&listed, json!(300_000)), (&called, Value::Null)] {
        let result = &answer["result"];
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "obsearch", "{answer}");
        assert_eq!(result["ttlMs"], ttl, "{answer}");
    }
    let without_meta = client.call("list_tags", &json!({}));
    assert_eq!(without_meta["error"]["code"], -32602);
    assert!(client.end().is_ok());
}

#[test]
fn every_tool_answers_in_its_shape() {
    let setup = Setup { reindex: ReindexAccess::Allowed, ..Setup::default() };
    let mut client = Client::connected(&Fake::new(), &setup);
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 12);
    // Every client shows all of it to its model, whether or not a note is asked for.
    assert!(tools.to_string().len() <= 12 * 1024, "{}", tools.to_string().len());
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let arguments = match name {
            "search_vault" => json!({ "query": "mast" }),
            "context_pack" => json!({ "question": "mast" }),
            "read_note" | "note_links" | "find_similar" => json!({ "path": "Boat" }),
            "verify_citation" => json!({ "citations": ["Boat.md#Mast"] }),
            _ => json!({}),
        };
        let result = client.call(name, &arguments)["result"].clone();
        assert_eq!(misfits(&tool["outputSchema"], &result["structuredContent"], name), Vec::<String>::new());
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        assert!(!result["isError"].as_bool().unwrap_or(false), "{result}");
    }
}

#[test]
fn what_goes_wrong_is_told() {
    let mut client = Client::connected(&Fake::new(), &Setup::default());
    check(
        &mut client,
        &[
            ("search_vault", json!({})),
            ("search_vault", json!({ "query": "q", "limit": "8" })),
            ("search_vault", json!({ "q": "q" })),
            ("search_vault", json!({ "query": "refuse" })),
            ("search_vault", json!({ "query": "outage" })),
            ("search_vault", json!({ "query": "panic" })),
            ("search_vault", json!({ "query": "mast" })),
            ("read_note", json!({ "path": "missing" })),
            ("read_note", json!("path")),
            ("reindex_vault", json!({})),
            ("nonsense", json!({})),
        ],
        expect![[r#"
            search_vault {}
              failed: `query` is missing: give a string that is not blank, of at most 4000 characters
            search_vault {"query":"q","limit":"8"}
              failed: `limit` must be an integer from 1 to 50
            search_vault {"q":"q"}
              failed: unknown argument `q`: this tool takes query, hypothetical, mode, limit, top_k, folders, folder, tags, where, since, until, max_per_note, expand_links, verbose, max_bytes
            search_vault {"query":"refuse"}
              failed: the query has no words
            search_vault {"query":"outage"}
              failed: the index cannot be read
            search_vault {"query":"panic"}
              -32603 internal error
            search_vault {"query":"mast"}
              ok
            read_note {"path":"missing"}
              failed: note not found
            read_note "path"
              -32602 `name` must be a string and `arguments` an object
            reindex_vault {}
              -32602 unknown tool: tools/list names those that there are
            nonsense {}
              -32602 unknown tool: tools/list names those that there are
        "#]],
    );
    let mut asked = |method: &str, params: Value| brief(&client.request(method, &params));
    let nameless = asked("tools/call", json!({ "arguments": {} }));
    expect!["-32602 `name` must be a string and `arguments` an object"].assert_eq(&nameless);
    expect!["-32601 method not found"].assert_eq(&asked("notes/secret", json!({})));
    expect!["-32601 logging/setLevel"].assert_eq(&asked("logging/setLevel", json!({ "level": "debug" })));
    expect!["-32602 the parameters of this method do not fit"].assert_eq(&asked("resources/read", json!({})));
    let missing = json!({ "uri": "obsearch://note/missing" });
    expect!["-32002 resource not found"].assert_eq(&asked("resources/read", missing));
    expect!["-32002 resource not found"].assert_eq(&asked("resources/read", json!({ "uri": "file:///etc" })));
    expect!["-32602 unknown prompt"].assert_eq(&asked("prompts/get", json!({ "name": "Jane" })));
    assert_eq!(asked("ping", json!({})), "ok");
}

#[test]
fn a_deadline_answers_for_a_call_that_hangs() {
    let setup = Setup { deadline: Duration::from_millis(100), ..Setup::default() };
    let mut client = Client::connected(&Fake::new(), &setup);
    check(
        &mut client,
        &[("search_vault", json!({ "query": "slow" })), ("list_tags", json!({}))],
        expect![[r#"
            search_vault {"query":"slow"}
              -32603 deadline exceeded
            list_tags {}
              ok
        "#]],
    );
}

#[test]
fn a_burst_is_braked() {
    let mut client = Client::connected(&Fake::new(), &Setup { burst: 2.0, ..Setup::default() });
    check(
        &mut client,
        &[("list_tags", json!({})), ("list_tags", json!({ "x": 1 })), ("list_tags", json!({}))],
        expect![[r#"
            list_tags {}
              ok
            list_tags {"x":1}
              failed: unknown argument `x`: this tool takes prefix
            list_tags {}
              failed: too many calls: wait a second, then ask again
        "#]],
    );
    assert_eq!(brief(&client.request("tools/list", &json!({}))), "ok");
}

#[test]
fn a_cancelled_call_is_not_answered_and_a_waiting_one_never_starts() {
    let fake = Fake::new();
    let mut client = Client::connected(&fake, &Setup { slots: 1, ..Setup::default() });
    let held = fake.gate.lock().unwrap();
    let wait = json!({ "name": "search_vault", "arguments": { "query": "wait" } });
    let working = client.send("tools/call", &wait);
    let waiting = client.send("tools/call", &wait);
    assert_eq!(client.line_within(MOMENT), None);
    for id in [waiting, working] {
        client.notify("notifications/cancelled", &json!({ "requestId": id }));
    }
    assert_eq!(client.line_within(MOMENT), None);
    drop(held);
    assert_eq!(client.line_within(MOMENT), None);
    assert_eq!(brief(&client.call("list_tags", &json!({}))), "ok");
    assert_eq!(fake.started.load(Ordering::SeqCst), 2, "the working call and list_tags");
}

#[test]
fn more_calls_than_slots_are_all_answered() {
    let fake = Fake::new();
    let mut client = Client::connected(&fake, &Setup { slots: 2, ..Setup::default() });
    let call = json!({ "name": "index_status", "arguments": {} });
    let mut sent: Vec<_> = (0..50).map(|_| client.send("tools/call", &call)).collect();
    let answers = (0..50).map(|_| client.line_within(Duration::from_secs(5)).expect("an answer"));
    let mut answered: Vec<_> = answers.map(|answer| answer["id"].as_u64().unwrap()).collect();
    sent.sort_unstable();
    answered.sort_unstable();
    assert_eq!(answered, sent);
}

#[test]
fn the_client_may_leave_at_any_time() {
    let start = || Client::start(&Fake::new(), &Setup::default());
    assert!(start().end().is_ok(), "before anything");
    let mut early = start();
    early.request("server/discover", &json!({ "_meta": meta() }));
    assert!(early.end().is_ok(), "before a session");
    assert!(Client::connected(&Fake::new(), &Setup::default()).end().is_ok(), "idle");
    let mut busy = Client::connected(&Fake::new(), &Setup::default());
    busy.send("tools/call", &json!({ "name": "search_vault", "arguments": { "query": "slow" } }));
    assert!(busy.end().is_ok(), "with work in flight");
    let deaf = Client::connected(&Fake::new(), &Setup::default());
    assert!(deaf.stop_reading().is_ok(), "by a broken pipe");
}

#[test]
fn noise_before_the_handshake_does_no_harm() {
    let mut client = Client::start(&Fake::new(), &Setup::default());
    client.notify("notifications/cancelled", &json!({ "requestId": 9 }));
    client.write("not json");
    assert_eq!(client.line_within(MOMENT), None);
    assert_eq!(client.initialize()["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(brief(&client.call("list_tags", &json!({}))), "ok");
}

/// Everything that is logged, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn logged(
    filter: impl tracing_subscriber::layer::Filter<tracing_subscriber::Registry> + Send + Sync + 'static,
) -> String {
    let log = Log::default();
    let writer = log.clone();
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || writer.clone());
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(filter));
    tracing::subscriber::with_default(subscriber, || {
        let mut client = Client::connected(&Fake::new(), &Setup::default());
        client.call("search_vault", &json!({ "query": "quelmbrick" }));
        client.call("search_vault", &json!({ "quelmbrick": 1 }));
        client.write("quelmbrick");
        client.notify("notifications/quelmbrick", &json!({}));
        client.request("quelmbrick", &json!({}));
    });
    String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn the_log_holds_nothing_that_the_client_said() {
    let everything = || tracing_subscriber::filter::LevelFilter::TRACE;
    assert!(logged(everything()).contains("quelmbrick"), "rmcp's own log would hold it");
    let ours = logged(everything().and(log_filter()));
    assert!(ours.contains("tool=\"search_vault\" failed=false"), "{ours}");
    for said in ["quelmbrick", "spruce", "Boat"] {
        assert!(!ours.contains(said), "{ours}");
    }
}
