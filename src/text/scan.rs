//! Walks a text once and hands each stretch to the code that cuts it: plain ASCII words, words
//! with other characters, emoji. Knows no term but an emoji's.

use std::ops::Range;

use super::TermKind;
use super::ascii::emit_ascii_word;
use super::class::{is_apostrophe, is_emoji, is_regional_indicator, is_word};
use super::word::WordReader;

/// Receives the terms of a text: folded text, source bytes, kind.
pub(super) trait Emit: FnMut(&str, Range<usize>, TermKind) {}

impl<F: FnMut(&str, Range<usize>, TermKind)> Emit for F {}

/// Emits every term of a text, variants among the others, in linear time.
pub(super) fn scan(text: &str, emit: &mut impl Emit) {
    let bytes = text.as_bytes();
    let mut lowered = String::new();
    let mut reader = WordReader::default();
    let mut at = 0;
    while at < bytes.len() {
        let end = ascii_run_end(bytes, at);
        at = if end > at && stands_alone(text, end) {
            emit_ascii_word(text, at..end, &mut lowered, emit);
            end
        } else if end > at {
            reader.read(text, at, emit)
        } else {
            step_over(text, at, &mut reader, emit)
        };
    }
}

fn ascii_run_end(bytes: &[u8], start: usize) -> usize {
    let length = bytes[start..].iter().position(|byte| !byte.is_ascii_alphanumeric());
    length.map_or(bytes.len(), |length| start + length)
}

/// Whether a run of ASCII letters and digits that ends at `end` is a whole word.
fn stands_alone(text: &str, end: usize) -> bool {
    match text.as_bytes().get(end) {
        Some(b'\'') => !continues_after_apostrophe(&text[end..]),
        Some(byte) => byte.is_ascii(),
        None => true,
    }
}

/// Whether a text that begins with a character such as an apostrophe goes on with a word.
pub(super) fn continues_after_apostrophe(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next().is_some_and(is_apostrophe) && chars.next().is_some_and(is_word)
}

/// Deals with a character that is no ASCII letter or digit; returns where to go on.
fn step_over(text: &str, at: usize, reader: &mut WordReader, emit: &mut impl Emit) -> usize {
    let byte = text.as_bytes()[at];
    if byte.is_ascii() {
        return at + 1;
    }
    let c = text[at..].chars().next().expect("`at` is a character boundary before the end");
    if is_word(c) {
        reader.read(text, at, emit)
    } else if is_emoji(c) {
        emit_emoji(text, at, emit)
    } else {
        at + c.len_utf8()
    }
}

fn emit_emoji(text: &str, at: usize, emit: &mut impl Emit) -> usize {
    let flag_chars = text[at..].chars().take(2).take_while(|&c| is_regional_indicator(c)).count();
    let length = text[at..].chars().take(flag_chars.max(1)).map(char::len_utf8).sum::<usize>();
    emit(&text[at..at + length], at..at + length, TermKind::Word);
    at + length
}
