//! The referee: nothing that the public profile answers depends on a private note. A vault, the same
//! vault without its private notes, and the same vault with other private notes answer every request
//! byte for byte alike, over the wire and on the command line, before there is an index, with a fresh
//! one, with one that is older than what became private, and after it was brought up to date.
//!
//! A failure names its seed; `OBSEARCH_TEST_SEEDS` asks for more of them.
#![expect(clippy::disallowed_methods, reason = "a test changes the vault behind the index")]

mod changes;
mod emptied;
mod meaning;
mod notes;
pub(crate) mod offers;
pub(crate) mod script;
mod several;
mod terminal;
mod vaults;

use std::fs::File;
use std::ops::Add;
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use regex::Regex;
use serde_json::{Value, json};

use crate::common::{Dice, Home, at_once, seeds, without_mark};
use crate::server::Server;
use notes::Kind;
use offers::Offers;
use script::{Pools, Request, Script};
use vaults::{Extent, Vault};

/// Calls of tools in each phase of a seed; the fixed requests and the terminal's come on top.
const CALLS_PER_PHASE: usize = 16;
/// Requests for resources, prompts and completions in each phase.
const OFFERS_PER_PHASE: usize = 8;
/// A folder that changed this shortly ago is read again with every request.
const SETTLING: Duration = Duration::from_millis(120);

/// Seeds that are played at the same time: each of them mostly waits.
const GAMES_AT_ONCE: usize = 2;

/// A server that has an index brings it up to date by itself so long after its start.
const BEFORE_OWN_RUN: Duration = Duration::from_secs(1);

/// What was compared.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) requests: usize,
    /// Requests that found something to tell, as against refusals and errors.
    pub(crate) told: usize,
    /// Answers held against that of the vault without private notes.
    pub(crate) answers: usize,
    pub(crate) bytes: usize,
    /// Answers of a search with passages that were reached by a link.
    pub(crate) linked: usize,
}

impl Add for Figures {
    type Output = Figures;

    fn add(self, other: Figures) -> Figures {
        Figures {
            requests: self.requests + other.requests,
            told: self.told + other.told,
            answers: self.answers + other.answers,
            bytes: self.bytes + other.bytes,
            linked: self.linked + other.linked,
        }
    }
}

/// Plays one seed, every process with these environment variables. The error is the first difference.
pub(crate) fn check(seed: u64, environment: &[(&str, &str)]) -> Result<Figures, String> {
    let mut game = Game::new(seed, environment);
    let outcome = game.play();
    outcome.map(|()| game.figures).map_err(|difference| format!("seed {seed}, {difference}"))
}

/// The three vaults, the one without private notes first, and what is asked of them.
struct Game {
    seed: u64,
    dice: Dice,
    vault: Vault,
    homes: [Home; 3],
    pools: Pools,
    figures: Figures,
    /// The names of the vaults that each server has, this one last; none where it has this one alone.
    names: &'static [&'static str],
}

impl Game {
    fn new(seed: u64, environment: &[(&str, &str)]) -> Game {
        Game::over(Vault::new(seed), seed, environment)
    }

    fn over(vault: Vault, seed: u64, environment: &[(&str, &str)]) -> Game {
        let other = vault.with_other_secrets(seed);
        let home = |vault: &Vault, extent: Extent| {
            let mut home = empty_home();
            home.set_variables(environment);
            vault.write(&home, extent);
            home
        };
        let homes = [home(&vault, Extent::Public), home(&vault, Extent::Whole), home(&other, Extent::Whole)];
        other.shift_times_of_private_files(&homes[2]);
        let mut dice = Dice::new(seed ^ 0x0a5c);
        let pools = Pools::new(&vault, &mut dice);
        Game { seed, dice, vault, homes, pools, figures: Figures::default(), names: &[] }
    }

    fn play(&mut self) -> Result<(), String> {
        // Makes the store, so that there is a lock to hold.
        self.index(&["index", "--quiet", "--profile", "full"]);
        self.phase("no index")?;
        self.index(&["index", "--quiet"]);
        self.phase("fresh index")?;
        changes::make(&self.vault, &self.homes, self.seed);
        thread::sleep(SETTLING);
        self.phase("index older than what became private")?;
        self.reindex_through_the_server()?;
        // From here on a tree that has forgotten notes is held against one that never knew them.
        index(&self.homes[0], &["index", "--quiet", "--rebuild", "--profile", "public"]);
        self.phase("index brought up to date")?;
        self.assert_no_canary_in_public_trees()?;
        self.compare_ledgers()
    }

