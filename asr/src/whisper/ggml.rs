//! Checks that a file is a complete whisper model in ggml format before whisper.cpp loads it.
//!
//! whisper.cpp trusts its input: sizes that do not fit together, a missing tensor or a weight that
//! is no number make it read and write outside its memory. So everything it relies on is checked:
//! the header, the filter bank, the vocabulary, the name, type and shape of every tensor, and every
//! float. Invariant: an accepted file has each tensor of its header once, and no other.

use std::collections::HashSet;
use std::io::{self, Read};

use crate::TranscribeError;

/// "ggml" as a little-endian number.
const MAGIC: u32 = 0x6767_6d6c;
/// Newer container of llama.cpp; the error names it because users confuse the two.
const MAGIC_GGUF: u32 = 0x4655_4747;
/// Longest accepted vocabulary entry and tensor name, in bytes.
const ENTRY_BYTES_MAX: u32 = 4_096;
/// Frequency bins of whisper.cpp's windows of 400 samples.
const BINS: u32 = 201;
/// Tokens before the special ones, which whisper.cpp names itself. Converters list them with or
/// without the empty token and the end of text.
const VOCABULARY: std::ops::RangeInclusive<u32> = 50_256..=50_258;
/// Largest magnitude of a weight: that of float16, in which whisper.cpp computes attention.
const WEIGHT_MAX: f32 = 65_504.0;
/// Approximate number of bytes of weights that are read at once.
const PIECE_BYTES: u64 = 1 << 16;

/// The header of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Vocabulary size; whisper.cpp treats 51,865 and more as multilingual.
    pub n_vocab: u32,
    pub n_audio_ctx: u32,
    pub n_audio_layer: u32,
    pub n_text_ctx: u32,
    pub n_text_state: u32,
    pub n_text_head: u32,
    pub n_text_layer: u32,
    pub n_mels: u32,
    /// Type of the matrices, as in a tensor.
    pub matrices: u32,
}

impl Header {
    /// True for a model that knows languages other than English.
    pub(super) fn is_multilingual(self) -> bool {
        self.n_vocab >= 51_865
    }

    /// Number of tensors.
    fn tensors(self) -> usize {
        (11 + 15 * self.n_audio_layer + 24 * self.n_text_layer) as usize
    }

    /// Type and dimensions of a tensor, innermost first; `None` if no Whisper of this size has it.
    fn tensor(self, name: &str) -> Option<(u32, Vec<u32>)> {
        let (width, matrices) = (self.n_text_state, self.matrices);
        let (side, name) = name.split_once('.')?;
        let (layers, positions, last) = match side {
            "encoder" => (self.n_audio_layer, self.n_audio_ctx, "ln_post"),
            "decoder" => (self.n_text_layer, self.n_text_ctx, "ln"),
            _ => return None,
        };
        let convolution = if matrices == F32 { F32 } else { F16 };
        match (side, name) {
            (_, "positional_embedding") => return Some((F32, vec![width, positions])),
            ("decoder", "token_embedding.weight") => {
                return Some((matrices, vec![width, self.n_vocab]));
            }
            ("encoder", "conv1.weight") => return Some((convolution, vec![3, self.n_mels, width])),
            ("encoder", "conv2.weight") => return Some((convolution, vec![3, width, width])),
            ("encoder", "conv1.bias" | "conv2.bias") => return Some((F32, vec![1, width])),
            _ => {}
        }
        let (module, part) = name.rsplit_once('.')?;
        let module = match module.strip_prefix("blocks.") {
            Some(block) => {
                let (at, module) = block.split_once('.')?;
                (0..layers).find(|layer| layer.to_string() == at)?;
                module
            }
            None => (module == last).then_some("mlp_ln")?,
        };
        let attention = match side {
            "decoder" => module.strip_prefix("cross_").unwrap_or(module),
            _ => module,
        };
        let (inputs, outputs) = match attention {
            "mlp_ln" | "attn_ln" => (None, width),
            "mlp.0" => (Some(width), 4 * width),
            "mlp.2" => (Some(4 * width), width),
            "attn.query" | "attn.key" | "attn.value" | "attn.out" => (Some(width), width),
            _ => return None,
        };
        match (part, inputs) {
            ("bias", _) if attention == "attn.key" => None,
            ("bias", _) | ("weight", None) => Some((F32, vec![outputs])),
            ("weight", Some(inputs)) => Some((matrices, vec![inputs, outputs])),
            _ => None,
        }
    }
}

/// Allowed range of each number of the header, in order.
const FIELDS: [(&str, u32, u32); 11] = [
    ("n_vocab", 51_864, 51_866),
    ("n_audio_ctx", 64, 1_500),
    ("n_audio_state", 16, 4_096),
    ("n_audio_head", 1, 64),
    ("n_audio_layer", 1, 64),
    ("n_text_ctx", 16, 448),
    ("n_text_state", 16, 4_096),
    ("n_text_head", 1, 64),
    ("n_text_layer", 1, 64),
    ("n_mels", 40, 256),
    ("ftype", 0, 4_000),
];

