//! Segments of recorded audio: WAV files of 16 kHz, one channel, 16 bits, with names that describe
//! their content.
//!
//! `00000012_kitchen_600000.wav` is the twelfth segment of the session and begins at 600,000 ms of
//! the stream `kitchen`. The length is that of the file. A killed process may leave a header with
//! an old length or 0; such a header is repaired and never trusted.

use crate::private;
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use weir_core::limits;

/// Bytes before the first sample.
pub(super) const HEAD_BYTES: u64 = 44;
/// Samples of a full segment.
pub(super) const SAMPLES_MAX: u64 = limits::AUDIO_SEGMENT_MS * SAMPLES_PER_MS;
/// 16 kHz.
pub(super) const SAMPLES_PER_MS: u64 = 16;
/// Minimum size of a file towards the limit, so that many short files reach it too.
pub(super) const FILE_BYTES_MIN: u64 = 64 << 10;
/// Maximum length of a stream's name in a file name; file systems allow 255 bytes in all.
const KEY_BYTES_MAX: usize = 160;

/// One segment by name, with its number of samples when it was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// Its position in the order of recording.
    pub(super) ordinal: u64,
    /// The stream's name as encoded in file names.
    pub(super) key: String,
    /// Its start in stream time.
    pub(super) start_ms: u64,
    /// Number of samples.
    pub(super) samples: u64,
}

impl Segment {
    /// Its file's name.
    pub(super) fn file_name(&self) -> String {
        format!("{:08}_{}_{}.wav", self.ordinal, self.key, self.start_ms)
    }

    /// The segment with this file name, without samples; `None` for other names.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (ordinal, rest) = name.strip_suffix(".wav")?.split_once('_')?;
        let (key, start_ms) = rest.split_once('_')?;
        let found = Self {
            ordinal: ordinal.parse().ok()?,
            key: key.to_owned(),
            start_ms: start_ms.parse().ok()?,
            samples: 0,
        };
        // Only names written here are recordings; this also keeps `..` out of paths.
        let ours = key
            .bytes()
            .all(|byte| is_plain(byte) || matches!(byte, b'%' | b'~'));
        (ours && !key.is_empty() && found.file_name() == name).then_some(found)
    }

    /// First millisecond after it; a partial millisecond is rounded up.
    pub(super) fn end_ms(&self) -> u64 {
        self.start_ms + self.samples.div_ceil(SAMPLES_PER_MS)
    }

    /// First millisecond after its whole ones: less than that is no speech.
    pub(super) fn whole_end_ms(&self) -> u64 {
        self.start_ms + self.samples / SAMPLES_PER_MS
    }

    /// Its size towards the limit.
    pub(super) fn bytes(&self) -> u64 {
        (HEAD_BYTES + 2 * self.samples).max(FILE_BYTES_MIN)
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')
}

/// A stream's name encoded for file names: bytes other than letters, digits, `-` and `.` become
/// `%41` and the like; a long name is truncated and made unique by part of its SHA-256.
pub(super) fn key_of(stream: &str) -> String {
    let mut key = String::new();
    for byte in stream.bytes() {
        match byte {
            byte if is_plain(byte) => key.push(char::from(byte)),
            byte => key.push_str(&format!("%{byte:02X}")),
        }
    }
    if key.len() > KEY_BYTES_MAX {
        key.truncate(KEY_BYTES_MAX);
        key.push('~');
        for byte in &Sha256::digest(stream)[..8] {
            key.push_str(&format!("{byte:02x}"));
        }
    }
    key
}

/// The segments of a folder in the order of recording; none if there is no folder.
pub(super) fn list(folder: &Path) -> std::io::Result<Vec<Segment>> {
    let entries = match std::fs::read_dir(folder) {
        Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Some(mut segment) = entry.file_name().to_str().and_then(Segment::named) else {
            continue;
        };
        match entry.metadata() {
            Ok(file) => segment.samples = file.len().saturating_sub(HEAD_BYTES) / 2,
            // evicted while the folder was being read
            Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => continue,
            Err(wrong) => return Err(wrong),
        }
        found.push(segment);
    }
    found.sort_unstable_by_key(|segment| segment.ordinal);
    Ok(found)
}

