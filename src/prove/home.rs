//! A throw-away home: a vault, the owner's rules about it, and an index. It vanishes with the value.
#![expect(
    clippy::disallowed_methods,
    reason = "the proof makes its own vaults and starts the program it is about"
)]

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::plant::{Flip, MadeUpNote, Now};
use super::{Exhibit, ProveError};
use crate::vault::{FixedRules, NotePath, Profile, Rules, Vault};

/// When every note was modified, after 1970-01-01.
const MODIFIED_AT: Duration = Duration::from_hours(24 * 21_915);

pub(super) struct Home {
    root: PathBuf,
}

impl Home {
    /// A home with these notes.
    pub(super) fn create(exhibit: &Exhibit, name: &str, notes: &[MadeUpNote]) -> Result<Home, ProveError> {
        let home = Home { root: exhibit.folder.join(name) };
        let vault = home.vault();
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&vault)?;
        home.put(".config/obsearch/config.toml", &(exhibit.configuration)(&fs::canonicalize(&vault)?))?;
        let configuration = home.root.join(".config/obsearch/config.toml");
        fs::set_permissions(configuration, fs::Permissions::from_mode(0o600))?;
        if !exhibit.excluded.is_empty() {
            let settings = json!({ "userIgnoreFilters": exhibit.excluded });
            home.put("Notes/.obsidian/app.json", &settings.to_string())?;
        }
        for note in notes {
            home.write(&note.path, &note.text)?;
            // The homes are made one after the other, and answers tell which notes were modified last.
            let file = fs::File::options().write(true).open(home.vault().join(&note.path))?;
            file.set_modified(SystemTime::UNIX_EPOCH + MODIFIED_AT)?;
        }
        Ok(home)
    }

    fn vault(&self) -> PathBuf {
        self.root.join("Notes")
    }

    fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let file = self.root.join(name);
        fs::create_dir_all(file.parent().unwrap_or(&self.root))?;
        fs::write(file, text)
    }

    /// Writes a note. A name that the disk does not take twice (in another case) is left as it is.
    pub(super) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        self.put(&format!("Notes/{path}"), text)
    }

    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.vault().join(path))
    }

    /// Makes a public note private.
    pub(super) fn flip(&self, flip: &Flip) -> io::Result<()> {
        self.remove(&flip.path)?;
        match &flip.now {
            Now::Text(path, text) => self.write(path, text),
            Now::LinkTo(target) => symlink(target, self.vault().join(&flip.path)),
        }
    }

    /// The notes as the public may know them: private ones left out, private parts taken out.
    pub(super) fn public_remainder(
        &self,
        exhibit: &Exhibit,
        notes: &[MadeUpNote],
    ) -> Result<Vec<MadeUpNote>, ProveError> {
        let rules = FixedRules(Arc::new(Rules::compile(&exhibit.rules)?));
        let vault = Vault::open(&self.vault(), Box::new(rules))
            .map_err(|error| ProveError::Program(error.to_string()))?;
        let remainder = vault.request(Profile::Full, |session| {
            let is_public = |note: &&MadeUpNote| {
                let path = NotePath::parse(&note.path);
                path.is_ok_and(|path| {
                    let explanation = session.explain(&path);
                    explanation.refusal.is_none() && explanation.grounds.is_empty()
                })
            };
            notes.iter().filter(is_public).map(MadeUpNote::public_version).collect()
        });
        remainder.map_err(|error| ProveError::Program(error.to_string()))
    }

    /// The program in this home, with nothing of the owner's environment.
    pub(super) fn command(&self, exhibit: &Exhibit, arguments: &[&str]) -> Command {
        let mut command = Command::new(&exhibit.executable);
        command
            .args(arguments)
            .env_clear()
            .env("HOME", &self.root)
            .env("XDG_CONFIG_HOME", self.root.join(".config"))
            .env("XDG_DATA_HOME", self.root.join(".data"))
            .env("XDG_CACHE_HOME", self.root.join(".cache"))
            .current_dir(&self.root)
            .stdin(Stdio::null());
        #[cfg(feature = "failpoints")]
        command.envs(crate::failpoint::environment());
        command
    }

    /// Builds the public index and the full one: what a real vault has.
    pub(super) fn index(&self, exhibit: &Exhibit) -> Result<(), ProveError> {
        let output = self.command(exhibit, &["index", "--quiet"]).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(ProveError::Program(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }

    /// What the ledger says, but for times and hashes; nothing if the owner keeps none.
    pub(super) fn ledger(&self) -> io::Result<String> {
        let folder = self.root.join(".config/obsearch/ledger");
        let mut files = if folder.exists() { entries(&folder)? } else { Vec::new() };
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        let mut lines = String::new();
        for line in files.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()?.concat().lines() {
            let mut record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            if let Some(record) = record.as_object_mut() {
                record.retain(|name, _| name != "time" && name != "previous");
            }
            lines.push_str(&record.to_string());
            lines.push('\n');
        }
        Ok(lines)
    }

    /// Every file of the public index, by name.
    pub(super) fn public_files(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut files = Vec::new();
        for store in entries(&self.root.join(".data/obsearch"))? {
            for file in entries(&store.join("public")).unwrap_or_default() {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.push((format!("public index, {name}"), fs::read(&file)?));
            }
        }
        Ok(files)
    }
}

/// Removes what proofs of processes that are no more have left behind.
pub(super) fn remove_leftovers(beside: &Path) -> io::Result<()> {
    let Some(folder) = beside.parent().filter(|folder| folder.is_dir()) else { return Ok(()) };
    for entry in entries(folder)? {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let process = name.strip_prefix(super::FOLDER_PREFIX).and_then(|number| number.parse().ok());
        let process = process.and_then(rustix::process::Pid::from_raw);
        if process.is_some_and(|process| rustix::process::test_kill_process(process).is_err()) {
            fs::remove_dir_all(entry)?;
        }
    }
    Ok(())
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
        // The folder around it goes with the last of them.
        let _ = self.root.parent().map(fs::remove_dir);
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}
