//! The tables of a tree, its header, and how a tree is opened.

use std::cell::Cell;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::error::IndexError;
use super::matrix::VectorCache;
use super::{ffi, store, write};
use crate::text;
use crate::vault::Profile;

/// The version of the tables below. A tree of another format is built anew.
pub const FORMAT_VERSION: u32 = 2;
/// Marks a file as a tree of obsearch (`PRAGMA application_id`): "obse".
const APPLICATION_ID: u32 = 0x6f62_7365;
/// How long a connection waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// What SQLite's own check does not see: every passage is in the inverted index, and an inverted
/// index over passages with words has words.
const WORDS_ARE_THERE: &str = "
    SELECT (SELECT count(*) FROM words_docsize) = (SELECT count(*) FROM chunk)
       AND (EXISTS (SELECT 1 FROM vocabulary)
            OR NOT EXISTS (SELECT 1 FROM words_docsize WHERE sz <> zeroblob(length(sz))))";

/// What a tree is made of and for.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Whose notes it holds.
    pub profile: Profile,
    /// The vault's identity in the store.
    pub vault_id: String,
    /// The embedding model, `None` for words only.
    pub model: Option<String>,
    /// Length of the vectors; 0 without a model.
    pub dimensions: usize,
    /// What the bytes of its vectors span; see [`crate::embed::Choice`].
    pub largest_component: f64,
    /// See [`crate::note::chunk::CHUNKER_VERSION`].
    pub chunker: u32,
    /// See [`text::ANALYSER_VERSION`].
    pub analyser: u32,
    /// The privacy rules it was last brought up to date under.
    pub rules: String,
    /// Every note has been through it at least once.
    pub complete: bool,
    /// When it last saw the whole vault, seconds since 1970.
    pub indexed_at: Option<u64>,
}

/// A tree, open for reading, or for writing inside a `Writer`.
pub struct Tree {
    pub(super) connection: Connection,
    pub(super) header: Header,
    /// The file was looked at as a whole.
    is_whole: Cell<bool>,
    /// It was opened as a file that never changes.
    is_immutable: bool,
    /// The vectors that were read from this file.
    pub(super) vectors: Arc<VectorCache>,
}

impl Tree {
    /// Did a run leave a mark that says that something is still to be done?
    pub fn has_unfinished_work(&self) -> Result<bool, IndexError> {
        let sql = "SELECT count(*) FROM meta WHERE key IN (?1, ?2, ?3)";
        let marks = self.connection.query_row(sql, write::MARKS, |row| row.get::<_, i64>(0))?;
        Ok(marks > 0)
    }

