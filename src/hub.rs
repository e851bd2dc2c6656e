//! The folder of models that were fetched: what is in it, whether it is whole, and how more comes into it.
//!
//! Invariant: the network is used by [`pull`] alone, which the owner calls by name; a model gets its final name
//! only once every file of it is there and is what the sender says it is.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the folder of models, which configuration keeps out of the vault"
)]

mod pull;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::embed::{GRAPHS, TOKENIZER};

pub use pull::{Pull, PullError, Pulling, pull};

/// The file that says what the others should be: a line for each, SHA-256 and name, as `sha256sum` writes it.
const SUMS: &str = "SHA256SUMS";
/// Ends the names of folders that are being filled.
const UNFINISHED: &str = ".part";

/// A model in the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fetched {
    /// `owner/model`.
    pub name: String,
    /// Where it is.
    pub folder: PathBuf,
    /// All its files.
    pub bytes: u64,
    /// Whether it can be used.
    pub state: State,
}

/// Whether a model can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its files are there; [`verify`] tells more.
    Present,
    /// `obsearch model pull` was interrupted and goes on from there.
    Unfinished,
    /// Its graph or its tokenizer is missing.
    Incomplete,
}

/// What a look at every byte of a model found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every file is what it was when it was fetched.
    Intact,
    /// Nothing says what the files should be: they were copied here by hand.
    Unknown,
    /// These files are missing or were changed.
    Changed(Vec<String>),
}

/// The models in this folder, ordered by name. A folder that is not there has none.
pub fn list(models: &Path) -> io::Result<Vec<Fetched>> {
    let entries = match fs::read_dir(models) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(describe(&entry.path(), &entry.file_name().to_string_lossy()));
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn describe(folder: &Path, file_name: &str) -> Fetched {
    let has = |name: &str| folder.join(name).is_file();
    let state = if file_name.ends_with(UNFINISHED) {
        State::Unfinished
    } else if has(TOKENIZER) && GRAPHS.iter().any(|name| has(name)) {
        State::Present
    } else {
        State::Incomplete
    };
    let name = file_name.trim_end_matches(UNFINISHED).replace("--", "/");
    Fetched { name, folder: folder.to_owned(), bytes: size(folder), state }
}

/// Of all files below a folder; what cannot be read counts nothing.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size_of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size_of).sum()
}

/// Reads every file of a model and compares it with what is written of it.
pub fn verify(folder: &Path) -> io::Result<Verdict> {
    let sums = match fs::read_to_string(folder.join(SUMS)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Verdict::Unknown),
        sums => sums?,
    };
    let mut changed = Vec::new();
    for (expected, name) in sums.lines().filter_map(|line| line.split_once("  ")) {
        if pull::is_inside(name) && sha256(&folder.join(name)).is_ok_and(|found| found == expected) {
            continue;
        }
        changed.push(name.to_owned());
    }
    Ok(if changed.is_empty() { Verdict::Intact } else { Verdict::Changed(changed) })
}

/// In hexadecimal digits.
fn sha256(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&buffer[..read]);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"))
}