/// The header of a file of so many samples (RIFF WAVE, PCM).
pub(super) fn head(samples: u64) -> [u8; HEAD_BYTES as usize] {
    let data_bytes = u32::try_from(2 * samples).unwrap_or(u32::MAX - 36);
    let rate_hz = 1_000 * SAMPLES_PER_MS as u32;
    let mut head = [0; HEAD_BYTES as usize];
    head[0..4].copy_from_slice(b"RIFF");
    head[4..8].copy_from_slice(&(data_bytes + 36).to_le_bytes());
    head[8..16].copy_from_slice(b"WAVEfmt ");
    head[16..20].copy_from_slice(&16u32.to_le_bytes());
    head[20..22].copy_from_slice(&1u16.to_le_bytes());
    head[22..24].copy_from_slice(&1u16.to_le_bytes());
    head[24..28].copy_from_slice(&rate_hz.to_le_bytes());
    head[28..32].copy_from_slice(&(2 * rate_hz).to_le_bytes());
    head[32..34].copy_from_slice(&2u16.to_le_bytes());
    head[34..36].copy_from_slice(&16u16.to_le_bytes());
    head[36..40].copy_from_slice(b"data");
    head[40..44].copy_from_slice(&data_bytes.to_le_bytes());
    head
}

/// Samples as bytes of the file format.
pub(super) fn bytes_of(samples: &[i16]) -> Vec<u8> {
    samples
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect()
}

/// Updates a header to the file's length.
///
/// Files with another kind of header are left unchanged.
pub(super) fn repair(file: &Path) -> std::io::Result<()> {
    let mut file = private::open(file, OpenOptions::new().read(true).write(true))?;
    let length = file.metadata()?.len();
    let samples = length.saturating_sub(HEAD_BYTES) / 2;
    let mut found = Vec::new();
    (&mut file).take(HEAD_BYTES).read_to_end(&mut found)?;
    let right = head(samples);
    // In a file of ours, only the two lengths may differ, or the end of a header is missing.
    let ours = right
        .iter()
        .zip(&found)
        .enumerate()
        .all(|(at, (right, found))| {
            right == found || (4..8).contains(&at) || (40..44).contains(&at)
        });
    if !ours || (found == right && length == HEAD_BYTES + 2 * samples) {
        return Ok(());
    }
    file.rewind()?;
    file.write_all(&right)?;
    // An interrupted write leaves half a sample at the end.
    private::set_len(&file, HEAD_BYTES + 2 * samples)?;
    file.sync_all()
}

/// `count` samples of a segment, starting at `from`; fewer if the segment ends.
pub(super) fn read(file: &Path, from: u64, count: u64) -> std::io::Result<Vec<i16>> {
    let mut file = private::open(file, OpenOptions::new().read(true))?;
    file.seek(SeekFrom::Start(HEAD_BYTES + 2 * from))?;
    let mut bytes = Vec::new();
    file.take(2 * count).read_to_end(&mut bytes)?;
    let pairs = bytes.chunks_exact(2);
    Ok(pairs
        .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_says_what_a_segment_holds(stream in "\\PC{1,300}", ordinal: u64, start_ms: u64) {
            let segment = Segment { ordinal, key: key_of(&stream), start_ms, samples: 0 };
            let name = segment.file_name();
            prop_assert!(name.len() <= 255);
            prop_assert_eq!(Segment::named(&name), Some(segment));
        }
    }

    #[test]
    fn other_names_are_no_recordings() {
        for name in [
            "kitchen.wav", "1_a_0.wav", "00000001_../x_0.wav", "00000001__0.wav", "",
        ] {
            assert_eq!(Segment::named(name), None, "{name}");
        }
        assert_ne!(key_of(&"a".repeat(200)), key_of(&"a".repeat(201)));
    }
}
