//! Several vaults in one configuration: which a command is about, what each hides, and one server for all.
#![expect(clippy::disallowed_methods, reason = "a test moves a vault away, as unmounting does")]

use std::fs;
use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};

use crate::common::{Home, paths, text};
use crate::http::ask;
use crate::server::{Daemon, Server};

const SETTINGS: &str = "[privacy]\ntags = [\"private\"]\n\
    [vaults.home]\npath = \"~/Home\"\n\
    [vaults.work]\npath = \"~/Work\"\n[vaults.work.privacy]\nfolders = [\"clients\"]\n\
    [embeddings]\nbackend = \"none\"\n";

/// Two vaults with a note in each that the other has by the same name.
fn home() -> Home {
    let home = Home::new();
    let notes = [
        ("Home/Plan.md", "# Plan\n\nPaint the larch fence.\n"),
        ("Home/clients/Ann.md", "# Ann\n\nA friend, public at home: ossifrane.\n"),
        ("Home/Diary.md", "quelmbrick #private\n"),
        ("Work/Plan.md", "# Plan\n\nBuild the larch bridge.\n"),
        ("Work/clients/Bob.md", "# Bob\n\nzqkbodox pays late.\n"),
        ("Work/Salary.md", "yqkhedox #private\n"),
    ];
    for (name, text) in notes {
        home.write(name, text);
    }
    home.configure(SETTINGS);
    home
}

