//! The gate: the only way from a name to the text of a note, and the only way out for what was
//! made of it.
//!
//! Invariants. The bytes that are judged are the bytes that are handed out. A [`Note`] exists only
//! when this request's session admitted it. Everything a session hands out carries its brand
//! `'s`, which is invariant, so nothing outlives the request and nothing passes from one session
//! to another.

use std::io::{self, Read};
use std::marker::PhantomData;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::fs::FileType;

use super::decode::decode;
use super::exclusions::ExclusionCache;
use super::judge;
use super::links::{LinkMap, Names};
use super::path::NotePath;
use super::resolve::{self, Resolver};
use super::rules::{Rules, Standing};
use super::scan::{FileId, FileStat, Scan, file_id, scan};
use super::{Profile, RulesSource, RulesUnavailable};
use crate::failpoint::{self, Failpoint};

/// A file that keeps changing while it is read is given up after so many tries.
const READ_TRIES: usize = 4;
/// A file that was written this shortly ago is left alone for as long: its writer may not be done,
/// and the clock that stamps files may not have moved on, so that the next write would not show.
const WRITER_PAUSE: Duration = Duration::from_millis(20);
/// A file of at least this size without blocks on disk is a placeholder of a cloud service;
/// smaller ones may be stored inside their inode.
const PLACEHOLDER_BYTES: u64 = 4096;

/// The vault cannot be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is nothing at this place.
    #[error("there is no folder at {}", .0.display())]
    Missing(PathBuf),
    /// It is a file.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// It may not be read.
    #[error("no permission to read {}", .0.display())]
    Denied(PathBuf),
    /// Anything else.
    #[error("{} cannot be opened: {source}", path.display())]
    Io {
        /// The vault.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Absent and forbidden look the same from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("note not found")]
pub struct NotFound;

/// Why the gate refused. For the owner's own terminal; never told to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Missing, a link, or not readable.
    Absent,
    /// Not a regular file.
    NotAFile,
    /// Larger than the limit.
    TooLarge,
    /// Zero bytes or an unknown encoding.
    NotText,
    /// It kept changing while it was read.
    Unstable,
    /// A rule makes it private, or some of its names are not known.
    Private,
    /// It may not be read.
    Denied,
    /// A placeholder whose content is not on this disk.
    Placeholder,
}

/// Does somebody still wait for the answer? Once no, always no.
pub type IsWanted = Arc<dyn Fn() -> bool + Send + Sync>;

/// An open vault. Holds the only handle on its root.
pub struct Vault {
    pub(super) root: OwnedFd,
    path: PathBuf,
    device: u64,
    pub(super) resolver: Box<dyn Resolver>,
    rules: Box<dyn RulesSource>,
    exclusions: ExclusionCache,
    links: Mutex<Option<Arc<LinkMap>>>,
}

