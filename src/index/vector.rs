//! The vector leg: passages by the distance of their vectors to that of the query.

use std::collections::HashSet;

use rusqlite::params_from_iter;

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

    /// The passages nearest in meaning, best first, with their cosine similarity to this unit vector. None if it is not
    /// as long as the vectors of the tree.
    pub fn nearest(
        &self,
        unit: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(ChunkId, f64)>, IndexError> {
        if self.header.model.is_none() {
            return Ok(Vec::new());
        }
        let among = if filter.is_empty() { None } else { Some(self.passages_of(filter)?) };
        Ok(self.vectors.get(self)?.nearest(unit, self.scale(), among.as_ref(), limit))
    }

    /// The passages of the notes that a filter lets pass.
    fn passages_of(&self, filter: &Filter) -> Result<HashSet<ChunkId>, IndexError> {
        let (condition, parameters) = filter.to_sql();
        let sql = format!("SELECT chunk.id FROM chunk JOIN note ON note.id = chunk.note WHERE {condition}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(parameters), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
