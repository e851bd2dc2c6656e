//! Requests for every tool that the server advertises, made from what the tool says of its parameters
//! and aimed at what is private: a tool that is added later is asked as well.

use serde_json::{Map, Value, json};

use super::ProveError;
use super::client::Client;
use super::plant::MadeUpNote;
use crate::vault::RuleText;

/// Values tried for each text parameter, at most.
const MAX_VALUES: usize = 60;
/// Asked where a text is needed and nothing is aimed at.
const HARMLESS: &str = "river stone";

/// Methods besides tools, and what an attacker would ask of them.
const OTHER_METHODS: [&str; 5] =
    ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"];

/// The requests, as methods and parameters. `flipping` are public notes that will not stay public.
pub(super) fn requests(
    client: &mut Client,
    notes: &[MadeUpNote],
    flipping: Vec<String>,
    rules: &RuleText,
) -> Result<Vec<(String, Value)>, ProveError> {
    let listed = client.ask("tools/list", &json!({}))?;
    let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
    let Some(tools) = listed["result"]["tools"].as_array().filter(|tools| !tools.is_empty()) else {
        return Err(ProveError::Program("the server offers no tools".to_owned()));
    };
    let aims = Aims::new(notes, flipping, rules);
    let mut requests: Vec<(String, Value)> =
        OTHER_METHODS.iter().map(|method| ((*method).to_owned(), json!({}))).collect();
    for name in &aims.names {
        requests.push(("resources/read".to_owned(), json!({ "uri": format!("obsearch://note/{name}") })));
    }
    for tool in tools {
        requests.extend(calls(tool, &aims));
    }
    Ok(requests)
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
            "path" | "name" | "note" => vec![&self.names],
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
        Some("array") => aims.of(name).into_iter().map(|value| json!([value])).collect(),
        _ => aims.of(name).into_iter().map(|value| json!(value)).collect(),
    }
}
