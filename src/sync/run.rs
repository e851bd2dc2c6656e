//! One run: words first, tree by tree; then vectors, over all trees together. A tree that must be
//! built anew grows beside the old one, which serves until the new one is whole.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tracing::field::Empty;

use super::base::{begin_generation, find_base};
use super::links::LinkWork;
use super::look;
use super::plan::{Trust, plan};
use super::prepare::{Prepared, prepare};
use super::summary::{SkipCounter, SkipReason, TreeSummary};
use super::vectors::{embed_pending, embedding_order};
use super::{ModelsByProfile, Progress, Stage, SyncError};
use crate::index::{IndexError, Store, Tree, Verified, WriteLock, Writer};
use crate::vault::{NotePath, PassedOver, Profile, Refusal, Session, Vault, Walk};

/// How much to redo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Only what changed, after a look at the whole tree for damage, if the last one was not lately: see [`Verified`].
    #[default]
    Incremental,
    /// Only what changed, because it is time to look: damage is noticed where the work meets it.
    ByTheClock {
        /// When it was due, in seconds since 1970.
        due: u64,
    },
    /// The same, because a change was heard: see [`stamp`].
    Woken,
    /// Everything, in a new generation.
    Rebuild,
}

/// Both trees, in the order in which a run builds them.
pub const BOTH_PROFILES: [Profile; 2] = [Profile::Public, Profile::Full];

/// What to do.
pub struct Job<'a> {
    /// The vault.
    pub vault: &'a Vault,
    /// Where its trees are.
    pub store: &'a Store,
    /// Which trees to bring up to date.
    pub profiles: &'a [Profile],
    /// Where vectors come from.
    pub models: &'a ModelsByProfile,
    /// How much to redo.
    pub mode: Mode,
}

/// Brings the trees up to date.
pub fn run(job: &Job<'_>, progress: &dyn Progress) -> Result<Vec<TreeSummary>, SyncError> {
    let mut profiles = job.profiles.to_vec();
    profiles.sort_by_key(|profile| embedding_order(*profile));
    let (mut idle, mut due) = (Vec::new(), Vec::new());
    for profile in profiles {
        match look::idle(job, profile)? {
            Some(summary) => idle.push(summary),
            // All before the work, and in this order: of two runs that begin together one gets them all.
            None => due.push((profile, Arc::new(job.store.lock(profile)?))),
        }
    }
    let mut trees = sync_words_of_all(job, due, progress)?;
    embed_pending(job.vault, job.models, &mut trees, progress)?;
    let written: Vec<TreeSummary> =
        trees.into_iter().map(|open| open.finish(job.store)).collect::<Result<_, _>>()?;
    Ok(idle.into_iter().chain(written).collect())
}

/// A tree in the hands of a run.
pub(super) struct Open {
    pub(super) profile: Profile,
    pub(super) writer: Writer,
    pub(super) summary: TreeSummary,
    lock: Arc<WriteLock>,
    /// Where it is built, when it is not the current generation yet.
    building: Option<PathBuf>,
    /// When what it grew from was last looked at as a whole, if that is known.
    verified: Option<Verified>,
    began: Instant,
}

impl Open {
    fn finish(mut self, store: &Store) -> Result<TreeSummary, SyncError> {
        let (notes, chunks, pending) = self.writer.tree().counts()?;
        self.summary.notes = notes;
        self.summary.chunks = chunks;
        self.summary.pending_vectors = pending;
        self.summary.model = self
            .writer
            .tree()
            .header()
            .model
            .as_deref()
            .map(|id| id.split('@').next().unwrap_or(id).to_owned());
        self.writer.close()?;
        if let Some(building) = &self.building {
            store.promote(building, &self.lock)?;
        }
        if let (Some(verified), Some(tree)) = (self.verified, store.current(self.profile)?) {
            // A disk that is full now costs the next run a look at the file, no more.
            let _ = verified.note(&tree);
        }
        self.summary.seconds = self.began.elapsed().as_secs_f64();
        Ok(self.summary)
    }
}

/// Each tree in a thread of its own: what a tree waits for most is its one writer.
fn sync_words_of_all(
    job: &Job<'_>,
    due: Vec<(Profile, Arc<WriteLock>)>,
    progress: &dyn Progress,
) -> Result<Vec<Open>, SyncError> {
    let told_of = due.last().map(|(profile, _)| *profile);
    let work = move |(profile, lock)| {
        let untold = Untold(progress);
        let progress = if told_of == Some(profile) { progress } else { &untold };
        sync_words_or_heal(job, profile, &lock, progress)
    };
    thread::scope(|scope| {
        let runs: Vec<_> = due.into_iter().map(|tree| scope.spawn(move || work(tree))).collect();
        let ended = runs.into_iter().map(|run| run.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Of several trees one tells how far it is: the last one, which has most notes.
struct Untold<'a>(&'a dyn Progress);

impl Progress for Untold<'_> {
    fn begin(&self, _: Stage, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}

    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }

    fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }
}

