//! Models that another program runs: what is asked of it, what happens when it misbehaves, and what never
//! reaches it.

mod fake;

use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Home, text};
use crate::server::Server;
use fake::{Fake, Manner};

const NOTES: &[(&str, &str)] = &[
    ("Boats.md", "# Boats\n\nThe ferry crosses the strait at noon.\n"),
    ("Bread.md", "# Bread\n\nKnead the dough until it is smooth.\n"),
    ("Lamp.md", "# Lamp\n\nTrim the wick before lighting it.\n"),
    ("journal/Day.md", "# Day\n\nzebrafink was here.\n"),
];

fn home(embeddings: &str) -> Home {
    let rules = "folders = [\"journal\"]";
    Home::with_vault(NOTES, &format!("{rules}\n[embeddings]\n{embeddings}"))
}

fn ollama(fake: &Fake) -> String {
    format!("backend = \"ollama\"\nmodel = \"nomic-embed-text\"\nbase_url = \"{}\"", fake.url())
}

fn search(home: &Home, query: &str) -> Value {
    home.json(&["search", query, "--mode", "hybrid"])
}

fn notices(answer: &Value) -> String {
    answer["notices"].to_string()
}

#[test]
fn ollama_makes_the_vectors() {
    let fake = Fake::start();
    let home = home(&ollama(&fake));
    let [public, full] = home.index();
    assert_eq!((&public["embedded"], &public["pending_vectors"]), (&json!(3), &json!(0)));
    assert_eq!(full["model"], json!("ollama:nomic-embed-text"));
    let received = fake.received();
    assert!(received.iter().all(|request| request.path == "/api/embed"), "{received:?}");
    let texts: Vec<String> = received.iter().flat_map(fake::Received::texts).collect();
    let ferry = texts.iter().filter(|text| text.contains("ferry")).collect::<Vec<_>>();
    assert_eq!(ferry.len(), 1, "a text that both trees need is sent once: {texts:?}");
    assert!(ferry[0].starts_with("search_document: "), "{ferry:?}");
    let answer = search(&home, "when is the dough smooth");
    assert_eq!((text(&answer["mode"]), notices(&answer)), ("hybrid".to_owned(), "[]".to_owned()));
    assert_eq!(answer["passages"][0]["matched_by"], json!(["keyword", "semantic"]));
    assert_eq!(fake.received()[0].texts(), ["search_query: when is the dough smooth"]);
    // Nothing changed, nothing is sent.
    home.index();
    assert!(fake.received().is_empty());
}

#[test]
fn a_server_like_openai_gets_the_key() {
    let fake = Fake::start();
    let mut home = home(&format!(
        "backend = \"openai\"\nmodel = \"m\"\nbase_url = \"{}/v1/\"\napi_key_env = \"A_KEY\"\npassage_prefix = \"p: \"",
        fake.url()
    ));
    home.set_variables(&[("A_KEY", "sesame")]);
    let [public, _] = home.index();
    assert_eq!((&public["pending_vectors"], &public["model"]), (&json!(0), &json!("openai:m")));
    let received = fake.received();
    for request in &received {
        assert_eq!(
            (&*request.path, request.authorization.as_deref()),
            ("/v1/embeddings", Some("Bearer sesame"))
        );
    }
    assert!(received.iter().flat_map(fake::Received::texts).any(|text| text.starts_with("p: Bread")));
    assert_eq!(search(&home, "wick lighting")["passages"][0]["path"], json!("Lamp.md"));
}

