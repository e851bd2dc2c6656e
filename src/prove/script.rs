//! Requests for everything that the server advertises, made from what it says of its tools, templates and
//! prompts and aimed at what is private: what is added later is asked as well, or the proof does not start.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::ProveError;
use super::client::Client;
use super::plant::MadeUpNote;
use crate::vault::RuleText;

/// Values tried for each text parameter, at most.
const MAX_VALUES: usize = 60;
/// Values of a list that are asked at once.
const VALUES_TOGETHER: usize = 6;
/// Asked where a text is needed and nothing is aimed at.
const HARMLESS: &str = "river stone";

/// Methods that take nothing.
const LISTS: [&str; 5] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"];
/// What is known here of what a server can do.
const KNOWN_CAPABILITIES: [&str; 4] = ["tools", "resources", "prompts", "completions"];

/// The requests, as methods and parameters. `flipping` are public notes that will not stay public.
pub(super) fn requests(
    client: &mut Client,
    notes: &[MadeUpNote],
    flipping: Vec<String>,
    rules: &RuleText,
) -> Result<Vec<(String, Value)>, ProveError> {
    let unknown = client.capabilities.keys().find(|name| !KNOWN_CAPABILITIES.contains(&name.as_str()));
    if let Some(name) = unknown {
        return Err(ProveError::Program(format!(
            "the server offers `{name}`, which this proof cannot ask for"
        )));
    }
    let tools = listed(client, "tools/list", "tools")?;
    let templates = listed(client, "resources/templates/list", "resourceTemplates")?;
    let prompts = listed(client, "prompts/list", "prompts")?;
    let aims = Aims::new(notes, flipping, rules);
    let mut requests: Vec<(String, Value)> =
        LISTS.iter().map(|method| ((*method).to_owned(), json!({}))).collect();
    requests.extend(tools.iter().flat_map(|tool| calls(tool, &aims)));
    requests.extend(templates.iter().flat_map(|template| about_resources(template, &aims)));
    requests.extend(prompts.iter().flat_map(|prompt| about_a_prompt(prompt, &aims)));
    Ok(requests)
}

/// What the server lists, which must be something.
fn listed(client: &mut Client, method: &str, name: &str) -> Result<Vec<Value>, ProveError> {
    let answer = client.ask(method, &json!({}))?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    let listed = answer["result"][name].as_array().filter(|listed| !listed.is_empty());
    listed.cloned().ok_or_else(|| ProveError::Program(format!("the server offers no {name}")))
}

/// What is worth asking about.
struct Aims {
    names: Vec<String>,
    tags: Vec<String>,
    folders: Vec<String>,
    queries: Vec<String>,
}

impl Aims {
    fn new(notes: &[MadeUpNote], flipping: Vec<String>, rules: &RuleText) -> Aims {
        let step = (notes.len() / 12).max(1);
        let mut aims = Aims { names: flipping, tags: Vec::new(), folders: Vec::new(), queries: Vec::new() };
        // The made-up private notes stand last.
        let some = notes.iter().rev().take(12).chain(notes.iter().step_by(step));
        for note in some {
            let file = note.path.trim_end_matches(".md").rsplit('/').next().unwrap_or_default();
            aims.names.extend([note.path.clone(), format!("[[{file}]]")]);
            aims.folders.extend(note.path.rsplit_once('/').map(|(folder, _)| folder.to_owned()));
            let [title, alias, _, _, text, block, heading, tag, ..] = &note.canaries[..] else { continue };
            aims.names.extend([
                title.clone(),
                alias.clone(),
                format!("{file}#{heading}"),
                format!("{file}#^{block}"),
            ]);
            aims.tags.push(tag.clone());
            aims.queries.extend([title.clone(), format!("\"{text}\" river"), file.to_owned()]);
        }
        aims.names.extend(["nothing.md", "../nothing.md", "/etc/passwd"].map(str::to_owned));
        aims.tags.extend(rules.tags.iter().cloned());
        aims.folders.extend(rules.folders.iter().cloned());
        aims.queries.extend(["private", "river kettle garden", "where is the lamp"].map(str::to_owned));
        aims.queries.extend(rules.folders.iter().chain(&rules.tags).cloned());
        aims
    }