#[test]
fn a_command_for_one_vault_says_which_there_are() {
    let home = home();
    for command in [&["search", "larch"][..], &["list"], &["privacy", "list"], &["tune"], &["read", "Plan"]] {
        let output = home.run(command);
        output.assert_refused();
        assert_eq!(
            output.stderr,
            "error: ~/.config/obsearch/config.toml has several vaults: home, work.\n\
             Choose one with `--vault-name NAME`.\n",
            "{command:?}"
        );
    }
    let cases = [
        &["--vault-name", "wrok", "list"][..],
        &["list", "--vault-name", "home", "--vault-name", "work"],
        &["list", "--vault-name", "home", "--vault", "Home"],
        &["index", "--vault-name", "wrok"],
        &["serve", "--vault-name", "wrok"],
        &["list", "--vault", "Home/clients"],
        &["list", "--vault", "Elsewhere"],
        &["list", "--vault", "Elsewhere", "--vault-name", "wrok"],
    ];
    home.write("Elsewhere/Note.md", "larch\n");
    home.write("Elsewhere/clients/Eve.md", "larch\n");
    let told: Vec<String> = cases.iter().map(|case| home.run(case).transcript()).collect();
    expect![[r"
        --- stderr
        error: There is no vault `wrok` in ~/.config/obsearch/config.toml.
        There are home, work.
        --- exit 2

        --- stderr
        error: Several vaults are named, and this is about one.
        Give `--vault-name` once.
        --- exit 2

        Plan.md
        clients/Ann.md
        --- stderr
        --- exit 0

        --- stderr
        error: There is no vault `wrok` in ~/.config/obsearch/config.toml.
        There are home, work.
        --- exit 2

        --- stderr
        error: There is no vault of that name.
        Run `obsearch status` in a terminal to see why.
        --- exit 2

        --- stderr
        error: The vault ~/Home/clients shares notes with the vault `home`, whose rules would not count.
        Choose that vault with `--vault-name home` alone.
        --- exit 2

        --- stderr
        error: The vault ~/Elsewhere is none of the vaults in the configuration, some of which have rules of their own.
        Add `--vault-name NAME` to say whose rules hold there.
        --- exit 2

        --- stderr
        error: There is no vault `wrok` in ~/.config/obsearch/config.toml.
        There are home, work.
        --- exit 2
    "]].assert_eq(&told.join("\n"));
}

#[test]
fn a_vault_is_chosen_by_its_name_or_its_folder() {
    let home = home();
    assert_eq!(home.run(&["index", "--quiet"]).code, Some(0));
    assert_eq!(home.listed(&["--vault-name", "home"]), ["Plan.md", "clients/Ann.md"]);
    assert_eq!(home.listed(&["--vault-name", "work"]), ["Plan.md"]);
    // The rules of the vault hold for its folder, however it is named.
    assert_eq!(home.listed(&["--vault", "Work"]), ["Plan.md"]);
    home.write("Elsewhere/Note.md", "larch\n");
    home.write("Elsewhere/clients/Eve.md", "larch\n");
    assert_eq!(home.listed(&["--vault", "Elsewhere", "--vault-name", "work"]), ["Note.md"]);
    assert_eq!(home.found("larch", &["--vault-name", "work"]), ["Plan.md"]);
    let read = home.run(&["read", "Plan", "--vault-name", "home"]);
    assert!(read.stdout.contains("fence") && !read.stdout.contains("bridge"), "{read:?}");
    let stores = crate::common::names_in(&home.path(".local/share/obsearch"));
    assert_eq!(
        stores.iter().filter(|name| name.starts_with("home-") || name.starts_with("work-")).count(),
        2
    );
}

#[test]
fn what_is_for_all_goes_through_all() {
    let home = home();
    let indexed = home.json(&["index"]);
    let names = |answer: &Value| {
        let vaults = answer["vaults"].as_array().unwrap();
        vaults.iter().map(|vault| vault["vault"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&indexed), ["home", "work"]);
    let public = |number: usize| indexed["vaults"][number]["trees"][0]["notes"].clone();
    assert_eq!([public(0), public(1)], [json!(2), json!(1)]);
    let text = home.run(&["index"]);
    let headings: Vec<&str> = text.stdout.lines().filter(|line| !line.contains("note")).collect();
    assert_eq!(headings, ["home", "work"], "{text:?}");
    let status = home.json(&["status"]);
    assert_eq!((names(&status), &status["vaults"][1]["notes"]), (names(&indexed), &json!(1)));
    // With a choice, or with one vault alone, the answer is that of this vault, as ever.
    assert_eq!(home.json(&["status", "--vault-name", "work"])["notes"], 1);
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    assert_eq!(doctor.stdout, "home (~/Home): nothing to mend.\nwork (~/Work): nothing to mend.\n");
}

#[test]
fn a_vault_that_is_not_there_keeps_no_other_from_its_answer() {
    let home = home();
    fs::rename(home.path("Home"), home.path("Away")).unwrap();
    let indexed = home.run(&["index", "--json"]);
    assert_eq!(indexed.code, Some(2), "{indexed:?}");
    let answer = indexed.json();
    assert_eq!(answer["vaults"][0], json!({ "vault": "home", "error": "The vault ~/Home does not exist." }));
    assert_eq!(answer["vaults"][1]["trees"][0]["notes"], 1);
    assert!(indexed.stderr.starts_with("error: home: The vault ~/Home does not exist.\n"), "{indexed:?}");
    assert_eq!(home.listed(&["--vault-name", "work"]), ["Plan.md"]);
}

#[test]
fn a_vault_that_is_not_there_is_served_once_it_is_back() {
    let home = home();
    home.run(&["index", "--quiet"]);
    fs::rename(home.path("Home"), home.path("Away")).unwrap();
    let mut server = Server::start(&home, &[]);
    let list = |server: &mut Server, vault: &str| {
        server.call("list_notes", &json!({ "vault": vault }))["result"]["structuredContent"].clone()
    };
    assert_eq!(list(&mut server, "work")["notes"][0]["path"], "Plan.md");
    assert_eq!(list(&mut server, "home"), Value::Null);
    // Nor do its notes look as if there were none.
    let ask = |server: &mut Server, method: &str, params: &Value| {
        serde_json::from_str::<Value>(&server.request(method, params).unwrap()).unwrap()
    };
    let listed = ask(&mut server, "resources/list", &json!({}));
    expect![[r#"
        [
          {
            "uri": "obsearch://vault/work/Plan.md",
            "name": "Plan.md",
            "title": "Plan",
            "mimeType": "text/markdown"
          },
          {
            "uri": "obsearch://vault/home/.",
            "name": "notes of home",
            "title": "The notes of home are missing here",
            "description": "the vault cannot be read; the owner must look whether it is still there"
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&listed["result"]["resources"]).unwrap());
    let read = ask(&mut server, "resources/read", &json!({ "uri": "obsearch://vault/home/." }));
    let unreadable = "the vault cannot be read; the owner must look whether it is still there";
    assert_eq!(read["error"]["message"], unreadable);
    fs::rename(home.path("Away"), home.path("Home")).unwrap();
    assert_eq!(list(&mut server, "home")["notes"].as_array().unwrap().len(), 2, "it is there again");
    let log = server.end().stderr;
    assert!(!log.contains("home") && !log.contains("Home"), "{log}");
}

#[test]
fn each_vault_follows_its_rules_while_it_is_served() {
    let home = home();
    home.run(&["index", "--quiet"]);
    let mut server = Server::start(&home, &[]);
    let mut shown = |vault: &str, path: &str| {
        server.call("read_note", &json!({ "vault": vault, "path": path }))["result"]["isError"] == false
    };
    let all = [("home", "Plan"), ("home", "clients/Ann.md"), ("work", "Plan"), ("work", "clients/Bob.md")];
    let mut each = || all.map(|(vault, path)| shown(vault, path));
    assert_eq!(each(), [true, true, true, false]);
    home.configure(&format!("{SETTINGS}[vaults.home.privacy]\nfolders = [\"clients\"]\n"));
    assert_eq!(each(), [true, false, true, false]);
    // What became public is found as soon as the index has it.
    home.configure(&SETTINGS.replace("[\"clients\"]", "[]"));
    let soon = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        each() == [true; 4]
    });
    assert!(soon);
    // A rule of one vault that cannot be read stops that vault, and a file that cannot be read all of them.
    home.configure(&SETTINGS.replace("[\"clients\"]", "[\"[\"]"));
    assert_eq!(each(), [true, true, false, false]);
    home.configure(&format!("{SETTINGS}[privcy]\n"));
    assert_eq!(each(), [false; 4]);
    // Another folder under the name, or the name taken away: its rules are not those of this folder.
    home.configure(&SETTINGS.replace("~/Work", "~/Other"));
    assert_eq!(each(), [true, true, false, false]);
    home.configure("[vault]\npath = \"~/Home\"\n");
    assert_eq!(each(), [false; 4]);
    home.configure(SETTINGS);
    assert_eq!(each(), [true, true, true, false]);
}

#[test]
fn a_vault_that_got_a_name_while_it_was_served_is_served_no_longer() {
    let home = home();
    home.configure("[vault]\npath = \"~/Work\"\n");
    let mut server = Server::start(&home, &[]);
    let mut is_shown = || server.call("read_note", &json!({ "path": "Plan" }))["result"]["isError"] == false;
    assert!(is_shown());
    // Rules of its own would not count for what was opened without a name.
    home.configure(SETTINGS);
    assert!(!is_shown());
}

#[test]
fn answers_over_rest_are_those_of_the_vault_that_was_asked() {
    let home = home();
    home.run(&["index", "--quiet"]);
    let server = Daemon::start(&home, &["--transport", "http", "--port", "0"]);
    let host = format!("localhost:{}", server.port());
    let ask = |method: &str, route: &str, body: &str| {
        let answer = ask(server.port(), method, route, &[("Host", host.as_str())], body);
        (answer.status, answer.json())
    };
    let (code, found) = ask("POST", "/search", r#"{"query":"larch","vault":"work"}"#);
    assert_eq!((code, &found["vault"], paths(&found)), (200, &json!("work"), vec!["Plan.md".to_owned()]));
    let (code, note) = ask("GET", "/get_full_note?path=Plan&vault=home", "");
    assert_eq!((code, &note["vault"]), (200, &json!("home")));
    assert!(note["text"].as_str().unwrap().contains("fence"));
    for (method, route, body) in [
        ("GET", "/status?vault=other", ""),
        ("GET", "/status", ""),
        ("POST", "/search", r#"{"query":"larch","vault":"other"}"#),
    ] {
        let (code, refused) = ask(method, route, body);
        let words = refused["error"].as_str().unwrap_or_default();
        assert!(code == 422 && words.ends_with("one of home, work"), "{route}: {code} {refused}");
    }
    let (_, document) = ask("GET", "/openapi.json", "");
    let status = &document["paths"]["/status"]["get"]["parameters"][0];
    assert_eq!((&status["name"], &status["schema"]["enum"]), (&json!("vault"), &json!(["home", "work"])));
    let schema = &document["components"]["schemas"]["search_vault"];
    assert_eq!(schema["properties"]["vault"]["enum"], json!(["home", "work"]));
    assert!(schema["required"].as_array().unwrap().contains(&json!("vault")));
}

/// A server of one vault is what it was before there could be several.
#[test]
fn one_vault_by_name_is_like_one_without() {
    let home = home();
    let hello = |home: &Home, arguments: &[&str]| {
        let mut server = Server::start(home, arguments);
        let lists = ["tools/list", "prompts/list", "resources/templates/list"];
        let listed = lists.map(|method| server.request(method, &json!({})).unwrap());
        (server.hello.clone(), listed)
    };
    let named = hello(&home, &["--vault-name", "work"]);
    home.configure("[vault]\npath = \"~/Work\"\n[embeddings]\nbackend = \"none\"\n");
    assert_eq!(named, hello(&home, &[]));
}

#[test]
fn setup_passes_the_choice_on() {
    let home = home();
    let shown = home.run(&["setup", "cursor", "--vault-name", "work"]);
    assert!(shown.stdout.contains("\"--vault-name\",\n        \"work\""), "{shown:?}");
    assert!(!home.run(&["setup", "cursor"]).stdout.contains("--vault-name"));
    // Nothing is written into any of the vaults.
    home.configure(&SETTINGS.replace("~/Home", "~/.cursor"));
    home.write(".cursor/note.md", "x");
    let refused = home.run(&["setup", "cursor", "--vault-name", "work", "--write", "--yes"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("lies inside the vault"), "{refused:?}");
}

#[test]
fn init_says_how_to_add_a_second_vault() {
    let home = home();
    home.configure("[vault]\npath = \"~/Home\"\n");
    let second = home.run(&["init", "--vault", "Work"]).transcript();
    home.configure(SETTINGS);
    home.write("Third/x.md", "x");
    let third = home.run(&["init", "--vault", "Third"]).transcript();
    expect![[r#"
        --- stderr
        error: ~/.config/obsearch/config.toml is there already, with another vault.
        To have both, write [vaults.NAME] with path = "~/Work" there and turn its [vault] into one more such section; or pass `--force` to replace the file.
        --- exit 2
        --- stderr
        error: ~/.config/obsearch/config.toml is there already, with another vault.
        To have both, write [vaults.NAME] with path = "~/Third" there; or pass `--force` to replace the file.
        --- exit 2
    "#]]
    .assert_eq(&(second + &third));
}

#[test]
fn the_proof_works_for_a_vault_with_a_section_of_its_own() {
    let home = home();
    let proof = home.run(&["privacy", "prove", "--vault-name", "work", "--json"]);
    assert_eq!(proof.code, Some(0), "{proof:?}");
    let explained = home.run(&["privacy", "explain", "clients/Bob.md", "--vault-name", "work"]);
    assert!(explained.stdout.contains("line 8"), "{explained:?}");
}

/// Two vaults may have a note of the same path: the ledger says of which one it was.
#[test]
fn the_ledger_names_the_vault_of_each_answer() {
    let home = home();
    home.run(&["index"]);
    let mut server = Server::start(&home, &[]);
    for vault in ["work", "home"] {
        server.call("read_note", &json!({ "vault": vault, "path": "Plan" }));
    }
    server.request("resources/list", &json!({}));
    assert_eq!(server.end().code, Some(0));
    let shown = |arguments: &[&str]| {
        let records = home.run(&[&["ledger", "show", "--json"], arguments].concat()).json();
        let records = records.as_array().unwrap().clone();
        let notes = |record: &Value| paths(&json!({ "passages": record["notes"] })).join(" ");
        let of_record =
            |record: &Value| [text(&record["call"]), text(&record["vault"]), notes(record)].join(" ");
        records.iter().map(of_record).collect::<Vec<_>>()
    };
    let all =
        ["read_note work Plan.md", "read_note home Plan.md", "resources/list home Plan.md clients/Ann.md"];
    assert_eq!(shown(&[]), all);
    assert_eq!(shown(&["--vault-name", "work"]), all[..1]);
    assert!(home.run(&["ledger", "show"]).stdout.contains("  work  read_note\n"));
}