/// Whatever the server does, words find, the answer says what is missing, and nothing of a note or of what the
/// server said is told.
#[test]
fn a_server_that_misbehaves_costs_the_vectors_only() {
    let fake = Fake::start();
    let home = home(&ollama(&fake));
    home.index();
    let manners = [
        Manner::Status(500),
        Manner::Status(404),
        Manner::Status(401),
        Manner::Status(302),
        Manner::Html,
        Manner::Components(32),
        Manner::Components(0),
        Manner::HangsUp,
    ];
    for manner in manners {
        fake.behave(manner);
        let answer = search(&home, "ferry noon");
        assert_eq!(text(&answer["mode"]), "keyword", "{manner:?}");
        assert_eq!(answer["passages"][0]["path"], json!("Boats.md"), "{manner:?}");
        let expected = if manner == Manner::Components(32) { "model mismatch" } else { "does not answer" };
        assert!(notices(&answer).contains(expected), "{manner:?}: {answer}");
        let run = home.run(&["search", "ferry noon", "--mode", "semantic"]);
        assert!(run.stderr.contains(expected) && !run.stderr.contains("search_query"), "{manner:?}: {run:?}");
    }
    for manner in manners {
        fake.behave(manner);
        home.write_note("New.md", &format!("# New\n\nA heron, {manner:?}.\n"));
        let run = home.run(&["index", "--json"]);
        assert_eq!(run.code, Some(0), "{manner:?}: {run:?}");
        let trees = run.json();
        let public = &trees["trees"][0];
        assert_eq!(public["pending_vectors"], json!(1), "{manner:?}: {trees}");
        assert!(text(&public["model_failure"]).contains("obsearch index"), "{manner:?}: {trees}");
        assert!(run.stderr.contains("note: ") && !run.stderr.contains("heron"), "{manner:?}: {run:?}");
        assert_eq!(home.found("heron", &[]), ["New.md"]);
        let status = home.json(&["status"]);
        assert!(!notices(&status).contains("[]"), "{manner:?}: {status}");
    }
    fake.behave(Manner::Good);
    let [public, _] = home.index();
    assert_eq!((&public["pending_vectors"], public.get("model_failure")), (&json!(0), None));
    assert_eq!(notices(&home.json(&["status"])), "[]");
}

#[test]
fn one_text_that_the_model_cannot_take_costs_no_other_its_vector() {
    let fake = Fake::start();
    let home = home(&ollama(&fake));
    fake.behave(Manner::Chokes("dough"));
    let [public, full] = home.index();
    assert_eq!((&public["pending_vectors"], &full["pending_vectors"]), (&json!(1), &json!(1)));
    assert_eq!(search(&home, "ferry noon")["mode"], json!("hybrid"));
}

#[test]
fn a_server_that_is_not_there_is_waited_for() {
    let fake = Fake::start();
    let (port, embeddings) = (fake.port, ollama(&fake));
    drop(fake);
    let home = home(&embeddings);
    let [public, _] = home.index();
    assert_eq!((&public["notes"], &public["model"]), (&json!(3), &Value::Null));
    assert!(text(&public["model_failure"]).contains("cannot be reached"), "{public}");
    let answer = search(&home, "ferry noon");
    assert_eq!(answer["passages"][0]["path"], json!("Boats.md"));
    assert!(notices(&answer).contains("no vectors"), "{answer}");
    // No vectors yet, so nothing is built anew while it stays away.
    assert_eq!(home.index()[0]["rebuilt"], Value::Null);
    let fake = Fake::listen(Ipv4Addr::LOCALHOST.into(), port);
    let [public, _] = home.index();
    assert_eq!((&public["pending_vectors"], &public["embedded"]), (&json!(0), &json!(3)));
    assert_eq!(text(&search(&home, "ferry noon")["mode"]), "hybrid");
    // A tree with vectors is not given up for one without.
    drop(fake);
    let refused = home.run(&["index", "--rebuild"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("as it was"), "{refused:?}");
    let _fake = Fake::listen(Ipv4Addr::LOCALHOST.into(), port);
    assert_eq!(text(&search(&home, "ferry noon")["mode"]), "hybrid");
}

#[test]
fn a_slow_server_holds_a_search_up_for_seconds_once() {
    let fake = Fake::start();
    let home = home(&ollama(&fake));
    home.index();
    let mut server = Server::start(&home, &[]);
    fake.behave(Manner::Slow(Duration::from_secs(30)));
    let mut ask = || {
        let began = Instant::now();
        let answer = server.call("search_vault", &json!({ "query": "ferry noon" }))["result"].take();
        assert_eq!(answer["structuredContent"]["passages"][0]["path"], json!("Boats.md"), "{answer}");
        began.elapsed()
    };
    let first = ask();
    assert!(first < Duration::from_secs(10), "{first:?}");
    let second = ask();
    assert!(second < Duration::from_secs(2), "it is not asked again at once: {second:?}");
    assert_eq!(server.end().code, Some(0));
}

/// An address of this machine that is not its loopback: for obsearch, another machine.
fn elsewhere() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // Nothing is sent: it only says from where something would be.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_loopback() && !address.is_unspecified())
}

