//! Questions to whatever a server lists, made from its lists and input schemas: each text in each parameter
//! that takes one, as an address, and as the beginning of a word to complete. A tool, a template or a prompt that
//! is added is asked without anyone's doing.

use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::common::without_mark;
use crate::referee::offers::{LISTS, Offers};
use crate::referee::script::Request;
use crate::server::Server;

/// A server takes a thousand calls at once, and then two hundred a second.
const CALLS_AT_ONCE: usize = 200;
const REFILL: Duration = Duration::from_secs(1);

/// The answers to all that can be asked with these texts, without the numbers of the requests, the marks, the
/// moment of the last index run, and of the tools that only read.
#[track_caller]
pub(crate) fn ask_all(server: &mut Server, texts: &[&str]) -> Vec<String> {
    let calls = calls(&tools(server), texts).into_iter();
    let calls = calls.map(|params| Request { method: "tools/call", params });
    let offers = offers(server);
    let others = texts.iter().flat_map(|text| offers.requests_with(text));
    let requests: Vec<Request> = calls.chain(others).collect();
    requests.chunks(CALLS_AT_ONCE).flat_map(|requests| ask_at_once(server, requests)).collect()
}

#[track_caller]
fn ask_at_once(server: &mut Server, requests: &[Request]) -> Vec<String> {
    let ids: Vec<u64> = requests.iter().map(|asked| server.send(asked.method, &asked.params)).collect();
    let mut lines = Vec::new();
    for (id, asked) in ids.into_iter().zip(requests) {
        let is_refused =
            |answer: &Option<String>| answer.as_ref().is_some_and(|line| line.contains("too many calls"));
        let mut answer = server.answer(id);
        // Meanwhile others were refused too: one pause is for all of them.
        while is_refused(&answer) {
            answer = server.request(asked.method, &asked.params);
            if is_refused(&answer) {
                thread::sleep(REFILL);
            }
        }
        let line = answer.unwrap_or_else(|| panic!("{asked:?} is not answered"));
        lines.push(without_number_and_time(&without_mark(&line)));
    }
    lines
}

/// What `tools/list` lists.
#[track_caller]
pub(crate) fn tools(server: &mut Server) -> Vec<Value> {
    let line = server.request("tools/list", &json!({})).expect("tools/list is answered");
    let listed: Value = serde_json::from_str(&line).unwrap();
    listed["result"]["tools"].as_array().expect("there are tools").clone()
}

/// Resources and prompts, by the server's own lists.
#[track_caller]
fn offers(server: &mut Server) -> Offers {
    let [templates, prompts] = LISTS.map(|list| -> Value {
        let line = server.request(list, &json!({})).expect("lists are answered");
        serde_json::from_str(&line).unwrap()
    });
    Offers::new(&templates, &prompts).unwrap()
}

/// Calls with each of the texts in each parameter, and without any of them.
fn calls(tools: &[Value], texts: &[&str]) -> Vec<Value> {
    let mut calls = Vec::new();
    for tool in tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == json!(true)) {
        let schema = &tool["inputSchema"];
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let call = |arguments: Map<String, Value>| json!({ "name": tool["name"], "arguments": arguments });
        for (name, property) in &properties {
            for text in texts {
                let Some(value) = text_value(property, text) else { continue };
                // What is said of one note needs one.
                let note = ["section", "block"].contains(&name.as_str()).then_some(&"path");
                let needed = required.iter().chain(note).map(|needed| ((*needed).to_owned(), json!(text)));
                calls.push(call(needed.chain([(name.clone(), value)]).collect()));
            }
            if property["type"] == "boolean" && required.is_empty() {
                calls.push(call([(name.clone(), json!(true))].into_iter().collect()));
            }
        }
        if required.is_empty() {
            calls.push(call(Map::new()));
        }
    }
    calls
}

/// The text as a value of a parameter that takes any text.
fn text_value(property: &Value, text: &str) -> Option<Value> {
    let takes_text = |schema: &Value| schema["type"] == "string" && schema["enum"].is_null();
    if takes_text(property) {
        return Some(json!(text));
    }
    (property["type"] == "array" && takes_text(&property["items"])).then(|| json!([text]))
}

fn without_number_and_time(line: &str) -> String {
    let mut answer: Value = serde_json::from_str(line).unwrap();
    answer["id"].take();
    let result = answer["result"].take();
    if let Some(moment) = result["structuredContent"]["indexed_at"].as_str().map(str::to_owned) {
        return result.to_string().replace(&moment, "[time]");
    }
    if result.is_null() { answer["error"].to_string() } else { result.to_string() }
}
