//! Where trees live: one folder per vault, one per profile in it, one file per generation.
//!
//! ```text
//! <data folder>/key                            32 random bytes
//! <data folder>/<slug>-<keyed hash>/identity   the vault's id, and a keyed hash of its root
//! <data folder>/<slug>-<keyed hash>/public/    lock, gen-000001.db
//! ```
//!
//! The newest `gen-N.db` is the tree. A new one is built as `gen-N.db.building` and appears by a
//! rename, so a reader sees an old or a new tree, never half of one.
#![expect(clippy::disallowed_methods, reason = "the one place that handles the files of an index")]
#![expect(clippy::disallowed_types, reason = "the one place that handles the files of an index")]

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::error::IndexError;
use crate::vault::Profile;

const KEY_BYTES: usize = 32;
/// How the name of a finished tree ends.
const FINISHED: &str = ".db";
/// How the name of one ends that is damaged or not ours.
const SET_ASIDE: &str = ".db.damaged";

/// The trees of one vault.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    vault_id: String,
}

/// Held while a tree is written; the system drops it with the process.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
}

/// Which file stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Of the file that is there now.
    pub fn of(path: &Path) -> Result<FileIdentity, IndexError> {
        let metadata = fs::metadata(path).map_err(IndexError::io(path))?;
        Ok(FileIdentity { device: metadata.dev(), inode: metadata.ino() })
    }
}

impl Store {
    /// The store of a vault, if there is one. Writes nothing.
    pub fn find(data_dir: &Path, vault: &Path) -> Result<Option<Store>, IndexError> {
        let Some(key) = read_key(data_dir)? else { return Ok(None) };
        Store::open(data_dir.join(folder_name(&key, vault)))
    }

    /// The store of a vault, created if there is none. The store of a vault that was moved on its
    /// disk (same `root_id`, another path) is taken along.
    pub fn find_or_create(data_dir: &Path, vault: &Path, root_id: (u64, u64)) -> Result<Store, IndexError> {
        create_private_folder(data_dir)?;
        let key = match read_key(data_dir)? {
            Some(key) => key,
            None => create_key(data_dir)?,
        };
        let folder = data_dir.join(folder_name(&key, vault));
        let root = keyed_hash(&key, format!("{}:{}", root_id.0, root_id.1).as_bytes());
        if let Some(store) = Store::open(folder.clone())? {
            return Ok(store);
        }
        if let Some(moved) = find_by_root(data_dir, &root)? {
            fs::rename(&moved, &folder).map_err(IndexError::io(&moved))?;
            if let Some(store) = Store::open(folder.clone())? {
                return Ok(store);
            }
        }
        create_private_folder(&folder)?;
        let id = hex(&random()?[..8]);
        create_whole(&folder.join("identity"), format!("{id}\n{root}\n").as_bytes())?;
        // Another process may have been first: its identity is the one that counts.
        let store = Store::open(folder.clone())?;
        Ok(store.unwrap_or(Store { folder, vault_id: id }))
    }

    /// Where the trees of the vault lie.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The vault's identity: random, the same wherever the vault is moved.
    pub fn vault_id(&self) -> &str {
        &self.vault_id
    }

    /// The newest finished generation.
    pub fn current(&self, profile: Profile) -> Result<Option<PathBuf>, IndexError> {
        let newest = self.generations(profile)?.pop();
        Ok(newest.map(|number| self.generation(profile, number)))
    }

    /// Takes the right to write, or says that someone else has it.
    pub fn lock(&self, profile: Profile) -> Result<WriteLock, IndexError> {
        let folder = self.profile_folder(profile);
        create_private_folder(&folder)?;
        let path = folder.join("lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(IndexError::io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(WriteLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(IndexError::Locked),
            Err(TryLockError::Error(error)) => Err(IndexError::io(&path)(error)),
        }
    }

    /// Where the next generation is built. A file may be there already: an earlier run was killed.
    /// The number of one that was set aside is not used again: readers know a tree by its name.
    pub fn building(&self, profile: Profile) -> Result<PathBuf, IndexError> {
        let finished = self.generations(profile)?.pop();
        let set_aside = self.numbers(profile, SET_ASIDE)?.pop();
        let next = finished.max(set_aside).unwrap_or(0) + 1;
        Ok(with_suffix(&self.generation(profile, next), ".building"))
    }

    /// Turns what was built into the current generation, and removes the older ones and what was
    /// set aside.
    pub fn promote(&self, building: &Path, _held: &WriteLock) -> Result<PathBuf, IndexError> {
        let finished = building.with_extension("");
        let sync =
            |path: &Path| File::open(path).and_then(|file| file.sync_all()).map_err(IndexError::io(path));
        sync(building)?;
        fs::rename(building, &finished).map_err(IndexError::io(building))?;
        let folder = finished.parent().unwrap_or(&self.folder);
        sync(folder)?;
        remove_all_but(&finished)?;
        Ok(finished)
    }

    /// Removes whatever a killed run left beside the current generation: a tree it was building, or
    /// an older one that it had no time to remove. They may hold notes that are private by now.
    pub fn remove_leftovers(&self, profile: Profile, _held: &WriteLock) -> Result<(), IndexError> {
        self.current(profile)?.map_or(Ok(()), |current| remove_all_but(&current))
    }

