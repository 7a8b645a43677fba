//! Checks that a file is a complete whisper model in ggml format before whisper.cpp loads it.
//!
//! whisper.cpp trusts its input: a file of another kind may make it allocate wildly or abort, and a
//! file that ends after its vocabulary loads as an empty model. So the header is checked against
//! the ranges of whisper models, and the tensors are walked by their stated sizes. No weight is
//! read. Invariant: an accepted file has every byte its headers state, and at least one tensor.

use std::io::{self, Read, Seek, SeekFrom};

use crate::TranscribeError;

/// "ggml" as a little-endian number.
const MAGIC: u32 = 0x6767_6d6c;
/// Newer container of llama.cpp; the error names it because users confuse the two.
const MAGIC_GGUF: u32 = 0x4655_4747;
/// Longest accepted vocabulary entry, tensor name and filter bank, in bytes or numbers.
const ENTRY_BYTES_MAX: u32 = 4_096;
const FILTER_VALUES_MAX: u64 = 1 << 20;

/// The header of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Vocabulary size; whisper.cpp treats 51,865 and more as multilingual.
    pub n_vocab: u32,
    pub n_audio_ctx: u32,
    pub n_audio_layer: u32,
    pub n_text_state: u32,
    pub n_text_head: u32,
    pub n_text_layer: u32,
    pub n_mels: u32,
}

impl Header {
    /// True for a model that knows languages other than English.
    pub(super) fn is_multilingual(self) -> bool {
        self.n_vocab >= 51_865
    }
}

/// Allowed range of each number of the header, in order.
const FIELDS: [(&str, u32, u32); 11] = [
    ("n_vocab", 50_000, 60_000),
    ("n_audio_ctx", 64, 1_500),
    ("n_audio_state", 16, 4_096),
    ("n_audio_head", 1, 64),
    ("n_audio_layer", 1, 64),
    ("n_text_ctx", 16, 4_096),
    ("n_text_state", 16, 4_096),
    ("n_text_head", 1, 64),
    ("n_text_layer", 1, 64),
    ("n_mels", 40, 256),
    ("ftype", 0, 4_000),
];

/// Values per block of a ggml type and bytes per block, for the types whisper models use.
fn block(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 => (1, 4),      // f32
        1 | 30 => (1, 2), // f16, bf16
        2 => (32, 18),    // q4_0
        3 => (32, 20),    // q4_1
        6 => (32, 22),    // q5_0
        7 => (32, 24),    // q5_1
        8 => (32, 34),    // q8_0
        10 => (256, 84),  // q2_K
        11 => (256, 110), // q3_K
        12 => (256, 144), // q4_K
        13 => (256, 176), // q5_K
        14 => (256, 210), // q6_K
        _ => return None,
    })
}

/// Walks a model of `bytes` bytes.
///
/// # Errors
/// `NotGgml`, `ModelTruncated`, or `Load` for other read errors.
pub(super) fn check<R: Read + Seek>(
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
    walk.filters()?;
    walk.vocabulary()?;
    let mut tensors = 0u32;
    while walk.at < bytes {
        walk.tensor()?;
        tensors += 1;
    }
    if tensors == 0 {
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

impl<R: Read + Seek> Walk<'_, R> {
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
        Ok(Header {
            n_vocab: values[0],
            n_audio_ctx: values[1],
            n_audio_layer: values[4],
            n_text_state: values[6],
            n_text_head: values[7],
            n_text_layer: values[8],
            n_mels: values[9],
        })
    }

    fn filters(&mut self) -> Result<(), TranscribeError> {
        let (mels, bins) = (self.number("filter bank")?, self.number("filter bank")?);
        let values = u64::from(mels) * u64::from(bins);
        if values == 0 || values > FILTER_VALUES_MAX {
            return Err(self.not_ggml(format!("its filter bank is {mels} x {bins}")));
        }
        self.skip(values * 4, || "filter bank".to_owned())
    }

    fn vocabulary(&mut self) -> Result<(), TranscribeError> {
        let entries = self.number("vocabulary")?;
        if entries > FIELDS[0].2 {
            return Err(self.not_ggml(format!("its vocabulary has {entries} entries")));
        }
        for entry in 0..entries {
            let len = self.number("vocabulary")?;
            if len > ENTRY_BYTES_MAX {
                return Err(
                    self.not_ggml(format!("entry {entry} of its vocabulary is {len} bytes"))
                );
            }
            self.skip(u64::from(len), || "vocabulary".to_owned())?;
        }
        Ok(())
    }

    fn tensor(&mut self) -> Result<(), TranscribeError> {
        let dims = self.number("tensors")?;
        let name_len = self.number("tensors")?;
        let kind = self.number("tensors")?;
        if !(1..=4).contains(&dims) || name_len == 0 || name_len > ENTRY_BYTES_MAX {
            return Err(self.not_ggml(format!(
                "a tensor at byte {} has {dims} dimensions and a name of {name_len} bytes",
                self.at
            )));
        }
        let mut values = 1u64;
        for _ in 0..dims {
            values = values.saturating_mul(u64::from(self.number("tensors")?));
        }
        let mut name = vec![0u8; name_len as usize];
        self.read(&mut name, "tensors")?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let Some((per_block, block_bytes)) = block(kind) else {
            return Err(self.not_ggml(format!("tensor {name} has the unknown type {kind}")));
        };
        let size = (values / per_block).saturating_mul(block_bytes);
        self.skip(size, || format!("tensor {name}"))
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

    fn skip(&mut self, size: u64, part: impl Fn() -> String) -> Result<(), TranscribeError> {
        let end = self.at.saturating_add(size);
        if end > self.bytes {
            return Err(self.truncated(end, part()));
        }
        let step = i64::try_from(size).unwrap_or(i64::MAX);
        self.reader
            .seek(SeekFrom::Current(step))
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
