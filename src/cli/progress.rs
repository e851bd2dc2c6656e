//! How an index run or an evaluation goes on, on standard error: a bar on a terminal, else a line now and then.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::console::{self, Console};
use crate::eval::{Watch, Way};
use crate::hub::Pulling;
use crate::sync::{Progress, Stage};

/// Time between two lines of one stage.
const LINE_INTERVAL: Duration = Duration::from_secs(2);
/// Time between two steps of the spinner.
const SPINNER_INTERVAL: Duration = Duration::from_millis(120);

/// The progress that suits where standard error goes.
pub(super) fn choose(console: Console) -> Shown {
    if console::can_draw() {
        Shown(Box::new(Bar::new()))
    } else {
        Shown(Box::new(Lines::new(LINE_INTERVAL, move |line| console.message(line))))
    }
}

/// Progress that nobody sees.
pub(super) fn none() -> Shown {
    Shown(Box::new(Nothing))
}

/// Work that is shown: what is done, and how much of it.
trait Show: Sync {
    /// So many units of something begin; 0: nobody knows how many.
    fn begin(&self, what: &'static str, total: u64);
    /// So many more are done.
    fn advance(&self, units: u64);
    /// All are done.
    fn end(&self);
}

/// Shows whatever goes on.
pub(super) struct Shown(Box<dyn Show>);

impl Progress for Shown {
    fn begin(&self, stage: Stage, total: u64) {
        let what = match stage {
            Stage::Scanning => "Looking for notes",
            Stage::Words => "Reading notes",
            Stage::Vectors => "Making vectors",
        };
        self.0.begin(what, total);
    }

    fn advance(&self, units: u64) {
        self.0.advance(units);
    }

    fn end(&self) {
        self.0.end();
    }
}

impl Watch for Shown {
    fn begin(&self, mode: Way, questions: u64) {
        let what = match mode {
            Way::Keyword => "Asking, keyword",
            Way::Semantic => "Asking, semantic",
            Way::Hybrid => "Asking, hybrid",
            Way::Reranked => "Asking, reranked",
        };
        self.0.begin(what, questions);
    }

    fn advance(&self) {
        self.0.advance(1);
    }

    fn end(&self) {
        self.0.end();
    }
}

impl Pulling for Shown {
    fn begin(&self, _: &str, bytes: u64, there: u64) {
        self.0.begin("Fetching bytes", bytes);
        self.0.advance(there);
    }

    fn advance(&self, bytes: u64) {
        self.0.advance(bytes);
    }

    fn end(&self) {
        self.0.end();
    }
}

struct Nothing;

impl Show for Nothing {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

/// A bar with rate and time left, or a spinner where the end is not known.
struct Bar {
    bar: Mutex<ProgressBar>,
}

impl Bar {
    fn new() -> Self {
        Bar { bar: Mutex::new(ProgressBar::hidden()) }
    }

    fn bar(&self) -> MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Show for Bar {
    fn begin(&self, what: &'static str, total: u64) {
        let template = if total == 0 {
            "{msg:17} {spinner} {human_pos}"
        } else {
            "{msg:17} [{bar:24}] {human_pos}/{human_len}  {per_sec}  {eta} left"
        };
        let style =
            ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        bar.set_style(style);
        bar.set_message(what);
        bar.enable_steady_tick(SPINNER_INTERVAL);
        *self.bar() = bar;
    }

    fn advance(&self, units: u64) {
        self.bar().inc(units);
    }

    fn end(&self) {
        self.bar().finish_and_clear();
    }
}

/// A line at the start and at the end of each stage, and one now and then between.
struct Lines<W> {
    interval: Duration,
    write: W,
    run: Mutex<Run>,
}

struct Run {
    what: &'static str,
    total: u64,
    done: u64,
    started: Instant,
    last_line: Instant,
}

impl<W: Fn(String) + Sync> Lines<W> {
    fn new(interval: Duration, write: W) -> Self {
        Lines { interval, write, run: Mutex::new(Run::new("", 0)) }
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    fn new(what: &'static str, total: u64) -> Self {
        let now = Instant::now();
        Run { what, total, done: 0, started: now, last_line: now }
    }

    fn line(&self) -> String {
        match self.total {
            0 => format!("{}: {}", self.what, self.done),
            total => format!("{}: {} of {total}{}", self.what, self.done, self.time_left()),
        }
    }

    fn time_left(&self) -> String {
        let left = self.total.saturating_sub(self.done);
        if self.done == 0 || left == 0 {
            return String::new();
        }
        let seconds = self.started.elapsed().as_secs_f64() / self.done as f64 * left as f64;
        format!(", about {seconds:.0} s left")
    }
}

impl<W: Fn(String) + Sync> Show for Lines<W> {
    fn begin(&self, what: &'static str, total: u64) {
        let mut run = self.run();
        *run = Run::new(what, total);
        (self.write)(match total {
            0 => what.to_owned(),
            total => format!("{what}: {total}"),
        });
    }

    fn advance(&self, units: u64) {
        let mut run = self.run();
        run.done += units;
        if run.last_line.elapsed() >= self.interval {
            run.last_line = Instant::now();
            (self.write)(run.line());
        }
    }

    fn end(&self) {
        let run = self.run();
        let seconds = run.started.elapsed().as_secs_f64();
        (self.write)(format!("{}: {} done in {seconds:.1} s", run.what, run.done));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(interval: Duration) -> Vec<String> {
        let lines = Mutex::new(Vec::new());
        let progress = Lines::new(interval, |line| lines.lock().unwrap().push(line));
        progress.begin("Reading notes", 4);
        (0..4).for_each(|_| progress.advance(1));
        progress.end();
        lines.into_inner().unwrap()
    }

    #[test]
    fn a_fast_stage_says_only_that_it_began_and_ended() {
        let lines = lines_of(Duration::from_hours(1));
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], "Reading notes: 4");
        assert!(lines[1].starts_with("Reading notes: 4 done in "), "{}", lines[1]);
    }

    #[test]
    fn a_slow_stage_counts_and_says_what_is_left() {
        let lines = lines_of(Duration::ZERO);
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[1], "Reading notes: 1 of 4, about 0 s left");
        assert_eq!(lines[4], "Reading notes: 4 of 4");
    }

    #[test]
    fn the_bar_takes_any_order_of_calls() {
        let bar = Bar::new();
        bar.advance(1);
        bar.end();
        bar.begin("Looking for notes", 0);
        bar.advance(3);
        bar.begin("Making vectors", 10);
        bar.advance(30);
        bar.end();
    }
}
