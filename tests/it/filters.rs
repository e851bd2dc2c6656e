//! Conditions on properties and dates, and the order of lists: judged on the notes as they stand now, whatever the
//! index knows, and before anything is ranked.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::common::{Home, paths, text};
use crate::server::Server;

fn set_day(home: &Home, name: &str, day: u64) {
    let file = fs::File::options().write(true).open(home.path(&format!("Notes/{name}"))).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(24 * day)).unwrap();
}

fn listed(server: &mut Server, arguments: &Value) -> Vec<String> {
    let answer = server.call("list_notes", arguments)["result"].take();
    let notes = answer["structuredContent"]["notes"].as_array().cloned();
    notes.unwrap_or_else(|| panic!("{answer}")).iter().map(|note| text(&note["path"])).collect()
}

#[test]
fn conditions_hold_for_the_notes_of_this_moment() {
    let notes = [
        ("a.md", "---\nstatus: open\nrating: 5\ntitle: Zebra\n---\nlarch\n"),
        ("b.md", "---\nstatus: done\ndate: 2031-04-09\ntitle: apple\n---\nlarch larch larch\n\n[[a]]\n"),
        ("2031-02-01 c.md", "---\nstatus: [open, late]\ntitle: Mango\n---\nlarch\n"),
        ("d.md", "larch\n"),
        ("s.md", "---\nstatus: open\nprivate: true\n---\nlarch\n"),
    ];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    for (name, day) in [("a.md", 22_400), ("b.md", 22_100), ("2031-02-01 c.md", 22_300), ("d.md", 22_200)] {
        set_day(&home, name, day);
    }
    home.index();
    let lock = home.hold_writer_lock("public");
    let mut server = Server::start(&home, &[]);
    let lists: [(Value, &[&str]); 11] = [
        (json!({ "where": ["status = open"] }), &["2031-02-01 c.md", "a.md"]),
        (json!({ "where": ["status = open", "rating > 4"] }), &["a.md"]),
        (json!({ "where": ["status exists"], "limit": 1 }), &["2031-02-01 c.md"]),
        // 2031-05-01, 2031-04-09, 2031-02-01, 2030-10-13.
        (json!({ "since": "2031-02-01" }), &["2031-02-01 c.md", "a.md", "b.md"]),
        (json!({ "since": "2031-02-02", "until": "2031-04-09" }), &["b.md"]),
        (json!({ "until": "2031-01-31" }), &["d.md"]),
        (json!({ "sort": "modified" }), &["a.md", "2031-02-01 c.md", "d.md", "b.md"]),
        (json!({ "sort": "title" }), &["b.md", "d.md", "2031-02-01 c.md", "a.md"]),
        (json!({ "sort": "title", "limit": 2 }), &["b.md", "d.md"]),
        (json!({ "sort": "title", "limit": 2, "cursor": "after:d.md" }), &["2031-02-01 c.md", "a.md"]),
        (json!({ "where": ["private exists"] }), &[]),
    ];
    for (arguments, expected) in lists {
        assert_eq!(listed(&mut server, &arguments), expected, "{arguments}");
    }
    let mut refused = |arguments: &Value| {
        let answer = server.call("list_notes", arguments)["result"].take();
        assert_eq!(answer["isError"], json!(true), "{answer}");
        text(&answer["content"][0]["text"])
    };
    assert!(refused(&json!({ "where": ["status"] })).starts_with("a condition is"));
    assert!(refused(&json!({ "since": "May" })).starts_with("since and until are days"));
    let hidden = refused(&json!({ "sort": "title", "cursor": "after:s.md" }));
    assert_eq!(hidden, refused(&json!({ "sort": "title", "cursor": "after:nothing.md" })));
    let mut search = |tool: &str, arguments: &Value| {
        let answer = server.call(tool, arguments)["result"]["structuredContent"].take();
        if tool == "search_vault" { paths(&answer) } else { paths(&json!({ "passages": answer["windows"] })) }
    };
    let best = json!({ "query": "larch", "limit": 1, "where": ["status = late"] });
    assert_eq!(search("search_vault", &best), ["2031-02-01 c.md"]);
    let linked = json!({ "query": "larch", "expand_links": true, "where": ["status = done"] });
    assert_eq!(search("search_vault", &linked), ["b.md"]);
    let packed = json!({ "question": "larch", "until": "2031-01-31" });
    assert_eq!(search("context_pack", &packed), ["d.md"]);
    // The index knows nothing of this.
    home.write_note("d.md", "---\nstatus: late\n---\nlarch\n");
    home.write_note("a.md", "---\nstatus: late\nprivate: true\n---\nlarch\n");
    let now = json!({ "query": "larch", "where": ["status = late"] });
    let mut found = search("search_vault", &now);
    found.sort();
    assert_eq!(found, ["2031-02-01 c.md", "d.md"]);
    drop((server, lock));
    let printed = home.run(&["list", "--where", "status = late", "--sort", "title", "--since", "2020-01-01"]);
    assert_eq!(printed.stdout, "d.md\n2031-02-01 c.md\n");
}
