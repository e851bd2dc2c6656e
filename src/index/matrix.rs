//! The vectors of a tree in memory, scanned as a whole: exact, and at the speed of memory on every core.
//!
//! sqlite-vec keeps the vectors; its own search of them is scalar and grows with the number of neighbours. Here its
//! blocks are read as they lie in the file. A server keeps what it has read until the vectors of the tree change.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};
use rusqlite::blob::Blob;
use rusqlite::{MAIN_DB, OptionalExtension};

use super::ChunkId;
use super::error::IndexError;
use super::schema::Tree;

/// Vectors that one core scans at a time; sqlite-vec keeps as many together.
const BLOCK: usize = 1024;

/// What a component of a question is multiplied by. A product with a byte, summed over 512 components
/// whose squares sum to one, stays far below 2³¹.
const QUESTION_SCALE: f32 = 32_767.0;

/// Where the vectors' revision is written, a number that differs whenever a vector came or went.
pub(super) const REVISION: &str = "vectors_revision";

/// The blocks of the virtual table `vectors`, in order: which places are in use, the passages in them, and where the
/// vectors are. (That table has a column of its own by the name of `rowid`.)
const BLOCKS: &str = "
    SELECT block.validity, block.rowids, held._rowid_
    FROM vectors_chunks AS block JOIN vectors_vector_chunks00 AS held ON held.rowid = block.chunk_id
    ORDER BY block.chunk_id";

/// All vectors of a tree, one after the other.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    revision: i64,
    dimensions: usize,
    ids: Vec<ChunkId>,
    /// One signed byte per component, [`Matrix::dimensions`] per vector.
    components: Vec<u8>,
}

/// The vectors that were read last, for all that have the same file open.
#[derive(Debug, Default)]
pub struct VectorCache(Mutex<Arc<Matrix>>);

impl VectorCache {
    /// The vectors as they are in the tree's snapshot. What is at hand is as good where no vector came or went.
    pub(super) fn get(&self, tree: &Tree) -> Result<Arc<Matrix>, IndexError> {
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let revision = revision(tree)?;
        if newest.revision != revision || newest.dimensions != tree.header.dimensions {
            // Nobody else at work with the old ones: their memory is used again.
            let old = Arc::into_inner(std::mem::take(&mut *newest)).unwrap_or_default();
            *newest = Arc::new(old.refilled(tree, revision)?);
        }
        Ok(Arc::clone(&newest))
    }
}

/// 0 in a tree whose vectors have never changed.
fn revision(tree: &Tree) -> Result<i64, IndexError> {
    let mut query =
        tree.connection.prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?1")?;
    Ok(query.query_row([REVISION], |row| row.get(0)).optional()?.unwrap_or_default())
}

impl Matrix {
    fn refilled(self, tree: &Tree, revision: i64) -> Result<Matrix, IndexError> {
        let Matrix { mut ids, mut components, .. } = self;
        ids.clear();
        components.clear();
        let dimensions = tree.header.dimensions;
        let mut blocks = tree.connection.prepare_cached(BLOCKS)?;
        let mut rows = blocks.query([])?;
        let mut held: Option<Blob<'_>> = None;
        while let Some(row) = rows.next()? {
            let blob = |column| row.get_ref(column)?.as_blob().map_err(|_| torn());
            let block = Block { in_use: blob(0)?, numbers: blob(1)?.as_chunks().0, dimensions };
            let at = row.get(2)?;
            let vectors = match held.as_mut() {
                Some(vectors) => vectors,
                None => held.insert(open_vectors(tree, at)?),
            };
            vectors.reopen(at)?;
            block.append(vectors, &mut ids, &mut components)?;
        }
        Ok(Matrix { revision, dimensions, ids, components })
    }

