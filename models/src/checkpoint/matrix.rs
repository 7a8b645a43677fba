//! A weight matrix, in f32 or in the quantised blocks of a GGUF file.

use std::sync::Arc;

use candle_core::quantized::QTensor;
use candle_core::{DType, Device, Result, Tensor};

use super::few_rows;

/// `[outputs, inputs]`.
#[derive(Debug, Clone)]
pub(crate) enum Matrix {
    /// In f32.
    Dense(Tensor),
    /// In quantised blocks; multiplied without unpacking, on every device.
    Blocks(Arc<QTensor>),
}

impl Matrix {
    /// `[n, inputs]` to `[n, outputs]`.
    pub(crate) fn apply(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Dense(weight) => few_rows::product(x, weight),
            Self::Blocks(blocks) => x.contiguous()?.apply_op1_no_bwd(blocks.as_ref()),
        }
    }

    /// The rows `ids`: an embedding lookup.
    pub(crate) fn rows(&self, ids: &[u32]) -> Result<Tensor> {
        match self {
            Self::Dense(weight) => weight.index_select(&Tensor::new(ids, weight.device())?, 0),
            Self::Blocks(blocks) => blocks.embedding(&Tensor::new(ids, &blocks.device())?),
        }
    }

    /// Its device.
    pub(crate) fn device(&self) -> Device {
        match self {
            Self::Dense(weight) => weight.device().clone(),
            Self::Blocks(blocks) => blocks.device(),
        }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Dense(weight) => tensor_bytes(weight),
            Self::Blocks(blocks) => blocks.storage_size_in_bytes(),
        }
    }
}

/// Bytes of a tensor that owns its storage.
pub(crate) fn tensor_bytes(tensor: &Tensor) -> usize {
    debug_assert_eq!(tensor.dtype(), DType::F32);
    tensor.elem_count() * size_of::<f32>()
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::GgmlDType;

    use super::*;

    fn parts() -> Result<[(Tensor, Tensor); 2]> {
        let wave = |n: usize, by: f64| (Tensor::arange(0., n as f32, &Device::Cpu)? * by)?.sin();
        let weight = wave(40 * 64, 0.7)?.reshape((40, 64))?;
        let blocks = QTensor::quantize(&weight, GgmlDType::Q8_0)?;
        let dense = Matrix::Dense(blocks.dequantize(&Device::Cpu)?);
        let blocks = Matrix::Blocks(Arc::new(blocks));
        assert_eq!((dense.bytes(), blocks.bytes()), (40 * 64 * 4, 40 * 2 * 34));
        let x = wave(3 * 64, 1.3)?.reshape((3, 64))?;
        let ids = [0, 39, 7, 7];
        Ok([
            (dense.apply(&x)?, blocks.apply(&x)?),
            (dense.rows(&ids)?, blocks.rows(&ids)?),
        ])
    }

    #[test]
    fn blocks_multiply_like_the_values_they_stand_for() {
        let [products, rows] = parts().expect("a matrix of 40 rows");
        let apart = |(a, b): (Tensor, Tensor)| {
            let off = (a.sub(&b)?.sqr()?.mean_all()? / a.sqr()?.mean_all()?)?;
            off.sqrt()?.to_scalar::<f32>()
        };
        // The inputs are rounded to 8 bits too, and the sine inputs cancel out strongly; the rows
        // are only unpacked.
        assert!(matches!(apart(products), Ok(off) if off < 0.05));
        assert!(matches!(apart(rows), Ok(off) if off == 0.0));
    }
}
