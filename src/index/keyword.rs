//! The keyword leg: passages by BM25 over analysed text.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::error::IndexError;
use super::schema::Tree;
use super::{ChunkId, Filter};

/// How much a word counts by where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnWeights {
    /// In the title or the file name.
    pub title: f64,
    /// In another name.
    pub aliases: f64,
    /// In the headings above the passage.
    pub headings: f64,
    /// In a tag.
    pub tags: f64,
    /// In the passage.
    pub body: f64,
}

impl Tree {
    /// The passages that match an FTS5 expression, best first, with their BM25 score (higher is
    /// better).
    pub fn matching(
        &self,
        expression: &str,
        weights: &ColumnWeights,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(ChunkId, f64)>, IndexError> {
        let (condition, parameters) = filter.to_sql();
        let (join, condition) = if condition.is_empty() {
            ("", String::new())
        } else {
            (
                "JOIN chunk ON chunk.id = words.rowid JOIN note ON note.id = chunk.note",
                format!("AND {condition}"),
            )
        };
        let ColumnWeights { title, aliases, headings, tags, body } = weights;
        let sql = format!(
            "SELECT words.rowid, bm25(words, {title}, {aliases}, {headings}, {tags}, {body}) AS score
             FROM words {join} WHERE words MATCH ? {condition} ORDER BY score LIMIT ?"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX));
        let texts = std::iter::once(expression.to_owned()).chain(parameters).map(Value::Text);
        let rows = statement.query_map(params_from_iter(texts.chain([limit])), |row| {
            Ok((row.get(0)?, -row.get::<_, f64>(1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// In how many passages a term stands.
    pub fn document_frequency(&self, term: &str) -> Result<u64, IndexError> {
        let mut query = self.connection.prepare_cached("SELECT doc FROM vocabulary WHERE term = ?1")?;
        let mut rows = query.query([term])?;
        let count: i64 = rows.next()?.map_or(Ok(0), |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }
}
