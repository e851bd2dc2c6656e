//! The names a tree knows: notes, titles, aliases, tags, links, and where passages stand.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

use super::error::IndexError;
use super::schema::Tree;
use super::{ChunkId, Filter, Hash16, NoteId};
use crate::vault::FileStat;

/// A note of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteEntry {
    /// Its number.
    pub id: NoteId,
    /// Vault-relative path.
    pub path: String,
    /// What the file was when it was indexed.
    pub stat: FileStat,
    /// Hash of the text that was indexed.
    pub hash: Hash16,
}

/// Where a passage stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkPlace {
    /// The passage.
    pub id: ChunkId,
    /// The path of its note.
    pub path: String,
    /// Hash of the note's text when it was indexed.
    pub note_hash: Hash16,
    /// Byte range in that text.
    pub range: std::ops::Range<usize>,
    /// Hash of the passage's visible text.
    pub hash: Hash16,
}

/// A tag on a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRow {
    /// The note's path.
    pub path: String,
    /// The tag as written, without `#`.
    pub tag: String,
}

const NOTE_COLUMNS: &str =
    "note.id, note.path, note.size, note.modified_ns, note.changed_ns, note.inode, note.hash";

impl Tree {
    /// Notes and passages, and passages without a vector.
    pub fn counts(&self) -> Result<(u64, u64, u64), IndexError> {
        let count = |sql: &str| -> Result<u64, IndexError> {
            Ok(self.connection.query_row(sql, [], |row| row.get::<_, i64>(0))?.cast_unsigned())
        };
        let pending = if self.header.model.is_some() {
            count("SELECT count(*) FROM chunk WHERE embedded = 0")?
        } else {
            0
        };
        Ok((count("SELECT count(*) FROM note")?, count("SELECT count(*) FROM chunk")?, pending))
    }

    /// Does a note wait for vectors of which this holds? Asks until one does.
    pub fn any_waiting_note(&self, holds: impl Fn(&str) -> bool) -> Result<bool, IndexError> {
        let mut query = self.connection.prepare_cached(
            "SELECT note.path FROM chunk JOIN note ON note.id = chunk.note WHERE chunk.embedded = 0 ORDER BY chunk.id",
        )?;
        let mut rows = query.query([])?;
        let mut last = String::new();
        while let Some(row) = rows.next()? {
            let path: String = row.get(0)?;
            if path != last && holds(&path) {
                return Ok(true);
            }
            last = path;
        }
        Ok(false)
    }

