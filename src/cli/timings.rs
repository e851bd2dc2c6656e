//! `--timings`, and the console: where the time of a command went, stage by stage, from the spans that the stages
//! open.
//!
//! Spans hold names of stages and numbers, nothing of a note. They are for the owner at a terminal or the console: how many
//! candidates a stage had before the wall depends on what the index still holds of notes that turned private, so no
//! client is told, and the log shows no span.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// The stages of this process so far, in the order in which they first began.
#[derive(Debug, Clone, Default)]
pub(super) struct Timings(Arc<Mutex<Vec<Stage>>>);

/// A stage.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Stage {
    #[serde(rename = "stage")]
    pub(super) name: &'static str,
    /// How often it ran.
    times: u64,
    /// In all; stages inside others count in both.
    pub(super) milliseconds: f64,
    /// What it came out with, in all, if it counts something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u64>,
}

impl Timings {
    /// The stages so far.
    pub(super) fn stages(&self) -> Vec<Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The stages so far, which are forgotten.
    pub(super) fn take(&self) -> Vec<Stage> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// As a table.
    pub(super) fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        for Stage { name, times, milliseconds, count } in self.stages() {
            let times = if times == 1 { String::new() } else { format!("  {times} times") };
            let count = count.map(|count| format!("  {count}")).unwrap_or_default();
            writeln!(out, "{milliseconds:>10.1} ms  {name}{count}{times}")?;
        }
        Ok(())
    }

    fn with(&self, name: &'static str, change: impl FnOnce(&mut Stage)) {
        let mut stages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = stages.iter().position(|stage| stage.name == name);
        let index = known.unwrap_or_else(|| {
            stages.push(Stage { name, times: 0, milliseconds: 0.0, count: None });
            stages.len() - 1
        });
        change(&mut stages[index]);
    }
}

/// When a span was opened.
struct Opened(Instant);

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Timings {
    fn on_new_span(&self, _: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        self.with(span.name(), |_| ());
        span.extensions_mut().insert(Opened(Instant::now()));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut sum = Sum(0);
        values.record(&mut sum);
        self.with(span.name(), |stage| *stage.count.get_or_insert_default() += sum.0);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let elapsed = span.extensions().get::<Opened>().map_or(Duration::ZERO, |opened| opened.0.elapsed());
        self.with(span.name(), |stage| {
            stage.times += 1;
            stage.milliseconds += elapsed.as_secs_f64() * 1000.0;
        });
    }
}

/// The numbers of a record.
struct Sum(u64);

impl Visit for Sum {
    fn record_u64(&mut self, _: &Field, value: u64) {
        self.0 += value;
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn stages_are_told_in_order_with_what_they_count() {
        let timings = Timings::default();
        let subscriber = tracing_subscriber::registry().with(timings.clone());
        tracing::subscriber::with_default(subscriber, || {
            for count in [2_u64, 3] {
                let outer = tracing::trace_span!("outer").entered();
                let inner = tracing::trace_span!("inner", count = tracing::field::Empty).entered();
                inner.record("count", count);
                drop((inner, outer));
            }
        });
        let stages = timings.stages();
        let told: Vec<_> = stages.iter().map(|stage| (stage.name, stage.times, stage.count)).collect();
        assert_eq!(told, [("outer", 2, None), ("inner", 2, Some(5))]);
        assert!(stages[0].milliseconds >= stages[1].milliseconds);
    }
}
