//! Nothing that the public profile answers depends on a private note: a vault, and the same vault
//! without its private notes, answer every request byte for byte alike, before there is an index,
//! with a fresh one, and with one that is older than the private notes.
//!
//! A failure names its seed; `OBSEARCH_TEST_SEEDS` asks for more of them.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault behind the index")]

use std::fs;

use crate::common::{Dice, Home, seeds};

const RULES: &str =
    "folders = [\"journal\", \"people/*\"]\ntags = [\"private\"]\nfrontmatter_flag = \"secret\"";

const WORDS: [&str; 16] = [
    "river",
    "stone",
    "bread",
    "lamp",
    "chair",
    "grass",
    "wheel",
    "paper",
    "cloud",
    "kettle",
    "garden",
    "window",
    "café",
    "2031-04-09",
    "图书馆",
    "certificate",
];
/// Few, so that names of private and public notes collide, in case too.
const NAMES: [&str; 9] =
    ["Jane", "jane", "Plan", "Budget 2031", "Café", "Ideas", "README", "Red-brick", "图书馆"];
const PUBLIC_FOLDERS: [&str; 4] = ["", "work/", "work/deep/", "archive/"];
const PRIVATE_FOLDERS: [&str; 3] = ["journal/", "people/", "work/Journal/"];
const TAGS: [&str; 4] = ["project", "project/alpha", "Reading", "privateer"];

/// What makes a note private.
#[derive(Clone, Copy)]
enum Kind {
    Folder,
    Tag,
    NestedTag,
    InlineTag,
    TagInCode,
    Flag,
    BrokenFlag,
}

const KINDS: [Kind; 7] = [
    Kind::Folder,
    Kind::Tag,
    Kind::NestedTag,
    Kind::InlineTag,
    Kind::TagInCode,
    Kind::Flag,
    Kind::BrokenFlag,
];

struct Note {
    path: String,
    text: String,
    private: Option<Kind>,
}

/// Some thirty notes, half of them private.
fn vault(dice: &mut Dice) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for number in 0..40 {
        let private = (dice.below(2) == 0).then(|| dice.choose(&KINDS));
        let folder = match private {
            Some(Kind::Folder) => dice.choose(&PRIVATE_FOLDERS),
            _ => dice.choose(&PUBLIC_FOLDERS),
        };
        let path = format!("{folder}{}.md", dice.choose(&NAMES));
        if notes.iter().all(|note| note.path != path) {
            notes.push(Note { path, text: note_text(dice, number, private), private });
        }
    }
    notes
}

fn note_text(dice: &mut Dice, number: usize, private: Option<Kind>) -> String {
    let mut properties = vec![format!("aliases: [{}, Alias {}]", dice.choose(&NAMES), dice.below(6))];
    if dice.below(2) == 0 {
        properties.push(format!("title: {}", dice.choose(&NAMES)));
    }
    let mut tags = vec![dice.choose(&TAGS)];
    let mut body = format!("# {}\n\n{}\n\n", dice.choose(&NAMES), sentence(dice));
    match private {
        Some(Kind::Tag) => tags.push("Private"),
        Some(Kind::NestedTag) => tags.push("private/health"),
        Some(Kind::InlineTag) => body += "Not for all #private\n\n",
        Some(Kind::TagInCode) => body += "```\n#private/code\n```\n\n",
        Some(Kind::Flag) => properties.push("secret: yes".to_owned()),
        Some(Kind::BrokenFlag) => properties.push("secret: [\nx: {{y}}".to_owned()),
        Some(Kind::Folder) | None => {}
    }
    properties.push(format!("tags: [{}]", tags.join(", ")));
    if private.is_some() {
        body += &canary(number);
    }
    for _ in 0..dice.below(4) {
        let link = dice.choose(&[
            "[[@]]",
            "![[@]]",
            "[[@#Part]]",
            "[[people/@|shown]]",
            "[x](@.md)",
            "[[work/@#^block]]",
        ]);
        body += &sentence(dice);
        body += " ";
        body += &link.replace('@', dice.choose(&NAMES));
        body += "\n\n";
    }
    format!("---\n{}\n---\n{body}## Part\n\n{} ^block\n", properties.join("\n"), sentence(dice))
}

fn sentence(dice: &mut Dice) -> String {
    let words: Vec<&str> = (0..3 + dice.below(9)).map(|_| dice.choose(&WORDS)).collect();
    words.join(" ")
}

/// A word of one private note.
fn canary(number: usize) -> String {
    format!("\n{}qzcanary{number}\n\n", ["k", "x", "j", "w"][number % 4])
}

/// Requests of every kind, about public, private and missing things alike.
fn script(dice: &mut Dice, notes: &[Note]) -> Vec<Vec<String>> {
    let mut script: Vec<String> = [
        "list --json",
        "list",
        "list --folders --json",
        "list journal --json",
        "list work --json",
        "list people/",
        "list --tag private",
        "list --tag project --json",
        "tags --json",
        "tags private",
        "tags project --json",
        "status --json",
        "search --json --tag private river",
        "search --json --folder people river",
        "search --json --folder work stone lamp",
        "search --json qzcanary",
        "search --json private",
        "search --json journal people",
        "search --json -n 2 river stone",
        "search --json --mode semantic bread",
        "search --full café 图书馆",
        "search --json 图",
        "search --json \"bread lamp",
        "read --json nothing",
        "links --json nothing",
    ]
    .map(str::to_owned)
    .to_vec();
    for _ in 0..4 {
        script.push(format!("search --json {}", sentence(dice)));
    }
    let mut requests: Vec<Vec<String>> =
        script.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    for _ in 0..6 {
        let note = &notes[dice.below(notes.len())];
        let stem = note.path.trim_end_matches(".md").rsplit('/').next().unwrap();
        let name = dice.choose(&[&*note.path, stem, "Alias 3", "Jane", "people/Jane"]);
        let anchored = format!("[[{stem}#Part]]");
        let block = format!("{stem}#^block");
        requests.extend([
            request(&["read", "--json", name]),
            request(&["read", dice.choose(&[&*anchored, &*block])]),
            request(&["links", "--json", dice.choose(&[&*note.path, stem])]),
            request(&["list", "--json", "-n", "3", "--cursor", &note.path]),
        ]);
    }
    requests
}

