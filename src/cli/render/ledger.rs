//! What was served to whom, and what is wrong with the record of it, as text.

use std::io::{self, Write};

use super::{counted, escape, grouped, style};
use crate::ledger::{Fault, FaultKind, Record, Report, covers};

/// Notes of one answer that are listed.
const MOST_NOTES: usize = 20;

/// A line for each answer, with its vault if there are several, and below it its notes with their lines; of these only `note`, if that is given.
pub(in crate::cli) fn records(
    out: &mut impl Write,
    records: &[Record],
    note: Option<&str>,
) -> io::Result<()> {
    let clients: Vec<String> = records.iter().map(client).collect();
    let width = clients.iter().map(|client| client.chars().count()).max().unwrap_or(0);
    let is_one = records.windows(2).all(|two| two[0].vault == two[1].vault);
    records.iter().zip(&clients).try_for_each(|(record, client)| {
        let (dim, shown) = (style::DIM, style::CITATION);
        let time = escape::line(record.time.get(..19).unwrap_or(&record.time)).replace('T', " ");
        let (profile, transport) = (escape::line(&record.profile), record.transport.as_str());
        let call = escape::line(&record.call);
        let vault = if is_one { String::new() } else { format!("  {}", escape::line(&record.vault)) };
        writeln!(out, "{dim}{time} UTC{dim:#}  {client:width$}  {transport:5}  {profile:6}{vault}  {call}")?;
        let notes = record.notes.iter().filter(|shown| note.is_none_or(|note| covers(note, &shown.path)));
        for note in notes.clone().take(MOST_NOTES) {
            let lines: Vec<String> = note.lines.iter().copied().map(range).collect();
            let lines = if lines.is_empty() { String::new() } else { format!("  {}", lines.join(", ")) };
            writeln!(out, "    {shown}{}{shown:#}{lines}", escape::line(&note.path))?;
        }
        match notes.count().saturating_sub(MOST_NOTES) {
            0 => Ok(()),
            more => writeln!(out, "    {dim}and {} more (`--json` lists them){dim:#}", grouped(more as u64)),
        }
    })
}

fn client(record: &Record) -> String {
    if record.client.is_empty() {
        return "(no name)".to_owned();
    }
    escape::line(&format!("{} {}", record.client, record.client_version)).trim_end().to_owned()
}

fn range((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// What is in the ledger, what its servers could not help, and the fault if there is one.
pub(in crate::cli) fn report(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let what =
        format!("{} in {}", counted(report.records, "record"), counted(report.segments as u64, "file"));
    match &report.fault {
        None => writeln!(out, "{what}: every one is there and as it was written.")?,
        Some(found) => {
            let error = style::ERROR;
            writeln!(out, "{error}{}{error:#}", fault(found))?;
            writeln!(out, "Before that: {what}, as they were written.")?;
        }
    }
    if report.torn > 0 {
        let lines = counted(report.torn, "line");
        writeln!(out, "{lines} torn: a server was stopped while it wrote. That is no sign of tampering.")?;
    }
    if report.unrecorded > 0 {
        let answers = counted(report.unrecorded, "answer");
        writeln!(out, "{answers} given while the ledger could not be written.")?;
    }
    Ok(())
}

/// One sentence.
pub(in crate::cli) fn fault(fault: &Fault) -> String {
    let Fault { kind, record, to, segment, line } = fault;
    let (which, are, were) = match kind {
        FaultKind::Removed if to > record => (format!("Records {record} to {to}"), "are", "were"),
        _ => (format!("Record {record}"), "is", "was"),
    };
    let place = match (segment, line) {
        (Some(segment), Some(line)) => format!(" ({segment}, line {line})"),
        _ => String::new(),
    };
    match kind {
        FaultKind::Changed => format!("{which} {were} changed{place}."),
        FaultKind::Removed => format!("{which} {are} missing{place}."),
        FaultKind::Moved => format!("{which} {were} moved{place}."),
        FaultKind::Inserted => format!("{which} {were} put in where it does not belong{place}."),
        FaultKind::Head => format!(
            "The file `head` {were} lost or damaged before record {record}{place}: what is missing there cannot be told."
        ),
    }
}