impl Vault {
    /// Opens the folder at `path`, links in that path included.
    #[expect(clippy::disallowed_methods, reason = "the wall opens the root, once")]
    pub fn open(path: &Path, rules: Box<dyn RulesSource>) -> Result<Vault, VaultError> {
        let fail = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => VaultError::Missing(path.to_owned()),
            io::ErrorKind::NotADirectory => VaultError::NotAFolder(path.to_owned()),
            io::ErrorKind::PermissionDenied => VaultError::Denied(path.to_owned()),
            _ => VaultError::Io { path: path.to_owned(), source },
        };
        let real = std::fs::canonicalize(path).map_err(fail)?;
        let root = rustix::fs::open(&real, resolve::FOLDER_FLAGS, rustix::fs::Mode::empty())
            .map_err(|error| fail(error.into()))?;
        let stat = rustix::fs::fstat(&root).map_err(|error| fail(error.into()))?;
        let (device, _) = file_id(&stat);
        let resolver = resolve::best(root.as_fd());
        let (exclusions, links) = (ExclusionCache::default(), Mutex::new(None));
        Ok(Vault { root, path: real, device, resolver, rules, exclusions, links })
    }

    /// Where the vault is, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Device and inode of the root: they stay when the vault is moved on its disk.
    pub fn root_id(&self) -> io::Result<(u64, u64)> {
        Ok(file_id(&rustix::fs::fstat(&self.root)?))
    }

    /// Runs one request under the rules as they stand now. Fails closed: without valid rules,
    /// nothing is served.
    pub fn request<R>(
        &self,
        profile: Profile,
        run: impl for<'s> FnOnce(&Session<'s>) -> R,
    ) -> Result<R, RulesUnavailable> {
        self.request_while(profile, Arc::new(|| true), run)
    }

    /// Like [`Vault::request`], for somebody who may go away: from then on [`Session::open`] refuses every
    /// note, so that whatever is at work on the vault soon runs out of notes. What came of it is to be thrown
    /// away.
    pub fn request_while<R>(
        &self,
        profile: Profile,
        is_wanted: IsWanted,
        run: impl for<'s> FnOnce(&Session<'s>) -> R,
    ) -> Result<R, RulesUnavailable> {
        if !self.is_in_place() {
            return Err(RulesUnavailable("the vault is no longer at its path; start again".to_owned()));
        }
        let rules = self.exclusions.add_to(self.rules.current()?, self.root.as_fd())?;
        let (links, has_surprised) = (OnceLock::new(), AtomicBool::new(false));
        let brand = PhantomData;
        Ok(run(&Session { vault: self, rules, profile, is_wanted, links, has_surprised, brand }))
    }

    /// Does the path still lead to the folder that was opened? After a move, a restored copy or an
    /// unmounted disk it does not, and what the handle shows is not what the owner sees.
    fn is_in_place(&self) -> bool {
        let id = |stat: rustix::io::Result<rustix::fs::Stat>| stat.ok().map(|stat| file_id(&stat));
        let opened = id(rustix::fs::fstat(&self.root));
        opened.is_some() && opened == id(rustix::fs::stat(&self.path))
    }

    /// The links of the vault, read again when a name changed.
    fn current_links(&self, rules: &Rules) -> io::Result<Arc<LinkMap>> {
        Ok(self.current_links_and_names(rules)?.0)
    }

    /// The same, with all names if they had to be read for it.
    fn current_links_and_names(&self, rules: &Rules) -> io::Result<(Arc<LinkMap>, Option<Scan>)> {
        let mut cached = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(links) = cached.as_ref().filter(|links| links.is_current(self.root.as_fd(), rules)) {
            return Ok((Arc::clone(links), None));
        }
        let (links, names) = LinkMap::read(self.root.as_fd(), &self.path, rules)?;
        let links = Arc::new(links);
        *cached = Some(Arc::clone(&links));
        Ok((links, Some(names)))
    }
}

/// `'s` may neither shrink nor grow: no session's goods fit another's.
type Brand<'s> = PhantomData<fn(&'s ()) -> &'s ()>;

/// One request: one profile, one generation of the rules. It cannot be stored.
pub struct Session<'s> {
    pub(super) vault: &'s Vault,
    pub(super) rules: Arc<Rules>,
    profile: Profile,
    is_wanted: IsWanted,
    /// Read once for the whole request, when first needed; `None` where the names cannot be read.
    links: OnceLock<Option<Arc<LinkMap>>>,
    has_surprised: AtomicBool,
    brand: Brand<'s>,
}

impl<'s> Session<'s> {
    /// Who asks.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// See [`super::RuleText::fingerprint`].
    pub fn rules_fingerprint(&self) -> &str {
        self.rules.fingerprint()
    }

