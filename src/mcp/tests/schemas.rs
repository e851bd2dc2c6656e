//! What `tools/list` shows.

use expect_test::expect;
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::fake::Fake;
use super::shape::misfits;
use crate::mcp::answer;
use crate::mcp::arguments::Arguments;
use crate::mcp::output::HIDDEN_CHARACTERS;
use crate::mcp::requests::{Request, request};
use crate::mcp::tools::{ReindexAccess, ToolName};
use crate::ops::Caller;

fn tools() -> Vec<(ToolName, Tool)> {
    ToolName::offered(ReindexAccess::Allowed).map(|tool| (tool, tool.listed())).collect()
}

fn properties(tool: &Tool) -> Vec<(String, Value)> {
    let properties = tool.input_schema["properties"].as_object().unwrap();
    properties.iter().map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

fn parsed(tool: ToolName, arguments: &Value) -> Request {
    let checked = Arguments::check(tool.parameters(), arguments.as_object().cloned(), None).unwrap();
    request(tool, checked).unwrap()
}

/// The least that a tool can be called with.
fn required(tool: ToolName, listed: &Tool) -> Value {
    let names = listed.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let one_of = tool.one_of().first().map(|name| json!(name));
    names
        .iter()
        .chain(&one_of)
        .map(|name| {
            let name = name.as_str().unwrap().to_owned();
            let is_list = listed.input_schema["properties"][&name]["type"] == "array";
            (name, if is_list { json!(["x"]) } else { json!("x") })
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn names_of_tools_and_arguments() {
    let mut names = Vec::new();
    for (_, tool) in tools() {
        let properties: Vec<_> = properties(&tool).into_iter().map(|(name, _)| name).collect();
        names.push(format!("{}({})\n", tool.name, properties.join(", ")));
    }
    expect![[r#"
        search_vault(query, hypothetical, mode, limit, top_k, folders, folder, tags, where, since, until, max_per_note, expand_links, verbose, max_bytes)
        context_pack(question, hypothetical, folders, tags, where, since, until, max_bytes)
        read_note(path, paths, section, block, offset, limit, outline, max_bytes)
        list_notes(folder, tags, where, since, until, sort, cursor, limit, folders_only)
        list_tags(prefix)
        vault_guide(max_bytes)
        note_links(path, direction, depth, to)
        find_similar(path, text, purpose, limit, max_bytes)
        vault_health(checks, cursor, limit)
        verify_citation(citations)
        index_status()
        reindex_vault(mode)
    "#]]
    .assert_eq(&names.concat());
}

#[test]
fn arguments_are_scalars_or_arrays_of_strings() {
    const KEYS: [&str; 7] = ["type", "items", "enum", "minimum", "maximum", "default", "description"];
    for (_, tool) in tools() {
        assert_eq!(tool.input_schema["type"], "object");
        assert_eq!(tool.input_schema["additionalProperties"], false);
        for (name, schema) in properties(&tool) {
            let place = format!("{} {name}", tool.name);
            let keys: Vec<_> = schema.as_object().unwrap().keys().collect();
            assert!(keys.iter().all(|key| KEYS.contains(&key.as_str())), "{place}: {keys:?}");
            let kind = schema["type"].as_str().expect("a plain type");
            assert!(["string", "integer", "boolean", "array"].contains(&kind), "{place}");
            assert_eq!(kind == "array", schema.get("items") == Some(&json!({ "type": "string" })), "{place}");
            assert!(schema["description"].as_str().unwrap().ends_with('.'), "{place}");
        }
    }
}

#[test]
fn a_default_in_the_schema_is_what_leaving_it_out_means() {
    for (tool, listed) in tools() {
        let least = required(tool, &listed);
        for (name, schema) in properties(&listed) {
            let Some(default) = schema.get("default") else { continue };
            let mut spelled_out = least.clone();
            spelled_out[&name] = default.clone();
            let (spelled_out, left_out) = (parsed(tool, &spelled_out), parsed(tool, &least));
            assert_eq!(format!("{spelled_out:?}"), format!("{left_out:?}"), "{} {name}", listed.name);
        }
    }
}

#[test]
fn every_argument_means_something() {
    for (tool, listed) in tools() {
        let least = required(tool, &listed);
        for (name, schema) in properties(&listed) {
            let values = match (schema["type"].as_str().unwrap(), schema["enum"].as_array()) {
                (_, Some(words)) => words.clone(),
                ("integer", _) => vec![schema["minimum"].clone(), schema["maximum"].clone()],
                ("boolean", _) => vec![json!(false), json!(true)],
                ("array", _) => vec![json!(["a"]), json!(["b"])],
                _ => vec![json!("a"), json!("b")],
            };
            let mut meanings: Vec<_> = values
                .iter()
                .map(|value| {
                    let mut arguments = least.clone();
                    if tool.one_of().contains(&&*name) {
                        arguments = json!({});
                    }
                    arguments[&name] = value.clone();
                    format!("{:?}", parsed(tool, &arguments))
                })
                .collect();
            meanings.sort();
            meanings.dedup();
            assert_eq!(meanings.len(), values.len(), "{} {name}", listed.name);
        }
    }
}

#[test]
fn answers_fit_their_schemas() {
    let fake = Fake::new();
    for (tool, listed) in tools() {
        let bare = Value::from((*listed.output_schema.clone().unwrap()).clone());
        let schema = Value::from((*tool.output_schema()).clone());
        let mut given = Vec::new();
        for arguments in samples(tool, &listed) {
            let request = parsed(tool, &arguments);
            let structured = answer::to(&request, &*fake, &Caller::patient()).unwrap().structured;
            for schema in [&bare, &schema] {
                assert_eq!(misfits(schema, &structured, &listed.name), Vec::<String>::new());
            }
            assert_eq!(forms_that_fit(&schema, &structured), 1, "{arguments}");
            given.extend(structured.as_object().unwrap().keys().cloned());
        }
        let described: Vec<_> = bare["properties"].as_object().unwrap().keys().collect();
        let all = schema["properties"].as_object().unwrap().keys();
        assert!(all.eq(described.iter().copied().chain([&HIDDEN_CHARACTERS.to_owned()])));
        given.sort_by_key(|name| described.iter().position(|known| *known == name));
        assert!(given.iter().eq(described), "the samples of {} have every field: {given:?}", listed.name);
    }
}

/// Calls that together bring every field of an answer.
fn samples(tool: ToolName, listed: &Tool) -> Vec<Value> {
    let least = required(tool, listed);
    match tool {
        ToolName::ReadNote => vec![least, json!({ "paths": ["x", "missing"] })],
        _ => vec![least],
    }
}

/// How many of the forms that an answer may have are this one's; one where there is only one form.
fn forms_that_fit(schema: &Value, answer: &Value) -> usize {
    let Some(forms) = schema["oneOf"].as_array() else { return 1 };
    let has = |name: &Value| answer.get(name.as_str().unwrap()).is_some();
    forms.iter().filter(|form| form["required"].as_array().unwrap().iter().all(has)).count()
}

#[test]
fn links_that_were_not_asked_for_are_left_out() {
    let fake = Fake::new();
    let fields = |direction: &str| {
        let request = parsed(ToolName::NoteLinks, &json!({ "path": "x", "direction": direction }));
        let answer = answer::to(&request, &*fake, &Caller::patient()).unwrap().structured;
        answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fields("both"), "path title outgoing backlinks unresolved near route truncated");
    assert_eq!(fields("outgoing"), "path title outgoing unresolved near route truncated");
    assert_eq!(fields("backlinks"), "path title backlinks near route truncated");
}

#[test]
fn annotations() {
    for (tool, listed) in tools() {
        let annotations = serde_json::to_value(listed.annotations.unwrap()).unwrap();
        let expected = match tool {
            ToolName::ReindexVault => json!({
                "readOnlyHint": false,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            }),
            _ => json!({ "readOnlyHint": true, "openWorldHint": false }),
        };
        assert_eq!(annotations, expected);
    }
}
