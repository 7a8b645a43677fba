//! Scans the header of a GGUF file for content that no loader of this crate supports.
//!
//! Nothing is kept in memory, so the header may come from a disk or the network and have any size.

use std::io::{self, BufRead};

/// The entry that names the architecture.
const ARCHITECTURE: &[u8] = b"general.architecture";
/// The entry with the alignment of offsets.
const ALIGNMENT: &[u8] = b"general.alignment";
/// Nesting depth of lists that is followed.
const DEPTH_MAX: usize = 64;
/// Most dimensions of a tensor; ggml allows four.
const DIMS_MAX: u64 = 8;
/// Bytes of a key or a name that are kept; GGUF allows keys of 65,535.
const KEPT_BYTES_MAX: u64 = 1 << 16;
/// Tensor types that can be read: floats, the older block types, and the K-quants.
const TYPES: [u32; 15] = [0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30];

/// Unsupported content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The alignment is 0.
    ZeroAlignment,
    /// The architecture is not supported.
    Architecture(String),
    /// The type of a tensor is not supported.
    Type(UnknownType),
}

/// A tensor of an unsupported type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownType {
    /// The tensor's name.
    pub(crate) tensor: String,
    /// The ggml number of the type.
    pub(crate) kind: u32,
}

impl std::fmt::Display for UnknownType {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tensor, kind } = self;
        write!(
            out,
            "tensor type {kind} is unsupported; choose Q4_K_M or Q8_0 ({tensor} is {})",
            type_name(*kind)
        )
    }
}

/// ggml's names of the types that occur in generator files and are not supported here.
fn type_name(kind: u32) -> &'static str {
    match kind {
        16 => "IQ2_XXS",
        17 => "IQ2_XS",
        18 => "IQ3_XXS",
        19 => "IQ1_S",
        20 => "IQ4_NL",
        21 => "IQ3_S",
        22 => "IQ2_S",
        23 => "IQ4_XS",
        29 => "IQ1_M",
        34 => "TQ1_0",
        35 => "TQ2_0",
        39 => "MXFP4",
        _ => "of a type without a name here",
    }
}

