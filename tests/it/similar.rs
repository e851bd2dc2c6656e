//! `find_similar` over a vault of words: links with a patch that git takes, duplicates, tags; and of the
//! vault as a whole, `vault_health` and `vault_guide`. Nothing of a private note is in any of it.
#![expect(clippy::disallowed_methods, reason = "a test runs git")]

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{Home, text};
use crate::server::Server;

const LOG: &str = "# Log of the boat\r\n\r\nJane Doe oiled the Main Mast today, and `Jane Doe` is no mention.\r\nThen Quelmbrick came.\r\n\r\n\
    Ask Kaptain Åse about the red paint; see [[Paint]]. Jane Doe again, with paint.\r\nThe end by Main Mast";
const TEXT: &str =
    "The varnish of the mast took three days to dry in the cold shed by the river, so plan for it.";

fn home() -> Home {
    let copy = format!("# Copy\n\n{TEXT}\n");
    let drying = format!(
        "# Drying\n\n{TEXT}\n\n## Other\n\nWords on something else, of which there are many more than before, on and on.\n"
    );
    let notes = [
        ("Boat/Log \"one\".md", LOG),
        ("People/Jane Doe.md", "#people oiled boat mast log"),
        ("People/Åse.md", "---\naliases: [Kaptain Åse]\ntags: [People, crew]\n---\nboat red paint log"),
        ("Parts/Main Mast.md", "boat mast log #parts"),
        ("Other/Main Mast.md", "---\nprivate: true\n---\nquelmbrick #hidden"),
        ("Quelmbrick.md", "---\nprivate: true\naliases: [Jane Doe]\n---\nboat log mast #hidden [[Alone]]"),
        ("Paint.md", "red paint for the boat #parts"),
        ("Drying.md", &*drying),
        ("Copy of drying.md", &*copy),
        ("Alone.md", "Nothing here, but [[Quelmbrik]] and [[Pant]]. #part"),
    ];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    home.index();
    home
}

fn ask(server: &mut Server, tool: &str, arguments: &Value) -> Value {
    let answer = server.call(tool, arguments)["result"].take();
    assert!(!answer.to_string().to_lowercase().contains("hidden"), "{answer}");
    answer["structuredContent"].clone()
}

fn column(list: &Value, names: [&str; 2]) -> Vec<String> {
    let field = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = list.as_array().into_iter().flatten();
    rows.map(|row| format!("{} {}", field(row, names[0]), field(row, names[1])).trim().to_owned()).collect()
}

#[test]
fn mentions_become_links_that_git_applies() {
    let home = home();
    let mut server = Server::start(&home, &[]);
    let answer = ask(&mut server, "find_similar", &json!({ "path": "Log \"one\"", "purpose": "link" }));
    let links = column(&answer["candidates"], ["path", "link"]);
    let expected = [
        "People/Jane Doe.md [[Jane Doe]]",
        "Parts/Main Mast.md [[Main Mast]]",
        "People/Åse.md [[Åse|Kaptain Åse]]",
    ];
    assert_eq!(links[..3], expected, "{answer}");
    assert!(links[3..].iter().all(|link| !link.contains("[[") && !link.contains("Paint")), "{links:?}");
    let patch = text(&answer["patch"]);
    assert_eq!(home.run(&["similar", "Log \"one\"", "--purpose", "link", "--patch"]).stdout, patch);
    let mut git = Command::new("git");
    let git = git.args(["apply", "--verbose", "-"]).current_dir(home.vault()).stdin(Stdio::piped());
    let Ok(mut git) = git.spawn() else {
        eprintln!("skipped: there is no git");
        return;
    };
    git.stdin.take().unwrap().write_all(patch.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success(), "{patch}");
    let linked = LOG
        .replacen("Jane Doe oiled", "[[Jane Doe]] oiled", 1)
        .replacen("Main Mast today", "[[Main Mast]] today", 1)
        .replacen("Kaptain Åse", "[[Åse|Kaptain Åse]]", 1);
    assert_eq!(home.read("Notes/Boat/Log \"one\".md"), linked);
    let again = ask(&mut server, "find_similar", &json!({ "path": "Log \"one\"", "purpose": "link" }));
    assert!(again["patch"].is_null(), "{again}");
}

#[test]
fn likeness_has_its_evidence() {
    let home = home();
    let mut server = Server::start(&home, &[]);
    let mut similar = |arguments: Value| ask(&mut server, "find_similar", &arguments);
    let duplicates = similar(json!({ "path": "Copy of drying", "purpose": "duplicate" }));
    assert_eq!(column(&duplicates["candidates"], ["path", "reason"]), ["Drying.md passage"], "{duplicates}");
    let tags = similar(json!({ "text": "boat log mast", "purpose": "tag" }));
    let tags = column(&tags["tags"], ["tag", ""]);
    assert!(tags.contains(&"parts".to_owned()) && tags.contains(&"people".to_owned()), "{tags:?}");
    let related = similar(json!({ "path": "Paint", "limit": 2 }));
    assert_eq!(related["candidates"].as_array().map(Vec::len), Some(2), "{related}");
    assert!(column(&related["candidates"], ["path", ""]).iter().all(|path| path != "Paint.md"));
    let mut missing = |name: &str| server.call("find_similar", &json!({ "path": name }));
    assert_eq!(missing("Quelmbrick"), missing("Nothing"));
}

#[test]
fn the_vault_as_a_whole() {
    let home = home();
    let mut server = Server::start(&home, &[]);
    let health = ask(&mut server, "vault_health", &json!({ "checks": ["links", "tags", "orphans"] }));
    let findings = column(&health["findings"], ["name", "nearest"]);
    assert!(findings.contains(&"Pant Paint.md".to_owned()), "{health}");
    // The name of a private note is not near, however near it is.
    assert!(findings.contains(&"Quelmbrik".to_owned()), "{health}");
    assert!(column(&health["findings"], ["path", ""]).contains(&"Alone.md".to_owned()), "{health}");
    let guide = ask(&mut server, "vault_guide", &json!({}));
    assert_eq!(
        guide["folders"],
        json!([{ "folder": "Boat", "notes": 1 }, { "folder": "Parts", "notes": 1 }, { "folder": "People", "notes": 2 }])
    );
    home.write_note("readme.md", "How this is kept.");
    home.write_note("Tags.md", "---\nprivate: true\n---\nhidden");
    home.index();
    let guide = ask(&mut server, "vault_guide", &json!({}));
    assert_eq!(guide["guides"], json!([{ "path": "readme.md", "text": "How this is kept." }]));
    assert!(
        guide["tags"].as_array().is_some_and(|tags| !tags.is_empty()) && guide["hubs"] == json!([]),
        "{guide}"
    );
}