    /// Removes a file that was being built, with what SQLite keeps beside it.
    pub fn discard(&self, building: &Path, _held: &WriteLock) -> Result<(), IndexError> {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            remove(&with_suffix(building, suffix))?;
        }
        Ok(())
    }

    /// Moves a damaged or foreign tree out of the way until a new one is whole. It does not stay:
    /// it may hold notes that are not for this profile.
    pub fn set_aside(&self, tree: &Path, _held: &WriteLock) -> Result<PathBuf, IndexError> {
        let aside = with_suffix(tree, ".damaged");
        fs::rename(tree, &aside).map_err(IndexError::io(tree))?;
        for suffix in ["-wal", "-shm"] {
            remove(&with_suffix(tree, suffix))?;
        }
        Ok(aside)
    }

    fn open(folder: PathBuf) -> Result<Option<Store>, IndexError> {
        let path = folder.join("identity");
        match fs::read_to_string(&path) {
            Ok(text) => {
                let vault_id = text.lines().next().unwrap_or_default().to_owned();
                Ok(Some(Store { folder, vault_id }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(IndexError::io(&path)(error)),
        }
    }

    fn profile_folder(&self, profile: Profile) -> PathBuf {
        self.folder.join(profile.as_str())
    }

    fn generation(&self, profile: Profile, number: u32) -> PathBuf {
        self.profile_folder(profile).join(format!("gen-{number:06}.db"))
    }

    /// Finished generations, oldest first.
    fn generations(&self, profile: Profile) -> Result<Vec<u32>, IndexError> {
        self.numbers(profile, FINISHED)
    }

    /// Numbers of the generations whose names end so, oldest first.
    fn numbers(&self, profile: Profile, ending: &str) -> Result<Vec<u32>, IndexError> {
        let folder = self.profile_folder(profile);
        let mut numbers: Vec<u32> =
            list(&folder)?.iter().filter_map(|path| generation_number(path, ending)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn generation_number(path: &Path, ending: &str) -> Option<u32> {
    path.file_name()?.to_str()?.strip_prefix("gen-")?.strip_suffix(ending)?.parse().ok()
}

/// `notes-3f…`: readable for the owner, unguessable from the vault's path.
fn folder_name(key: &[u8; KEY_BYTES], vault: &Path) -> String {
    let name = vault.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let slug: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(24).collect();
    format!("{slug}-{}", keyed_hash(key, vault.as_os_str().as_encoded_bytes()))
}

fn keyed_hash(key: &[u8; KEY_BYTES], bytes: &[u8]) -> String {
    hex(&blake3::keyed_hash(key, bytes).as_bytes()[..8])
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The store whose vault has this root, wherever it was when it was created.
fn find_by_root(data_dir: &Path, root: &str) -> Result<Option<PathBuf>, IndexError> {
    let matches = |folder: &PathBuf| {
        fs::read_to_string(folder.join("identity")).is_ok_and(|text| text.lines().nth(1) == Some(root))
    };
    Ok(list(data_dir)?.into_iter().find(matches))
}

fn read_key(data_dir: &Path) -> Result<Option<[u8; KEY_BYTES]>, IndexError> {
    let path = data_dir.join("key");
    match fs::read(&path) {
        Ok(bytes) => Ok(bytes.try_into().ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(IndexError::io(&path)(error)),
    }
}

fn create_key(data_dir: &Path) -> Result<[u8; KEY_BYTES], IndexError> {
    let path = data_dir.join("key");
    create_whole(&path, &random()?)?;
    let broken =
        || io::Error::new(io::ErrorKind::InvalidData, "it is not a key of obsearch; remove the file");
    read_key(data_dir)?.ok_or_else(|| IndexError::io(&path)(broken()))
}

/// Writes a file unless it is there. Two processes may come here at once, and the disk may be
/// full: the file appears whole or not at all, and the first process wins.
fn create_whole(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let draft = with_suffix(path, &format!(".{}", std::process::id()));
    let linked = write_private(&draft, bytes).map(|()| fs::hard_link(&draft, path));
    remove(&draft)?;
    match linked? {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(IndexError::io(path)(error)),
        _ => Ok(()),
    }
}

fn random() -> Result<[u8; KEY_BYTES], IndexError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; KEY_BYTES];
    File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map_err(IndexError::io(path))?;
    Ok(bytes)
}

pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(IndexError::io(path))
}

/// SQLite gives the files beside it the same mode.
pub(super) fn create_private_file(path: &Path) -> Result<(), IndexError> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    created.map(drop).map_err(IndexError::io(path))
}

/// Does a write-ahead log with anything in it lie beside a tree?
pub(super) fn has_log(tree: &Path) -> bool {
    fs::metadata(with_suffix(tree, "-wal")).is_ok_and(|log| log.len() > 0)
}

fn create_private_folder(folder: &Path) -> Result<(), IndexError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(IndexError::io(folder))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(IndexError::io(folder))?,
    };
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(IndexError::io(folder))).collect()
}

/// Removes every generation but this one; readers that have one open keep it until they close it.
fn remove_all_but(current: &Path) -> Result<(), IndexError> {
    let (Some(folder), Some(current)) = (current.parent(), current.file_name()) else { return Ok(()) };
    for entry in list(folder)? {
        let name = entry.file_name().unwrap_or_default().as_encoded_bytes();
        let ending = name.strip_prefix(current.as_encoded_bytes());
        // What SQLite and we keep beside a tree.
        let is_current = ending
            .is_some_and(|ending| [&b""[..], b"-wal", b"-shm", b"-journal", b".verified"].contains(&ending));
        if name.starts_with(b"gen-") && !is_current {
            remove(&entry)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), IndexError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(IndexError::io(path)(error)),
        _ => Ok(()),
    }
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
