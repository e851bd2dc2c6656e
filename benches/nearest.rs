//! What the nearest neighbours of a question cost among many passages: `cargo bench --bench nearest -- [COUNT [NOTES]]`.
//!
//! In one run and in turns: a flat loop over all vectors on one core, which is what memory allows; obsearch, warm as in
//! a server and cold as on the command line; and sqlite-vec's own search of the same file. Then how many of the exact
//! nearest, by vectors of floats, obsearch finds. The vectors are mixtures of real ones: of the passages of the notes
//! below the folder NOTES (a sample of 3,000), in the English model.
#![allow(clippy::disallowed_methods, reason = "a bench reads the folder it is given")]
#![allow(clippy::print_stdout, reason = "figures are its result")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot prepare its tree has failed")]

use std::collections::HashSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use obsearch::embed::{BuiltinEmbedder, BuiltinModel, Embedder};
use obsearch::index::{ChunkId, Cut, Filter, Header, NoteRecord, Tree, Writer};
use obsearch::vault::{FileStat, Profile};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use rusqlite::Connection;

const DIMENSIONS: usize = 384;
const LARGEST_COMPONENT: f64 = 0.25;
const QUESTIONS: usize = 40;
const SAMPLE: usize = 3_000;

fn main() {
    // Cargo adds an argument of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let count: usize = arguments.first().map_or(20_000, |count| count.parse().unwrap());
    let notes = arguments.get(1).map_or("examples/vault", String::as_str);
    let mut mixer = Mixer { real: real_vectors(Path::new(notes)), state: 7 };
    let vectors: Vec<Vec<f32>> = (0..count).map(|_| mixer.mixture()).collect();
    let questions: Vec<Vec<f32>> = (0..QUESTIONS).map(|_| mixer.mixture()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen-000001.db");
    let ids = build(&path, &vectors);
    println!("{count} vectors of {DIMENSIONS} components, mixed from {} passages\n", mixer.real.len());

    let flat: Vec<i8> = vectors.iter().flat_map(|vector| vector.iter().map(|value| byte(*value))).collect();
    let warm = open(&path);
    let raw = Connection::open(&path).unwrap();
    let mut times = Times::default();
    for question in &questions {
        times.take("flat loop, one core", || drop(black_box(flat_loop(&flat, question))));
        for limit in [50, 200] {
            times.take(&format!("obsearch, warm, {limit}"), || {
                drop(black_box(nearest(&warm, question, limit)));
            });
            times.take(&format!("obsearch, cold, {limit}"), || {
                drop(black_box(nearest(&open(&path), question, limit)));
            });
            times.take(&format!("sqlite-vec, {limit}"), || sqlite_vec(&raw, question, limit));
        }
    }
    times.print("flat loop, one core");
    let recall = |limit| {
        let found = |question: &Vec<f32>| {
            let exact: HashSet<ChunkId> =
                exact(&vectors, question, limit).iter().map(|at| ids[*at]).collect();
            nearest(&warm, question, limit).iter().filter(|(id, _)| exact.contains(id)).count()
        };
        questions.iter().map(found).sum::<usize>() as f64 / (limit * QUESTIONS) as f64
    };
    println!("\nfound of the exact nearest: {:.4} of 50, {:.4} of 200", recall(50), recall(200));
}

/// Mixtures of real vectors, the same in every run.
struct Mixer {
    real: Vec<Vec<f32>>,
    state: u64,
}

impl Mixer {
    fn next(&mut self) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.state >> 33).unwrap()
    }

    /// A unit vector between two real ones, with a third in small part.
    fn mixture(&mut self) -> Vec<f32> {
        let weights = [1.0, (self.next() % 100) as f32 / 100.0, 0.2];
        let parts: Vec<usize> = weights.iter().map(|_| self.next() % self.real.len()).collect();
        let component = |at: usize| -> f32 {
            parts.iter().zip(weights).map(|(part, weight)| self.real[*part][at] * weight).sum()
        };
        unit(&(0..DIMENSIONS).map(component).collect::<Vec<f32>>())
    }
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn real_vectors(notes: &Path) -> Vec<Vec<f32>> {
    let mut files = Vec::new();
    collect(notes, &mut files);
    files.sort();
    let step = files.len().div_ceil(SAMPLE).max(1);
    let texts: Vec<String> =
        files.iter().step_by(step).flat_map(|file| passages(file)).take(SAMPLE).collect();
    let embedder = BuiltinEmbedder::new(BuiltinModel::English);
    embedder.load().unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.chunks(32).flat_map(|round| embedder.embed_passages(round).unwrap()).collect()
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

fn passages(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    Cut::new(&text, "note").pieces().map(|piece| piece.embedding_text()).collect()
}

/// A tree with a passage for each vector; their numbers in order.
fn build(path: &Path, vectors: &[Vec<f32>]) -> Vec<ChunkId> {
    let header = Header {
        profile: Profile::Public,
        vault_id: "0".to_owned(),
        model: Some("mixed".to_owned()),
        dimensions: DIMENSIONS,
        largest_component: LARGEST_COMPONENT,
        chunker: 1,
        analyser: 1,
        rules: String::new(),
        complete: true,
        indexed_at: None,
    };
    let mut writer = Writer::create(path, &header).unwrap();
    let stat = FileStat { size: 0, modified_ns: 0, changed_ns: 0, inode: 0 };
    writer
        .transaction(|writer| {
            for number in 0..vectors.len() {
                let (path, text) = (format!("{number}.md"), format!("word{number}"));
                writer.put_note(&NoteRecord::new(&path, &path, &Cut::new(&text, &path), [0; 16], stat))?;
            }
            let waiting = writer.pending(0, vectors.len())?;
            for (pending, vector) in waiting.iter().zip(vectors) {
                writer.put_vector(pending.chunk, &writer.tree().quantised(vector).unwrap())?;
            }
            Ok(waiting.iter().map(|pending| pending.chunk).collect())
        })
        .unwrap()
}

fn open(path: &Path) -> Tree {
    Tree::open(path, Profile::Public, "0").unwrap()
}

fn nearest(tree: &Tree, question: &[f32], limit: usize) -> Vec<(ChunkId, f64)> {
    tree.nearest(question, &Filter::default(), limit).unwrap()
}

fn sqlite_vec(connection: &Connection, question: &[f32], limit: usize) {
    let sql = "SELECT rowid, distance FROM vectors WHERE embedding MATCH vec_int8(?1) AND k = ?2";
    let mut query = connection.prepare_cached(sql).unwrap();
    let bytes: Vec<u8> = question.iter().map(|value| byte(*value).cast_unsigned()).collect();
    let rows = query.query_map((bytes, i64::try_from(limit).unwrap()), |row| row.get::<_, i64>(0));
    assert_eq!(black_box(rows.unwrap().count()), limit);
}

#[allow(clippy::cast_possible_truncation, reason = "clamped to the range of a byte first")]
fn byte(component: f32) -> i8 {
    (f64::from(component) * 127.0 / LARGEST_COMPONENT).round().clamp(-127.0, 127.0) as i8
}

/// The products of all vectors with a question, nothing else.
fn flat_loop(flat: &[i8], question: &[f32]) -> Vec<i32> {
    let question: Vec<i8> = question.iter().map(|value| byte(*value)).collect();
    let mut products = vec![0; flat.len() / DIMENSIONS];
    Flat { vectors: flat, question: &question, products: &mut products }.dispatch();
    products
}

struct Flat<'a> {
    vectors: &'a [i8],
    question: &'a [i8],
    products: &'a mut [i32],
}

