//! Hands the tensors of a file to the networks of candle-transformers.

use std::collections::HashMap;

use candle_core::{DType, Device, Error, Result, Shape, Tensor};
use candle_nn::VarBuilder;
use candle_nn::var_builder::SimpleBackend;
use parking_lot::Mutex;

use super::error::LoadError;
use super::tensors::{TensorFile, tensor_bytes};

/// The tensors of a file. Each is loaded once, and all networks built from them share it.
pub(crate) struct SharedTensors<'a> {
    file: &'a TensorFile,
    loaded: Mutex<HashMap<String, Tensor>>,
    /// Why the last tensor was refused: the library's errors carry only text.
    refused: Mutex<Option<LoadError>>,
}

impl<'a> SharedTensors<'a> {
    pub(crate) fn new(file: &'a TensorFile) -> Self {
        Self {
            file,
            loaded: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// The tensor `name`, which must have `shape`.
    pub(crate) fn take(
        &self,
        name: &str,
        shape: &[usize],
    ) -> std::result::Result<Tensor, LoadError> {
        if let Some(tensor) = self.loaded.lock().get(name).filter(|x| x.dims() == shape) {
            return Ok(tensor.clone());
        }
        let tensor = self.file.take(name, shape)?;
        self.loaded.lock().insert(name.to_owned(), tensor.clone());
        Ok(tensor)
    }

    /// Networks that are built from now on get `tensor` as `name`.
    pub(crate) fn replace(&self, name: &str, tensor: Tensor) {
        self.loaded.lock().insert(name.to_owned(), tensor);
    }

    /// Builds a network from the tensors whose names begin with `root` and a dot.
    pub(crate) fn build<T>(
        &self,
        root: &str,
        network: impl FnOnce(VarBuilder<'_>) -> Result<T>,
    ) -> std::result::Result<T, LoadError> {
        let backend = Box::new(Backend(self));
        let device = self.file.device().clone();
        let mut tensors = VarBuilder::from_backend(backend, DType::F32, device);
        if !root.is_empty() {
            tensors = tensors.pp(root);
        }
        match network(tensors) {
            Ok(network) => Ok(network),
            Err(error) => Err(match self.refused.lock().take() {
                Some(refused) => refused,
                None => self.file.refusal(&error),
            }),
        }
    }

    /// Bytes of all tensors that were loaded.
    pub(crate) fn bytes(&self) -> usize {
        self.loaded.lock().values().map(tensor_bytes).sum()
    }
}

struct Backend<'a>(&'a SharedTensors<'a>);

impl SimpleBackend for Backend<'_> {
    fn get(
        &self,
        shape: Shape,
        name: &str,
        _: candle_nn::Init,
        _: DType,
        _: &Device,
    ) -> Result<Tensor> {
        self.0.take(name, shape.dims()).map_err(|refused| {
            let error = Error::msg(&refused);
            *self.0.refused.lock() = Some(refused);
            error
        })
    }

    fn get_unchecked(&self, name: &str, dtype: DType, device: &Device) -> Result<Tensor> {
        let shape = self.0.file.shape(name).unwrap_or_default();
        self.get(
            shape.into(),
            name,
            candle_nn::Init::Const(0.0),
            dtype,
            device,
        )
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.0.loaded.lock().contains_key(name) || self.0.file.has(name)
    }
}
