//! Appending to the ledger: one line for each answer, under a lock, without waiting for the disk. A failure stops no
//! answer; it is counted, told once, and written into the ledger as soon as that is possible again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::disk::{self, Hold};
use super::head::Head;
use super::lines::lines;
use super::read::{Found, read_head};
use super::record::{Entry, Gap, Record, Transport, hash, now};
use crate::ops::shown::Shown;
use crate::reply::may_deceive;
use crate::vault::Profile;

/// A segment that is at least so long gets no further line.
pub(super) const SEGMENT_BYTES: u64 = 8 << 20;
/// Of a client's name, and of its version.
const MAX_NAME_CHARS: usize = 64;

/// What a client says of itself, made harmless: short, on one line, nothing in it that hides or reorders text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Client {
    name: String,
    version: String,
}

impl Client {
    /// From the client's own words.
    pub fn new(name: &str, version: &str) -> Client {
        let clean = |text: &str| {
            let shown = text.trim().chars().take(MAX_NAME_CHARS);
            shown
                .map(|letter| if may_deceive(letter) { char::REPLACEMENT_CHARACTER } else { letter })
                .collect()
        };
        Client { name: clean(name), version: clean(version) }
    }
}

/// Who asked, and by what.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The client.
    pub client: Client,
    /// How it came.
    pub transport: Transport,
    /// The tool, or the method of MCP. Never a word of the client's.
    pub call: &'static str,
}

/// The ledger as a server for one profile writes it, or none if the owner wants none.
#[derive(Clone, Default)]
pub struct Book(Option<Arc<Entered>>);

/// What is the same in all that is entered, and the names of the vaults.
struct Entered {
    ledger: Arc<Ledger>,
    profile: Profile,
    vaults: Vec<String>,
}

impl Book {
    /// What is entered is for this profile, out of these vaults.
    pub fn new(ledger: Option<Arc<Ledger>>, profile: Profile, vaults: Vec<String>) -> Book {
        Book(ledger.map(|ledger| Arc::new(Entered { ledger, profile, vaults })))
    }

    /// Records an answer about the vault of this number, which is given whether or not that works.
    pub fn enter(&self, asked: Asked, vault: usize, shown: Shown) {
        let Some(entered) = &self.0 else { return };
        let Asked { client, transport, call } = asked;
        entered.ledger.append(Record {
            number: 0,
            time: now(),
            client: client.name,
            client_version: client.version,
            transport,
            call: call.to_owned(),
            profile: entered.profile.as_str().to_owned(),
            vault: entered.vaults.get(vault).cloned().unwrap_or_default(),
            notes: shown.into_notes(),
            previous: String::new(),
        });
    }
}

/// The ledger in a folder. Any number of them, in any number of processes, may be open for one folder.
pub struct Ledger {
    folder: PathBuf,
    segment_bytes: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// As this process last left it: whoever puts older files in their place does not go unnoticed.
    known: Option<Head>,
    /// Answers that are neither recorded nor counted in the head.
    uncounted: u64,
    has_warned: bool,
}

impl Ledger {
    /// Opens the ledger in a folder and makes sure that it can be written.
    pub fn open(folder: &Path) -> io::Result<Ledger> {
        Ledger::with_segments_of(folder, SEGMENT_BYTES)
    }

    pub(super) fn with_segments_of(folder: &Path, segment_bytes: u64) -> io::Result<Ledger> {
        let (file, found) = open_head(folder)?;
        let known = match found {
            Found::Head(head) => Some(head),
            Found::Nothing if disk::segments(folder)?.is_empty() => Some(Head::of_nothing()),
            Found::Nothing | Found::Damaged => None,
        };
        if let Some(head) = &known {
            write_head(&file, head)?;
        }
        if let Some(last) = disk::segments(folder)?.last() {
            disk::open_segment(folder, *last)?;
        }
        let state = Mutex::new(State { known, ..State::default() });
        Ok(Ledger { folder: folder.to_owned(), segment_bytes, state })
    }

    /// Appends a record; its number and what binds it to the line before are set here.
    pub(super) fn append(&self, record: Record) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.append(self, record) {
            Ok(()) => state.has_warned = false,
            Err(error) if !state.has_warned => {
                state.has_warned = true;
                tracing::warn!("the ledger cannot be written, answers are given all the same: {error}");
            }
            Err(_) => {}
        }
    }
}

impl State {
    fn append(&mut self, ledger: &Ledger, record: Record) -> io::Result<()> {
        let (file, found) = open_head(&ledger.folder).inspect_err(|_| self.uncounted += 1)?;
        let start = self.start(&ledger.folder, found).inspect_err(|_| self.uncounted += 1)?;
        let before = start.head.clone();
        match start.write(ledger, record, self.uncounted) {
            Ok(head) => {
                self.uncounted = 0;
                self.known = Some(head.clone());
                write_head(&file, &head)
            }
            Err(error) => {
                self.uncounted += 1;
                if self.known.is_some() {
                    let counted = Head { unrecorded: before.unrecorded + self.uncounted, ..before };
                    if write_head(&file, &counted).is_ok() {
                        self.known = Some(counted);
                        self.uncounted = 0;
                    }
                }
                Err(error)
            }
        }
    }

