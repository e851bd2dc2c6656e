//! Requests made from what the server says of itself: every tool it lists, with arguments that its
//! schema allows and some that it does not. A tool that is added is asked without anyone's doing; a
//! capability or a type of argument that is not known here is an error, never a gap.

use serde_json::{Map, Value, json};

use super::notes::{self, NAMES, TAGS};
use super::vaults::Vault;
use crate::common::Dice;

/// A request as it goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
}

/// Capabilities that [`Script`] and [`super::offers::Offers`] exercise. `logging` has one method, which is
/// among the fixed requests.
const KNOWN_CAPABILITIES: [&str; 5] = ["tools", "resources", "prompts", "completions", "logging"];

/// On properties of public notes, of private ones, and of none.
const CONDITIONS: [&str; 10] = [
    "title = Jane",
    "title != Plan",
    "aliases contains Jane",
    "tags contains project",
    "tags = private",
    "secret exists",
    "secret = no",
    "kqzcanary3 exists",
    "title < 5",
    "nothing",
];
const CHECKS: [&str; 8] = ["orphans", "links", "embeds", "anchors", "titles", "empty", "tags", "all"];
const DAYS: [&str; 6] = ["2030-01-05", "2030-01-20", "2030-02-10", "2031-04-09", "1970-01-01", "yesterday"];

/// Says what is missing here if the server can do more than the script asks.
pub(crate) fn check_capabilities(hello: &Value) -> Result<(), String> {
    let capabilities =
        hello["result"]["capabilities"].as_object().ok_or("`initialize` tells no capabilities")?;
    match capabilities.keys().find(|name| !KNOWN_CAPABILITIES.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(format!(
            "the server advertises `{name}`: add requests for it to tests/it/referee/script.rs, then its name to \
             KNOWN_CAPABILITIES"
        )),
    }
}

/// Texts to ask with, by what they may be.
pub(crate) struct Pools {
    names: Vec<String>,
    queries: Vec<String>,
    folders: Vec<String>,
    tags: Vec<String>,
    cursors: Vec<String>,
}

impl Pools {
    /// What a vault gives to ask about: its public and private names, and what is neither.
    pub(crate) fn new(vault: &Vault, dice: &mut Dice) -> Pools {
        Pools {
            names: names(vault, dice),
            queries: queries(vault, dice),
            folders: folders(vault),
            tags: tags(vault),
            cursors: [
                "",
                "after:",
                "after:journal/Jane.md",
                "after:work",
                "after:\u{10ffff}",
                "journal/Jane.md",
                "🪴",
            ]
            .map(str::to_owned)
            .to_vec(),
        }
    }

    /// Adds the cursors in these answers, and the same forged.
    pub(crate) fn add_cursors(&mut self, answers: &[String], dice: &mut Dice) {
        let parsed = answers.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for answer in parsed {
            let result = &answer["result"];
            let cursor =
                result["structuredContent"]["next_cursor"].as_str().or(result["nextCursor"].as_str());
            let Some(cursor) = cursor else { continue };
            let cut = cursor.floor_char_boundary(dice.below(cursor.len() + 1));
            self.cursors.extend([cursor.to_owned(), cursor[..cut].to_owned(), format!("{cursor}x")]);
        }
    }

    /// A text for a parameter of this name; any text for a name that is not known.
    pub(crate) fn text(&self, parameter: &str, dice: &mut Dice) -> String {
        let all = [&self.names, &self.queries, &self.folders, &self.tags, &self.cursors];
        let pool = match parameter {
            "path" | "paths" | "note" | "name" | "title" | "uri" => &self.names,
            "query" | "question" => &self.queries,
            "folder" | "folders" => &self.folders,
            "tag" | "tags" | "prefix" => &self.tags,
            "cursor" => &self.cursors,
            "section" | "heading" => {
                return dice
                    .choose(&["Part", "#Part", "Jane", "Part#Part", "Plan#Part", "nothing"])
                    .to_owned();
            }
            "vault" => return dice.choose(&["home", "work", "work", "journal"]).to_owned(),
            "checks" => return dice.choose(&CHECKS).to_owned(),
            "where" => return dice.choose(&CONDITIONS).to_owned(),
            "since" | "until" => return dice.choose(&DAYS).to_owned(),
            "citations" => return self.citation(dice),
            "block" => return dice.choose(&["block", "^block", "nothing"]).to_owned(),
            _ => all[dice.below(all.len())],
        };
        pool[dice.below(pool.len())].clone()
    }

    /// A place with words, of which a note may hold none, some or all.
    fn citation(&self, dice: &mut Dice) -> String {
        let name = &self.names[dice.below(self.names.len())];
        let heading = dice.choose(&["", "#Part", "#Jane", "#^block", "#nothing"]);
        let quote = &self.queries[dice.below(self.queries.len())];
        if dice.below(4) == 0 { format!("{name}{heading}") } else { format!("{name}{heading}\n{quote}") }
    }
}