    /// Opens a tree for reading. Refuses one that is not complete, or is not of this profile and
    /// vault.
    pub fn open(path: &Path, profile: Profile, vault_id: &str) -> Result<Tree, IndexError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let tree = match Tree::connect(path, flags) {
            Err(error) if cannot_write_beside(&error) && !store::has_log(path) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                Tree { is_immutable: true, ..Tree::connect(&immutable(path), flags)? }
            }
            opened => opened?,
        };
        tree.connection.execute_batch(
            "PRAGMA query_only = ON; PRAGMA cache_size = -16000; PRAGMA mmap_size = 268435456",
        )?;
        tree.check_owner(profile, vault_id)?;
        if tree.header.complete { Ok(tree) } else { Err(IndexError::Foreign("an unfinished run")) }
    }

    /// Uses the vectors that others with the same file open have read, and they those it reads.
    pub fn share_vectors(&mut self, vectors: &Arc<VectorCache>) {
        self.vectors = Arc::clone(vectors);
    }

    /// May it stay open for later requests? Not where changes to the file would not be noticed.
    pub fn follows_changes(&self) -> bool {
        !self.is_immutable
    }

    /// What it is made of.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the header again: a run may have changed it since the tree was opened.
    pub fn refresh_header(&mut self) -> Result<(), IndexError> {
        self.header = read_header(&self.connection)?;
        Ok(())
    }

    /// Did the vault show no notes at the last run, which kept what the tree has all the same?
    pub fn is_kept(&self) -> Result<bool, IndexError> {
        let sql = "SELECT count(*) FROM meta WHERE key = ?1";
        Ok(self.connection.query_row(sql, [write::KEPT], |row| row.get::<_, i64>(0))? > 0)
    }

    /// A tree in memory with the same header and nothing in it.
    pub fn emptied(&self) -> Result<Tree, IndexError> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(&tables(&self.header))?;
        write_header(&connection, &self.header)?;
        Ok(Tree {
            connection,
            header: self.header.clone(),
            is_whole: Cell::new(true),
            is_immutable: true,
            vectors: Arc::default(),
        })
    }

    /// Runs several reads over one snapshot.
    pub fn snapshot<R>(&self, run: impl FnOnce(&Tree) -> Result<R, IndexError>) -> Result<R, IndexError> {
        let transaction = self.connection.unchecked_transaction()?;
        let result = run(self);
        transaction.finish()?;
        result
    }

    /// A quick look for damage: the catalogue and the inverted index can be read at all.
    pub fn check_health(&self) -> Result<(), IndexError> {
        let probe = |sql: &str| self.connection.query_row(sql, [], |_| Ok(())).optional();
        probe("SELECT id FROM note LIMIT 1")?;
        probe("SELECT id FROM chunk ORDER BY id DESC LIMIT 1")?;
        probe("SELECT rowid FROM words WHERE words MATCH '\"a\"' LIMIT 1")?;
        Ok(())
    }

    /// A look for damage at every page, in time linear in the file, once for each time it is
    /// opened: an answer is called empty only after it.
    pub fn check_whole(&self) -> Result<(), IndexError> {
        if !self.is_whole.get() {
            let check = "PRAGMA integrity_check(1)";
            let found: String = self.connection.query_row(check, [], |row| row.get(0))?;
            if found != "ok" {
                return Err(IndexError::Corrupt(found));
            }
            if !self.connection.query_row(WORDS_ARE_THERE, [], |row| row.get(0))? {
                return Err(IndexError::Corrupt("words of passages are missing".to_owned()));
            }
            self.is_whole.set(true);
        }
        Ok(())
    }

    /// Is it the tree of this profile and vault?
    pub fn check_owner(&self, profile: Profile, vault_id: &str) -> Result<(), IndexError> {
        if self.header.profile != profile {
            Err(IndexError::Foreign("another profile"))
        } else if self.header.vault_id == vault_id {
            Ok(())
        } else {
            Err(IndexError::Foreign("another vault"))
        }
    }

    /// Opens an existing file and reads its header.
    pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Tree, IndexError> {
        ffi::register_sqlite_vec();
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF")?;
        let application: u32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        if application != APPLICATION_ID {
            return Err(IndexError::Foreign("another program"));
        }
        let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found != FORMAT_VERSION {
            return Err(IndexError::OtherFormat { found });
        }
        let header = read_header(&connection)?;
        Ok(Tree {
            connection,
            header,
            is_whole: Cell::new(false),
            is_immutable: false,
            vectors: Arc::default(),
        })
    }

    /// Creates an empty tree.
    pub(super) fn create(path: &Path, header: &Header) -> Result<(), IndexError> {
        ffi::register_sqlite_vec();
        store::create_private_file(path)?;
        let connection = Connection::open(path)?;
        connection
            .execute_batch("PRAGMA auto_vacuum = NONE; PRAGMA page_size = 4096; PRAGMA secure_delete = ON")?;
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(&tables(header))?;
        write_header(&transaction, header)?;
        transaction.execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT_VERSION}"
        ))?;
        transaction.commit()?;
        Ok(())
    }
}

/// SQLite wants to write beside the file even to read it, which a read-only folder and a full disk
/// forbid.
fn cannot_write_beside(error: &IndexError) -> bool {
    match error {
        IndexError::DiskFull => true,
        IndexError::Sql(error) => {
            matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
        }
        _ => false,
    }
}

/// The file's name for SQLite when nobody can change it: it is read without locks and log. Right
/// only where no log lies beside it, that is, where all data is in the file.
pub(super) fn immutable(path: &Path) -> PathBuf {
    let mut uri = b"file:".to_vec();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.extend(format!("%{byte:02x}").bytes()),
            _ => uri.push(*byte),
        }
    }
    uri.extend(b"?immutable=1");
    PathBuf::from(OsString::from_vec(uri))
}

