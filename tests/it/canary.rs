//! The canary sweep: every part of several private notes carries a word of its own, and none of these
//! words, nor the place of the vault, is found in any byte that the public side writes: answers,
//! standard error at its most talkative, its trees with what SQLite keeps beside them, the ledger,
//! caches, temporary files; whatever happened before.
#![expect(clippy::disallowed_methods, reason = "a test reads every byte that was left behind")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::ask::ask_all;
use crate::common::{Dice, Home, names_in};
use crate::server::Server;

const RULES: &str = "folders = [\"journal\"]\ntags = [\"secret\"]\nfrontmatter_flag = \"private\"";

/// A private note: its text with `{part}` for its canaries, and its path likewise.
struct Secret {
    path: &'static str,
    text: &'static str,
}

/// One for each kind of rule.
const SECRETS: [Secret; 5] = [
    Secret { path: "journal/{folder}/{name}.md", text: TEXT },
    Secret { path: "work/{folder}/{name}.md", text: "{text}\n#secret/{nested}\n" },
    Secret { path: "work/{name}.md", text: "---\nprivate: [\n{key}: {{x}}\ntitle: {title}\n---\n{text}" },
    // Private by a link in a private folder, and by another name there.
    Secret { path: "shelf/{folder}/{name}.md", text: TEXT },
    Secret { path: "archive/{name}.md", text: TEXT },
];

const TEXT: &str = "---\ntitle: {title}\naliases: [{alias}]\ntags: [{tag}]\n{key}: {value}\n---\n{body} text here.\n\n\
    ## {heading}\n\n[[Public|{link}]] ![[{file}.png]] [[{target}]] ^{block}\n\n> [!note] {callout}\n> more\n\n\
    ```\n{code}\n```\n\n%% {comment} %%\n\nSome words about a kettle on a river.\n";

/// Names of the parts, which stand in braces above.
const PARTS: [&str; 16] = [
    "folder", "name", "title", "alias", "tag", "key", "value", "body", "heading", "link", "file", "target",
    "block", "callout", "code", "comment",
];

/// A home in which to look for canaries.
struct Aviary {
    home: Home,
    canaries: Vec<String>,
}

impl Aviary {
    fn new() -> Aviary {
        let mut home = Home::words_only(
            &[
                ("Public.md", "---\ntags: [fruit]\n---\n# Public\n\nA kettle on a river, see [[Other]].\n"),
                ("work/Other.md", "# Other\n\nA lamp by the river. #fruit/red ^block\n"),
                ("archive/More.md", "# More\n\nStones and bread.\n"),
            ],
            RULES,
        );
        fs::create_dir(home.path("tmp")).unwrap();
        let watched = home.path("tmp").to_string_lossy().into_owned();
        home.set_variables(&[
            ("TMPDIR", &watched),
            ("SQLITE_TMPDIR", &watched),
            ("RUST_BACKTRACE", "full"),
            ("RUST_LOG", "trace"),
        ]);
        let mut dice = Dice::new(2031);
        let mut aviary = Aviary { home, canaries: Vec::new() };
        for secret in &SECRETS {
            aviary.write(secret, &mut dice);
        }
        aviary.link();
        aviary
    }

    fn write(&mut self, secret: &Secret, dice: &mut Dice) {
        let canaries = PARTS.map(|part| (part, canary(dice)));
        let filled = |template: &str| {
            let template = template.replace("{text}", TEXT).replace("{nested}", &canaries[0].1);
            canaries
                .iter()
                .fold(template, |text, (part, canary)| text.replace(&format!("{{{part}}}"), canary))
        };
        let path = filled(secret.path);
        self.home.write_note(&path, &filled(secret.text));
        let attachment = canaries.iter().find(|(part, _)| *part == "file").map(|(_, canary)| canary);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.home.write_note(&format!("{folder}/{}.png", attachment.unwrap()), "no image");
        self.canaries.extend(canaries.into_iter().map(|(_, canary)| canary));
    }

    /// What makes the last two notes private.
    fn link(&self) {
        let path = |name: &str| self.home.path(&format!("Notes/{name}"));
        symlink("../shelf", path("journal/shelf")).unwrap();
        let note =
            names_in(&path("archive")).into_iter().find(|name| name != "More.md" && !name.contains(".png"));
        let note = note.expect("it was written");
        fs::hard_link(path(&format!("archive/{note}")), path("journal/other name.md")).unwrap();
    }

