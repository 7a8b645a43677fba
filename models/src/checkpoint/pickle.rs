//! PyTorch pickles, read as data: nothing in them is executed.

use std::path::{Path, PathBuf};

use candle_core::pickle::{PthTensors, TensorInfo};
use candle_core::{DType, Tensor};

use super::error::LoadError;
use super::gguf::first_line;

/// The tensors of one file by name, on disk until they are loaded.
pub(crate) struct Pickle {
    file: PathBuf,
    bytes: u64,
    tensors: PthTensors,
}

impl Pickle {
    /// Reads the list of tensors of `file`; with a `key`, that of the dictionary it has there.
    pub(crate) fn open(file: &Path, key: Option<&str>) -> Result<Self, LoadError> {
        let about = std::fs::metadata(file).map_err(|source| LoadError::Read {
            file: file.to_owned(),
            source,
        })?;
        let tensors = PthTensors::new(file, key).map_err(|error| unreadable(file, &error))?;
        Ok(Self {
            file: file.to_owned(),
            bytes: about.len(),
            tensors,
        })
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.tensor_infos().contains_key(name)
    }

    /// The shape of the tensor `name`; `None` if it does not exist.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        Some(
            self.tensors
                .tensor_infos()
                .get(name)?
                .layout
                .dims()
                .to_vec(),
        )
    }

    /// The tensor `name` in f32 on the CPU; it must have `shape`.
    pub(crate) fn take(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        self.check(name, shape)?;
        let tensor = self.made(self.tensors.get(name))?;
        let tensor = tensor.ok_or_else(|| self.wrong(name, "missing".to_owned(), shape))?;
        let floats = tensor.to_dtype(DType::F32);
        self.made(floats.and_then(|tensor| tensor.contiguous()))
    }

    fn made<T>(&self, result: candle_core::Result<T>) -> Result<T, LoadError> {
        result.map_err(|error| self.refusal(&error))
    }

    /// An error of the tensor library as an error about the file.
    pub(crate) fn refusal(&self, error: &candle_core::Error) -> LoadError {
        unreadable(&self.file, error)
    }

    fn check(&self, name: &str, shape: &[usize]) -> Result<(), LoadError> {
        let wrong = |found| self.wrong(name, found, shape);
        let info = self.tensors.tensor_infos().get(name);
        let info = info.ok_or_else(|| wrong("missing".to_owned()))?;
        if info.layout.dims() != shape {
            return Err(wrong(format!("{:?}", info.layout.dims())));
        }
        if !info.dtype.is_float() {
            return Err(wrong(format!("of type {:?}", info.dtype)));
        }
        // The library allocates the stated size before it reads; nothing here is compressed.
        match bytes_of(info) {
            Some(bytes) if bytes <= self.bytes => Ok(()),
            _ => Err(LoadError::Truncated {
                file: self.file.clone(),
                found: self.bytes,
                expected: bytes_of(info).unwrap_or(u64::MAX),
            }),
        }
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

/// Bytes of a tensor in its file; `None` if they overflow.
fn bytes_of(info: &TensorInfo) -> Option<u64> {
    let mut dims = info.layout.dims().iter();
    let count = dims.try_fold(1_usize, |count, dim| count.checked_mul(*dim))?;
    Some(count.checked_mul(info.dtype.size_in_bytes())? as u64)
}

fn unreadable(file: &Path, error: &candle_core::Error) -> LoadError {
    LoadError::Format {
        file: file.to_owned(),
        format: "PyTorch",
        reason: first_line(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_file_holds_is_not_made_room_for() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden");
        let file = golden.join("tiny-roberta-pickle/promise.bin");
        let pickle = Pickle::open(&file, None).expect("a pickle");
        let name = "embeddings.word_embeddings.weight";
        let shape = [1 << 30, 32];
        assert_eq!(pickle.shape(name).as_deref(), Some(&shape[..]));
        let error = pickle.take(name, &shape).expect_err("128 gigabytes");
        assert!(matches!(error, LoadError::Truncated { .. }), "{error}");
        assert!(error.to_string().contains("of 137438953472"), "{error}");
    }
}