const F32: u32 = 0;
const F16: u32 = 1;
const BF16: u32 = 30;

/// How a ggml type stores values: values per block, bytes per block, and where in it the floats of
/// two bytes are.
fn block(kind: u32) -> Option<(u64, u64, &'static [usize])> {
    Some(match kind {
        F32 => (1, 4, &[]),
        F16 | BF16 => (1, 2, &[0]),
        2 => (32, 18, &[0]),        // q4_0
        3 => (32, 20, &[0, 2]),     // q4_1
        6 => (32, 22, &[0]),        // q5_0
        7 => (32, 24, &[0, 2]),     // q5_1
        8 => (32, 34, &[0]),        // q8_0
        10 => (256, 84, &[80, 82]), // q2_K
        11 => (256, 110, &[108]),   // q3_K
        12 => (256, 144, &[0, 2]),  // q4_K
        13 => (256, 176, &[0, 2]),  // q5_K
        14 => (256, 210, &[208]),   // q6_K
        _ => return None,
    })
}

/// The type of the matrices of a file of this type (`ggml_ftype`, and the version of its layout
/// times 1,000).
fn matrices(ftype: u32) -> Option<u32> {
    Some(match ftype % 1_000 {
        same @ (0..=3 | 10..=14) => same,
        7 => 8,
        8 => 6,
        9 => 7,
        24 => BF16,
        _ => return None,
    })
}

/// Whether all floats in whole blocks of a type are numbers of at most [`WEIGHT_MAX`].
fn is_sound(kind: u32, bytes: &[u8]) -> bool {
    let is_number = |value: f32| value.abs() <= WEIGHT_MAX;
    if kind == F32 {
        let (values, _) = bytes.as_chunks::<4>();
        return values
            .iter()
            .all(|value| is_number(f32::from_le_bytes(*value)));
    }
    let two = |block: &[u8], at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
    match block(kind) {
        None => false,
        Some(_) if kind == BF16 => bytes
            .chunks_exact(2)
            .all(|value| is_number(f32::from_bits(u32::from(two(value, 0)) << 16))),
        // an exponent of ones is infinite or no number
        Some((_, size, floats)) => bytes.chunks_exact(size as usize).all(|block| {
            let mut floats = floats.iter();
            floats.all(|at| two(block, *at) & 0x7c00 != 0x7c00)
        }),
    }
}

/// Walks a model of `bytes` bytes.
///
/// # Errors
/// `NotGgml`, `ModelTruncated`, or `Load` for other read errors.
pub(super) fn check<R: Read>(
    model: &str,
    bytes: u64,
    reader: &mut R,
) -> Result<Header, TranscribeError> {
    let mut walk = Walk {
        model,
        bytes,
        at: 0,
        reader,
    };
    let header = walk.header()?;
    walk.filters(header.n_mels)?;
    walk.vocabulary()?;
    let mut tensors = HashSet::new();
    while walk.at < bytes {
        let name = walk.tensor(header)?;
        if let Some(twice) = tensors.replace(name) {
            return Err(walk.not_ggml(format!("tensor {twice} occurs twice")));
        }
    }
    if tensors.len() < header.tensors() {
        return Err(walk.truncated(bytes + 1, "tensors".to_owned()));
    }
    Ok(header)
}

struct Walk<'a, R> {
    model: &'a str,
    bytes: u64,
    at: u64,
    reader: &'a mut R,
}