/// The first flaw of the header of `file`; `is_known` tests whether an architecture is supported.
/// Reads up to the last tensor's entry.
///
/// # Errors
/// Read errors; [`io::ErrorKind::InvalidData`] and [`io::ErrorKind::UnexpectedEof`] if the header
/// is incomplete or invalid. The loader then reports the exact error.
pub(crate) fn first_flaw(
    file: impl BufRead,
    is_known: &dyn Fn(&str) -> bool,
) -> io::Result<Option<Flaw>> {
    let mut head = Head {
        file,
        length_bytes: 8,
    };
    if head.bytes(4)? != b"GGUF" {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // lengths have fewer bytes in version 1 of the format
    if head.number(4)? == 1 {
        head.length_bytes = 4;
    }
    let (tensors, entries) = (head.length()?, head.length()?);
    for _ in 0..entries {
        if let Some(flaw) = head.entry(is_known)? {
            return Ok(Some(flaw));
        }
    }
    for _ in 0..tensors {
        if let Some(unknown) = head.tensor()? {
            return Ok(Some(Flaw::Type(unknown)));
        }
    }
    Ok(None)
}

/// A header being read.
struct Head<R> {
    file: R,
    /// Bytes of a length field.
    length_bytes: usize,
}

impl<R: BufRead> Head<R> {
    fn entry(&mut self, is_known: &dyn Fn(&str) -> bool) -> io::Result<Option<Flaw>> {
        let key = self.text()?;
        let kind = self.number(4)?;
        if kind == TEXT && key == ARCHITECTURE {
            let name = self.text()?;
            let name = String::from_utf8_lossy(&name);
            return Ok((!is_known(&name)).then(|| Flaw::Architecture(name.into_owned())));
        }
        match width(kind) {
            Some(width) if key == ALIGNMENT => {
                let is_zero = self.number(width)? == 0;
                Ok(is_zero.then_some(Flaw::ZeroAlignment))
            }
            _ => self.skip_value(kind, 0).map(|()| None),
        }
    }

    fn tensor(&mut self) -> io::Result<Option<UnknownType>> {
        let name = self.text()?;
        let dims = self.number(4)?;
        if dims > DIMS_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.skip(dims * self.length_bytes as u64)?;
        let kind = self.number(4)? as u32;
        // its offset
        self.skip(8)?;
        Ok((!TYPES.contains(&kind)).then(|| UnknownType {
            tensor: String::from_utf8_lossy(&name).into_owned(),
            kind,
        }))
    }

    fn skip_value(&mut self, kind: u64, depth: usize) -> io::Result<()> {
        match (kind, width(kind)) {
            (_, Some(width)) => self.skip(width as u64),
            (TEXT, _) => {
                let length = self.length()?;
                self.skip(length)
            }
            (LIST, _) if depth <= DEPTH_MAX => {
                let (kind, count) = (self.number(4)?, self.length()?);
                match width(kind) {
                    Some(width) => self.skip(count.saturating_mul(width as u64)),
                    None => (0..count).try_for_each(|_| self.skip_value(kind, depth + 1)),
                }
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn length(&mut self) -> io::Result<u64> {
        self.number(self.length_bytes)
    }

    /// A string, up to the kept length. Trailing zeros are dropped, as the tensor library does.
    fn text(&mut self) -> io::Result<Vec<u8>> {
        let length = self.length()?;
        let kept = length.min(KEPT_BYTES_MAX);
        let mut text = self.bytes(kept as usize)?;
        self.skip(length - kept)?;
        let end = text.iter().rposition(|byte| *byte != 0);
        text.truncate(end.map_or(0, |at| at + 1));
        Ok(text)
    }

    /// Reads this many bytes; for small numbers only.
    fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// A number of this many bytes, at most eight.
    fn number(&mut self, bytes: usize) -> io::Result<u64> {
        let mut all = [0; 8];
        self.file.read_exact(&mut all[..bytes])?;
        Ok(u64::from_le_bytes(all))
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let mut left = bytes;
        while left > 0 {
            let there = self.file.fill_buf()?.len();
            if there == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let count = left.min(there as u64);
            self.file.consume(count as usize);
            left -= count;
        }
        Ok(())
    }
}

/// Types of values with a length field.
const TEXT: u64 = 8;
const LIST: u64 = 9;

/// Bytes of a value whose type is neither string nor list.
fn width(kind: u64) -> Option<usize> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &[u8]) -> Vec<u8> {
        [&(of.len() as u64).to_le_bytes(), of].concat()
    }

    /// The header of a file with one entry and tensors of these types.
    fn head(architecture: &str, types: &[u32]) -> Vec<u8> {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend((types.len() as u64).to_le_bytes());
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend(text(ARCHITECTURE));
        bytes.extend(8_u32.to_le_bytes());
        bytes.extend(text(architecture.as_bytes()));
        for (at, kind) in types.iter().enumerate() {
            bytes.extend(text(format!("t{at}").as_bytes()));
            bytes.extend(2_u32.to_le_bytes());
            bytes.extend([32_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat());
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 8]);
        }
        bytes
    }

    fn flaw(bytes: &[u8]) -> io::Result<Option<Flaw>> {
        first_flaw(bytes, &|name| name == "llama")
    }

    #[test]
    fn what_cannot_be_loaded_is_found_in_the_head() {
        assert_eq!(flaw(&head("llama", &TYPES)).unwrap(), None);
        let gemma = head("gemma3", &[0]);
        let found = Some(Flaw::Architecture("gemma3".to_owned()));
        assert_eq!(flaw(&gemma).unwrap(), found);
        // the tensors need not be present for that
        assert_eq!(flaw(&gemma[..gemma.len() - 40]).unwrap(), found);
        for (kind, name) in [
            (23, "IQ4_XS"),
            (39, "MXFP4"),
            (20, "IQ4_NL"),
            (77, "a name"),
        ] {
            let Some(Flaw::Type(unknown)) = flaw(&head("llama", &[0, kind])).unwrap() else {
                panic!("type {kind} was taken");
            };
            let told = unknown.to_string();
            let expected =
                format!("tensor type {kind} is unsupported; choose Q4_K_M or Q8_0 (t1 is ");
            assert!(told.starts_with(&expected) && told.contains(name), "{told}");
        }
    }

    #[test]
    fn what_is_no_head_is_an_error() {
        let whole = head("llama", &[0, 2]);
        for end in 0..whole.len() {
            assert!(flaw(&whole[..end]).is_err(), "{end} bytes were a head");
        }
        assert!(flaw(b"lmgg").is_err());
        let mut long = whole.clone();
        long[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(flaw(&long).is_err());
    }
}
