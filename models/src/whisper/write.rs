//! Writes a checkpoint as a ggml file.
//!
//! As in whisper.cpp's converter, biases, layer norms and positions are float32 and the rest is
//! float16; as in its `quantize`, the matrices of the rest become blocks. Values are rounded to
//! float16 before they are quantised, so that the result equals that of two steps.

use std::io::{self, Write};

use half::{bf16, f16};

use super::binary::Binary;
use super::checkpoint::Checkpoint;
use super::error::{self, ConvertError};
use super::ggml::MAGIC;
use super::mel;
use super::plan::{Element, Tensor};
use super::quantise::{BLOCK, Quantisation};

/// Values converted at once; a multiple of every block.
const VALUES_AT_ONCE: u64 = 1 << 16;
/// Types of a tensor (`ggml_type`) and of a file (`ggml_ftype`).
const TYPE_F32: u32 = 0;
const TYPE_F16: u32 = 1;
const FILE_TYPE_F16: u32 = 1;

/// Output format of a tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    F32,
    F16,
    Blocks(Quantisation),
}

impl Storage {
    fn of(tensor: &Tensor, quantisation: Option<Quantisation>) -> Self {
        let is_plain = tensor.shape.len() < 2
            || tensor.name.ends_with(".bias")
            || tensor.name.ends_with(".positional_embedding");
        match (is_plain, quantisation) {
            (true, _) => Self::F32,
            (false, Some(kind)) if tensor.shape.len() == 2 => Self::Blocks(kind),
            _ => Self::F16,
        }
    }

    fn tensor_type(self) -> u32 {
        match self {
            Self::F32 => TYPE_F32,
            Self::F16 => TYPE_F16,
            Self::Blocks(kind) => kind.tensor_type(),
        }
    }

    fn bytes(self, values: u64) -> u64 {
        match self {
            Self::F32 => values * 4,
            Self::F16 => values * 2,
            Self::Blocks(kind) => values / BLOCK as u64 * kind.block_bytes() as u64,
        }
    }

    fn append(self, values: &[f32], out: &mut Vec<u8>) {
        match self {
            Self::F32 => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
            Self::F16 => {
                out.extend(values.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()));
            }
            Self::Blocks(kind) => kind.append(values, out),
        }
    }
}

impl Checkpoint {
    /// The size of the ggml file, in bytes.
    pub fn bytes(&self, quantisation: Option<Quantisation>) -> u64 {
        if let (Some(bytes), None) = (self.ggml_bytes, quantisation) {
            return bytes;
        }
        let tokens: u64 = self.tokens.iter().map(|token| 4 + token.len() as u64).sum();
        let head = 4 * (1 + 11 + 2 + self.filters.len() as u64 + 1);
        let of = |tensor: &Tensor| {
            let names = 4 * (3 + tensor.shape.len() as u64) + tensor.name.len() as u64;
            names + Storage::of(tensor, quantisation).bytes(tensor.values())
        };
        head + tokens + self.tensors.iter().map(of).sum::<u64>()
    }

    /// Writes the ggml file, in float16 or quantised, and calls `on_bytes` regularly with the
    /// number of bytes written. A ggml file without quantisation is copied unchanged. About a
    /// second for 100 MB.
    ///
    /// # Errors
    /// [`ConvertError`] if a file cannot be read or written, a weight is not finite in float16, or
    /// the weights are already quantised.
    pub fn write(
        &self,
        quantisation: Option<Quantisation>,
        out: &mut dyn Write,
        on_bytes: &mut dyn FnMut(u64),
    ) -> Result<(), ConvertError> {
        self.check(quantisation)?;
        let file_type = quantisation.map_or(FILE_TYPE_F16, Quantisation::file_type);
        let mut weights = self.open_weights()?;
        let mut writer = Writer {
            out,
            bytes: 0,
            on_bytes,
        };
        if let (Some(bytes), None) = (self.ggml_bytes, quantisation) {
            return copy(&mut weights, bytes, &mut writer);
        }
        writer.put(&self.head(file_type))?;
        for tensor in &self.tensors {
            let storage = Storage::of(tensor, quantisation);
            writer.put(&entry(tensor, storage))?;
            let no_file = || error::format(&self.files[0], "weights", "a file is missing");
            let binary = weights.get_mut(tensor.file).ok_or_else(no_file)?;
            self.values(tensor, storage, binary, &mut writer)?;
        }
        Ok(())
    }

    /// Header, filter bank and tokens.
    fn head(&self, file_type: u32) -> Vec<u8> {
        let mut head = Vec::new();
        let mut number = |value: u32| head.extend_from_slice(&value.to_le_bytes());
        number(MAGIC);
        self.dims.header().into_iter().for_each(&mut number);
        number(file_type);
        number((self.filters.len() / mel::BINS) as u32);
        number(mel::BINS as u32);
        head.extend(self.filters.iter().flat_map(|value| value.to_le_bytes()));
        head.extend((self.tokens.len() as u32).to_le_bytes());
        for token in &self.tokens {
            head.extend((token.len() as u32).to_le_bytes());
            head.extend(token);
        }
        head
    }

