//! Reading the ledger, for the owner. What cannot be read as a record is passed over here: `verify` tells of it.

use std::io::{self, Read};
use std::path::Path;

use super::disk::{self, Hold};
use super::head::{BYTES, Head};
use super::lines::lines;
use super::record::{Entry, Record};

/// Which records.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Those that show this note, or one in this folder.
    pub note: Option<String>,
    /// Those of this time or later: the beginning of a time in UTC, such as `2031-04-09`.
    pub since: Option<String>,
    /// Those of clients of this name, in any case.
    pub client: Option<String>,
    /// Those of these vaults; of every vault if there is none.
    pub vaults: Vec<String>,
}

impl Filter {
    fn takes(&self, record: &Record) -> bool {
        let shows = |note: &String| record.notes.iter().any(|shown| covers(note, &shown.path));
        self.note.as_ref().is_none_or(shows)
            && self.since.as_ref().is_none_or(|since| record.time.as_str() >= since.as_str())
            && self.client.as_ref().is_none_or(|client| record.client.to_lowercase() == client.to_lowercase())
            && (self.vaults.is_empty() || self.vaults.contains(&record.vault))
    }
}

/// Is it this note, or a note in this folder?
pub fn covers(note_or_folder: &str, path: &str) -> bool {
    let rest = path.strip_prefix(note_or_folder.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last `most` records that the filter takes, the newest last; none where there is no ledger.
pub fn select(folder: &Path, filter: &Filter, most: usize) -> io::Result<Vec<Record>> {
    let mut newest_first: Vec<Record> = Vec::new();
    for number in disk::segments(folder)?.into_iter().rev() {
        let Some(segment) = disk::read_segment(folder, number)? else { continue };
        let records = lines(&segment).into_iter().rev().filter(|line| !line.is_torn && line.is_ended);
        let records = records.filter_map(|line| match line.entry? {
            Entry::Served(record) => Some(record),
            Entry::Gap(_) => None,
        });
        newest_first.extend(records.filter(|record| filter.takes(record)).take(most - newest_first.len()));
        if newest_first.len() >= most {
            break;
        }
    }
    newest_first.reverse();
    Ok(newest_first)
}

/// Whether the ledger works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Nothing was recorded so far, and no server has started.
    Absent,
    /// It can be written.
    Well,
    /// A server could not write it since the last record; so many answers were given without one.
    Failing {
        /// Answers.
        unrecorded: u64,
    },
    /// The head is not there or not readable; see [`verify`](super::verify()).
    Headless,
}

/// Looks whether the ledger works. Nothing is written or made.
pub fn look(folder: &Path) -> io::Result<Health> {
    let segments = disk::segments(folder)?;
    if let Some(last) = segments.last() {
        disk::open_segment(folder, *last)?;
    }
    match head(folder)? {
        Found::Head(head) if head.unrecorded > 0 => Ok(Health::Failing { unrecorded: head.unrecorded }),
        Found::Head(_) => Ok(Health::Well),
        Found::Nothing if segments.is_empty() => Ok(Health::Absent),
        Found::Nothing | Found::Damaged => Ok(Health::Headless),
    }
}

/// What stands in the place of the head.
pub(super) enum Found {
    Head(Head),
    Nothing,
    Damaged,
}

/// The head, while nobody writes it.
fn head(folder: &Path) -> io::Result<Found> {
    let Some(file) = disk::existing_head(folder)? else { return Ok(Found::Nothing) };
    disk::hold(&file, Hold::Together)?;
    read_head(&file)
}

pub(super) fn read_head(file: impl Read) -> io::Result<Found> {
    let mut bytes = Vec::with_capacity(BYTES + 1);
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(match Head::parse(&bytes) {
        Some(head) => Found::Head(head),
        None if bytes.is_empty() => Found::Nothing,
        None => Found::Damaged,
    })
}