    fn index(&self, arguments: &[&str]) {
        self.homes.iter().for_each(|home| index(home, arguments));
    }

    /// Asks everything while no process may bring the index up to date behind the script's back.
    fn phase(&mut self, name: &str) -> Result<(), String> {
        let _locks: Vec<File> = self.homes.iter().flat_map(|home| home.hold_writer_locks("public")).collect();
        let mut servers = self.homes.each_ref().map(|home| Server::start(home, &[]));
        self.ask_servers(&mut servers).map_err(|difference| format!("{name}: {difference}"))?;
        for server in servers {
            let ended = server.end();
            let is_well = ended.code == Some(0) && !ended.stderr.contains("panicked");
            if !is_well {
                return Err(format!("{name}: the server ended with {:?}: {}", ended.code, ended.stderr));
            }
        }
        self.ask_commands().map_err(|difference| format!("{name}: {difference}"))
    }

    /// Each command in the home without private notes and in one of the others, for the sake of time.
    fn ask_commands(&mut self) -> Result<(), String> {
        let choice = self.names.last().map(|name| ["--vault-name".to_owned(), (*name).to_owned()]);
        for (number, command) in terminal::commands(&mut self.dice, &self.vault).iter().enumerate() {
            let command = &choice.iter().flatten().chain(command).cloned().collect::<Vec<_>>();
            let [expected, found] =
                [0, 1 + number % 2].map(|which| terminal::answer(&self.homes[which], command));
            self.compare(&[Some(expected), Some(found)], &format!("{command:?}"))?;
        }
        Ok(())
    }

    fn ask_servers(&mut self, servers: &mut [Server; 3]) -> Result<(), String> {
        servers.iter_mut().try_for_each(|server| await_the_end_of_background_runs(server, self.names))?;
        let hellos = servers.each_ref().map(|server| Some(server.hello.clone()));
        self.compare(&hellos, "initialize")?;
        script::check_capabilities(&parsed(&servers[0].hello))?;
        let listed = servers[0].request("tools/list", &json!({})).ok_or("tools/list is not answered")?;
        for server in &mut servers[1..] {
            server.request("tools/list", &json!({}));
        }
        let script = Script::new(&parsed(&listed))?;
        let all = [script.names(true), script.names(false)].concat();
        for count in [CALLS_PER_PHASE / 2, CALLS_PER_PHASE - CALLS_PER_PHASE / 2] {
            let calls = script.calls(&all, count, &self.pools, &mut self.dice)?;
            let answers = self.ask(servers, &calls)?;
            self.pools.add_cursors(&answers, &mut self.dice);
        }
        let lists = offers::LISTS.map(|method| Request { method, params: json!({}) });
        let lists = self.ask(servers, &lists)?;
        let offers = Offers::new(&parsed(&lists[0]), &parsed(&lists[1]))?;
        for count in [OFFERS_PER_PHASE / 2, OFFERS_PER_PHASE - OFFERS_PER_PHASE / 2] {
            let requests = offers.requests(count, &self.pools, &mut self.dice);
            let answers = self.ask(servers, &requests)?;
            self.pools.add_cursors(&answers, &mut self.dice);
        }
        self.ask(servers, &script::fixed_requests()).map(drop)
    }

    /// Sends all requests at once, compares the answers, and gives those of the first server.
    fn ask(&mut self, servers: &mut [Server; 3], requests: &[Request]) -> Result<Vec<String>, String> {
        let ids = servers.each_mut().map(|server| {
            requests.iter().map(|request| server.send(request.method, &request.params)).collect::<Vec<_>>()
        });
        let mut answers = Vec::new();
        for (number, request) in requests.iter().enumerate() {
            let mut of = ids.iter().map(|ids| ids[number]);
            let lines =
                servers.each_mut().map(|server| server.answer(of.next().expect("one list for each server")));
            self.compare(&lines, &format!("{} {}", request.method, request.params))?;
            answers.extend(lines.into_iter().next().flatten());
        }
        Ok(answers)
    }