    /// All canaries, and where the vault is.
    fn found_in<'t>(&self, what: &str, text: impl Into<std::borrow::Cow<'t, str>>) -> Vec<String> {
        let text = text.into().to_lowercase();
        let found = self.canaries.iter().filter(|canary| text.contains(&**canary));
        found.map(|canary| format!("{canary} in {what}")).collect()
    }

    /// In files: an inverted index keeps a word without the letters that it shares with the one before.
    fn found_in_files(&self, files: &[PathBuf]) -> Vec<String> {
        let mut found = Vec::new();
        for file in files {
            let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).to_lowercase();
            let name = file.to_string_lossy().to_lowercase();
            let holds = |canary: &&String| text.contains(&canary[TAIL..]) || name.contains(&canary[TAIL..]);
            found.extend(self.canaries.iter().filter(holds).map(|canary| format!("{canary} in {name}")));
        }
        found
    }

    /// Looks at everything that was left on disk beside the vault, the configuration file and the full trees.
    #[track_caller]
    fn sweep_files(&self, when: &str) {
        let files = files_below(
            &self.home.path(""),
            &[self.home.vault(), self.home.path(".config/obsearch/config.toml")],
        );
        let files: Vec<PathBuf> = files
            .into_iter()
            .filter(|file| !file.components().any(|part| part.as_os_str() == "full"))
            .collect();
        let ledger = self.home.path(".config/obsearch/ledger");
        assert!(files.iter().any(|file| file.starts_with(&ledger)) || !ledger.exists(), "{when}");
        assert_eq!(self.found_in_files(&files), [""; 0], "{when}");
        assert_eq!(names_in(&self.home.path("tmp")), [""; 0], "{when}: temporary files");
    }

    /// Asks a server everything with every canary, and looks at all it wrote.
    #[track_caller]
    fn sweep_server(&self, when: &str) {
        let mut server = Server::start(&self.home, &["--profile", "public", "--verbose"]);
        let texts: Vec<&str> = self.canaries.iter().map(String::as_str).collect();
        ask_all(&mut server, &texts);
        let ended = server.end();
        assert_eq!(ended.code, Some(0), "{when}");
        let place = self.home.path("").to_string_lossy().into_owned();
        for text in ended.lines.iter().chain([&ended.stderr]) {
            assert_eq!(self.found_in("what a server wrote", text), [""; 0], "{when}: {text}");
            assert!(!text.contains(&place), "{when}: {text}");
        }
        assert!(ended.stderr.contains("call"), "{when}: it logs: {}", ended.stderr);
    }

    /// Runs every command with a few canaries, and looks at all it wrote.
    #[track_caller]
    fn sweep_commands(&self, when: &str) {
        let mut commands: Vec<Vec<&str>> = vec![
            vec!["list"],
            vec!["list", "--json"],
            vec!["list", "--folders"],
            vec!["tags"],
            vec!["tags", "--json"],
            vec!["status"],
            vec!["status", "--json"],
            vec!["links", "Public"],
            vec!["search", "kettle", "river", "--full"],
            vec!["index"],
            OWNERS_REPORT.to_vec(),
        ];
        for canary in self.canaries.iter().step_by(7) {
            commands.push(vec!["search", canary]);
            commands.push(vec!["read", canary]);
            commands.push(vec!["links", "--json", canary]);
            commands.push(vec!["list", "--folder", canary]);
            commands.push(vec!["tags", canary]);
        }
        for command in commands {
            let mut output = self.home.run(&[&command[..], &["--profile", "public", "--verbose"]].concat());
            if command == OWNERS_REPORT {
                output.stdout = without_report(&output.json());
            }
            assert_eq!(self.found_in(command[0], output.transcript()), [""; 0], "{when}: {command:?}");
        }
    }

    #[track_caller]
    fn sweep(&self, when: &str) {
        self.sweep_server(when);
        self.sweep_commands(when);
        self.sweep_files(when);
    }
}

/// The one command that names private notes: it tells the owner which files are not in the index.
const OWNERS_REPORT: [&str; 3] = ["index", "--rebuild", "--json"];

fn without_report(answer: &Value) -> String {
    let mut answer = answer.clone();
    for tree in answer["trees"].as_array_mut().expect("a run tells of trees") {
        assert!(tree["skipped"].take().is_array());
    }
    answer.to_string()
}

/// Letters in front that an inverted index may leave out.
const TAIL: usize = 5;

/// A word that no analyser cuts and no text holds by chance.
fn canary(dice: &mut Dice) -> String {
    (0..13).map(|_| char::from(dice.choose(b"bcdfghjkmnpqrtvwxz"))).collect()
}

fn files_below(folder: &Path, but: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in names_in(folder).into_iter().map(|name| folder.join(name)).filter(|path| !but.contains(path))
    {
        if path.is_dir() { files.extend(files_below(&path, but)) } else { files.push(path) }
    }
    files
}

#[test]
fn no_canary_is_found_in_what_the_public_side_writes() {
    let aviary = Aviary::new();
    aviary.sweep("before there is an index");
    aviary.home.index();
    aviary.sweep("fresh index");
    aviary.home.json(&["index", "--rebuild"]);
    aviary.sweep("index built anew");
}

