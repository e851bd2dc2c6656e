//! Reads, judges, parses and analyses notes on all cores; the writer takes them in order.

use rayon::prelude::*;

use super::plan::Candidate;
use crate::index::{Cut, Hash16, NoteEntry, NoteRecord};
use crate::note::Link;
use crate::vault::{FileStat, Refusal, Session};

/// Notes prepared at a time: enough for all cores, few enough to keep little text in memory.
const BATCH: usize = 128;
/// File systems keep time in steps: a note that changed this shortly before it was read may
/// change again without showing it, so it is read again next time.
const UNSETTLED_NS: i64 = 1_000_000_000;

/// A note, ready to be written.
pub(super) enum Prepared {
    /// New or changed text.
    Put { known: Option<NoteEntry>, record: Box<NoteRecord>, links: Vec<Link> },
    /// The file was touched, the text is the same.
    Same { known: NoteEntry, stat: FileStat },
    /// It is not for this tree.
    Refused { path: String, known: Option<NoteEntry>, refusal: Refusal },
}

/// Prepares notes batch by batch while `write` works on the batch before.
pub(super) fn prepare<E: Send>(
    session: &Session<'_>,
    candidates: &[Candidate],
    mut write: impl FnMut(Vec<Prepared>) -> Result<(), E>,
) -> Result<(), E> {
    let (sender, receiver) = std::sync::mpsc::sync_channel(2);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for batch in candidates.chunks(BATCH) {
                let prepared: Vec<Prepared> =
                    batch.par_iter().map(|note| prepare_note(session, note)).collect();
                if sender.send(prepared).is_err() {
                    return; // the writer gave up
                }
            }
        });
        receiver.into_iter().try_for_each(&mut write)
    })
}

fn prepare_note(session: &Session<'_>, candidate: &Candidate) -> Prepared {
    let path = &candidate.path;
    let known = candidate.known.clone();
    let note = match session.admit(path) {
        Ok(note) => note,
        Err(refusal) => return Prepared::Refused { path: path.as_str().to_owned(), known, refusal },
    };
    let (hash, stat) = (note.content_hash(), settled(note.stat()));
    match known {
        Some(known) if known.hash == hash => Prepared::Same { known, stat },
        known => put(path.as_str(), path.stem(), note.text(), hash, stat, known),
    }
}

fn put(
    path: &str,
    stem: &str,
    text: &str,
    hash: Hash16,
    stat: FileStat,
    known: Option<NoteEntry>,
) -> Prepared {
    let cut = Cut::new(text, stem);
    let record = Box::new(NoteRecord::new(path, stem, &cut, hash, stat));
    Prepared::Put { known, record, links: cut.document.links }
}

/// The stat to remember: one that matches no file while the file may still change unseen.
fn settled(stat: FileStat) -> FileStat {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let now_ns = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    if stat.changed_ns > now_ns - UNSETTLED_NS { FileStat { changed_ns: -1, ..stat } } else { stat }
}
