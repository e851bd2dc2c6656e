//! A client on the other end of two pipes in memory, which speaks JSON lines and checks that every
//! line it gets is one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::fake::Fake;
use crate::mcp::ServeError;
use crate::mcp::guard::Guard;
use crate::mcp::limit::TokenBucket;
use crate::mcp::server::Server;
use crate::mcp::tools::ReindexAccess;
use crate::mcp::vaults::Vaults;
use crate::mcp::wire::serve_until_left;

const PATIENCE: Duration = Duration::from_secs(5);

/// How the server is set up.
pub(super) struct Setup {
    pub(super) deadline: Duration,
    pub(super) reindex: ReindexAccess,
    pub(super) slots: usize,
    pub(super) burst: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Setup { deadline: PATIENCE, reindex: ReindexAccess::Refused, slots: 4, burst: 1000.0 }
    }
}

pub(super) struct Client {
    runtime: Runtime,
    input: Option<DuplexStream>,
    lines: Lines<BufReader<DuplexStream>>,
    server: JoinHandle<Result<(), ServeError>>,
    next_id: u64,
}

impl Client {
    /// Starts a server on one async thread, so that a test can look at all of its log.
    pub(super) fn start(fake: &Arc<Fake>, setup: &Setup) -> Client {
        Client::of(Vaults::one(Arc::clone(fake)), setup)
    }

    fn of(vaults: Vaults<Fake>, setup: &Setup) -> Client {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (input, server_input) = duplex(1 << 16);
        let (server_output, output) = duplex(1 << 16);
        let bucket = TokenBucket::new(setup.burst, 0.0);
        let server = Server::new(vaults, setup.reindex, setup.slots, bucket);
        let guard = Guard::with_deadline(server.for_one_client(), setup.deadline);
        let server = runtime.spawn(serve_until_left(guard, server_input, server_output));
        let lines = BufReader::new(output).lines();
        Client { runtime, input: Some(input), lines, server, next_id: 0 }
    }

    /// A client that has shaken hands in the older way.
    pub(super) fn connected(fake: &Arc<Fake>, setup: &Setup) -> Client {
        Client::connected_to(Vaults::one(Arc::clone(fake)), setup)
    }

    /// The same, with a server of these vaults.
    pub(super) fn connected_to(vaults: Vaults<Fake>, setup: &Setup) -> Client {
        let mut client = Client::of(vaults, setup);
        let answer = client.initialize();
        assert_eq!(answer["result"]["serverInfo"]["name"], "obsearch", "{answer}");
        client
    }

    pub(super) fn initialize(&mut self) -> Value {
        let client_info = json!({ "name": "test", "version": "0" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client_info });
        let answer = self.request("initialize", &params);
        self.notify("notifications/initialized", &json!({}));
        answer
    }

    pub(super) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        self.runtime.block_on(input.write_all(format!("{line}\n").as_bytes())).unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request and returns its id.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// The next line of the server; none if it has nothing to say for this long.
    pub(super) fn line_within(&mut self, patience: Duration) -> Option<Value> {
        let next = async { tokio::time::timeout(patience, self.lines.next_line()).await };
        let line = self.runtime.block_on(next).ok()?.unwrap()?;
        Some(serde_json::from_str(&line).expect("a line of JSON"))
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let answer = self.line_within(PATIENCE).expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Closes the input and waits for the server to end.
    pub(super) fn end(mut self) -> Result<(), ServeError> {
        drop(self.input.take());
        let ending = async { tokio::time::timeout(PATIENCE, self.server).await };
        self.runtime.block_on(ending).expect("the server ends").unwrap()
    }

    /// Breaks the pipe to the client; its input stays open.
    pub(super) fn stop_reading(self) -> Result<(), ServeError> {
        let Client { runtime, input, lines, server, .. } = self;
        drop(lines);
        let mut input = input.expect("the input is open");
        let request = b"{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"ping\"}\n";
        runtime.block_on(input.write_all(request)).unwrap();
        let ending = async { tokio::time::timeout(PATIENCE, server).await };
        runtime.block_on(ending).expect("the server ends").unwrap()
    }
}
