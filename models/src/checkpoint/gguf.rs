//! Opens GGUF files after checking the fields that the tensor library would trust.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use candle_core::quantized::gguf_file::{Content, TensorInfo};

use super::error::LoadError;
use crate::gguf_head::{Flaw, first_flaw};

/// Reads the header of `path` and checks that all its tensors are in the file. Cost: two passes
/// over the entries, some megabytes for a large vocabulary; no tensor is read.
pub(crate) fn open_gguf(path: &Path) -> Result<(Content, BufReader<File>), LoadError> {
    let failed = |source| LoadError::Read {
        file: path.to_owned(),
        source,
    };
    let refused = |reason: String| LoadError::NotGguf {
        file: path.to_owned(),
        reason,
    };
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let bytes = file.get_ref().metadata().map_err(failed)?.len();
    let mut magic = Vec::new();
    let head = file.by_ref().take(4).read_to_end(&mut magic);
    head.map_err(failed)?;
    if magic != *b"GGUF" {
        return Err(refused("it does not begin with GGUF".to_owned()));
    }
    file.rewind().map_err(failed)?;
    // If this parser fails, the library's parser fails too and gives the reason.
    match first_flaw(&mut file, &|_| true) {
        Ok(Some(Flaw::ZeroAlignment)) => {
            return Err(refused("its tensors are aligned to 0 bytes".to_owned()));
        }
        Ok(Some(Flaw::Type(unknown))) => {
            return Err(LoadError::GgufType {
                file: path.to_owned(),
                reason: unknown.to_string(),
            });
        }
        _ => {}
    }
    file.rewind().map_err(failed)?;
    let content = Content::read(&mut file).map_err(|error| refused(first_line(&error)))?;
    let mut expected = 0;
    for (name, info) in &content.tensor_infos {
        let size = tensor_bytes(info).ok_or_else(|| {
            let dims = info.shape.dims();
            refused(format!("no file holds its tensor {name} of {dims:?}"))
        })?;
        let start = content.tensor_data_offset.saturating_add(info.offset);
        expected = expected.max(start.saturating_add(size));
    }
    if bytes < expected {
        return Err(LoadError::Truncated {
            file: path.to_owned(),
            found: bytes,
            expected,
        });
    }
    Ok((content, file))
}

/// The library's error without a stack trace.
pub(crate) fn first_line(error: &candle_core::Error) -> String {
    let whole = error.to_string();
    whole.lines().next().unwrap_or_default().to_owned()
}

