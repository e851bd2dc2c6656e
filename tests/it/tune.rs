//! `obsearch tune`: what is proposed, what is written, and when neither.

use serde_json::Value;

use crate::common::{Home, text};

/// Comments and blank lines of its own, and a weight that suits nobody.
const CONFIGURATION: &str = "# Mine.\n[vault]\npath = \"~/Notes\"   # all of them\n\n[embeddings]\nmodel = \"english\"\n\n\
     [search] # to be tuned\nmeaning_weight=0.95 # a guess\n\n[privacy]\ntags = []\n";

/// Notes that differ in codes only, which words tell apart and meaning hardly does. Each is linked with its code.
fn coded() -> Home {
    let home = Home::with_vault(&[], "");
    let code = |number: usize| format!("{}{:03}", ["QX", "ZK", "VW"][number % 3], number * 6 + 101);
    for number in 0..90 {
        let next = (number + 1) % 90;
        let (own, other) = (code(number), code(next));
        let text =
            format!("The kiln was hot. {own} held.\n\nThen came [[{next}|the firing of batch {other}]].\n");
        home.write_note(&format!("{number}.md"), &text);
    }
    home.configure(CONFIGURATION);
    home
}

const ASK: [&str; 4] = ["tune", "--quiet", "--take", "30"];

#[test]
fn a_sure_gain_is_proposed_and_written_as_one_line() {
    let home = coded();
    home.set_mode(".config/obsearch/config.toml", 0o640);
    let proposed = home.run(&ASK);
    assert!(
        proposed.code == Some(0) && proposed.stdout.contains("\nProposed: `meaning_weight = 0."),
        "{proposed:?}"
    );
    assert_eq!(home.read(".config/obsearch/config.toml"), CONFIGURATION, "nothing is written unasked");

    let tuned = home.json(&[&ASK[..], &["--write"]].concat());
    let told = [&tuned["verdict"], &tuned["current"], &tuned["written"]];
    assert_eq!(told, [&Value::from("better"), &0.95.into(), &true.into()], "{tuned:#}");
    let best = tuned["best"].as_f64().unwrap();
    assert!(best < 0.9 && tuned["tried"].as_array().unwrap().len() > 9, "{tuned:#}");
    let gain = &tuned["held_out"][2];
    assert!(gain["name"] == "nDCG@10" && gain["difference"]["low"].as_f64().unwrap() > 0.0, "{gain}");
    let expected = CONFIGURATION.replace("meaning_weight=0.95", &format!("meaning_weight={best:.2}"));
    assert_eq!(home.read(".config/obsearch/config.toml"), expected);
    assert_eq!(home.mode(".config/obsearch/config.toml"), 0o640);
    let status = home.run(&["status"]).stdout;
    assert!(status.contains(&format!("meaning counts {best}, words the rest, as configured")), "{status}");
}

#[test]
fn what_cannot_be_told_is_not_proposed() {
    let few = [("a.md", "# A\n\nOne. [[b|the other]]\n"), ("b.md", "# B\n\n## A heading of it\n\nTwo.\n")];
    let rows = [
        (
            Home::with_vault(&few, "[embeddings]\nmodel = \"english\""),
            "too_few_questions",
            "Fewer than 30 questions",
        ),
        (Home::words_only(&few, ""), "no_vectors", "The index has no vectors"),
    ];
    for (home, verdict, told) in rows {
        let before = home.read(".config/obsearch/config.toml");
        let tuned = home.json(&["tune", "--quiet", "--write"]);
        assert_eq!((&*text(&tuned["verdict"]), &tuned["written"]), (verdict, &Value::Bool(false)));
        let shown = home.run(&["tune", "--quiet"]);
        assert!(shown.code == Some(0) && shown.stdout.contains(told), "{shown:?}");
        assert_eq!(home.read(".config/obsearch/config.toml"), before);
    }
}

#[test]
fn a_weight_out_of_bounds_is_refused_and_one_within_them_counts() {
    let notes = [
        ("Words.md", "A spruce mast."),
        ("Meaning.md", "The tall pole of a sailing ship, cut from a conifer."),
        ("Neither.md", "Boil the lentils with cumin."),
    ];
    let home = Home::with_vault(&notes, "[embeddings]\nmodel = \"english\"");
    home.index();
    let with = |weight: &str| {
        home.configure(&format!(
            "[vault]\npath = \"~/Notes\"\n[embeddings]\nmodel = \"english\"\n[search]\nmeaning_weight = {weight}\n"
        ));
    };
    with("1.5");
    let refused = home.run(&["search", "mast"]);
    refused.assert_refused();
    assert!(refused.stderr.contains("meaning_weight"), "{refused:?}");
    let score = |weight: &str| {
        with(weight);
        let found = home.json(&["search", "mast"]);
        let passages = found["passages"].as_array().unwrap();
        let other = passages.iter().find(|passage| passage["path"] == "Meaning.md");
        (passages[0]["score"].as_f64().unwrap(), other.map_or(0.0, |other| other["score"].as_f64().unwrap()))
    };
    assert_ne!(score("0"), score("1"));
}

#[test]
fn without_a_file_there_is_nothing_to_write_to() {
    let home = Home::new();
    home.write_note("a.md", "One.");
    let refused = home.run(&["tune", "--write", "--vault", home.vault().to_str().unwrap()]);
    refused.assert_refused();
    assert!(refused.stderr.contains("There is no configuration file to write to."), "{refused:?}");
}
