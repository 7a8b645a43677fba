//! The vectors of all nodes, contiguous, one row per slot, and dot products over them.
//!
//! Rows are unit length, so a dot product is a cosine. A row of a freed slot is zero and scores 0.

use crate::limits;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Rows per chunk, the unit of copying when a row changes that an earlier state of the session
/// shares.
const CHUNK_ROWS: usize = 64;

/// Rows of `dimension` floats; grows with the arena.
///
/// Cloning shares all chunks; one is copied when a row in it changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Rows", into = "Rows")]
pub(crate) struct Matrix {
    dimension: usize,
    /// Number of rows; rows of the last chunk beyond it are zero.
    rows: usize,
    chunks: Vec<Arc<Vec<f32>>>,
    stamps: Stamps,
}

/// The stored form: one row after another.
#[derive(Serialize, Deserialize)]
struct Rows {
    dimension: usize,
    rows: Vec<f32>,
}

impl From<Matrix> for Rows {
    fn from(matrix: Matrix) -> Self {
        let mut rows: Vec<f32> = matrix
            .chunks
            .iter()
            .flat_map(|c| c.iter().copied())
            .collect();
        rows.truncate(matrix.rows * matrix.dimension);
        Self {
            dimension: matrix.dimension,
            rows,
        }
    }
}

impl TryFrom<Rows> for Matrix {
    type Error = String;

    fn try_from(stored: Rows) -> Result<Self, String> {
        let (dimension, floats) = (stored.dimension, stored.rows.len());
        let whole = dimension > 0 && floats.is_multiple_of(dimension);
        if dimension > limits::DIMENSION_MAX || !(whole || floats == 0) {
            return Err(format!("{floats} floats in rows of {dimension}"));
        }
        let mut matrix = Self::new(dimension);
        if floats == 0 {
            return Ok(matrix);
        }
        matrix.rows = floats / dimension;
        let chunks = stored.rows.chunks(dimension * CHUNK_ROWS).map(|rows| {
            let mut chunk = rows.to_vec();
            chunk.resize(dimension * CHUNK_ROWS, 0.0);
            Arc::new(chunk)
        });
        matrix.chunks = chunks.collect();
        Ok(matrix)
    }
}

/// When each row was last written, counted in writes, so that an index can detect changed rows. Not
/// stored or compared, since equal trees can have different histories.
#[derive(Debug, Clone, Default)]
struct Stamps {
    of: Vec<u64>,
    writes: u64,
}

impl PartialEq for Stamps {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Stamps {
    fn mark(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.of.len() <= slot {
            self.of.resize(slot + 1, 0);
        }
        self.writes += 1;
        self.of[slot] = self.writes;
    }
}

impl Matrix {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            rows: 0,
            chunks: Vec::new(),
            stamps: Stamps::default(),
        }
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    pub(crate) fn row(&self, slot: u32) -> &[f32] {
        let (chunk, row) = (slot as usize / CHUNK_ROWS, slot as usize % CHUNK_ROWS);
        &self.chunks[chunk][row * self.dimension..(row + 1) * self.dimension]
    }

    /// All rows, by slot.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        let rows = self.chunks.iter();
        let rows = rows.flat_map(|chunk| chunk.chunks_exact(self.dimension));
        rows.take(self.rows)
    }

    fn row_mut(&mut self, slot: u32) -> &mut [f32] {
        let (chunk, row) = (slot as usize / CHUNK_ROWS, slot as usize % CHUNK_ROWS);
        let dimension = self.dimension;
        let chunk = Arc::make_mut(&mut self.chunks[chunk]);
        &mut chunk[row * dimension..(row + 1) * dimension]
    }

    /// Writes a row, growing to hold it.
    pub(crate) fn set(&mut self, slot: u32, vector: &[f32]) {
        debug_assert_eq!(vector.len(), self.dimension);
        self.rows = self.rows.max(slot as usize + 1);
        let floats = self.dimension * CHUNK_ROWS;
        self.chunks.resize_with(self.rows.div_ceil(CHUNK_ROWS), || {
            Arc::new(vec![0.0; floats])
        });
        self.row_mut(slot).copy_from_slice(vector);
        self.stamps.mark(slot);
    }

    /// Stamps every row as just written, after loading.
    pub(crate) fn stamp_all(&mut self) {
        (0..self.rows).for_each(|slot| self.stamps.mark(slot as u32));
    }

    /// Changes whenever the row does and never repeats; 0 if the row was never written.
    pub(crate) fn stamp(&self, slot: u32) -> u64 {
        self.stamps.of.get(slot as usize).copied().unwrap_or(0)
    }

    pub(crate) fn clear(&mut self, slot: u32) {
        self.row_mut(slot).fill(0.0);
        self.stamps.mark(slot);
    }

    /// All floats of all rows.
    pub(super) fn floats(&self) -> impl Iterator<Item = f32> {
        self.chunks.iter().flat_map(|chunk| chunk.iter().copied())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks
            .iter()
            .map(|c| c.len() * size_of::<f32>())
            .sum::<usize>()
            + self.stamps.of.len() * size_of::<u64>()
    }
}
