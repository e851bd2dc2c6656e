//! `obsearch serve` over HTTP and on a socket: who is let in, what is refused, what it withstands; and the
//! tests of the wall once more, through both.
#![expect(
    clippy::disallowed_methods,
    reason = "a test runs other tests of this binary, and looks at a socket"
)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Home;
use crate::server::{Daemon, Server};

pub(crate) fn home() -> Home {
    let notes =
        [("Boat.md", "# Boat\nLarch.\n"), ("Secret.md", "---\nprivate: true\n---\n# Secret\nquelmbrick\n")];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    home.index();
    home
}

/// A token that `obsearch token new` made.
pub(crate) fn token(home: &Home, name: &str, profile: &str) -> String {
    let output = home.run(&["token", "new", name, "--profile", profile]);
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout.trim().to_owned()
}

/// An answer: its status, its head in lower case, its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends raw bytes and reads to the end.
fn exchange(mut stream: impl Read + Write, request: &[u8]) -> Option<Answer> {
    stream.write_all(request).ok()?;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() })
}

/// Sends a request with a body of JSON to a port of this machine.
pub(crate) fn ask(port: u16, method: &str, route: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers =
        headers.iter().fold(String::new(), |text, (name, value)| text + name + ": " + value + "\r\n");
    let length = body.len();
    let request = format!(
        "{method} {route} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    exchange(stream, request.as_bytes()).unwrap_or_else(|| panic!("{method} {route} is not answered"))
}

const READ_SECRET: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_note","arguments":{"path":"Secret.md"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;

/// Hosts, origins, tokens, methods and routes, each with each: 1,728 rows.
#[test]
fn the_door_decides_before_anything_else_on_every_route() {
    let home = home();
    let secret = token(&home, "agent", "public");
    let server =
        Daemon::start(&home, &["--transport", "sse", "--port", "0", "--allowed-host", "box.example:9000"]);
    let port = server.port();
    let at_port = |host: &str| format!("{host}:{port}");
    let hosts = [
        (at_port("127.0.0.1"), true),
        (at_port("localhost"), true),
        (at_port("host.docker.internal"), true),
        ("box.example:9000".to_owned(), true),
        ("localhost".to_owned(), false),
        (format!("localhost:{}", port.wrapping_add(1)), false),
        (at_port("evil.example"), false),
        (at_port("0.0.0.0"), false),
    ];
    let origins = [
        (None, true),
        (Some(format!("http://127.0.0.1:{port}")), true),
        (Some("null".to_owned()), false),
        (Some(format!("http://evil.example:{port}")), false),
    ];
    let bearer = |token: &str| Some(format!("Bearer {token}"));
    let mut near_miss = secret.clone();
    near_miss.pop();
    let tokens = [
        (bearer(&secret), true),
        (None, false),
        (bearer(&near_miss), false),
        (Some(secret.clone()), false),
        (bearer(""), false),
        (bearer(&secret.to_uppercase()), false),
    ];
    let routes = [
        ("GET", "/health", "", 200),
        ("POST", "/mcp", LIST, 200),
        ("GET", "/mcp", "", 405),
        ("DELETE", "/mcp", "", 405),
        ("OPTIONS", "/mcp", "", 405),
        ("HEAD", "/sse", "", 200),
        ("POST", "/sse", "", 405),
        ("POST", "/messages?sessionId=0", LIST, 404),
        ("GET", "/.well-known/oauth-protected-resource", "", 404),
    ];
    let mut rows = 0;
    for (host, is_known) in &hosts {
        for (origin, is_own) in &origins {
            for (authorization, is_right) in &tokens {
                for (method, route, body, status) in routes {
                    let mut headers = vec![("Host", host.as_str())];
                    headers.extend(origin.as_deref().map(|origin| ("Origin", origin)));
                    headers.extend(authorization.as_deref().map(|value| ("Authorization", value)));
                    let answer = ask(port, method, route, &headers, body);
                    let expected = match (*is_known && *is_own, *is_right) {
                        (false, _) => 403,
                        (_, false) => 401,
                        _ => status,
                    };
                    let what = format!("{method} {route} {headers:?}");
                    assert_eq!(answer.status, expected, "{what}: {answer:?}");
                    assert!(!answer.head.contains("access-control"), "{what}: no page is invited");
                    assert_eq!(answer.head.contains("www-authenticate: bearer"), expected == 401, "{what}");
                    rows += 1;
                }
            }
        }
    }
    assert_eq!(rows, 1_728);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_token_gives_its_profile_from_the_next_request_on_and_no_longer() {
    let home = home();
    let [public, full] = ["public", "full"].map(|profile| token(&home, profile, profile));
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let (port, host) = (server.port(), format!("localhost:{}", server.port()));
    let read = |token: &str| {
        let headers = [("Host", &*host), ("Authorization", &format!("Bearer {token}"))];
        ask(port, "POST", "/mcp", &headers, READ_SECRET)
    };
    assert!(read(&full).body.contains("quelmbrick"));
    let hidden = read(&public);
    assert_eq!(hidden.json()["result"]["content"][0]["text"], json!("note not found"));
    let late = token(&home, "late", "public");
    assert_eq!(read(&late).status, 200);
    assert_eq!(home.run(&["token", "revoke", "full"]).code, Some(0));
    assert_eq!(home.run(&["token", "revoke", "full"]).code, Some(1));
    assert_eq!(read(&full).status, 401);
    let listed = home.run(&["token", "list"]).stdout;
    assert!(listed.contains("public") && listed.contains("late") && !listed.contains(&late[20..]));
    assert_eq!(home.mode(".config/obsearch/tokens.toml"), 0o600);
    let (code, log) = server.end();
    assert_eq!((code, log.as_str()), (Some(0), ""));
}

#[test]
fn it_does_not_start_where_somebody_could_reach_too_much() {
    let home = home();
    let refused = |arguments: &[&str]| home.run(&[&["serve"], arguments].concat()).assert_refused();
    for host in ["0.0.0.0", "::", "10.1.2.3"] {
        refused(&["--transport", "http", "--host", host]);
    }
    refused(&["--transport", "http", "--profile", "full"]);
    refused(&["--socket", home.path("Notes/Boat.md").to_str().unwrap()]);
    assert_eq!(home.read("Notes/Boat.md"), "# Boat\nLarch.\n");
    token(&home, "agent", "public");
    refused(&["--transport", "http", "--profile", "full"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    refused(&["--transport", "http", "--port", &taken.local_addr().unwrap().port().to_string()]);
    home.set_mode(".config/obsearch/tokens.toml", 0o644);
    refused(&["--transport", "http", "--port", "0"]);
    for arguments in [["--host", "nowhere"], ["--port", "99999"], ["--allowed-host", "box"]] {
        assert_eq!(home.run(&[&["serve", "--transport", "http"], &arguments[..]].concat()).code, Some(2));
    }
}

#[test]
fn it_says_where_it_listens_and_who_can_reach_it() {
    let home = home();
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    assert!(server.place.starts_with("http://127.0.0.1:"), "{}", server.place);
    token(&home, "agent", "public");
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0", "--host", "0.0.0.0"]);
    assert!(server.place.starts_with("http://0.0.0.0:"), "{}", server.place);
    let output = home.run(&["serve", "--transport", "http", "--host", "nowhere0"]);
    let loopback = if cfg!(target_os = "macos") { "lo0" } else { "lo" };
    assert!(
        output.stderr.contains("neither an address nor an interface") && output.stderr.contains(loopback)
    );
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0", "--host", loopback]);
    assert!(server.place.starts_with("http://127.0.0.1:"), "{}", server.place);
}

/// Whoever uses an address knows which server is meant; a name that was made to point to it may not.
#[test]
#[cfg(target_os = "linux")]
fn it_answers_to_its_own_address_and_to_no_other() {
    let server = Daemon::start(&home(), &["--transport", "http", "--port", "0", "--host", "127.0.0.2"]);
    let port = server.port();
    for (host, status) in [("127.0.0.2", 200), ("localhost", 200), ("127.0.0.3", 403), ("here.example", 403)]
    {
        let request = format!("GET /health HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        let stream = TcpStream::connect(("127.0.0.2", port)).unwrap();
        assert_eq!(exchange(stream, request.as_bytes()).unwrap().status, status, "{host}");
    }
}

#[test]
fn bodies_and_heads_have_limits() {
    let home = home();
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let (port, host) = (server.port(), format!("localhost:{}", server.port()));
    let ask = |body: &str| ask(port, "POST", "/mcp", &[("Host", &host)], body);
    for _ in 0..20 {
        assert_eq!(ask(&"x".repeat(5 << 20)).status, 413);
    }
    assert_eq!(ask("{").status / 100, 4);
    let long = "x".repeat(20_000);
    let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\nConnection: close\r\n\r\n");
    let answer = exchange(TcpStream::connect(("127.0.0.1", port)).unwrap(), request.as_bytes());
    assert!(answer.is_none_or(|answer| answer.status == 431));
    let many = (0..100).fold(String::new(), |text, number| format!("{text}X-{number}: y\r\n"));
    let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\n{many}Connection: close\r\n\r\n");
    let answer = exchange(TcpStream::connect(("127.0.0.1", port)).unwrap(), request.as_bytes());
    assert!(answer.is_none_or(|answer| answer.status == 431));
    assert_eq!(ask(LIST).status, 200);
    assert_eq!(server.end().0, Some(0));
}

/// Clients that send a head, or a body, a byte at a time or not at all.
#[test]
fn slow_clients_are_shown_out_and_stop_nobody() {
    let home = home();
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let (port, host) = (server.port(), format!("localhost:{}", server.port()));
    let began = Instant::now();
    let mut slow: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        let head = match number % 3 {
            0 => String::new(),
            1 => "POST /mcp HTTP/1.1\r\nHost: ".to_owned(),
            _ => format!(
                "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
            ),
        };
        stream.write_all(head.as_bytes()).unwrap();
    }
    // Some thirty of them hold a place among those that are worked on; there are more.
    assert_eq!(ask(port, "POST", "/mcp", &[("Host", &host)], LIST).status, 200);
    for stream in &mut slow {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the server closes it");
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn three_thousand_requests_without_a_token_leave_no_trace_in_memory() {
    let home = home();
    token(&home, "agent", "public");
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let (port, host) = (server.port(), format!("localhost:{}", server.port()));
    let knock = || assert_eq!(ask(port, "POST", "/mcp", &[("Host", &host)], LIST).status, 401);
    (0..300).for_each(|_| knock());
    let before = server.resident_bytes();
    (0..3_000).for_each(|_| knock());
    let grown = server.resident_bytes().saturating_sub(before);
    assert!(grown < 8 << 20, "{grown} bytes more");
}

#[test]
fn a_socket_is_for_its_owner_and_a_stale_one_is_replaced() {
    let home = home();
    let path = home.path("run/socket");
    let shown = path.to_str().unwrap();
    let server = Daemon::start(&home, &["--socket", shown]);
    assert_eq!(server.place, shown);
    assert_eq!((home.mode("run/socket"), home.mode("run")), (0o600, 0o700));
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{LIST}",
        LIST.len()
    );
    let asked = exchange(UnixStream::connect(&path).unwrap(), request.as_bytes());
    assert_eq!(asked.map(|answer| answer.status), Some(200));
    home.run(&["serve", "--socket", shown]).assert_refused();
    assert_eq!(server.end().0, Some(0));
    assert!(!path.exists(), "it is gone with its server");
    drop(UnixListener::bind(&path).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    let server = Daemon::start(&home, &["--socket", shown]);
    assert!(path.symlink_metadata().unwrap().file_type().is_socket());
    assert_eq!(home.mode("run/socket"), 0o600);
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn a_bridge_says_what_is_wrong_and_ends_well() {
    let home = home();
    let hello = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#.to_owned() + "\n";
    let nobody = home.run_with_input(&["connect", "--socket", home.path("none").to_str().unwrap()], &hello);
    assert_eq!((nobody.code, nobody.json()["id"].clone()), (Some(0), json!(7)));
    assert!(nobody.json()["error"]["message"].as_str().unwrap().contains("cannot be reached"));
    token(&home, "agent", "public");
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let refused = home.run_with_input(&["connect", "--url", &server.place], &hello);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("OBSEARCH_TOKEN"));
    assert_eq!(home.run(&["connect", "--url", "https://x"]).code, Some(2));
    assert_eq!(home.run(&["connect"]).code, Some(2));
}

#[test]
fn several_clients_share_a_server_and_one_token_opens_the_full_profile_through_a_bridge() {
    let mut home = home();
    let full = token(&home, "own", "full");
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    home.set_variables(&[("OBSEARCH_TOKEN", &full)]);
    let mut clients: Vec<Server> =
        (0..3).map(|_| Server::greet(&mut home.command(&["connect", "--url", &server.place]))).collect();
    for client in &mut clients {
        let answer = client.call("read_note", &json!({ "path": "Secret.md" }));
        assert!(answer.to_string().contains("quelmbrick"), "{answer}");
    }
    for client in clients {
        assert_eq!(client.end().code, Some(0));
    }
    assert_eq!(server.end().0, Some(0));
}

/// Tests of the wall, run again with this transport.
pub(crate) fn the_wall_holds(transport: &str) {
    let tests = [
        "referee::private_notes_change_no_answer",
        "flips::a_running_server_knows_at_once_that_a_note_turned_private",
        "canary::no_canary_is_found_in_what_the_public_side_writes",
        "canary::refusals_do_not_repeat_what_was_asked",
        "indistinguishable::whatever_is_not_there_gets_the_same_answer",
    ];
    // Behind the socket is what is behind the port.
    for test in &tests[..if transport == "socket" { 2 } else { tests.len() }] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let variables = [("OBSEARCH_TEST_TRANSPORT", transport), ("OBSEARCH_TEST_SEEDS", "1")];
        let output = command.args(["--exact", test]).envs(variables).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{transport}, {test}: {said}");
    }
}

#[test]
fn the_wall_holds_over_a_socket() {
    the_wall_holds("socket");
}

#[test]
fn the_wall_holds_over_http() {
    the_wall_holds("http");
}

/// A page on another port cannot read an answer; it must not run a tool either, nor see that there is one. For
/// images, objects and forms a browser names no origin, but says that a page is behind it.
#[test]
fn a_page_makes_no_browser_run_a_tool() {
    let home = home();
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let (port, host) = (server.port(), format!("localhost:{}", server.port()));
    let routes = [
        "/get_full_note?path=Boat.md",
        "/get_full_note?path=Nothing.md",
        "/list_topics",
        "/status",
        "/health",
    ];
    for route in routes {
        let status =
            |site: &str| ask(port, "GET", route, &[("Host", &host), ("Sec-Fetch-Site", site)], "").status;
        assert_eq!(["cross-site", "same-site"].map(status), [403, 403], "{route}");
        assert_ne!(status("none"), 403, "{route}");
    }
    assert_eq!(server.end().0, Some(0));
}
