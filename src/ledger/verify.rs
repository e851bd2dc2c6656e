//! Whether the ledger is as it was written: every line follows the one before, and the last one is where the head
//! says. What a stopped process left behind is told as that, and is no fault.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::disk::{self, Hold};
use super::head::Head;
use super::lines::{Line, lines};
use super::read::{Found, read_head};
use super::record::{BEGINNING, Entry, hash};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Answers that are recorded, as far as the chain is whole.
    pub records: u64,
    /// Files that were read.
    pub segments: usize,
    /// Lines that were torn because their writer was stopped; whatever they were to say is not known.
    pub torn: u64,
    /// Answers that were given while the ledger could not be written.
    pub unrecorded: u64,
    /// The first fault; none if the ledger is whole.
    pub fault: Option<Fault>,
}

/// What is wrong with the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// The number of the line that it is about, as the chain counts.
    pub record: u64,
    /// The last one that it is about.
    pub to: u64,
    /// The file in which it shows; none if that is the head.
    pub segment: Option<String>,
    /// The line of the file, from 1.
    pub line: Option<usize>,
}

/// What can be wrong with the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// It says something else than it did.
    Changed,
    /// It is not there.
    Removed,
    /// It stands elsewhere than it did.
    Moved,
    /// It was not there.
    Inserted,
    /// The head is not as it was written, or is not there: what is missing at the end cannot be told.
    Head,
}

/// Reads the whole ledger. Servers go on writing meanwhile: what they add is left for the next time.
pub fn verify(folder: &Path) -> io::Result<Report> {
    let Snapshot { found, segments, newest } = snapshot(folder)?;
    let mut chain = Chain::new(match found {
        Found::Head(head) => Some(head),
        Found::Nothing if segments.is_empty() => return Ok(Report::default()),
        Found::Nothing | Found::Damaged => None,
    });
    for number in &segments {
        let is_newest = segments.last() == Some(number);
        let older = if is_newest { None } else { disk::read_segment(folder, *number)? };
        let segment = if is_newest { &newest } else { &older.unwrap_or_default() };
        chain.report.segments += 1;
        if let Err(fault) = chain.follow(*number, segment) {
            return Ok(Report { fault: Some(fault), ..chain.report });
        }
    }
    let fault = chain.end().err();
    Ok(Report { fault, ..chain.report })
}

/// The ledger between two lines.
struct Snapshot {
    found: Found,
    segments: Vec<u32>,
    newest: Vec<u8>,
}

/// Servers wait for this; the older segments are read later, as nothing is written there.
fn snapshot(folder: &Path) -> io::Result<Snapshot> {
    let file = disk::look_at_head(folder)?;
    let found = match &file {
        Some(file) => {
            disk::hold(file, Hold::Together)?;
            read_head(file)?
        }
        None => Found::Nothing,
    };
    let segments = disk::segments(folder)?;
    let newest = segments.last().map(|number| disk::read_segment(folder, *number)).transpose()?.flatten();
    Ok(Snapshot { found, segments, newest: newest.unwrap_or_default() })
}

/// How far the chain has been followed.
struct Chain {
    head: Option<Head>,
    /// Of the last line.
    number: u64,
    last: String,
    /// Nothing whole is expected any more.
    is_over: bool,
    report: Report,
}

/// A segment that is looked at.
struct Part<'b> {
    number: u32,
    lines: Vec<Line<'b>>,
}

impl Part<'_> {
    fn fault(&self, kind: FaultKind, at: usize, record: u64) -> Fault {
        Fault { kind, record, to: record, segment: Some(disk::name(self.number)), line: Some(at + 1) }
    }
}

impl Chain {
    fn new(head: Option<Head>) -> Chain {
        let report =
            Report { unrecorded: head.as_ref().map_or(0, |head| head.unrecorded), ..Report::default() };
        Chain { head, number: 0, last: BEGINNING.to_owned(), is_over: false, report }
    }