fn names(vault: &Vault, dice: &mut Dice) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for object in &vault.objects {
        let path = &object.path;
        let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
        let without_extension = path.trim_end_matches(".md");
        let spelt = [
            path.clone(),
            stem.to_owned(),
            format!("[[{stem}]]"),
            format!("[[{without_extension}#Part|shown]]"),
            format!("{stem}#^block"),
            format!("{path}#Part"),
            path.to_uppercase(),
            format!("../Notes/{path}"),
            format!("work/../{path}"),
            format!("./{path}"),
            format!("/{path}"),
            path.replace('/', "\\"),
            path.replace('/', "%2F"),
            format!("archive/to journal/{stem}.md"),
            format!("{path}/"),
        ];
        // The plain path of everything, and one of its other spellings.
        names.push(path.clone());
        names.push(spelt[dice.below(spelt.len())].clone());
    }
    names.extend((0..6).map(|number| format!("Alias {number}")));
    names.extend(NAMES.map(str::to_owned));
    names.extend(
        [
            "Nothing",
            "journal/Nothing.md",
            "../../etc/passwd",
            "journal",
            "Part",
            "#Part",
            ".",
            "[[",
            "Jane|x",
        ]
        .map(str::to_owned),
    );
    names
}

fn queries(vault: &Vault, dice: &mut Dice) -> Vec<String> {
    let mut queries: Vec<String> = (0..16).map(|_| notes::sentence(dice)).collect();
    let hidden: Vec<usize> =
        (0..vault.objects.len()).filter(|number| vault.objects[*number].hidden.is_some()).collect();
    for _ in 0..6 {
        queries.push(notes::canary(dice.choose(&hidden)));
        queries.push(format!("\"{}\" {}", notes::sentence(dice), dice.choose(&NAMES)));
    }
    queries.extend(
        [
            "qzcanary",
            "private",
            "secret",
            "journal people",
            "图",
            "\"bread lamp",
            "-river stone",
            "river OR stone",
            "river AND NOT (stone",
            "title:Jane",
            "NEAR(river stone)",
            "*",
            "#private",
            "tag:private",
            "path:journal",
            "café",
            "block",
            "Part",
            "shown",
            "x",
        ]
        .map(str::to_owned),
    );
    queries
}

fn folders(vault: &Vault) -> Vec<String> {
    let parents = vault.objects.iter().filter_map(|object| object.path.rsplit_once('/'));
    let mut folders: Vec<String> = parents.map(|(folder, _)| folder.to_owned()).collect();
    folders.sort();
    folders.dedup();
    folders.extend(
        [
            "",
            "/",
            "work/",
            "WORK",
            "nowhere",
            "archive/more",
            "archive/to journal",
            "../Notes",
            "work/*",
            "Café",
        ]
        .map(str::to_owned),
    );
    folders
}

fn tags(vault: &Vault) -> Vec<String> {
    let mut tags = TAGS.map(str::to_owned).to_vec();
    tags.extend((0..vault.objects.len()).step_by(3).map(|number| format!("only/{}", notes::canary(number))));
    tags.extend(
        ["", "#", "only", "private", "#Private", "private/health", "über", "READING", "project/", "pro"]
            .map(str::to_owned),
    );
    tags
}

/// Makes requests.
pub(crate) struct Script {
    /// As the server listed them.
    tools: Vec<Value>,
}

impl Script {
    /// For the tools of this answer to `tools/list`.
    pub(crate) fn new(listed: &Value) -> Result<Script, String> {
        let tools = listed["result"]["tools"].as_array().filter(|tools| !tools.is_empty());
        Ok(Script { tools: tools.ok_or("the server lists no tools")?.clone() })
    }

    /// The tools that change nothing, or those that do.
    pub(crate) fn names(&self, is_read_only: bool) -> Vec<&str> {
        let wanted =
            self.tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == json!(is_read_only));
        wanted.map(|tool| tool["name"].as_str().unwrap_or_default()).collect()
    }

    /// Calls of these tools, every one of them at least once.
    pub(crate) fn calls(
        &self,
        names: &[&str],
        count: usize,
        pools: &Pools,
        dice: &mut Dice,
    ) -> Result<Vec<Request>, String> {
        let tools: Vec<&Value> =
            self.tools.iter().filter(|tool| names.iter().any(|name| tool["name"] == **name)).collect();
        (0..count)
            .map(|number| {
                // Tools with many parameters are asked more often.
                let by_size = tools.iter().copied().flat_map(|tool| {
                    std::iter::repeat_n(
                        tool,
                        1 + tool["inputSchema"]["properties"].as_object().map_or(0, Map::len),
                    )
                });
                let by_size: Vec<&Value> = by_size.collect();
                let tool = tools.get(number).copied().unwrap_or_else(|| dice.choose(&by_size));
                let arguments = arguments(&tool["inputSchema"], pools, dice)?;
                let params = json!({ "name": tool["name"], "arguments": arguments });
                Ok(Request { method: "tools/call", params })
            })
            .collect()
    }
}

