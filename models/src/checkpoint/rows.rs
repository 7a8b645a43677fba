//! Tables that are read one row at a time: embeddings of words and positions. They stay on disk if
//! the file format allows it.

use std::sync::Arc;

use candle_core::DType;
use half::{bf16, f16};

use super::error::LoadError;
use super::safetensors::{ByteRows, Weights};

/// A matrix of the file. In a mapped file, only the pages of the rows that are read become
/// resident; rows of unused words stay on disk.
pub(crate) struct Rows {
    rows: usize,
    columns: usize,
    place: Place,
}

enum Place {
    Mapped {
        weights: Arc<Weights>,
        name: String,
        kind: DType,
    },
    Memory(Vec<f32>),
    Bytes(ByteRows),
}

impl Rows {
    /// The tensor `name`, `[rows, columns]`, of f32, f16 or bf16.
    pub(crate) fn open(
        weights: &Arc<Weights>,
        name: &str,
        (rows, columns): (usize, usize),
    ) -> Result<Self, LoadError> {
        let shape = [rows, columns];
        if let Some(bytes) = weights.byte_rows(name) {
            if weights.shape(name).as_deref() != Some(&shape) {
                let found = format!("{:?}", weights.shape(name).unwrap_or_default());
                return Err(weights.wrong(name, found, &shape));
            }
            let place = Place::Bytes(bytes);
            return Ok(Self {
                rows,
                columns,
                place,
            });
        }
        let place = match weights.mapped_kind(name, &shape)? {
            Some(kind @ (DType::F32 | DType::F16 | DType::BF16)) => Place::Mapped {
                weights: Arc::clone(weights),
                name: name.to_owned(),
                kind,
            },
            Some(kind) => return Err(weights.wrong(name, format!("of type {kind:?}"), &shape)),
            None => {
                let tensor = weights.take(name, &shape)?;
                Place::Memory(weights.made(tensor.flatten_all().and_then(|all| all.to_vec1()))?)
            }
        };
        Ok(Self {
            rows,
            columns,
            place,
        })
    }

    /// Adds row `row` to `sum`, value by value.
    ///
    /// # Panics
    /// The row does not exist; callers check row numbers when they load.
    pub(crate) fn add_to(&self, row: usize, sum: &mut [f32]) {
        assert!(row < self.rows && sum.len() == self.columns);
        let (weights, name, kind) = match &self.place {
            Place::Mapped {
                weights,
                name,
                kind,
            } => (weights, name, *kind),
            Place::Memory(values) => {
                let values = &values[row * self.columns..][..self.columns];
                return sum.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
            }
            Place::Bytes(ByteRows { values, scales }) => {
                let values = &values[row * self.columns..][..self.columns];
                let scale = scales[row];
                let values = values.iter().map(|x| f32::from(*x) * scale);
                return sum.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
            }
        };
        let width = kind.size_in_bytes();
        let bytes = weights.bytes(name);
        let bytes = &bytes[row * self.columns * width..][..self.columns * width];
        match kind {
            DType::F16 => add(bytes, sum, |pair| f16::from_le_bytes(pair).to_f32()),
            DType::BF16 => add(bytes, sum, |pair| bf16::from_le_bytes(pair).to_f32()),
            _ => add(bytes, sum, f32::from_le_bytes),
        }
    }

    /// The rows as stored, if they are stored as bytes.
    pub(crate) fn byte_rows(&self) -> Option<&ByteRows> {
        match &self.place {
            Place::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Bytes of the file, resident or not.
    pub(crate) fn mapped_bytes(&self) -> usize {
        match &self.place {
            Place::Mapped { kind, .. } => self.rows * self.columns * kind.size_in_bytes(),
            Place::Memory(_) => 0,
            Place::Bytes(bytes) => bytes.values.len(),
        }
    }

    /// Additional bytes in memory.
    pub(crate) fn resident_bytes(&self) -> usize {
        match &self.place {
            Place::Mapped { .. } => 0,
            Place::Memory(values) => values.capacity() * size_of::<f32>(),
            Place::Bytes(bytes) => bytes.scales.capacity() * size_of::<f32>(),
        }
    }
}

fn add<const WIDTH: usize>(bytes: &[u8], sum: &mut [f32], value: impl Fn([u8; WIDTH]) -> f32) {
    let values = bytes.as_chunks::<WIDTH>().0;
    sum.iter_mut()
        .zip(values)
        .for_each(|(sum, bytes)| *sum += value(*bytes));
}
