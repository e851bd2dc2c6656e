//! Conversations: what bounds them, what they share, how they end.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use super::fake::Fake;
use crate::mcp::conversation::Told;
use crate::mcp::guard::Guard;
use crate::mcp::limit::TokenBucket;
use crate::mcp::server::Server;
use crate::mcp::vaults::Vaults;
use crate::mcp::{Conversation, Endpoint, ReindexAccess, Unheard};

const PATIENCE: Duration = Duration::from_secs(30);

fn endpoint(fake: &Arc<Fake>, burst: f64) -> Endpoint<Fake> {
    let server =
        Server::new(Vaults::one(Arc::clone(fake)), ReindexAccess::Refused, 2, TokenBucket::new(burst, 0.0));
    Endpoint::behind(Guard::with_deadline(server, PATIENCE))
}

async fn greeted(endpoint: &Endpoint<Fake>) -> (Conversation, Receiver<Told>) {
    let (conversation, mut told) = endpoint.converse();
    let client = json!({ "name": "test", "version": "0" });
    let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client });
    say(&conversation, 0, "initialize", &params).await.unwrap();
    assert_eq!(next(&mut told).await["result"]["protocolVersion"], "2024-11-05");
    let greeting = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    conversation.hear(greeting).await.unwrap();
    (conversation, told)
}

async fn say(conversation: &Conversation, id: u64, method: &str, params: &Value) -> Result<(), Unheard> {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    conversation.hear(message.to_string().as_bytes()).await
}

async fn search(conversation: &Conversation, id: u64, query: &str) -> Result<(), Unheard> {
    let params = json!({ "name": "search_vault", "arguments": { "query": query } });
    say(conversation, id, "tools/call", &params).await
}

async fn next(told: &mut Receiver<Told>) -> Value {
    let line = timeout(PATIENCE, told.recv()).await.unwrap().expect("the conversation goes on");
    serde_json::from_str(&line.line).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn so_many_requests_wait_for_their_answers_and_no_more() {
    let fake = Fake::new();
    let (conversation, mut told) = greeted(&endpoint(&fake, 1000.0)).await;
    let held = Arc::clone(&fake);
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (holding, holds) = std::sync::mpsc::channel();
    let holder = std::thread::spawn(move || {
        let _gate = held.gate.lock().unwrap();
        holding.send(()).unwrap();
        let _ = released.recv();
    });
    holds.recv().unwrap();
    for id in 1..=32 {
        assert_eq!(search(&conversation, id, "wait").await, Ok(()), "{id}");
    }
    assert_eq!(search(&conversation, 33, "wait").await, Err(Unheard::TooMany));
    // One that is cancelled makes room.
    let cancelled = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":32}}"#;
    conversation.hear(cancelled).await.unwrap();
    let room = async {
        while say(&conversation, 34, "ping", &json!({})).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, room).await.expect("there is room again");
    assert_eq!(next(&mut told).await["id"], 34);
    release.send(()).unwrap();
    holder.join().unwrap();
    let mut answered = Vec::new();
    for _ in 1..=31 {
        answered.push(next(&mut told).await["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (1..=31).collect::<Vec<u64>>());
    assert_eq!(search(&conversation, 35, "mast").await, Ok(()));
    assert_eq!(next(&mut told).await["id"], 35);
}

/// Small messages until there are too many, large ones until they are too much.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_left() {
    for (method, asked) in [("ping", 1_000..10_000), ("tools/list", 200..1_000)] {
        let (conversation, _told) = greeted(&endpoint(&Fake::new(), 1000.0)).await;
        let mut heard = 0;
        let end = async {
            loop {
                match say(&conversation, heard + 1, method, &json!({})).await {
                    Ok(()) => heard += 1,
                    Err(Unheard::TooMany) => tokio::task::yield_now().await,
                    Err(_) => break,
                }
            }
        };
        timeout(PATIENCE, end).await.expect("it ends");
        assert!(asked.contains(&heard), "{method}: {heard}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn either_end_ends_it() {
    let endpoint = endpoint(&Fake::new(), 1000.0);
    let (conversation, told) = greeted(&endpoint).await;
    drop(told);
    let end = async { while say(&conversation, 1, "ping", &json!({})).await != Err(Unheard::Over) {} };
    timeout(PATIENCE, end).await.expect("nobody reads");
    let (conversation, mut told) = greeted(&endpoint).await;
    drop(conversation);
    assert!(timeout(PATIENCE, told.recv()).await.expect("nobody speaks").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_share_the_measure_of_calls() {
    let endpoint = endpoint(&Fake::new(), 2.0);
    let mut conversations = [greeted(&endpoint).await, greeted(&endpoint).await];
    let mut refused = Vec::new();
    for number in [0, 1, 0] {
        let (conversation, told) = &mut conversations[number];
        search(conversation, 1, "mast").await.unwrap();
        refused.push(next(told).await["result"]["isError"] == true);
    }
    assert_eq!(refused, [false, false, true]);
}
