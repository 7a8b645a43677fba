//! Sources of a decoder's tensors, by their GGUF names.

use candle_core::quantized::QMatMul;
use candle_core::{Device, Tensor};

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
    ) -> Result<QMatMul, LoadError>;

    /// The vector `name` on `device`; it must have `len` floats.
    fn vector(&self, name: &str, len: usize, device: &Device) -> Result<Tensor, LoadError>;
}
