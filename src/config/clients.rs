//! The configuration files of AI clients: where each lies, and how obsearch is registered there.
//!
//! Only what says how to start obsearch is added or changed; all else stays as it is, byte for byte, beside a
//! copy of what was there. A text in which that cannot be done for sure is left to its owner, and nothing is
//! ever written into the vault, through links neither.

mod json;
mod toml;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::config::disk::{self, Existing, FileBytes};
use crate::config::{ConfigError, Environment, trust};

/// What obsearch is called in the files of clients.
const NAME: &str = "obsearch";
/// Claude Code keeps more than settings in its file.
const MAX_CLIENT_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// A program that talks to MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code, in every folder.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Cursor, in every folder.
    Cursor,
    /// Visual Studio Code, in the default profile.
    VsCode,
    /// Codex, in every folder.
    Codex,
}

/// How a client starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The binary; desktop applications do not see the PATH of a shell, so it is a whole path.
    pub command: String,
    /// What it is given, from `serve` on.
    pub arguments: Vec<String>,
}

/// Why a text is left to its owner, to be read after the path of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Problem(&'static str);

const OTHER_KIND: Problem = Problem("has a server `obsearch` already that is not started as a program");
const UNSURE: Problem = Problem("is written in a way in which the entry cannot be added for sure");

/// What a file lies in.
enum Base {
    Home,
    /// Where applications keep their settings.
    Settings,
}

