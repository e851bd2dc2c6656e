//! Context pack: a question -> what the notes say about it, in reading order, within a byte budget. Passages next to
//! each other are one window, a text that stands in several notes is there once, and every window is cited.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::search::{self, Mode, SearchRequest};
use super::shown::{Shown, Shows};
use super::{Caller, Conditions, OpError, Service, notice};
use crate::index::{Cut, Hash16, Piece};
use crate::reply::Reply;
use crate::search::Found;
use crate::vault::{Note, Released, Session};

/// A pack as asked.
#[derive(Debug, Clone)]
pub struct PackRequest {
    /// Free text; quotes make a phrase.
    pub question: String,
    /// A sketch of the answer, for the vector leg; see [`SearchRequest::hypothetical`].
    pub hypothetical: Option<String>,
    /// Only notes below one of these folders; empty = everywhere.
    pub folders: Vec<String>,
    /// Only notes with all of these tags.
    pub tags: Vec<String>,
    /// Only notes for which these hold.
    pub conditions: Conditions,
    /// Upper bound of the note text in the answer, in bytes.
    pub max_bytes: usize,
}

impl Default for PackRequest {
    fn default() -> Self {
        PackRequest {
            question: String::new(),
            hypothetical: None,
            folders: Vec::new(),
            tags: Vec::new(),
            conditions: Conditions::default(),
            max_bytes: 3 * 1024,
        }
    }
}

/// A stretch of a note, cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Vault-relative, `/`-separated.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// `path#heading`, or `path` before the first heading.
    pub citation: String,
    /// Headings above its beginning, from the outer to the inner.
    pub heading_path: Vec<String>,
    /// First line, from 1.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// What stands there.
    pub text: String,
}

/// The answer to a question about the notes: material for it.
#[derive(Debug, Clone, Serialize)]
pub struct PackAnswer {
    /// The mode that ran.
    pub mode: Mode,
    /// What the reader should know.
    pub notices: Vec<&'static str>,
    /// When the index last saw the vault (RFC 3339), if there is an index.
    pub indexed_at: Option<String>,
    /// The notes are likely to answer the question.
    pub enough: bool,
    /// Passages as good as some that are here were left out to stay within `max_bytes`.
    pub truncated: bool,
    /// Bytes of note text.
    pub bytes: usize,
    /// Notes by how well they answer, and within a note in its order.
    pub windows: Vec<Window>,
}

impl Shows for PackAnswer {
    fn tell(&self, shown: &mut Shown) {
        self.windows.iter().for_each(|window| shown.lines(&window.path, window.line_start, window.line_end));
    }
}

/// So many of the best passages are looked at,
const CANDIDATES: usize = 40;
/// at most so many of a note.
const MOST_OF_A_NOTE: usize = 8;
/// A passage with less than this share of the best one's score only takes room.
const LEAST_SHARE: f64 = 0.1;

/// Between two passages of a window.
const JOINT: &str = "\n\n";

pub(super) fn run(
    service: &Service,
    request: &PackRequest,
    caller: &Caller<'_>,
) -> Result<Reply<PackAnswer>, OpError> {
    let asked = SearchRequest {
        query: request.question.clone(),
        hypothetical: request.hypothetical.clone(),
        folders: request.folders.clone(),
        tags: request.tags.clone(),
        conditions: request.conditions.clone(),
        limit: CANDIDATES,
        max_per_note: MOST_OF_A_NOTE,
        ..SearchRequest::default()
    };
    search::check(&asked)?;
    service.request(caller, |session, tree| {
        let searched = search::find(service, session, tree, &asked)?;
        let chosen = choose(&searched.found, request.max_bytes);
        let truncated = chosen.truncated;
        let windows = session.gather(windows(session, &searched.found, chosen));
        Ok(Reply::new(windows.map(|windows| {
            let enough = !windows.is_empty() && !searched.found.is_doubtful;
            let mut notices = searched.notices;
            if !enough {
                notices.push(notice::NOT_ENOUGH);
            }
            PackAnswer {
                mode: searched.mode,
                notices,
                indexed_at: searched.indexed_at,
                enough,
                truncated,
                bytes: windows.iter().map(|window| window.text.len()).sum(),
                windows,
            }
        })))
    })
}

