//! GGUF files, opened: what the tensor library would trust in them is looked at first.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use candle_core::quantized::gguf_file::{Content, TensorInfo};

use super::error::LoadError;

/// The entry by whose value the library divides.
const ALIGNMENT: &[u8] = b"general.alignment";
/// Lists in lists that the library follows.
const DEPTH_MAX: usize = 64;

/// Reads the head of `path` and checks that all its tensors are in the file. Cost: two passes over
/// the entries, which for a large vocabulary are some megabytes; no tensor is read.
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
    // Where this reading fails, the library's fails too and says why.
    if Entries::new(&mut file).is_ok_and(Entries::has_zero_alignment) {
        return Err(refused("its tensors are aligned to 0 bytes".to_owned()));
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

/// What the library says, without the stack that may follow.
pub(crate) fn first_line(error: &candle_core::Error) -> String {
    let whole = error.to_string();
    whole.lines().next().unwrap_or_default().to_owned()
}

/// Bytes of a tensor in its file; `None` where no number tells them.
fn tensor_bytes(info: &TensorInfo) -> Option<u64> {
    let mut values = info.shape.dims().iter();
    let count = values.try_fold(1_usize, |count, dim| count.checked_mul(*dim))?;
    let blocks = count / info.ggml_dtype.block_size();
    Some(blocks.checked_mul(info.ggml_dtype.type_size())? as u64)
}

/// The entries of a file, stepped over one after the other.
struct Entries<'a> {
    file: &'a mut BufReader<File>,
    /// Bytes of a length: fewer in the first version of the format.
    length_bytes: usize,
    count: u64,
}

impl<'a> Entries<'a> {
    /// From behind the first four bytes.
    fn new(file: &'a mut BufReader<File>) -> io::Result<Self> {
        let mut entries = Self {
            file,
            length_bytes: 8,
            count: 0,
        };
        if entries.number(4)? == 1 {
            entries.length_bytes = 4;
        }
        // tensors
        entries.length()?;
        entries.count = entries.length()?;
        Ok(entries)
    }

    fn has_zero_alignment(mut self) -> bool {
        let found = (0..self.count).map(|_| self.next_is_zero_alignment());
        // up to the first that is one, or that cannot be read
        let found = found.take_while(Result::is_ok).flatten();
        found.into_iter().any(|is_zero| is_zero)
    }

    fn next_is_zero_alignment(&mut self) -> io::Result<bool> {
        let length = self.length()?;
        let mut key = Vec::new();
        self.file.by_ref().take(length).read_to_end(&mut key)?;
        let kind = self.number(4)?;
        // the library leaves zeros at the end of a text out
        let end = key
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |at| at + 1);
        match width(kind) {
            Some(width) if &key[..end] == ALIGNMENT => Ok(self.number(width)? == 0),
            _ => self.skip_value(kind, 0).map(|()| false),
        }
    }

    fn skip_value(&mut self, kind: u64, depth: usize) -> io::Result<()> {
        match (kind, width(kind)) {
            (_, Some(width)) => self.skip(width as u64),
            (8, _) => {
                let length = self.length()?;
                self.skip(length)
            }
            (9, _) if depth <= DEPTH_MAX => {
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

    /// A number of so many bytes, at most eight.
    fn number(&mut self, bytes: usize) -> io::Result<u64> {
        let mut all = [0; 8];
        self.file.read_exact(&mut all[..bytes])?;
        Ok(u64::from_le_bytes(all))
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = i64::try_from(bytes).map_err(io::Error::other)?;
        self.file.seek_relative(bytes)
    }
}

/// Bytes of a value of a kind that is neither text nor list.
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

    /// A key, the number of its value's kind, and the value as it is in the file.
    type Entry<'a> = (&'a [u8], u32, &'a [u8]);

    /// A file of these entries and one tensor `t`, `[rows, 32]`, of kind `Q4_0`, with 64 bytes of
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

    /// A text as it is in a file of the third version.
    fn text(of: &[u8]) -> Vec<u8> {
        [&(of.len() as u64).to_le_bytes(), of].concat()
    }

    #[test]
    fn an_alignment_of_nothing_is_found_wherever_it_stands() {
        let key = &b"general.alignment"[..];
        let long = text(&[b'x'; 70_000]);
        // a list of texts, one of them the key with what would be a good value behind it
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
        // 65536: behind the end of so small a file
        let message = refusal(&file(3, &[(key, 4, &[0, 0, 1, 0])], 1)).expect("cut short");
        assert!(message.contains("of 65554"), "{message}");
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
