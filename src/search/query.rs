//! Untrusted query text -> [`Query`] -> an FTS5 MATCH expression. Never fails: every text is a
//! query, if only an empty one. Knows the analyser's terms and the syntax of FTS5, but no table.
//!
//! The language is small. Words are alternatives: a note that holds one is found, one that holds
//! more ranks higher. A compound (`ORD-4471`, `2031-04-09`, `图书馆`) is its parts and, ranking
//! higher, the parts in sequence. `"Double quotes"`, straight or curly, make a sequence that
//! must stand in the note; an opening quote stands before a word, and one that is never closed
//! separates words. Nothing else is an operator: `-`, `*`, `:`, `OR`, `NEAR` and parentheses
//! are text. A single character of a script written without blanks finds every word with it.

use std::collections::HashSet;

use crate::text::{self, Term, TermKind};

/// Query text beyond this many bytes is ignored.
pub const MAX_QUERY_BYTES: usize = 4096;

/// Terms beyond this many, counting those of phrases, are ignored.
pub const MAX_QUERY_TERMS: usize = 64;

/// Characters that hold a compound together: `red-brick`, `notes.v2.txt`, `a_b/c`, `R&D`, `O’Brien`.
const JOINERS: &[char] = &[
    '-', '.', '_', '/', ':', '@', '#', '+', '&', '=', '~', '\\', '\'', '\u{2010}', '\u{2011}', '\u{2018}',
    '\u{2019}', '\u{201b}', '\u{ff07}', '\u{b4}', '\u{b7}', '\u{2bb}', '\u{2bc}', '\u{5f3}', '\u{5f4}',
];

/// What a query asks the keyword leg for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// In the order of the text, no two equal.
    pub clauses: Vec<Clause>,
}

/// One part of a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Clause {
    /// The note must hold this sequence.
    Required(Phrase),
    /// A word or compound the note should hold.
    Wanted {
        /// The word, or the parts of the compound in sequence.
        whole: Phrase,
        /// What else is a sign of it: the parts, and other spellings.
        parts: Vec<Phrase>,
    },
}

/// Terms in sequence, one or more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// The terms of the analyser.
    pub terms: Vec<String>,
    /// What matches the last term.
    pub ending: Ending,
}

/// What matches the last term of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The same term.
    Exact,
    /// Every term it begins.
    Prefix,
}

impl Query {
    /// Reads a query, at most [`MAX_QUERY_BYTES`] and [`MAX_QUERY_TERMS`] of it.
    pub fn parse(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
        let mut budget = Budget { terms_left: MAX_QUERY_TERMS };
        let mut seen = HashSet::new();
        let clauses = segments(text).into_iter().flat_map(clauses_of);
        let clauses =
            clauses.filter(|clause| seen.insert(clause.clone())).map_while(|clause| budget.take(clause));
        Self { clauses: clauses.collect() }
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// The FTS5 MATCH text that finds notes with every required phrase and, where there is none,
    /// at least one wanted word. Words wanted beside a required phrase only raise the rank.
    /// `None` when there is nothing to search for.
    pub fn match_expression(&self) -> Option<String> {
        let (required, wanted) = self.split();
        let required = join(" AND ", required.iter().map(|phrase| phrase.to_fts5()));
        // A phrase asked for twice, as a word and as part of a compound, must not count twice.
        let mut seen = HashSet::new();
        let wanted = wanted.into_iter().flat_map(Clause::alternatives).filter(|phrase| seen.insert(*phrase));
        let wanted = join(" OR ", wanted.map(Phrase::to_fts5));
        match (required, wanted) {
            // FTS5 has no optional operand; the left side makes the right one always true.
            (Some(required), Some(wanted)) => Some(format!("({required}) AND (({required}) OR {wanted})")),
            (required, wanted) => required.or(wanted),
        }
    }

    /// The FTS5 MATCH text that finds notes with every required phrase and every wanted word; of a
    /// compound the sequence or all its parts. `None` when there is nothing to search for.
    pub fn all_words_expression(&self) -> Option<String> {
        join(" AND ", self.clauses.iter().map(Clause::to_strict_fts5))
    }

    /// Every phrase that is looked for, and whether it is required.
    pub fn phrases(&self) -> impl Iterator<Item = (&Phrase, bool)> {
        self.clauses.iter().flat_map(|clause| {
            let is_required = matches!(clause, Clause::Required(_));
            clause.alternatives().map(move |phrase| (phrase, is_required))
        })
    }

    /// The distinct terms, in the order of the query, for counting the notes that hold them. A
    /// term that stands for a prefix is given as it is.
    pub fn terms(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let terms = self.clauses.iter().flat_map(Clause::alternatives).flat_map(|phrase| &phrase.terms);
        terms.map(String::as_str).filter(|term| seen.insert(*term)).collect()
    }

    /// The terms of what is wanted but not required, to be changed; those that stand for a prefix are not among
    /// them.
    pub(super) fn wanted_terms_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let phrases = self.clauses.iter_mut().filter_map(|clause| match clause {
            Clause::Required(_) => None,
            Clause::Wanted { whole, parts } => Some(std::iter::once(whole).chain(parts)),
        });
        let is_exact = |phrase: &&mut Phrase| phrase.ending == Ending::Exact;
        phrases.flatten().filter(is_exact).flat_map(|phrase| &mut phrase.terms)
    }