    fn follow(&mut self, number: u32, segment: &[u8]) -> Result<(), Fault> {
        let part = Part { number, lines: lines(segment) };
        for (at, line) in part.lines.iter().enumerate() {
            if line.is_torn {
                self.report.torn += 1;
            } else {
                self.step(&part, at, line)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, part: &Part<'_>, at: usize, line: &Line<'_>) -> Result<(), Fault> {
        let expected = self.number + 1;
        let Some(entry) = line.entry.as_ref().filter(|_| line.is_ended && !self.is_over) else {
            let may_be_torn = self.is_beyond_the_head(part.number, line.start) && line.entry.is_none();
            if may_be_torn || (!line.is_ended && self.is_beyond_the_head(part.number, line.start)) {
                // A line that nobody has closed off yet.
                self.is_over = true;
                self.report.torn += 1;
                return Ok(());
            }
            return Err(part.fault(FaultKind::Changed, at, expected));
        };
        self.check(part, at, entry)?;
        if let Entry::Gap(gap) = entry {
            let is_closed = at.checked_sub(1).is_some_and(|before| part.lines[before].is_torn);
            if (gap.torn_bytes > 0) != is_closed {
                return Err(part.fault(FaultKind::Changed, at, expected));
            }
            if gap.head_lost {
                return Err(part.fault(FaultKind::Head, at, expected));
            }
            self.report.unrecorded += gap.unrecorded;
        } else {
            self.report.records += 1;
        }
        (self.number, self.last) = (expected, hash(line.text));
        match &self.head {
            Some(head) if head.lines == expected && head.last != self.last => {
                Err(part.fault(FaultKind::Changed, at, expected))
            }
            _ => Ok(()),
        }
    }

    /// The line follows the one before.
    fn check(&self, part: &Part<'_>, at: usize, entry: &Entry) -> Result<(), Fault> {
        let expected = self.number + 1;
        match (entry.number() == expected, entry.previous() == self.last) {
            (true, true) => Ok(()),
            (false, true) => Err(part.fault(FaultKind::Changed, at, expected)),
            // The one before is the last that the head knows.
            (true, false) if self.head.as_ref().is_some_and(|head| head.lines == self.number) => {
                Err(part.fault(FaultKind::Inserted, at, expected))
            }
            // Either this line or the one before says something else: this one, if it does not fit the next one either.
            (true, false) if self.number == 0 || !self.fits_the_next(part, at) => {
                Err(part.fault(FaultKind::Changed, at, expected))
            }
            (true, false) => Err(part.fault(FaultKind::Changed, at.saturating_sub(1), self.number)),
            (false, false) if entry.number() > expected => {
                let is_later = part.lines[at..].iter().any(|line| is_numbered(line, expected));
                let kind = if is_later { FaultKind::Moved } else { FaultKind::Removed };
                let to = if is_later { expected } else { entry.number() - 1 };
                Err(Fault { to, ..part.fault(kind, at, expected) })
            }
            (false, false) => Err(part.fault(FaultKind::Inserted, at, entry.number())),
        }
    }

    fn fits_the_next(&self, part: &Part<'_>, at: usize) -> bool {
        let own = hash(part.lines[at].text);
        let next = part.lines[at + 1..].iter().find(|line| !line.is_torn && line.is_ended);
        match (next.and_then(|line| line.entry.as_ref()), &self.head) {
            (Some(next), _) => next.previous() == own,
            (None, Some(head)) if head.lines == self.number + 1 => head.last == own,
            (None, _) => true,
        }
    }

    fn is_beyond_the_head(&self, segment: u32, at: usize) -> bool {
        self.head.as_ref().is_some_and(|head| (segment, at as u64) >= (head.segment, head.bytes))
    }

    fn end(&self) -> Result<(), Fault> {
        let of_head = |kind, to| Fault { kind, record: self.number + 1, to, segment: None, line: None };
        match &self.head {
            None => Err(of_head(FaultKind::Head, self.number + 1)),
            Some(head) if self.number < head.lines => Err(of_head(FaultKind::Removed, head.lines)),
            Some(_) => Ok(()),
        }
    }
}

fn is_numbered(line: &Line<'_>, number: u64) -> bool {
    !line.is_torn && line.entry.as_ref().is_some_and(|entry| entry.number() == number)
}