/// Bytes of a tensor in its file; `None` if they overflow.
fn tensor_bytes(info: &TensorInfo) -> Option<u64> {
    let mut values = info.shape.dims().iter();
    let count = values.try_fold(1_usize, |count, dim| count.checked_mul(*dim))?;
    let blocks = count / info.ggml_dtype.block_size();
    Some(blocks.checked_mul(info.ggml_dtype.type_size())? as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key, the number of its value's type, and the value as stored in the file.
    type Entry<'a> = (&'a [u8], u32, &'a [u8]);

    /// A file with these entries and one tensor `t`, `[rows, 32]`, of type `Q4_0`, with 64 bytes of
    /// content.
    fn file(version: u32, entries: &[Entry<'_>], rows: u64) -> Vec<u8> {
        let length = |number: u64| match version {
            1 => number.to_le_bytes()[..4].to_vec(),
            _ => number.to_le_bytes().to_vec(),
        };
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend([length(1), length(entries.len() as u64)].concat());
        for (key, kind, value) in entries {
            bytes.extend(length(key.len() as u64));
            bytes.extend([*key, &kind.to_le_bytes(), *value].concat());
        }
        bytes.extend([length(1), b"t".to_vec(), vec![2, 0, 0, 0]].concat());
        bytes.extend([length(32), length(rows), vec![2, 0, 0, 0], vec![0; 8]].concat());
        let end = bytes.len().div_ceil(32) * 32 + 64;
        bytes.resize(end, 0);
        bytes
    }

    fn refusal(bytes: &[u8]) -> Option<String> {
        let place = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(place.path(), bytes).expect("written");
        open_gguf(place.path()).err().map(|error| error.to_string())
    }

    /// A string as stored in a file of version 3.
    fn text(of: &[u8]) -> Vec<u8> {
        [&(of.len() as u64).to_le_bytes(), of].concat()
    }

    #[test]
    fn an_alignment_of_nothing_is_found_wherever_it_stands() {
        let key = &b"general.alignment"[..];
        let long = text(&[b'x'; 70_000]);
        // a list of texts, one of which is the key followed by a plausible value
        let texts = [text(b"a"), text(b"general.alignment\x04\0\0\0\x20\0\0\0")].concat();
        let list = [&8_u32.to_le_bytes()[..], &2_u64.to_le_bytes(), &texts].concat();
        let numbers = [&5_u32.to_le_bytes()[..], &3_u64.to_le_bytes(), &[7; 12]].concat();
        let cases: [&[Entry<'_>]; 7] = [
            &[(key, 4, &[0; 4])],
            &[(key, 0, &[0]), (b"\x20", 7, &[1])],
            &[(key, 1, &[0])],
            &[(key, 3, &[0; 2])],
            &[(b"long", 8, &long), (key, 4, &[0; 4])],
            &[
                (b"list", 9, &list),
                (b"n", 9, &numbers),
                (b"f", 12, &[1; 8]),
                (key, 4, &[0; 4]),
            ],
            &[
                (key, 4, &[32, 0, 0, 0]),
                (b"general.alignment\0\0", 4, &[0; 4]),
            ],
        ];
        for (at, entries) in cases.iter().enumerate() {
            let message = refusal(&file(3, entries, 1)).expect("a division by 0");
            assert!(message.contains("aligned to 0 bytes"), "{at}: {message}");
        }
        let message = refusal(&file(1, &[(key, 4, &[0; 4])], 1)).expect("a division by 0");
        assert!(message.contains("aligned to 0 bytes"), "{message}");
    }

    #[test]
    fn what_only_looks_like_an_alignment_of_nothing_is_none() {
        let key = &b"general.alignment"[..];
        let decoy = text(b"general.alignment\x04\0\0\0\0\0\0\0");
        let good = [32, 0, 0, 0];
        let cases: [&[Entry<'_>]; 3] = [&[], &[(key, 4, &good)], &[(b"text", 8, &decoy)]];
        for entries in cases {
            assert_eq!(refusal(&file(3, entries, 1)), None, "{entries:?}");
            assert_eq!(refusal(&file(3, entries, 3)), None, "{entries:?}");
        }
        // 65536: past the end of so small a file
        let message = refusal(&file(3, &[(key, 4, &[0, 0, 1, 0])], 1)).expect("cut short");
        assert!(message.contains("of 65554"), "{message}");
    }

    #[test]
    fn a_type_that_is_not_read_is_named_with_what_to_choose() {
        for kind in [23_u8, 39] {
            let mut bytes = file(3, &[], 1);
            let shape = [32_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat();
            let at = bytes.windows(16).position(|window| window == shape);
            bytes[at.expect("the shape") + 16] = kind;
            let message = refusal(&bytes).expect("no such type");
            let told = format!("tensor type {kind} is unsupported; choose Q4_K_M or Q8_0");
            assert!(message.contains(&told), "{message}");
            assert!(!message.contains("fetch it again"), "{message}");
        }
    }

    #[test]
    fn tensors_that_no_file_holds_are_refused() {
        for rows in [1 << 59, u64::MAX] {
            let message = refusal(&file(3, &[], rows)).expect("too large");
            assert!(message.contains("no file holds its tensor t"), "{message}");
        }
        for rows in [5, 1 << 50, u64::MAX / 32] {
            let message = refusal(&file(3, &[], rows)).expect("too large");
            assert!(message.contains("cut short"), "{message}");
        }
    }
}
