//! Configuration in two steps: the file as written and the environment, resolved once
//! into a [`Config`] that the rest of the house takes as plain values.
//!
//! Only this folder knows the environment, the home folder and where files of obsearch lie. A
//! configuration that is not fully understood, or that someone else could have written, is
//! refused: a misspelt rule must never run as no rule.

mod clients;
mod disk;
mod edit;
mod environment;
mod error;
mod explain;
mod file;
mod models;
mod obsidian;
mod rules;
mod template;
mod tokens;
mod trust;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use clients::{Change, Client, Launch, Planned, claude_command, launch, plan};
pub use disk::Existing;
pub use edit::write_meaning_weight;
pub use environment::{Environment, names};
pub use error::ConfigError;
pub use file::{Search, Server};
pub use models::{
    Embeddings, ModelChoice, ModelFolder, ModelServer, Protocol, Reranking, Runtime, models_dir,
};
pub use obsidian::known_vaults;
pub use template::{FirstRules, check_free, check_vault, write_template};
pub use tokens::{Secret, TokenBook, TokenEntry, TokenProfile, fresh_token};
pub use trust::shell_quoted;

use crate::vault::{RuleText, RulesSource};
use explain::Refusal;
use file::ConfigFile;
use rules::FileRules;

/// What the command line says about the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// The vault instead of the file's; relative to the working folder.
    pub vault: Option<PathBuf>,
    /// The configuration file instead of the user's; it must exist.
    pub config_file: Option<PathBuf>,
    /// Where indexes lie instead of the user's folder for them; relative to the working folder.
    pub data_dir: Option<PathBuf>,
}

/// Everything that is configured, resolved and checked.
#[derive(Clone)]
pub struct Config {
    /// The vault's real folder.
    pub vault: PathBuf,
    /// The vault's name, for people: configured, or the folder's.
    pub vault_name: String,
    /// Who may see what, as the configuration file says it at each request.
    pub rules: Arc<dyn RulesSource>,
    /// Where vectors come from.
    pub embeddings: Embeddings,
    /// What reranks, if anything does.
    pub reranking: Option<Reranking>,
    /// How what is found is ranked.
    pub search: Search,
    /// Does the file still name these models and servers? Asked before a text leaves this machine.
    pub models_are_current: Arc<dyn Fn() -> bool + Send + Sync>,
    /// What clients may ask of the server.
    pub server: Server,
    /// Holds the indexes; outside the vault; need not exist.
    pub data_dir: PathBuf,
    /// Holds what can be made again; outside the vault; need not exist.
    pub cache_dir: PathBuf,
    /// The configuration file, if there is one.
    pub config_file: Option<PathBuf>,
    /// Where servers record what they gave to whom. It need not exist, and was not looked at: see
    /// [`Config::check_ledger`].
    pub ledger: PathBuf,
    /// They do that.
    pub keeps_ledger: bool,
}

impl Config {
    /// Reads and checks the configuration.
    pub fn resolve(environment: &Environment, overrides: &Overrides) -> Result<Config, ConfigError> {
        let path = config_path(environment, overrides)?;
        let read = trust::read_file(&path, environment.user_id)?;
        if read.is_none() && (overrides.config_file.is_some() || overrides.vault.is_none()) {
            return Err(ConfigError::NoFile { file: path });
        }
        let file = match &read {
            Some(read) => Written::parse(&path, &read.bytes, environment)?,
            None => Written::default(),
        };
        let vault = file.vault_root(&path, environment, overrides)?;
        let rules = FileRules::open(&path, read.as_ref(), &vault, environment.user_id)?;
        file.check_models(&path, &vault)?;
        let models_are_current = file.watch_models(path.clone(), environment.clone());
        let (data_dir, cache_dir) = storage(environment, overrides.data_dir.as_deref(), &vault)?;
        Ok(Config {
            vault_name: file.vault_name(&vault),
            rules: Arc::new(rules),
            models_are_current,
            embeddings: file.embeddings,
            reranking: file.reranking,
            search: file.parsed.search,
            server: file.parsed.server,
            data_dir,
            cache_dir,
            ledger: path.with_file_name(LEDGER),
            keeps_ledger: file.parsed.ledger.enabled,
            config_file: read.map(|_| path),
            vault,
        })
    }
}

/// The folder beside the configuration file.
const LEDGER: &str = "ledger";

