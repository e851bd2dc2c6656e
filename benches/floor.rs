//! The least that an index of words has to do: reads all notes below a folder, hashes them with BLAKE3 and parses them
//! with pulldown-cmark, on one thread: `cargo bench --bench floor -- FOLDER`. Prints `{"notes": .., "seconds": ..}`;
//! `evals/scale.py` holds `obsearch index` against it, in turns.
#![allow(clippy::disallowed_methods, reason = "a bench reads the folder it is given")]
#![allow(clippy::print_stdout, reason = "figures are its result")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot read its notes has failed")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

fn main() {
    // Cargo adds an argument of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let folder = arguments.first().map_or("examples/vault", String::as_str);
    let began = Instant::now();
    let notes = below(Path::new(folder));
    println!("{}", json!({ "notes": notes, "seconds": began.elapsed().as_secs_f64() }));
}

/// Reads, hashes and parses what is below a folder; how many notes that were.
fn below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_note = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    entries
        .map(|path| match path.is_dir() {
            true => below(&path),
            false if is_note(&path) => note(&path),
            false => 0,
        })
        .sum()
}

fn note(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    black_box(blake3::hash(&bytes));
    let text = String::from_utf8_lossy(&bytes);
    black_box(pulldown_cmark::Parser::new_ext(&text, pulldown_cmark::Options::all()).count());
    1
}
