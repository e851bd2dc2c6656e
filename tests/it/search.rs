//! `search` beyond the words of a question: a sketch of the answer, and notes one link away.
#![expect(clippy::disallowed_methods, reason = "a test removes a note behind the index")]

use std::fs;

use serde_json::{Value, json};

use crate::common::{Home, paths, text};
use crate::server::Server;

const SKETCH_UNUSED: &str = "`hypothetical` was not used: it has no part in a search by words";

fn notices(answer: &Value) -> Vec<String> {
    answer["notices"].as_array().unwrap().iter().map(text).collect()
}

/// Each passage as `path`, or as `path via path` if it was reached by a link.
fn reached(answer: &Value) -> Vec<String> {
    let passages = answer["passages"].as_array().unwrap().iter();
    passages
        .map(|passage| match passage["via"].as_str() {
            Some(via) => format!("{} via {via}", text(&passage["path"])),
            None => text(&passage["path"]),
        })
        .collect()
}

#[test]
fn a_sketch_of_the_answer_finds_passages_like_it() {
    let notes = [
        ("Starter.md", "Feed the sourdough starter twice a day with rye flour until it smells of apples."),
        ("Compass.md", "An iron bolt beside the compass turned its needle five degrees to the east."),
        ("Roof.md", "The roof of the club house leaked, and the members paid for sheets of zinc."),
    ];
    let home = Home::with_vault(&notes, "[embeddings]\nmodel = \"english\"");
    home.index();
    let sketches = [
        ("The leaven needs more flour and water, then it rises again.", "Starter.md"),
        ("Some metal nearby made the magnetic heading wrong.", "Compass.md"),
        ("They chose a metal to cover the building against the rain.", "Roof.md"),
    ];
    for (sketch, expected) in sketches {
        let asked = ["search", "what was wrong and what helped", "--hypothetical", sketch];
        let answer = home.json(&[&asked[..], &["--mode", "semantic"]].concat());
        assert_eq!((&*paths(&answer)[0], notices(&answer)), (expected, Vec::new()), "{sketch}");
        let words = home.json(&["search", "zinc", "--mode", "keyword", "--hypothetical", sketch]);
        assert_eq!(
            (paths(&words), notices(&words)),
            (vec!["Roof.md".to_owned()], vec![SKETCH_UNUSED.to_owned()])
        );
    }
    // Blank is none, and no sketch is too long.
    let blank = home.json(&["search", "zinc", "--mode", "keyword", "--hypothetical", " "]);
    assert_eq!(notices(&blank), [""; 0]);
    home.json(&["search", "zinc", "--hypothetical", &"metal ".repeat(20_000)]);
}

#[test]
fn a_sketch_without_vectors_is_told_to_be_unused() {
    let home = Home::words_only(&[("Roof.md", "Sheets of zinc.")], "");
    let asked = ["search", "zinc", "--hypothetical", "metal"];
    assert!(notices(&home.json(&asked)).contains(&SKETCH_UNUSED.to_owned()), "without an index");
    home.index();
    assert_eq!(notices(&home.json(&asked)), [SKETCH_UNUSED]);
}

/// Notes about a mast. Only the first holds all the words; the others are there by their links.
fn linked() -> Home {
    let notes = [
        ("Mast.md", "The spruce mast. [[Rope]], [[Secret]], [[Plan]], [[Nothing]], [paint](paint.md)"),
        ("Rope.md", "Hemp for the mast, and mast wax. [[Far]]"),
        ("paint.md", "The mast is painted in May, before the sails and the oars and everything else go on."),
        ("Log.md", "We raised it, see [[Mast]]. A mast again."),
        ("Far.md", "A mast, too far away."),
        ("a/Plan.md", "A mast plan."),
        ("b/Plan.md", "Another mast plan."),
        ("Unlinked.md", "A mast that no one links."),
        ("Secret.md", "---\ntags: [private]\n---\nMast mast mast. [[Mast]]"),
    ];
    let home = Home::words_only(&notes, "tags = [\"private\"]");
    home.index();
    home
}

const ASK: [&str; 4] = ["search", "spruce mast", "--limit", "1"];

