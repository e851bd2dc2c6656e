//! Several notes read at once: each as if it were read alone, in the order asked, within one budget.

use serde_json::{Value, json};

use crate::common::{Home, text, without_mark};
use crate::server::Server;

fn home() -> Home {
    let long: Vec<String> =
        (1..=60).map(|line| format!("Line {line} of a long note about the tide.")).collect();
    let long = long.join("\n");
    let notes = [
        ("Boat.md", "---\naliases: [Skiff]\n---\n# Boat\n\nLarch.\n\n## Mast\n\nSpruce.\n"),
        ("Mast.md", "# Mast\n\nSpruce, tarred.\n"),
        ("Long.md", long.as_str()),
        ("Empty.md", ""),
        ("Secret.md", "---\nprivate: true\naliases: [Hush]\n---\n# Secret\n\nquelmbrick\n"),
    ];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    home.index();
    home
}

fn read(server: &mut Server, arguments: &Value) -> Value {
    let answer = server.call("read_note", arguments);
    assert_eq!(answer["result"]["isError"], false, "{arguments}: {answer}");
    answer["result"].clone()
}

#[test]
fn each_is_answered_in_its_place_as_if_alone() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    let paths =
        ["Mast", "Secret", "[[Boat#Mast]]", "Nothing", "Skiff", "Hush", "Boat#Sail", "Mast.md", "Empty"];
    for outline in [false, true] {
        let answer = read(&mut server, &json!({ "paths": paths, "outline": outline }));
        let structured = &answer["structuredContent"];
        assert_eq!(structured["not_shown"], json!([]));
        let notes = structured["notes"].as_array().unwrap();
        for ((path, found), number) in paths.iter().zip(notes).zip(1..) {
            let alone =
                server.call("read_note", &json!({ "path": path, "outline": outline }))["result"].take();
            let mut expected = match &alone["structuredContent"] {
                Value::Null => json!({ "error": alone["content"][0]["text"] }),
                note => note.clone(),
            };
            expected["number"] = json!(number);
            assert_eq!(*found, expected, "{path}");
        }
        assert_eq!(notes.len(), paths.len());
        let errors: Vec<&Value> =
            notes.iter().map(|note| &note["error"]).filter(|error| !error.is_null()).collect();
        assert_eq!(errors.iter().filter(|error| ***error == "note not found").count(), 3, "{errors:?}");
    }
}

#[test]
fn a_private_name_and_a_missing_one_are_one_and_the_same() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    let mut ask = |name: &str| {
        let arguments = json!({ "paths": ["Mast", name, "Long", name, "Boat"], "max_bytes": 900 });
        without_mark(&read(&mut server, &arguments).to_string())
    };
    let missing = ask("Nothing");
    for private in ["Secret", "Secret.md", "Hush", "[[Secret#Secret]]"] {
        assert_eq!(ask(private), missing, "{private}");
    }
}

#[test]
fn they_share_one_budget_and_the_rest_is_named() {
    let home = home();
    let mut server = Server::start_stdio(&home);
    // Of the notes that are shown: how many bytes of text, and where it goes on. Then those that are not.
    let table = [
        (json!({ "paths": ["Mast", "Long", "Boat"], "max_bytes": 1000 }), 2, Some(26), json!([3])),
        (json!({ "paths": ["Mast", "Long", "Nothing"], "max_bytes": 1000 }), 2, Some(26), json!([3])),
        (json!({ "paths": ["Long", "Mast"], "max_bytes": 256 }), 1, Some(7), json!([2])),
        (json!({ "paths": ["Mast", "Long", "Boat"], "max_bytes": 256 }), 1, None, json!([2, 3])),
        (json!({ "paths": ["Nothing", "Long"], "max_bytes": 256 }), 2, Some(7), json!([])),
        (json!({ "paths": ["Mast", "Boat", "Empty", "Mast"], "max_bytes": 4000 }), 4, None, json!([])),
    ];
    for (arguments, shown, next_line, not_shown) in table {
        let answer = read(&mut server, &arguments);
        let notes = answer["structuredContent"]["notes"].as_array().unwrap();
        let bytes: usize = notes.iter().filter_map(|note| note["text"].as_str()).map(str::len).sum();
        assert!(bytes as u64 <= arguments["max_bytes"].as_u64().unwrap(), "{arguments}: {bytes}");
        assert_eq!(notes.len(), shown, "{arguments}: {answer}");
        assert_eq!(notes.last().unwrap()["next_line"].as_u64(), next_line, "{arguments}: {answer}");
        assert_eq!(answer["structuredContent"]["not_shown"], not_shown, "{arguments}");
        let said = text(&answer["content"][0]["text"]);
        assert_eq!(said.contains("No room for ["), not_shown != json!([]), "{said}");
    }
}

#[test]
fn the_command_line_reads_several_too() {
    let home = home();
    let output = home.run(&["read", "Mast", "Boat", "--outline"]);
    assert_eq!(
        (output.code, &*output.stdout),
        (Some(0), "Mast.md\n1  Mast\n\nBoat.md\n4  Boat\n8    Mast\n")
    );
    let output = home.run(&["read", "Mast", "Secret", "Empty"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert_eq!(output.stdout, "Mast.md\n# Mast\n\nSpruce, tarred.\n\nEmpty.md\n");
    assert_eq!(home.run(&["read", "Mast", "Nothing", "Empty"]), output);
    let answer = home.run(&["read", "--json", "Mast", "Secret"]).json();
    assert_eq!(answer["notes"][1], json!({ "number": 2, "error": "note not found" }));
    let refused = home.run(&["read", "Mast", "Boat", "--lines", "1:2"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