impl Client {
    /// The client's own name.
    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::ClaudeDesktop => "Claude Desktop",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
            Client::Codex => "Codex",
        }
    }

    /// The systems, and where the file is on each.
    pub fn places(self) -> [(&'static str, String); 3] {
        let (base, name) = self.place();
        let [linux, mac, windows] = match base {
            Base::Home => ["~", "~", "%USERPROFILE%"],
            Base::Settings => ["~/.config", "~/Library/Application Support", "%APPDATA%"],
        };
        [
            ("Linux", format!("{linux}/{name}")),
            ("macOS", format!("{mac}/{name}")),
            ("Windows", format!("{windows}/{name}").replace('/', r"\")),
        ]
    }

    /// The file of this user, which need not exist; none without a home folder.
    pub fn file(self, environment: &Environment) -> Option<PathBuf> {
        let own_folder = match self {
            Client::ClaudeCode => environment.claude_config_dir.as_ref(),
            Client::Codex => environment.codex_home.as_ref(),
            _ => None,
        };
        let (base, name) = self.place();
        if let Some(folder) = own_folder {
            return Some(folder.join(Path::new(name).file_name()?));
        }
        let base = match base {
            Base::Home => environment.home.clone(),
            Base::Settings => environment.settings_dir(),
        };
        Some(base?.join(name))
    }

    fn place(self) -> (Base, &'static str) {
        match self {
            Client::ClaudeCode => (Base::Home, ".claude.json"),
            Client::ClaudeDesktop => (Base::Settings, "Claude/claude_desktop_config.json"),
            Client::Cursor => (Base::Home, ".cursor/mcp.json"),
            Client::VsCode => (Base::Settings, "Code/User/mcp.json"),
            Client::Codex => (Base::Home, ".codex/config.toml"),
        }
    }

    /// The text of a file that registers obsearch and says nothing else.
    pub fn registration(self, launch: &Launch) -> String {
        self.with_server("", launch).ok().flatten().unwrap_or_default()
    }

    /// The text with obsearch in it; none if it says so already.
    fn with_server(self, text: &str, launch: &Launch) -> Result<Option<String>, Problem> {
        let Launch { command, arguments } = launch;
        let typed = json!({ "type": "stdio", "command": command, "args": arguments });
        match self {
            Client::Codex => toml::with_server(text, launch),
            Client::ClaudeDesktop => {
                json::with_server(text, "mcpServers", &json!({ "command": command, "args": arguments }))
            }
            Client::VsCode => json::with_server(text, "servers", &typed),
            Client::ClaudeCode | Client::Cursor => json::with_server(text, "mcpServers", &typed),
        }
    }
}

/// What is to be done to a client's file.
pub enum Planned {
    /// Nothing: obsearch is there as wanted.
    There(PathBuf),
    /// This.
    Change(Change),
}

/// A file and the text it is to have.
pub struct Change {
    /// The file, as the client knows it.
    pub file: PathBuf,
    /// What it says; empty if it is not there.
    pub before: String,
    /// What it is to say.
    pub after: String,
    read: Option<FileBytes>,
}

/// Looks at a client's file and says what is to be done; nothing is written.
pub fn plan(
    client: Client,
    launch: &Launch,
    environment: &Environment,
    vaults: &[&Path],
) -> Result<Planned, ConfigError> {
    let file = client.file(environment).ok_or(ConfigError::NoHome)?;
    let refused = |problem: String| refused(&file, problem);
    let read = disk::read_at_most(&file, MAX_CLIENT_FILE_BYTES)
        .map_err(|error| refused(format!("cannot be read ({error})")))?;
    if read.is_none() && disk::leads_nowhere(&file) {
        return Err(refused("leads through a link to nothing".to_owned()));
    }
    let real_path = read.as_ref().map_or(&file, |read| &read.real_path);
    if vaults.iter().any(|vault| disk::is_inside(real_path, vault).unwrap_or(true)) {
        return Err(refused("lies inside the vault, where nothing is ever written".to_owned()));
    }
    if read.as_ref().is_some_and(|read| read.access.owner != environment.user_id) {
        return Err(refused("belongs to another user".to_owned()));
    }
    let bytes = read.as_ref().map(|read| read.bytes.clone()).unwrap_or_default();
    let before = String::from_utf8(bytes).map_err(|_| refused("is not UTF-8".to_owned()))?;
    let after = client.with_server(&before, launch).map_err(|problem| refused(problem.0.to_owned()))?;
    Ok(match after {
        None => Planned::There(file),
        Some(after) => Planned::Change(Change { file, before, after, read }),
    })
}

impl Change {
    /// Writes the file, all of it or nothing, and keeps a copy of what was there beside it, for the owner
    /// alone. Answers the copy's path. A file that changed since it was looked at stays as it is.
    pub fn write(&self) -> Result<Option<PathBuf>, ConfigError> {
        let written = match &self.read {
            None => self.create().map(|()| None),
            Some(read) => disk::keep_copy(read).and_then(|copy| {
                disk::replace(read, &self.after).inspect_err(|_| disk::discard(&copy))?;
                Ok(Some(copy))
            }),
        };
        written.map_err(|error| refused(&self.file, format!("cannot be written ({error})")))
    }

    fn create(&self) -> std::io::Result<()> {
        disk::create_private_folder(self.file.parent().unwrap_or(Path::new("/")))?;
        disk::write_private_file(&self.file, &self.after, Existing::Keep)
    }
}

fn refused(file: &Path, problem: String) -> ConfigError {
    ConfigError::File {
        file: file.to_owned(),
        problem,
        fix: "Put the entry in yourself: without `--write`, `obsearch setup` prints it.".to_owned(),
    }
}

/// How a client starts this very program, with these arguments after `serve`.
pub fn launch(environment: &Environment, options: Vec<String>) -> Result<Launch, ConfigError> {
    let command =
        environment.executable.as_deref().and_then(Path::to_str).ok_or(ConfigError::NoExecutable)?;
    let arguments = std::iter::once("serve".to_owned()).chain(options).collect();
    Ok(Launch { command: command.to_owned(), arguments })
}

/// The command that registers obsearch with Claude Code in every folder.
pub fn claude_command(launch: &Launch) -> String {
    let words = std::iter::once(&launch.command).chain(&launch.arguments);
    let words: Vec<String> = words.map(|word| trust::shell_quoted(word)).collect();
    format!("claude mcp add --scope user {NAME} -- {}", words.join(" "))
}

#[cfg(test)]
mod tests;