    /// The vectors with the largest products with this unit vector, best first, with their cosine similarity where
    /// `scale` is what their components were multiplied by. With `among`, only those.
    pub(super) fn nearest(
        &self,
        unit: &[f32],
        scale: f64,
        among: Option<&HashSet<ChunkId>>,
        limit: usize,
    ) -> Vec<(ChunkId, f64)> {
        let question: Vec<i16> = unit.iter().copied().map(component).collect();
        if limit == 0 || question.len() != self.dimensions {
            return Vec::new();
        }
        let blocks = self.ids.par_chunks(BLOCK).zip(self.components.par_chunks(BLOCK * self.dimensions));
        let best = blocks
            .fold(
                || Best::new(limit),
                |mut best, (ids, components)| {
                    let mut products = [0; BLOCK];
                    Products { question: &question, components, out: &mut products }.dispatch();
                    let scored = ids.iter().copied().zip(products);
                    best.extend(scored.filter(|(id, _)| among.is_none_or(|among| among.contains(id))));
                    best
                },
            )
            .reduce(|| Best::new(limit), Best::merged);
        let similarity = |product: i32| f64::from(product) / (f64::from(QUESTION_SCALE) * scale);
        best.into_sorted().map(|(id, product)| (id, similarity(product))).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range first")]
fn component(unit: f32) -> i16 {
    (unit * QUESTION_SCALE).round().clamp(-QUESTION_SCALE, QUESTION_SCALE) as i16
}

fn open_vectors(tree: &Tree, at: i64) -> Result<Blob<'_>, IndexError> {
    Ok(tree.connection.blob_open(MAIN_DB, "vectors_vector_chunks00", "vectors", at, true)?)
}

/// Places for vectors, of which some are in use.
struct Block<'a> {
    /// A bit for each place.
    in_use: &'a [u8],
    /// The passage in each place.
    numbers: &'a [[u8; 8]],
    dimensions: usize,
}

impl Block<'_> {
    /// Adds the vectors that are in use.
    fn append(
        &self,
        vectors: &Blob<'_>,
        ids: &mut Vec<ChunkId>,
        components: &mut Vec<u8>,
    ) -> Result<(), IndexError> {
        let bytes = self.numbers.len() * self.dimensions;
        if self.in_use.len() * 8 < self.numbers.len() || vectors.len() != bytes {
            return Err(torn());
        }
        // Read where they are to stay; those behind a gap move up.
        let mut end = components.len();
        let mut from = end;
        components.resize(end + bytes, 0);
        vectors.read_at_exact(&mut components[end..], 0)?;
        for (place, number) in self.numbers.iter().enumerate() {
            if self.in_use[place / 8] & (1 << (place % 8)) != 0 {
                if from != end {
                    components.copy_within(from..from + self.dimensions, end);
                }
                ids.push(ChunkId::from_ne_bytes(*number));
                end += self.dimensions;
            }
            from += self.dimensions;
        }
        components.truncate(end);
        Ok(())
    }
}

fn torn() -> IndexError {
    IndexError::Corrupt("a block of vectors is torn".to_owned())
}

/// The products of a question with each vector of a block.
struct Products<'a> {
    question: &'a [i16],
    components: &'a [u8],
    out: &'a mut [i32; BLOCK],
}

impl SimdOp for Products<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "compiled into a function for each set of instructions")]
    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        let vectors = self.components.chunks_exact(self.question.len());
        for (vector, product) in vectors.zip(self.out) {
            let pairs = vector.iter().zip(self.question);
            *product = pairs.map(|(one, other)| i32::from(one.cast_signed()) * i32::from(*other)).sum();
        }
    }
}

/// The best so far. Of equals the one with the smaller number is better.
struct Best {
    limit: usize,
    heap: BinaryHeap<Reverse<(i32, Reverse<ChunkId>)>>,
}

impl Best {
    fn new(limit: usize) -> Best {
        Best { limit, heap: BinaryHeap::new() }
    }

    fn extend(&mut self, scored: impl Iterator<Item = (ChunkId, i32)>) {
        for (id, product) in scored {
            let candidate = Reverse((product, Reverse(id)));
            if self.heap.len() < self.limit {
                self.heap.push(candidate);
            } else if let Some(mut worst) = self.heap.peek_mut()
                && candidate < *worst
            {
                *worst = candidate;
            }
        }
    }

    fn merged(mut self, other: Best) -> Best {
        self.extend(other.heap.into_iter().map(|Reverse((product, Reverse(id)))| (id, product)));
        self
    }

    fn into_sorted(self) -> impl Iterator<Item = (ChunkId, i32)> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse((product, Reverse(id)))| (id, product))
    }
}
