//! Reads a ggml file of whisper.cpp for quantisation.
//!
//! Little endian: magic number, ten sizes and a type, the filter bank with its two sizes, the
//! tokens with their lengths, then tensors to the end of the file: number of dimensions, length of
//! the name, type, dimensions with the innermost first, name, values.

use std::path::Path;

use super::binary::Binary;
use super::dims::{Dims, ENGLISH_VOCAB};
use super::error::{self, ConvertError};
use super::mel;
use super::plan::{Element, Index, Stored};

/// "ggml" as a number; its bytes in a file are "lmgg".
pub(super) const MAGIC: u32 = 0x6767_6d6c;

const FORMAT: &str = "ggml";
const TOKENS_MAX: u32 = 60_000;
const ENTRY_BYTES_MAX: u32 = 4_096;
const BANDS_MAX: u32 = 256;
const TENSORS_MAX: usize = 20_000;

/// Content of a file.
pub(super) struct Model {
    pub(super) index: Index,
    pub(super) dims: Dims,
    /// `[n_mels, 201]`.
    pub(super) filters: Vec<f32>,
    pub(super) tokens: Vec<Vec<u8>>,
}

/// Whether a file begins with the ggml magic number.
pub(super) fn is_one(file: &Path) -> Result<bool, ConvertError> {
    let mut binary = Binary::open(file)?;
    Ok(binary.bytes() >= 4 && binary.number("header")? == MAGIC)
}

/// Size and languages of a Whisper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Values per encoder position.
    pub width: u32,
    /// Layers of encoder and decoder together.
    pub layers: u32,
    /// Whether it knows languages other than English.
    pub multilingual: bool,
}

/// Reads the size of a model from its ggml header.
///
/// # Errors
/// The file cannot be read, is not a ggml file, or ends within its header.
pub fn size(file: &Path) -> Result<Size, ConvertError> {
    let mut reader = Reader::open(file)?;
    let dims = reader.header()?;
    Ok(Size {
        width: dims.n_audio_state,
        layers: dims.n_audio_layer.saturating_add(dims.n_text_layer),
        multilingual: dims.n_vocab > ENGLISH_VOCAB,
    })
}

/// Reads everything except the values of the tensors.
pub(super) fn read(file: &Path) -> Result<Model, ConvertError> {
    let mut reader = Reader::open(file)?;
    let dims = reader.header()?;
    let filters = reader.filters()?;
    let tokens = reader.tokens()?;
    let mut index = Index::default();
    index.files.push(file.to_owned());
    while reader.binary.at() < reader.binary.bytes() {
        let (name, stored) = reader.tensor()?;
        index.tensors.insert(name, stored);
        if index.tensors.len() > TENSORS_MAX {
            return Err(reader.bad(&format!("it has more than {TENSORS_MAX} tensors")));
        }
    }
    Ok(Model {
        index,
        dims,
        filters,
        tokens,
    })
}

struct Reader<'a> {
    file: &'a Path,
    binary: Binary,
}

impl<'a> Reader<'a> {
    fn open(file: &'a Path) -> Result<Self, ConvertError> {
        Ok(Self {
            file,
            binary: Binary::open(file)?,
        })
    }

    fn header(&mut self) -> Result<Dims, ConvertError> {
        if self.binary.number("header")? != MAGIC {
            return Err(self.bad("it does not begin as one"));
        }
        let mut header = [0u32; 10];
        for size in &mut header {
            *size = self.binary.number("header")?;
        }
        self.binary.number("header")?;
        Ok(Dims::of(header))
    }

    fn filters(&mut self) -> Result<Vec<f32>, ConvertError> {
        let bands = self.binary.number("filter bank")?;
        let bins = self.binary.number("filter bank")?;
        if bands == 0 || bands > BANDS_MAX || bins as usize != mel::BINS {
            return Err(self.bad(&format!("its filter bank is {bands} x {bins}")));
        }
        let bytes = self
            .binary
            .take(bands as usize * mel::BINS * 4, "filter bank")?;
        let (values, _) = bytes.as_chunks::<4>();
        Ok(values
            .iter()
            .map(|&value| f32::from_le_bytes(value))
            .collect())
    }

    fn tokens(&mut self) -> Result<Vec<Vec<u8>>, ConvertError> {
        let count = self.binary.number("vocabulary")?;
        if count > TOKENS_MAX {
            return Err(self.bad(&format!("its vocabulary has {count} entries")));
        }
        let mut tokens = Vec::new();
        for at in 0..count {
            let bytes = self.binary.number("vocabulary")?;
            if bytes > ENTRY_BYTES_MAX {
                return Err(self.bad(&format!("entry {at} of its vocabulary has {bytes} bytes")));
            }
            tokens.push(self.binary.take(bytes as usize, "vocabulary")?);
        }
        Ok(tokens)
    }

    fn tensor(&mut self) -> Result<(String, Stored), ConvertError> {
        let begin = self.binary.at();
        let rank = self.binary.number("tensors")?;
        let name_bytes = self.binary.number("tensors")?;
        let kind = self.binary.number("tensors")?;
        if !(1..=4).contains(&rank) || name_bytes == 0 || name_bytes > ENTRY_BYTES_MAX {
            return Err(self.bad(&format!(
                "the tensor at byte {begin} has {rank} dimensions and a name of {name_bytes} bytes"
            )));
        }
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.insert(0, u64::from(self.binary.number("tensors")?));
        }
        let name = self.binary.take(name_bytes as usize, "tensors")?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let Some((element, per_block, block_bytes)) = element(kind) else {
            return Err(self.bad(&format!("tensor {name} has the unknown type {kind}")));
        };
        let values = shape
            .iter()
            .fold(1u64, |all, &size| all.saturating_mul(size));
        let at = self.binary.at();
        let bytes = (values / per_block).saturating_mul(block_bytes);
        self.binary.skip(bytes, &format!("tensor {name}"))?;
        let stored = Stored {
            file: 0,
            shape,
            element,
            at,
        };
        Ok((name, stored))
    }

    fn bad(&self, reason: &str) -> ConvertError {
        error::format(self.file, FORMAT, reason)
    }
}

/// A tensor's type, its values per block, and its bytes per block.
fn element(kind: u32) -> Option<(Element, u64, u64)> {
    Some(match kind {
        0 => (Element::F32, 1, 4),
        1 => (Element::F16, 1, 2),
        30 => (Element::Bf16, 1, 2),
        2 => (Element::Other("q4_0"), 32, 18),
        3 => (Element::Other("q4_1"), 32, 20),
        6 => (Element::Other("q5_0"), 32, 22),
        7 => (Element::Other("q5_1"), 32, 24),
        8 => (Element::Other("q8_0"), 32, 34),
        10 => (Element::Other("q2_K"), 256, 84),
        11 => (Element::Other("q3_K"), 256, 110),
        12 => (Element::Other("q4_K"), 256, 144),
        13 => (Element::Other("q5_K"), 256, 176),
        14 => (Element::Other("q6_K"), 256, 210),
        _ => return None,
    })
}