fn tables(header: &Header) -> String {
    let tokenizer = text::FTS5_TOKENIZER;
    let vectors = if header.model.is_some() {
        format!(
            "CREATE VIRTUAL TABLE vectors USING vec0(embedding int8[{}] distance_metric=L2);",
            header.dimensions
        )
    } else {
        String::new()
    };
    format!(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE note (
             id INTEGER PRIMARY KEY,
             path TEXT NOT NULL UNIQUE,
             path_key TEXT NOT NULL,
             name_key TEXT NOT NULL,
             title TEXT NOT NULL,
             title_key TEXT NOT NULL,
             hash BLOB NOT NULL,
             size INTEGER NOT NULL,
             modified_ns INTEGER NOT NULL,
             changed_ns INTEGER NOT NULL,
             inode INTEGER NOT NULL
         );
         CREATE INDEX note_by_path_key ON note (path_key);
         CREATE INDEX note_by_name ON note (name_key);
         CREATE INDEX note_by_title ON note (title_key);
         CREATE TABLE alias (note INTEGER NOT NULL, alias TEXT NOT NULL, key TEXT NOT NULL);
         CREATE INDEX alias_by_note ON alias (note);
         CREATE INDEX alias_by_key ON alias (key);
         CREATE TABLE tag (note INTEGER NOT NULL, tag TEXT NOT NULL, key TEXT NOT NULL);
         CREATE INDEX tag_by_note ON tag (note);
         CREATE INDEX tag_by_key ON tag (key, note);
         CREATE TABLE link (
             source INTEGER NOT NULL,
             key BLOB NOT NULL,
             target INTEGER,
             PRIMARY KEY (source, key, target)
         );
         CREATE INDEX link_by_target ON link (target, source);
         CREATE INDEX link_by_key ON link (key, source);
         CREATE TABLE chunk (
             id INTEGER PRIMARY KEY,
             note INTEGER NOT NULL,
             start INTEGER NOT NULL,
             end INTEGER NOT NULL,
             first_line INTEGER NOT NULL,
             last_line INTEGER NOT NULL,
             hash BLOB NOT NULL,
             embed_key BLOB NOT NULL,
             embedded INTEGER NOT NULL DEFAULT 0
         );
         CREATE INDEX chunk_by_note ON chunk (note);
         CREATE INDEX chunk_by_embed_key ON chunk (embed_key);
         CREATE INDEX chunk_pending ON chunk (id) WHERE embedded = 0;
         CREATE VIRTUAL TABLE words USING fts5(
             title, aliases, headings, tags, body,
             content='', contentless_delete=1, tokenize=\"{tokenizer}\"
         );
         CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
         CREATE TABLE frequent (term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
         {vectors}"
    )
}

/// `largest_component` of trees that do not say: they hold vectors of a built-in model.
const BEFORE_IT_WAS_RECORDED: f64 = 0.25;

pub(super) fn write_header(connection: &Connection, header: &Header) -> Result<(), IndexError> {
    let values = [
        ("profile", header.profile.as_str().to_owned()),
        ("vault_id", header.vault_id.clone()),
        ("model", header.model.clone().unwrap_or_default()),
        ("dimensions", header.dimensions.to_string()),
        ("largest_component", header.largest_component.to_string()),
        ("chunker", header.chunker.to_string()),
        ("analyser", header.analyser.to_string()),
        ("rules", header.rules.clone()),
        ("complete", u8::from(header.complete).to_string()),
        ("indexed_at", header.indexed_at.map(|seconds| seconds.to_string()).unwrap_or_default()),
    ];
    let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
    for (key, value) in values {
        insert.execute((key, value))?;
    }
    Ok(())
}

fn read_header(connection: &Connection) -> Result<Header, IndexError> {
    let text = |key: &str| -> Result<String, IndexError> {
        let value = connection
            .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
            .optional()?;
        value.ok_or_else(|| IndexError::Corrupt(format!("its header has no {key}")))
    };
    let number = |key: &str| -> Result<u64, IndexError> {
        text(key)?.parse().map_err(|_| IndexError::Corrupt(format!("its header has a bad {key}")))
    };
    let profile = match &*text("profile")? {
        "public" => Profile::Public,
        "full" => Profile::Full,
        _ => return Err(IndexError::Corrupt("its header has a bad profile".to_owned())),
    };
    Ok(Header {
        profile,
        vault_id: text("vault_id")?,
        model: Some(text("model")?).filter(|model| !model.is_empty()),
        dimensions: usize::try_from(number("dimensions")?).unwrap_or_default(),
        largest_component: text("largest_component")
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|largest: &f64| *largest > 0.0)
            .unwrap_or(BEFORE_IT_WAS_RECORDED),
        chunker: u32::try_from(number("chunker")?).unwrap_or_default(),
        analyser: u32::try_from(number("analyser")?).unwrap_or_default(),
        rules: text("rules")?,
        complete: number("complete")? == 1,
        indexed_at: text("indexed_at")?.parse().ok(),
    })
}