#[test]
fn linked_notes_follow_what_was_found_with_the_note_that_led_there() {
    let home = linked();
    let asked = |more: &[&str]| home.json(&[&ASK[..], more].concat());
    assert_eq!(reached(&asked(&[])), ["Mast.md"]);
    let answer = asked(&["--expand-links"]);
    // Which `Plan` is meant is not certain, `Far` is two links away, and what is private is not there.
    assert_eq!(
        reached(&answer),
        ["Mast.md", "Log.md via Mast.md", "Rope.md via Mast.md", "paint.md via Mast.md"]
    );
    let of = |key: &str| -> Vec<Value> {
        answer["passages"].as_array().unwrap().iter().map(|passage| passage[key].clone()).collect()
    };
    assert_eq!(of("rank"), [1, 2, 3, 4]);
    let scores: Vec<f64> = of("score").iter().map(|score| score.as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    // The owner's Secret is a note like any other: its words make it the best of the linked ones.
    let full = asked(&["--expand-links", "--profile", "full"]);
    assert_eq!(reached(&full)[..2], ["Mast.md", "Secret.md via Mast.md"]);
    let in_terminal = home.run(&[&ASK[..], &["--expand-links"]].concat());
    assert!(in_terminal.stdout.contains("Rope.md  line 1, linked with Mast.md\n"), "{in_terminal:?}");
}

#[test]
fn filters_and_bounds_hold_for_linked_notes() {
    let home = linked();
    home.write_note("c/Mast too.md", "A spruce mast in a folder. [[Rope]] [[c/Sail]]");
    home.write_note("c/Sail.md", "Cloth on a mast.");
    home.index();
    let folder = home.json(&[&ASK[..], &["--expand-links", "--folder", "c"]].concat());
    assert_eq!(reached(&folder), ["c/Mast too.md", "c/Sail.md via c/Mast too.md"]);
    let mut server = Server::start(&home, &[]);
    let mut bounded = |bytes: usize| {
        let arguments = json!({
            "query": "spruce mast", "limit": 1, "expand_links": true, "verbose": true, "max_bytes": bytes,
            "folder": "c",
        });
        server.call("search_vault", &arguments)["result"]["structuredContent"].take()
    };
    assert_eq!(reached(&bounded(256)), reached(&folder));
    home.write_note(
        "c/Mast too.md",
        &format!("A spruce mast in a folder. [[c/Sail]] {}", "Spruce mast. ".repeat(30)),
    );
    home.index();
    let cut = bounded(256);
    assert_eq!((reached(&cut), &cut["truncated"]), (vec!["c/Mast too.md".to_owned()], &json!(true)));
}

/// Private from one moment to the next, under an index that still holds it: as a target, as a source, and as
/// the other note that makes a name ambiguous.
#[test]
fn a_note_that_turned_private_is_reached_by_no_link() {
    let home = linked();
    for name in ["Rope.md", "Log.md", "a/Plan.md"] {
        home.write_note(name, "---\ntags: [private]\n---\nA mast. [[Mast]]");
    }
    let asked = [&ASK[..], &["--expand-links"]].concat();
    let stale = home.json(&asked);
    home.index();
    let fresh = home.json(&asked);
    let expected = ["Mast.md", "b/Plan.md via Mast.md", "paint.md via Mast.md"];
    assert_eq!((reached(&stale), reached(&fresh)), (expected.map(str::to_owned).to_vec(), reached(&stale)));
}

#[test]
fn links_wait_for_an_index() {
    let home = Home::words_only(&[("Mast.md", "A mast. [[Rope]]"), ("Rope.md", "Hemp.")], "");
    let answer = home.json(&["search", "mast", "--expand-links"]);
    assert_eq!(reached(&answer), ["Mast.md"]);
    let told = notices(&answer);
    assert!(told.iter().any(|notice| notice.contains("links are looked up in it")), "{told:?}");
}

#[test]
fn a_word_that_stands_nowhere_finds_what_was_meant() {
    let notes = [
        ("Regatta.md", "As ações da regata: emitir o bilhete, contribuir com a taxa.\n"),
        ("Harbour.md", "The harbour receives the ferry at noon; cities on the coast do the same.\n"),
        ("Secret.md", "---\nprivate: true\n---\nA quelmbrick behind the harbourage.\n"),
    ];
    let home = Home::words_only(&notes, "frontmatter_flag = \"private\"");
    home.index();
    for (query, expected) in [
        ("acao", "Regatta.md"),
        ("ação", "Regatta.md"),
        ("emite", "Regatta.md"),
        ("contribuem", "Regatta.md"),
        ("harbor", "Harbour.md"),
        ("recieves", "Harbour.md"),
        ("city", "Harbour.md"),
        // What stands there is searched as it is.
        ("noon", "Harbour.md"),
    ] {
        assert_eq!(home.found(query, &[]), [expected], "{query}");
    }
    let answer = home.json(&["search", "harbor"]);
    assert!(text(&answer["passages"][0]["text"]).contains("harbour"), "{answer}");
    // A required phrase means itself, and so does a number; what only a private note holds is no word.
    for query in ["\"harbor\"", "quelmbricks", "zzzzzz", "1234x"] {
        assert_eq!(home.found(query, &[]), [""; 0], "{query}");
    }
    assert_eq!(home.found("quelmbricks", &["--profile", "full"]), ["Secret.md"]);
}

/// Nor does an index that is older than the privacy of a note tell which words stand in it: neither by what is
/// respelt, nor by how likely an answer is.
#[test]
fn words_of_a_note_that_turned_private_are_words_that_stand_nowhere() {
    let words = "lymphoma salary divorce harbours harbou quelm\n";
    let answers = |without: bool| {
        let ward = "Lymphomas, salaries and divorces are kept in the harbour office.\n";
        let home = Home::words_only(&[("Ward.md", ward), ("Secret.md", words)], "tags = [\"private\"]");
        home.index();
        if without {
            fs::remove_file(home.path("Notes/Secret.md")).unwrap();
        } else {
            home.write_note("Secret.md", &format!("#private\n\n{words}"));
        }
        ["lymphoma", "salary", "divorce", "harbours", "harbou", "office quelm", "office qwxyz"].map(|query| {
            let mut answer =
                home.run(&["search", "--profile", "public", "--mode", "keyword", "--json", query]).json();
            for passage in answer["passages"].as_array_mut().unwrap() {
                // As the documents say, numbers may still hang on what the index counted.
                passage.as_object_mut().unwrap().remove("score");
            }
            answer.as_object_mut().unwrap().remove("indexed_at");
            (query, paths(&answer), answer.to_string())
        })
    };
    let (private, missing) = (answers(false), answers(true));
    assert_eq!(private, missing);
    let found: Vec<_> =
        private.iter().map(|(query, paths, _)| format!("{query}: {}", paths.join(" "))).collect();
    let expected = ["lymphoma", "salary", "divorce", "harbours", "harbou", "office quelm", "office qwxyz"];
    assert_eq!(found, expected.map(|query| format!("{query}: Ward.md")));
}

#[test]
fn the_owner_is_told_where_the_time_went_and_what_placed_a_passage() {
    let home = Home::words_only(&[("Roof.md", "Sheets of zinc."), ("Keel.md", "Sheets of lead.")], "");
    let stages = |answer: &Value| -> Vec<(String, Value)> {
        let stages = answer["timings"].as_array().unwrap().iter();
        stages.map(|stage| (text(&stage["stage"]), stage["count"].clone())).collect()
    };
    let indexed = home.json(&["index", "--timings", "--profile", "public"]);
    // What was written a moment ago may be read twice.
    let counts = |(stage, count): &(String, Value)| stage.starts_with("read") && count.as_u64() >= Some(2);
    assert!(stages(&indexed).iter().any(counts), "{indexed:#}");
    let found = home.json(&["search", "sheets zinc", "--timings", "--explain"]);
    let told = stages(&found);
    for stage in ["find by words", "open and judge", "rank"] {
        assert!(told.contains(&(stage.to_owned(), json!(2))), "{stage}: {told:?}");
    }
    let second = &found["explanations"][1];
    assert_eq!((&second["rank"], &second["by_words"]["rank"]), (&json!(2), &json!(2)));
    assert_eq!(second["by_meaning"], json!(null));
    let plain = home.run(&["search", "zinc", "--timings", "--explain"]).stdout;
    assert!(plain.contains(" ms  find by words  1\n") && plain.contains("by words no. 1 ("), "{plain}");
    let quiet = home.json(&["search", "zinc"]);
    assert!(quiet.get("timings").is_none() && quiet.get("explanations").is_none());
}
