//! The tensors of a folder in any of three formats: safetensors, PyTorch pickle, GGUF.
//!
//! Pickles are read as data: nothing in them is executed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{Device, Tensor};

use super::error::LoadError;
use super::gguf::{first_line, open_gguf};
use super::matrix::Matrix;
use super::pickle::Pickle;
use super::safetensors::Weights;

/// The tensors of one file by name, on disk until they are loaded to the device.
#[derive(Debug)]
pub(crate) struct TensorFile {
    file: PathBuf,
    format: Format,
    device: Device,
}

enum Format {
    Safetensors(Weights),
    Pickle(Pickle),
    Gguf(Box<gguf_file::Content>),
}

impl std::fmt::Debug for Format {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Safetensors(_) => "Safetensors",
            Self::Pickle(_) => "Pickle",
            Self::Gguf(_) => "Gguf",
        })
    }
}

impl TensorFile {
    /// Opens the weights of `folder`: `model.safetensors`, else `pytorch_model.bin`, else the only
    /// `.gguf` file. Tensors are loaded to `device`.
    pub(crate) fn find(folder: &Path, device: &Device) -> Result<Self, LoadError> {
        let safetensors = folder.join("model.safetensors");
        for file in [&safetensors, &folder.join("pytorch_model.bin")] {
            if file.is_file() {
                return Self::open(file, device);
            }
        }
        let failed = |source| LoadError::Read {
            file: folder.to_owned(),
            source,
        };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.extension().is_some_and(|ending| ending == "gguf") {
                found.push(file);
            }
        }
        found.sort();
        match found.as_slice() {
            [] => Err(LoadError::Missing { file: safetensors }),
            [one] => Self::open(one, device),
            [one, ..] => Err(LoadError::Format {
                file: one.clone(),
                format: "GGUF",
                reason: format!(
                    "the folder has {} of them; name the one to load",
                    found.len()
                ),
            }),
        }
    }

    /// Opens `file`; its extension gives the format. Tensors are loaded to `device`.
    pub(crate) fn open(file: &Path, device: &Device) -> Result<Self, LoadError> {
        let ending = file.extension().and_then(|ending| ending.to_str());
        let format = match ending {
            Some("gguf") => Format::Gguf(Box::new(open_gguf(file)?.0)),
            Some("bin") => Format::Pickle(Pickle::open(file)?),
            _ => Format::Safetensors(Weights::open(file)?),
        };
        Ok(Self {
            file: file.to_owned(),
            format,
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
            file: file.to_owned(),
            format: Format::Pickle(Pickle::open_under(file, key)?),
            device: device.clone(),
        })
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.format {
            Format::Safetensors(weights) => weights.has(name),
            Format::Pickle(tensors) => tensors.has(name),
            Format::Gguf(content) => content.tensor_infos.contains_key(name),
        }
    }

    /// The shape of the tensor `name`; `None` if it does not exist.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        match &self.format {
            Format::Safetensors(weights) => weights.shape(name),
            Format::Pickle(tensors) => tensors.shape(name),
            Format::Gguf(content) => Some(content.tensor_infos.get(name)?.shape.dims().to_vec()),
        }
    }

    /// The tensor `name` in f32 on the device; it must have `shape`.
    pub(crate) fn take(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        // Unpacked on the CPU, which supports every type that a file may have.
        let tensor = match &self.format {
            Format::Safetensors(weights) => weights.take(name, shape)?,
            Format::Pickle(tensors) => tensors.take(name, shape)?,
            Format::Gguf(content) => {
                let blocks = self.blocks(content, name, shape, &Device::Cpu)?;
                self.made(blocks.dequantize(&Device::Cpu))?
            }
        };
        self.made(tensor.to_device(&self.device))
    }

    /// The matrix `name` with `rows` outputs and `columns` inputs, in quantised blocks if the file
    /// has them.
    pub(crate) fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Matrix, LoadError> {
        let shape = [rows, columns];
        if let Format::Gguf(content) = &self.format {
            let kind = content.tensor_infos.get(name).map(|info| info.ggml_dtype);
            let plain = [GgmlDType::F32, GgmlDType::F16, GgmlDType::BF16].map(Some);
            if !plain.contains(&kind) {
                let blocks = self.blocks(content, name, &shape, &self.device)?;
                return Ok(Matrix::Blocks(Arc::new(blocks)));
            }
        }
        Ok(Matrix::Dense(self.take(name, &shape)?))
    }

    /// Converts an error of the tensor library during unpacking into an error about the file.
    pub(crate) fn made<T>(&self, result: candle_core::Result<T>) -> Result<T, LoadError> {
        match &self.format {
            Format::Safetensors(weights) => weights.made(result),
            Format::Pickle(tensors) => tensors.made(result),
            Format::Gguf(_) => result.map_err(|error| LoadError::NotGguf {
                file: self.file.clone(),
                reason: first_line(&error),
            }),
        }
    }

    fn blocks(
        &self,
        content: &gguf_file::Content,
        name: &str,
        shape: &[usize],
        device: &Device,
    ) -> Result<QTensor, LoadError> {
        let info = content.tensor_infos.get(name);
        let info = info.ok_or_else(|| self.wrong(name, "missing".to_owned(), shape))?;
        if info.shape.dims() != shape {
            return Err(self.wrong(name, format!("{:?}", info.shape.dims()), shape));
        }
        let mut file = std::fs::File::open(&self.file).map_err(|source| LoadError::Read {
            file: self.file.clone(),
            source,
        })?;
        self.made(content.tensor(&mut file, name, device))
    }

    /// The error that the tensor `name` is missing or has not the `expected` shape.
    pub(crate) fn wrong_shape(&self, name: &str, expected: &[usize]) -> LoadError {
        let found = self.shape(name);
        let found = found.map_or_else(|| "missing".to_owned(), |shape| format!("{shape:?}"));
        self.wrong(name, found, expected)
    }

    fn wrong(&self, name: &str, found: String, shape: &[usize]) -> LoadError {
        LoadError::Tensor {
            file: self.file.clone(),
            name: name.to_owned(),
            found,
            expected: shape.to_vec(),
        }
    }
}
