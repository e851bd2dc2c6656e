//! `obsearch serve` as a running process that a test talks to, line by line. It knows nothing of
//! what the lines mean, but for the handshake and the `id` of an answer.
//!
//! With `OBSEARCH_TEST_TRANSPORT=socket` or `http` the same tests talk to a server behind a socket or a
//! port, through `obsearch connect`; with `rest`, calls of tools go to their REST routes; with `sse`, they
//! speak as clients of MCP's first revisions do.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::Home;
use crate::rest;
use crate::sse::Messages;

/// How long an answer may take before the server counts as stuck.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that was greeted.
pub(crate) struct Server {
    /// None if the server behind it is spoken to over a port.
    child: Option<Child>,
    input: Option<Box<dyn Write + Send>>,
    output: Receiver<String>,
    errors: Option<JoinHandle<Vec<u8>>>,
    /// Answers that came before they were asked for.
    early: HashMap<u64, String>,
    next_id: u64,
    /// The raw answer to `initialize`.
    pub(crate) hello: String,
    /// Every line it wrote so far.
    pub(crate) lines: Vec<String>,
    /// Those that were not taken yet.
    notifications: Vec<Value>,
    /// The server behind it, if it is a bridge.
    daemon: Option<Daemon>,
    /// The port to which calls of tools go instead.
    rest_port: Option<u16>,
}

/// A server that listens on a socket or a port.
pub(crate) struct Daemon {
    child: Child,
    /// Read all the time, so that the server never waits for its log to be read.
    errors: Option<JoinHandle<Vec<u8>>>,
    /// Where it said it listens.
    pub(crate) place: String,
}

impl Daemon {
    /// Starts `obsearch serve` with these arguments and waits until it listens.
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Daemon {
        let mut command = home.command(&[&["serve"], arguments].concat());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let place = loop {
            line.clear();
            assert!(errors.read_line(&mut line).unwrap() > 0, "the server ended before it listened");
            if let Some(rest) = line.strip_prefix("Listening on ") {
                break rest.split(". It can be reached").next().unwrap().to_owned();
            }
        };
        Daemon { child, errors: Some(std::thread::spawn(move || bytes_of(errors))), place }
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        let port = self.place.rsplit(':').next().and_then(|rest| rest.split('/').next());
        port.and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("{} has no port", self.place))
    }

    /// Bytes of memory that are its own.
    #[expect(clippy::disallowed_methods, reason = "what the system knows of a process is no vault")]
    pub(crate) fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
    }

    /// Tells it to end; its exit code and what it logged.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
        let code = self.child.wait().unwrap().code();
        let log = self.errors.take().expect("it ends once").join().unwrap();
        (code, String::from_utf8_lossy(&log).into_owned())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a test reaches the server.
#[expect(clippy::disallowed_methods, reason = "the transport under test is chosen by the environment")]
fn transport() -> Option<String> {
    std::env::var("OBSEARCH_TEST_TRANSPORT").ok()
}

/// What a server left behind.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    /// Every line of standard output.
    pub(crate) lines: Vec<String>,
    pub(crate) stderr: String,
}

impl Server {
    /// Starts `obsearch serve` with these further arguments, and greets it.
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Server {
        // The full profile needs a token over HTTP, and is no matter of these tests.
        let transport = transport().filter(|_| !arguments.contains(&"full"));
        let socket = home.path(&format!("socket-{}", std::process::id()));
        let place = match transport.as_deref() {
            None => return Server::greet(&mut home.command(&[&["serve"], arguments].concat())),
            Some("socket") => ["--socket", socket.to_str().unwrap()],
            Some("sse") => ["--transport=sse", "--port=0"],
            Some(_) => ["--transport=http", "--port=0"],
        };
        let daemon = Daemon::start(home, &[&place[..], arguments].concat());
        if transport.as_deref() == Some("sse") {
            return Server::greet_over_sse(daemon);
        }
        let way = if daemon.place.starts_with("http") { "--url" } else { "--socket" };
        let mut server = Server::greet(&mut home.command(&["connect", way, &daemon.place]));
        server.rest_port = (transport.as_deref() == Some("rest")).then(|| daemon.port());
        server.daemon = Some(daemon);
        server
    }

    /// Starts `obsearch serve` on standard input and output, whatever the transport under test.
    pub(crate) fn start_stdio(home: &Home) -> Server {
        Server::greet(&mut home.command(&["serve"]))
    }

