//! What was probably meant by names that lead nowhere: the note with a name within a slip in four letters.
//!
//! All names are folded once for a page of findings; a cheap comparison of the letters spares most of the dear ones.

use std::collections::HashMap;

use super::{Check, Finding};
use crate::note::{fold, link};
use crate::ops::census::Facts;

/// Adds the nearest note to links and embeds that lead nowhere.
pub(super) fn add(findings: &mut [Finding], facts: &[Facts]) {
    let is_link = |finding: &&mut Finding| matches!(finding.check, Check::Links | Check::Embeds);
    let mut names: Option<Vec<Name<'_>>> = None;
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for finding in findings.iter_mut().filter(is_link) {
        let Some(name) = &finding.name else { continue };
        let wanted = link::name_key(name.split('#').next().unwrap_or_default());
        let look = || {
            let names = names.get_or_insert_with(|| names_of(facts));
            nearest(&wanted, names)
        };
        finding.nearest = known.get(&wanted).cloned().unwrap_or_else(look);
        known.insert(wanted, finding.nearest.clone());
    }
}

/// A name of a note.
struct Name<'f> {
    text: String,
    shape: Shape,
    path: &'f str,
}

/// How many letters, and which.
#[derive(Clone, Copy)]
struct Shape {
    length: usize,
    /// A bit for each letter, several letters to a bit.
    letters: u64,
}

impl Shape {
    fn of(text: &str) -> Shape {
        let letters = text.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) % 64));
        Shape { length: text.chars().count(), letters }
    }

    /// Slips that may lie between a name and this one.
    fn most_slips(self) -> usize {
        (self.length / 4).max(1)
    }

    /// Could so few slips lie between them? Each takes one letter away and brings another one at most.
    fn may_be_near(self, other: Shape, slips: usize) -> bool {
        self.length.abs_diff(other.length) <= slips
            && (self.letters ^ other.letters).count_ones() as usize <= 2 * slips
    }
}

fn names_of(facts: &[Facts]) -> Vec<Name<'_>> {
    let of_note = |note: &'_ Facts| {
        let own = [note.stem(), &note.title].into_iter().chain(note.aliases.iter().map(String::as_str));
        own.map(fold).collect::<Vec<_>>()
    };
    let names = facts.iter().flat_map(|note| of_note(note).into_iter().map(move |name| (name, note)));
    names.map(|(text, note)| Name { shape: Shape::of(&text), text, path: &note.path }).collect()
}

/// The path of the note with the nearest name, of several the first; none where no name is near.
fn nearest(wanted: &str, names: &[Name<'_>]) -> Option<String> {
    let shape = Shape::of(wanted);
    if shape.length < 3 {
        return None;
    }
    let mut most = shape.most_slips();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        // A name that is farther than the best one so far need not be measured.
        if !shape.may_be_near(name.shape, most) {
            continue;
        }
        let found = (slips_between(wanted, &name.text), name.path);
        if found.0 <= most && best.is_none_or(|best| found < best) {
            (most, best) = (found.0, Some(found));
        }
    }
    best.map(|(_, path)| path.to_owned())
}

/// Letters to add, leave out, replace or swap; what both begin or end with costs nothing.
fn slips_between(one: &str, other: &str) -> usize {
    let beginning = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    let at: usize = beginning.map(|(letter, _)| letter.len_utf8()).sum();
    let (one, other) = (&one[at..], &other[at..]);
    let ending = one.chars().rev().zip(other.chars().rev()).take_while(|(one, other)| one == other);
    let length: usize = ending.map(|(letter, _)| letter.len_utf8()).sum();
    strsim::osa_distance(&one[..one.len() - length], &other[..other.len() - length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_as_if_nothing_were_left_out() {
        let names =
            ["", "a", "ab", "ba", "aab", "abab", "mast", "mats", "masts", "most", "straße", "strase", "été"];
        for one in names {
            for other in names {
                assert_eq!(slips_between(one, other), strsim::osa_distance(one, other), "{one} {other}");
            }
        }
    }
}