impl SimdOp for Flat<'_> {
    type Output = ();

    #[allow(clippy::inline_always, reason = "compiled into a function for each set of instructions")]
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        for (vector, product) in self.vectors.chunks_exact(DIMENSIONS).zip(self.products) {
            *product = vector
                .iter()
                .zip(self.question)
                .map(|(one, other)| i32::from(*one) * i32::from(*other))
                .sum();
        }
    }
}

/// The places of the exact nearest, by the products of floats.
fn exact(vectors: &[Vec<f32>], question: &[f32], limit: usize) -> Vec<usize> {
    let product =
        |vector: &Vec<f32>| vector.iter().zip(question).map(|(one, other)| one * other).sum::<f32>();
    let mut scored: Vec<(f32, usize)> =
        vectors.par_iter().enumerate().map(|(at, vector)| (product(vector), at)).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.truncate(limit);
    scored.into_iter().map(|(_, at)| at).collect()
}

/// Milliseconds by name, in the order in which names came.
#[derive(Default)]
struct Times(Vec<(String, Vec<f64>)>);

impl Times {
    fn take(&mut self, name: &str, run: impl FnOnce()) {
        let began = Instant::now();
        run();
        let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, times)) => times.push(milliseconds),
            None => self.0.push((name.to_owned(), vec![milliseconds])),
        }
    }

    /// Medians, and their ratio to that of this name.
    fn print(mut self, floor: &str) {
        for (_, times) in &mut self.0 {
            times.sort_by(f64::total_cmp);
        }
        let median = |times: &[f64]| times[times.len() / 2];
        let floor = self.0.iter().find(|(name, _)| name == floor).map_or(1.0, |(_, times)| median(times));
        println!("| | p50 ms | p95 ms | to the flat loop |\n| --- | --- | --- | --- |");
        for (name, times) in &self.0 {
            let p95 = times[times.len() * 95 / 100];
            println!("| {name} | {:.2} | {p95:.2} | {:.2} |", median(times), median(times) / floor);
        }
    }
}
