//! One run: words first, tree by tree; then vectors, over all trees together. A tree that must be
//! built anew grows beside the old one, which serves until the new one is whole.

use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tracing::field::Empty;

use super::links::LinkWork;
use super::look;
use super::plan::{Trust, plan};
use super::prepare::{Prepared, prepare};
use super::summary::{SkipCounter, SkipReason, TreeSummary};
use super::vectors::{embed_pending, embedding_order};
use super::{ModelsByProfile, Progress, Stage, SyncError};
use crate::embed::{Choice, EmbedError, Models};
use crate::index::{Header, IndexError, LinkRecord, Store, Tree, Verified, WriteLock, Writer};
use crate::note::chunk::CHUNKER_VERSION;
use crate::text::ANALYSER_VERSION;
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
    let (mut idle, mut trees) = (Vec::new(), Vec::new());
    for profile in profiles {
        match look::idle(job, profile)? {
            Some(summary) => idle.push(summary),
            None => trees.push(sync_words_or_heal(job, profile, progress)?),
        }
    }
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
    lock: WriteLock,
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

/// Damage that shows only in the middle of the work is healed as well: the tree is set aside and
/// built anew, once.
fn sync_words_or_heal(job: &Job<'_>, profile: Profile, progress: &dyn Progress) -> Result<Open, SyncError> {
    match sync_words(job, profile, progress) {
        Err(SyncError::Index(IndexError::Corrupt(_))) => {
            let lock = job.store.lock(profile)?;
            job.store.discard(&job.store.building(profile)?, &lock)?;
            if let Some(path) = job.store.current(profile)? {
                job.store.set_aside(&path, &lock)?;
            }
            drop(lock);
            let mut open = sync_words(job, profile, progress)?;
            open.summary.rebuilt = Some("the index was damaged");
            Ok(open)
        }
        done => done,
    }
}

/// The words of one tree: afterwards it answers keyword searches over the vault as it is.
fn sync_words(job: &Job<'_>, profile: Profile, progress: &dyn Progress) -> Result<Open, SyncError> {
    let began = Instant::now();
    let lock = job.store.lock(profile)?;
    let base = find_base(job, profile, &lock)?;
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
        job.store.remove_leftovers(profile, &lock)?;
        (writer, None)
    } else {
        let generation = begin_generation(job, profile, &lock)?;
        if let Some(failure) = &generation.failure {
            summary.note_model_failure(failure);
        }
        (generation.writer, Some(generation.path))
    };
    let mut open = Open { profile, writer, summary, lock, building, verified, began };
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

/// The current tree, if it can be brought up to date in place.
#[derive(Default)]
struct Base {
    writer: Option<Writer>,
    /// When it was last looked at as a whole, if that is known.
    verified: Option<Verified>,
    rebuilt: Option<&'static str>,
    /// There is an older tree that readers of this version can use.
    old_serves: bool,
}

fn find_base(job: &Job<'_>, profile: Profile, lock: &WriteLock) -> Result<Base, SyncError> {
    let Some(path) = job.store.current(profile)? else {
        return Ok(Base::default());
    };
    let mut verified = Verified::of(&path);
    let opened = Writer::open(&path).and_then(|writer| {
        writer.tree().check_owner(profile, job.store.vault_id())?;
        match job.mode {
            Mode::ByTheClock { .. } | Mode::Woken => writer.tree().check_health()?,
            Mode::Incremental | Mode::Rebuild if verified.is_some() => writer.tree().check_health()?,
            Mode::Incremental | Mode::Rebuild => {
                let _span = tracing::trace_span!("look for damage").entered();
                writer.tree().check_whole()?;
                verified = Some(Verified::now());
            }
        }
        Ok(writer)
    });
    match opened {
        Ok(writer) => {
            let rebuilt = reason_to_rebuild(writer.tree().header(), profile, job);
            Ok(Base {
                old_serves: rebuilt.is_some(),
                writer: Some(writer).filter(|_| rebuilt.is_none()),
                verified,
                rebuilt,
            })
        }
        Err(IndexError::OtherFormat { .. }) => {
            Ok(Base { rebuilt: Some("the format of the index changed"), ..Base::default() })
        }
        Err(IndexError::Corrupt(_)) => set_aside(job, &path, lock, "the index was damaged"),
        Err(IndexError::Foreign(_)) => set_aside(job, &path, lock, "the index was not this vault's"),
        Err(other) => Err(other.into()),
    }
}

