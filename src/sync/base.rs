//! The tree that a run begins with: the current one, if it can be brought up to date, or a new generation.

use std::path::{Path, PathBuf};

use super::SyncError;
use super::run::{Job, Mode};
use crate::embed::{Choice, EmbedError, Models};
use crate::index::{Header, IndexError, LinkRecord, Store, Verified, WriteLock, Writer};
use crate::note::chunk::CHUNKER_VERSION;
use crate::text::ANALYSER_VERSION;
use crate::vault::{NotePath, Profile, Session};

/// The current tree, if it can be brought up to date in place.
#[derive(Default)]
pub(super) struct Base {
    pub(super) writer: Option<Writer>,
    /// When it was last looked at as a whole, if that is known.
    pub(super) verified: Option<Verified>,
    pub(super) rebuilt: Option<&'static str>,
    /// There is an older tree that readers of this version can use.
    pub(super) old_serves: bool,
}

pub(super) fn find_base(job: &Job<'_>, profile: Profile, lock: &WriteLock) -> Result<Base, SyncError> {
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

fn set_aside(job: &Job<'_>, path: &Path, lock: &WriteLock, why: &'static str) -> Result<Base, SyncError> {
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
pub(super) struct Generation {
    pub(super) writer: Writer,
    pub(super) path: PathBuf,
    /// Why it gets no vectors, though it should.
    pub(super) failure: Option<EmbedError>,
}

/// The generation an earlier run left unfinished, if it is of the same making, or an empty one.
pub(super) fn begin_generation(
    job: &Job<'_>,
    profile: Profile,
    lock: &WriteLock,
) -> Result<Generation, SyncError> {
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
