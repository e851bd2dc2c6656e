//! Measures retrieval: the questions of an evaluation set, asked of the real service over a vault,
//! in one process so that a model is loaded once. Prints one row per mode. Reads no note itself.
//!
//! ```text
//! cargo run --release --example retrieval -- --set FOLDER --data FOLDER
//! ```
//!
//! A set is a folder with `vault/` and `evals.jsonl`, one question per line:
//! `{"id", "query", "expectedSources": [paths], "grades": {path: gain}}`. A note that is named but
//! not graded has gain 1. Questions without an expected source have no answer in the vault; they
//! are timed, not scored.
#![expect(clippy::print_stdout, reason = "a table on standard output is what this program is for")]

use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use obsearch::embed::{BuiltinModel, BuiltinModels, ModelPolicy};
use obsearch::ops::search::{Mode, SearchRequest};
use obsearch::ops::{Caller, Service, Settings};
use obsearch::sync::{self, Silent};
use obsearch::vault::{FixedRules, Profile, RuleText, Rules};
use serde::Deserialize;

/// Notes looked at per question: the cut-off of MRR and nDCG.
const DEPTH: usize = 10;
const MODES: [(&str, Mode); 3] =
    [("keyword", Mode::Keyword), ("semantic", Mode::Semantic), ("hybrid", Mode::Hybrid)];

#[derive(Parser)]
struct Arguments {
    /// The folder with `vault/` and `evals.jsonl`
    #[arg(long)]
    set: PathBuf,
    /// Questions of another file over the vault of the set
    #[arg(long)]
    questions: Option<PathBuf>,
    /// Notes of another folder
    #[arg(long)]
    vault: Option<PathBuf>,
    /// Holds the index, which is brought up to date first
    #[arg(long)]
    data: PathBuf,
    /// Only the first so many questions
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    take: usize,
    /// The embedding model
    #[arg(long, value_enum, default_value = "auto")]
    model: Model,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Model {
    Auto,
    English,
    Multilingual,
    None,
}

/// A line of an evaluation set.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    query: String,
    expected_sources: Vec<String>,
    #[serde(default)]
    grades: HashMap<String, f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let file = arguments.questions.clone().unwrap_or_else(|| arguments.set.join("evals.jsonl"));
    let questions = read_questions(&file, arguments.take)?;
    let service = open(&arguments)?;
    let summaries = service.index(&[Profile::Public], sync::Mode::Incremental, &Silent)?;
    for tree in &summaries {
        let model = tree.model.as_deref().unwrap_or("none");
        println!(
            "{} notes, {} passages, model {model}, {} questions",
            tree.notes,
            tree.chunks,
            questions.len()
        );
    }
    println!("| mode | hit@1 | recall@5 | MRR@10 | nDCG@10 | p50 ms | p95 ms |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, mode) in MODES {
        let has_vectors = summaries.iter().any(|tree| tree.model.is_some());
        if mode == Mode::Keyword || has_vectors {
            println!("| {name} {}", measure(&service, mode, &questions)?);
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "an evaluation set is no vault")]
fn read_questions(file: &std::path::Path, take: usize) -> Result<Vec<Question>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(take);
    Ok(lines.map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Every note of the vault is public here.
fn open(arguments: &Arguments) -> Result<Service, Box<dyn Error>> {
    let policy = match arguments.model {
        Model::Auto => ModelPolicy::Auto,
        Model::English => ModelPolicy::Fixed(BuiltinModel::English),
        Model::Multilingual => ModelPolicy::Fixed(BuiltinModel::Multilingual),
        Model::None => ModelPolicy::None,
    };
    let rules = Rules::compile(&RuleText::default())?;
    Ok(Service::open(Settings {
        vault: arguments.vault.clone().unwrap_or_else(|| arguments.set.join("vault")),
        rules: Arc::new(FixedRules(Arc::new(rules))),
        profile: Profile::Public,
        data_dir: arguments.data.clone(),
        models: Arc::new(BuiltinModels::new(policy)),
        allow_reindex: false,
    })?)
}

/// Asks every question once; the first is asked twice, so that loading a model is not timed.
fn measure(service: &Service, mode: Mode, questions: &[Question]) -> Result<Row, Box<dyn Error>> {
    let mut row = Row::default();
    for question in questions.iter().take(1).chain(questions) {
        let request = SearchRequest {
            query: question.query.clone(),
            mode,
            limit: DEPTH,
            max_per_note: 1,
            ..SearchRequest::default()
        };
        let began = Instant::now();
        let reply = service.search(&request, &Caller::patient())?;
        row.latencies.push(began.elapsed());
        if row.latencies.len() > 1 && !question.expected_sources.is_empty() {
            let ranked: Vec<&str> = reply.get().passages.iter().map(|passage| &*passage.path).collect();
            row.scores.push(Scores::of(question, &ranked));
        }
    }
    row.latencies.remove(0);
    row.latencies.sort_unstable();
    Ok(row)
}

/// How well one question was answered, each from 0 to 1.
struct Scores {
    /// Is the first note a right one?
    hit_at_1: f64,
    /// The share of the right notes among the first five.
    recall_at_5: f64,
    /// One over the rank of the first right note.
    reciprocal_rank: f64,
    /// Discounted cumulative gain, over that of the best order (Järvelin, Kekäläinen, TOIS 2002).
    ndcg_at_10: f64,
}

impl Scores {
    fn of(question: &Question, ranked: &[&str]) -> Scores {
        let right = &question.expected_sources;
        let gain = |path: &str| {
            let is_right = right.iter().any(|expected| expected == path);
            if is_right { question.grades.get(path).copied().unwrap_or(1.0) } else { 0.0 }
        };
        let gains: Vec<f64> = ranked.iter().map(|path| gain(path)).collect();
        let mut ideal: Vec<f64> = right.iter().map(|path| gain(path)).collect();
        ideal.sort_by(|left, right| right.total_cmp(left));
        let found = |depth: usize| gains.iter().take(depth).filter(|gain| **gain > 0.0).count() as f64;
        let first = gains.iter().position(|gain| *gain > 0.0);
        Scores {
            hit_at_1: found(1),
            recall_at_5: found(5) / right.len().min(5) as f64,
            reciprocal_rank: first.map_or(0.0, |index| 1.0 / (index as f64 + 1.0)),
            ndcg_at_10: discounted(&gains) / discounted(&ideal),
        }
    }
}

fn discounted(gains: &[f64]) -> f64 {
    gains.iter().take(DEPTH).zip(2_u32..).map(|(gain, place)| gain / f64::from(place).log2()).sum()
}

/// What is printed of a mode.
#[derive(Default)]
struct Row {
    scores: Vec<Scores>,
    /// Sorted.
    latencies: Vec<Duration>,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mean = |pick: fn(&Scores) -> f64| {
            self.scores.iter().map(pick).sum::<f64>() / self.scores.len().max(1) as f64
        };
        let percentile = |percent: usize| {
            let index = (self.latencies.len() * percent / 100).min(self.latencies.len().saturating_sub(1));
            self.latencies.get(index).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
        };
        write!(f, "| {:.3} | {:.3} ", mean(|scores| scores.hit_at_1), mean(|scores| scores.recall_at_5))?;
        write!(
            f,
            "| {:.3} | {:.3} ",
            mean(|scores| scores.reciprocal_rank),
            mean(|scores| scores.ndcg_at_10)
        )?;
        write!(f, "| {:.1} | {:.1} |", percentile(50), percentile(95))
    }
}
