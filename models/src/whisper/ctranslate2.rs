//! Reads `model.bin` of CTranslate2, the format of faster-whisper.
//!
//! Little endian: version; name of the specification and its revision; number of variables; for
//! each its name, rank, dimensions, type, byte length and values; then aliases, which are ignored.
//! Names are preceded by a two-byte length and end with a zero byte.

use std::path::Path;

use super::binary::Binary;
use super::dims::Dims;
use super::error::{self, ConvertError};
use super::plan::{Element, Index, Stored};

/// The file of the weights.
pub(super) const FILE: &str = "model.bin";

const FORMAT: &str = "CTranslate2";
/// Versions with a one-byte variable type; they differ in nothing else.
const VERSIONS: std::ops::RangeInclusive<u32> = 4..=6;
const SPECIFICATION: &str = "WhisperSpec";
/// Much larger than in any Whisper.
const VARIABLES_MAX: u32 = 20_000;
const NAME_BYTES_MAX: usize = 1_024;
const RANK_MAX: u8 = 8;
const LAYERS_MAX: u32 = 64;
/// Head size of every published Whisper, for files without the number of heads.
const HEAD_WIDTH: u32 = 64;

/// Content of a file.
pub(super) struct Model {
    pub(super) index: Index,
    pub(super) dims: Dims,
}

/// Reads the names and positions of the variables.
pub(super) fn read(file: &Path) -> Result<Model, ConvertError> {
    let mut binary = Binary::open(file)?;
    let version = binary.number("header")?;
    if !VERSIONS.contains(&version) {
        let reason = format!("it begins with {version}, a version of 4 to 6 is read");
        return Err(error::format(file, FORMAT, reason));
    }
    let specification = name(&mut binary, file)?;
    if specification != SPECIFICATION {
        return Err(ConvertError::NotWhisper {
            path: file.to_owned(),
            found: format!("it is a CTranslate2 model of kind {specification:?}"),
        });
    }
    binary.number("header")?;
    let count = binary.number("header")?;
    if count > VARIABLES_MAX {
        let reason = format!("it has {count} variables, at most {VARIABLES_MAX} are read");
        return Err(error::format(file, FORMAT, reason));
    }
    let mut model = Variables {
        file,
        binary,
        heads: [None; 2],
        index: Index::default(),
    };
    model.index.files.push(file.to_owned());
    for _ in 0..count {
        model.variable()?;
    }
    let dims = model.dims()?;
    let index = model.index;
    Ok(Model { index, dims })
}

fn name(binary: &mut Binary, file: &Path) -> Result<String, ConvertError> {
    let length = usize::from(u16::from_le_bytes(binary.array("names")?));
    if length > NAME_BYTES_MAX {
        let reason = format!("a name has {length} bytes, at most {NAME_BYTES_MAX} are read");
        return Err(error::format(file, FORMAT, reason));
    }
    let bytes = binary.take(length, "names")?;
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

struct Variables<'a> {
    file: &'a Path,
    binary: Binary,
    /// The number of heads of encoder and decoder, if the file gives it.
    heads: [Option<u32>; 2],
    index: Index,
}

impl Variables<'_> {
    fn variable(&mut self) -> Result<(), ConvertError> {
        let name = name(&mut self.binary, self.file)?;
        let [rank] = self.binary.array("variables")?;
        if rank > RANK_MAX {
            return Err(self.bad(&name, &format!("has {rank} dimensions")));
        }
        let mut shape = Vec::with_capacity(usize::from(rank));
        for _ in 0..rank {
            shape.push(u64::from(self.binary.number("variables")?));
        }
        let [kind] = self.binary.array("variables")?;
        let bytes = u64::from(self.binary.number("variables")?);
        let (element, width) = match kind {
            0 => (Element::F32, 4),
            1 => (Element::Other("int8"), 1),
            2 => (Element::Other("int16"), 2),
            3 => (Element::Other("int32"), 4),
            4 => (Element::F16, 2),
            5 => (Element::Bf16, 2),
            other => return Err(self.bad(&name, &format!("has the unknown type {other}"))),
        };
        let values = shape
            .iter()
            .try_fold(1u64, |all, &size| all.checked_mul(size));
        if values.and_then(|values| values.checked_mul(width)) != Some(bytes) {
            let reason = format!(
                "of shape {shape:?} and {} has {bytes} bytes",
                element.name()
            );
            return Err(self.bad(&name, &reason));
        }
        let at = self.binary.at();
        let side = match name.as_str() {
            "encoder/num_heads" => Some(0),
            "decoder/num_heads" => Some(1),
            _ => None,
        };
        if let (Some(side), 2) = (side, bytes) {
            let heads = i16::from_le_bytes(self.binary.array("variables")?);
            self.heads[side] = u32::try_from(heads).ok();
            return Ok(());
        }
        self.binary.skip(bytes, &format!("variable {name}"))?;
        let stored = Stored {
            file: 0,
            shape,
            element,
            at,
        };
        self.index.tensors.insert(name, stored);
        Ok(())
    }

    fn dims(&self) -> Result<Dims, ConvertError> {
        let index = &self.index;
        let positions = |side: &str| format!("{side}/position_encodings/encodings");
        let (audio, text) = (positions("encoder"), positions("decoder"));
        let n_audio_state = index.size(&audio, 2, 1)?;
        let n_text_state = index.size(&text, 2, 1)?;
        let layers = |side: &str| {
            let has = |at: &u32| {
                let name = format!("{side}/layer_{at}/ffn/linear_0/weight");
                index.tensors.contains_key(&name)
            };
            (0..=LAYERS_MAX).take_while(has).count() as u32
        };
        Ok(Dims {
            n_vocab: index.size("decoder/embeddings/weight", 2, 0)?,
            n_audio_ctx: index.size(&audio, 2, 0)?,
            n_audio_state,
            n_audio_head: self.heads[0].unwrap_or(n_audio_state / HEAD_WIDTH),
            n_audio_layer: layers("encoder"),
            n_text_ctx: index.size(&text, 2, 0)?,
            n_text_state,
            n_text_head: self.heads[1].unwrap_or(n_text_state / HEAD_WIDTH),
            n_text_layer: layers("decoder"),
            n_mels: index.size("encoder/conv1/weight", 3, 1)?,
        })
    }

    fn bad(&self, name: &str, reason: &str) -> ConvertError {
        error::format(self.file, FORMAT, format!("variable {name} {reason}"))
    }
}
