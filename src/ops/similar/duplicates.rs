//! What says nearly the same twice: notes and passages among those that a search found, compared word by word.
//!
//! Notes are compared by resemblance, the share that their runs of three words have in common; passages by containment,
//! the share of the shorter one's that the longer one has, since passages are cut where the text around them wants it.
//! Source: Broder, "On the resemblance and containment of documents", 1997.

use std::collections::{HashMap, HashSet};
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

/// Passages that a run is looked up in: one that stands in more of them says nothing of any.
const MOST_PASSAGES_OF_RUN: usize = 64;

type Runs = HashSet<u64>;

/// The most like first: notes, then passages of other notes.
pub(super) fn find<'s>(
    session: &Session<'s>,
    asked: &Asked<'_, 's>,
    found: &Found<'s>,
) -> Vec<Released<'s, Candidate>> {
    let passages = Passages::of(asked.cut.pieces().map(|piece| runs(&piece.visible_text())));
    let candidate = |found| Some((found, of_note(found, &passages)?));
    let mut candidates: Vec<(&FoundNote<'s>, Candidate)> =
        found.notes.iter().take_while(|_| session.is_wanted()).filter_map(candidate).collect();
    let is_note = |candidate: &Candidate| candidate.reason == Reason::WholeNote;
    candidates.sort_by(|(_, one), (_, other)| {
        is_note(other)
            .cmp(&is_note(one))
            .then(other.score.total_cmp(&one.score))
            .then_with(|| one.path.cmp(&other.path))
    });
    candidates.into_iter().map(|(found, candidate)| session.release(&found.note, candidate)).collect()
}

/// The passages of the text that is asked about.
#[derive(Default)]
struct Passages {
    /// Runs in each.
    sizes: Vec<usize>,
    /// Which of them hold a run.
    by_run: HashMap<u64, Vec<usize>>,
}

impl Passages {
    fn of(passages: impl Iterator<Item = Runs>) -> Passages {
        let mut all = Passages::default();
        for (number, runs) in passages.enumerate() {
            all.sizes.push(runs.len());
            for run in runs {
                let holders = all.by_run.entry(run).or_default();
                if holders.len() < MOST_PASSAGES_OF_RUN {
                    holders.push(number);
                }
            }
        }
        all
    }

    /// The share that the whole text and another one have in common, from 0 to 1.
    fn resemblance(&self, other: &Runs) -> f64 {
        let common = other.iter().filter(|run| self.by_run.contains_key(run)).count();
        let common = counted(common, self.by_run.len().min(other.len()));
        common as f64 / (self.by_run.len() + other.len() - common).max(1) as f64
    }

    /// The largest share of the shorter one that a passage and another text have in common, from 0 to 1.
    fn containment(&self, other: &Runs) -> f64 {
        let mut common: HashMap<usize, usize> = HashMap::new();
        for number in other.iter().filter_map(|run| self.by_run.get(run)).flatten() {
            *common.entry(*number).or_default() += 1;
        }
        let share = |(number, common): (usize, usize)| {
            let shorter = self.sizes[number].min(other.len());
            counted(common, shorter) as f64 / shorter.max(1) as f64
        };
        common.into_iter().map(share).fold(0.0, f64::max)
    }
}

/// Texts of too few words have nothing in common.
fn counted(common: usize, runs_of_the_shorter: usize) -> usize {
    if runs_of_the_shorter < LEAST_RUNS { 0 } else { common }
}

/// The note, or its passage that is most like one of the text.
fn of_note(found: &FoundNote<'_>, passages: &Passages) -> Option<Candidate> {
    let note = &found.note;
    let cut = Cut::new(note.text(), note.path().stem());
    let pieces: Vec<(std::ops::Range<usize>, Runs)> =
        cut.pieces().map(|piece| (piece.range(), runs(&piece.visible_text()))).collect();
    let all: Runs = pieces.iter().flat_map(|(_, runs)| runs).copied().collect();
    let of_notes = passages.resemblance(&all);
    if of_notes >= LEAST_LIKENESS {
        return evidence(note, &pieces.first()?.0, Reason::WholeNote, of_notes);
    }
    let of_piece =
        |(range, runs): &(std::ops::Range<usize>, Runs)| (passages.containment(runs), range.clone());
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
            let found = passages(&[text]).resemblance(&runs(other));
            assert!(expected.contains(&found), "{other}: {found}");
        }
        let longer =
            format!("Before it. {text} And much more behind it that has nothing to do with it at all.");
        for (one, other) in [(text, &*longer), (&longer, text)] {
            let one = passages(&["Something else is said here, of no use to anybody at all.", one]);
            assert!(one.containment(&runs(other)) > 0.9 && one.resemblance(&runs(other)) < 0.7);
        }
    }

    #[test]
    fn a_text_that_says_the_same_ever_again_is_no_more_work() {
        let text = "The varnish of the mast took three days to dry in the cold shed by the river.";
        let all = passages(&vec![text; 20_000]);
        let began = std::time::Instant::now();
        for _ in 0..2_000 {
            assert!(all.containment(&runs(text)) > 0.99);
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    }

    fn passages(texts: &[&str]) -> Passages {
        Passages::of(texts.iter().map(|text| runs(text)))
    }
}
