//! What the process was started with: the home folder, the XDG folders, the user.
//!
//! Read once, at the edge, by [`Environment::read`]; everything else takes the values as an
//! argument, so tests never depend on the machine they run on.

use std::path::{Path, PathBuf};

use super::Secret;

/// Every environment variable that obsearch itself reads. (`NO_COLOR` and the like are read by
/// the terminal libraries.)
pub mod names {
    /// The home folder.
    pub const HOME: &str = "HOME";
    /// Where configuration lives; `~/.config` if unset.
    pub const CONFIG_HOME: &str = "XDG_CONFIG_HOME";
    /// Where the index lives; `~/.local/share` if unset.
    pub const DATA_HOME: &str = "XDG_DATA_HOME";
    /// Where what can be fetched or computed again lives; `~/.cache` if unset.
    pub const CACHE_HOME: &str = "XDG_CACHE_HOME";
    /// Where Claude Code keeps its files; the home folder if unset.
    pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
    /// Where Codex keeps its files; `~/.codex` if unset.
    pub const CODEX_HOME: &str = "CODEX_HOME";
    /// A token: for `serve` one more that it takes, for `connect` the one that it sends.
    pub const TOKEN: &str = "OBSEARCH_TOKEN";
    /// Makes the model's runtime print timings to standard output, which belongs to the protocol.
    pub const RTEN_TIMING: &str = "RTEN_TIMING";
}

/// The folder below each of the XDG folders that belongs to obsearch.
const APPLICATION: &str = "obsearch";

/// The surroundings of the process. Relative XDG folders count as unset, as the XDG base
/// directory specification asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// `$XDG_DATA_HOME`.
    pub data_home: Option<PathBuf>,
    /// `$XDG_CACHE_HOME`.
    pub cache_home: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`.
    pub claude_config_dir: Option<PathBuf>,
    /// `$CODEX_HOME`.
    pub codex_home: Option<PathBuf>,
    /// The working folder: paths on the command line are relative to it.
    pub current_dir: Option<PathBuf>,
    /// The binary that runs: clients are told to start it.
    pub executable: Option<PathBuf>,
    /// `$OBSEARCH_TOKEN`.
    pub token: Option<Secret>,
    /// `$RTEN_TIMING` is set: the model's runtime prints to standard output.
    pub model_prints_timing: bool,
    /// The user that runs the process.
    pub user_id: u32,
}

impl Environment {
    /// Reads the surroundings of this process.
    pub fn read() -> Self {
        Environment {
            home: folder(names::HOME),
            config_home: folder(names::CONFIG_HOME),
            data_home: folder(names::DATA_HOME),
            cache_home: folder(names::CACHE_HOME),
            claude_config_dir: folder(names::CLAUDE_CONFIG_DIR),
            codex_home: folder(names::CODEX_HOME),
            current_dir: std::env::current_dir().ok(),
            executable: std::env::current_exe().ok(),
            token: secret(names::TOKEN),
            model_prints_timing: is_set(names::RTEN_TIMING),
            user_id: rustix::process::getuid().as_raw(),
        }
    }

    /// The variable of this name, as the configuration names it, if it is set.
    pub fn variable(&self, name: &str) -> Option<Secret> {
        secret(name)
    }

    /// The configuration file of this user, which need not exist; none without a home folder.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.below(self.config_home.as_deref(), ".config").map(|folder| folder.join("config.toml"))
    }

    /// The folder that holds the indexes; none without a home folder.
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.below(self.data_home.as_deref(), ".local/share")
    }

    /// The folder that holds what can be made again; none without a home folder.
    pub fn cache_dir(&self) -> Option<PathBuf> {
        self.below(self.cache_home.as_deref(), ".cache")
    }

    /// The folder in which applications keep their settings on this system; none without a home folder.
    pub fn settings_dir(&self) -> Option<PathBuf> {
        let below_home = |name: &str| self.home.as_ref().map(|home| home.join(name));
        if cfg!(target_os = "macos") {
            return below_home("Library/Application Support");
        }
        self.config_home.clone().or_else(|| below_home(".config"))
    }

    fn below(&self, xdg: Option<&Path>, default: &str) -> Option<PathBuf> {
        let base = xdg.map(Path::to_owned).or_else(|| self.home.as_ref().map(|home| home.join(default)))?;
        Some(base.join(APPLICATION))
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn secret(name: &str) -> Option<Secret> {
    std::env::var(name).ok().filter(|text| !text.is_empty()).map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &str, xdg: [&str; 3]) -> Environment {
        let set = |text: &str| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
        let [config_home, data_home, cache_home] = xdg.map(set);
        Environment { home: set(home), config_home, data_home, cache_home, ..Environment::default() }
    }

    #[track_caller]
    fn check(environment: &Environment, expected: [&str; 3]) {
        let folders = [environment.config_file(), environment.data_dir(), environment.cache_dir()];
        assert_eq!(folders, expected.map(|path| Some(PathBuf::from(path))));
    }

    #[test]
    fn folders_default_to_the_home_folder() {
        check(
            &environment("/home/ada", ["", "", ""]),
            [
                "/home/ada/.config/obsearch/config.toml",
                "/home/ada/.local/share/obsearch",
                "/home/ada/.cache/obsearch",
            ],
        );
    }

    #[test]
    fn xdg_folders_win_and_need_no_home() {
        check(
            &environment("", ["/c", "/d", "/k"]),
            ["/c/obsearch/config.toml", "/d/obsearch", "/k/obsearch"],
        );
        assert_eq!(Environment::default().config_file(), None);
    }
}
