//! Measures retrieval: questions whose answers are known, asked of the real service, and how well the answers
//! rank what is right. A client like any other: it sees answers, never a note. Must not know files, the
//! terminal, or how a search is done.

mod ask;
mod bootstrap;
mod compare;
mod metrics;
mod own;
mod questions;
mod run;
mod tune;
mod way;

pub use ask::{Plan, Watch, ask, missing_sources};
pub use bootstrap::{Estimate, estimate};
pub use compare::{Change, CompareError, Comparison, ModeComparison, Place, check_comparable, compare};
pub use metrics::{DEPTH, Metric, Scores};
pub use own::{Half, own_questions};
pub use questions::{BadLine, Question, read_questions};
pub use run::{Asked, FORMAT, Measured, ModeRun, Outcome, Run, TypeShare, median_and_95th};
pub use tune::{FEWEST_QUESTIONS, Gain, TUNING_K, Tried, Tuned, tune};
pub use way::Way;
