//! Safetensors files, mapped into memory; a cut file is told from a wrong one.

use std::io::Read;
use std::path::{Path, PathBuf};

use candle_core::safetensors::MmapedSafetensors;
use candle_core::{DType, Device, Tensor};
use sha2::{Digest, Sha256};

use super::error::LoadError;

/// A header larger than this is no header: the largest published ones have a few megabytes.
const HEADER_BYTES_MAX: u64 = 100_000_000;
/// Bytes read at once for a checksum.
const CHUNK_BYTES: usize = 1 << 20;

/// The tensors of a file by name, on disk until they are taken.
pub(crate) struct Weights {
    file: PathBuf,
    tensors: MmapedSafetensors,
    /// What stands before every name; a checkpoint saved from a model with a head has one.
    prefix: &'static str,
}

impl Weights {
    /// Maps `file`; its pages are read when a tensor is taken.
    pub(crate) fn open(file: &Path) -> Result<Self, LoadError> {
        check_length(file)?;
        // SAFETY: the mapping is only read. Should another process cut the file short meanwhile,
        // reading ends this process with a bus error; a pull never writes to a file under its
        // final name, it renames.
        #[allow(unsafe_code)]
        let tensors = unsafe { MmapedSafetensors::new(file) };
        Ok(Self {
            tensors: tensors.map_err(|error| not_safetensors(file, error.to_string()))?,
            file: file.to_owned(),
            prefix: "",
        })
    }

    /// The same with `prefix` before every name, where `probe` is found under it and not without.
    pub(crate) fn under(mut self, prefix: &'static str, probe: &str) -> Self {
        if !self.has(probe) && self.has(&format!("{prefix}{probe}")) {
            self.prefix = prefix;
        }
        self
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.get(&self.full(name)).is_ok()
    }

    /// The shape of the tensor `name`; `None` where there is none.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        let view = self.tensors.get(&self.full(name)).ok()?;
        Some(view.shape().to_vec())
    }

    /// The tensor `name` in f32 on the CPU; it must have `shape`.
    pub(crate) fn take(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        self.check(name, shape)?;
        let tensor = self.tensors.load(&self.full(name), &Device::Cpu);
        let tensor = self.made(tensor)?;
        if !tensor.dtype().is_float() {
            let found = format!("of type {:?}", tensor.dtype());
            return Err(self.wrong(name, found, shape));
        }
        self.made(tensor.to_dtype(DType::F32))
    }

    /// The type of the tensor `name`, which must have `shape`.
    pub(super) fn check(&self, name: &str, shape: &[usize]) -> Result<DType, LoadError> {
        let view = self
            .tensors
            .get(&self.full(name))
            .map_err(|_| self.wrong(name, "missing".to_owned(), shape))?;
        if view.shape() != shape {
            return Err(self.wrong(name, format!("{:?}", view.shape()), shape));
        }
        DType::try_from(view.dtype())
            .map_err(|_| self.wrong(name, format!("of type {:?}", view.dtype()), shape))
    }

    /// The mapped bytes of the tensor `name`; none where there is no such tensor.
    pub(super) fn bytes(&self, name: &str) -> &[u8] {
        let view = self.tensors.get(&self.full(name));
        view.map_or(&[], |view| view.data())
    }

    /// Says that the tensor `name` is `found`.
    pub(crate) fn wrong(&self, name: &str, found: String, expected: &[usize]) -> LoadError {
        LoadError::Tensor {
            file: self.file.clone(),
            name: self.full(name),
            found,
            expected: expected.to_vec(),
        }
    }

    /// Turns a failure of the tensor library while unpacking into an error about the file.
    pub(crate) fn made<T>(&self, result: candle_core::Result<T>) -> Result<T, LoadError> {
        result.map_err(|error| not_safetensors(&self.file, error.to_string()))
    }

    /// SHA-256 of the whole file, hexadecimal, lower case. Reads it once.
    pub(crate) fn sha256(&self) -> Result<String, LoadError> {
        let failed = |source| LoadError::Read {
            file: self.file.clone(),
            source,
        };
        let mut file = std::fs::File::open(&self.file).map_err(failed)?;
        let (mut hash, mut chunk) = (Sha256::new(), vec![0; CHUNK_BYTES]);
        loop {
            let read = file.read(&mut chunk).map_err(failed)?;
            if read == 0 {
                break;
            }
            hash.update(&chunk[..read]);
        }
        Ok(hash
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
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

/// Compares the file's length with what its header promises.
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
