//! `view.bin`: a session's image for readers, in one file that is whole or absent.
//!
//! Layout, little-endian: `WEIRVIEW`, format `u32`, sequence number `u64`, length `u64`, SHA-256 of
//! all that and the image, then the image. The session defines the image's content.

use super::error::StoreError;
use super::layout::{self, FORMAT};
use crate::private;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"WEIRVIEW";
const FIXED_BYTES: usize = 8 + 4 + 8 + 8;
/// Times a view that seems damaged is read.
const TRIES: u32 = 3;
const HEAD_BYTES: usize = FIXED_BYTES + 32;

/// Writes the view of a session whose writer is open.
#[derive(Debug, Clone)]
pub struct ViewWriter(pub(super) PathBuf);

impl ViewWriter {
    /// Replaces the view by an image of which `seq` is the last input; that input must be in the
    /// journal.
    ///
    /// # Errors
    /// It cannot be written; readers then still find the last one.
    pub fn write(&self, seq: u64, image: &[u8]) -> Result<(), StoreError> {
        write(&self.0, seq, image)
    }
}

/// Replaces the view.
pub(super) fn write(file: &Path, seq: u64, image: &[u8]) -> Result<(), StoreError> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&FORMAT.to_le_bytes());
    head.extend_from_slice(&seq.to_le_bytes());
    head.extend_from_slice(&(image.len() as u64).to_le_bytes());
    let check = check_of(&head, image);
    head.extend_from_slice(&check);
    layout::replace(file, &[&head, image])
}

fn check_of(head: &[u8], image: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(head)
        .chain_update(image)
        .finalize()
        .into()
}

/// Reads the view: the sequence number of the last input in it, and the image; `None` if there is
/// none.
pub(super) fn read(file: &Path) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
    // a view that is replaced while it is read becomes zeros
    for _ in 1..TRIES {
        match read_once(file) {
            Err(StoreError::Damaged { .. }) => {}
            read => return read,
        }
    }
    read_once(file)
}

fn read_once(file: &Path) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
    let mut bytes = match private::read(file) {
        Ok(bytes) => bytes,
        Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(wrong) => return Err(StoreError::file(file, "read it")(wrong)),
    };
    let damaged = |what| StoreError::damaged(file, what);
    if bytes.len() < HEAD_BYTES || !bytes.starts_with(MAGIC) {
        return Err(damaged("its header is not that of a view"));
    }
    let number = |at: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(eight)
    };
    // the four bytes of the format are the lower half of the eight bytes read
    layout::check_format(file, number(8) as u32)?;
    let (seq, length) = (number(12), number(20));
    let (head, image) = bytes.split_at(HEAD_BYTES);
    if length != image.len() as u64 {
        return Err(damaged("its length does not match its header"));
    }
    if check_of(&head[..FIXED_BYTES], image) != head[FIXED_BYTES..] {
        return Err(damaged("its checksum does not match"));
    }
    bytes.drain(..HEAD_BYTES);
    Ok(Some((seq, bytes)))
}