    /// The first answer is that of the home that cannot know of anything private.
    fn compare(&mut self, answers: &[Option<String>], request: &str) -> Result<(), String> {
        let mut answers = answers.iter().map(|answer| answer.as_deref().map(masked));
        let Some(expected) = answers.next().flatten() else {
            return Err(format!("{request} is not answered"));
        };
        self.figures.requests += 1;
        self.figures.told += usize::from(tells(&expected));
        self.figures.linked += usize::from(expected.contains("\"via\":\""));
        for found in answers {
            self.figures.answers += 1;
            self.figures.bytes += expected.len();
            if found.as_ref() != Some(&expected) {
                let found = found.unwrap_or_else(|| "no answer".to_owned());
                return Err(format!(
                    "{request}\n  without private notes: {expected}\n  with private notes: {found}"
                ));
            }
        }
        Ok(())
    }

    /// `reindex_vault` with no lock held: what it tells to have done is the same as well.
    fn reindex_through_the_server(&mut self) -> Result<(), String> {
        let mode = self.dice.choose(&["incremental", "full"]);
        let mut params = json!({ "name": "reindex_vault", "arguments": { "mode": mode } });
        if let Some(name) = self.names.last() {
            params["arguments"]["vault"] = json!(name);
        }
        let began = Instant::now();
        let answers = self.homes.each_ref().map(|home| answer_when_free(home, &params));
        if began.elapsed() >= BEFORE_OWN_RUN {
            eprintln!("seed {}: too slow to tell whose run did what", self.seed);
            return Ok(());
        }
        self.compare(&answers, &format!("{params}")).map_err(|difference| format!("reindex: {difference}"))
    }

    /// What was recorded of all these answers. Requests are answered several at once, and how often a server was asked
    /// for its status before it was ready is chance.
    fn compare_ledgers(&mut self) -> Result<(), String> {
        let ledgers = self.homes.each_ref().map(|home| {
            let lines = home.read(".config/obsearch/ledger/00000001.jsonl");
            let records = lines.lines().map(parsed).filter(|record| record["call"] != "index_status");
            let record =
                |record: Value| format!("{} {} {}", record["call"], record["profile"], record["notes"]);
            let mut records: Vec<String> = records.map(record).collect();
            records.sort();
            Some(records.join("\n"))
        });
        self.compare(&ledgers, "the ledger")
    }

    fn assert_no_canary_in_public_trees(&self) -> Result<(), String> {
        for home in &self.homes {
            let found = home.words_in_tree("public", &["qzcanary"]);
            if !found.is_empty() {
                return Err(format!("the public tree of {} holds a canary", home.vault().display()));
            }
        }
        Ok(())
    }
}

fn empty_home() -> Home {
    let home = Home::with_vault(&[], "");
    home.configure(&configuration("[embeddings]\nbackend = \"none\""));
    home
}

fn configuration(embeddings: &str) -> String {
    let max_note_bytes = notes::MAX_NOTE_BYTES;
    let rules = notes::RULES;
    format!(
        "[vault]\npath = \"~/Notes\"\nmax_note_bytes = {max_note_bytes}\n[privacy]\n{rules}\n\
         [server]\nallow_reindex = true\n{embeddings}\n"
    )
}

/// With the lock held elsewhere they end at once; until then, `index_status` may say that they go on.
fn await_the_end_of_background_runs(server: &mut Server, names: &[&str]) -> Result<(), String> {
    let each = names.iter().map(|name| json!({ "vault": name })).collect::<Vec<_>>();
    let choices = if names.is_empty() { vec![json!({})] } else { each };
    let mut is_indexing = |choice: &Value| {
        let status = server.call("index_status", choice);
        status["result"]["structuredContent"]["state"] == "indexing"
    };
    let mut tries = 0..500;
    while choices.iter().any(&mut is_indexing) {
        tries.next().ok_or("the background run does not end")?;
        thread::sleep(Duration::from_millis(2));
    }
    // The same number of requests to all servers: answers carry their numbers.
    server.skip_to_id(1_000);
    Ok(())
}