fn request(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A home with some of the notes.
fn home(notes: &[Note], is_wanted: impl Fn(&Note) -> bool) -> Home {
    let wanted: Vec<(&str, &str)> =
        notes.iter().filter(|note| is_wanted(note)).map(|note| (&*note.path, &*note.text)).collect();
    Home::words_only(&wanted, RULES)
}

/// Everything the binary says to a request, times of the index left out.
fn answer(home: &Home, request: &[String]) -> String {
    let words: Vec<&str> = request.iter().map(String::as_str).collect();
    let transcript = home.run(&words).transcript();
    transcript
        .lines()
        .filter(|line| !line.contains("\"indexed_at\": \""))
        .fold(String::new(), |text, line| text + line + "\n")
}

/// Asks the first of every `step` requests.
fn assert_alike(homes: [&Home; 2], script: &[Vec<String>], step: usize, context: &str) {
    for request in script.iter().step_by(step) {
        let [with, without] = homes.map(|home| answer(home, request));
        assert_eq!(with, without, "{context}: {request:?}");
    }
}

fn check(seed: u64) {
    let mut dice = Dice::new(seed);
    let notes = vault(&mut dice);
    let script = script(&mut dice, &notes);
    let with = home(&notes, |_| true);
    let without = home(&notes, |note| note.private.is_none());
    let homes = [&with, &without];
    assert_alike(homes, &script[1..], 4, &format!("seed {seed}, no index"));
    index_all(homes);
    assert_alike(homes, &script, 1, &format!("seed {seed}, fresh index"));
    change_private_notes(&with, &notes);
    assert_alike(homes, &script[2..], 3, &format!("seed {seed}, index older than private notes"));
    index_all(homes);
    assert_alike(homes, &script[3..], 5, &format!("seed {seed}, index brought up to date"));
    let numbers: Vec<String> = (0..40).map(|number| format!("qzcanary{number}")).collect();
    let canaries: Vec<&str> = numbers.iter().map(String::as_str).collect();
    assert_eq!(with.words_in_tree("public", &canaries), [""; 0], "seed {seed}");
}

fn index_all(homes: [&Home; 2]) {
    for home in homes {
        home.index();
    }
}

/// Other texts, other times, some gone, some new.
fn change_private_notes(home: &Home, notes: &[Note]) {
    for (number, note) in notes.iter().enumerate().filter(|(_, note)| note.private.is_some()) {
        match number % 3 {
            0 => fs::remove_file(home.vault().join(&note.path)).unwrap(),
            1 => home.write_note(&note.path, &format!("{} #private [[Jane]] river", note.text)),
            _ => home.write_note(&format!("journal/new {number}.md"), &note.text),
        }
    }
}

#[test]
fn private_notes_change_no_answer() {
    seeds(12).filter(|seed| seed % 2 == 0).for_each(check);
}

#[test]
fn private_notes_change_no_answer_of_odd_seeds() {
    seeds(12).filter(|seed| seed % 2 == 1).for_each(check);
}

#[test]
fn private_notes_change_no_answer_by_meaning() {
    let notes = vault(&mut Dice::new(1));
    let [with, without] = [true, false].map(|is_private_wanted| {
        let home = home(&notes, |note| is_private_wanted || note.private.is_none());
        home.configure(&format!(
            "[vault]\npath = \"~/Notes\"\n[privacy]\n{RULES}\n[embeddings]\nmodel = \"english\"\n"
        ));
        home.json(&["index", "--profile", "public"]);
        home
    });
    let script = [
        "search --json where do we keep the paper for a certificate",
        "search --json --mode semantic boil water for tea",
        "search --json --mode semantic -n 3 --folder work a walk by the water",
        "status --json",
    ];
    let script: Vec<Vec<String>> =
        script.iter().map(|line| request(&line.split(' ').collect::<Vec<_>>())).collect();
    assert_alike([&with, &without], &script, 1, "by meaning");
}

/// The vaults are what they should be: enough of each kind, and names that collide.
#[test]
fn the_vaults_hold_private_notes_of_every_kind() {
    let vaults: Vec<Vec<Note>> = (0..12).map(|seed| vault(&mut Dice::new(seed))).collect();
    for kind in KINDS {
        let is_kind = |note: &&Note| note.private.is_some_and(|found| found as u8 == kind as u8);
        assert!(vaults.iter().flatten().filter(is_kind).count() >= 6, "{}", kind as u8);
    }
    for notes in vaults {
        let home = home(&notes, |_| true);
        let [public, full] = home.index();
        let is_private = notes.iter().filter(|note| note.private.is_some()).count();
        assert_eq!(full["notes"].as_u64(), Some(notes.len() as u64));
        assert_eq!(public["notes"].as_u64(), Some((notes.len() - is_private) as u64));
    }
}