    fn split(&self) -> (Vec<&Phrase>, Vec<&Clause>) {
        let (mut required, mut wanted) = (Vec::new(), Vec::new());
        for clause in &self.clauses {
            match clause {
                Clause::Required(phrase) => required.push(phrase),
                Clause::Wanted { .. } => wanted.push(clause),
            }
        }
        (required, wanted)
    }
}

impl Clause {
    /// The phrases any of which is a sign of the clause.
    fn alternatives(&self) -> impl Iterator<Item = &Phrase> {
        let (whole, parts): (_, &[Phrase]) = match self {
            Self::Required(phrase) => (phrase, &[]),
            Self::Wanted { whole, parts } => (whole, parts),
        };
        std::iter::once(whole).chain(parts)
    }

    fn to_strict_fts5(&self) -> String {
        match self {
            Self::Required(whole) => whole.to_fts5(),
            Self::Wanted { whole, parts } => match join(" AND ", parts.iter().map(Phrase::to_fts5)) {
                Some(parts) => format!("({} OR ({parts}))", whole.to_fts5()),
                None => whole.to_fts5(),
            },
        }
    }
}

impl Phrase {
    fn word(term: String, ending: Ending) -> Self {
        Self { terms: vec![term], ending }
    }

    /// The phrase of terms that stand in sequence, variants not among them. The last character of
    /// a run says nothing at the end of a phrase: the text may go on with the same run.
    fn sequence(terms: &[Term]) -> Option<Self> {
        let (kept, ending) = match terms {
            [] => return None,
            [kept @ .., last] if is_repeated(kept.last(), last) => (kept, Ending::Exact),
            [.., last] if last.kind == TermKind::RunEnd => (terms, Ending::Prefix),
            _ => (terms, Ending::Exact),
        };
        Some(Self { terms: kept.iter().map(|term| term.text.clone()).collect(), ending })
    }

    /// The phrase as an FTS5 string. Terms hold neither quotes nor NUL.
    pub(super) fn to_fts5(&self) -> String {
        let star = if self.ending == Ending::Prefix { "*" } else { "" };
        format!("\"{}\"{star}", self.terms.join(" "))
    }
}

/// Whether a term is the last character of the bigram before it.
fn is_repeated(before: Option<&Term>, term: &Term) -> bool {
    term.kind == TermKind::RunEnd
        && before.is_some_and(|before| before.kind == TermKind::Bigram && before.range.end == term.range.end)
}

/// What is left of [`MAX_QUERY_TERMS`].
struct Budget {
    terms_left: usize,
}