/// Damage that shows only in the middle of the work is healed as well: the tree is set aside and
/// built anew, once.
fn sync_words_or_heal(
    job: &Job<'_>,
    profile: Profile,
    lock: &Arc<WriteLock>,
    progress: &dyn Progress,
) -> Result<Open, SyncError> {
    match sync_words(job, profile, lock, progress) {
        Err(SyncError::Index(IndexError::Corrupt(_))) => {
            job.store.discard(&job.store.building(profile)?, lock)?;
            if let Some(path) = job.store.current(profile)? {
                job.store.set_aside(&path, lock)?;
            }
            let mut open = sync_words(job, profile, lock, progress)?;
            open.summary.rebuilt = Some("the index was damaged");
            Ok(open)
        }
        done => done,
    }
}

/// The words of one tree: afterwards it answers keyword searches over the vault as it is.
fn sync_words(
    job: &Job<'_>,
    profile: Profile,
    lock: &Arc<WriteLock>,
    progress: &dyn Progress,
) -> Result<Open, SyncError> {
    let began = Instant::now();
    let base = find_base(job, profile, lock)?;
    let mut summary = TreeSummary::new(profile);
    summary.rebuilt = base.rebuilt;
    if let Some(writer) = &base.writer
        && let models = job.models.of(profile)
        && !models.accepts(writer.tree().header().model.as_deref())
        && let Err(error) = models.check()
    {
        summary.note_model_failure(&error);
    }
    let verified = if base.writer.is_some() { base.verified } else { Some(Verified::now()) };
    let (writer, building) = if let Some(writer) = base.writer {
        job.store.remove_leftovers(profile, lock)?;
        (writer, None)
    } else {
        let generation = begin_generation(job, profile, lock)?;
        if let Some(failure) = &generation.failure {
            summary.note_model_failure(failure);
        }
        (generation.writer, Some(generation.path))
    };
    let mut open = Open { profile, writer, summary, lock: Arc::clone(lock), building, verified, began };
    let finished = job.vault.request(profile, |session| fill(session, &mut open, job.mode, progress))?;
    if let (Err(SyncError::Index(IndexError::DiskFull)), Some(building)) = (&finished, &open.building) {
        job.store.discard(building, &open.lock)?;
    }
    finished?;
    if base.old_serves { Ok(open) } else { promote_early(job.store, open) }
}

/// Without an older tree that could serve meanwhile, words are worth having before vectors.
fn promote_early(store: &Store, mut open: Open) -> Result<Open, SyncError> {
    if let Some(building) = open.building.take() {
        open.writer.close()?;
        let finished = store.promote(&building, &open.lock)?;
        open.writer = Writer::open(&finished)?;
    }
    Ok(open)
}

/// Walks, plans, applies; then once more, for what changed meanwhile.
fn fill(
    session: &Session<'_>,
    open: &mut Open,
    mode: Mode,
    progress: &dyn Progress,
) -> Result<(), SyncError> {
    let trust = trust(session, open.writer.tree());
    let skipped = pass(session, open, trust, progress)?;
    open.summary.skipped = skipped.into_skipped();
    if open.building.is_some() {
        pass(session, open, Trust::Looks, &super::Silent)?;
    }
    if open.writer.is_kept()? {
        count_as_new(open)?;
    }
    stamp(session, open, mode)?;
    if open.profile == Profile::Public && open.writer.needs_purge()? {
        let _span = tracing::trace_span!("erase").entered();
        open.writer.purge()?;
        open.summary.is_purge_due = open.writer.needs_purge()?;
    }
    open.writer.checkpoint()?;
    Ok(())
}

/// After a run that found no notes, all notes are new, whatever the tree kept: clients had been told of none, and
/// a tree whose last notes turned private kept none.
fn count_as_new(open: &mut Open) -> Result<(), SyncError> {
    open.summary.added = open.writer.tree().counts()?.0;
    (open.summary.changed, open.summary.removed) = (0, 0);
    Ok(open.writer.transaction(Writer::is_back)?)
}

