//! Several vaults behind one server: every request names its own, every answer too, and nothing of one shows in
//! an answer of another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::expect;
use serde_json::{Value, json};

use super::client::{Client, Setup};
use super::fake::Fake;
use crate::mcp::vaults::{Opening, Vaults};

fn never() -> Opening<Fake> {
    Box::new(|| None)
}

/// `home` works, `lost` cannot be opened, `work` works.
fn several() -> Vaults<Fake> {
    let vault = |name: &str, opened: Option<Arc<Fake>>| (name.to_owned(), opened, never());
    Vaults::several(vec![
        vault("home", Some(Fake::new())),
        vault("lost", None),
        vault("work", Some(Fake::new())),
    ])
}

fn client() -> Client {
    Client::connected_to(several(), &Setup::default())
}

#[test]
fn every_tool_takes_a_vault() {
    let mut client = client();
    let listed = client.request("tools/list", &json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let schema = &tool["inputSchema"];
        let (first, described) = schema["properties"].as_object().unwrap().iter().next().unwrap();
        assert_eq!((&**first, &described["enum"]), ("vault", &json!(["home", "lost", "work"])), "{tool}");
        assert_eq!(schema["required"][0], "vault", "{tool}");
        assert_eq!(tool["outputSchema"]["properties"]["vault"], json!({ "type": "string" }), "{tool}");
    }
}

#[test]
fn what_names_no_vault_here_is_refused_alike() {
    let mut client = client();
    let mut told = |vault: Value| {
        let answer = client.call("index_status", &json!({ "vault": vault }));
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let words = "`vault` must be one of home, lost, work";
    for vault in [json!("other"), json!("Home"), json!(""), json!("home "), json!(7), json!(["home"])] {
        assert_eq!(told(vault.clone()), words, "{vault}");
    }
    assert_eq!(told(Value::Null), "`vault` is missing: give one of home, lost, work");
    let answer = client.call("index_status", &json!({ "vault": "home", "x": 1 }));
    assert_eq!(answer["result"]["content"][0]["text"], "unknown argument `x`: this tool takes vault");
}

#[test]
fn an_answer_names_its_vault() {
    let mut client = client();
    let answer = client.call("list_tags", &json!({ "vault": "work" }));
    let result = &answer["result"];
    assert_eq!(result["structuredContent"].as_object().unwrap().iter().next().unwrap().1, "work");
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("vault: work\n"), "{answer}");
}

#[test]
fn a_vault_that_is_lost_takes_no_other_along() {
    let mut client = client();
    let lost = client.call("list_tags", &json!({ "vault": "lost" }));
    assert_eq!(
        lost["result"]["content"][0]["text"],
        "the vault cannot be read; the owner must look whether it is still there"
    );
    assert_eq!(client.call("list_tags", &json!({ "vault": "home" }))["result"]["isError"], false);
}

#[test]
fn a_vault_that_comes_back_is_opened() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let open: Opening<Fake> = Box::new(move || (counted.fetch_add(1, Ordering::SeqCst) > 0).then(Fake::new));
    let vaults =
        Vaults::several(vec![("a".to_owned(), Some(Fake::new()), never()), ("b".to_owned(), None, open)]);
    let mut client = Client::connected_to(vaults, &Setup::default());
    let mut is_error = || client.call("list_tags", &json!({ "vault": "b" }))["result"]["isError"].clone();
    assert_eq!([is_error(), is_error(), is_error()], [true, false, false].map(Value::from));
    assert_eq!(tries.load(Ordering::SeqCst), 2);
}

#[test]
fn resources_are_listed_vault_by_vault_and_read_by_address() {
    let mut client = client();
    let first = client.request("resources/list", &json!({}));
    let uri = |page: &Value| page["result"]["resources"][0]["uri"].as_str().unwrap().to_owned();
    assert!(uri(&first).starts_with("obsearch://vault/home/"), "{first}");
    let next = first["result"]["nextCursor"].as_str().unwrap().to_owned();
    assert!(next.starts_with("home/"), "the fake has a further page always: {next}");
    let second = client.request("resources/list", &json!({ "cursor": "lost/" }));
    assert!(uri(&second).starts_with("obsearch://vault/work/"), "a lost vault is passed over: {second}");
    let read = client.request("resources/read", &json!({ "uri": uri(&second) }));
    let words = "the note is too long to be given as a whole; read it in parts with read_note";
    assert_eq!(read["error"]["message"], words, "the fake's only note was found");
    for uri in ["obsearch://note/a.md", "obsearch://vault/other/a.md", "obsearch://vault/work/missing"] {
        let answer = client.request("resources/read", &json!({ "uri": uri }));
        assert_eq!(answer["error"]["message"], "resource not found", "{uri}");
    }
    for cursor in ["other/", "home", ""] {
        let answer = client.request("resources/list", &json!({ "cursor": cursor }));
        assert_eq!(answer["error"]["message"], "this is no cursor of this list", "{cursor}");
    }
}

#[test]
fn prompts_and_completions_know_the_vault() {
    let mut client = client();
    let prompts = client.request("prompts/list", &json!({}));
    for prompt in prompts["result"]["prompts"].as_array().unwrap() {
        assert_eq!(prompt["arguments"][0]["name"], "vault", "{prompt}");
    }
    let filled = |client: &mut Client, vault: &str| {
        let arguments = json!({ "vault": vault, "path": "a.md" });
        client.request("prompts/get", &json!({ "name": "propose_links", "arguments": arguments }))
    };
    let text = filled(&mut client, "work")["result"]["messages"][0]["content"]["text"].to_string();
    assert!(text.ends_with("These notes are the vault work: give its name to every tool.\""), "{text}");
    let refused = filled(&mut client, "other");
    assert_eq!(refused["error"]["message"], "`vault` must be one of home, lost, work");
    let mut values = |argument: &str, context: Value| {
        let params = json!({
            "ref": { "type": "ref/prompt", "name": "propose_links" },
            "argument": { "name": argument, "value": "o" },
            "context": { "arguments": context },
        });
        client.request("completion/complete", &params)["result"]["completion"]["values"].to_string()
    };
    let shown = [
        values("vault", json!({})),
        values("path", json!({})),
        values("path", json!({ "vault": "other" })),
        values("path", json!({ "vault": "work" })),
    ];
    expect![[r#"
        ["home","lost","work"]
        []
        []
        ["Projects/Boat.md"]"#]]
    .assert_eq(&shown.join("\n"));
}