/// What goes into the pack: for each note by its rank, the numbers of its pieces.
struct Chosen<'f> {
    notes: Vec<(usize, Cut<'f>, BTreeMap<usize, String>)>,
    truncated: bool,
}

/// Takes passages, the best first, as long as they fit and say something new.
fn choose<'f>(found: &'f Found<'_>, max_bytes: usize) -> Chosen<'f> {
    let best = found.hits.first().map_or(0.0, |hit| hit.score);
    let mut chosen = Chosen { notes: Vec::new(), truncated: false };
    let mut left = max_bytes;
    let mut texts: HashSet<Hash16> = HashSet::new();
    for hit in found.hits.iter().take_while(|hit| hit.score >= best * LEAST_SHARE) {
        let place = chosen.notes.iter().position(|(note, _, _)| *note == hit.note).unwrap_or_else(|| {
            let note = &found.notes[hit.note];
            let cut = Cut::new(note.text(), note.path().stem());
            chosen.notes.push((hit.note, cut, BTreeMap::new()));
            chosen.notes.len() - 1
        });
        let (_, cut, pieces) = &mut chosen.notes[place];
        let Some(number) = cut.pieces().position(|piece| piece.range() == hit.range) else { continue };
        let Some(piece) = cut.pieces().nth(number) else { continue };
        let text = piece.visible_text();
        if !texts.insert(piece.hash()) {
            continue;
        }
        let cost = found.notes[hit.note].path().as_str().len() + cost(&text);
        if cost > left {
            chosen.truncated = true;
            continue;
        }
        left -= cost;
        pieces.insert(number, text);
    }
    chosen.notes.iter_mut().for_each(|(_, cut, pieces)| bridge(cut, pieces, &mut left));
    chosen.notes.retain(|(_, _, pieces)| !pieces.is_empty());
    chosen
}

/// With what joins it to the passage before.
fn cost(text: &str) -> usize {
    text.len() + JOINT.len()
}

/// What stands between two chosen passages is easier read than left out, if it is one passage and fits.
fn bridge(cut: &Cut<'_>, pieces: &mut BTreeMap<usize, String>, left: &mut usize) {
    let gaps: Vec<usize> = pieces
        .keys()
        .zip(pieces.keys().skip(1))
        .filter(|(one, next)| **next - **one == 2)
        .map(|(one, _)| one + 1)
        .collect();
    for number in gaps {
        let Some(text) = cut.pieces().nth(number).map(|piece| piece.visible_text()) else { continue };
        if cost(&text) <= *left {
            *left -= cost(&text);
            pieces.insert(number, text);
        }
    }
}

fn windows<'s>(session: &Session<'s>, found: &Found<'s>, chosen: Chosen<'_>) -> Vec<Released<'s, Window>> {
    let mut windows = Vec::new();
    for (note, cut, pieces) in chosen.notes {
        let note = &found.notes[note];
        let all: Vec<Piece<'_>> = cut.pieces().collect();
        let mut runs: Vec<(usize, usize, String)> = Vec::new();
        for (number, text) in pieces {
            match runs.last_mut() {
                Some((_, last, so_far)) if *last + 1 == number => {
                    *last = number;
                    so_far.push_str(JOINT);
                    so_far.push_str(&text);
                }
                _ => runs.push((number, number, text)),
            }
        }
        for (first, last, text) in runs {
            windows.push(session.release(note, window(note, &cut, &all[first], &all[last], text)));
        }
    }
    windows
}

fn window(note: &Note<'_>, cut: &Cut<'_>, first: &Piece<'_>, last: &Piece<'_>, text: String) -> Window {
    let path = note.path().as_str();
    let heading_path = search::headings(first);
    Window {
        path: path.to_owned(),
        title: search::shortened(&cut.title),
        citation: search::citation(path, &heading_path),
        heading_path,
        line_start: first.lines().0,
        line_end: last.lines().1,
        text,
    }
}