    /// Where the next line goes.
    fn start(&self, folder: &Path, found: Found) -> io::Result<Start> {
        let (head, head_lost) = match (found, &self.known) {
            (Found::Head(found), Some(known)) if known.lines > found.lines => (known.clone(), false),
            (Found::Head(found), _) => (found, false),
            (_, Some(known)) => (known.clone(), false),
            _ => (recovered(folder)?, true),
        };
        Ok(Start { head, head_lost })
    }
}

/// Where the next line goes.
struct Start {
    head: Head,
    head_lost: bool,
}

impl Start {
    /// Writes a record, and before it what went wrong since the last one. Gives the head that is right then.
    fn write(self, ledger: &Ledger, record: Record, uncounted: u64) -> io::Result<Head> {
        let Start { mut head, head_lost } = self;
        if head.bytes >= ledger.segment_bytes {
            (head.segment, head.bytes) = (head.segment + 1, 0);
        }
        let mut file = disk::open_segment(&ledger.folder, head.segment)?;
        let size = file.metadata()?.len();
        let mut torn = if size == head.bytes { Vec::new() } else { settle(&mut file, &mut head, size)? };
        let mut bytes = Vec::new();
        if torn.last().is_some_and(|byte| *byte != b'\n') {
            bytes.push(b'\n');
            torn.push(b'\n');
        }
        let unrecorded = head.unrecorded + uncounted;
        if !torn.is_empty() || unrecorded > 0 || head_lost {
            let gap = Gap {
                number: head.lines + 1,
                time: now(),
                torn_bytes: torn.len() as u64,
                torn_hash: if torn.is_empty() { String::new() } else { hash(&torn) },
                unrecorded,
                head_lost,
                previous: head.last.clone(),
            };
            add(&mut bytes, &mut head, &Entry::Gap(gap));
        }
        let record = Record { number: head.lines + 1, previous: head.last.clone(), ..record };
        add(&mut bytes, &mut head, &Entry::Served(record));
        file.write_all(&bytes)?;
        (head.bytes, head.unrecorded) = (size + bytes.len() as u64, 0);
        Ok(head)
    }
}

fn add(bytes: &mut Vec<u8>, head: &mut Head, entry: &Entry) {
    let line = entry.line();
    (head.lines, head.last) = (entry.number(), hash(line.as_bytes()));
    bytes.extend([line.as_bytes(), b"\n"].concat());
}

/// The segment does not end where the head says. Whole lines that go on with the chain are those of a writer that was
/// stopped before it wrote the head; what else is there is torn, and given back.
fn settle(file: &mut File, head: &mut Head, size: u64) -> io::Result<Vec<u8>> {
    let mut rest = Vec::new();
    if size < head.bytes {
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut rest)?;
        let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        return Ok(rest.split_off(end));
    }
    file.seek(SeekFrom::Start(head.bytes))?;
    file.read_to_end(&mut rest)?;
    let mut end = 0;
    for line in lines(&rest).iter().filter(|line| !line.is_torn) {
        let Some(entry) = line.entry.as_ref().filter(|_| line.is_ended) else { break };
        if entry.number() != head.lines + 1 || entry.previous() != head.last {
            break;
        }
        (head.lines, head.last, head.unrecorded) = (entry.number(), hash(line.text), 0);
        end = line.start + line.text.len() + 1;
    }
    Ok(rest.split_off(end))
}

/// A head for a ledger that has lost its own.
fn recovered(folder: &Path) -> io::Result<Head> {
    let mut head = Head::of_nothing();
    for number in disk::segments(folder)?.into_iter().rev() {
        let segment = disk::read_segment(folder, number)?.unwrap_or_default();
        head.segment = head.segment.max(number);
        let lines = lines(&segment);
        let mut last = lines.iter().rev().filter(|line| line.is_ended && !line.is_torn);
        if let Some((line, entry)) = last.find_map(|line| Some((line, line.entry.as_ref()?))) {
            (head.lines, head.last) = (entry.number(), hash(line.text));
            let is_newest = head.segment == number;
            head.bytes = if is_newest { (line.start + line.text.len() + 1) as u64 } else { 0 };
            break;
        }
    }
    Ok(head)
}

/// The head, held until the file is closed.
fn open_head(folder: &Path) -> io::Result<(File, Found)> {
    let file = match disk::open_head(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk::make_folder(folder)?;
            disk::open_head(folder)?
        }
        other => other?,
    };
    disk::hold(&file, Hold::Alone)?;
    let found = read_head(&file)?;
    Ok((file, found))
}

fn write_head(file: &File, head: &Head) -> io::Result<()> {
    file.write_all_at(&head.to_bytes(), 0)
}
