//! The tensors of a folder, whichever of three formats holds them: safetensors, the pickle of
//! PyTorch, GGUF.
//!
//! Pickles are read as data: nothing in them is executed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::pickle::PthTensors;
use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{DType, Device, Tensor};

use super::error::LoadError;
use super::matrix::Matrix;
use super::safetensors::Weights;

/// The tensors of one file by name, on disk until they are taken to the device.
#[derive(Debug)]
pub(crate) struct TensorFile {
    file: PathBuf,
    format: Format,
    device: Device,
}

enum Format {
    Safetensors(Weights),
    Pickle(PthTensors),
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
    /// Opens the weights of `folder`: `model.safetensors`, else `pytorch_model.bin`, else the one
    /// file that ends in `.gguf`. What is taken goes to `device`.
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

    /// Opens `file`, whose name's ending says which format it has. What is taken goes to `device`.
    pub(crate) fn open(file: &Path, device: &Device) -> Result<Self, LoadError> {
        let ending = file.extension().and_then(|ending| ending.to_str());
        let refused = |format, error: candle_core::Error| LoadError::Format {
            file: file.to_owned(),
            format,
            reason: first_line(&error),
        };
        let format = match ending {
            Some("gguf") => Format::Gguf(Box::new(open_gguf(file)?)),
            Some("bin") => Format::Pickle(
                PthTensors::new(file, None).map_err(|error| refused("PyTorch", error))?,
            ),
            _ => Format::Safetensors(Weights::open(file)?),
        };
        Ok(Self {
            file: file.to_owned(),
            format,
            device: device.clone(),
        })
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.format {
            Format::Safetensors(weights) => weights.has(name),
            Format::Pickle(tensors) => tensors.tensor_infos().contains_key(name),
            Format::Gguf(content) => content.tensor_infos.contains_key(name),
        }
    }

    /// The shape of the tensor `name`; `None` where there is none.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        match &self.format {
            Format::Safetensors(weights) => weights.shape(name),
            Format::Pickle(tensors) => {
                Some(tensors.tensor_infos().get(name)?.layout.dims().to_vec())
            }
            Format::Gguf(content) => Some(content.tensor_infos.get(name)?.shape.dims().to_vec()),
        }
    }

    /// The tensor `name` in f32 on the device; it must have `shape`.
    pub(crate) fn take(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        // Unpacked on the CPU, which knows every type that a file may have.
        let tensor = match &self.format {
            Format::Safetensors(weights) => weights.take(name, shape)?,
            Format::Pickle(tensors) => self.unpickle(tensors, name, shape)?,
            Format::Gguf(content) => {
                let blocks = self.blocks(content, name, shape, &Device::Cpu)?;
                self.made(blocks.dequantize(&Device::Cpu))?
            }
        };
        self.made(tensor.to_device(&self.device))
    }

    /// The matrix `name` of `rows` outputs and `columns` inputs, in blocks where the file has it
    /// so.
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

    /// Turns a failure of the tensor library while unpacking into an error about the file.
    pub(crate) fn made<T>(&self, result: candle_core::Result<T>) -> Result<T, LoadError> {
        let format = match &self.format {
            Format::Safetensors(weights) => return weights.made(result),
            Format::Pickle(_) => "PyTorch",
            Format::Gguf(_) => "GGUF",
        };
        result.map_err(|error| LoadError::Format {
            file: self.file.clone(),
            format,
            reason: first_line(&error),
        })
    }

    fn unpickle(
        &self,
        tensors: &PthTensors,
        name: &str,
        shape: &[usize],
    ) -> Result<Tensor, LoadError> {
        let wrong = |found| self.wrong(name, found, shape);
        let info = tensors.tensor_infos().get(name);
        let info = info.ok_or_else(|| wrong("missing".to_owned()))?;
        if info.layout.dims() != shape {
            return Err(wrong(format!("{:?}", info.layout.dims())));
        }
        if !info.dtype.is_float() {
            return Err(wrong(format!("of type {:?}", info.dtype)));
        }
        let tensor = self.made(tensors.get(name))?;
        let tensor = tensor.ok_or_else(|| wrong("missing".to_owned()))?;
        self.made(
            tensor
                .to_dtype(DType::F32)
                .and_then(|tensor| tensor.contiguous()),
        )
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

    fn wrong(&self, name: &str, found: String, shape: &[usize]) -> LoadError {
        LoadError::Tensor {
            file: self.file.clone(),
            name: name.to_owned(),
            found,
            expected: shape.to_vec(),
        }
    }
}

/// Reads the header and compares the file's length with what it promises.
fn open_gguf(file: &Path) -> Result<gguf_file::Content, LoadError> {
    let failed = |source| LoadError::Read {
        file: file.to_owned(),
        source,
    };
    let mut open = std::fs::File::open(file).map_err(failed)?;
    let found = open.metadata().map_err(failed)?.len();
    let content = gguf_file::Content::read(&mut std::io::BufReader::new(&mut open));
    let content = content.map_err(|error| LoadError::Format {
        file: file.to_owned(),
        format: "GGUF",
        reason: first_line(&error),
    })?;
    let end = |info: &gguf_file::TensorInfo| {
        let blocks = info.shape.elem_count() / info.ggml_dtype.block_size();
        let bytes = (blocks as u64).saturating_mul(info.ggml_dtype.type_size() as u64);
        content
            .tensor_data_offset
            .saturating_add(info.offset)
            .saturating_add(bytes)
    };
    let expected = content.tensor_infos.values().map(end).max().unwrap_or(0);
    if found < expected {
        return Err(LoadError::Truncated {
            file: file.to_owned(),
            found,
            expected,
        });
    }
    Ok(content)
}

/// An error of the tensor library without the backtrace that it may carry.
fn first_line(error: &candle_core::Error) -> String {
    let whole = error.to_string();
    whole.lines().next().unwrap_or_default().to_owned()
}
