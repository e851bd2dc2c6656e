//! `verify_citation` over a vault that changes behind its index: what was cited stays, moves, changes and goes, and a
//! note that turned private is gone like one that was removed.
#![expect(clippy::disallowed_methods, reason = "a test removes notes behind the index")]

use std::fs;

use serde_json::{Value, json};

use crate::common::{Home, text, without_mark};
use crate::server::Server;

const QUOTES: [&str; 5] = [
    "Boat.md#Mast\nThe mast is spruce and oiled twice.",
    "Log.md\nOn the first day nothing leaked at all.",
    "Bread.md#Dough\nThe dough rests for eight hours.",
    "Secret.md#Plan\nThe plan is to sail north in June.",
    "Lost.md\nNobody knows where the anchor lies.",
];

fn verdicts(server: &mut Server, quotes: &[&str]) -> Vec<String> {
    let answer = server.call("verify_citation", &json!({ "citations": quotes }))["result"].take();
    let citations = answer["structuredContent"]["citations"].as_array().cloned().unwrap_or_default();
    let place = |one: &Value| one["citation"].as_str().unwrap_or_default().to_owned();
    citations.iter().map(|one| format!("{} {}", text(&one["status"]), place(one)).trim().to_owned()).collect()
}

#[test]
fn citations_are_held_against_the_notes_of_this_moment() {
    let notes = [
        ("Boat.md", "# Boat\n\n## Mast\n\nThe mast is **spruce**\nand oiled twice.\n\n## Hull\n\nTar.\n"),
        ("Log.md", "On the first day nothing leaked at all.\n"),
        ("Bread.md", "# Bread\n\n## Dough\n\nThe dough rests for eight hours.\n"),
        ("Secret.md", "# Secret\n\n## Plan\n\nThe plan is to sail north in June.\n"),
        ("Lost.md", "Nobody knows where the anchor lies.\n"),
    ];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    let mut server = Server::start(&home, &[]);
    let unindexed = verdicts(&mut server, &QUOTES[..2]);
    assert_eq!(unindexed, ["unchanged Boat.md#Mast", "unchanged Log.md"]);
    server.end();
    home.index();
    let lock = home.hold_writer_lock("public");
    let mut server = Server::start(&home, &[]);
    assert_eq!(verdicts(&mut server, &QUOTES)[3], "unchanged Secret.md#Plan");
    home.write_note(
        "Boat.md",
        "# Boat\n\n## Hull\n\nTar.\n\n## Mast\n\nThe mast is spruce and oiled twice.\n",
    );
    home.write_note("Bread.md", "# Bread\n\n## Dough\n\nThe dough rests for nine hours.\n");
    home.write_note(
        "Secret.md",
        "---\nprivate: true\n---\n# Secret\n\n## Plan\n\nThe plan is to sail north in June.\n",
    );
    fs::remove_file(home.path("Notes/Lost.md")).unwrap();
    let found = verdicts(&mut server, &QUOTES);
    assert_eq!(
        found,
        ["unchanged Boat.md#Mast", "unchanged Log.md", "changed Bread.md#Dough", "gone", "gone"]
    );
    drop((server, lock));
    // A note that was renamed is found by its words, once the index knows it.
    fs::remove_file(home.path("Notes/Log.md")).unwrap();
    home.write_note("Logs/First day.md", "# Day\n\nOn the first day nothing leaked at all.\n");
    home.index();
    let mut server = Server::start(&home, &[]);
    assert_eq!(verdicts(&mut server, &QUOTES[1..2]), ["moved Logs/First day.md#Day"]);
    // Word for word the same, whether private, removed or never there.
    let ask = |server: &mut Server, name: &str| {
        let quote = format!("{name}#Plan\nThe plan is to sail north in June.");
        let answer = server.call("verify_citation", &json!({ "citations": [quote] }));
        without_mark(&answer.to_string())
    };
    assert_eq!(ask(&mut server, "Secret.md"), ask(&mut server, "Nothing.md"));
    assert_eq!(home.run(&["verify", "Bread.md#Dough", "rests for nine hours"]).code, Some(0));
    assert_eq!(home.run(&["verify", "Bread.md#Dough", "rests for eight hours"]).code, Some(1));
    assert_eq!(home.run(&["verify", "Secret.md"]).code, Some(1));
}
