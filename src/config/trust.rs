//! Whether the files and folders that decide what is private can be trusted: nobody else can
//! write them, and nothing that works inside the vault can either.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::ConfigError;
use crate::config::disk::{self, Access, FileBytes};

const STICKY_BIT: u32 = 0o1000;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Refuses a configuration file that someone else could change: another owner, write permission
/// for group or others on the file or its folder, or a second name (a hard link) elsewhere.
pub(super) fn check_file_access(file: &FileBytes, user_id: u32) -> Result<(), ConfigError> {
    let path = &file.real_path;
    check_access(path, file.access, user_id)?;
    if file.access.names > 1 && file.access.owner == user_id {
        let copy = path.with_extension("copy");
        return Err(ConfigError::File {
            file: path.clone(),
            problem: "has hard links, so it could be changed under another name".to_owned(),
            fix: format!("Run `cp -p {0} {1} && mv {1} {0}`.", quoted(path), quoted(&copy)),
        });
    }
    let Some(folder) = path.parent() else { return Ok(()) };
    match disk::access(folder) {
        Ok(Some(access)) => check_access(folder, access, user_id),
        Ok(None) => Ok(()),
        Err(error) => Err(unreadable(folder, &error)),
    }
}

fn check_access(path: &Path, access: Access, user_id: u32) -> Result<(), ConfigError> {
    let (problem, fix) = match access_problem(access, user_id) {
        None => return Ok(()),
        Some(Problem::Owner) => {
            ("belongs to another user", format!("Run `sudo chown {user_id} {}`.", quoted(path)))
        }
        Some(Problem::Mode) => {
            ("can be changed by other users", format!("Run `chmod go-w {}`.", quoted(path)))
        }
    };
    Err(ConfigError::File { file: path.to_owned(), problem: problem.to_owned(), fix })
}

enum Problem {
    Owner,
    Mode,
}

/// The rule of ssh: the user's or root's, and writable by the owner only. In a sticky folder
/// others cannot replace a file that is not theirs.
fn access_problem(access: Access, user_id: u32) -> Option<Problem> {
    if access.owner != user_id && access.owner != 0 {
        Some(Problem::Owner)
    } else if access.mode & WRITABLE_BY_OTHERS != 0 && access.mode & STICKY_BIT == 0 {
        Some(Problem::Mode)
    } else {
        None
    }
}

/// Refuses a configuration file inside the vault: whatever writes notes could change the rules.
pub(super) fn check_file_outside(file: &Path, vault: &Path) -> Result<(), ConfigError> {
    match disk::is_inside(file, vault) {
        Ok(false) => Ok(()),
        Ok(true) => Err(ConfigError::File {
            file: file.to_owned(),
            problem: "lies inside the vault, so whatever writes notes could change the rules".to_owned(),
            fix: "Move it out of the vault, or choose a narrower folder as the vault.".to_owned(),
        }),
        Err(error) => Err(vault_error(vault, &error)),
    }
}

/// Refuses a data or cache folder that lies inside the vault or that others can write.
pub(super) fn check_storage(
    folder: &Path,
    vault: &Path,
    variable: &str,
    user_id: u32,
) -> Result<(), ConfigError> {
    let refuse = |problem: &str, fix: String| {
        Err(ConfigError::Storage { path: folder.to_owned(), problem: problem.to_owned(), fix })
    };
    if disk::is_inside(folder, vault).map_err(|error| vault_error(vault, &error))? {
        return refuse(
            "lies inside the vault, so the index would become part of the notes",
            format!("Set {variable} to a folder outside the vault."),
        );
    }
    let access = disk::access(folder).map_err(|error| unreadable(folder, &error))?;
    match access.and_then(|access| access_problem(access, user_id)) {
        None => Ok(()),
        Some(Problem::Owner) => {
            refuse("belongs to another user", format!("Run `sudo chown -R {user_id} {}`.", quoted(folder)))
        }
        Some(Problem::Mode) => {
            refuse("can be changed by other users", format!("Run `chmod go-w {}`.", quoted(folder)))
        }
    }
}

/// Refuses a folder for the ledger that lies inside the vault or that others can write.
pub(super) fn check_ledger(folder: &Path, vault: &Path, user_id: u32) -> Result<(), ConfigError> {
    let refuse = |problem: &str, fix: String| Err(ConfigError::ledger(folder, problem, &fix));
    if disk::is_inside(folder, vault).map_err(|error| vault_error(vault, &error))? {
        let fix = "Move the configuration file out of the vault";
        return refuse(
            "lies inside the vault, where the ledger would become part of the notes",
            fix.to_owned(),
        );
    }
    let access = disk::access(folder).map_err(|error| {
        ConfigError::ledger(folder, &format!("cannot be looked at ({error})"), "Check its permissions")
    })?;
    match access.and_then(|access| access_problem(access, user_id)) {
        None => Ok(()),
        Some(Problem::Owner) => {
            refuse("belongs to another user", format!("Run `sudo chown -R {user_id} {}`", quoted(folder)))
        }
        Some(Problem::Mode) => {
            refuse("can be changed by other users", format!("Run `chmod 700 {}`", quoted(folder)))
        }
    }
}

