//! The tensors of a folder, loaded to a device.

use std::path::Path;

use candle_core::{DType, Device, Tensor};

use super::error::LoadError;
use super::safetensors::Weights;

/// The tensors of one file by name, on disk until they are loaded to the device.
#[derive(Debug)]
pub(crate) struct TensorFile {
    weights: Weights,
    device: Device,
}

impl TensorFile {
    /// Opens the weights of `folder`: `model.safetensors`, else `pytorch_model.bin`. Tensors are
    /// loaded to `device`.
    pub(crate) fn find(folder: &Path, device: &Device) -> Result<Self, LoadError> {
        Ok(Self {
            weights: Weights::find(folder)?,
            device: device.clone(),
        })
    }

    /// Opens `file`, a PyTorch pickle of tensors by name, or of a dictionary that has them under
    /// `key`. Tensors are loaded to `device`.
    pub(crate) fn open_pickle(
        file: &Path,
        key: Option<&str>,
        device: &Device,
    ) -> Result<Self, LoadError> {
        Ok(Self {
            weights: Weights::open_pickle(file, key)?,
            device: device.clone(),
        })
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.weights.has(name)
    }

    /// The shape of the tensor `name`; `None` if it does not exist.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.weights.shape(name)
    }

    /// The tensor `name` in f32 on the device; it must have `shape`.
    pub(crate) fn take(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        // Unpacked on the CPU, which supports every type that a file may have.
        let tensor = self.weights.take(name, shape)?;
        self.made(tensor.to_device(&self.device))
    }

    /// Converts an error of the tensor library during unpacking into an error about the file.
    pub(crate) fn made<T>(&self, result: candle_core::Result<T>) -> Result<T, LoadError> {
        self.weights.made(result)
    }

    /// An error of the tensor library as an error about the file.
    pub(crate) fn refusal(&self, error: &candle_core::Error) -> LoadError {
        self.weights.refusal(error)
    }

    /// The error that the tensor `name` is missing or has not the `expected` shape.
    pub(crate) fn wrong_shape(&self, name: &str, expected: &[usize]) -> LoadError {
        let found = self.shape(name);
        let found = found.map_or_else(|| "missing".to_owned(), |shape| format!("{shape:?}"));
        self.weights.wrong(name, found, expected)
    }
}

/// Bytes of a tensor that owns its storage.
pub(crate) fn tensor_bytes(tensor: &Tensor) -> usize {
    debug_assert_eq!(tensor.dtype(), DType::F32);
    tensor.elem_count() * size_of::<f32>()
}
