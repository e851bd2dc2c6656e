//! Tables of texts before and after, and where files lie.

use std::fs;
use std::path::PathBuf;

use super::{Client, Launch, OTHER_KIND, Planned, Problem, UNSURE, claude_command, plan};
use crate::config::Environment;

fn launch(arguments: &[&str]) -> Launch {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    Launch { command: "/bin/o".to_owned(), arguments }
}

/// What is written, and that nothing is written over it again.
#[track_caller]
fn check(client: Client, before: &str, after: &str) {
    let launch = launch(&["serve"]);
    let written = client.with_server(before, &launch).unwrap().expect("something is to be written");
    assert_eq!(written, after, "{before}");
    assert_eq!(client.with_server(&written, &launch), Ok(None), "{before}");
}

#[test]
fn a_file_that_is_not_there_is_made_as_each_client_wants_it() {
    let rows = [
        (
            Client::ClaudeDesktop,
            "{\n  \"mcpServers\": {\n    \"obsearch\": {\n      \"command\": \"/bin/o\",\n      \"args\": [\n        \
             \"serve\"\n      ]\n    }\n  }\n}\n",
        ),
        (
            Client::VsCode,
            "{\n  \"servers\": {\n    \"obsearch\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/o\",\n      \
             \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n",
        ),
        (Client::Codex, "[mcp_servers.obsearch]\ncommand = \"/bin/o\"\nargs = [\"serve\"]\n"),
    ];
    for (client, text) in rows {
        check(client, "", text);
        assert_eq!(client.registration(&launch(&["serve"])), text);
    }
    let alike = [Client::ClaudeCode, Client::Cursor].map(|client| client.registration(&launch(&["serve"])));
    assert_eq!(alike[0], alike[1]);
    assert!(alike[0].contains("\"type\": \"stdio\""), "{}", alike[0]);
}

#[test]
fn nothing_else_of_a_json_text_changes() {
    let entry = r#""obsearch": {
      "command": "/bin/o",
      "args": [
        "serve"
      ]
    }"#;
    let compact = r#""obsearch":{"command":"/bin/o","args":["serve"]}"#;
    let rows = [
        ("{}", format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }}\n}}")),
        ("{\n}\n", format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }}\n}}\n")),
        (
            "{\n  \"a\" : 1.50 ,\n  \"b\": \"}\\\"{\"\n}\n",
            format!(
                "{{\n  \"a\" : 1.50 ,\n  \"b\": \"}}\\\"{{\",\n  \"mcpServers\": {{\n    {entry}\n  }}\n}}\n"
            ),
        ),
        (
            "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"}\n  },\n  \"z\": []\n}",
            format!(
                "{{\n  \"mcpServers\": {{\n    \"x\": {{\"command\": \"y\"}},\n    {entry}\n  }},\n  \"z\": []\n}}"
            ),
        ),
        (
            "{\n  \"mcpServers\": {},\n  \"z\": null\n}",
            format!("{{\n  \"mcpServers\": {{\n    {entry}\n  }},\n  \"z\": null\n}}"),
        ),
        (r#"{"a":[1,{"b":2}]}"#, format!(r#"{{"a":[1,{{"b":2}}],"mcpServers":{{{compact}}}}}"#)),
        (r#"{"mcpServers":{}}"#, format!(r#"{{"mcpServers":{{{compact}}}}}"#)),
        (
            "{\"mcpServers\":{\"obsearch\":{\"command\":\"/old\",\"args\":[\"serve\",\"--config\",\"/c\"],\"env\":{\"A\":\"b\"}}}}",
            r#"{"mcpServers":{"obsearch":{"command":"/bin/o","args":["serve"],"env":{"A":"b"}}}}"#.to_owned(),
        ),
        (
            "{\"mcpServers\":{\"obsearch\":{\"command\":\"/bin/o\"}}}",
            r#"{"mcpServers":{"obsearch":{"command":"/bin/o","args":["serve"]}}}"#.to_owned(),
        ),
    ];
    for (before, after) in rows {
        check(Client::ClaudeDesktop, before, &after);
        if before.contains('\n') {
            let [before, after] = [before, &after].map(|text| text.replace('\n', "\r\n"));
            check(Client::ClaudeDesktop, &before, &after);
        }
        if before.contains("  ") {
            let [before, after] = [before, &after].map(|text| text.replace("  ", "\t"));
            check(Client::ClaudeDesktop, &before, &after);
        }
    }
}

#[test]
fn nothing_else_of_a_toml_text_changes() {
    let entry = "[mcp_servers.obsearch]\ncommand = \"/bin/o\"\nargs = [\"serve\"]\n";
    let rows = [
        ("model = \"x\" # mine\n", format!("model = \"x\" # mine\n\n{entry}")),
        ("[a]\nb = 1", format!("[a]\nb = 1\n\n{entry}")),
        ("[mcp_servers.x]\nurl = \"y\"\n", format!("[mcp_servers.x]\nurl = \"y\"\n\n{entry}")),
        (
            "[mcp_servers.obsearch]\nargs = ['a', # why\n]\ncommand = '''b''' # c\nenv = { D = \"e\" }\n[z]\n",
            "[mcp_servers.obsearch]\nargs = [\"serve\"]\ncommand = \"/bin/o\" # c\nenv = { D = \"e\" }\n[z]\n"
                .to_owned(),
        ),
        (
            "mcp_servers = { obsearch = { command = \"b\", args = [] } }\n",
            "mcp_servers = { obsearch = { command = \"/bin/o\", args = [\"serve\"] } }\n".to_owned(),
        ),
    ];
    for (before, after) in rows {
        check(Client::Codex, before, &after);
    }
}

