//! What the first bytes of a recording tell: whether its beginning is there, whether its length is
//! stated, and where the sound begins after a tag.

use std::io::{self, Read, Seek, SeekFrom};

use crate::AudioError;

const CLUSTER: [u8; 4] = [0x1f, 0x43, 0xb6, 0x75];
const SEGMENT: [u8; 4] = [0x18, 0x53, 0x80, 0x67];
/// A SimpleBlock: a packet inside a cluster.
const SIMPLE_BLOCK: u8 = 0xa3;
/// Most boxes of an MP4 that are read in search of its index; a fragment has few.
const BOXES_MAX: u32 = 100_000;

/// Refuses a piece of a WebM or MP4 that lacks the beginning, without which nobody can decode it.
pub(super) fn check<R: Read + Seek>(
    reader: &mut R,
    head: &[u8],
    name: &str,
) -> Result<(), AudioError> {
    let (what, advice) = if is_piece_of_webm(head) {
        (
            "a piece of a WebM/Matroska recording without its beginning (no EBML header)",
            "put the first piece before it: cat FIRST THIS > WHOLE.webm",
        )
    } else {
        match head.get(4..8) {
            Some(b"ftyp") if !is_picture(head) && !has_moov(reader) => (
                "an MP4 without its index (no moov): the recording was not finished, or only a \
                 part was copied",
                "copy all of it again, or mend it with untrunc and a whole file of that recorder",
            ),
            Some(b"styp" | b"moof" | b"sidx" | b"mdat") if !has_moov(reader) => (
                "a piece of an MP4 without its beginning (no moov)",
                "put the first piece, the initialization segment, before it: cat INIT THIS > \
                 WHOLE.mp4",
            ),
            _ => return Ok(()),
        }
    };
    Err(AudioError::NoBeginning {
        name: name.to_owned(),
        what,
        advice,
    })
}

/// True for HEIF and AVIF, which have no index either.
fn is_picture(head: &[u8]) -> bool {
    let brand = head.get(8..12).unwrap_or_default();
    [b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"]
        .iter()
        .any(|it| brand == *it)
}

fn is_piece_of_webm(head: &[u8]) -> bool {
    if head.starts_with(&CLUSTER) {
        return true;
    }
    // a recorder may also cut between two blocks: then a block or a cluster follows this one
    let Some((size, bytes)) = head.get(1..).and_then(size) else {
        return false;
    };
    let next = usize::try_from(size).map_or(usize::MAX, |size| size.saturating_add(1 + bytes));
    let next = head.get(next..).unwrap_or_default();
    head[0] == SIMPLE_BLOCK && (next.starts_with(&CLUSTER) || next.first() == Some(&SIMPLE_BLOCK))
}

/// True if a WebM/Matroska does not state its length, as live ones do not.
pub(super) fn is_endless(head: &[u8]) -> bool {
    let segment = head.windows(4).position(|four| four == SEGMENT);
    let size = segment.and_then(|at| size(&head[at + 4..]));
    size.is_some_and(|(value, bytes)| value == (1 << (7 * bytes)) - 1)
}

/// Reads a size in EBML; returns it and the number of bytes that it takes.
fn size(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let count = first.leading_zeros() as usize + 1;
    let rest = bytes.get(1..count)?;
    let low = u64::from(first) & ((1 << (8 - count.min(8))) - 1);
    Some((
        rest.iter()
            .fold(low, |all, byte| all << 8 | u64::from(*byte)),
        count,
    ))
}

/// False only if all boxes of an MP4 were read and none is the index: to refuse a whole file would
/// be worse than to miss a piece.
fn has_moov<R: Read + Seek>(reader: &mut R) -> bool {
    let mut walk = || -> io::Result<bool> {
        let end = reader.seek(SeekFrom::End(0))?;
        let mut at = 0_u64;
        for _ in 0..BOXES_MAX {
            if at.saturating_add(8) > end {
                return Ok(false);
            }
            let mut header = [0; 16];
            reader.seek(SeekFrom::Start(at))?;
            let count = 16.min(end - at) as usize;
            reader.read_exact(&mut header[..count])?;
            let [s0, s1, s2, s3, kind @ .., _, _, _, _, _, _, _, _] = header;
            if &kind == b"moov" {
                return Ok(true);
            }
            let wide = u64::from_be_bytes(header[8..].try_into().unwrap_or_default());
            at = match u32::from_be_bytes([s0, s1, s2, s3]) {
                0 => end,
                1 if wide >= 16 => at.saturating_add(wide),
                size @ 8.. => at + u64::from(size),
                _ => return Ok(true),
            };
        }
        Ok(true)
    };
    walk().unwrap_or(true)
}

/// Byte of the first ADTS header, which begins the file or follows an ID3 tag; `None` if there is
/// none.
pub(super) fn adts<R: Read + Seek>(reader: &mut R, head: &[u8]) -> Option<u64> {
    let tag = match head {
        [b'I', b'D', b'3', _, _, _, s0, s1, s2, s3, ..] => {
            10 + [s0, s1, s2, s3]
                .iter()
                .fold(0, |all, byte| all << 7 | u64::from(**byte))
        }
        _ => 0,
    };
    let mut sync = [0; 2];
    reader.seek(SeekFrom::Start(tag)).ok()?;
    reader.read_exact(&mut sync).ok()?;
    (sync[0] == 0xff && sync[1] & 0xf6 == 0xf0).then_some(tag)
}
