//! Answers -> text for a terminal. Pure: values in, styled text out through a writer; colours are
//! dropped by the stream where they are not wanted. Every text of a note goes through [`escape`].

pub(super) mod diff;
pub(super) mod doctor;
pub(super) mod escape;
pub(super) mod eval;
pub(super) mod index;
pub(super) mod ledger;
pub(super) mod notes;
pub(super) mod privacy;
pub(super) mod proof;
pub(super) mod search;
pub(super) mod similar;
pub(super) mod status;
pub(super) mod style;
pub(super) mod tune;
pub(super) mod vault;
mod wrap;

use std::io::{self, Write};

/// The name of one of several vaults, above what is said of it.
pub(super) fn vault_heading(out: &mut impl Write, name: &str) -> io::Result<()> {
    let heading = style::HEADING;
    writeln!(out, "{heading}{}{heading:#}", escape::line(name))
}

/// `1 note`, `1,203 notes`.
fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// Thousands set apart by commas.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