    /// What its process has used of the processors.
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "what the system knows of a process is no vault")]
    pub(crate) fn processor_time(&self) -> Duration {
        let process = self.child.as_ref().expect("a process of its own").id();
        let schedule = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        let fields: Vec<&str> = schedule.rsplit(") ").next().unwrap().split(' ').collect();
        // User and system time, in hundredths of a second on every Linux.
        let hundredths = |place: usize| fields[place].parse::<u64>().unwrap();
        Duration::from_millis(10 * (hundredths(11) + hundredths(12)))
    }

    /// Starts a prepared command, which must be a server, and greets it.
    pub(crate) fn greet(command: &mut Command) -> Server {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let input = child.stdin.take().map(|input| Box::new(input) as Box<dyn Write + Send>);
        let (output, errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let errors = Some(std::thread::spawn(move || bytes_of(errors)));
        let mut server = Server::hearing(receiver);
        (server.child, server.input, server.errors) = (Some(child), input, errors);
        server.greeted()
    }

    fn greet_over_sse(daemon: Daemon) -> Server {
        let (messages, lines) = Messages::open(daemon.port(), None).unwrap();
        let mut server = Server::hearing(lines);
        server.input = Some(Box::new(messages));
        server.daemon = Some(daemon);
        server.greeted()
    }

    fn hearing(output: Receiver<String>) -> Server {
        Server {
            child: None,
            input: None,
            output,
            errors: None,
            early: HashMap::new(),
            next_id: 0,
            hello: String::new(),
            lines: Vec::new(),
            notifications: Vec::new(),
            daemon: None,
            rest_port: None,
        }
    }

    fn greeted(mut self) -> Server {
        self.say_hello();
        self
    }

    fn say_hello(&mut self) {
        let client = json!({ "name": "test", "version": "0" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.hello = self.request("initialize", &hello).expect("the server answers `initialize`");
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    }

    /// Writes a line, whatever it is. A server that is gone does not read it; its silence will show.
    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        let _ = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
    }

    /// The next request will have this number.
    pub(crate) fn skip_to_id(&mut self, id: u64) {
        self.next_id = id - 1;
    }

    /// Sends a request and does not wait; the answer goes by the number returned.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        let port = self.rest_port.filter(|_| method == "tools/call");
        if let Some(line) = port.and_then(|port| rest::tool_call(port, self.next_id, params)) {
            self.lines.push(line.clone());
            self.early.insert(self.next_id, line);
            return self.next_id;
        }
        let request = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.write(&request.to_string());
        self.next_id
    }

    /// The raw answer to a request that was sent; none if the server is gone or stuck.
    pub(crate) fn answer(&mut self, id: u64) -> Option<String> {
        loop {
            if let Some(line) = self.early.remove(&id) {
                return Some(line);
            }
            let line = self.output.recv_timeout(PATIENCE).ok()?;
            self.lines.push(line.clone());
            let message: Value = serde_json::from_str(&line).ok()?;
            match message["id"].as_u64() {
                Some(of) => drop(self.early.insert(of, line)),
                None => self.notifications.push(message),
            }
        }
    }

    /// The notifications that came before the answers so far, each given once.
    pub(crate) fn take_notifications(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.notifications)
    }

    /// Sends a request and waits for its raw answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Option<String> {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool and gives the `result` or `error` of its answer; later, if there were too many calls.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut ask =
            || self.request("tools/call", &params).unwrap_or_else(|| panic!("no answer from {tool}"));
        let mut line = ask();
        while line.contains("too many calls") {
            std::thread::sleep(Duration::from_secs(1));
            line = ask();
        }
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        answer.as_object_mut().unwrap().remove("id");
        answer
    }

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.input.take());
        self.ended()
    }

    /// Kills it without warning.
    pub(crate) fn kill(mut self) -> Ended {
        match (&mut self.child, &mut self.daemon) {
            (Some(child), _) => child.kill().unwrap(),
            (None, Some(daemon)) => daemon.child.kill().unwrap(),
            (None, None) => {}
        }
        self.ended()
    }

    fn ended(&mut self) -> Ended {
        let code = self.child.as_mut().map_or(Some(0), |child| child.wait().unwrap().code());
        self.lines.extend(self.output.iter());
        let errors = self.errors.take().map(|errors| errors.join().unwrap()).unwrap_or_default();
        let lines = std::mem::take(&mut self.lines);
        let stderr = String::from_utf8_lossy(&errors).into_owned();
        match self.daemon.take().map(Daemon::end) {
            None => Ended { code, lines, stderr },
            Some((of_daemon, log)) => {
                let code = if of_daemon == Some(0) { code } else { of_daemon };
                Ended { code, lines, stderr: stderr + &log }
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed leaves no server behind; one that ended well is gone already.
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn bytes_of(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    bytes
}