/// Indexes. A lock that a test has let go of is held a moment longer by a process that another test is just
/// starting: it has a copy of every open file until it becomes another program.
fn index(home: &Home, arguments: &[&str]) {
    let tries = std::iter::repeat_with(|| home.run(arguments)).take(50);
    let is_locked = |output: &crate::common::Output| output.stderr.contains("Another obsearch is writing");
    let mut tries = tries.inspect(|output| {
        if is_locked(output) {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let output = tries.find(|output| !is_locked(output)).expect("the lock is free at some time");
    assert_eq!(output.code, Some(0), "{output:?}");
}

/// The answer of a fresh server, asked again while its own background run holds the lock.
fn answer_when_free(home: &Home, params: &Value) -> Option<String> {
    for _ in 0..200 {
        let mut server = Server::start(home, &[]);
        let answer = server.request("tools/call", params)?;
        if !answer.contains("the index is busy") {
            return Some(answer);
        }
        server.end();
        thread::sleep(Duration::from_millis(20));
    }
    None
}

/// Is it an answer from the vault, and no refusal?
fn tells(answer: &str) -> bool {
    ["\"isError\":false", "\"resources\":[{", "\"contents\":[{", "\"values\":[\""]
        .iter()
        .any(|mark| answer.contains(mark))
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// Without the three things that differ between any two runs: the mark of an answer, when the index last saw the vault, and
/// how long a run took.
fn masked(answer: &str) -> String {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| {
        let moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ";
        Regex::new(&format!(r#"{moment}|"seconds": ?[0-9.e-]+|in the index after [0-9.]+ s:"#))
            .expect("it is a pattern")
    });
    TIMES.replace_all(&without_mark(answer), "[time]").into_owned()
}

#[test]
fn private_notes_change_no_answer() {
    let began = Instant::now();
    let sum = Mutex::new((Figures::default(), 0));
    at_once(GAMES_AT_ONCE, seeds(50), |seed| {
        let figures = check(seed, &[]).unwrap_or_else(|difference| panic!("{difference}"));
        let mut sum = sum.lock().unwrap();
        *sum = (sum.0 + figures, sum.1 + 1);
    });
    let (total, count) = sum.into_inner().unwrap();
    // A script that only asks for what is refused would prove nothing.
    assert!(total.told * 5 > total.requests, "{total:?}");
    assert!(count < 20 || total.linked > 0, "no link was followed: {total:?}");
    eprintln!("{count} seeds, {total:?}, all alike, in {:.1?}", began.elapsed());
}

/// The vaults are what they should be: enough of each kind, and as many public notes as the server sees.
#[test]
fn the_vaults_hold_private_notes_of_every_kind() {
    let vaults: Vec<Vault> = (0..12).map(Vault::new).collect();
    let of_kind = |kind: Kind| {
        vaults.iter().flat_map(|vault| &vault.objects).filter(|object| object.hidden == Some(kind)).count()
    };
    for kind in Kind::ALL {
        assert!(of_kind(kind) >= 4, "{kind:?}: {}", of_kind(kind));
    }
    for vault in vaults.iter().chain(&[vaults[0].with_other_secrets(0), vaults[1].with_other_secrets(1)]) {
        let home = empty_home();
        vault.write(&home, Extent::Whole);
        let mut expected: Vec<&str> = vault.public_notes().map(|object| &*object.path).collect();
        expected.sort_unstable();
        let hidden = vault.objects.iter().filter(|object| object.hidden.is_some()).count();
        assert!(expected.len() >= 8 && hidden >= 8, "{} public, {hidden} private", expected.len());
        home.index();
        assert_eq!(home.listed(&[]), expected);
    }
}

/// It can fail: two vaults that differ in a public note are told apart.
#[test]
fn a_public_difference_is_seen() {
    let mut game = Game::new(3, &[]);
    let note = game.vault.public_notes().next().expect("there are public notes").path.clone();
    game.homes[1].write_note(&note, "# Changed\n\nriver stone bread lamp chair\n");
    let difference = game.play().expect_err("a changed public note shows");
    assert!(difference.contains("without private notes"), "{difference}");
}

/// It can fail: a capability or a type that nobody taught it is an error.
#[test]
fn what_the_script_does_not_know_is_an_error() {
    let hello = json!({ "result": { "capabilities": { "tools": {}, "tasks": {} } } });
    assert!(script::check_capabilities(&hello).expect_err("it is unknown").contains("`tasks`"));
    let template = json!({ "result": { "resourceTemplates": [{ "uriTemplate": "x://{a}/{b}" }] } });
    let prompts = json!({ "result": { "prompts": [{ "name": "one" }] } });
    assert!(Offers::new(&template, &prompts).is_err_and(|error| error.contains("variable")));
    let schema = json!({ "properties": { "when": { "type": "duration" } }, "required": ["when"] });
    let listed = json!({ "result": { "tools": [{ "name": "new", "inputSchema": schema }] } });
    let script = Script::new(&listed).expect("there is a tool");
    let mut dice = Dice::new(0);
    let pools = Pools::new(&Vault::new(0), &mut dice);
    assert!(script.calls(&["new"], 1, &pools, &mut dice).expect_err("it is unknown").contains("`when`"));
}
