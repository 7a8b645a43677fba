//! A weight matrix: packed for this crate's products, or left to the tensor library.

use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{Device, Module, Tensor};
use half::f16;

use super::packed::{BLOCK, Block, Packed, Quantised, Width};

/// The weights of one layer's product: `rows` outputs, `columns` inputs.
#[derive(Debug)]
pub(super) enum Linear {
    /// Q4_0, Q4_1 and Q8_0.
    Packed(Packed),
    /// Every other type.
    Library {
        /// The product, quantised or in f32.
        product: QMatMul,
        columns: usize,
        /// Bytes in memory.
        bytes: usize,
    },
}

/// The block types that are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockType {
    Q4_0,
    Q4_1,
    Q8_0,
}

impl BlockType {
    /// Bytes of one block of 32 weights.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q8_0 => 34,
        }
    }

    /// Reads a ggml block: scale, minimum if there is one, then the numbers.
    fn read(self, bytes: &[u8]) -> Block {
        let half = |at: usize| f16::from_le_bytes([bytes[at], bytes[at + 1]]).to_f32();
        let mut values = [0; BLOCK];
        let from = match self {
            Self::Q4_0 | Self::Q8_0 => &bytes[2..],
            Self::Q4_1 => &bytes[4..],
        };
        values[..from.len()].copy_from_slice(from);
        let scale = half(0);
        let minimum = match self {
            Self::Q4_0 => -8.0 * scale,
            Self::Q4_1 => half(2),
            Self::Q8_0 => 0.0,
        };
        Block {
            values,
            scale,
            minimum,
        }
    }
}

/// Input of a product: rows of floats, and their quantised form if packed weights need it.
#[derive(Debug, Default)]
pub(super) struct Activations {
    pub(super) floats: Vec<f32>,
    pub(super) quantised: Quantised,
    /// Whether any weights are packed.
    pub(super) is_quantised: bool,
}

impl Activations {
    /// Quantises `floats`, rows of `columns`, if needed.
    pub(super) fn quantise(&mut self, columns: usize) {
        if self.is_quantised {
            self.quantised.fill(&self.floats, columns);
        }
    }
}

impl Linear {
    /// Packs the blocks of a file; `bytes` holds exactly `rows x columns / 32` of them.
    pub(super) fn packed(rows: usize, columns: usize, kind: BlockType, bytes: &[u8]) -> Self {
        let (size, blocks) = (kind.bytes(), columns / BLOCK);
        let width = if kind == BlockType::Q8_0 {
            Width::Bits8
        } else {
            Width::Bits4
        };
        Self::Packed(Packed::new(rows, columns, width, |row, column| {
            let at = (row * blocks + column) * size;
            kind.read(&bytes[at..at + size])
        }))
    }

    /// Weights of another quantised type.
    pub(super) fn quantised(tensor: QTensor) -> candle_core::Result<Self> {
        let (_, columns) = tensor.shape().dims2()?;
        let bytes = tensor.storage_size_in_bytes();
        Ok(Self::Library {
            product: QMatMul::from_arc(Arc::new(tensor))?,
            columns,
            bytes,
        })
    }

    /// Weights in f32.
    pub(super) fn floats(tensor: Tensor) -> candle_core::Result<Self> {
        let (rows, columns) = tensor.dims2()?;
        Ok(Self::Library {
            product: QMatMul::Tensor(tensor),
            columns,
            bytes: rows * columns * 4,
        })
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Packed(packed) => packed.bytes(),
            Self::Library { bytes, .. } => *bytes,
        }
    }

    /// Writes one row of weights as floats into `to`: the embedding of a token.
    pub(super) fn row(&self, row: usize, to: &mut [f32]) -> candle_core::Result<()> {
        match self {
            Self::Packed(packed) => packed.row(row, to),
            Self::Library { product, .. } => {
                let id = Tensor::from_slice(&[row as u32], 1, &Device::Cpu)?;
                let vector = product.embedding(&id)?.flatten_all()?.to_vec1::<f32>()?;
                to.copy_from_slice(&vector);
            }
        }
        Ok(())
    }

    /// The products of all activations with all rows, token by token.
    pub(super) fn multiply(&self, of: &Activations, out: &mut [f32]) -> candle_core::Result<()> {
        match self {
            Self::Packed(packed) => {
                let tokens = 0..of.quantised.len();
                packed.multiply(0..packed.groups(), &of.quantised, tokens, out, packed.rows);
            }
            Self::Library {
                product, columns, ..
            } => {
                let shape = (of.floats.len() / columns, *columns);
                let floats = Tensor::from_slice(&of.floats, shape, &Device::Cpu)?;
                let product = product.forward(&floats)?.flatten_all()?;
                out.copy_from_slice(&product.to_vec1::<f32>()?);
            }
        }
        Ok(())
    }
}