impl<R: Read> Walk<'_, R> {
    fn header(&mut self) -> Result<Header, TranscribeError> {
        if self.bytes < 4 {
            return Err(self.not_ggml(format!("{} bytes", self.bytes)));
        }
        match self.number("magic number")? {
            MAGIC => {}
            MAGIC_GGUF => {
                return Err(self.not_ggml("it is a GGUF file, which whisper.cpp does not read"));
            }
            other => {
                let seen: String = other.to_le_bytes().iter().map(|b| shown(*b)).collect();
                return Err(self.not_ggml(format!("it begins with '{seen}'")));
            }
        }
        let mut values = [0u32; FIELDS.len()];
        for (value, (name, low, high)) in values.iter_mut().zip(FIELDS) {
            *value = self.number(name)?;
            if !(low..=high).contains(value) {
                return Err(self.not_ggml(format!("{name} is {value}, not {low} to {high}")));
            }
        }
        let (audio, text) = (values[2], values[6]);
        if audio != text || audio % values[3] != 0 || text % values[7] != 0 {
            return Err(self.not_ggml(format!("its sizes do not fit together: {values:?}")));
        }
        let ftype = values[10];
        let matrices = matrices(ftype);
        Ok(Header {
            matrices: matrices.ok_or_else(|| self.not_ggml(format!("ftype is {ftype}")))?,
            n_vocab: values[0],
            n_audio_ctx: values[1],
            n_audio_layer: values[4],
            n_text_ctx: values[5],
            n_text_state: values[6],
            n_text_head: values[7],
            n_text_layer: values[8],
            n_mels: values[9],
        })
    }

    fn filters(&mut self, n_mels: u32) -> Result<(), TranscribeError> {
        let (mels, bins) = (self.number("filter bank")?, self.number("filter bank")?);
        if (mels, bins) != (n_mels, BINS) {
            let found = format!("its filter bank is {mels} x {bins}, not {n_mels} x {BINS}");
            return Err(self.not_ggml(found));
        }
        self.floats(F32, u64::from(mels * bins) * 4, "filter bank")
    }

    fn vocabulary(&mut self) -> Result<(), TranscribeError> {
        let entries = self.number("vocabulary")?;
        if !VOCABULARY.contains(&entries) {
            return Err(self.not_ggml(format!("its vocabulary has {entries} entries")));
        }
        let (mut token, mut has_space) = (Vec::new(), false);
        for entry in 0..entries {
            let len = self.number("vocabulary")?;
            if len > ENTRY_BYTES_MAX {
                return Err(
                    self.not_ggml(format!("entry {entry} of its vocabulary is {len} bytes"))
                );
            }
            token.resize(len as usize, 0);
            self.read(&mut token, "vocabulary")?;
            has_space |= token == b" ";
        }
        // whisper.cpp takes its number without looking whether it is there
        match has_space {
            true => Ok(()),
            false => Err(self.not_ggml("its vocabulary has no space")),
        }
    }

    /// Checks the next tensor; returns its name.
    fn tensor(&mut self, header: Header) -> Result<String, TranscribeError> {
        let rank = self.number("tensors")?;
        let name_len = self.number("tensors")?;
        let kind = self.number("tensors")?;
        if !(1..=4).contains(&rank) || name_len == 0 || name_len > ENTRY_BYTES_MAX {
            return Err(self.not_ggml(format!(
                "a tensor at byte {} has {rank} dimensions and a name of {name_len} bytes",
                self.at
            )));
        }
        let dimensions = (0..rank).map(|_| self.number("tensors"));
        let found = (kind, dimensions.collect::<Result<Vec<_>, _>>()?);
        let mut name = vec![0u8; name_len as usize];
        self.read(&mut name, "tensors")?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let expected = header.tensor(&name);
        let (Some((per_block, block_bytes, _)), true) =
            (block(kind), expected.as_ref() == Some(&found))
        else {
            let expected = expected.map_or("none".to_owned(), |known| format!("{known:?}"));
            return Err(self.not_ggml(format!(
                "tensor {name} has type and shape {found:?}, expected {expected}"
            )));
        };
        let row = u64::from(found.1[0]);
        if row % per_block != 0 {
            let reason = format!("tensor {name} has rows of {row} values in blocks of {per_block}");
            return Err(self.not_ggml(reason));
        }
        let values: u64 = found.1.iter().map(|size| u64::from(*size)).product();
        self.floats(
            kind,
            values / per_block * block_bytes,
            &format!("tensor {name}"),
        )?;
        Ok(name)
    }

    /// Reads floats of a type and checks each.
    fn floats(&mut self, kind: u32, size: u64, part: &str) -> Result<(), TranscribeError> {
        let end = self.at.saturating_add(size);
        if end > self.bytes {
            return Err(self.truncated(end, part.to_owned()));
        }
        let block = block(kind).map_or(1, |(_, bytes, _)| bytes);
        let mut piece = vec![0; (PIECE_BYTES / block * block) as usize];
        while self.at < end {
            let next = (end - self.at).min(piece.len() as u64) as usize;
            self.read(&mut piece[..next], part)?;
            if !is_sound(kind, &piece[..next]) {
                let most = WEIGHT_MAX;
                let reason = format!("its {part} has a value that is no number up to {most}");
                return Err(self.not_ggml(reason));
            }
        }
        Ok(())
    }

    fn number(&mut self, part: &str) -> Result<u32, TranscribeError> {
        let mut buffer = [0u8; 4];
        self.read(&mut buffer, part)?;
        Ok(u32::from_le_bytes(buffer))
    }

    fn read(&mut self, buffer: &mut [u8], part: &str) -> Result<(), TranscribeError> {
        let end = self.at + buffer.len() as u64;
        if end > self.bytes {
            return Err(self.truncated(end, part.to_owned()));
        }
        self.reader
            .read_exact(buffer)
            .map_err(|error| self.failed(&error))?;
        self.at = end;
        Ok(())
    }

    fn not_ggml(&self, reason: impl Into<String>) -> TranscribeError {
        TranscribeError::NotGgml {
            model: self.model.to_owned(),
            reason: reason.into(),
        }
    }

    fn truncated(&self, expected: u64, tensors: String) -> TranscribeError {
        let (model, bytes) = (self.model.to_owned(), self.bytes);
        TranscribeError::ModelTruncated {
            model,
            bytes,
            expected,
            tensors,
        }
    }

    fn failed(&self, error: &io::Error) -> TranscribeError {
        TranscribeError::Load {
            model: self.model.to_owned(),
            reason: error.to_string(),
        }
    }
}

fn shown(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' {
        char::from(byte)
    } else {
        '.'
    }
}
