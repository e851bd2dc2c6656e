//! The privacy rules of a configuration file, as they stand at every request.
//!
//! Invariant: rules that were read are used only while the file is unchanged; a file that
//! vanished, cannot be read or cannot be understood serves nothing until it is mended.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::config::disk::{self, FileBytes, Stamp};
use crate::config::explain::Refusal;
use crate::config::file::ConfigFile;
use crate::config::template::FirstRules;
use crate::config::{ConfigError, trust};
use crate::vault::{Rules, RulesSource, RulesUnavailable};

/// Rules that follow the configuration file.
pub(super) struct FileRules {
    path: PathBuf,
    /// The real folder of the vault: the file must stay outside it.
    vault: PathBuf,
    /// Whose rules, and what the file said of vaults when this one was chosen.
    chosen: Chosen,
    /// The user that runs the process.
    user_id: u32,
    state: Mutex<State>,
}

/// Which vault of the file it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chosen {
    /// `[vaults.NAME]`, with this path as written.
    Named { name: String, path: String },
    /// The one of `[vault]`, or one that the file does not name: `[vaults]` had these names and paths.
    Unnamed { others: Vec<(String, String)> },
}

impl Chosen {
    /// The name in the file.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Chosen::Named { name, .. } => Some(name),
            Chosen::Unnamed { .. } => None,
        }
    }

    /// The same folder would be chosen again: rules of another one must not count for this one.
    fn still_stands(&self, file: &ConfigFile) -> bool {
        match self {
            Chosen::Named { name, path } => file.vaults.get(name).is_some_and(|vault| vault.path() == path),
            Chosen::Unnamed { others } => {
                let has_own_rules = file.vaults.values().any(|vault| vault.privacy.is_some());
                file.named_paths() == *others && !has_own_rules
            }
        }
    }
}

struct State {
    /// The rules of one state of the file.
    known: Option<(Stamp, Arc<Rules>)>,
    /// There has been a file: it may not vanish any more.
    file_seen: bool,
}

impl FileRules {
    /// Rules of the file at `path`. `file` is what was read there at the start: none means that
    /// there is no file (yet), and then the rules hold that a new one would begin with.
    pub(super) fn open(
        path: &Path,
        file: Option<&FileBytes>,
        vault: &Path,
        chosen: Chosen,
        user_id: u32,
    ) -> Result<Self, ConfigError> {
        let rules = FileRules {
            path: path.to_owned(),
            vault: vault.to_owned(),
            chosen,
            user_id,
            state: Mutex::new(State { known: None, file_seen: file.is_some() }),
        };
        if let Some(file) = file {
            let known = Some((file.stamp, Arc::new(rules.understand(file)?)));
            rules.state().known = known;
        }
        Ok(rules)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is replaced as a whole, so a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, now: SystemTime) -> Result<Arc<Rules>, ConfigError> {
        let mut state = self.state();
        let current = disk::stamp(&self.path).ok().flatten();
        if let Some((stamp, rules)) = &state.known
            && Some(*stamp) == current
            && stamp.is_settled(now)
        {
            return Ok(Arc::clone(rules));
        }
        state.known = None;
        let Some(file) = trust::read_file(&self.path, self.user_id)? else {
            return self.without_file(state.file_seen);
        };
        state.file_seen = true;
        let rules = Arc::new(self.understand(&file)?);
        state.known = Some((file.stamp, Arc::clone(&rules)));
        Ok(rules)
    }

    fn understand(&self, file: &FileBytes) -> Result<Rules, ConfigError> {
        trust::check_file_outside(&self.path, &self.vault)?;
        let parsed = ConfigFile::parse(&file.bytes).map_err(|refusal| in_file(&self.path, refusal))?;
        if !self.chosen.still_stands(&parsed) {
            return Err(ConfigError::File {
                file: self.path.clone(),
                problem: "has other vaults now than when this program was started".to_owned(),
                fix: "Start it again.".to_owned(),
            });
        }
        parsed.compile_rules(self.chosen.name(), &file.bytes).map_err(|refusal| in_file(&self.path, refusal))
    }

    fn without_file(&self, file_seen: bool) -> Result<Arc<Rules>, ConfigError> {
        if file_seen {
            return Err(ConfigError::File {
                file: self.path.clone(),
                problem: "was deleted".to_owned(),
                fix: "Put it back, or run `obsearch init`.".to_owned(),
            });
        }
        Rules::compile(&FirstRules::default().text()).map(Arc::new).map_err(|error| ConfigError::File {
            file: self.path.clone(),
            problem: format!("does not exist, and the default rules are not valid: {error}"),
            fix: "Run `obsearch init`.".to_owned(),
        })
    }
}

impl RulesSource for FileRules {
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable> {
        self.read(SystemTime::now()).map_err(|error| RulesUnavailable(format!("{error} {}", error.hint())))
    }
}

/// A refused line, with the name of its file.
pub(super) fn in_file(file: &Path, refusal: Refusal) -> ConfigError {
    let Refusal { line, problem, text, fix } = refusal;
    ConfigError::Line { file: file.to_owned(), line, problem, text, fix }
}

#[cfg(test)]
mod tests;
