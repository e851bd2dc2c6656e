//! Gives passages their vectors, in batches, resumable at any point. A text that several trees
//! need is embedded once and written to each; the trees share nothing on disk.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use tracing::field::Empty;

use super::run::Open;
use super::{ModelsByProfile, Progress, Stage, SyncError};
use crate::embed::{EmbedError, Embedder, check_dimensions};
use crate::index::{ChunkId, Cut, Hash16, Pending, Quantised};
use crate::vault::{NotePath, Profile, Session, Vault};

/// Passages per core and round: a kill loses at most this much work, and who waits for the run to stop waits
/// about a second with the slower of the models.
const ROUND_OF_A_CORE: usize = 8;

/// A text to embed and the passages, by tree, that wait for it.
type Waiting = HashMap<Hash16, Vec<(usize, ChunkId)>>;

/// Embeds whatever the trees still lack.
pub(super) fn embed_pending(
    vault: &Vault,
    models: &ModelsByProfile,
    trees: &mut [Open],
    progress: &dyn Progress,
) -> Result<(), SyncError> {
    let pending = trees.iter().map(pending_count).sum::<Result<u64, SyncError>>()?;
    if pending == 0 {
        return Ok(());
    }
    progress.begin(Stage::Vectors, pending);
    for first in 0..trees.len() {
        let Some(embedder) = embedder_of(&trees[first], models) else { continue };
        let mut after = 0;
        let size = ROUND_OF_A_CORE * rayon::current_num_threads();
        loop {
            let round = trees[first].writer.pending(after, size)?;
            let Some(last) = round.last() else { break };
            if progress.is_abandoned() {
                return Err(SyncError::Abandoned);
            }
            if progress.should_stop() {
                progress.end();
                return Ok(());
            }
            after = last.chunk;
            match embed_round(vault, &embedder, trees, first, &round, progress)? {
                Round::Done => {}
                Round::Failed(error) => {
                    trees[first].summary.note_model_failure(&error);
                    break;
                }
                Round::Left => {
                    progress.end();
                    return if progress.is_abandoned() { Err(SyncError::Abandoned) } else { Ok(()) };
                }
            }
        }
    }
    progress.end();
    Ok(())
}

fn pending_count(open: &Open) -> Result<u64, SyncError> {
    Ok(open.writer.tree().counts()?.2)
}

fn embedder_of(open: &Open, models: &ModelsByProfile) -> Option<Arc<dyn Embedder>> {
    models.of(open.profile).embedder(open.writer.tree().header().model.as_deref()?)
}

/// Embeds the texts of one round of tree `first` and writes them to every tree of the same model. Words go on
/// without vectors: that the model does not work is no error of the run.
fn embed_round(
    vault: &Vault,
    embedder: &Arc<dyn Embedder>,
    trees: &mut [Open],
    first: usize,
    round: &[Pending],
    progress: &dyn Progress,
) -> Result<Round, SyncError> {
    let profile = trees[first].profile;
    let dimensions = trees[first].writer.tree().header().dimensions;
    let embed = |pending: &[Pending]| -> Result<Embedded, SyncError> {
        let texts = vault.request(profile, |session| texts_of(session, pending))?;
        let (keys, texts): (Vec<Hash16>, Vec<String>) = texts.into_iter().unzip();
        let span = tracing::trace_span!("make vectors", count = Empty).entered();
        span.record("count", texts.len());
        Ok(match embed_while_wanted(embedder, texts, dimensions, progress) {
            Some(Ok(vectors)) => Embedded::Vectors(keys.into_iter().zip(vectors).collect()),
            Some(Err(error)) => Embedded::Failed(error),
            None => Embedded::Left,
        })
    };
    let vectors = match embed(round)? {
        Embedded::Vectors(vectors) => vectors,
        Embedded::Left => return Ok(Round::Left),
        Embedded::Failed(error) => {
            if embedder.check(dimensions).is_err() {
                return Ok(Round::Failed(error));
            }
            // One text that the model cannot take costs no other its vector. Each is read and judged again.
            let mut vectors = Vec::new();
            for pending in round {
                match embed(std::slice::from_ref(pending))? {
                    Embedded::Vectors(more) => vectors.extend(more),
                    Embedded::Left => return Ok(Round::Left),
                    Embedded::Failed(_) => {}
                }
            }
            vectors
        }
    };
    let keys: Vec<Hash16> = vectors.iter().map(|(key, _)| *key).collect();
    let waiting = waiting_for(trees, first, &keys)?;
    let _span = tracing::trace_span!("write vectors").entered();
    let mut done: Vec<Vec<(ChunkId, Quantised)>> = trees.iter().map(|_| Vec::new()).collect();
    for (key, vector) in &vectors {
        for (tree, chunk) in waiting.get(key).into_iter().flatten() {
            let vector = trees[*tree].writer.tree().quantised(vector);
            done[*tree].extend(vector.map(|vector| (*chunk, vector)));
        }
    }
    for (open, vectors) in trees.iter_mut().zip(done) {
        open.writer.transaction(|writer| {
            vectors.iter().try_for_each(|(chunk, vector)| writer.put_vector(*chunk, vector))
        })?;
        progress.advance(vectors.len() as u64);
    }
    trees[first].summary.embedded += vectors.len() as u64;
    Ok(Round::Done)
}