#[test]
fn another_machine_sees_private_notes_only_where_that_is_written() {
    let Some(address) = elsewhere() else {
        eprintln!("skipped: this machine has no address but its own");
        return;
    };
    let fake = Fake::listen(address, 0);
    let embeddings = |allowed: &str| {
        format!(
            "backend = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://{address}:{}\"\n{allowed}",
            fake.port
        )
    };
    let refused = home(&embeddings("")).run(&["index"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("would leave this machine"), "{refused:?}");
    let texts = || -> Vec<String> { fake.received().iter().flat_map(fake::Received::texts).collect() };
    assert!(texts().is_empty());

    let home_with = home(&embeddings("allow_remote = true"));
    let [public, full] = home_with.index();
    assert_eq!(public["model"], json!("ollama:m"));
    // A model inside reads the private notes.
    assert!(["all-minilm-l6-v2", "multilingual-e5-small-96k"].contains(&&*text(&full["model"])), "{full}");
    home_with.json(&["search", "zebrafink", "--profile", "full"]);
    let sent = texts();
    assert!(sent.iter().any(|text| text.contains("ferry")), "{sent:?}");
    assert!(!sent.iter().any(|text| text.contains("zebrafink") || text.contains("Day")), "{sent:?}");

    let home_with = home(&embeddings("allow_remote = true\nallow_remote_full = true"));
    home_with.index();
    assert!(texts().iter().any(|text| text.contains("zebrafink")));
}

fn with_reranker(fake: &Fake, more: &str) -> Home {
    let rerank =
        format!("backend = \"http\"\nbase_url = \"{}/v1/rerank\"\nmodel = \"r\"\n{more}", fake.url());
    Home::words_only(NOTES, &format!("folders = [\"journal\"]\n[rerank]\n{rerank}"))
}

#[test]
fn a_reranker_orders_the_best_passages_anew() {
    let fake = Fake::start();
    let home = with_reranker(&fake, "");
    for number in 0..30 {
        home.write_note(&format!("Ferry {number}.md"), "The ferry.\n");
    }
    home.write_note(
        "Answer.md",
        &format!("{} the ferry leaves at dusk {}\n", "word ".repeat(40), "word ".repeat(40)),
    );
    home.index();
    let query = "dusk the ferry leaves whenever";
    let plain = home.json(&["search", query, "--mode", "keyword"]);
    assert_eq!(plain["reranked"], json!(false));
    assert!(fake.received().is_empty(), "words only are asked for");
    let answer = home.json(&["search", query, "--limit", "3"]);
    assert_eq!((&answer["reranked"], notices(&answer)), (&json!(true), "[]".to_owned()));
    assert_eq!(answer["passages"][0]["path"], json!("Answer.md"), "{answer}");
    assert_eq!(answer["passages"].as_array().map(Vec::len), Some(3));
    let asked = &fake.received()[0];
    assert_eq!(
        (&*asked.path, &asked.body["query"], &asked.body["model"]),
        ("/v1/rerank", &json!(query), &json!("r"))
    );
    assert_eq!(asked.texts().len(), 20, "more than were asked for are looked at");
    // Who types the words of a passage means it, whatever a model says.
    fake.behave(Manner::Shuffles);
    assert_eq!(home.found("ferry 7", &[])[0], "Ferry 7.md");
}

#[test]
fn a_reranker_that_misbehaves_changes_nothing() {
    let fake = Fake::start();
    let home = with_reranker(&fake, "");
    home.index();
    let expected = home.json(&["search", "ferry noon", "--mode", "keyword"])["passages"].take();
    for manner in [Manner::Status(500), Manner::Html, Manner::HangsUp, Manner::Status(302)] {
        fake.behave(manner);
        let answer = home.json(&["search", "ferry noon"]);
        assert_eq!((&answer["reranked"], &answer["passages"]), (&json!(false), &expected), "{manner:?}");
        assert!(notices(&answer).contains("reranker"), "{manner:?}: {answer}");
    }
}

#[test]
fn a_reranker_elsewhere_reads_private_notes_only_where_that_is_written() {
    let Some(address) = elsewhere() else {
        eprintln!("skipped: this machine has no address but its own");
        return;
    };
    let fake = Fake::listen(address, 0);
    let home = |allowed: &str| {
        let rerank =
            format!("backend = \"http\"\nbase_url = \"http://{address}:{}/rerank\"\n{allowed}", fake.port);
        Home::words_only(NOTES, &format!("folders = [\"journal\"]\n[rerank]\n{rerank}"))
    };
    home("").run(&["index"]).assert_refused();
    let careful = home("allow_remote = true");
    careful.index();
    for profile in ["public", "full"] {
        careful.json(&["search", "zebrafink was here ferry", "--profile", profile]);
    }
    let sent: Vec<_> = fake.received();
    assert_eq!(sent.len(), 1, "the full profile asks nobody");
    assert!(sent.iter().flat_map(fake::Received::texts).all(|text| !text.contains("zebrafink")), "{sent:?}");
    let open = home("allow_remote = true\nallow_remote_full = true");
    open.index();
    open.json(&["search", "zebrafink was here", "--profile", "full"]);
    assert!(fake.received().iter().flat_map(fake::Received::texts).any(|text| text.contains("zebrafink")));
}

/// A server that thinks for long keeps nobody from erasing what turned private.
#[test]
fn a_slow_server_does_not_keep_a_note_from_being_forgotten() {
    let fake = Fake::start();
    let home = home(&ollama(&fake));
    home.index();
    let mut server = Server::start(&home, &[]);
    fake.behave(Manner::Slow(Duration::from_secs(30)));
    home.write_note("New.md", "# New\n\nA heron on the mooring.\n");
    let began = Instant::now();
    let has_come = |requests: Vec<fake::Received>| {
        requests.iter().flat_map(fake::Received::texts).any(|text| text.contains("heron"))
    };
    while !has_come(fake.received()) {
        assert!(began.elapsed() < Duration::from_secs(20), "the new note is sent to be embedded");
        std::thread::sleep(Duration::from_millis(50));
    }
    home.configure(&format!(
        "[vault]\npath = \"~/Notes\"\n[privacy]\nfolders = [\"journal\", \"Bread.md\"]\n[embeddings]\n{}\n",
        ollama(&fake)
    ));
    home.write_note("Boats.md", "# Boats\n\nOf larch.\n");
    server.call("search_vault", &json!({ "query": "dough", "mode": "keyword" }));
    let began = Instant::now();
    while !home.words_in_tree("public", &["dough"]).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(10), "it is erased while the server thinks");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.end().code, Some(0));
}

/// What the owner takes back is not sent any more, by a server that runs.
#[test]
fn another_machine_is_asked_only_while_the_configuration_says_so() {
    let Some(address) = elsewhere() else {
        eprintln!("skipped: this machine has no address but its own");
        return;
    };
    let fake = Fake::listen(address, 0);
    let url = format!("http://{address}:{}", fake.port);
    let section = format!("backend = \"ollama\"\nmodel = \"m\"\nbase_url = \"{url}\"\nallow_remote = true");
    let home = home(&section);
    home.index();
    let mut server = Server::start(&home, &[]);
    let mut ask = || server.call("search_vault", &json!({ "query": "ferry noon" }))["result"].take();
    assert_eq!(ask()["structuredContent"]["mode"], json!("hybrid"));
    home.configure("[vault]\npath = \"~/Notes\"\n[privacy]\nfolders = [\"journal\"]\n");
    fake.received();
    let answer = ask();
    assert_eq!(answer["structuredContent"]["mode"], json!("keyword"), "{answer}");
    assert!(fake.received().is_empty());
    assert_eq!(server.end().code, Some(0));
}