/// The real folder of the vault, if it is one and can be listed.
pub(super) fn vault_root(path: &Path) -> Result<PathBuf, ConfigError> {
    disk::listable_folder(path).map_err(|error| vault_error(path, &error))
}

/// Whether two names lead to the same folder; a folder that cannot be found is not the same.
pub(super) fn is_same_folder(left: &Path, right: &Path) -> bool {
    disk::listable_folder(left)
        .is_ok_and(|left| disk::listable_folder(right).is_ok_and(|right| left == right))
}

/// How two folders lie to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    /// They are one.
    Same,
    /// One lies in the other.
    Nested,
}

/// Whether two folders have notes in common. What is not there is judged by its name.
pub(super) fn overlap(left: &Path, right: &Path) -> Option<Overlap> {
    let lies_in = |inner: &Path, outer: &Path| {
        inner.starts_with(outer) || disk::is_inside(inner, outer).unwrap_or(false)
    };
    match (lies_in(left, right), lies_in(right, left)) {
        (true, true) => Some(Overlap::Same),
        (false, false) => None,
        _ => Some(Overlap::Nested),
    }
}

/// Reads the configuration file and refuses it if it cannot be trusted; none if there is none.
pub(super) fn read_file(path: &Path, user_id: u32) -> Result<Option<FileBytes>, ConfigError> {
    let Some(file) = disk::read(path).map_err(|error| unreadable(path, &error))? else { return Ok(None) };
    check_file_access(&file, user_id)?;
    Ok(Some(file))
}

fn vault_error(path: &Path, error: &io::Error) -> ConfigError {
    let (problem, fix) = match error.kind() {
        io::ErrorKind::NotFound => (
            "does not exist".to_owned(),
            "Check the path for typing errors, and that its disk is there.".to_owned(),
        ),
        io::ErrorKind::NotADirectory => {
            ("is not a folder".to_owned(), "Name the folder that holds the notes.".to_owned())
        }
        io::ErrorKind::PermissionDenied => ("may not be read".to_owned(), permission_fix(path)),
        _ => (format!("cannot be opened ({error})"), "Check the disk it is on.".to_owned()),
    };
    ConfigError::Vault { path: path.to_owned(), problem, fix }
}

fn permission_fix(path: &Path) -> String {
    if cfg!(target_os = "macos") {
        "Allow it in System Settings, Privacy & Security, Files and Folders.".to_owned()
    } else {
        format!("Run `chmod u+rx {}`, or start obsearch as the user the notes belong to.", quoted(path))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> ConfigError {
    let (problem, fix) = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            ("may not be read".to_owned(), format!("Run `chmod u+r {}`.", quoted(path)))
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => {
            ("is not a file".to_owned(), "Move it away and run `obsearch init`.".to_owned())
        }
        io::ErrorKind::FileTooLarge => {
            ("is larger than 1 MiB".to_owned(), "Run `obsearch init --force` to write a new one.".to_owned())
        }
        _ => (format!("cannot be read ({error})"), "Check the disk it is on.".to_owned()),
    };
    ConfigError::File { file: path.to_owned(), problem, fix }
}

fn quoted(path: &Path) -> String {
    shell_quoted(&path.display().to_string())
}

/// A word of a shell command, in quotes if it needs them.
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_and_root_may_own_and_write() {
        let rows = [
            (1000, 0o600, true),
            (1000, 0o644, true),
            (0, 0o644, true),
            (0, 0o1777, true),
            (1000, 0o664, false),
            (1000, 0o602, false),
            (0, 0o664, false),
            (1001, 0o600, false),
        ];
        for (owner, mode, trusted) in rows {
            let access = Access { owner, mode, names: 1 };
            assert_eq!(access_problem(access, 1000).is_none(), trusted, "{owner} {mode:o}");
        }
    }

    #[test]
    fn paths_are_quoted_for_the_shell() {
        assert_eq!(quoted(Path::new("/home/ada/x.toml")), "/home/ada/x.toml");
        assert_eq!(quoted(Path::new("/it's me")), r"'/it'\''s me'");
    }
}
