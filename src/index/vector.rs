//! The vector leg: passages by the distance of their vectors to that of the query.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::error::IndexError;
use super::schema::Tree;
use super::{ChunkId, Filter};

/// A unit vector with one signed byte per component, see [`Tree::quantised`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantised(Vec<u8>);

impl Quantised {
    /// Multiplies by `scale` and rounds to a byte; what lies beyond is clipped.
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the range of a byte first")]
    fn new(unit: &[f32], scale: f64) -> Quantised {
        let byte = |component: &f32| {
            ((f64::from(*component) * scale).round().clamp(-127.0, 127.0) as i8).cast_unsigned()
        };
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
    /// A unit vector as this tree holds it; `None` if it is not as long as those of the tree.
    pub fn quantised(&self, unit: &[f32]) -> Option<Quantised> {
        (unit.len() == self.header.dimensions).then(|| Quantised::new(unit, self.scale()))
    }

    /// A byte per component spans the components that the model makes.
    fn scale(&self) -> f64 {
        127.0 / self.header.largest_component
    }

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
        let scale = self.scale();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let head = [Value::Blob(query.0.clone()), Value::Integer(limit)];
        let values = head.into_iter().chain(parameters.into_iter().map(Value::Text));
        let rows = statement
            .query_map(params_from_iter(values), |row| Ok((row.get(0)?, similarity(row.get(1)?, scale))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Cosine similarity of unit vectors from the distance of their quantised forms: `1 - d²/2`.
fn similarity(distance: f64, scale: f64) -> f64 {
    let distance = distance / scale;
    1.0 - distance * distance / 2.0
}