/// Says what the tree is up to date with, and since when. A run that a change woke and that found nothing new
/// leaves the moment of the one before: the change may be of a private note, and nobody may learn when that was.
fn stamp(session: &Session<'_>, open: &mut Open, mode: Mode) -> Result<(), SyncError> {
    let TreeSummary { added, changed, removed, .. } = open.summary;
    let is_news = added + changed + removed > 0;
    let header = open.writer.tree().header();
    let indexed_at = match (mode, header.indexed_at) {
        (Mode::Woken, Some(before)) if !is_news => before,
        (Mode::ByTheClock { due }, _) if !is_news => due,
        _ => now(),
    };
    let rules = session.rules_fingerprint();
    if header.complete && header.rules == rules && header.indexed_at == Some(indexed_at) {
        return Ok(());
    }
    let rules = rules.to_owned();
    Ok(open.writer.transaction(|writer| {
        writer.set_header(|header| {
            header.complete = true;
            header.rules = rules;
            header.indexed_at = Some(indexed_at);
        })
    })?)
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Keeps what the tree has while the vault shows no notes: its disk may come back.
fn keep(writer: &mut Writer) -> Result<(), IndexError> {
    writer.transaction(|writer| {
        if writer.keep()? {
            writer.set_header(|header| header.indexed_at = Some(now()))?;
        }
        Ok(())
    })
}

/// Under other rules than the tree's, nothing in the tree counts as judged.
fn trust(session: &Session<'_>, tree: &Tree) -> Trust {
    if tree.header().rules == session.rules_fingerprint() { Trust::Looks } else { Trust::Nothing }
}

fn pass(
    session: &Session<'_>,
    open: &mut Open,
    trust: Trust,
    progress: &dyn Progress,
) -> Result<SkipCounter, SyncError> {
    progress.begin(Stage::Scanning, 0);
    let span = tracing::trace_span!("walk and plan", count = Empty).entered();
    let walk = session.walk().map_err(SyncError::Vault)?;
    progress.advance(walk.notes.len() as u64);
    progress.end();
    let indexed = open.writer.tree().notes()?;
    let is_bare = || session.is_bare().map_err(SyncError::Vault);
    if walk.notes.is_empty() && !indexed.is_empty() && open.building.is_none() && is_bare()? {
        if open.profile == Profile::Public {
            keep(&mut open.writer)?;
        }
        return Err(SyncError::EmptyVault { indexed: indexed.len() });
    }
    let mut skipped = count_passed_over(&walk);
    let plan = plan(&walk.notes, indexed, trust);
    span.record("count", walk.notes.len());
    drop(span);
    let mut links = LinkWork::default();
    let was_interrupted = open.writer.needs_links()?;
    progress.begin(Stage::Words, plan.read.len() as u64);
    let span = tracing::trace_span!("read, judge and cut notes", count = Empty).entered();
    prepare(session, &plan.read, |batch| apply(open, &mut links, &mut skipped, batch, progress))?;
    span.record("count", plan.read.len());
    drop(span);
    progress.end();
    open.writer.transaction(|writer| {
        plan.gone.iter().try_for_each(|note| {
            links.note_removed(note.id, &note.path);
            writer.remove_note(note.id)
        })
    })?;
    open.summary.removed += plan.gone.len() as u64;
    if was_interrupted {
        links.add_all(session, open.writer.tree())?;
    }
    let _span = tracing::trace_span!("set links").entered();
    links.apply(session, &mut open.writer)?;
    Ok(skipped)
}

fn count_passed_over(walk: &Walk) -> SkipCounter {
    let mut skipped = SkipCounter::default();
    for (name, reason) in &walk.passed_over {
        // A link or pipe without a note's name is no note that somebody could miss.
        let concerns_notes = NotePath::parse(name).is_ok()
            || matches!(reason, PassedOver::Unreadable | PassedOver::Name | PassedOver::Private);
        if concerns_notes {
            skipped.add((*reason).into(), name);
        }
    }
    skipped
}

/// Writes one batch in one transaction.
fn apply(
    open: &mut Open,
    links: &mut LinkWork,
    skipped: &mut SkipCounter,
    batch: Vec<Prepared>,
    progress: &dyn Progress,
) -> Result<(), SyncError> {
    if progress.is_abandoned() {
        return Err(SyncError::Abandoned);
    }
    let span = tracing::trace_span!("write notes", count = Empty).entered();
    let count = batch.len() as u64;
    span.record("count", count);
    let summary = &mut open.summary;
    open.writer.transaction(|writer| {
        for prepared in batch {
            apply_note(writer, summary, links, skipped, prepared)?;
        }
        Ok(())
    })?;
    progress.advance(count);
    Ok(())
}

fn apply_note(
    writer: &mut Writer,
    summary: &mut TreeSummary,
    links: &mut LinkWork,
    skipped: &mut SkipCounter,
    prepared: Prepared,
) -> Result<(), IndexError> {
    match prepared {
        Prepared::Put { known, record, links: found } => {
            let id = writer.put_note(&record)?;
            if known.is_some() {
                summary.changed += 1;
            } else {
                summary.added += 1;
                links.name_changed(&record.path);
            }
            links.note_written(id, &record.path, found);
        }
        Prepared::Same { known, stat } => writer.touch_note(known.id, &stat)?,
        Prepared::Refused { path, known, refusal } => {
            // A note that vanished since the walk is simply gone.
            if refusal != Refusal::Absent {
                skipped.add(SkipReason::from(refusal), &path);
            }
            if let Some(known) = known {
                links.note_removed(known.id, &known.path);
                writer.remove_note(known.id)?;
                summary.removed += 1;
            }
        }
    }
    Ok(())
}
