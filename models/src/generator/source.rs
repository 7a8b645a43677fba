//! Sources of a decoder's tensors, by their GGUF names.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};

use crate::LoadError;

/// A file, or several, of tensors.
pub(super) trait Source {
    /// Whether there is a tensor of this name.
    fn has(&self, name: &str) -> bool;

    /// The matrix `name` on `device`; it must be `rows x columns`.
    fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
        device: &Device,
    ) -> std::result::Result<Matrix, LoadError>;

    /// The vector `name` on `device`; it must have `len` floats.
    fn vector(
        &self,
        name: &str,
        len: usize,
        device: &Device,
    ) -> std::result::Result<Tensor, LoadError>;
}

/// candle multiplies in tiles if the columns are a multiple of this.
const COLUMNS: usize = 256;

/// A matrix of weights: a product, or rows to look up.
#[derive(Debug)]
pub(super) struct Matrix {
    weights: QMatMul,
    columns: usize,
    /// Columns of zeros at the end.
    padding: usize,
}

impl Matrix {
    /// A matrix of floats.
    pub(super) fn floats(weights: Tensor) -> Result<Self> {
        Ok(Self {
            columns: weights.dim(1)?,
            weights: QMatMul::Tensor(weights),
            padding: 0,
        })
    }

    /// A matrix of blocks. On a CPU, types for which candle has no vector instructions are
    /// requantised, and their rows are padded with zeros. That takes more memory and a little
    /// precision, and multiplies many times as fast. Five bits around zero fit into six, which
    /// candle multiplies in tiles on every processor; bits with an offset need eight.
    pub(super) fn blocks(mut weights: QTensor) -> Result<Self> {
        use GgmlDType::{Q4_1, Q5_0, Q5_1, Q6K, Q8_0, Q8_1};
        let columns = weights.shape().dims2()?.1;
        let mut padding = 0;
        let device = weights.device();
        let to = match weights.dtype() {
            Q5_0 => Some(Q6K),
            Q4_1 | Q5_1 | Q8_0 | Q8_1 => Some(Q8_0),
            _ => None,
        };
        if let Some(to) = to.filter(|_| device.is_cpu()) {
            padding = columns.next_multiple_of(COLUMNS) - columns;
            if padding > 0 || weights.dtype() != to {
                let floats = weights.dequantize(&device)?;
                weights = QTensor::quantize(&floats.pad_with_zeros(1, 0, padding)?, to)?;
            }
        }
        Ok(Self {
            weights: QMatMul::from_qtensor(weights)?,
            columns,
            padding,
        })
    }

    /// `[n, columns]` to `[n, rows]`.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self.padding {
            0 => self.weights.forward(x),
            zeros => self.weights.forward(&x.pad_with_zeros(1, 0, zeros)?),
        }
    }

    /// The rows `ids`, `[n, columns]`.
    pub(super) fn rows(&self, ids: &Tensor) -> Result<Tensor> {
        let rows = self.weights.embedding(ids)?.to_dtype(DType::F32)?;
        rows.narrow(1, 0, self.columns)?.contiguous()
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        match &self.weights {
            QMatMul::QTensor(tensor) => tensor.storage_size_in_bytes(),
            QMatMul::Tensor(tensor) | QMatMul::TensorF16(tensor) => {
                tensor.elem_count() * tensor.dtype().size_in_bytes()
            }
        }
    }
}
