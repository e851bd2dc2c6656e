//! `note_links` further than one link: the notes beyond, a shortest way, and private notes on neither.

use serde_json::{Value, json};

use crate::common::{Home, text};
use crate::server::Server;

const NOTES: [(&str, &str); 8] = [
    ("A.md", "[[B]] [[Secret]]"),
    ("B.md", "[[C]] [[A]]"),
    ("C.md", "[[D]]"),
    ("D.md", "[[E]]"),
    ("E.md", "the end"),
    ("Into A.md", "[[A]] [[Far]]"),
    ("Far.md", ""),
    ("Secret.md", "---\nprivate: true\n---\n[[E]] [[D]]"),
];

fn links(server: &mut Server, arguments: &Value) -> Value {
    server.call("note_links", arguments)["result"]["structuredContent"].take()
}

fn paths(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|note| text(&note["path"])).collect()
}

#[test]
fn links_lead_on_through_public_notes_alone() {
    let home = Home::words_only(&NOTES, "frontmatter_flag = \"private\"");
    home.index();
    let mut server = Server::start(&home, &[]);
    let depths: [(&str, u32, &[&str]); 5] = [
        ("both", 1, &[]),
        ("both", 2, &["C.md", "Far.md"]),
        ("both", 3, &["C.md", "Far.md", "D.md"]),
        ("outgoing", 3, &["C.md", "D.md"]),
        ("backlinks", 3, &[]),
    ];
    for (direction, depth, expected) in depths {
        let answer = links(&mut server, &json!({ "path": "A", "direction": direction, "depth": depth }));
        assert_eq!(paths(&answer["near"]), expected, "{direction} {depth}: {answer}");
        assert_eq!(answer["near"].is_null(), depth == 1, "{answer}");
        assert_eq!(answer["truncated"], json!(false));
    }
    let answer = links(&mut server, &json!({ "path": "A", "depth": 3 }));
    assert_eq!(answer["near"][2], json!({ "path": "D.md", "title": "D", "distance": 3, "via": "C.md" }));
    let routes: [(&str, &str, &str, &[&str]); 6] = [
        ("A", "E", "both", &["A.md", "B.md", "C.md", "D.md", "E.md"]),
        ("E", "A", "both", &["E.md", "D.md", "C.md", "B.md", "A.md"]),
        ("E", "A", "outgoing", &[]),
        ("E", "A", "backlinks", &["E.md", "D.md", "C.md", "B.md", "A.md"]),
        ("Far", "B", "both", &["Far.md", "Into A.md", "A.md", "B.md"]),
        ("A", "A", "both", &["A.md"]),
    ];
    for (from, to, direction, expected) in routes {
        let answer = links(&mut server, &json!({ "path": from, "to": to, "direction": direction }));
        assert_eq!(paths(&answer["route"]), expected, "{from} {to} {direction}: {answer}");
    }
    let mut end = |to: &str| server.call("note_links", &json!({ "path": "A", "to": to }));
    assert_eq!(end("Secret"), end("Nothing"));
    let printed = home.run(&["links", "A", "--depth", "2", "--to", "C"]).stdout;
    assert!(printed.contains("The way there\n  A.md\n  B.md\n  C.md\n"), "{printed}");
}