fn set_aside(
    job: &Job<'_>,
    path: &std::path::Path,
    lock: &WriteLock,
    why: &'static str,
) -> Result<Base, SyncError> {
    job.store.set_aside(path, lock)?;
    Ok(Base { rebuilt: Some(why), ..Base::default() })
}

fn reason_to_rebuild(header: &Header, profile: Profile, job: &Job<'_>) -> Option<&'static str> {
    let models = job.models.of(profile);
    if job.mode == Mode::Rebuild {
        Some("asked for")
    } else if header.chunker != CHUNKER_VERSION {
        Some("passages are cut differently now")
    } else if header.analyser != ANALYSER_VERSION {
        Some("words are analysed differently now")
    } else if !models.accepts(header.model.as_deref()) && models.check().is_ok() {
        Some("the embedding model changed")
    } else {
        None
    }
}

/// A tree that is being built.
struct Generation {
    writer: Writer,
    path: PathBuf,
    /// Why it gets no vectors, though it should.
    failure: Option<EmbedError>,
}

/// The generation an earlier run left unfinished, if it is of the same making, or an empty one.
fn begin_generation(job: &Job<'_>, profile: Profile, lock: &WriteLock) -> Result<Generation, SyncError> {
    let path = job.store.building(profile)?;
    if job.mode != Mode::Rebuild
        && let Ok(writer) = Writer::open(&path)
        && writer.tree().check_owner(profile, job.store.vault_id()).is_ok()
        && reason_to_rebuild(writer.tree().header(), profile, job).is_none()
    {
        return Ok(Generation { writer, path, failure: None });
    }
    job.store.discard(&path, lock)?;
    let chosen = job.vault.request(profile, |session| choose_model(session, &**job.models.of(profile)))??;
    let (choice, failure) = match chosen {
        Ok(choice) => (choice, None),
        // Words are worth having; a tree that has vectors is worth more than one without.
        Err(error) if !has_vectors(job.store, profile)? => (None, Some(error)),
        Err(error) => return Err(SyncError::Model(error)),
    };
    let header = Header {
        profile,
        vault_id: job.store.vault_id().to_owned(),
        model: choice.as_ref().map(|choice| choice.id.to_string()),
        dimensions: choice.as_ref().map_or(0, |choice| choice.dimensions),
        largest_component: choice.map_or(1.0, |choice| choice.largest_component),
        chunker: CHUNKER_VERSION,
        analyser: ANALYSER_VERSION,
        rules: String::new(),
        complete: false,
        indexed_at: None,
    };
    Ok(Generation { writer: Writer::create(&path, &header)?, path, failure })
}

fn has_vectors(store: &Store, profile: Profile) -> Result<bool, IndexError> {
    let Some(path) = store.current(profile)? else { return Ok(false) };
    Ok(Writer::open(&path).is_ok_and(|writer| writer.tree().header().model.is_some()))
}

/// Shows the models a sample of this profile's notes, spread over the vault.
fn choose_model(
    session: &Session<'_>,
    models: &dyn Models,
) -> Result<Result<Option<Choice>, EmbedError>, SyncError> {
    const SAMPLE: usize = 200;
    let walk = session.walk().map_err(SyncError::Vault)?;
    // In the order of the names' hashes: which notes are looked at depends on no private one.
    let mut paths: Vec<&NotePath> = walk.notes.iter().map(|note| &note.path).collect();
    paths.sort_by_cached_key(|path| LinkRecord::key_of(path.as_str()));
    let notes: Vec<_> = paths.into_iter().filter_map(|path| session.open(path).ok()).take(SAMPLE).collect();
    let texts: Vec<&str> = notes.iter().map(crate::vault::Note::text).collect();
    Ok(models.choose(&texts))
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
