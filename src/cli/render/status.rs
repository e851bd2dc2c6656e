//! The state of the index on one screen, and where things lie.

use std::io::{self, Write};

use super::{counted, escape, style};
use crate::config::Config;
use crate::ops::status::{IndexState, StatusAnswer};
use crate::vault::Profile;

/// A table of names and values.
pub(in crate::cli) fn status(
    out: &mut impl Write,
    config: &Config,
    profile: Profile,
    answer: &StatusAnswer,
) -> io::Result<()> {
    let file = config.config_file.as_ref().map_or("none".to_owned(), |file| file.display().to_string());
    let rows = [
        ("Vault", format!("{} ({})", config.vault_name, config.vault.display())),
        ("Profile", profile.as_str().to_owned()),
        ("Index", state(answer.state).to_owned()),
        ("Notes", counted(answer.notes, "note")),
        ("Passages", passages(answer)),
        ("Model", answer.model.clone().unwrap_or_else(|| "none, keyword search only".to_owned())),
        ("Seen", answer.indexed_at.clone().unwrap_or_else(|| "never".to_owned())),
        ("Settings", file),
    ];
    let heading = style::HEADING;
    rows.iter()
        .try_for_each(|(name, value)| writeln!(out, "{heading}{name:9}{heading:#} {}", escape::line(value)))
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
        0 => counted(answer.chunks, "passage"),
        pending => {
            format!("{}, {} without a vector yet", counted(answer.chunks, "passage"), super::grouped(pending))
        }
    }
}
