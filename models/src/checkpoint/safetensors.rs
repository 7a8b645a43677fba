//! Weights in f32, f16 or bf16: memory-mapped safetensors files (a truncated file and a wrong
//! format give different errors), or else pickles. Built-in weights are in bytes: a byte matrix
//! `name` comes with `name.scale`, one number per row.

use std::io::Read;
use std::path::{Path, PathBuf};

use candle_core::safetensors::MmapedSafetensors;
use candle_core::{DType, Device, Tensor};
use safetensors::{Dtype, SafeTensors};
use sha2::{Digest, Sha256};

use super::error::LoadError;
use super::pickle::Pickle;
use crate::checksum;

/// A larger header is invalid: the largest published ones have a few megabytes.
const HEADER_BYTES_MAX: u64 = 100_000_000;

/// The tensors of a file by name, on disk until they are loaded.
pub(crate) struct Weights {
    file: PathBuf,
    tensors: Tensors,
    /// Prefix of every name; a checkpoint saved from a model with a head has one.
    prefix: &'static str,
}

enum Tensors {
    Mapped(MmapedSafetensors),
    Pickle(Pickle),
    BuiltIn(SafeTensors<'static>),
}

/// A byte matrix in row order, and the scale of each row.
pub(crate) struct ByteRows {
    pub(crate) values: &'static [i8],
    pub(crate) scales: Vec<f32>,
}

impl Weights {
    /// Opens the weights of `folder`: `model.safetensors`, else `pytorch_model.bin`.
    pub(crate) fn find(folder: &Path) -> Result<Self, LoadError> {
        let file = folder.join("model.safetensors");
        let pickle = folder.join("pytorch_model.bin");
        match (file.is_file(), pickle.is_file()) {
            (true, _) => Self::open(&file),
            (false, true) => Self::open_pickle(&pickle, None),
            (false, false) => Err(LoadError::Missing { file }),
        }
    }

    /// Opens the PyTorch pickle `file`; with a `key`, the dictionary that it has there.
    pub(crate) fn open_pickle(file: &Path, key: Option<&str>) -> Result<Self, LoadError> {
        Ok(Self::of(file, Tensors::Pickle(Pickle::open(file, key)?)))
    }

    /// Maps the safetensors file `file`; its pages are read when a tensor is loaded.
    pub(crate) fn open(file: &Path) -> Result<Self, LoadError> {
        check_length(file)?;
        // SAFETY: the mapping is only read. If another process truncates the file meanwhile,
        // reading ends this process with a bus error; a pull never writes to a file under its final
        // name, it renames.
        #[allow(unsafe_code)]
        let tensors = unsafe { MmapedSafetensors::new(file) };
        let tensors = tensors.map_err(|error| not_safetensors(file, error.to_string()))?;
        Ok(Self::of(file, Tensors::Mapped(tensors)))
    }

    /// Weights embedded in this program, and the name that errors use for them.
    pub(crate) fn built_in(name: &str, bytes: &'static [u8]) -> Result<Self, LoadError> {
        let file = Path::new(name);
        let tensors = SafeTensors::deserialize(bytes);
        let tensors = tensors.map_err(|error| not_safetensors(file, error.to_string()))?;
        Ok(Self::of(file, Tensors::BuiltIn(tensors)))
    }

    /// The same, if the file says that it holds `expected`: its metadata has these values, and the
    /// checksum that it names is that of its tensors.
    pub(crate) fn built_in_as(
        name: &str,
        bytes: &'static [u8],
        expected: &[(&'static str, &'static str)],
    ) -> Result<Self, LoadError> {
        let file = Path::new(name);
        let header = SafeTensors::read_metadata(bytes);
        let (size, header) = header.map_err(|error| not_safetensors(file, error.to_string()))?;
        let said = |key: &str| header.metadata().as_ref()?.get(key).cloned();
        for &(field, expected) in expected {
            let found = said(field).unwrap_or_else(|| "missing".to_owned());
            if found != expected {
                return Err(LoadError::Setting {
                    file: file.to_owned(),
                    field,
                    found,
                    expected,
                });
            }
        }
        let tensors = bytes.get(8 + size..).unwrap_or_default();
        let digest = Sha256::digest(tensors);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if said("sha256") != Some(digest) {
            return Err(not_safetensors(
                file,
                "its tensors are not those of its checksum".to_owned(),
            ));
        }
        Self::built_in(name, bytes)
    }

