//! The REST routes of `obsearch serve`: which there are, that each says what its tool says, how it fails, and
//! that a private note is to each of them like none; and the tests of the wall once more, through them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::common::Home;
use crate::http::{Answer, ask, the_wall_holds, token};
use crate::server::Daemon;

const SETTINGS: &str = "[vault]\npath = \"~/Notes\"\n[privacy]\nfolders = [\"journal\"]\nfrontmatter_flag = \"private\"\n\
    [embeddings]\nbackend = \"none\"\n[server]\nallow_reindex = ";
const HTTP: [&str; 4] = ["--transport", "http", "--port", "0"];

/// Paths and what they allow, with a body that they answer.
const ROUTES: [(&str, &str, &str); 14] = [
    ("/health", "GET,HEAD", ""),
    ("/openapi.json", "GET,HEAD", ""),
    ("/status", "GET,HEAD", ""),
    ("/search", "POST", r#"{"query":"larch"}"#),
    ("/search_hybrid", "POST", r#"{"query":"larch"}"#),
    ("/search_semantic", "POST", r#"{"query":"larch"}"#),
    ("/search_keyword", "POST", r#"{"query":"larch"}"#),
    ("/get_full_note", "GET,HEAD,POST", r#"{"path":"Boat.md"}"#),
    ("/list_topics", "GET,HEAD,POST", "{}"),
    ("/verify_citation", "POST", r#"{"citations":["Boat.md"]}"#),
    ("/find_similar", "POST", r#"{"path":"Boat.md"}"#),
    ("/vault_health", "GET,HEAD,POST", "{}"),
    ("/vault_guide", "GET,HEAD,POST", "{}"),
    ("/index", "POST", "{}"),
];

fn home(allow_reindex: &str) -> Home {
    let notes = [
        (
            "Boat.md",
            "---\naliases: [Skiff]\n---\n# Boat\n\nLarch, see [[Mast]] and [[Secret]]. #craft/wood\n\n## Hull\n\nTar.\n",
        ),
        ("work/Mast.md", "# Mast\n\nSpruce. #craft\n"),
        ("Secret.md", "---\nprivate: true\naliases: [Hush]\n---\n# Secret\n\nquelmbrick #craft/hidden\n"),
        ("journal/Day.md", "# Day\n\nossifrane larch\n"),
    ];
    let home = Home::with_vault(&notes, "");
    home.configure(&format!("{SETTINGS}{allow_reindex}\n"));
    home.index();
    home
}

/// A running server and how to ask it.
struct Rest {
    server: Daemon,
    authorization: Option<String>,
}

impl Rest {
    fn start(home: &Home) -> Rest {
        Rest { server: Daemon::start(home, &HTTP), authorization: None }
    }

    fn ask(&self, method: &str, route: &str, body: &str) -> Answer {
        let host = format!("localhost:{}", self.server.port());
        let token = self.authorization.as_deref().map(|value| ("Authorization", value));
        let headers: Vec<(&str, &str)> = [("Host", host.as_str())].into_iter().chain(token).collect();
        without_date(ask(self.server.port(), method, route, &headers, body))
    }

    /// The structured content of the same call over MCP.
    fn over_mcp(&self, tool: &str, arguments: &Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        self.ask("POST", "/mcp", &call.to_string()).json()["result"]["structuredContent"].take()
    }
}

fn without_date(mut answer: Answer) -> Answer {
    let lines = answer.head.lines().filter(|line| !line.starts_with("date:"));
    answer.head = lines.collect::<Vec<_>>().join("\n");
    answer
}

pub(crate) fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |encoded, byte| format!("{encoded}%{byte:02X}"))
}

/// A call as it goes to a route: method, target, body. None for what no route stands for.
fn route_of(params: &Value) -> Option<(&'static str, String, String)> {
    let mut arguments: Map<String, Value> = match params.get("arguments") {
        Some(arguments) => arguments.as_object()?.clone(),
        None => Map::new(),
    };
    let only = |name: &str| match &arguments {
        given if given.len() == 1 => given.get(name).and_then(Value::as_str).map(percent_encoded),
        _ => None,
    };
    let path = match params["name"].as_str()? {
        "search_vault" => match arguments.get("mode").and_then(Value::as_str) {
            Some(mode @ ("hybrid" | "semantic" | "keyword")) => {
                let path = format!("/search_{mode}");
                arguments.remove("mode");
                path
            }
            _ => "/search".to_owned(),
        },
        "read_note" => match only("path") {
            Some(name) => return Some(("GET", format!("/get_full_note?path={name}"), String::new())),
            None => "/get_full_note".to_owned(),
        },
        "list_tags" => match only("prefix") {
            Some(prefix) => return Some(("GET", format!("/list_topics?prefix={prefix}"), String::new())),
            None => "/list_topics".to_owned(),
        },
        "index_status" if arguments.is_empty() => return Some(("GET", "/status".to_owned(), String::new())),
        "reindex_vault" => "/index".to_owned(),
        name @ ("context_pack" | "list_notes" | "note_links" | "vault_health" | "vault_guide"
        | "verify_citation" | "find_similar") => {
            format!("/{name}")
        }
        _ => return None,
    };
    Some(("POST", path, Value::from(arguments).to_string()))
}

/// A call of a tool as its route answers it, in the form that an answer has over MCP, with status and head:
/// they must not tell more than the body.
pub(crate) fn tool_call(port: u16, id: u64, params: &Value) -> Option<String> {
    let (method, target, body) = route_of(params)?;
    let answer = without_date(ask(port, method, &target, &[("Host", &format!("localhost:{port}"))], &body));
    let said = answer.json();
    // The length says nothing beside the body, in which times of runs are masked.
    let head: Vec<&str> = answer.head.lines().filter(|line| !line.starts_with("content-length:")).collect();
    let mut result = json!({ "status": answer.status, "head": head, "isError": answer.status != 200 });
    result["content"] = json!([{ "type": "text", "text": said["error"].as_str().unwrap_or_default() }]);
    if answer.status == 200 {
        result["structuredContent"] = said;
    }
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
}

#[test]
fn every_route_has_its_methods_and_no_others() {
    for allow_reindex in ["true", "false"] {
        let home = home(allow_reindex);
        let rest = Rest::start(&home);
        for (path, allowed, body) in ROUTES {
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
                let target = match (path, method) {
                    ("/get_full_note", "GET" | "HEAD") => format!("{path}?path=Skiff"),
                    _ => path.to_owned(),
                };
                let answer = rest.ask(method, &target, if method == "POST" { body } else { "" });
                let expected = match (path, allow_reindex) {
                    ("/index", "false") => 404,
                    _ if allowed.split(',').any(|allowed| allowed == method) => 200,
                    _ => 405,
                };
                let what = format!("{method} {path}, allow_reindex = {allow_reindex}: {answer:?}");
                assert_eq!(answer.status, expected, "{what}");
                let allow = answer.head.lines().find_map(|line| line.strip_prefix("allow: "));
                assert_eq!(
                    allow.map(str::to_uppercase).as_deref(),
                    (expected == 405).then_some(allowed),
                    "{what}"
                );
                assert!(
                    method == "HEAD" || answer.json()["error"].is_string() == (expected != 200),
                    "{what}"
                );
            }
        }
        for nowhere in ["/", "/search/", "/Search", "/%73earch", "/read_note", "/..", "/docs"] {
            assert_eq!(rest.ask("GET", nowhere, "").body, r#"{"error":"no such route"}"#, "{nowhere}");
        }
    }
}

#[test]
fn no_route_is_answered_without_the_right_host_and_token() {
    let home = home("true");
    let token = token(&home, "agent", "public");
    let rest = Rest::start(&home);
    let port = rest.server.port();
    let [host, bearer, wrong] =
        [format!("localhost:{port}"), format!("Bearer {token}"), format!("Bearer {}", &token[1..])];
    for (path, allowed, body) in ROUTES {
        let method = allowed.split(',').next_back().unwrap();
        let table: [(&[(&str, &str)], u16); 5] = [
            (&[("Host", &host)], 401),
            (&[("Host", &host), ("Authorization", &wrong)], 401),
            (&[("Host", "evil.example"), ("Authorization", &bearer)], 403),
            (&[("Host", &host), ("Authorization", &bearer), ("Origin", "null")], 403),
            (&[("Host", &host), ("Authorization", &bearer)], 200),
        ];
        for (headers, expected) in table {
            assert_eq!(
                ask(port, method, path, headers, body).status,
                expected,
                "{method} {path} {headers:?}"
            );
        }
    }
}

#[test]
fn a_private_note_is_like_none_by_every_route_and_spelling() {
    let home = home("false");
    let rest = Rest::start(&home);
    let names = [
        "Secret.md",
        "Secret",
        "secret",
        "[[Secret]]",
        "Secret#Secret",
        "Hush",
        "journal/Day.md",
        "Day",
        "/Secret.md",
        "./Secret.md",
        "work/../Secret.md",
        "../Notes/Secret.md",
        "Secret.md/",
        "%53ecret.md",
    ];
    let ways: [&dyn Fn(&str) -> Answer; 6] = [
        &|name| rest.ask("GET", &format!("/get_full_note?path={}", percent_encoded(name)), ""),
        &|name| rest.ask("GET", &format!("/note_links?path={}", percent_encoded(name)), ""),
        &|name| rest.ask("POST", "/get_full_note", &json!({ "path": name }).to_string()),
        &|name| rest.ask("POST", "/get_full_note", &json!({ "path": name, "section": "Day" }).to_string()),
        &|name| rest.ask("POST", "/get_full_note", &json!({ "path": name, "outline": true }).to_string()),
        &|name| rest.ask("POST", "/note_links", &json!({ "path": name }).to_string()),
    ];
    for (number, way) in ways.iter().enumerate() {
        let missing = way("Nothing here.md");
        assert_eq!(
            (missing.status, missing.body.as_str()),
            (404, r#"{"error":"note not found"}"#),
            "{number}"
        );
        for name in names {
            assert_eq!(format!("{:?}", way(name)), format!("{missing:?}"), "{number}: {name}");
        }
        assert_ne!(way("Skiff").body, missing.body, "{number}");
    }
}

#[test]
fn a_route_says_what_its_tool_says() {
    let home = home("true");
    let rest = Rest::start(&home);
    let calls = [
        ("search_vault", json!({ "query": "larch" })),
        ("search_vault", json!({ "query": "larch", "mode": "keyword", "limit": 1, "folders": ["work"] })),
        ("search_vault", json!({ "query": "larch", "mode": "semantic", "limit": null })),
        (
            "search_vault",
            json!({ "query": "larch", "limit": 1, "hypothetical": "A boat.", "expand_links": true }),
        ),
        ("context_pack", json!({ "question": "larch", "max_bytes": 300 })),
        ("read_note", json!({ "path": "Skiff" })),
        ("read_note", json!({ "path": "Boat", "section": "Hull" })),
        ("read_note", json!({ "paths": ["Boat", "Secret", "Mast"], "max_bytes": 256 })),
        ("list_notes", json!({ "limit": 1 })),
        (
            "list_notes",
            json!({ "where": ["aliases contains skiff"], "until": "2999-01-01", "sort": "modified" }),
        ),
        ("search_vault", json!({ "query": "larch", "where": ["aliases exists"], "since": "1970-01-01" })),
        ("list_tags", json!({})),
        ("list_tags", json!({ "prefix": "craft" })),
        ("note_links", json!({ "path": "Boat.md", "direction": "outgoing" })),
        ("note_links", json!({ "path": "Boat.md", "depth": 2, "to": "Mast" })),
        ("find_similar", json!({ "path": "Boat.md", "purpose": "link" })),
        ("vault_health", json!({ "checks": ["links", "orphans"], "limit": 2 })),
        ("vault_guide", json!({})),
        ("verify_citation", json!({ "citations": ["Boat.md#Hull\nTar.", "Boat.md\nPitch"] })),
        ("index_status", json!({})),
        ("reindex_vault", json!({})),
    ];
    for (tool, arguments) in &calls {
        let (method, target, body) = route_of(&json!({ "name": tool, "arguments": arguments })).unwrap();
        let answer = rest.ask(method, &target, &body);
        let [mut found, mut expected] = [answer.json(), rest.over_mcp(tool, arguments)];
        for value in [&mut found, &mut expected] {
            // How long a run took, and when: reindexing moves both.
            let fields = value.as_object_mut().unwrap_or_else(|| panic!("{tool} {arguments}: {answer:?}"));
            fields.retain(|name, _| name != "seconds" && name != "indexed_at");
        }
        assert_eq!(found, expected, "{tool} {arguments}");
    }
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let listed = rest.ask("POST", "/mcp", &list.to_string()).json();
    let names =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    let asked: BTreeSet<&str> = calls.iter().map(|(tool, _)| *tool).collect();
    assert_eq!(
        names.collect::<BTreeSet<_>>(),
        asked,
        "a tool without a route, or one that is not asked here"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let home = home("true");
    let rest = Rest::start(&home);
    let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(4001));
    let table = [
        ("POST", "/search", "", 422, "`query` is missing"),
        ("POST", "/search", "{", 400, "JSON object"),
        ("POST", "/search", "[]", 400, "JSON object"),
        ("POST", "/search", r#"{"query":" "}"#, 422, "not blank"),
        ("POST", "/search", &long, 422, "4000 characters"),
        ("POST", "/search", r#"{"query":"x","limit":51}"#, 422, "from 1 to 50"),
        ("POST", "/search", r#"{"query":"x","limit":1,"top_k":1}"#, 422, "not both"),
        ("POST", "/search", r#"{"query":"x","surprise":1}"#, 422, "unknown argument `surprise`"),
        ("POST", "/search?query=x", "{}", 422, "not into the query"),
        ("POST", "/search_keyword", r#"{"query":"x","mode":"keyword"}"#, 422, "decided by the path"),
        ("GET", "/get_full_note", "", 422, "`path` is missing"),
        ("GET", "/get_full_note?path=%FF", "", 400, "UTF-8"),
        ("GET", "/get_full_note?path=a&path=b", "", 422, "`path` must be a string"),
        ("GET", "/get_full_note?path=Boat&limit=ten", "", 422, "an integer"),
        ("GET", "/get_full_note?path=Boat&outline=true", "", 422, "does not know"),
        ("GET", "/get_full_note?path=Boat&section=None", "", 404, "no such section"),
        ("POST", "/list_notes", r#"{"cursor":"x"}"#, 404, "no cursor"),
        ("GET", "/status?verbose=true", "", 422, "does not know"),
        ("POST", "/index", r#"{"mode":"all"}"#, 422, "incremental, full"),
    ];
    for (method, target, body, status, word) in table {
        let answer = rest.ask(method, target, body);
        let said = answer.json();
        assert_eq!(answer.status, status, "{method} {target} {body}: {answer:?}");
        assert!(said["error"].as_str().unwrap().contains(word), "{method} {target} {body}: {said}");
        assert_eq!(said.as_object().unwrap().len(), 1, "{said}");
    }
    assert_eq!(rest.ask("POST", "/search", &"x".repeat(2 << 20)).status, 413);
    let host = format!("localhost:{}", rest.server.port());
    let headers = [("Host", &*host), ("X-Other", "y")];
    assert_eq!(ask(rest.server.port(), "POST", "/search", &headers, r#"{"query":"x"}"#).status, 200);
}

#[test]
fn an_outage_is_told() {
    let home = home("false");
    let rest = Rest::start(&home);
    home.configure("[vault]\npath = \"~/Notes\"\n[privacy]\nfolder = [\"misspelt\"]\n");
    let outage = rest.ask("POST", "/search", r#"{"query":"larch"}"#);
    assert_eq!(outage.status, 503, "{outage:?}");
    assert!(outage.body.contains("nothing is served") && !outage.body.contains("misspelt"), "{outage:?}");
    home.configure(&format!("{SETTINGS}false\n"));
    assert_eq!(rest.ask("GET", "/status", "").status, 200);
}

#[test]
fn a_token_opens_its_profile_over_rest_too() {
    let home = home("false");
    let [public, full] = ["public", "full"].map(|profile| token(&home, profile, profile));
    let mut rest = Rest::start(&home);
    let mut read = |token: &str| {
        rest.authorization = Some(format!("Bearer {token}"));
        [("GET", "/get_full_note?path=Secret"), ("GET", "/openapi.json")]
            .map(|(method, target)| rest.ask(method, target, ""))
    };
    let ([hidden, document], [shown, same_document]) = (read(&public), read(&full));
    assert_eq!((hidden.status, shown.status), (404, 200));
    assert!(shown.body.contains("quelmbrick"), "{shown:?}");
    assert_eq!(document.body, same_document.body);
}

/// The same for every vault and profile; what the owner decides shows, and nothing else.
#[test]
fn the_document_describes_what_there_is_and_knows_no_vault() {
    let document = |home: &Home| Rest::start(home).ask("GET", "/openapi.json", "").json();
    let with_index = home("true");
    let [all, without_index] = [&with_index, &home("false")].map(document);
    let empty = Home::with_vault(&[], "");
    assert_eq!(document(&empty), without_index);
    let paths = |document: &Value| -> BTreeSet<String> {
        document["paths"].as_object().unwrap().keys().cloned().collect()
    };
    let only: Vec<String> = paths(&all).difference(&paths(&without_index)).cloned().collect();
    assert_eq!(only, ["/index"]);
    for (path, allowed, _) in ROUTES {
        let methods = all["paths"][path].as_object().unwrap().keys().map(|method| method.to_uppercase());
        let described: BTreeSet<String> = methods.collect();
        let allowed = allowed.split(',').filter(|method| *method != "HEAD").map(str::to_owned);
        assert_eq!(described, allowed.collect(), "{path}");
    }
    assert_eq!(all["security"], json!([{}, { "bearer": [] }]));
    token(&with_index, "agent", "public");
    let mut rest = Rest::start(&with_index);
    rest.authorization = Some(format!("Bearer {}", token(&with_index, "other", "public")));
    assert_eq!(rest.ask("GET", "/openapi.json", "").json()["security"], json!([{ "bearer": [] }]));
}

#[test]
fn the_wall_holds_over_rest() {
    the_wall_holds("rest");
}
