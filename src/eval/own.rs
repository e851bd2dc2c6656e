//! Questions made from the vault itself -> an evaluation set, in two halves: one to tune on, one to report.
//! Pure. A text falls into the same half in every run and every vault.

use std::collections::HashMap;

use super::Question;
use crate::ops::questions::{MadeFrom, MadeQuestion};

/// Which part of the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Those that settings may be chosen on.
    Tuning,
    /// Those that nothing was chosen on.
    HeldOut,
}

/// The first `take` questions of a half: as many of each kind as there are, in an order that is random and the
/// same every time.
pub fn own_questions(made: &[MadeQuestion], half: Half, take: usize) -> Vec<Question> {
    let mut hashed: Vec<(blake3::Hash, &MadeQuestion)> = made
        .iter()
        .map(|question| (hash(question), question))
        .filter(|(hash, _)| half_of(hash) == half)
        .collect();
    hashed.sort_by(|left, right| left.0.as_bytes().cmp(right.0.as_bytes()));
    let mut of_kind: HashMap<&str, usize> = HashMap::new();
    let mut turns: Vec<(usize, Question)> = hashed
        .into_iter()
        .map(|(hash, made)| {
            let turn = of_kind.entry(made.made_from.as_str()).or_default();
            *turn += 1;
            (*turn, question(&hash, made))
        })
        .collect();
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().take(take).map(|(_, question)| question).collect()
}

fn hash(made: &MadeQuestion) -> blake3::Hash {
    blake3::hash(made.text.to_lowercase().as_bytes())
}

fn half_of(hash: &blake3::Hash) -> Half {
    // The last byte: the order is by the first ones.
    if hash.as_bytes()[31].is_multiple_of(2) { Half::Tuning } else { Half::HeldOut }
}

fn question(hash: &blake3::Hash, made: &MadeQuestion) -> Question {
    let heading = (made.made_from == MadeFrom::Heading).then(|| made.text.clone());
    Question {
        id: hash.to_hex()[..16].to_owned(),
        query: made.text.clone(),
        expected_sources: vec![made.target.clone()],
        kind: Some(made.made_from.as_str().to_owned()),
        expected_headings: heading.into_iter().collect(),
        neutral_sources: made.linked_from.clone(),
        ..Question::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(count: usize, made_from: MadeFrom) -> Vec<MadeQuestion> {
        let one = |number| MadeQuestion {
            text: format!("{} {number}", made_from.as_str()),
            made_from,
            target: format!("{number}.md"),
            linked_from: Vec::new(),
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn the_halves_share_nothing_and_leave_nothing_out() {
        let all = made(400, MadeFrom::Link);
        let [tuning, held_out] = [Half::Tuning, Half::HeldOut].map(|half| own_questions(&all, half, 400));
        assert_eq!(tuning.len() + held_out.len(), 400);
        assert!((160..240).contains(&tuning.len()), "{}", tuning.len());
        assert!(tuning.iter().all(|one| held_out.iter().all(|other| other.query != one.query)));
        let few: Vec<MadeQuestion> = all.into_iter().rev().take(200).collect();
        let again = own_questions(&few, Half::Tuning, 400);
        assert!(
            again.iter().all(|question| tuning.contains(question)),
            "a half depends on the other questions"
        );
    }

    #[test]
    fn kinds_take_turns() {
        let all =
            [made(300, MadeFrom::Heading), made(20, MadeFrom::Alias), made(100, MadeFrom::Link)].concat();
        let taken = own_questions(&all, Half::HeldOut, 9);
        let of = |kind: &str| taken.iter().filter(|question| question.kind.as_deref() == Some(kind)).count();
        assert_eq!(["heading", "alias", "link"].map(of), [3, 3, 3]);
        assert_eq!(taken, own_questions(&all, Half::HeldOut, 400)[..9]);
        let heading = taken.iter().find(|question| question.kind.as_deref() == Some("heading")).unwrap();
        assert_eq!(heading.expected_headings, std::slice::from_ref(&heading.query));
    }
}
