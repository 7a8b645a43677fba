//! Reads a safetensors file whole, with its checksum, and tells a cut file from a wrong one.

use std::collections::HashMap;
use std::path::Path;

use candle_core::{Device, Tensor};
use sha2::{Digest, Sha256};

use super::error::LoadError;

/// A header larger than this is no header: the largest published ones have a few megabytes.
const HEADER_BYTES_MAX: u64 = 100_000_000;

/// The tensors of a file by name, and the file's checksum.
pub(super) struct Weights {
    pub(super) tensors: HashMap<String, Tensor>,
    /// Hexadecimal, lower case.
    pub(super) sha256: String,
}

/// Reads all tensors of `file`. Memory: twice the file until it returns, once afterwards.
pub(super) fn read(file: &Path) -> Result<Weights, LoadError> {
    let bytes = std::fs::read(file).map_err(|source| LoadError::Read {
        file: file.to_owned(),
        source,
    })?;
    check_length(file, &bytes)?;
    let tensors = candle_core::safetensors::load_buffer(&bytes, &Device::Cpu)
        .map_err(|error| not_safetensors(file, error.to_string()))?;
    let sha256 = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(Weights { tensors, sha256 })
}

/// Compares the file's length with what its header promises.
fn check_length(file: &Path, bytes: &[u8]) -> Result<(), LoadError> {
    let found = bytes.len() as u64;
    let truncated = |expected| LoadError::Truncated {
        file: file.to_owned(),
        found,
        expected,
    };
    let (size, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| truncated(8))?;
    let header_bytes = u64::from_le_bytes(*size);
    if header_bytes > HEADER_BYTES_MAX || rest.first().is_some_and(|&byte| byte != b'{') {
        return Err(not_safetensors(
            file,
            "it has no header of tensors".to_owned(),
        ));
    }
    let header = rest
        .get(..usize::try_from(header_bytes).unwrap_or(usize::MAX))
        .ok_or_else(|| truncated(8 + header_bytes))?;
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header)
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