    /// What to put into a text parameter of this name.
    fn of(&self, parameter: &str) -> Vec<&String> {
        let known: Vec<&Vec<String>> = match parameter {
            "path" | "paths" | "name" | "note" => vec![&self.names],
            "tag" | "tags" | "prefix" => vec![&self.tags],
            "folder" | "folders" => vec![&self.folders],
            "query" | "question" | "text" => vec![&self.queries],
            _ => vec![&self.names, &self.tags, &self.folders, &self.queries],
        };
        let all: Vec<&String> = known.into_iter().flatten().collect();
        let step = all.len().div_ceil(MAX_VALUES).max(1);
        all.into_iter().step_by(step).collect()
    }
}

/// Reading, watching and completing addresses made from a template.
fn about_resources(template: &Value, aims: &Aims) -> Vec<(String, Value)> {
    let uri = template["uriTemplate"].as_str().unwrap_or_default();
    let Some((before, name)) = uri.split_once('{').map(|(before, rest)| (before, rest.trim_end_matches('}')))
    else {
        return Vec::new();
    };
    let reference = json!({ "type": "ref/resource", "uri": uri });
    let about = |value: &String| {
        let address = json!({ "uri": format!("{before}{}", utf8_percent_encode(value, NON_ALPHANUMERIC)) });
        let completed = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        [
            ("resources/read".to_owned(), address.clone()),
            ("resources/subscribe".to_owned(), address.clone()),
            ("resources/unsubscribe".to_owned(), address),
            ("completion/complete".to_owned(), completed),
        ]
    };
    aims.of(name).into_iter().flat_map(about).collect()
}

/// Getting a prompt, and completing its arguments.
fn about_a_prompt(prompt: &Value, aims: &Aims) -> Vec<(String, Value)> {
    let names: Vec<&str> = prompt["arguments"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|argument| argument["name"].as_str())
        .collect();
    let reference = json!({ "type": "ref/prompt", "name": prompt["name"] });
    let note = aims.names.first().cloned().unwrap_or_default();
    let others: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!(note))).collect();
    let about = |name: &&str| {
        let name = (*name).to_owned();
        let mut requests = Vec::new();
        for value in aims.of(&name) {
            let mut arguments = others.clone();
            arguments.insert(name.clone(), json!(value));
            let argument = json!({ "name": name, "value": value });
            let completed =
                json!({ "ref": reference, "argument": argument, "context": { "arguments": arguments } });
            let got = json!({ "name": prompt["name"], "arguments": arguments });
            requests.extend([("completion/complete".to_owned(), completed), ("prompts/get".to_owned(), got)]);
        }
        requests
    };
    names.iter().flat_map(about).collect()
}

/// Calls of one tool: every parameter with every value that it can have or that is aimed at something.
fn calls(tool: &Value, aims: &Aims) -> Vec<(String, Value)> {
    let schema = &tool["inputSchema"];
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let harmless: Map<String, Value> =
        required.iter().map(|name| ((*name).to_owned(), json!(HARMLESS))).collect();
    let mut calls = vec![harmless.clone()];
    for (name, parameter) in schema["properties"].as_object().into_iter().flatten() {
        for value in values(name, parameter, aims) {
            calls.push(harmless.clone().into_iter().chain([(name.clone(), value)]).collect());
        }
    }
    let call = |arguments| ("tools/call".to_owned(), json!({ "name": tool["name"], "arguments": arguments }));
    calls.into_iter().map(call).collect()
}

fn values(name: &str, parameter: &Value, aims: &Aims) -> Vec<Value> {
    if let Some(choices) = parameter["enum"].as_array() {
        return choices.clone();
    }
    match parameter["type"].as_str() {
        Some("integer" | "number") => [&parameter["minimum"], &parameter["maximum"]]
            .into_iter()
            .filter(|value| value.is_number())
            .cloned()
            .collect(),
        Some("boolean") => vec![json!(true), json!(false)],
        // Each alone, and some together: what one of them is may not show in what is said of the others.
        Some("array") => {
            let all = aims.of(name);
            all.chunks(1).chain(all.chunks(VALUES_TOGETHER)).map(|values| json!(values)).collect()
        }
        _ => aims.of(name).into_iter().map(|value| json!(value)).collect(),
    }
}
