//! A hermetic surrounding for the real binary: a temporary home with its XDG folders and a vault,
//! and nothing of the environment of the machine.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A home folder; it vanishes with the value.
pub(crate) struct Home {
    root: PathBuf,
    _folder: tempfile::TempDir,
}

/// What a run of the binary left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// The exit code; none if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output; the home folder is written as `~`, the binary as `[obsearch]`.
    pub(crate) stdout: String,
    /// Standard error, in the same way.
    pub(crate) stderr: String,
}

#[expect(clippy::disallowed_methods, reason = "a test prepares the vault and starts the binary")]
impl Home {
    /// An empty home folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        Home { root, _folder: folder }
    }

    /// A home folder with a vault in `Notes` and a configuration file that names it; `privacy` is
    /// the text of its `[privacy]` section.
    pub(crate) fn with_vault(notes: &[(&str, &str)], privacy: &str) -> Self {
        let home = Home::new();
        fs::create_dir(home.vault()).unwrap();
        home.configure(&format!("[vault]\npath = \"~/Notes\"\n[privacy]\n{privacy}\n"));
        for (name, text) in notes {
            home.write_note(name, text);
        }
        home
    }

    /// Writes the configuration file.
    pub(crate) fn configure(&self, text: &str) {
        self.write(".config/obsearch/config.toml", text);
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(self.path(".config/obsearch/config.toml"), private).unwrap();
    }

    /// Writes a note of the vault; folders are made.
    pub(crate) fn write_note(&self, name: &str, text: &str) {
        self.write(&format!("Notes/{name}"), text);
    }

    /// Writes a file below the home folder; folders are made.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// The text of a file below the home folder.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Permission bits of a file or folder below the home folder.
    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o7777
    }

    /// A path below the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The vault's folder.
    pub(crate) fn vault(&self) -> PathBuf {
        self.path("Notes")
    }

    /// The binary with these arguments in this home, ready to be started: no terminal, no
    /// environment but the home and the XDG folders.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obsearch"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", &self.root)
            .env("XDG_CONFIG_HOME", self.path(".config"))
            .env("XDG_DATA_HOME", self.path(".local/share"))
            .env("XDG_CACHE_HOME", self.path(".cache"))
            .current_dir(&self.root)
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary with these arguments to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.output(&mut self.command(arguments))
    }

    /// Runs the binary with these arguments and this standard input to its end.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command(arguments);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // A program that ends without reading its input is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        self.shown(&child.wait_with_output().unwrap())
    }

    /// Runs a prepared command to its end.
    pub(crate) fn output(&self, command: &mut Command) -> Output {
        self.shown(&command.output().unwrap())
    }

    fn shown(&self, output: &std::process::Output) -> Output {
        let shown = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).expect("the output is UTF-8");
            let binary = env!("CARGO_BIN_EXE_obsearch");
            text.replace(binary, "[obsearch]").replace(&*self.root.to_string_lossy(), "~")
        };
        Output { code: output.status.code(), stdout: shown(&output.stdout), stderr: shown(&output.stderr) }
    }
}

impl Output {
    /// Everything, for a snapshot.
    pub(crate) fn transcript(&self) -> String {
        let code = self.code.map_or("ended by a signal".to_owned(), |code| format!("exit {code}"));
        format!("{}--- stderr\n{}--- {code}\n", self.stdout, self.stderr)
    }
}

/// The names in a folder, in order.
#[expect(clippy::disallowed_methods, reason = "a test looks at what the binary left behind")]
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
