//! The transport of MCP's first revisions: its two routes, who may use whose session, how it ends; and the tests
//! of the wall once more, through it.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::{Answer, ask, home, the_wall_holds, token};
use crate::server::Daemon;

const SSE: [&str; 4] = ["--transport", "sse", "--port", "0"];
const PATIENCE: Duration = Duration::from_secs(20);

/// The sending side of a session: each line is a message. The session ends with it.
pub(crate) struct Messages {
    port: u16,
    /// Where the server wants them.
    pub(crate) address: String,
    authorization: Option<String>,
    stream: TcpStream,
    line: Vec<u8>,
}

impl Messages {
    /// Opens a session; the messages of the server come as lines. None with the status if it is refused.
    pub(crate) fn open(port: u16, authorization: Option<&str>) -> Result<(Messages, Receiver<String>), u16> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let token = authorization.map_or(String::new(), |value| format!("Authorization: {value}\r\n"));
        // The version without chunks.
        write!(stream, "GET /sse HTTP/1.0\r\nHost: localhost:{port}\r\n{token}\r\n").unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        if status != 200 {
            return Err(status);
        }
        let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        assert!(head.iter().any(|line| line == "content-type: text/event-stream"), "{head:?}");
        assert_eq!(lines.next().unwrap(), "event: endpoint");
        let address = lines.next().unwrap().strip_prefix("data: ").unwrap().to_owned();
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for data in lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)) {
                if sender.send(data).is_err() {
                    return;
                }
            }
        });
        let authorization = authorization.map(str::to_owned);
        Ok((Messages { port, address, authorization, stream, line: Vec::new() }, receiver))
    }

    fn post(&self, message: &str) -> Answer {
        post(self.port, &self.address, self.authorization.as_deref(), message)
    }
}

