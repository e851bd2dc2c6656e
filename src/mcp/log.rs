//! What may reach standard error, which clients store in files that agents can read.
//!
//! Invariant: no query, argument, answer, path or panic message. Our own events hold none; rmcp's
//! hold all of them, so they are dropped here in code, where no filter directive can let them in.

use tracing::Metadata;
use tracing_subscriber::filter::FilterFn;

/// Drops every event of the protocol library, at every level, and all spans: they count what was found before it
/// was judged. To be combined with the owner's
/// filter (`EnvFilter::and`) on a layer that writes to standard error.
pub fn log_filter() -> FilterFn {
    FilterFn::new(is_ours)
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.is_event() && metadata.target().split("::").next() != Some("rmcp")
}

/// Replaces the panic hook: the place of a panic is in the source and may be told, its message
/// may hold the text of a note.
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let (file, line) = panic.location().map_or(("", 0), |place| (place.file(), place.line()));
        tracing::error!(file, line, "a request panicked; its message is withheld");
    }));
}