    /// Reads, converts and writes the values of a tensor, piece by piece.
    fn values(
        &self,
        tensor: &Tensor,
        storage: Storage,
        binary: &mut Binary,
        writer: &mut Writer<'_>,
    ) -> Result<(), ConvertError> {
        binary.go_to(tensor.at)?;
        let mut left = tensor.values();
        let (mut values, mut out) = (Vec::new(), Vec::new());
        while left > 0 {
            let count = left.min(VALUES_AT_ONCE);
            let bytes = (count * tensor.element.bytes()) as usize;
            let bytes = binary.take(bytes, &format!("tensor {}", tensor.name))?;
            values.clear();
            decode(&bytes, tensor.element, &mut values);
            if storage != Storage::F32 {
                let halved = values.iter_mut();
                halved.for_each(|value| *value = f16::from_f32(*value).to_f32());
            }
            if let Some(wrong) = values.iter().find(|value| !value.is_finite()) {
                return Err(self.refused(
                    tensor,
                    format!("with the value {wrong} once in float16"),
                    "finite numbers of at most 65504".to_owned(),
                ));
            }
            out.clear();
            storage.append(&values, &mut out);
            writer.put(&out)?;
            left -= count;
        }
        Ok(())
    }

    /// Checks whether it can be written so, as far as possible without reading the weights.
    ///
    /// # Errors
    /// [`ConvertError`] if weights are already quantised, or rows are not whole blocks.
    pub fn check(&self, quantisation: Option<Quantisation>) -> Result<(), ConvertError> {
        for tensor in &self.tensors {
            self.check_width(tensor, Storage::of(tensor, quantisation))?;
            let is_copied = self.ggml_bytes.is_some() && quantisation.is_none();
            if let (Element::Other(found), false) = (tensor.element, is_copied) {
                return Err(ConvertError::AlreadyQuantised {
                    file: self.files[tensor.file].clone(),
                    name: tensor.name.clone(),
                    found: found.to_owned(),
                });
            }
        }
        Ok(())
    }

    fn check_width(&self, tensor: &Tensor, storage: Storage) -> Result<(), ConvertError> {
        let width = tensor.shape.last().copied().unwrap_or(1);
        if matches!(storage, Storage::Blocks(_)) && !width.is_multiple_of(BLOCK as u32) {
            let expected = format!("rows of a multiple of {BLOCK}, to be quantised");
            return Err(self.refused(tensor, format!("of shape {:?}", tensor.shape), expected));
        }
        Ok(())
    }

    fn refused(&self, tensor: &Tensor, found: String, expected: String) -> ConvertError {
        ConvertError::Tensor {
            file: self.files[tensor.file].clone(),
            name: tensor.name.clone(),
            found,
            expected,
        }
    }
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
    on_bytes: &'a mut dyn FnMut(u64),
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), ConvertError> {
        let failed = |source: io::Error| ConvertError::Write { source };
        self.out.write_all(bytes).map_err(failed)?;
        self.bytes += bytes.len() as u64;
        (self.on_bytes)(self.bytes);
        Ok(())
    }
}

/// Copies the single file of a checkpoint.
fn copy(files: &mut [Binary], bytes: u64, writer: &mut Writer<'_>) -> Result<(), ConvertError> {
    for binary in files {
        let mut left = bytes;
        while left > 0 {
            let count = left.min(VALUES_AT_ONCE);
            writer.put(&binary.take(count as usize, "tensors")?)?;
            left -= count;
        }
    }
    Ok(())
}

/// The header of a tensor.
fn entry(tensor: &Tensor, storage: Storage) -> Vec<u8> {
    let numbers = [
        tensor.shape.len() as u32,
        tensor.name.len() as u32,
        storage.tensor_type(),
    ];
    let numbers = numbers.iter().chain(tensor.shape.iter().rev());
    let mut entry: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    entry.extend_from_slice(tensor.name.as_bytes());
    entry
}

fn decode(bytes: &[u8], element: Element, values: &mut Vec<f32>) {
    match element {
        Element::F32 => {
            let (numbers, _) = bytes.as_chunks::<4>();
            values.extend(numbers.iter().map(|&number| f32::from_le_bytes(number)));
        }
        Element::F16 => {
            let (numbers, _) = bytes.as_chunks::<2>();
            values.extend(numbers.iter().map(|&n| f16::from_le_bytes(n).to_f32()));
        }
        Element::Bf16 => {
            let (numbers, _) = bytes.as_chunks::<2>();
            values.extend(numbers.iter().map(|&n| bf16::from_le_bytes(n).to_f32()));
        }
        Element::Other(_) => {}
    }
}
