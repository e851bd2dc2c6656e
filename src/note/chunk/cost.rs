//! The estimated number of tokens in any part of a note.
//!
//! One token per four ASCII letters, per two digits or letters of other alphabets, and per CJK
//! character; a sign of ASCII punctuation is three quarters of a token, a pictograph two tokens.
//! White space is free, so a cost of zero means that there is nothing to read. Counted in quarters
//! of a token, character by character, so that the costs of neighbours add up.
use std::ops::Range;

use crate::note::spans;

/// Quarters of a token in a token.
pub(super) const TOKEN: u32 = 4;

/// Running costs of a body.
pub(super) struct Costs {
    start: usize,
    /// At index i the cost of the text from `start` to `start + i`.
    sums: Vec<u32>,
}

impl Costs {
    pub(super) fn new(text: &str, start: usize, hidden: &[Range<usize>]) -> Self {
        let mut sums = Vec::with_capacity(text.len() - start + 1);
        let mut sum = 0_u32;
        sums.push(0);
        for part in spans::without(start..text.len(), hidden) {
            sums.resize(part.start - start + 1, sum);
            for c in text[part].chars() {
                sum = sum.saturating_add(weight(c));
                sums.resize(sums.len() + c.len_utf8(), sum);
            }
        }
        sums.resize(text.len() - start + 1, sum);
        Self { start, sums }
    }

    /// The cost of a part, in quarters of a token.
    pub(super) fn of(&self, range: Range<usize>) -> u32 {
        self.sums[range.end - self.start] - self.sums[range.start - self.start]
    }

    /// Whether a part has nothing to read.
    pub(super) fn is_blank(&self, range: Range<usize>) -> bool {
        self.of(range) == 0
    }
}

/// White space, and characters that show nothing.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// The cost of one character, in quarters of a token.
pub(super) fn weight(c: char) -> u32 {
    match c {
        'a'..='z' | 'A'..='Z' => 1,
        c if is_blank(c) => 0,
        '0'..='9' | '\u{80}'..='\u{2e7f}' => 2,
        '\0'..='\u{7f}' => 3,
        '\u{1f000}'..='\u{1faff}' => 8,
        _ => TOKEN,
    }
}
