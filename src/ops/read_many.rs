//! Read several notes: names -> the notes from their tops, in the order asked, under one budget.
//!
//! Invariant: a name that leads to no note is answered in its place, always alike, and its fellows as if they
//! stood alone; nothing that was asked is repeated, so names are told by their numbers.

use serde::Serialize;

use super::read::{self, Part, ReadAnswer, ReadRequest};
use super::shown::{Shown, Shows};
use super::{Caller, OpError, Service};
use crate::reply::Reply;

/// Less than this of a note is not worth beginning it, in bytes.
const LEAST_PART: usize = 256;

/// Several reads as asked.
#[derive(Debug, Clone)]
pub struct ReadManyRequest {
    /// The notes, each as a [`ReadRequest`] names one.
    pub names: Vec<String>,
    /// [`Part::Whole`] or [`Part::Outline`], of each.
    pub part: Part,
    /// Upper bound of all texts together, or of all headings, in bytes. Properties take from what is left for those
    /// that follow; an outline that is the first is shown whatever its length.
    pub max_bytes: usize,
}

/// What became of one name.
#[derive(Debug, Clone, Serialize)]
pub struct Numbered {
    /// Which of the names, from 1.
    pub number: usize,
    /// The note, or why there is none.
    #[serde(flatten)]
    pub found: Found,
}

/// A note or a refusal.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "nearly all of them are notes")]
pub enum Found {
    /// The note.
    Note(ReadAnswer),
    /// There is no such note, or no such part of it.
    Refused {
        /// The text with which a read of it alone is refused.
        error: String,
    },
}

/// Several notes.
#[derive(Debug, Clone, Serialize)]
pub struct ReadManyAnswer {
    /// In the order asked.
    pub notes: Vec<Numbered>,
    /// The numbers of the names that there was no room for. They were not looked at.
    pub not_shown: Vec<usize>,
}

impl Shows for ReadManyAnswer {
    fn tell(&self, shown: &mut Shown) {
        for one in &self.notes {
            if let Found::Note(note) = &one.found {
                note.tell(shown);
            }
        }
    }
}

pub(super) fn run(
    service: &Service,
    request: &ReadManyRequest,
    caller: &Caller<'_>,
) -> Result<Reply<ReadManyAnswer>, OpError> {
    if request.names.is_empty() {
        return Err(OpError::InvalidArgument("name at least one note"));
    }
    service.request(caller, |session, tree| {
        let (mut notes, mut left) = (Vec::new(), Some(request.max_bytes));
        for (name, number) in request.names.iter().zip(1..) {
            let Some(max_bytes) = left else { break };
            let request = ReadRequest {
                name: name.clone(),
                part: request.part.clone(),
                max_bytes,
                ..ReadRequest::default()
            };
            let is_first = notes.is_empty();
            match read::one(session, tree, &request) {
                Ok(note) if !is_first && !fits(note.get(), max_bytes) => break,
                Ok(note) => {
                    left = left_after(note.get(), max_bytes);
                    notes.push(note.map(|note| Numbered { number, found: Found::Note(note) }));
                }
                Err(error @ (OpError::NotFound | OpError::InvalidArgument(_))) => {
                    let found = Found::Refused { error: error.to_string() };
                    notes.push(session.gather::<()>(Vec::new()).map(|_| Numbered { number, found }));
                }
                Err(error) => return Err(error),
            }
        }
        let not_shown = (notes.len() + 1..=request.names.len()).collect();
        Ok(Reply::new(session.gather(notes).map(|notes| ReadManyAnswer { notes, not_shown })))
    })
}

/// Whether a note that was read within what is left is worth showing.
fn fits(note: &ReadAnswer, left: usize) -> bool {
    shown_bytes(note) <= left && !(note.is_cut() && left < LEAST_PART)
}

/// What is left for those that follow; `None` behind a note that is cut.
fn left_after(note: &ReadAnswer, left: usize) -> Option<usize> {
    let properties = serde_json::to_string(&note.properties).map_or(0, |properties| properties.len());
    (!note.is_cut()).then(|| left.saturating_sub(shown_bytes(note) + properties))
}

fn shown_bytes(note: &ReadAnswer) -> usize {
    if note.text.is_empty() {
        note.outline.iter().map(|entry| entry.heading.len() + 1).sum()
    } else {
        note.text.len()
    }
}