impl Config {
    /// The line of the configuration file, from 1, on which a rule stands; `None` for a rule that is no
    /// longer there. `key` is the rule's key in `[privacy]`.
    pub fn rule_line(&self, key: &str, rule: &str) -> Option<usize> {
        let bytes = disk::read(self.config_file.as_ref()?).ok()??.bytes;
        ConfigFile::parse(&bytes).ok()?.line_of(key, rule, &bytes)
    }

    /// The text of this configuration for a vault somewhere else, without servers for models.
    pub fn text_for_vault(&self, vault: &Path) -> String {
        let bytes =
            self.config_file.as_ref().and_then(|file| disk::read(file).ok().flatten()).map(|file| file.bytes);
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let mut file: toml::Table = toml::from_str(&text).unwrap_or_default();
        // A vault for trial is no reason to send names and questions anywhere.
        if matches!(self.embeddings, Embeddings::Server { .. }) {
            file.remove("embeddings");
        }
        if matches!(self.reranking, Some(Reranking::Server { .. })) {
            file.remove("rerank");
        }
        let section = file.entry("vault").or_insert_with(|| toml::Table::new().into());
        if let Some(section) = section.as_table_mut() {
            section.insert("path".to_owned(), vault.to_string_lossy().into_owned().into());
        }
        toml::to_string(&file).unwrap_or_default()
    }

    /// Would a file named like this on the command line lie in the vault? What cannot be told lies there.
    pub fn is_in_vault(&self, file: &Path, environment: &Environment) -> bool {
        disk::is_inside(&from_command_line(file, environment), &self.vault).unwrap_or(true)
    }

    /// Refuses a ledger that lies in the vault, or that others could have written.
    pub fn check_ledger(&self, environment: &Environment) -> Result<(), ConfigError> {
        trust::check_ledger(&self.ledger, &self.vault, environment.user_id)
    }

    /// May users who are not the owner read the ledger?
    pub fn is_ledger_readable_by_others(&self) -> bool {
        let access = disk::access(&self.ledger).ok().flatten();
        access.is_some_and(|access| access.mode & 0o077 != 0)
    }

    /// May users who are not the owner read the configuration file?
    pub fn is_readable_by_others(&self) -> bool {
        let access = self.config_file.as_ref().and_then(|file| disk::access(file).ok().flatten());
        access.is_some_and(|access| access.mode & 0o044 != 0)
    }
}

/// The rules that a configuration of this text has, or the line that is refused and why.
pub fn rules_of_text(bytes: &[u8]) -> Result<RuleText, String> {
    let read = || -> Result<RuleText, Refusal> {
        let file = ConfigFile::parse(bytes)?;
        file.compile_rules(bytes)?;
        Ok(file.rule_text())
    };
    read().map_err(|refusal| format!("line {}: {}. {}", refusal.line, refusal.problem, refusal.fix))
}

/// The file as understood, and the vault it names.
struct Written {
    parsed: ConfigFile,
    vault: Option<PathBuf>,
    embeddings: Embeddings,
    reranking: Option<Reranking>,
}

impl Default for Written {
    fn default() -> Self {
        let embeddings = Embeddings::Builtin(ModelChoice::Auto);
        Written { parsed: ConfigFile::default(), vault: None, embeddings, reranking: None }
    }
}

impl Written {
    fn parse(path: &Path, bytes: &[u8], environment: &Environment) -> Result<Self, ConfigError> {
        let understand = || -> Result<Self, Refusal> {
            let parsed = ConfigFile::parse(bytes)?;
            let vault = parsed.vault.path.as_ref().map(|written| {
                expand_home(written.get_ref(), environment.home.as_deref())
                    .map_err(|(problem, fix)| explain::bad_path(bytes, &written.span(), problem, fix))
            });
            Ok(Written {
                vault: vault.transpose()?,
                embeddings: parsed.embeddings.resolve(bytes, environment)?,
                reranking: parsed.rerank.resolve(bytes, environment)?,
                parsed,
            })
        };
        understand().map_err(|refusal| rules::in_file(path, refusal))
    }

    fn vault_root(
        &self,
        file: &Path,
        environment: &Environment,
        overrides: &Overrides,
    ) -> Result<PathBuf, ConfigError> {
        let named = match &overrides.vault {
            Some(vault) => Some(from_command_line(vault, environment)),
            None => self.vault.clone(),
        };
        trust::vault_root(&named.ok_or_else(|| ConfigError::NoVault { file: file.to_owned() })?)
    }

