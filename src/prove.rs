//! Shows the owner, on the owner's own rules and folders, that the wall holds: two throw-away vaults,
//! one with private notes full of words that exist nowhere else and one without them, must answer every
//! request byte for byte alike, and none of those words may stand in any answer, log line or byte of the
//! public index. The real server runs as a process of its own, as a client would start it.
//!
//! Nothing of the owner's notes is copied but their names; every text is made up.

mod client;
mod home;
mod plant;
mod report;
mod script;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

pub use report::{Evidence, Phase, Report};

use client::Client;
use home::Home;
use plant::Tokens;

use crate::vault::{RuleError, RuleText};

/// How soon a running server must have erased a note that it met as private.
const ERASED_WITHIN: Duration = Duration::from_secs(2);

/// How the name of a proof's folder begins; the number of its process follows.
pub const FOLDER_PREFIX: &str = "proof-";

/// What a proof is made of.
pub struct Exhibit {
    /// The program to be tested.
    pub executable: PathBuf,
    /// A folder for the throw-away vaults, named after [`FOLDER_PREFIX`]; it is created, and removed at the
    /// end. What a killed proof left beside it is removed too.
    pub folder: PathBuf,
    /// The text of the owner's configuration for a vault at this path.
    pub configuration: Box<dyn Fn(&std::path::Path) -> String>,
    /// The owner's rules.
    pub rules: RuleText,
    /// The entries of Obsidian's excluded files.
    pub excluded: Vec<String>,
    /// Names of notes of the owner's vault.
    pub names: Vec<String>,
}

/// A proof that could not be carried through: neither passed nor failed.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The throw-away vaults cannot be made.
    #[error("the throw-away vaults cannot be made: {0}")]
    Io(#[from] io::Error),
    /// The rules, which the configuration has accepted before, are not valid.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// The server or the indexing did not work.
    #[error("the program under test failed: {0}")]
    Program(String),
}

/// Runs the proof; `tell` hears what is being done.
pub fn run(exhibit: &Exhibit, tell: &dyn Fn(&str)) -> Result<Report, ProveError> {
    home::remove_leftovers(&exhibit.folder)?;
    let mut tokens = Tokens::new();
    let planted = plant::notes(exhibit, &mut tokens);
    let mut report = Report::new(planted.not_exercised.clone());
    let with = Home::create(exhibit, "with", &planted.notes)?;
    let kept = with.public_remainder(exhibit, &planted.notes)?;
    let without = Home::create(exhibit, "without", &kept)?;
    report.notes = planted.notes.len();
    report.private = planted.notes.len() - kept.len();
    tell("indexing two throw-away vaults");
    with.index(exhibit)?;
    without.index(exhibit)?;
    let mut servers = [Client::start(exhibit, &with)?, Client::start(exhibit, &without)?];
    let flipped = plant::flips(exhibit, &planted.notes, &kept, &mut tokens);
    let flipping = flipped.iter().map(|flip| flip.path.clone());
    let requests = script::requests(&mut servers[0], &planted.notes, flipping.collect(), &exhibit.rules)?;

    tell("asking both servers everything");
    let mut canaries = plant::private_words(&planted.notes, &kept);
    report.canaries = canaries.len();
    let mut fresh = ask(&mut servers, &requests, "fresh index", Comparison::Exact, &canaries)?;
    fresh.expect_hidden(&planted.notes, &kept);
    fresh.look_at_ledgers(&with, &without, &canaries)?;
    report.phases.push(fresh.with_bytes(&with, &canaries)?);

    tell("making public notes private under the running server");
    // What is gone is asked for first, and by name: the server refreshes its index at the first note it misses, and
    // soon by itself. What is asked for first is changed last, so that no refresh comes between.
    let mut requests = requests;
    requests.sort_by_cached_key(|(_, parameters)| {
        let asked = parameters.to_string();
        let position = flipped.iter().position(|flip| asked.contains(&flip.path)).unwrap_or(flipped.len());
        (position, parameters["name"] != "read_note")
    });
    for flip in flipped.iter().rev() {
        without.remove(&flip.path)?;
        with.flip(flip)?;
    }
    canaries.extend(flipped.iter().flat_map(|note| note.canaries.iter().cloned()));
    report.flipped = flipped.len();
    let stale = ask(&mut servers, &requests, "index older than the notes", Comparison::WordsOnly, &canaries)?;
    report.phases.push(stale);
    std::thread::sleep(ERASED_WITHIN);
    let erased = ask(&mut servers, &requests, "two seconds later", Comparison::Exact, &canaries)?;
    report.phases.push(erased.with_bytes(&with, &canaries)?);
    for (server, name) in servers.into_iter().zip(["with", "without"]) {
        let log = server.stop()?;
        report.scan_log(name, &log, &canaries);
    }
    Ok(report.judged())
}

/// What a phase looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// The answers must be equal, byte for byte.
    Exact,
    /// Only that no private word is told: statistics may lag behind until the index is refreshed.
    WordsOnly,
}

fn ask(
    servers: &mut [Client; 2],
    requests: &[(String, Value)],
    name: &'static str,
    comparison: Comparison,
    canaries: &[String],
) -> Result<Phase, ProveError> {
    let mut phase = Phase::new(name);
    for (method, parameters) in requests {
        let [with, without] = servers;
        let answer = with.ask(method, parameters)?;
        phase.requests += 1;
        let place = format!("{method} {parameters}");
        // A prompt holds the words of whoever asks for it, and nothing of a note: those words tell nothing.
        let is_own = |canary: &&String| method == "prompts/get" && place.contains(&***canary);
        let told: Vec<String> = canaries.iter().filter(|canary| !is_own(canary)).cloned().collect();
        phase.scan(&place, &answer, &told);
        if comparison == Comparison::Exact {
            phase.compare(&place, &answer, &without.ask(method, parameters)?);
        }
    }
    Ok(phase)
}
