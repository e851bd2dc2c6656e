//! The vector leg: passages by the distance of their vectors to that of the query.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::error::IndexError;
use super::schema::Tree;
use super::{ChunkId, Filter};

/// Components of unit vectors are multiplied by this and rounded to a byte: ±0.25 is the whole range of
/// it. The largest component seen was 0.224 (see `evals/README.md`); what lies beyond is clipped.
const SCALE: f32 = 508.0;

/// A unit vector with one signed byte per component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantised(Vec<u8>);

impl Quantised {
    /// Rounds a unit vector.
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the range of a byte first")]
    pub fn new(unit: &[f32]) -> Quantised {
        let byte = |component: &f32| ((component * SCALE).round().clamp(-127.0, 127.0) as i8).cast_unsigned();
        Quantised(unit.iter().map(byte).collect())
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Quantised {
        Quantised(bytes)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Tree {
    /// The passages nearest in meaning, best first, with their cosine similarity.
    pub fn nearest(
        &self,
        query: &Quantised,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(ChunkId, f64)>, IndexError> {
        if self.header.model.is_none() {
            return Ok(Vec::new());
        }
        let (condition, parameters) = filter.to_sql();
        let within = if condition.is_empty() {
            String::new()
        } else {
            format!(
                " AND rowid IN (SELECT chunk.id FROM chunk JOIN note ON note.id = chunk.note WHERE {condition})"
            )
        };
        let sql = format!(
            "SELECT rowid, distance FROM vectors WHERE embedding MATCH vec_int8(?) AND k = ?{within}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let head = [Value::Blob(query.0.clone()), Value::Integer(limit)];
        let values = head.into_iter().chain(parameters.into_iter().map(Value::Text));
        let rows = statement
            .query_map(params_from_iter(values), |row| Ok((row.get(0)?, similarity(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Cosine similarity of unit vectors from the distance of their quantised forms: `1 - d²/2`.
fn similarity(distance: f64) -> f64 {
    let distance = distance / f64::from(SCALE);
    1.0 - distance * distance / 2.0
}
