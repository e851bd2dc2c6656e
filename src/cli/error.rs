//! How a command ends: exit codes, and errors as one sentence and one line of what to do next.

use std::io;
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::ops::OpError;

/// How a command went; the exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done,
    /// It ran, and there is nothing: no passage, no such note.
    NothingFound,
    /// Arguments or configuration are refused, or something is broken.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::NothingFound => ExitCode::from(1),
            Exit::Failed => ExitCode::from(2),
        }
    }
}

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The configuration is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The operation gave no answer.
    #[error("{}", sentence(&.0.to_string()))]
    Operation(#[from] OpError),
    /// Results could not be written.
    #[error("The output cannot be written ({0}).")]
    Output(#[from] io::Error),
    /// Anything else, in words.
    #[error("{message}")]
    Failed {
        /// One sentence.
        message: String,
        /// What to do next, one line.
        hint: String,
    },
}

impl CliError {
    /// What to do next, in one line.
    pub fn hint(&self) -> String {
        match self {
            CliError::Config(error) => error.hint(),
            CliError::Operation(OpError::NotFound) => {
                "Look it up with `obsearch list` or `obsearch search`; private notes need `--profile full`."
                    .to_owned()
            }
            CliError::Operation(OpError::InvalidArgument(_)) => "Look at the command's `--help`.".to_owned(),
            CliError::Operation(OpError::NotAllowed(_)) => {
                "Allow it in the configuration file, or run `obsearch index` yourself.".to_owned()
            }
            CliError::Operation(OpError::Cancelled) => "Run it again.".to_owned(),
            CliError::Operation(OpError::Unavailable { log, .. }) => sentence(log),
            CliError::Output(_) => "Check the disk, and the program that reads the output.".to_owned(),
            CliError::Failed { hint, .. } => hint.clone(),
        }
    }

    /// The message where others can read it: no path, no rule, nothing of a note.
    pub fn brief(&self) -> String {
        match self {
            CliError::Config(error) => error.brief(),
            CliError::Operation(_) => self.to_string(),
            CliError::Output(_) => "The output cannot be written.".to_owned(),
            CliError::Failed { .. } => "obsearch cannot start.".to_owned(),
        }
    }

    /// The reader of the output went away, as `head` does: not an error.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, CliError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code this error stands for.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Operation(OpError::NotFound) => Exit::NothingFound,
            _ if self.is_broken_pipe() => Exit::Done,
            _ => Exit::Failed,
        }
    }
}

/// A message as a sentence: capital letter first, full stop last.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let Some(first) = letters.next() else { return String::new() };
    let stop = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_end_with_the_documented_codes() {
        let broken = io::Error::from(io::ErrorKind::BrokenPipe);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let unavailable = OpError::Unavailable { client: "the index is broken", log: "why".to_owned() };
        let rows: [(CliError, Exit); 5] = [
            (OpError::NotFound.into(), Exit::NothingFound),
            (OpError::InvalidArgument("limit is too large").into(), Exit::Failed),
            (unavailable.into(), Exit::Failed),
            (broken.into(), Exit::Done),
            (full.into(), Exit::Failed),
        ];
        for (error, exit) in rows {
            assert_eq!(error.exit(), exit, "{error}");
        }
    }

    #[test]
    fn the_brief_text_of_an_outage_tells_nothing_of_its_log() {
        let error =
            CliError::from(OpError::Unavailable { client: "the index is broken", log: "/home".into() });
        assert_eq!(error.brief(), "The index is broken.");
        assert_eq!(error.hint(), "/home.");
    }
}
