//! The only code that changes a tree. One transaction per batch; nothing slow happens inside.

use std::cell::Cell;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::error::IndexError;
use super::schema::{Header, Tree, write_header};
use super::vector::Quantised;
use super::{ChunkId, Hash16, NoteId, matrix};
use crate::note::{fold, link};
use crate::vault::FileStat;

/// The key in `meta` that stands there from the first change or removal of a text to the purge.
const UNPURGED: &str = "unpurged";
/// The key in `meta` that stands there from the first change of a note until all links are set.
const UNLINKED: &str = "unlinked";
/// The vault showed no notes at the last run, and what the tree has was kept.
pub(super) const KEPT: &str = "kept";
/// All of them.
pub(super) const MARKS: [&str; 3] = [UNPURGED, UNLINKED, KEPT];
/// A term in this many passages is counted once per run instead of once per query.
const FREQUENT_PASSAGES: i64 = 500;

/// All that a tree keeps of a note.
#[derive(Debug, Clone)]
pub struct NoteRecord {
    /// Vault-relative path.
    pub path: String,
    /// The title to show.
    pub title: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// What the file was when it was read.
    pub stat: FileStat,
    /// Hash of the note's text.
    pub hash: Hash16,
    /// Its passages, in order.
    pub chunks: Vec<ChunkRecord>,
}

/// All that a tree keeps of a passage.
#[derive(Debug, Clone)]
pub struct ChunkRecord {
    /// Byte range in the note's text.
    pub range: std::ops::Range<usize>,
    /// First and last line, from 1.
    pub lines: (u32, u32),
    /// Hash of the passage's visible text.
    pub hash: Hash16,
    /// Hash of the text that is embedded: equal texts have equal vectors.
    pub embed_key: Hash16,
    /// Analysed text of the columns title, aliases, headings, tags, body.
    pub columns: [String; 5],
}

/// A link for the graph: the hash of the name it looks for, and the note it means now.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkRecord {
    /// See [`LinkRecord::key_of`].
    pub key: Hash16,
    /// The note it leads to.
    pub target: Option<NoteId>,
}

impl LinkRecord {
    /// The key of a link target or a note's path. A hash, so that a tree names no note that it
    /// does not hold, even where a note it does hold links to one.
    pub fn key_of(path_or_target: &str) -> Hash16 {
        short_hash(link::name_key(path_or_target).as_bytes())
    }
}

/// The first half of BLAKE3.
pub(super) fn short_hash(bytes: &[u8]) -> Hash16 {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    short
}

/// A passage that waits for its vector.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The passage.
    pub chunk: ChunkId,
    /// Its note's path.
    pub path: String,
    /// See [`ChunkRecord::embed_key`].
    pub embed_key: Hash16,
}

/// How far the write-ahead log was moved into the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoint {
    /// All of it; the log is empty.
    Whole,
    /// A reader is in the way.
    Delayed,
}

/// A tree open for writing. The caller holds the store's lock.
pub struct Writer {
    tree: Tree,
    /// The vectors have got a new revision in this transaction.
    is_revised: Cell<bool>,
}

impl Writer {
    /// Creates a tree.
    pub fn create(path: &Path, header: &Header) -> Result<Writer, IndexError> {
        Tree::create(path, header)?;
        Writer::open(path)
    }