/// What became of a round.
enum Round {
    Done,
    /// The model does not work.
    Failed(EmbedError),
    /// Nobody waits for it any more, or there is something to erase.
    Left,
}

/// What became of some texts.
enum Embedded {
    Vectors(Vec<(Hash16, Vec<f32>)>),
    Failed(EmbedError),
    Left,
}

/// How often a call that takes long is asked whether it is still wanted.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The vectors of these texts; `None` if the run is to stop before they are there. A model on a server may think for
/// a minute, and what turned private meanwhile must not wait for that.
fn embed_while_wanted(
    embedder: &Arc<dyn Embedder>,
    texts: Vec<String>,
    dimensions: usize,
    progress: &dyn Progress,
) -> Option<Result<Vec<Vec<f32>>, EmbedError>> {
    let embed = move |embedder: &dyn Embedder| {
        let passages: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed_passages(&passages)?;
        vectors.iter().try_for_each(|vector| check_dimensions(vector.len(), dimensions))?;
        Ok(vectors)
    };
    if !embedder.may_take_long() {
        return Some(embed(&**embedder));
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let asked = Arc::clone(embedder);
    std::thread::spawn(move || sender.send(embed(&*asked)));
    loop {
        match receiver.recv_timeout(BETWEEN_LOOKS) {
            Ok(vectors) => return Some(vectors),
            Err(RecvTimeoutError::Timeout) if progress.should_stop() || progress.is_abandoned() => {
                return None;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Some(Err(EmbedError::Run("it ended without an answer".to_owned())));
            }
        }
    }
}

/// The texts of the passages, read and judged now; a note that changed meanwhile waits for the
/// next run. Each text once.
fn texts_of(session: &Session<'_>, round: &[Pending]) -> Vec<(Hash16, String)> {
    let mut texts = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for of_note in round.chunk_by(|a, b| a.path == b.path) {
        let Ok(path) = NotePath::parse(&of_note[0].path) else { continue };
        let Ok(note) = session.open(&path) else { continue };
        let cut = Cut::new(note.text(), path.stem());
        let wanted = |key: &Hash16| of_note.iter().any(|pending| pending.embed_key == *key);
        for piece in cut.pieces() {
            let text = piece.embedding_text();
            let key = piece.embed_key();
            if wanted(&key) && seen.insert(key) {
                texts.push((key, text));
            }
        }
    }
    texts
}

/// The passages of all trees with the model of tree `first` that wait for these texts.
fn waiting_for(trees: &[Open], first: usize, keys: &[Hash16]) -> Result<Waiting, SyncError> {
    let model = &trees[first].writer.tree().header().model;
    let mut waiting = Waiting::new();
    for (index, open) in trees.iter().enumerate() {
        // Never an earlier tree: its own gate, asked in its own round, refused the text.
        if index < first || open.writer.tree().header().model != *model {
            continue;
        }
        for key in keys {
            let chunks = open.writer.pending_with_key(key)?;
            waiting.entry(*key).or_default().extend(chunks.into_iter().map(|chunk| (index, chunk)));
        }
    }
    Ok(waiting)
}

/// The public tree comes first, so that a public text is read through the public gate.
pub(super) fn embedding_order(profile: Profile) -> u8 {
    match profile {
        Profile::Public => 0,
        Profile::Full => 1,
    }
}
