//! Conditions on properties and dates: which notes they hold for, as the notes stand now.
//!
//! Invariant: a condition is judged on text that was admitted in this request, and the notes it holds for are known
//! before anything is ranked. The index has no part in it, so that an old one makes no difference.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::OpError;
use super::error::vault_unavailable;
use crate::index::{Filter, Tree};
use crate::note::date::{self, Moment};
use crate::note::predicate::Predicate;
use crate::note::{self, Document};
use crate::vault::{Note, NotePath, Session};

/// Conditions as asked; all of them must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// On properties: see [`Predicate`].
    pub properties: Vec<String>,
    /// The note's date is this day or later. That date is what its property `date` says, else `created`, else the day
    /// that its file name begins with, else when the file was last modified (UTC).
    pub since: Option<String>,
    /// The note's date is this day or earlier.
    pub until: Option<String>,
}

/// Conditions that can be judged.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    predicates: Vec<Predicate>,
    since: Option<Moment>,
    until: Option<Moment>,
}

impl Conditions {
    pub(super) fn parse(&self) -> Result<Wanted, OpError> {
        let predicates = self.properties.iter().map(|text| Predicate::parse(text));
        let day = |text: &Option<String>| {
            text.as_deref()
                .map(|text| {
                    Moment::parse(text)
                        .ok_or(OpError::InvalidArgument("since and until are days, such as 2031-04-09"))
                })
                .transpose()
        };
        Ok(Wanted {
            predicates: predicates.collect::<Option<_>>().ok_or(OpError::InvalidArgument(
                "a condition is a property, = != < <= > >= or contains, and a value; or a property and exists",
            ))?,
            since: day(&self.since)?,
            until: day(&self.until)?,
        })
    }
}

impl Wanted {
    /// Do they hold for every note?
    pub(super) fn is_empty(&self) -> bool {
        self.predicates.is_empty() && self.since.is_none() && self.until.is_none()
    }

    /// Do they hold for this one?
    pub(super) fn hold(&self, note: &Note<'_>, document: &Document) -> bool {
        self.predicates.iter().all(|predicate| predicate.holds(&document.frontmatter.properties))
            && self.is_in_time(|| {
                let nanoseconds = note.stat().modified_ns;
                date::of_note(document, note.path().stem())
                    .unwrap_or_else(|| Moment::from_unix(nanoseconds.div_euclid(1_000_000_000)))
            })
    }

    fn is_in_time(&self, date: impl FnOnce() -> Moment) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let date = date();
        self.since.is_none_or(|since| date.order(&since).is_ge())
            && self.until.is_none_or(|until| date.order(&until).is_le())
    }
}

/// The filter, narrowed to the notes for which the conditions hold now.
pub(super) fn narrowed(
    session: &Session<'_>,
    tree: Option<&Tree>,
    filter: Filter,
    wanted: &Wanted,
) -> Result<Filter, OpError> {
    if wanted.is_empty() {
        return Ok(filter);
    }
    let paths: Vec<String> = if let Some(tree) = tree {
        tree.notes_after("", &filter, usize::MAX)?.into_iter().map(|note| note.path).collect()
    } else {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        walk.notes.into_iter().map(|listed| listed.path.as_str().to_owned()).collect()
    };
    let holds = |path: &String| {
        let note = NotePath::parse(path).ok().and_then(|path| session.open(&path).ok());
        note.is_some_and(|note| wanted.hold(&note, &note::parse(note.text())))
    };
    let notes: BTreeSet<String> = paths.into_par_iter().filter(holds).collect();
    Ok(Filter { notes: Some(notes), ..filter })
}
