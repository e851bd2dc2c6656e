//! The keyword leg: passages by BM25 over analysed text.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

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
        self.scored(expression, weights, filter, &format!("score, words.rowid LIMIT {limit}"))
    }

    /// The passages that match `finding`, best first, with the BM25 score they have for
    /// `finding OR ranking`. Two FTS5 expressions of phrases that differ.
    ///
    /// FTS5 scores every row that matches, a microsecond each: words of many passages rank here, but
    /// bring no passage in. In an expression that says so, those of `finding` stand twice and thus
    /// count twice; what they count once is subtracted.
    pub fn matching_among(
        &self,
        finding: &str,
        ranking: &str,
        weights: &ColumnWeights,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(ChunkId, f64)>, IndexError> {
        let both = format!("({finding}) AND (({finding}) OR {ranking})");
        let twice = self.scored(&both, weights, filter, "words.rowid")?;
        let once = self.scored(finding, weights, filter, "words.rowid")?;
        let difference = |((id, twice), (_, once)): ((ChunkId, f64), (ChunkId, f64))| (id, twice - once);
        let mut best: Vec<(ChunkId, f64)> = twice.into_iter().zip(once).map(difference).collect();
        best.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        best.truncate(limit);
        Ok(best)
    }

    fn scored(
        &self,
        expression: &str,
        weights: &ColumnWeights,
        filter: &Filter,
        order: &str,
    ) -> Result<Vec<(ChunkId, f64)>, IndexError> {
        let (condition, parameters) = filter.to_sql();
        let (join, condition) = if condition.is_empty() {
            ("", String::new())
        } else {
            // A cross join keeps the order of the tables: the inverted index is asked once.
            (
                "CROSS JOIN chunk ON chunk.id = words.rowid CROSS JOIN note ON note.id = chunk.note",
                format!("AND {condition}"),
            )
        };
        let ColumnWeights { title, aliases, headings, tags, body } = weights;
        let sql = format!(
            "SELECT words.rowid, bm25(words, {title}, {aliases}, {headings}, {tags}, {body}) AS score
             FROM words {join} WHERE words MATCH ? {condition} ORDER BY {order}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let texts = std::iter::once(expression.to_owned()).chain(parameters).map(Value::Text);
        let rows =
            statement.query_map(params_from_iter(texts), |row| Ok((row.get(0)?, -row.get::<_, f64>(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a passage matches an FTS5 expression.
    pub fn holds(&self, passage: ChunkId, expression: &str) -> Result<bool, IndexError> {
        let mut query =
            self.connection.prepare_cached("SELECT 1 FROM words WHERE words MATCH ?1 AND rowid = ?2")?;
        Ok(query.exists((expression, passage))?)
    }

    /// The first `limit` passages after one that match an FTS5 expression, in the order of their numbers.
    pub fn holders(
        &self,
        expression: &str,
        after: Option<ChunkId>,
        limit: usize,
    ) -> Result<Vec<ChunkId>, IndexError> {
        let sql = "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3";
        let mut query = self.connection.prepare_cached(sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = query.query_map((expression, after.unwrap_or(ChunkId::MIN), limit), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// In how many passages a term stands.
    pub fn document_frequency(&self, term: &str) -> Result<u64, IndexError> {
        let count = |sql: &str| -> Result<Option<i64>, IndexError> {
            Ok(self.connection.prepare_cached(sql)?.query_row([term], |row| row.get(0)).optional()?)
        };
        let known = count("SELECT passages FROM frequent WHERE term = ?1")?;
        let counted = known
            .map_or_else(|| count("SELECT doc FROM vocabulary WHERE term = ?1"), |known| Ok(Some(known)));
        Ok(counted?.unwrap_or_default().cast_unsigned())
    }

    /// The first `limit` words with this beginning, in the order of the alphabet, with the number of passages that
    /// hold each.
    pub fn words_beginning(&self, beginning: &str, limit: usize) -> Result<Vec<(String, u64)>, IndexError> {
        let sql = "SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3";
        let mut query = self.connection.prepare_cached(sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = query.query_map((beginning, format!("{beginning}{}", char::MAX), limit), |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many passages there are.
    pub fn passage_count(&self) -> Result<u64, IndexError> {
        let mut query = self.connection.prepare_cached("SELECT count(*) FROM chunk")?;
        Ok(query.query_row([], |row| row.get::<_, i64>(0))?.cast_unsigned())
    }
}
