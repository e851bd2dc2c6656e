//! What the words leg costs beside the OR of all words, in one run and in turns, and how many of the ten best are the
//! same: `cargo bench --bench words -- TREE NOTES`, where `TREE` is a `gen-N.db` of the index (public) and `NOTES` the
//! vault it was made from. The questions are the first ten words of 200 sentences of the notes.
#![allow(clippy::disallowed_methods, reason = "a bench reads the folder it is given")]
#![allow(clippy::print_stdout, reason = "figures are its result")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot read its notes has failed")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use obsearch::index::{ChunkId, Tree};
use obsearch::search::{Breadth, find_by_words};
use obsearch::vault::Profile;

const QUESTIONS: usize = 200;
const WORDS: usize = 10;
const TURNS: usize = 3;
/// As a search asks for.
const DEPTH: usize = 100;

fn main() {
    // Cargo adds an argument of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [tree, notes] = &arguments[..] else {
        return println!("give TREE and NOTES: see the head of the file");
    };
    let identity = Path::new(tree).ancestors().nth(2).unwrap().join("identity");
    let identity = std::fs::read_to_string(identity).unwrap();
    let id = identity.lines().next().unwrap();
    let tree = Tree::open(Path::new(tree), Profile::Public, id).unwrap();
    println!("{} passages", tree.passage_count().unwrap());
    let (mut pruned, mut whole, mut same) = (Vec::new(), Vec::new(), 0);
    for question in questions(Path::new(notes)) {
        let find = |breadth| {
            let began = Instant::now();
            let found = find_by_words(&tree, &question, DEPTH, breadth).unwrap();
            (began.elapsed().as_secs_f64() * 1000.0, found)
        };
        let fastest = |breadth| {
            (0..TURNS).map(|_| find(breadth)).min_by(|one, other| one.0.total_cmp(&other.0)).unwrap()
        };
        let (one, other) = (fastest(Breadth::TellingWords), fastest(Breadth::EveryWord));
        pruned.push(one.0);
        whole.push(other.0);
        let ten = |found: &[(ChunkId, f64)]| found.iter().take(10).map(|(id, _)| *id).collect::<HashSet<_>>();
        same += ten(&one.1).intersection(&ten(&other.1)).count();
    }
    let ratio = median(&mut pruned) / median(&mut whole);
    println!("words leg   p50 {:.2} ms", median(&mut pruned));
    println!("every word  p50 {:.2} ms, ratio 1/{:.1}", median(&mut whole), 1.0 / ratio);
    println!("of the ten best the same: {:.3}", same as f64 / (10 * pruned.len()) as f64);
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The beginnings of sentences, one of each of so many notes, spread evenly.
fn questions(notes: &Path) -> Vec<String> {
    let mut files = Vec::new();
    collect(notes, &mut files);
    files.sort();
    let step = (files.len() / (QUESTIONS * 2)).max(1);
    let sentence = |file: &PathBuf| -> Option<String> {
        let text = std::fs::read_to_string(file).ok()?;
        let words = |sentence: &str| sentence.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let long = text.split(['.', '\n']).map(words).filter(|words| words.len() >= WORDS).nth(1)?;
        Some(long[..WORDS].join(" ").replace('"', ""))
    };
    files.iter().step_by(step).filter_map(sentence).take(QUESTIONS).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            collect(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            files.push(entry);
        }
    }
}