    /// Opens a note: the only function from a name to text.
    pub fn open(&self, path: &NotePath) -> Result<Note<'s>, NotFound> {
        if !self.is_wanted() {
            return Err(NotFound);
        }
        self.admit(path).map_err(|_| NotFound)
    }

    /// Like [`Session::open`], with the reason for a refusal: for the owner's terminal only.
    pub fn admit(&self, path: &NotePath) -> Result<Note<'s>, Refusal> {
        let admitted = self.judge_and_open(path);
        #[cfg(feature = "failpoints")]
        let admitted = self.misremember(path, admitted);
        admitted.inspect_err(|_| self.has_surprised.store(true, Ordering::Relaxed))
    }

    /// Opens a note that an index knows with this hash, and notices if it says something else by now.
    pub fn open_indexed(&self, path: &NotePath, hash: &[u8; 16]) -> Result<Note<'s>, NotFound> {
        let note = self.open(path)?;
        if note.content_hash() != *hash {
            self.has_surprised.store(true, Ordering::Relaxed);
        }
        Ok(note)
    }

    /// Does somebody still wait for the answer? If not, notes are refused that are there.
    pub fn is_wanted(&self) -> bool {
        (self.is_wanted)()
    }

    /// Was a note refused in this request, or changed since it was indexed? Whoever asked for it by its place
    /// in an index knows then that the index is out of date.
    pub fn has_surprised(&self) -> bool {
        self.has_surprised.load(Ordering::Relaxed)
    }

    fn judge_and_open(&self, path: &NotePath) -> Result<Note<'s>, Refusal> {
        if self.rules.ignores_name(path.as_str()) {
            return Err(Refusal::Absent);
        }
        if self.is_public() && self.rules.hides_note(path) {
            return Err(Refusal::Private);
        }
        let bytes = self.read(path)?;
        if self.is_public() && !self.names_are_public(path, bytes.id, bytes.hard_links) {
            return Err(Refusal::Private);
        }
        let decoded = decode(bytes.content).ok_or(Refusal::NotText)?;
        let text = if self.is_public() {
            if !self.is_allowed(path, bytes.id, bytes.hard_links, &decoded.text) {
                return Err(Refusal::Private);
            }
            // Masked here, so that index, hashes and answers all know the masked text only.
            judge::public_text(&self.rules, decoded).ok_or(Refusal::Private)?
        } else {
            decoded.text
        };
        Ok(Note { path: path.clone(), text: text.into(), stat: bytes.stat, brand: PhantomData })
    }

    /// The exit: what was made of an admitted note may be shown to this session's audience.
    pub fn release<T>(&self, from: &Note<'s>, value: T) -> Released<'s, T> {
        let _ = from;
        Released { value, brand: PhantomData }
    }

    /// Several released values as one; none is a value too.
    pub fn gather<T>(&self, values: Vec<Released<'s, T>>) -> Released<'s, Vec<T>> {
        Released { value: values.into_iter().map(|released| released.value).collect(), brand: PhantomData }
    }

    fn is_public(&self) -> bool {
        self.profile == Profile::Public && !failpoint::is_on(Failpoint::SkipRevalidation)
    }

    /// All names of the vault. Where the links have to be read as well, one pass does for both.
    pub(super) fn scan(&self) -> io::Result<Scan> {
        if self.is_public() && self.links.get().is_none() {
            let (links, names) = self.vault.current_links_and_names(&self.rules)?;
            let _ = self.links.set(Some(links)); // another thread may have been first
            if let Some(names) = names {
                return Ok(names);
            }
        }
        scan(self.vault.root.as_fd(), &self.rules)
    }

    /// Every name that leads to the file; `None` where the names of the vault cannot be read.
    pub(super) fn names(&self, path: &NotePath, id: FileId, hard_links: u64) -> Option<Names> {
        let links = self.links.get_or_init(|| self.vault.current_links(&self.rules).ok());
        links.as_ref().map(|links| links.names(path.as_str(), id, hard_links))
    }

    /// Is every name that leads to the file free of folder rules?
    pub(super) fn names_are_public(&self, path: &NotePath, id: FileId, hard_links: u64) -> bool {
        let names = self.names(path, id, hard_links);
        matches!(names, Some(Names::Known(names)) if !names.iter().any(|name| self.rules.hides_name(name)))
    }

    /// Where notes are private by default: do all names of the file lie in allowed folders, or does the note
    /// say that it is public?
    fn is_allowed(&self, path: &NotePath, id: FileId, hard_links: u64, text: &str) -> bool {
        let names_are_allowed = || {
            let names = self.names(path, id, hard_links);
            matches!(names, Some(Names::Known(names)) if names.iter().all(|name| self.rules.allows_name(name)))
        };
        self.rules.default == Standing::Public
            || names_are_allowed()
            || judge::is_allowed_by_text(&self.rules, text)
    }

    /// Opens once, reads once; repeats only when the file changed meanwhile.
    pub(super) fn read(&self, path: &NotePath) -> Result<Bytes, Refusal> {
        for _ in 0..READ_TRIES {
            let file =
                self.vault.resolver.open(self.vault.root.as_fd(), path).map_err(|error| {
                    match error.kind() {
                        io::ErrorKind::PermissionDenied => Refusal::Denied,
                        _ => Refusal::Absent,
                    }
                })?;
            if let Some(bytes) = read_unchanged(file, self.vault.device, self.rules.max_note_bytes)? {
                return Ok(bytes);
            }
            std::thread::sleep(WRITER_PAUSE);
        }
        Err(Refusal::Unstable)
    }
}

/// What was read, and what the file was while it was read.
pub(super) struct Bytes {
    pub(super) content: Vec<u8>,
    stat: FileStat,
    pub(super) id: FileId,
    pub(super) hard_links: u64,
}

/// Reads the file, at most `limit` bytes. `None` when it changed while it was read or just before.
#[expect(clippy::useless_conversion, reason = "the types differ between systems")]
fn read_unchanged(file: OwnedFd, device: u64, limit: u64) -> Result<Option<Bytes>, Refusal> {
    let before = rustix::fs::fstat(&file).map_err(|_| Refusal::Absent)?;
    let stat = FileStat::of(&before);
    if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile || file_id(&before).0 != device {
        return Err(Refusal::NotAFile);
    }
    if stat.size > limit {
        return Err(Refusal::TooLarge);
    }
    if stat.size >= PLACEHOLDER_BYTES && before.st_blocks == 0 {
        return Err(Refusal::Placeholder);
    }
    if stat.changed().elapsed().is_ok_and(|age| age < WRITER_PAUSE) {
        return Ok(None);
    }
    let mut file = std::fs::File::from(file);
    let mut content = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0) + 1);
    (&mut file).take(limit.saturating_add(1)).read_to_end(&mut content).map_err(|_| Refusal::Absent)?;
    let after = rustix::fs::fstat(&file).map_err(|_| Refusal::Absent)?;
    let unchanged = FileStat::of(&after) == stat && content.len() as u64 == stat.size;
    let bytes = Bytes { content, stat, id: file_id(&after), hard_links: after.st_nlink.into() };
    Ok(unchanged.then_some(bytes))
}

