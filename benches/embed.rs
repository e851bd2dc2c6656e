//! Makes vectors when told to, and says how long it took; `evals/speed.py` tells it, in turns with another
//! runtime: `cargo bench --bench embed -- MODEL FOLDER COUNT`.
//!
//! Prints a line with the passages: `COUNT` of the notes below `FOLDER`, spread evenly and cut as an index cuts
//! them. Then answers each line `FIRST END` of its input, a range of them, with a line
//! `{"seconds": .., "vectors": [..]}`.
#![allow(clippy::disallowed_methods, reason = "a bench reads the folder it is given")]
#![allow(clippy::print_stdout, reason = "figures are its result")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot read its notes has failed")]

use std::io::stdin;
use std::path::{Path, PathBuf};
use std::time::Instant;

use obsearch::embed::{BuiltinEmbedder, BuiltinModel, Embedder};
use obsearch::index::Cut;
use serde_json::json;

fn main() {
    // Cargo adds an argument of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [model, folder, count] = &arguments[..] else { panic!("MODEL FOLDER COUNT") };
    let model = BuiltinModel::ALL.into_iter().find(|known| known.info().name == model).unwrap();
    let passages = passages_below(Path::new(folder), count.parse().unwrap());
    println!("{}", json!(passages));
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let embedder = BuiltinEmbedder::new(model);
    embedder.load().unwrap();
    for line in stdin().lines().map(Result::unwrap) {
        let (first, end) = line.split_once(' ').unwrap();
        let asked = &passages[first.parse().unwrap()..end.parse().unwrap()];
        let began = Instant::now();
        let vectors = embedder.embed_passages(asked).unwrap();
        println!("{}", json!({"seconds": began.elapsed().as_secs_f64(), "vectors": vectors}));
    }
}

fn passages_below(folder: &Path, count: usize) -> Vec<String> {
    let mut notes = Vec::new();
    collect_notes(folder, &mut notes);
    notes.sort();
    let all: Vec<String> = notes.iter().flat_map(|note| passages_of(note)).collect();
    (0..count.min(all.len())).map(|number| all[number * all.len() / count.min(all.len())].clone()).collect()
}

fn passages_of(note: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&std::fs::read(note).unwrap()).into_owned();
    let stem = note.file_stem().unwrap().to_string_lossy();
    Cut::new(&text, &stem).pieces().map(|piece| piece.embedding_text()).collect()
}

fn collect_notes(folder: &Path, notes: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_notes(&path, notes);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            notes.push(path);
        }
    }
}