/// The sweep can fail: the full profile's answers and trees are full of canaries.
#[test]
fn the_sweep_sees_canaries_where_they_are() {
    let aviary = Aviary::new();
    aviary.home.index();
    let trees = aviary.home.tree_files("full");
    let in_trees = aviary.found_in_files(&trees).len();
    assert!(in_trees >= 5 * 8, "{in_trees}");
    let mut server = Server::start(&aviary.home, &["--profile", "full"]);
    let texts: Vec<&str> = aviary.canaries.iter().map(String::as_str).collect();
    let answers = ask_all(&mut server, &texts).concat();
    let in_answers = aviary.found_in("answers", answers).len();
    assert!(in_answers >= 5 * 12, "{in_answers} of {}", aviary.canaries.len());
}

/// Notes that carry canaries are public first; then they turn private, and one run later no byte is left.
#[test]
fn canaries_of_notes_that_turned_private_are_gone_after_the_next_run() {
    let aviary = Aviary::new();
    let rules = |rules: &str| {
        aviary.home.configure(&format!(
            "[vault]\npath = \"~/Notes\"\n[privacy]\n{rules}\n[embeddings]\nbackend = \"none\"\n"
        ));
    };
    for round in 0..2 {
        rules("");
        aviary.home.index();
        let shown = aviary.found_in_files(&aviary.home.tree_files("public")).len();
        assert!(shown >= 5 * 8, "the notes were public: {shown}");
        rules(RULES);
        aviary.sweep_server(&format!("turned private, round {round}"));
        aviary.home.index();
        aviary.sweep(&format!("turned private and brought up to date, round {round}"));
    }
}

#[test]
fn no_canary_is_found_after_a_kill_while_indexing() {
    let aviary = Aviary::new();
    for number in 0..200 {
        aviary.home.write_note(
            &format!("fill/{number}.md"),
            &format!("# Filler {number}\n\n{}", "oats ".repeat(150)),
        );
        aviary
            .home
            .write_note(&format!("journal/{number}.md"), &format!("{} rye", aviary.canaries[number % 60]));
    }
    let began = Instant::now();
    aviary.home.index();
    let whole_run = began.elapsed();
    let mut dice = Dice::new(7);
    for round in 0..12 {
        let mut command = aviary.home.command(&["index", "--rebuild", "--verbose"]);
        let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(whole_run.mul_f64(dice.below(100) as f64 / 100.0));
        run.kill().unwrap();
        run.wait().unwrap();
        aviary.sweep_files(&format!("kill {round}"));
    }
    aviary.home.index();
    aviary.sweep_files("after the kills");
}

#[test]
fn no_canary_is_found_after_a_kill_while_serving() {
    let aviary = Aviary::new();
    let mut dice = Dice::new(8);
    for round in 0..8 {
        for number in 0..60 {
            aviary.home.write_note(
                &format!("fill/{number}.md"),
                &format!("# Filler {number} {round}\n\nA kettle.\n"),
            );
            aviary
                .home
                .write_note(&format!("journal/{number}.md"), &format!("{} rye", aviary.canaries[number]));
        }
        let mut server = Server::start(&aviary.home, &["--verbose"]);
        for canary in aviary.canaries.iter().step_by(3) {
            server.send("tools/call", &json!({ "name": "search_vault", "arguments": { "query": canary } }));
            server.send("tools/call", &json!({ "name": "read_note", "arguments": { "path": canary } }));
        }
        // The run behind the first answers begins a second after the start, if there is an index.
        thread::sleep(Duration::from_millis(dice.below(1_300) as u64));
        let ended = server.kill();
        for text in ended.lines.iter().chain([&ended.stderr]) {
            assert_eq!(aviary.found_in("what a server wrote", text), [""; 0], "kill {round}");
        }
        aviary.sweep_files(&format!("kill {round}"));
    }
    aviary.home.index();
    aviary.sweep("after the kills");
}

/// Arguments that nobody can mean are refused without a word of theirs.
#[test]
fn refusals_do_not_repeat_what_was_asked() {
    let aviary = Aviary::new();
    let canary = &aviary.canaries[3];
    let mut server = Server::start(&aviary.home, &["--verbose"]);
    let answers: Vec<Value> = [
        json!({ "name": canary, "arguments": {} }),
        json!({ "name": "read_note", "arguments": canary }),
        json!({ "name": "read_note", "arguments": { "path": [canary] } }),
        json!({ "name": "search_vault", "arguments": { "query": canary, "mode": canary } }),
        json!({ "name": "list_notes", "arguments": { "cursor": canary } }),
    ]
    .iter()
    .map(|params| server.request("tools/call", params).unwrap())
    .map(|line| serde_json::from_str(&line).unwrap())
    .collect();
    for answer in answers {
        let is_refused = answer["error"].is_object() || answer["result"]["isError"] == json!(true);
        assert!(is_refused, "{answer}");
    }
    server.request(canary, &json!({})).unwrap();
    server.request("resources/read", &json!({ "uri": canary })).unwrap();
    let ended = server.end();
    for text in ended.lines.iter().chain([&ended.stderr]) {
        assert_eq!(aviary.found_in("a refusal", text), [""; 0], "{text}");
    }
}
