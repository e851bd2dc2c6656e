//! `context_pack`: what goes into it, in which order, within which bounds.

use serde_json::{Value, json};

use crate::common::{Home, text};
use crate::server::Server;

fn windows(answer: &Value) -> Vec<String> {
    let windows = answer["windows"].as_array().into_iter().flatten();
    windows
        .map(|window| {
            format!("{} {}-{}", text(&window["citation"]), window["line_start"], window["line_end"])
        })
        .collect()
}

fn long(words: &str) -> String {
    format!("{words} ").repeat(40)
}

fn home() -> Home {
    let manual = format!(
        "# Manual\n\n{}\n\n## Varnish\n\n{}\n\n## Between\n\n{}\n\n## Drying\n\n{}\n\n## Winter\n\n{}\n",
        long("An introduction to the boat"),
        long("Varnish the mast in three coats"),
        long("A word on brushes"),
        long("The varnish dries two days"),
        long("Cover the hull with a sail"),
    );
    let log = "# Log\n\nThe varnish of the mast took three days to dry.\n";
    let notes = [
        ("Manual.md", &*manual),
        ("Log.md", log),
        ("Copy of Log.md", log),
        ("Bread.md", "# Bread\n\nThe dough rests in the cold.\n"),
        ("Secret.md", "---\nprivate: true\n---\nThe varnish of the mast dries in a day, qzcanary.\n"),
    ];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    home.index();
    home
}

#[test]
fn windows_stand_in_reading_order_joined_and_once() {
    let home = home();
    let answer =
        home.json(&["pack", "three coats of varnish: how many days till it dries", "--max-bytes", "20000"]);
    let found = windows(&answer);
    // The log is there once, and what stands between two passages of the manual is not left out.
    assert_eq!(found.iter().filter(|window| window.contains("Log.md")).count(), 1, "{found:?}");
    let manual: Vec<&String> = found.iter().filter(|window| window.starts_with("Manual.md")).collect();
    assert_eq!(manual, [&"Manual.md#Varnish 5-15".to_owned()], "{found:?}");
    assert!(found.iter().all(|window| !window.contains("Bread") && !window.contains("Secret")), "{found:?}");
    let sum: usize =
        answer["windows"].as_array().into_iter().flatten().map(|window| text(&window["text"]).len()).sum();
    assert_eq!((&answer["enough"], &answer["truncated"]), (&json!(true), &json!(false)), "{answer}");
    assert_eq!(answer["bytes"], json!(sum));
    assert!(!answer.to_string().contains("qzcanary"));
}

#[test]
fn what_does_not_fit_is_left_out_and_said() {
    let home = home();
    for bytes in [256, 1_000, 2_000, 4_000] {
        let arguments = ["pack", "three coats of varnish dries days", "--max-bytes", &bytes.to_string()];
        let answer = home.json(&arguments);
        let texts: usize = answer["windows"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|window| text(&window["text"]).len())
            .sum();
        assert!(texts <= bytes, "{bytes}: {texts}");
        assert_eq!(answer["truncated"], json!(bytes < 4_000), "{bytes}: {answer}");
    }
}

#[test]
fn too_little_is_said_to_be_too_little() {
    let home = home();
    let mut server = Server::start(&home, &[]);
    let mut ask =
        |question: &str| server.call("context_pack", &json!({ "question": question }))["result"].take();
    let nothing = ask("zzzz qqqq");
    assert_eq!(
        (&nothing["structuredContent"]["enough"], &nothing["isError"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(nothing["structuredContent"]["windows"], json!([]));
    let little = ask("who repaired the carburettor of the tractor in winter");
    assert_eq!(little["structuredContent"]["enough"], json!(false), "{little}");
    for answer in [nothing, little] {
        assert!(text(&answer["content"][0]["text"]).contains("not enough found"), "{answer}");
    }
    assert_eq!(server.end().code, Some(0));
    assert_eq!(home.run(&["pack", "zzzz"]).code, Some(1));
}
