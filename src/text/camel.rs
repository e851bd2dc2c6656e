//! Where a name in camel case falls into words. Knows letters by their case only.

use std::ops::Range;

/// A name of more parts is no name but encoded data.
const MAX_PARTS: usize = 10;

/// The case of a character, as far as camel case is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// A capital letter.
    Upper,
    /// A small letter.
    Lower,
    /// Digits and letters of scripts without case.
    None,
}

impl Case {
    pub(super) fn of(c: char) -> Self {
        if c.is_uppercase() {
            Self::Upper
        } else if c.is_lowercase() {
            Self::Lower
        } else {
            Self::None
        }
    }
}

/// The parts of a name as ranges of its characters: `fileHasTag`, `HTML|Parser`. Empty where it
/// is one word, such as `apr09`, `PDFs` or `UTF8`, or no name at all.
pub(super) fn camel_parts(cases: &[Case]) -> Vec<Range<usize>> {
    let cuts = (1..cases.len()).filter(|&at| begins_part(cases, at));
    let mut parts = Vec::new();
    let mut start = 0;
    for end in cuts.chain([cases.len()]) {
        parts.push(start..end);
        start = end;
    }
    if (2..=MAX_PARTS).contains(&parts.len()) { parts } else { Vec::new() }
}

fn begins_part(cases: &[Case], at: usize) -> bool {
    let plural = at + 2 == cases.len();
    match (cases[at - 1], cases[at], cases.get(at + 1)) {
        (Case::Lower, Case::Upper, _) => true,
        (Case::Upper, Case::Upper, Some(Case::Lower)) => !plural,
        _ => false,
    }
}