    /// Opens a tree, complete or not.
    pub fn open(path: &Path) -> Result<Writer, IndexError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let tree = Tree::connect(path, flags)?;
        tree.connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
             PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -64000",
        )?;
        Ok(Writer { tree, is_revised: Cell::new(false) })
    }

    /// Reading what has been written.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Runs one transaction.
    pub fn transaction<R>(
        &mut self,
        run: impl FnOnce(&mut Writer) -> Result<R, IndexError>,
    ) -> Result<R, IndexError> {
        self.connection().execute_batch("BEGIN IMMEDIATE")?;
        self.is_revised.set(false);
        match run(self) {
            Ok(value) => {
                self.connection().execute_batch("COMMIT")?;
                Ok(value)
            }
            Err(error) => {
                // The first error is the one to tell; SQLite rolls back by itself if this fails.
                let _ = self.connection().execute_batch("ROLLBACK");
                Err(error)
            }
        }
    }

    /// Changes the header.
    pub fn set_header(&mut self, change: impl FnOnce(&mut Header)) -> Result<(), IndexError> {
        change(&mut self.tree.header);
        write_header(&self.tree.connection, &self.tree.header)
    }

    /// Adds a note, or replaces the one of the same path; passages that are embedded alike keep
    /// their vectors. Links are set apart, once all names are known.
    pub fn put_note(&mut self, note: &NoteRecord) -> Result<NoteId, IndexError> {
        self.forget_frequent_terms()?;
        let vectors = self.known_vectors(note)?;
        let existing = self.note_id(&note.path)?;
        self.mark(UNLINKED)?;
        if let Some(id) = existing {
            // What it said may be in a private note now.
            self.mark(UNPURGED)?;
            self.clear_note(id)?;
        }
        let id = self.insert_note_row(existing, note)?;
        self.insert_names(id, note)?;
        for (chunk, vector) in note.chunks.iter().zip(vectors) {
            self.insert_chunk(id, chunk, vector.as_ref())?;
        }
        Ok(id)
    }

    /// Records that a note's file changed without its text changing.
    pub fn touch_note(&mut self, id: NoteId, stat: &FileStat) -> Result<(), IndexError> {
        let mut update = self.connection().prepare_cached(
            "UPDATE note SET size = ?2, modified_ns = ?3, changed_ns = ?4, inode = ?5 WHERE id = ?1",
        )?;
        update.execute(params![
            id,
            to_sql(stat.size),
            stat.modified_ns,
            stat.changed_ns,
            to_sql(stat.inode)
        ])?;
        Ok(())
    }

    /// Removes a note and all that the tree knows of it. Traces stay in the file until [`Writer::purge`].
    pub fn remove_note(&mut self, id: NoteId) -> Result<(), IndexError> {
        self.mark(UNPURGED)?;
        self.mark(UNLINKED)?;
        self.forget_frequent_terms()?;
        self.clear_note(id)?;
        self.execute("DELETE FROM link WHERE source = ?1", id)?;
        self.execute("UPDATE OR REPLACE link SET target = NULL WHERE target = ?1", id)?;
        self.execute("DELETE FROM note WHERE id = ?1", id)
    }

    /// Replaces the links of a note.
    pub fn set_links(&mut self, source: NoteId, links: &[LinkRecord]) -> Result<(), IndexError> {
        self.execute("DELETE FROM link WHERE source = ?1", source)?;
        let mut insert = self
            .connection()
            .prepare_cached("INSERT OR IGNORE INTO link (source, key, target) VALUES (?1, ?2, ?3)")?;
        for link in links {
            insert.execute(params![source, link.key, link.target])?;
        }
        Ok(())
    }

    /// Stores the vector of a passage, if the passage is still there.
    pub fn put_vector(&mut self, chunk: ChunkId, vector: &Quantised) -> Result<(), IndexError> {
        let marked = self
            .connection()
            .prepare_cached("UPDATE chunk SET embedded = 1 WHERE id = ?1 AND embedded = 0")?
            .execute([chunk])?;
        if marked == 1 {
            self.insert_vector(chunk, vector)?;
        }
        Ok(())
    }

    /// Passages without a vector after passage `after`, at most `limit`. Passages of a note are
    /// neighbours.
    pub fn pending(&self, after: ChunkId, limit: usize) -> Result<Vec<Pending>, IndexError> {
        let mut query = self.connection().prepare_cached(
            "SELECT chunk.id, note.path, chunk.embed_key FROM chunk JOIN note ON note.id = chunk.note
             WHERE chunk.embedded = 0 AND chunk.id > ?1 ORDER BY chunk.id LIMIT ?2",
        )?;
        let rows = query.query_map(params![after, limit], |row| {
            Ok(Pending { chunk: row.get(0)?, path: row.get(1)?, embed_key: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Passages without a vector whose embedded text has this key.
    pub fn pending_with_key(&self, embed_key: &Hash16) -> Result<Vec<ChunkId>, IndexError> {
        let mut query =
            self.connection().prepare_cached("SELECT id FROM chunk WHERE embed_key = ?1 AND embedded = 0")?;
        let rows = query.query_map([embed_key], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Were texts removed since the last purge, in this run or in one that was killed?
    pub fn needs_purge(&self) -> Result<bool, IndexError> {
        self.is_marked(UNPURGED)
    }

    /// Were notes written or removed whose links are not set, in a run that was killed?
    pub fn needs_links(&self) -> Result<bool, IndexError> {
        self.is_marked(UNLINKED)
    }

    /// Records that all links are set.
    pub fn links_are_set(&mut self) -> Result<(), IndexError> {
        self.unmark(UNLINKED)
    }

    /// Records that the vault showed no notes, now, and that what the tree has was kept all the same. Tells
    /// whether that is new.
    pub fn keep(&mut self) -> Result<bool, IndexError> {
        let is_new = !self.is_kept()?;
        self.mark(KEPT)?;
        Ok(is_new)
    }

    /// Did the vault show no notes at the last run?
    pub fn is_kept(&self) -> Result<bool, IndexError> {
        self.is_marked(KEPT)
    }

    /// Records that there are notes again.
    pub fn is_back(&mut self) -> Result<(), IndexError> {
        self.unmark(KEPT)
    }

    /// Drops what deletions left behind in the inverted index and the log, so that no byte of a
    /// removed note stays in the file.
    pub fn purge(&mut self) -> Result<(), IndexError> {
        self.connection().execute_batch("INSERT INTO words (words) VALUES ('optimize')")?;
        // While a reader holds on to an old state, its pages stay: the next run tries again.
        if self.checkpoint()? == Checkpoint::Whole {
            self.unmark(UNPURGED)?;
        }
        Ok(())
    }

    /// Moves the write-ahead log into the file and empties it. Readers may delay that.
    pub fn checkpoint(&mut self) -> Result<Checkpoint, IndexError> {
        let is_busy: bool =
            self.connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(if is_busy { Checkpoint::Delayed } else { Checkpoint::Whole })
    }

    /// Closes the file, all data in it and none beside it.
    pub fn close(mut self) -> Result<(), IndexError> {
        self.count_frequent_terms()?;
        self.checkpoint()?;
        self.tree.connection.close().map_err(|(_, error)| error.into())
    }

    /// Counts the passages of frequent terms, if notes changed since: FTS5 counts by walking over all
    /// of them, a tenth of a second for a whole tree of 50,000 passages.
    fn count_frequent_terms(&self) -> Result<(), IndexError> {
        let known =
            self.connection().query_row("SELECT 1 FROM frequent LIMIT 1", [], |_| Ok(())).optional()?;
        if known.is_none() {
            self.connection().execute(
                "INSERT INTO frequent SELECT term, doc FROM vocabulary WHERE doc >= ?1",
                [FREQUENT_PASSAGES],
            )?;
        }
        Ok(())
    }

    /// What is written changes the counts: until they are taken again, there are none.
    fn forget_frequent_terms(&self) -> Result<(), IndexError> {
        self.connection().prepare_cached("DELETE FROM frequent")?.execute([])?;
        Ok(())
    }

    fn mark(&self, key: &str) -> Result<(), IndexError> {
        let sql = "INSERT OR IGNORE INTO meta (key, value) VALUES (?1, '1')";
        self.connection().prepare_cached(sql)?.execute([key])?;
        Ok(())
    }

    fn unmark(&self, key: &str) -> Result<(), IndexError> {
        self.connection().execute("DELETE FROM meta WHERE key = ?1", [key])?;
        Ok(())
    }

    fn is_marked(&self, key: &str) -> Result<bool, IndexError> {
        let sql = "SELECT count(*) FROM meta WHERE key = ?1";
        Ok(self.connection().query_row(sql, [key], |row| row.get::<_, i64>(0))? > 0)
    }

    fn connection(&self) -> &Connection {
        &self.tree.connection
    }

    fn execute(&self, sql: &str, id: i64) -> Result<(), IndexError> {
        self.connection().prepare_cached(sql)?.execute([id])?;
        Ok(())
    }

    fn note_id(&self, path: &str) -> Result<Option<NoteId>, IndexError> {
        let mut query = self.connection().prepare_cached("SELECT id FROM note WHERE path = ?1")?;
        Ok(query.query_row([path], |row| row.get(0)).optional()?)
    }

    /// For each passage the vector of a passage in the tree that is embedded alike.
    fn known_vectors(&self, note: &NoteRecord) -> Result<Vec<Option<Quantised>>, IndexError> {
        if self.tree.header.model.is_none() {
            return Ok(vec![None; note.chunks.len()]);
        }
        let mut find = self
            .connection()
            .prepare_cached("SELECT id FROM chunk WHERE embed_key = ?1 AND embedded = 1 LIMIT 1")?;
        let mut read = self.connection().prepare_cached("SELECT embedding FROM vectors WHERE rowid = ?1")?;
        let mut vectors = Vec::with_capacity(note.chunks.len());
        for chunk in &note.chunks {
            let like: Option<ChunkId> = find.query_row([chunk.embed_key], |row| row.get(0)).optional()?;
            let bytes: Option<Vec<u8>> = match like {
                Some(id) => read.query_row([id], |row| row.get(0)).optional()?,
                None => None,
            };
            vectors.push(bytes.map(Quantised::from_bytes));
        }
        Ok(vectors)
    }

    /// Removes passages, words, vectors, aliases and tags; the row, its links and the links to it stay.
    fn clear_note(&self, id: NoteId) -> Result<(), IndexError> {
        self.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM chunk WHERE note = ?1)", id)?;
        if self.tree.header.model.is_some() {
            self.revise_vectors()?;
            self.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT id FROM chunk WHERE note = ?1 AND embedded = 1)",
                id,
            )?;
        }
        for sql in [
            "DELETE FROM chunk WHERE note = ?1",
            "DELETE FROM alias WHERE note = ?1",
            "DELETE FROM tag WHERE note = ?1",
        ] {
            self.execute(sql, id)?;
        }
        Ok(())
    }

    fn insert_note_row(&self, existing: Option<NoteId>, note: &NoteRecord) -> Result<NoteId, IndexError> {
        let stat = &note.stat;
        // Not `INSERT OR REPLACE`: SQLite guards that by a savepoint, and FTS5 writes what it has gathered at each
        // savepoint. Half of a first run went into merging what single notes had left.
        let sql = match existing {
            Some(_) => {
                "UPDATE note SET path = ?2, path_key = ?3, name_key = ?4, title = ?5, title_key = ?6, hash = ?7,
                 size = ?8, modified_ns = ?9, changed_ns = ?10, inode = ?11 WHERE id = ?1"
            }
            None => {
                "INSERT INTO note (id, path, path_key, name_key, title, title_key, hash, size, modified_ns, changed_ns,
                 inode) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            }
        };
        self.connection().prepare_cached(sql)?.execute(params![
            existing,
            note.path,
            fold(&note.path),
            link::name_key(&note.path),
            note.title,
            fold(&note.title),
            note.hash,
            to_sql(stat.size),
            stat.modified_ns,
            stat.changed_ns,
            to_sql(stat.inode),
        ])?;
        Ok(existing.unwrap_or_else(|| self.connection().last_insert_rowid()))
    }

    fn insert_names(&self, id: NoteId, note: &NoteRecord) -> Result<(), IndexError> {
        let mut alias =
            self.connection().prepare_cached("INSERT INTO alias (note, alias, key) VALUES (?1, ?2, ?3)")?;
        for name in &note.aliases {
            alias.execute(params![id, name, fold(name)])?;
        }
        let mut tag =
            self.connection().prepare_cached("INSERT INTO tag (note, tag, key) VALUES (?1, ?2, ?3)")?;
        for name in &note.tags {
            tag.execute(params![id, name, fold(name)])?;
        }
        Ok(())
    }

    fn insert_chunk(
        &self,
        note: NoteId,
        chunk: &ChunkRecord,
        vector: Option<&Quantised>,
    ) -> Result<(), IndexError> {
        let mut insert = self.connection().prepare_cached(
            "INSERT INTO chunk (note, start, end, first_line, last_line, hash, embed_key, embedded)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        insert.execute(params![
            note,
            chunk.range.start,
            chunk.range.end,
            chunk.lines.0,
            chunk.lines.1,
            chunk.hash,
            chunk.embed_key,
            vector.is_some(),
        ])?;
        let id = self.connection().last_insert_rowid();
        let mut words = self.connection().prepare_cached(
            "INSERT INTO words (rowid, title, aliases, headings, tags, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let [title, aliases, headings, tags, body] = &chunk.columns;
        words.execute(params![id, title, aliases, headings, tags, body])?;
        vector.map_or(Ok(()), |vector| self.insert_vector(id, vector))
    }

    /// Tells those who have the vectors in memory that they changed; once in a transaction is enough. Not by counting:
    /// a file that was put back in time would count over the same numbers again.
    fn revise_vectors(&self) -> Result<(), IndexError> {
        if !self.connection().is_autocommit() && self.is_revised.replace(true) {
            return Ok(());
        }
        self.connection()
            .prepare_cached(
                "INSERT INTO meta (key, value) VALUES (?1, random())
                 ON CONFLICT DO UPDATE SET value = excluded.value",
            )?
            .execute([matrix::REVISION])?;
        Ok(())
    }

    fn insert_vector(&self, chunk: ChunkId, vector: &Quantised) -> Result<(), IndexError> {
        self.revise_vectors()?;
        self.connection()
            .prepare_cached("INSERT INTO vectors (rowid, embedding) VALUES (?1, vec_int8(?2))")?
            .execute(params![chunk, vector.as_bytes()])?;
        Ok(())
    }
}

/// SQLite's integers are signed.
pub(super) fn to_sql(number: u64) -> i64 {
    number.cast_signed()
}