#[test]
fn what_cannot_be_sure_is_left_alone() {
    let not_json = Problem("is not plain JSON; it may hold comments, which would be lost");
    let rows = [
        (Client::VsCode, "{ // mine\n}", not_json),
        (Client::VsCode, "{\"servers\": {},}", not_json),
        (Client::VsCode, "\u{feff}{}", not_json),
        (Client::VsCode, "[]", UNSURE),
        (Client::VsCode, "{\"servers\": []}", UNSURE),
        (Client::VsCode, "{\"servers\": null}", UNSURE),
        (Client::VsCode, "{\"servers\": {\"obsearch\": {\"url\": \"http://x\"}}}", OTHER_KIND),
        (Client::VsCode, "{\"servers\": {\"obsearch\": {\"type\": \"http\"}}}", OTHER_KIND),
        (Client::VsCode, "{\"servers\": {\"obsearch\": 1}}", OTHER_KIND),
        (Client::Codex, "mcp_servers = {}\n", UNSURE),
        (Client::Codex, "mcp_servers = 1\n", UNSURE),
        (Client::Codex, "[mcp_servers.obsearch]\nurl = \"x\"\n", OTHER_KIND),
        (Client::Codex, "[mcp_servers.obsearch]\ncommand = \"x\"\n", UNSURE),
        (Client::Codex, "[broken\n", Problem("is not valid TOML")),
    ];
    for (client, text, problem) in rows {
        assert_eq!(client.with_server(text, &launch(&["serve"])), Err(problem), "{text}");
    }
}

#[test]
fn the_last_of_two_members_of_one_name_counts() {
    check(
        Client::ClaudeDesktop,
        r#"{"mcpServers":{"x":1},"mcpServers":{"obsearch":{"command":"a","args":[]}}}"#,
        r#"{"mcpServers":{"x":1},"mcpServers":{"obsearch":{"command":"/bin/o","args":["serve"]}}}"#,
    );
}

#[test]
fn any_argument_comes_back_as_it_was() {
    let odd = launch(&["serve", "--config", "/a b/\"c\"\\\n'é\u{1}"]);
    let json: serde_json::Value = serde_json::from_str(&Client::Cursor.registration(&odd)).unwrap();
    assert_eq!(json["mcpServers"]["obsearch"]["args"][2], odd.arguments[2]);
    let toml: toml::Table = toml::from_str(&Client::Codex.registration(&odd)).unwrap();
    assert_eq!(toml["mcp_servers"]["obsearch"]["args"][2].as_str(), Some(&*odd.arguments[2]));
    let spaced = launch(&["serve", "--config", "/a b"]);
    assert_eq!(
        claude_command(&spaced),
        "claude mcp add --scope user obsearch -- /bin/o serve --config '/a b'"
    );
}

#[test]
fn files_lie_where_their_clients_look() {
    let set = |text: &str| Some(PathBuf::from(text));
    let home = Environment { home: set("/h"), ..Environment::default() };
    let moved = Environment {
        claude_config_dir: set("/claude"),
        codex_home: set("/codex"),
        config_home: set("/settings"),
        ..home.clone()
    };
    let rows = [
        (Client::ClaudeCode, "/h/.claude.json", "/claude/.claude.json"),
        (Client::Cursor, "/h/.cursor/mcp.json", "/h/.cursor/mcp.json"),
        (Client::Codex, "/h/.codex/config.toml", "/codex/config.toml"),
    ];
    for (client, by_default, when_moved) in rows {
        assert_eq!([client.file(&home), client.file(&moved)], [set(by_default), set(when_moved)]);
        assert_eq!(client.file(&Environment::default()), None);
    }
    if cfg!(target_os = "linux") {
        assert_eq!(Client::VsCode.file(&home), set("/h/.config/Code/User/mcp.json"));
        assert_eq!(Client::ClaudeDesktop.file(&moved), set("/settings/Claude/claude_desktop_config.json"));
    }
    let [_, (_, mac), (_, windows)] = Client::ClaudeDesktop.places();
    assert_eq!(mac, "~/Library/Application Support/Claude/claude_desktop_config.json");
    assert_eq!(windows, r"%APPDATA%\Claude\claude_desktop_config.json");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the client that writes its file meanwhile")]
fn a_file_that_changed_meanwhile_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let [home, vault] = ["home", "vault"].map(|name| folder.path().join(name));
    fs::create_dir(&vault).unwrap();
    fs::create_dir(&home).unwrap();
    let file = home.join(".claude.json");
    let user_id = rustix::process::getuid().as_raw();
    let environment = Environment { home: Some(home.clone()), user_id, ..Environment::default() };
    let planned = || match plan(Client::ClaudeCode, &launch(&["serve"]), &environment, &[&vault]).unwrap() {
        Planned::Change(change) => change,
        Planned::There(_) => panic!("it is not there yet"),
    };
    // It came, then it changed.
    let change = planned();
    fs::write(&file, "{\"a\": 1}").unwrap();
    assert!(change.write().is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"a\": 1}");
    let change = planned();
    fs::write(&file, "{\"a\": 22}").unwrap();
    assert!(change.write().is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"a\": 22}");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1, "neither a copy nor half a file is left");
    assert!(planned().write().unwrap().is_some());
}