/// Requests that no tool stands behind.
pub(crate) fn fixed_requests() -> Vec<Request> {
    let modern = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let requests = [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/list", json!({ "cursor": "x" })),
        ("tools/list", modern.clone()),
        ("server/discover", modern.clone()),
        ("server/discover", json!({})),
        ("resources/list", json!({})),
        ("resources/list", modern.clone()),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "obsidian://journal/Jane.md" })),
        ("resources/subscribe", json!({ "uri": "file:///Notes/journal/Jane.md" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "Jane" })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "path", "value": "Ja" } }),
        ),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("notes/secret", json!({})),
        ("tools/call", json!({ "name": "no_such_tool", "arguments": {} })),
        ("tools/call", json!({ "name": 7 })),
        ("tools/call", json!({ "name": "read_note", "arguments": "journal/Jane.md" })),
        ("tools/call", json!({ "name": "read_note", "arguments": { "path": "Jane", "journal/Jane.md": 1 } })),
    ];
    requests.map(|(method, params)| Request { method, params }).to_vec()
}

/// Arguments that a schema describes; one in ten sets has something wrong.
fn arguments(schema: &Value, pools: &Pools, dice: &mut Dice) -> Result<Value, String> {
    let mut arguments = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        // Flags change more of an answer than anything else, and only half of those that are given are true.
        let chance = if property["type"] == "boolean" { 2 } else { 4 };
        if required.iter().any(|needed| needed == name) || dice.below(chance) == 0 {
            arguments.insert(name.clone(), value(name, property, pools, dice)?);
        }
    }
    name_notes(&mut arguments, &schema["properties"], pools, dice)?;
    if dice.below(10) == 0 {
        let wrong = dice.choose(&["path", "limit", "surprise", "journal/Jane.md"]);
        let value = [json!(7), json!([["x"]]), json!(null), json!({ "Jane": 1 })][dice.below(4)].clone();
        arguments.insert(wrong.to_owned(), value);
    }
    Ok(arguments.into())
}

/// A tool that takes one note or several gets one of the two, and with several mostly nothing that is for one.
fn name_notes(
    arguments: &mut Map<String, Value>,
    properties: &Value,
    pools: &Pools,
    dice: &mut Dice,
) -> Result<(), String> {
    if properties["path"].is_null() || properties["paths"].is_null() {
        return Ok(());
    }
    let (name, others): (&str, &[&str]) = match dice.below(5) {
        0..=2 => ("path", &["paths"]),
        3 => ("paths", &["path", "section", "block", "offset", "limit"]),
        _ => ("paths", &["path"]),
    };
    arguments.retain(|given, _| !others.contains(&given.as_str()));
    arguments.insert(name.to_owned(), value(name, &properties[name], pools, dice)?);
    Ok(())
}

fn value(name: &str, schema: &Value, pools: &Pools, dice: &mut Dice) -> Result<Value, String> {
    if let Some(words) = schema["enum"].as_array() {
        return Ok(words[dice.below(words.len())].clone());
    }
    match schema["type"].as_str() {
        Some("string") => Ok(pools.text(name, dice).into()),
        Some("boolean") => Ok((dice.below(2) == 0).into()),
        Some("integer" | "number") => Ok(number(schema, dice).into()),
        Some("array") => {
            // Several notes share what there is room for.
            let count = dice.below(if name == "paths" { 6 } else { 3 });
            (0..count).map(|_| value(name, &schema["items"], pools, dice)).collect()
        }
        Some("object") => arguments(schema, pools, dice),
        _ => Err(format!(
            "no value can be made for `{name}`, {schema}: teach tests/it/referee/script.rs this type"
        )),
    }
}

/// Mostly small numbers, which cut answers short; sometimes the bounds.
fn number(schema: &Value, dice: &mut Dice) -> i64 {
    let bound = |key: &str, default: i64| schema[key].as_i64().unwrap_or(default);
    let (minimum, maximum) = (bound("minimum", 0), bound("maximum", 100));
    match dice.below(8) {
        0 => minimum,
        1 => maximum,
        2 => maximum + 1,
        _ => (minimum + i64::try_from(dice.below(5)).unwrap_or(0)).min(maximum),
    }
}
