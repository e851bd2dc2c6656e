//! Events on standard error: warnings, and with `--verbose` more. They hold no note's name or text,
//! and what libraries would tell about requests is dropped. Spans go to [`Timings`] alone.

use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::timings::Timings;
use crate::mcp;

/// Starts telling events, and taking times if anybody wants them. A second start in one process changes nothing.
pub(super) fn start(is_verbose: bool, timings: Option<&Timings>) {
    let level = if is_verbose { LevelFilter::DEBUG } else { LevelFilter::WARN };
    let events = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_filter(mcp::log_filter())
        .with_filter(level);
    let stages = timings.cloned().map(|timings| timings.with_filter(FilterFn::new(is_stage)));
    let _ = tracing_subscriber::registry().with(events).with(stages).try_init();
}

fn is_stage(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target().split("::").next() == Some(env!("CARGO_CRATE_NAME"))
}
