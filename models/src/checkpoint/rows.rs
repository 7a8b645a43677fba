//! Tables that are read a row at a time and stay on disk: embeddings of words and positions.

use std::sync::Arc;

use candle_core::DType;
use half::{bf16, f16};

use super::error::LoadError;
use super::safetensors::Weights;

/// A matrix of the file. Only the pages of the rows that are read become resident; those of
/// words that nobody says stay where they are.
#[derive(Debug)]
pub(crate) struct Rows {
    weights: Arc<Weights>,
    name: String,
    rows: usize,
    columns: usize,
    kind: DType,
}

impl Rows {
    /// The tensor `name`, `[rows, columns]`, of f32, f16 or bf16.
    pub(crate) fn open(
        weights: &Arc<Weights>,
        name: &str,
        (rows, columns): (usize, usize),
    ) -> Result<Self, LoadError> {
        let kind = weights.check(name, &[rows, columns])?;
        if !matches!(kind, DType::F32 | DType::F16 | DType::BF16) {
            return Err(weights.wrong(name, format!("of type {kind:?}"), &[rows, columns]));
        }
        Ok(Self {
            weights: Arc::clone(weights),
            name: name.to_owned(),
            rows,
            columns,
            kind,
        })
    }

    /// Adds row `row` to `sum`, value by value.
    ///
    /// # Panics
    /// Where there is no such row; callers check their numbers when they load.
    pub(crate) fn add_to(&self, row: usize, sum: &mut [f32]) {
        assert!(row < self.rows && sum.len() == self.columns);
        let width = self.kind.size_in_bytes();
        let bytes = self.weights.bytes(&self.name);
        let bytes = &bytes[row * self.columns * width..][..self.columns * width];
        match self.kind {
            DType::F16 => add(bytes, sum, |pair| f16::from_le_bytes(pair).to_f32()),
            DType::BF16 => add(bytes, sum, |pair| bf16::from_le_bytes(pair).to_f32()),
            _ => add(bytes, sum, f32::from_le_bytes),
        }
    }

    /// Bytes of the file, resident or not.
    pub(crate) fn mapped_bytes(&self) -> usize {
        self.rows * self.columns * self.kind.size_in_bytes()
    }
}

fn add<const WIDTH: usize>(bytes: &[u8], sum: &mut [f32], value: impl Fn([u8; WIDTH]) -> f32) {
    let values = bytes.as_chunks::<WIDTH>().0;
    sum.iter_mut()
        .zip(values)
        .for_each(|(sum, bytes)| *sum += value(*bytes));
}