fn post(port: u16, address: &str, authorization: Option<&str>, message: &str) -> Answer {
    let host = format!("localhost:{port}");
    let headers = [("Host", &*host)].into_iter().chain(authorization.map(|value| ("Authorization", value)));
    ask(port, "POST", address, &headers.collect::<Vec<_>>(), message)
}

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = String::from_utf8(std::mem::take(&mut self.line)).expect("messages are text");
                // Those that were asked before are answered first.
                let mut tries = (0..2_000).map(|_| self.post(&line));
                let answer = tries.find(|answer| answer.status != 503).expect("there is room at some time");
                assert_eq!((answer.status, &*answer.body), (202, "Accepted"), "{line}: {answer:?}");
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn initialize(version: &str) -> String {
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

fn read(id: u64, path: &str) -> String {
    let params = json!({ "name": "read_note", "arguments": { "path": path } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn next(lines: &Receiver<String>) -> Value {
    serde_json::from_str(&lines.recv_timeout(PATIENCE).expect("something is told")).unwrap()
}

/// A client of 2024-11-05 does just this.
#[test]
fn an_old_client_is_served() {
    let home = home();
    let server = Daemon::start(&home, &SSE);
    assert!(server.place.starts_with("http://127.0.0.1:") && server.place.ends_with("/sse"));
    let (messages, lines) = Messages::open(server.port(), None).unwrap();
    assert_eq!(messages.post(&initialize("2024-11-05")).status, 202);
    assert_eq!(next(&lines)["result"]["protocolVersion"], "2024-11-05");
    messages.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    messages.post(&read(2, "Boat.md"));
    let shown = next(&lines);
    assert!(
        shown["id"] == 2 && shown["result"]["content"][0]["text"].to_string().contains("Larch"),
        "{shown}"
    );
    messages.post(&read(3, "Secret.md"));
    let hidden = next(&lines);
    assert!(hidden["result"]["isError"] == true && !hidden.to_string().contains("quelmbrick"), "{hidden}");
    // The other routes are there as well.
    let host = format!("localhost:{}", server.port());
    assert_eq!(ask(server.port(), "GET", "/status", &[("Host", &*host)], "").status, 200);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_server_of_another_transport_has_no_such_routes() {
    let server = Daemon::start(&home(), &["--transport", "http", "--port", "0"]);
    assert_eq!(Messages::open(server.port(), None).err(), Some(404));
    assert_eq!(post(server.port(), "/messages?sessionId=0", None, "{}").status, 404);
}

#[test]
fn a_session_is_for_the_profile_that_opened_it() {
    let home = home();
    let [public, full] = ["public", "full"].map(|name| format!("Bearer {}", token(&home, name, name)));
    let server = Daemon::start(&home, &SSE);
    assert_eq!(Messages::open(server.port(), None).err(), Some(401));
    let (private, told) = Messages::open(server.port(), Some(&full)).unwrap();
    private.post(&initialize("2025-06-18"));
    next(&told);
    private.post(&read(2, "Secret.md"));
    assert!(next(&told).to_string().contains("quelmbrick"));
    // Whoever knows its address hears no more, and can say nothing in it.
    for (authorization, status) in [(None, 401), (Some("Bearer x"), 401), (Some(&*public), 404)] {
        assert_eq!(post(server.port(), &private.address, authorization, &read(3, "Boat.md")).status, status);
    }
    let (open, heard) = Messages::open(server.port(), Some(&public)).unwrap();
    open.post(&initialize("2025-06-18"));
    next(&heard);
    open.post(&read(2, "Secret.md"));
    assert!(!next(&heard).to_string().contains("quelmbrick"));
    assert_eq!(post(server.port(), &open.address, Some(&full), &read(3, "Secret.md")).status, 404);
    assert!(told.try_recv().is_err() && heard.try_recv().is_err());
    // Nor does the stream of a token that is revoked tell anything any more.
    private.post(&json!({ "jsonrpc": "2.0", "id": 4, "method": "resources/subscribe", "params": { "uri": "obsearch://note/Secret.md" } }).to_string());
    assert_eq!(next(&told)["id"], 4);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(home.run(&["token", "revoke", "full"]).code, Some(0));
    assert_eq!(private.post(&read(5, "Secret.md")).status, 401);
    home.write_note("Secret.md", "---\nprivate: true\n---\nossifrane\n");
    assert_eq!(home.run(&["index", "--profile", "full"]).code, Some(0));
    assert_eq!(told.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn what_is_no_message_or_for_no_session_is_refused() {
    let server = Daemon::start(&home(), &SSE);
    let port = server.port();
    let (messages, lines) = Messages::open(port, None).unwrap();
    for body in ["", "x", "{}", "[]", "null", r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#] {
        assert_eq!(messages.post(body).status, 400, "{body}");
    }
    let id = messages.address.strip_prefix("/messages?sessionId=").unwrap();
    let half = &id[..id.len() / 2];
    let wrong = ["", "?", "?sessionId=", "?sessionId=0", &format!("?sessionId={half}"), &format!("?x={id}")]
        .map(|query| format!("/messages{query}"));
    for address in wrong {
        assert_eq!(post(port, &address, None, &initialize("2024-11-05")).status, 404, "{address}");
    }
    assert!(lines.try_recv().is_err(), "nothing was heard");
    // What comes before the greeting is not answered, and the greeting is still welcome.
    messages.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    messages.post(&initialize("2024-11-05"));
    assert_eq!(next(&lines)["id"], 1);
}

#[test]
fn sessions_are_bounded_and_end_with_their_streams() {
    let server = Daemon::start(&home(), &SSE);
    let mut open: Vec<_> = (0..16).map(|_| Messages::open(server.port(), None).unwrap()).collect();
    assert_eq!(Messages::open(server.port(), None).err(), Some(503));
    let (gone, lines) = open.pop().unwrap();
    let address = gone.address.clone();
    drop((gone, lines));
    let started = Instant::now();
    while Messages::open(server.port(), None).is_err() {
        assert!(started.elapsed() < PATIENCE, "a client that has gone is not noticed");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(post(server.port(), &address, None, &initialize("2024-11-05")).status, 404);
    assert_eq!(server.end().0, Some(0), "it ends though clients are connected");
}

#[test]
fn the_wall_holds_over_sse() {
    the_wall_holds("sse");
}