    /// The matrix `name`, if it is stored as bytes.
    pub(crate) fn byte_rows(&self, name: &str) -> Option<ByteRows> {
        let Tensors::BuiltIn(tensors) = &self.tensors else {
            return None;
        };
        let name = self.full(name);
        let matrix = tensors.tensor(&name).ok()?;
        let scales = tensors.tensor(&format!("{name}.scale")).ok()?;
        (matrix.dtype() == Dtype::I8).then(|| ByteRows {
            values: bytemuck::cast_slice(matrix.data()),
            scales: floats(scales.data()),
        })
    }

    fn of(file: &Path, tensors: Tensors) -> Self {
        Self {
            file: file.to_owned(),
            tensors,
            prefix: "",
        }
    }

    /// The same with `prefix` before every name, if `probe` exists only with the prefix.
    pub(crate) fn under(mut self, prefix: &'static str, probe: &str) -> Self {
        if !self.has(probe) && self.has(&format!("{prefix}{probe}")) {
            self.prefix = prefix;
        }
        self
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.tensors {
            Tensors::Mapped(tensors) => tensors.get(&self.full(name)).is_ok(),
            Tensors::Pickle(tensors) => tensors.has(&self.full(name)),
            Tensors::BuiltIn(tensors) => tensors.tensor(&self.full(name)).is_ok(),
        }
    }