impl Budget {
    /// The clause, or as much of it as there are terms left for; `None` when there are none.
    fn take(&mut self, mut clause: Clause) -> Option<Clause> {
        let (Clause::Required(whole) | Clause::Wanted { whole, .. }) = &mut clause;
        if whole.terms.len() > self.terms_left {
            whole.terms.truncate(self.terms_left);
            whole.ending = Ending::Exact;
        }
        self.terms_left -= whole.terms.len();
        if whole.terms.is_empty() {
            return None;
        }
        if let Clause::Wanted { parts, .. } = &mut clause {
            parts.truncate(self.terms_left);
            self.terms_left -= parts.len();
        }
        Some(clause)
    }
}

/// A stretch of query text between quotes, or between quoted stretches.
#[derive(Clone, Copy)]
enum Segment<'q> {
    Plain(&'q str),
    Quoted(&'q str),
}

/// Cuts a query at its balanced double quotes. An opening quote stands at the start or after
/// white space or punctuation, so that the inches of `5" pipe` open nothing.
fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut plain_start = 0;
    let mut opened: Option<usize> = None;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if is_quote(c) {
            if let Some(open) = opened.take() {
                let quoted_start = open + text[open..].chars().next().map_or(1, char::len_utf8);
                segments.push(Segment::Plain(&text[plain_start..open]));
                segments.push(Segment::Quoted(&text[quoted_start..at]));
                plain_start = at + c.len_utf8();
            } else if !previous.is_alphanumeric() {
                opened = Some(at);
            }
        }
        previous = c;
    }
    segments.push(Segment::Plain(&text[plain_start..]));
    segments
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{ff02}')
}

fn clauses_of(segment: Segment<'_>) -> Vec<Clause> {
    let (Segment::Plain(text) | Segment::Quoted(text)) = segment;
    let terms = text::terms(text);
    let variants_start = terms.iter().position(|term| term.kind == TermKind::Variant).unwrap_or(terms.len());
    let (sequence, variants) = terms.split_at(variants_start);
    match segment {
        Segment::Quoted(_) => Phrase::sequence(sequence).map(Clause::Required).into_iter().collect(),
        Segment::Plain(_) => {
            let compounds = sequence.chunk_by(|left, right| is_joined(text, left, right));
            compounds.filter_map(|compound| wanted(compound, variants)).collect()
        }
    }
}

/// Whether two neighbouring terms are parts of one compound.
fn is_joined(text: &str, left: &Term, right: &Term) -> bool {
    text.get(left.range.end..right.range.start).is_none_or(|gap| gap.chars().all(|c| JOINERS.contains(&c)))
}

fn wanted(compound: &[Term], variants: &[Term]) -> Option<Clause> {
    let whole = Phrase::sequence(compound)?;
    let (start, end) = (compound.first()?.range.start, compound.last()?.range.end);
    let first = variants.partition_point(|variant| variant.range.end <= start);
    let spellings = variants[first..].iter().take_while(|variant| variant.range.start < end);
    let singles =
        parts_of(compound).chain(spellings.map(|term| Phrase::word(term.text.clone(), Ending::Exact)));
    let mut seen = HashSet::from([whole.clone()]);
    let parts = singles.filter(|part| seen.insert(part.clone())).collect();
    Some(Clause::Wanted { whole, parts })
}

/// The terms of a compound as phrases of one; last characters of runs only where they stand alone.
fn parts_of(compound: &[Term]) -> impl Iterator<Item = Phrase> {
    let before = std::iter::once(None).chain(compound.iter().map(Some));
    compound.iter().zip(before).filter(|(term, before)| !is_repeated(*before, term)).map(|(term, _)| {
        let ending = if term.kind == TermKind::RunEnd { Ending::Prefix } else { Ending::Exact };
        Phrase::word(term.text.clone(), ending)
    })
}

fn join(operator: &str, operands: impl Iterator<Item = String>) -> Option<String> {
    let operands: Vec<String> = operands.collect();
    if operands.is_empty() { None } else { Some(operands.join(operator)) }
}

#[cfg(test)]
mod bug_vaults;
#[cfg(test)]
mod tests;
