//! The state of the index on one screen, and where things lie.

use std::io::{self, Write};

use super::{escape, grouped, style};
use crate::config::Config;
use crate::ops::status::{IndexState, StatusAnswer};
use crate::vault::Profile;

/// A table of names and values.
pub(in crate::cli) fn status(
    out: &mut impl Write,
    config: &Config,
    profile: Profile,
    answer: &StatusAnswer,
    ledger: &str,
) -> io::Result<()> {
    let file = config
        .config_file
        .as_ref()
        .map_or("none; notes with the tag or the property `private` are private".to_owned(), |file| {
            file.display().to_string()
        });
    row(out, "Vault", &format!("{} ({})", config.vault_name, config.vault.display()))?;
    row(out, "Profile", profile.as_str())?;
    row(out, "Index", state(answer.state))?;
    if answer.state != IndexState::Missing {
        index(out, answer)?;
    }
    if let Some(weight) = config.search.meaning_weight {
        row(out, "Weights", &format!("meaning counts {weight}, words the rest, as configured"))?;
    }
    row(out, "Ledger", ledger)?;
    row(out, "Settings", &file)
}

fn index(out: &mut impl Write, answer: &StatusAnswer) -> io::Result<()> {
    row(out, "Notes", &grouped(answer.notes))?;
    row(out, "Passages", &passages(answer))?;
    row(out, "Model", answer.model.as_deref().unwrap_or("none, keyword search only"))?;
    row(out, "Updated", answer.indexed_at.as_deref().unwrap_or("not yet"))
}

fn row(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    let heading = style::HEADING;
    writeln!(out, "{heading}{name:9}{heading:#} {}", escape::line(value))
}

fn state(state: IndexState) -> &'static str {
    match state {
        IndexState::Ready => "ready",
        IndexState::Embedding => "words are ready, vectors are being made",
        IndexState::Indexing => "the first pass is running",
        IndexState::Missing => "none yet; run `obsearch index`",
    }
}

fn passages(answer: &StatusAnswer) -> String {
    match answer.pending_vectors {
        0 => grouped(answer.chunks),
        pending => format!("{}, {} of them without a vector yet", grouped(answer.chunks), grouped(pending)),
    }
}
