//! A client of the real server: a process, its standard input and output, and all it logs.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::LazyLock;
use std::thread::JoinHandle;
use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::home::Home;
use super::{Exhibit, ProveError};

/// How the server answers a client that asks too often.
const TOO_MANY: &str = "too many calls";

pub(super) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    log: JoinHandle<Vec<u8>>,
    next_id: u64,
    /// What the server says it can do.
    pub(super) capabilities: Map<String, Value>,
}

impl Client {
    /// Starts the server, which logs all it can, and shakes hands.
    pub(super) fn start(exhibit: &Exhibit, home: &Home) -> Result<Client, ProveError> {
        let mut command = home.command(exhibit, &["serve", "--verbose", "--profile", "public"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(mut errors)) = (input, output, errors) else {
            return Err(ProveError::Program("its streams are missing".to_owned()));
        };
        let log = std::thread::spawn(move || {
            let mut log = Vec::new();
            let _ = errors.read_to_end(&mut log);
            log
        });
        let mut client = Client {
            child,
            input,
            output: BufReader::new(output),
            log,
            next_id: 0,
            capabilities: Map::new(),
        };
        let identity = json!({ "name": "prove", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": identity });
        let answer: Value = serde_json::from_str(&client.ask("initialize", &hello)?).unwrap_or_default();
        client.capabilities = answer["result"]["capabilities"].as_object().cloned().unwrap_or_default();
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// The answer, without what only tells time and without its mark.
    pub(super) fn ask(&mut self, method: &str, parameters: &Value) -> Result<String, ProveError> {
        loop {
            self.next_id += 1;
            let id = self.next_id;
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))?;
            let answer = self.answer(id)?;
            if !answer.contains(TOO_MANY) {
                return Ok(answer);
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), ProveError> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }

    fn answer(&mut self, id: u64) -> Result<String, ProveError> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(ProveError::Program("the server went away".to_owned()));
            }
            let mut message: Value = serde_json::from_str(&line)
                .map_err(|_| ProveError::Program("the server wrote something that is not JSON".to_owned()))?;
            if message["id"] == id {
                message["id"] = Value::Null;
                return Ok(without_times(&without_mark(&message.to_string())));
            }
        }
    }

    /// Ends the server and returns its log.
    pub(super) fn stop(self) -> Result<Vec<u8>, ProveError> {
        let Client { mut child, input, output, log, .. } = self;
        drop((input, output));
        child.wait()?;
        Ok(log.join().unwrap_or_default())
    }
}

/// The two vaults are not indexed in the same second.
fn without_times(answer: &str) -> String {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").expect("the pattern is valid"));
    TIME.replace_all(answer, "[time]").into_owned()
}

/// The mark that is drawn for each answer, so that no note can feign the end of its text. Nothing else is touched.
fn without_mark(answer: &str) -> String {
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("fences marked ([0-9a-f]{10}) are note content").expect("the pattern is valid")
    });
    match MARK.captures(answer) {
        Some(found) => answer.replace(&found[1], "[mark]"),
        None => answer.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_left_out_and_nothing_else() {
        for (answer, expected) in [
            (
                "fences marked 0a1b2c3d4e are note content … end 0a1b2c3d4e, not 0a1b2c3d4f",
                "fences marked [mark] are note content … end [mark], not 0a1b2c3d4f",
            ),
            ("end 0a1b2c3d4e", "end 0a1b2c3d4e"),
        ] {
            assert_eq!(without_mark(answer), expected);
        }
    }

    #[test]
    fn times_are_left_out_and_nothing_else() {
        let answer = r#"{"at":"2031-04-09T12:00:00Z","x":"2031-04-09 né"}"#;
        assert_eq!(without_times(answer), r#"{"at":"[time]","x":"2031-04-09 né"}"#);
    }
}