    /// Reads the file again: an owner who takes back what may be sent elsewhere is obeyed at once.
    fn watch_models(&self, path: PathBuf, environment: Environment) -> Arc<dyn Fn() -> bool + Send + Sync> {
        let (embeddings, reranking) = (self.embeddings.clone(), self.reranking.clone());
        Arc::new(move || {
            let read = disk::read(&path).ok().flatten();
            let now = read.and_then(|read| Written::parse(&path, &read.bytes, &environment).ok());
            now.is_some_and(|now| now.embeddings == embeddings && now.reranking == reranking)
        })
    }

    /// A model's files are read without the wall, so they must be no part of the vault.
    fn check_models(&self, file: &Path, vault: &Path) -> Result<(), ConfigError> {
        let embedder = match &self.embeddings {
            Embeddings::Local { model, .. } => Some(model),
            _ => None,
        };
        let reranker = match &self.reranking {
            Some(Reranking::Local(model)) => Some(model),
            _ => None,
        };
        for model in embedder.into_iter().chain(reranker) {
            // A folder that is not there yet is looked at when it is.
            if disk::is_inside(&model.folder, vault).unwrap_or(false) {
                return Err(ConfigError::File {
                    file: file.to_owned(),
                    problem: format!("names the model {}, which lies inside the vault", model.name),
                    fix: "Move the model's folder out of the vault.".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The configured name belongs to the configured vault only.
    fn vault_name(&self, vault: &Path) -> String {
        let is_named = self.vault.as_ref().is_none_or(|named| trust::is_same_folder(named, vault));
        let configured = self.parsed.vault.name.clone().filter(|name| is_named && !name.trim().is_empty());
        let folder = || vault.file_name().unwrap_or(vault.as_os_str()).to_string_lossy().into_owned();
        configured.unwrap_or_else(folder)
    }
}

/// The configuration file to use, whether or not it exists.
pub fn config_path(environment: &Environment, overrides: &Overrides) -> Result<PathBuf, ConfigError> {
    match &overrides.config_file {
        Some(file) => Ok(from_command_line(file, environment)),
        None => environment.config_file().ok_or(ConfigError::NoHome),
    }
}

/// The real folder of a vault named on the command line.
pub fn vault_from_command_line(vault: &Path, environment: &Environment) -> Result<PathBuf, ConfigError> {
    trust::vault_root(&from_command_line(vault, environment))
}

/// The data and cache folders, checked against the vault.
fn storage(
    environment: &Environment,
    data_dir: Option<&Path>,
    vault: &Path,
) -> Result<(PathBuf, PathBuf), ConfigError> {
    let (data, named_by) = match data_dir {
        Some(folder) => (from_command_line(folder, environment), "`--data`"),
        None => (environment.data_dir().ok_or(ConfigError::NoHome)?, names::DATA_HOME),
    };
    let cache = environment.cache_dir().ok_or(ConfigError::NoHome)?;
    trust::check_storage(&data, vault, named_by, environment.user_id)?;
    trust::check_storage(&cache, vault, names::CACHE_HOME, environment.user_id)?;
    Ok((data, cache))
}

/// A path from the command line: `~` that the shell left alone, else relative to the working folder.
fn from_command_line(path: &Path, environment: &Environment) -> PathBuf {
    let expanded = path.to_str().and_then(|text| expand_home(text, environment.home.as_deref()).ok());
    expanded.unwrap_or_else(|| match &environment.current_dir {
        Some(folder) => folder.join(path),
        None => path.to_owned(),
    })
}

/// A path of the file: absolute, `~` or `~/…`. Else what is wrong, and the fix.
fn expand_home(text: &str, home: Option<&Path>) -> Result<PathBuf, (&'static str, String)> {
    if Path::new(text).is_absolute() {
        return Ok(PathBuf::from(text));
    }
    let below_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
    match (below_home, home) {
        (Some(rest), Some(home)) => Ok(home.join(rest)),
        (Some(_), None) => {
            Err(("the home folder is unknown", "Write the whole path, from `/` on.".to_owned()))
        }
        (None, _) if text.starts_with('~') => Err((
            "the home folders of other users are not known",
            "Write the whole path, from `/` on.".to_owned(),
        )),
        (None, _) => {
            let rest = text.trim_start_matches("$HOME/").trim_start_matches("./");
            let rest = if rest.is_empty() { "Documents/MyVault" } else { rest };
            Err(("the path is relative", format!("Write the whole path, such as \"~/{rest}\".")))
        }
    }
}

#[cfg(test)]
mod tests;
