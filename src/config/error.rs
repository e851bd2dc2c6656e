//! Why a configuration is refused, in words for the owner: what is wrong, where, and the fix.
//!
//! `Display` names paths and rules, so it belongs on the owner's terminal only; a process whose
//! messages others may read shows [`ConfigError::brief`] instead.

use std::path::{Path, PathBuf};

/// A refused configuration. `Display` is one sentence; [`ConfigError::hint`] is what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Neither a home folder nor the XDG folders are known.
    #[error("The home folder is unknown: neither HOME nor the XDG folders are set.")]
    NoHome,
    /// The program does not know its own path, or it is not UTF-8.
    #[error("The path of this program is not known, or is not UTF-8.")]
    NoExecutable,
    /// There is no configuration file and no vault was named.
    #[error("There is no configuration file at {}.", file.display())]
    NoFile {
        /// Where it should be.
        file: PathBuf,
    },
    /// There is a configuration file, but neither it nor the command line names a vault.
    #[error("{} names no vault.", file.display())]
    NoVault {
        /// The file that should name it.
        file: PathBuf,
    },
    /// There are several vaults, and the command is for one.
    #[error("{} has several vaults: {}.", file.display(), names.join(", "))]
    NoChoice {
        /// The file that names them.
        file: PathBuf,
        /// Their names.
        names: Vec<String>,
    },
    /// There is no vault of the name that was given.
    #[error("There is no vault `{}` in {}.", name.escape_debug(), file.display())]
    UnknownVault {
        /// As given.
        name: String,
        /// The file that should have it.
        file: PathBuf,
        /// Those that there are.
        names: Vec<String>,
    },
    /// A line of the configuration file makes no sense.
    #[error("{}:{line}: {problem}: {text}", file.display())]
    Line {
        /// The configuration file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// The line as written, shortened.
        text: String,
        /// What to write instead.
        fix: String,
    },
    /// The configuration file itself cannot be trusted or read.
    #[error("{} {problem}.", file.display())]
    File {
        /// The configuration file or its folder.
        file: PathBuf,
        /// What is wrong, to be read after the path.
        problem: String,
        /// How to mend it.
        fix: String,
    },
    /// The vault cannot be used.
    #[error("The vault {} {problem}.", path.display())]
    Vault {
        /// The vault as named.
        path: PathBuf,
        /// What is wrong, to be read after the path.
        problem: String,
        /// How to mend it.
        fix: String,
    },
    /// The data or cache folder cannot be used.
    #[error("{} {problem}.", path.display())]
    Storage {
        /// The folder.
        path: PathBuf,
        /// What is wrong, to be read after the path.
        problem: String,
        /// How to mend it.
        fix: String,
    },
    /// The folder of the ledger cannot be used.
    #[error("{} {problem}, so what is served could not be recorded.", path.display())]
    Ledger {
        /// The folder.
        path: PathBuf,
        /// What is wrong, to be read after the path.
        problem: String,
        /// How to mend it.
        fix: String,
    },
}

impl ConfigError {
    /// The ledger cannot be used; `fix` is a command without its full stop.
    pub fn ledger(path: &Path, problem: &str, fix: &str) -> ConfigError {
        let fix =
            format!("{fix}; or do without: `enabled = false` below `[ledger]` in the configuration file.");
        ConfigError::Ledger { path: path.to_owned(), problem: problem.to_owned(), fix }
    }

    /// What to do next, in one line.
    pub fn hint(&self) -> String {
        match self {
            ConfigError::NoHome => "Set HOME to your home folder.".to_owned(),
            ConfigError::NoExecutable => {
                "Start it by its whole path, from a folder with a plain name.".to_owned()
            }
            ConfigError::NoFile { .. } => {
                "Run `obsearch init --vault PATH` once, or pass `--vault PATH`.".to_owned()
            }
            ConfigError::NoVault { .. } => {
                "Add `path = \"~/Documents/MyVault\"` under [vault] there, or pass `--vault PATH`.".to_owned()
            }
            ConfigError::NoChoice { .. } => "Choose one with `--vault-name NAME`.".to_owned(),
            ConfigError::UnknownVault { names, .. } if names.is_empty() => {
                "Leave out `--vault-name`: there is no [vaults.NAME].".to_owned()
            }
            ConfigError::UnknownVault { names, .. } => format!("There are {}.", names.join(", ")),
            ConfigError::Line { fix, .. }
            | ConfigError::File { fix, .. }
            | ConfigError::Vault { fix, .. }
            | ConfigError::Storage { fix, .. }
            | ConfigError::Ledger { fix, .. } => fix.clone(),
        }
    }

    /// What may be said where others can read it (the log of an AI client): no path, no rule.
    pub fn brief(&self) -> String {
        match self {
            ConfigError::NoHome | ConfigError::NoExecutable => self.to_string(),
            ConfigError::NoFile { .. } => "There is no configuration file.".to_owned(),
            ConfigError::NoVault { .. } => "The configuration file names no vault.".to_owned(),
            ConfigError::NoChoice { .. } => "No vault was chosen.".to_owned(),
            ConfigError::UnknownVault { .. } => "There is no vault of that name.".to_owned(),
            ConfigError::Line { line, .. } => {
                format!("Line {line} of the configuration file is not understood.")
            }
            ConfigError::File { .. } => "The configuration file is refused.".to_owned(),
            ConfigError::Vault { .. } => "The vault cannot be used.".to_owned(),
            ConfigError::Storage { .. } => "The data or cache folder is refused.".to_owned(),
            ConfigError::Ledger { .. } => "What is served could not be recorded.".to_owned(),
        }
    }
}
