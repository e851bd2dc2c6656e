//! Terms of a word with characters beyond ASCII, or with an apostrophe: folds it unit by unit,
//! so that each term keeps its place in the source, then cuts it where the script changes.

use std::ops::Range;

use super::camel::{Case, camel_parts};
use super::class::{Script, continues_cluster, is_apostrophe, is_invisible, is_word, script};
use super::fold::fold_unit;
use super::scan::{Emit, continues_after_apostrophe};
use super::{MAX_TERM_BYTES, TermKind};

/// A base character with what composes with it.
struct Unit {
    source: Range<usize>,
    folded: Range<usize>,
    kind: UnitKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UnitKind {
    Spaced(Case),
    Unspaced,
    /// An apostrophe between two letters; its folded form is empty.
    Apostrophe,
}

/// Reads words one after the other; keeps its buffers between them.
#[derive(Default)]
pub(super) struct WordReader {
    units: Vec<Unit>,
    folded: String,
}

impl WordReader {
    /// Emits the terms of the word that begins at `start` and returns where it ends.
    pub(super) fn read(&mut self, text: &str, start: usize, emit: &mut impl Emit) -> usize {
        let end = self.fold(text, start);
        for run in self.units.chunk_by(|left, right| left.is_unspaced() == right.is_unspaced()) {
            let run = Run { units: run, folded: &self.folded };
            if run.units[0].is_unspaced() { run.emit_bigrams(emit) } else { run.emit_spaced(emit) }
        }
        end
    }

    /// Fills the buffers with the word that begins at `start` and returns where it ends.
    fn fold(&mut self, text: &str, start: usize) -> usize {
        self.units.clear();
        self.folded.clear();
        let mut at = start;
        while let Some(c) = text[at..].chars().next() {
            let length = if is_word(c) { unit_bytes(&text[at..]) } else { c.len_utf8() };
            if is_word(c) {
                self.push_unit(&text[at..at + length], at);
            } else if is_apostrophe(c) && continues_after_apostrophe(&text[at..]) {
                self.push_apostrophe(at..at + length);
            } else if !is_invisible(c) {
                break;
            }
            at += length;
        }
        at
    }

    fn push_unit(&mut self, unit: &str, at: usize) {
        let start = self.folded.len();
        fold_unit(unit, &mut self.folded);
        let Some(base) = self.folded[start..].chars().next() else { return };
        let kind = match script(base) {
            Script::Unspaced => UnitKind::Unspaced,
            Script::Spaced => UnitKind::Spaced(unit.chars().next().map_or(Case::None, Case::of)),
        };
        self.units.push(Unit { source: at..at + unit.len(), folded: start..self.folded.len(), kind });
    }

    fn push_apostrophe(&mut self, source: Range<usize>) {
        let folded = self.folded.len()..self.folded.len();
        self.units.push(Unit { source, folded, kind: UnitKind::Apostrophe });
    }
}

/// Length of the unit a text begins with.
fn unit_bytes(text: &str) -> usize {
    let mut previous = None;
    let within = |&(_, c): &(usize, char)| previous.replace(c).is_none_or(|last| continues_cluster(last, c));
    text.char_indices().take_while(within).last().map_or(0, |(at, c)| at + c.len_utf8())
}

impl Unit {
    fn is_unspaced(&self) -> bool {
        self.kind == UnitKind::Unspaced
    }

    fn case(&self) -> Case {
        if let UnitKind::Spaced(case) = self.kind { case } else { Case::None }
    }
}

/// Neighbouring units of one script class.
struct Run<'w> {
    units: &'w [Unit],
    folded: &'w str,
}

impl Run<'_> {
    fn emit_bigrams(&self, emit: &mut impl Emit) {
        for pair in self.units.windows(2) {
            self.emit(pair, TermKind::Bigram, emit);
        }
        self.emit(&self.units[self.units.len() - 1..], TermKind::RunEnd, emit);
    }

    /// Emits a word that may hold apostrophes: `don't` is one word, `Grandma's` is `grandma`,
    /// and in all others (`l'eau`, `rock'n'roll`) each piece is a word, the whole a variant.
    fn emit_spaced(&self, emit: &mut impl Emit) {
        let pieces: Vec<&[Unit]> = self
            .units
            .split(|unit| unit.kind == UnitKind::Apostrophe)
            .filter(|piece| !piece.is_empty())
            .collect();
        match pieces[..] {
            [] => {}
            [word] => self.emit_word(word, emit),
            [owner, ending] if self.text(ending) == "s" => self.emit_word(owner, emit),
            [_, ending] if is_contraction(self.text(ending)) => self.emit(self.units, TermKind::Word, emit),
            _ => {
                for piece in pieces {
                    self.emit_word(piece, emit);
                }
                self.emit(self.units, TermKind::Variant, emit);
            }
        }
    }

    fn emit_word(&self, word: &[Unit], emit: &mut impl Emit) {
        self.emit(word, TermKind::Word, emit);
        let has_inner_capital = word.iter().skip(1).any(|unit| unit.case() == Case::Upper);
        if has_inner_capital && self.text(word).len() <= MAX_TERM_BYTES {
            let cases: Vec<Case> = word.iter().map(Unit::case).collect();
            for part in camel_parts(&cases) {
                self.emit(&word[part], TermKind::Variant, emit);
            }
        }
    }

    fn emit(&self, units: &[Unit], kind: TermKind, emit: &mut impl Emit) {
        if let ([first, ..], [.., last]) = (units, units) {
            let text = self.text(units);
            let cut = &text[..text.floor_char_boundary(MAX_TERM_BYTES)];
            emit(cut, first.source.start..last.source.end, kind);
        }
    }

    /// The folded text of neighbouring units; apostrophes leave no trace in it.
    fn text(&self, units: &[Unit]) -> &str {
        let start = units.first().map_or(0, |unit| unit.folded.start);
        let end = units.last().map_or(start, |unit| unit.folded.end);
        &self.folded[start..end]
    }
}

/// Endings of English contractions other than `'s`.
fn is_contraction(ending: &str) -> bool {
    matches!(ending, "t" | "d" | "m" | "ll" | "re" | "ve")
}
