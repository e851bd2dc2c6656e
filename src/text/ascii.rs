//! Terms of a word made of ASCII letters and digits: the fast path, with the names that are
//! written with punctuation (`C++`, `C#`, `.NET`) and the dates inside instants.

use std::ops::Range;

use super::camel::{Case, camel_parts};
use super::scan::Emit;
use super::{MAX_TERM_BYTES, TermKind};

/// Longest word that may take punctuation into its name.
const MAX_NAME_BYTES: usize = 20;

/// Emits the terms of the word at `range`. `lowered` is a buffer to work in.
pub(super) fn emit_ascii_word(text: &str, range: Range<usize>, lowered: &mut String, emit: &mut impl Emit) {
    let word = &text[range.clone()];
    if let Some(mark) = instant_mark(word.as_bytes()) {
        let middle = range.start + mark;
        emit(&text[range.start..middle], range.start..middle, TermKind::Word);
        return emit_lowered(text, middle + 1..range.end, lowered, emit);
    }
    let has_inner_capital = word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    if has_inner_capital && word.len() <= MAX_TERM_BYTES {
        emit_camel_parts(word, range.start, emit);
    }
    if word.len() <= MAX_NAME_BYTES {
        emit_name(text, range, lowered, emit);
    } else {
        emit_lowered(text, range, lowered, emit);
    }
}

fn emit_lowered(text: &str, range: Range<usize>, lowered: &mut String, emit: &mut impl Emit) {
    lower(text, range.clone(), lowered);
    emit(lowered, range, TermKind::Word);
}

fn lower(text: &str, range: Range<usize>, lowered: &mut String) {
    lowered.clear();
    lowered.push_str(&text[range.start..range.end.min(range.start + MAX_TERM_BYTES)]);
    lowered.make_ascii_lowercase();
}

/// Where the `T` of an instant such as `09T10` or `20310409T103000Z` stands, with at least two
/// digits on either side: the date before it must be found as a date.
fn instant_mark(word: &[u8]) -> Option<usize> {
    let is_pair = |pair: &[u8]| pair.len() == 2 && pair.iter().all(u8::is_ascii_digit);
    let mark = word.iter().position(|byte| !byte.is_ascii_digit())?;
    let after = word.get(mark + 1..mark + 3)?;
    (word[mark] == b'T' && (2..=8).contains(&mark) && is_pair(after)).then_some(mark)
}

fn emit_camel_parts(word: &str, start: usize, emit: &mut impl Emit) {
    let cases: Vec<Case> = word.chars().map(Case::of).collect();
    for part in camel_parts(&cases) {
        let lowered = word[part.clone()].to_ascii_lowercase();
        emit(&lowered, start + part.start..start + part.end, TermKind::Variant);
    }
}

/// Emits a word with the punctuation that belongs to its name, and without it. What stands
/// after is part of the word (`C++`); what stands before is a variant (`.NET`), since
/// `ASP.NET` and `ASP .NET` must be one phrase.
fn emit_name(text: &str, range: Range<usize>, lowered: &mut String, emit: &mut impl Emit) {
    let bytes = text.as_bytes();
    let suffix_bytes = suffix_bytes(&bytes[range.end..]);
    let named = range.start..range.end + suffix_bytes;
    lower(text, named.clone(), lowered);
    emit(lowered, named, TermKind::Word);
    if suffix_bytes > 0 {
        lowered.truncate(range.len());
        emit(lowered, range.clone(), TermKind::Variant);
    }
    if has_leading_dot(&bytes[..range.start]) && bytes[range.start].is_ascii_alphabetic() {
        lowered.truncate(range.len());
        lowered.insert(0, '.');
        emit(lowered, range.start - 1..range.end, TermKind::Variant);
    }
}

/// Length of a `+`, `++` or `#` that ends a name. Digits may follow `++`, as in `C++17`.
fn suffix_bytes(after: &[u8]) -> usize {
    let length = match after {
        [b'+', b'+', ..] => 2,
        [b'+' | b'#', ..] => 1,
        _ => return 0,
    };
    let ends = match after.get(length) {
        Some(b'+' | b'#') => false,
        Some(byte) if byte.is_ascii_digit() => length == 2,
        Some(byte) => byte.is_ascii() && !byte.is_ascii_alphabetic(),
        None => true,
    };
    if ends { length } else { 0 }
}

/// Whether a text ends with a dot that begins a name: after nothing, a blank or an opening mark.
fn has_leading_dot(before: &[u8]) -> bool {
    match before {
        [b'.'] => true,
        [.., opener, b'.'] => opener.is_ascii_whitespace() || b"([{<`\"'*/,:|".contains(opener),
        _ => false,
    }
}