    /// Each note's path, passages, and passages without a vector.
    pub fn note_sizes(&self) -> Result<Vec<(String, u64, u64)>, IndexError> {
        let mut query = self.connection.prepare_cached(
            "SELECT note.path, count(chunk.id), count(chunk.id) - total(chunk.embedded)
             FROM note LEFT JOIN chunk ON chunk.note = note.id GROUP BY note.id",
        )?;
        let rows = query.query_map([], |row| {
            let (chunks, pending): (i64, f64) = (row.get(1)?, row.get(2)?);
            #[expect(clippy::cast_possible_truncation, reason = "a count, summed up as a float by SQLite")]
            let pending = pending as i64;
            Ok((row.get(0)?, chunks.cast_unsigned(), pending.cast_unsigned()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All notes, ordered by path.
    pub fn notes(&self) -> Result<Vec<NoteEntry>, IndexError> {
        self.note_rows(&format!("SELECT {NOTE_COLUMNS} FROM note ORDER BY path"), Vec::new())
    }

    /// Notes after a path, in the order of paths.
    pub fn notes_after(
        &self,
        path: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<NoteEntry>, IndexError> {
        let (condition, parameters) = filter.to_sql();
        let condition = if condition.is_empty() { "TRUE" } else { &condition };
        let sql = format!(
            "SELECT {NOTE_COLUMNS} FROM note WHERE {condition} AND note.path > ? ORDER BY note.path LIMIT ?"
        );
        let mut values: Vec<Value> = parameters.into_iter().map(Value::Text).collect();
        values.push(Value::Text(path.to_owned()));
        values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
        self.note_rows(&sql, values)
    }

    /// Notes whose path, folded, is this one.
    pub fn notes_by_path_key(&self, key: &str) -> Result<Vec<NoteEntry>, IndexError> {
        self.notes_where("path_key", key)
    }

    /// Notes whose file name is this one: see [`crate::note::link::name_key`].
    pub fn notes_by_name_key(&self, key: &str) -> Result<Vec<NoteEntry>, IndexError> {
        self.notes_where("name_key", key)
    }

    /// Notes with this title, folded.
    pub fn notes_by_title_key(&self, key: &str) -> Result<Vec<NoteEntry>, IndexError> {
        self.notes_where("title_key", key)
    }

    /// Notes with this alias, folded.
    pub fn notes_by_alias_key(&self, key: &str) -> Result<Vec<NoteEntry>, IndexError> {
        let sql = format!(
            "SELECT DISTINCT {NOTE_COLUMNS} FROM note JOIN alias ON alias.note = note.id WHERE alias.key = ?
             ORDER BY path"
        );
        self.note_rows(&sql, vec![Value::Text(key.to_owned())])
    }

    /// Notes with a link that looks for one of these names.
    pub fn sources_of(&self, keys: &[Hash16]) -> Result<Vec<NoteEntry>, IndexError> {
        let sql = format!(
            "SELECT DISTINCT {NOTE_COLUMNS} FROM note JOIN link ON link.source = note.id WHERE link.key = ?
             ORDER BY path"
        );
        let mut sources = Vec::new();
        for key in keys {
            sources.extend(self.note_rows(&sql, vec![Value::Blob(key.to_vec())])?);
        }
        sources.sort_by_key(|note| note.id);
        sources.dedup_by_key(|note| note.id);
        Ok(sources)
    }

    /// All tags of all notes, ordered by path.
    pub fn tags(&self) -> Result<Vec<TagRow>, IndexError> {
        let mut query = self.connection.prepare_cached(
            "SELECT note.path, tag.tag FROM tag JOIN note ON note.id = tag.note ORDER BY note.path, tag.rowid",
        )?;
        let rows = query.query_map([], |row| Ok(TagRow { path: row.get(0)?, tag: row.get(1)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Where passages stand; those that are gone are left out.
    pub fn places(&self, chunks: &[ChunkId]) -> Result<Vec<ChunkPlace>, IndexError> {
        let mut query = self.connection.prepare_cached(
            "SELECT chunk.id, note.path, note.hash, chunk.start, chunk.end, chunk.hash
             FROM chunk JOIN note ON note.id = chunk.note WHERE chunk.id = ?1",
        )?;
        let mut places = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            places.extend(query.query_row(params![chunk], place).optional()?);
        }
        Ok(places)
    }

    fn notes_where(&self, column: &str, key: &str) -> Result<Vec<NoteEntry>, IndexError> {
        let sql = format!("SELECT {NOTE_COLUMNS} FROM note WHERE {column} = ? ORDER BY path");
        self.note_rows(&sql, vec![Value::Text(key.to_owned())])
    }

    fn note_rows(&self, sql: &str, values: Vec<Value>) -> Result<Vec<NoteEntry>, IndexError> {
        let mut query = self.connection.prepare_cached(sql)?;
        let rows = query.query_map(params_from_iter(values), note_entry)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn note_entry(row: &Row<'_>) -> rusqlite::Result<NoteEntry> {
    let stat = FileStat {
        size: row.get::<_, i64>(2)?.cast_unsigned(),
        modified_ns: row.get(3)?,
        changed_ns: row.get(4)?,
        inode: row.get::<_, i64>(5)?.cast_unsigned(),
    };
    Ok(NoteEntry { id: row.get(0)?, path: row.get(1)?, stat, hash: row.get(6)? })
}

fn place(row: &Row<'_>) -> rusqlite::Result<ChunkPlace> {
    Ok(ChunkPlace {
        id: row.get(0)?,
        path: row.get(1)?,
        note_hash: row.get(2)?,
        range: row.get(3)?..row.get(4)?,
        hash: row.get(5)?,
    })
}