/// A note that was opened under its real name, judged and admitted. Deliberately without `Clone`,
/// `Debug`, `Default` and `Deserialize`.
pub struct Note<'s> {
    path: NotePath,
    text: Box<str>,
    stat: FileStat,
    brand: Brand<'s>,
}

impl Note<'_> {
    /// Its name.
    pub fn path(&self) -> &NotePath {
        &self.path
    }

    /// The text that was judged.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the file was when it was read.
    pub fn stat(&self) -> FileStat {
        self.stat
    }

    /// BLAKE3 of the text, to tell whether an index is about this text.
    pub fn content_hash(&self) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(self.text.as_bytes()).as_bytes()[..16]);
        short
    }
}

#[cfg(feature = "failpoints")]
impl<'s> Session<'s> {
    /// Breaks the promise that every request judges what is there now; see [`failpoint`].
    fn misremember(&self, path: &NotePath, admitted: Result<Note<'s>, Refusal>) -> Result<Note<'s>, Refusal> {
        let name = path.as_str();
        let known = admitted.as_ref().ok();
        if failpoint::is_on(Failpoint::ServeOldText)
            && let Some(old) = failpoint::old_text(name, known.map(Note::text))
        {
            let stat =
                known.map_or(FileStat { size: 0, modified_ns: 0, changed_ns: 0, inode: 0 }, Note::stat);
            return Ok(Note { path: path.clone(), text: old.into(), stat, brand: PhantomData });
        }
        if failpoint::is_on(Failpoint::CacheVerdicts) {
            if let Some(note) = known {
                failpoint::was_public(name, note.stat.modified_ns, Some(true));
            } else if let Some(Bytes { content, stat, .. }) = self.read(path).ok()
                && failpoint::was_public(name, stat.modified_ns, None)
                && let Some(decoded) = decode(content)
            {
                return Ok(Note { path: path.clone(), text: decoded.text.into(), stat, brand: PhantomData });
            }
        }
        admitted
    }
}

/// A value that may be shown to this session's audience. Deliberately without `Clone`, `Debug`,
/// `Default` and `Deserialize`.
pub struct Released<'s, T> {
    value: T,
    brand: Brand<'s>,
}

impl<'s, T> Released<'s, T> {
    /// Reshapes the value.
    pub fn map<U>(self, reshape: impl FnOnce(T) -> U) -> Released<'s, U> {
        Released { value: reshape(self.value), brand: PhantomData }
    }

    /// Two values as one.
    pub fn with<U>(self, other: Released<'s, U>) -> Released<'s, (T, U)> {
        Released { value: (self.value, other.value), brand: PhantomData }
    }

    /// A look at the value, to decide what else to open.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Out of the door. Only `reply` calls it.
    pub(crate) fn into_reply_value(self) -> T {
        self.value
    }
}