    /// The shape of the tensor `name`; `None` if it does not exist.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        match &self.tensors {
            Tensors::Mapped(tensors) => Some(tensors.get(&self.full(name)).ok()?.shape().to_vec()),
            Tensors::Pickle(tensors) => tensors.shape(&self.full(name)),
            Tensors::BuiltIn(tensors) => {
                Some(tensors.tensor(&self.full(name)).ok()?.shape().to_vec())
            }
        }
    }

    /// The tensor `name` in f32 on the CPU; it must have `shape`.
    pub(crate) fn take(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        let tensors = match &self.tensors {
            Tensors::Mapped(tensors) => tensors,
            Tensors::Pickle(tensors) => return tensors.take(&self.full(name), shape),
            Tensors::BuiltIn(tensors) => return self.take_built_in(tensors, name, shape),
        };
        self.check(tensors, name, shape)?;
        let tensor = self.made(tensors.load(&self.full(name), &Device::Cpu))?;
        if !tensor.dtype().is_float() {
            let found = format!("of type {:?}", tensor.dtype());
            return Err(self.wrong(name, found, shape));
        }
        self.made(tensor.to_dtype(DType::F32))
    }

    fn take_built_in(
        &self,
        tensors: &SafeTensors<'static>,
        name: &str,
        shape: &[usize],
    ) -> Result<Tensor, LoadError> {
        let view = tensors.tensor(&self.full(name));
        let view = view.map_err(|_| self.wrong(name, "missing".to_owned(), shape))?;
        if view.shape() != shape {
            return Err(self.wrong(name, format!("{:?}", view.shape()), shape));
        }
        let values = match self.byte_rows(name) {
            Some(ByteRows { values, scales }) => {
                let rows = values.chunks(values.len() / scales.len().max(1));
                let rows = rows.zip(scales);
                rows.flat_map(|(row, scale)| row.iter().map(move |x| f32::from(*x) * scale))
                    .collect()
            }
            None => floats(view.data()),
        };
        self.made(Tensor::from_vec(values, shape, &Device::Cpu))
    }

    /// The type of the tensor `name`, which must have `shape`, if it is mapped.
    pub(super) fn mapped_kind(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<Option<DType>, LoadError> {
        match &self.tensors {
            Tensors::Mapped(tensors) => self.check(tensors, name, shape).map(Some),
            Tensors::Pickle(_) | Tensors::BuiltIn(_) => Ok(None),
        }
    }

    fn check(
        &self,
        tensors: &MmapedSafetensors,
        name: &str,
        shape: &[usize],
    ) -> Result<DType, LoadError> {
        let view = tensors
            .get(&self.full(name))
            .map_err(|_| self.wrong(name, "missing".to_owned(), shape))?;
        if view.shape() != shape {
            return Err(self.wrong(name, format!("{:?}", view.shape()), shape));
        }
        DType::try_from(view.dtype())
            .map_err(|_| self.wrong(name, format!("of type {:?}", view.dtype()), shape))
    }

    /// The mapped bytes of the tensor `name`; `None` if it is not mapped.
    pub(super) fn bytes(&self, name: &str) -> &[u8] {
        let Tensors::Mapped(tensors) = &self.tensors else {
            return &[];
        };
        let view = tensors.get(&self.full(name));
        view.map_or(&[], |view| view.data())
    }

    /// The error that the tensor `name` is `found`.
    pub(crate) fn wrong(&self, name: &str, found: String, expected: &[usize]) -> LoadError {
        LoadError::Tensor {
            file: self.file.clone(),
            name: self.full(name),
            found,
            expected: expected.to_vec(),
        }
    }

    /// Converts an error of the tensor library during unpacking into an error about the file.
    pub(crate) fn made<T>(&self, result: candle_core::Result<T>) -> Result<T, LoadError> {
        result.map_err(|error| self.refusal(&error))
    }

    /// An error of the tensor library as an error about the file.
    pub(crate) fn refusal(&self, error: &candle_core::Error) -> LoadError {
        match &self.tensors {
            Tensors::Mapped(_) | Tensors::BuiltIn(_) => {
                not_safetensors(&self.file, error.to_string())
            }
            Tensors::Pickle(tensors) => tensors.refusal(error),
        }
    }

    /// SHA-256 of the whole file, hexadecimal, lower case. Reads it once.
    pub(crate) fn sha256(&self) -> Result<String, LoadError> {
        checksum::sha256(&self.file).map_err(|source| LoadError::Read {
            file: self.file.clone(),
            source,
        })
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Weights")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let values = bytes.as_chunks::<4>().0.iter();
    values.map(|four| f32::from_le_bytes(*four)).collect()
}

/// Compares the file's length with the length in its header.
fn check_length(file: &Path) -> Result<(), LoadError> {
    let failed = |source| LoadError::Read {
        file: file.to_owned(),
        source,
    };
    let mut open = std::fs::File::open(file).map_err(failed)?;
    let found = open.metadata().map_err(failed)?.len();
    let truncated = |expected| LoadError::Truncated {
        file: file.to_owned(),
        found,
        expected,
    };
    if found < 8 {
        return Err(truncated(8));
    }
    let mut size = [0; 8];
    open.read_exact(&mut size).map_err(failed)?;
    let header_bytes = u64::from_le_bytes(size);
    let mut header = Vec::new();
    if header_bytes <= HEADER_BYTES_MAX {
        open.take(header_bytes)
            .read_to_end(&mut header)
            .map_err(failed)?;
    }
    if header_bytes > HEADER_BYTES_MAX || header.first().is_some_and(|&byte| byte != b'{') {
        return Err(not_safetensors(
            file,
            "it has no header of tensors".to_owned(),
        ));
    }
    if (header.len() as u64) < header_bytes {
        return Err(truncated(8 + header_bytes));
    }
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&header)
        .map_err(|error| not_safetensors(file, format!("its header is damaged ({error})")))?;
    let ends = header
        .values()
        .filter_map(|tensor| tensor.get("data_offsets")?.get(1)?.as_u64());
    let expected = ends.max().unwrap_or(0).saturating_add(8 + header_bytes);
    if found < expected {
        Err(truncated(expected))
    } else {
        Ok(())
    }
}

fn not_safetensors(file: &Path, reason: String) -> LoadError {
    LoadError::NotSafetensors {
        file: file.to_owned(),
        reason,
    }
}
