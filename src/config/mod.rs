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
mod vaults;

use std::collections::BTreeMap;
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

use toml::Spanned;

use crate::vault::{RuleText, RulesSource};
use explain::Refusal;
use file::ConfigFile;
use rules::{Chosen, FileRules};
use trust::Overlap;

/// What the command line says about the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// The vault instead of the file's; relative to the working folder.
    pub vault: Option<PathBuf>,
    /// The vault of this name in the file; needed where there are several.
    pub vault_name: Option<String>,
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
    /// The name under which the file has it among its vaults.
    pub chosen: Option<String>,
    /// The folders of the file's other vaults: the real ones of those that are there.
    pub other_vaults: Vec<PathBuf>,
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
    /// Reads and checks the configuration of one vault.
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
        let (chosen, vault) = file.choose(&path, environment, overrides)?;
        let name = chosen.name().map(str::to_owned);
        let rules = FileRules::open(&path, read.as_ref(), &vault, chosen, environment.user_id)?;
        file.check_models(&path, &vault)?;
        let models_are_current = file.watch_models(path.clone(), environment.clone());
        let (data_dir, cache_dir) = storage(environment, overrides.data_dir.as_deref(), &vault)?;
        // What writes notes of another vault must reach neither the rules nor the index of this one.
        let others = file.folders.iter().filter(|(named, _)| Some(*named) != name.as_ref());
        let others: Vec<PathBuf> =
            others.map(|(_, folder)| trust::vault_root(folder).unwrap_or(folder.clone())).collect();
        for other in others.iter().filter(|folder| folder.is_dir()) {
            trust::check_file_outside(&path, other)?;
            file.check_models(&path, other)?;
            storage(environment, overrides.data_dir.as_deref(), other)?;
        }
        Ok(Config {
            vault_name: name.clone().unwrap_or_else(|| file.vault_name(&vault)),
            chosen: name,
            other_vaults: others,
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

    /// The names of the vaults in the file, in order, or those of `wanted`, each once and in the same order; none
    /// where the file has no `[vaults]`.
    pub fn vault_names(
        environment: &Environment,
        overrides: &Overrides,
        wanted: &[String],
    ) -> Result<Vec<String>, ConfigError> {
        let path = config_path(environment, overrides)?;
        let read = trust::read_file(&path, environment.user_id)?;
        let names: Vec<String> = match &read {
            Some(read) => Written::parse(&path, &read.bytes, environment)?.folders.into_keys().collect(),
            None => Vec::new(),
        };
        if let Some(name) = wanted.iter().find(|name| !names.contains(name)) {
            return Err(ConfigError::UnknownVault { name: name.clone(), file: path, names });
        }
        Ok(names.into_iter().filter(|name| wanted.is_empty() || wanted.contains(name)).collect())
    }
}

/// The folder beside the configuration file.
const LEDGER: &str = "ledger";

impl Config {
    /// The line of the configuration file, from 1, on which a rule stands; `None` for a rule that is no
    /// longer there. `key` is the rule's key in `[privacy]`.
    pub fn rule_line(&self, key: &str, rule: &str) -> Option<usize> {
        let bytes = disk::read(self.config_file.as_ref()?).ok()??.bytes;
        ConfigFile::parse(&bytes).ok()?.line_of(self.chosen.as_deref(), key, rule, &bytes)
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
        let section = if let Some(name) = &self.chosen {
            named_alone(&mut file, name)
        } else {
            file.remove("vaults");
            file.entry("vault").or_insert_with(|| toml::Table::new().into()).as_table_mut()
        };
        if let Some(section) = section {
            section.insert("path".to_owned(), vault.to_string_lossy().into_owned().into());
        }
        toml::to_string(&file).unwrap_or_default()
    }

    /// Would a file named like this on the command line lie in a vault? What cannot be told lies there.
    pub fn is_in_vault(&self, file: &Path, environment: &Environment) -> bool {
        let file = from_command_line(file, environment);
        self.vaults().any(|vault| disk::is_inside(&file, vault).unwrap_or(true))
    }

    /// The vault's folder, and those of the others that are there.
    pub fn vaults(&self) -> impl Iterator<Item = &Path> {
        let others = self.other_vaults.iter().filter(|folder| folder.is_dir());
        std::iter::once(&self.vault).chain(others).map(PathBuf::as_path)
    }

    /// Refuses a ledger that lies in a vault, or that others could have written.
    pub fn check_ledger(&self, environment: &Environment) -> Result<(), ConfigError> {
        self.vaults().try_for_each(|vault| trust::check_ledger(&self.ledger, vault, environment.user_id))
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

/// `[vaults.NAME]`, once it is the only one of its kind.
fn named_alone<'a>(file: &'a mut toml::Table, name: &str) -> Option<&'a mut toml::Table> {
    let vaults = file.get_mut("vaults")?.as_table_mut()?;
    vaults.retain(|other, _| other == name);
    vaults.get_mut(name)?.as_table_mut()
}

/// The rules that a configuration of this text has for every vault, or the line that is refused and why.
pub fn rules_of_text(bytes: &[u8]) -> Result<RuleText, String> {
    let read = || -> Result<RuleText, Refusal> {
        let file = ConfigFile::parse(bytes)?;
        file.compile_rules(None, bytes)?;
        file.vaults.keys().try_for_each(|name| file.compile_rules(Some(name), bytes).map(drop))?;
        Ok(file.rule_text(None))
    };
    read().map_err(|refusal| format!("line {}: {}. {}", refusal.line, refusal.problem, refusal.fix))
}

/// The file as understood, and the vaults it names.
struct Written {
    parsed: ConfigFile,
    /// Of `[vault]`.
    vault: Option<PathBuf>,
    /// Of `[vaults]`, by name.
    folders: BTreeMap<String, PathBuf>,
    embeddings: Embeddings,
    reranking: Option<Reranking>,
}

impl Default for Written {
    fn default() -> Self {
        let embeddings = Embeddings::Builtin(ModelChoice::Auto);
        let folders = BTreeMap::new();
        Written { parsed: ConfigFile::default(), vault: None, folders, embeddings, reranking: None }
    }
}

impl Written {
    fn parse(path: &Path, bytes: &[u8], environment: &Environment) -> Result<Self, ConfigError> {
        let understand = || -> Result<Self, Refusal> {
            let parsed = ConfigFile::parse(bytes)?;
            let expanded = |written: &Spanned<String>| {
                expand_home(written.get_ref(), environment.home.as_deref())
                    .map_err(|(problem, fix)| explain::bad_path(bytes, &written.span(), problem, fix))
            };
            Ok(Written {
                vault: parsed.vault.path.as_ref().map(expanded).transpose()?,
                folders: folders(bytes, &parsed, expanded)?,
                embeddings: parsed.embeddings.resolve(bytes, environment)?,
                reranking: parsed.rerank.resolve(bytes, environment)?,
                parsed,
            })
        };
        understand().map_err(|refusal| rules::in_file(path, refusal))
    }

    /// Which vault it is, and its real folder.
    fn choose(
        &self,
        file: &Path,
        environment: &Environment,
        overrides: &Overrides,
    ) -> Result<(Chosen, PathBuf), ConfigError> {
        if let Some(vault) = &overrides.vault {
            let root = trust::vault_root(&from_command_line(vault, environment))?;
            return Ok((self.choose_for_folder(&root, file, overrides.vault_name.as_deref())?, root));
        }
        let names = || self.folders.keys().cloned().collect();
        let name = match (&overrides.vault_name, self.folders.len()) {
            (Some(name), _) if self.folders.contains_key(name) => Some(name),
            (Some(name), _) => {
                let (name, file) = (name.clone(), file.to_owned());
                return Err(ConfigError::UnknownVault { name, file, names: names() });
            }
            (None, 2..) => return Err(ConfigError::NoChoice { file: file.to_owned(), names: names() }),
            (None, _) => self.folders.keys().next(),
        };
        let folder = name.map_or(self.vault.as_ref(), |name| self.folders.get(name));
        let folder = folder.ok_or_else(|| ConfigError::NoVault { file: file.to_owned() })?;
        Ok((name.map_or_else(|| self.unnamed(), |name| self.named(name)), trust::vault_root(folder)?))
    }

    /// A folder that the command line names has the rules that the file has for it, or those of the vault that is
    /// named beside it, which lies elsewhere here. It may not show notes of a vault without the rules of that one.
    fn choose_for_folder(&self, root: &Path, file: &Path, name: Option<&str>) -> Result<Chosen, ConfigError> {
        let refuse =
            |problem: String, fix: String| Err(ConfigError::Vault { path: root.to_owned(), problem, fix });
        let found = self.folders.iter().filter_map(|(other, at)| Some((other, trust::overlap(root, at)?)));
        let found: Vec<(&String, Overlap)> = found.collect();
        let is_meant = |(other, overlap): &(&String, Overlap)| match name {
            Some(name) => *other == name,
            None => *overlap == Overlap::Same,
        };
        if let Some((other, _)) = found.iter().find(|found| !is_meant(found)) {
            let problem = format!("shares notes with the vault `{other}`, whose rules would not count");
            return refuse(problem, format!("Choose that vault with `--vault-name {other}` alone."));
        }
        let name = name.or(found.first().map(|(other, _)| other.as_str()));
        match name {
            Some(name) if self.folders.contains_key(name) => Ok(self.named(name)),
            Some(name) => {
                let (name, names) = (name.to_owned(), self.folders.keys().cloned().collect());
                Err(ConfigError::UnknownVault { name, file: file.to_owned(), names })
            }
            None if self.parsed.vaults.values().any(|vault| vault.privacy.is_some()) => refuse(
                "is none of the vaults in the configuration, some of which have rules of their own"
                    .to_owned(),
                "Add `--vault-name NAME` to say whose rules hold there.".to_owned(),
            ),
            None => Ok(self.unnamed()),
        }
    }

    fn named(&self, name: &str) -> Chosen {
        let path = self.parsed.vaults.get(name).map_or("", |vault| vault.path());
        Chosen::Named { name: name.to_owned(), path: path.to_owned() }
    }

    fn unnamed(&self) -> Chosen {
        Chosen::Unnamed { others: self.parsed.named_paths() }
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

/// The folders of `[vaults]`, none of which may have notes in common: two sets of rules would hold for them.
fn folders(
    bytes: &[u8],
    file: &ConfigFile,
    expanded: impl Fn(&Spanned<String>) -> Result<PathBuf, Refusal>,
) -> Result<BTreeMap<String, PathBuf>, Refusal> {
    let mut folders: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (name, vault) in &file.vaults {
        let Some(written) = &vault.path else { continue };
        let folder = expanded(written)?;
        let other = folders.iter().find_map(|(other, known)| Some((other, trust::overlap(&folder, known)?)));
        if let Some((other, overlap)) = other {
            let how = match overlap {
                Overlap::Same => "are the same folder",
                Overlap::Nested => "lie one in the other",
            };
            let fix = "Give each vault a folder of its own, or keep one of the two: a note has the rules of one vault.";
            let problem = format!("`{other}` and `{name}` {how}");
            return Err(explain::bad_line(bytes, &written.span(), &problem, fix));
        }
        folders.insert(name.clone(), folder);
    }
    Ok(folders)
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
