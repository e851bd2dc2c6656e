//! What says nearly the same twice: notes and passages among those that a search found, compared word by word.
//!
//! Notes are compared by resemblance, the share that their runs of three words have in common; passages by containment,
//! the share of the shorter one's that the longer one has, since passages are cut where the text around them wants it.
//! Source: Broder, "On the resemblance and containment of documents", 1997.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Asked, Candidate, Found, FoundNote, Reason, evidence};
use crate::index::Cut;
use crate::note::quote;
use crate::vault::{Released, Session};

/// Words of a run.
const RUN: usize = 3;
/// From here on two texts are nearly the same.
const LEAST_LIKENESS: f64 = 0.7;
/// Shorter passages are the same by chance: headings, dates, greetings.
const LEAST_RUNS: usize = 6;

type Runs = HashSet<u64>;

/// The most like first: notes, then passages of other notes.
pub(super) fn find<'s>(
    session: &Session<'s>,
    asked: &Asked<'_, 's>,
    found: &Found<'s>,
) -> Vec<Released<'s, Candidate>> {
    let passages: Vec<Runs> = asked.cut.pieces().map(|piece| runs(&piece.visible_text())).collect();
    let whole: Runs = passages.iter().flatten().copied().collect();
    let mut candidates: Vec<(&FoundNote<'s>, Candidate)> = Vec::new();
    for found in &found.notes {
        candidates.extend(of_note(found, &whole, &passages).map(|candidate| (found, candidate)));
    }
    let is_note = |candidate: &Candidate| candidate.reason == Reason::WholeNote;
    candidates.sort_by(|(_, one), (_, other)| {
        is_note(other)
            .cmp(&is_note(one))
            .then(other.score.total_cmp(&one.score))
            .then_with(|| one.path.cmp(&other.path))
    });
    candidates.into_iter().map(|(found, candidate)| session.release(&found.note, candidate)).collect()
}

/// The note, or its passage that is most like one of the text.
fn of_note(found: &FoundNote<'_>, whole: &Runs, passages: &[Runs]) -> Option<Candidate> {
    let note = &found.note;
    let cut = Cut::new(note.text(), note.path().stem());
    let pieces: Vec<(std::ops::Range<usize>, Runs)> =
        cut.pieces().map(|piece| (piece.range(), runs(&piece.visible_text()))).collect();
    let all: Runs = pieces.iter().flat_map(|(_, runs)| runs).copied().collect();
    let of_notes = resemblance(whole, &all);
    if of_notes >= LEAST_LIKENESS {
        return evidence(note, &pieces.first()?.0, Reason::WholeNote, of_notes);
    }
    let of_piece = |(range, runs): &(std::ops::Range<usize>, Runs)| {
        let best = passages.iter().map(|passage| containment(passage, runs)).fold(0.0, f64::max);
        (best, range.clone())
    };
    let best = pieces.iter().map(of_piece).reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let candidate = evidence(note, &best.1, Reason::Passage, best.0)?;
    (best.0 >= LEAST_LIKENESS).then_some(candidate)
}

fn runs(text: &str) -> Runs {
    let words = quote::words(text);
    let hashed = |run: &[quote::Word]| {
        let mut hasher = DefaultHasher::new();
        for word in run {
            word.key.hash(&mut hasher);
        }
        hasher.finish()
    };
    words.windows(RUN).map(hashed).collect()
}

/// From 0 to 1.
fn resemblance(one: &Runs, other: &Runs) -> f64 {
    let common = common(one, other);
    common as f64 / (one.len() + other.len() - common).max(1) as f64
}

/// From 0 to 1.
fn containment(one: &Runs, other: &Runs) -> f64 {
    common(one, other) as f64 / one.len().min(other.len()).max(1) as f64
}

/// Texts of too few words have nothing in common.
fn common(one: &Runs, other: &Runs) -> usize {
    if one.len().min(other.len()) < LEAST_RUNS { 0 } else { one.intersection(other).count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_the_same_is_told_from_alike() {
        let text = "The varnish of the mast took three days to dry in the cold shed by the river.";
        let table = [
            (text, 1.0..=1.0),
            ("The **varnish** of the mast\ntook three days to dry in the cold shed by the river", 1.0..=1.0),
            ("The varnish of the mast took three days to dry in the warm shed by the river.", 0.6..=0.7),
            ("The mast of the river took the cold varnish to dry days by three in the shed.", 0.0..=0.2),
            ("The varnish of the mast", 0.0..=0.0),
        ];
        for (other, expected) in table {
            let found = resemblance(&runs(text), &runs(other));
            assert!(expected.contains(&found), "{other}: {found}");
        }
        let longer =
            format!("Before it. {text} And much more behind it that has nothing to do with it at all.");
        assert!(
            containment(&runs(text), &runs(&longer)) > 0.9 && resemblance(&runs(text), &runs(&longer)) < 0.7
        );
    }
}
