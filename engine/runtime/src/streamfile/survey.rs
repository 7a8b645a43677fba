//! A whole stream file read once for its faults, its counts and its fingerprint.
//!
//! Feeding starts only after a survey went through, so a bad line in the middle cannot leave half a
//! stream in a memory. Reads the stream file twice and no audio.

use super::audio::AudioPolicy;
use super::error::StreamFileError;
use super::item::{Header, Item};
use super::reader::StreamReader;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use weir_core::stream::{Span, label_number};

/// What a stream file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// Its first line.
    pub header: Header,
    /// Utterances with audio.
    pub with_audio: u64,
    /// Utterances with audio that do not say who speaks.
    pub unlabelled: u64,
    /// The largest number of a label, such as "Speaker 2", among its speakers; 0 for none.
    pub labels: u32,
    /// The largest end, in milliseconds of stream time.
    pub end_ms: u64,
    /// Utterances that end before one above them begins: talk that goes back in time.
    pub late: u64,
    /// The first of them.
    pub first_late: Option<Late>,
    /// Its fingerprint.
    pub digest: InputDigest,
}

/// An utterance below one that was said later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// Its line, the first being 1.
    pub line: u64,
    /// When it begins.
    pub start_ms: u64,
    /// The latest beginning above it.
    pub above_ms: u64,
}

/// Fingerprint of an input, by which a session knows that it was replayed before.
///
/// Of a plain file: SHA-256 of its bytes. Of a stream file: SHA-256 of its bytes and of the name
/// and length of each audio file it names, in the order named; the sound itself is not read for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputDigest(pub [u8; 32]);

impl std::fmt::Display for InputDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl InputDigest {
    /// The fingerprint of a plain file; reads all of it, holding a piece at a time.
    ///
    /// # Errors
    /// What the system says when the file cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let mut hash = Sha256::new();
        feed(&mut hash, path)?;
        Ok(Self(hash.finalize().into()))
    }
}

fn feed(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    let mut read = BufReader::with_capacity(1 << 16, File::open(path)?);
    loop {
        let bytes = read.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        hash.update(bytes);
        let length = bytes.len();
        read.consume(length);
    }
}

/// Reads a whole stream file, checks every line and counts.
///
/// # Errors
/// The first line that breaks the format, or what kept the file from being read.
pub fn survey(path: &Path, policy: AudioPolicy) -> Result<Survey, StreamFileError> {
    let mut hash = Sha256::new();
    let mut reader = StreamReader::open(path, policy)?;
    feed(&mut hash, path).map_err(|source| StreamFileError::Open {
        file: path.to_path_buf(),
        source,
    })?;
    let mut found = Survey {
        header: reader.header().clone(),
        with_audio: 0,
        unlabelled: 0,
        labels: 0,
        end_ms: 0,
        late: 0,
        first_late: None,
        digest: InputDigest([0; 32]),
    };
    let (mut audio, mut above_ms) = (None, 0);
    while let Some(item) = reader.next().transpose()? {
        let Item::Utterance(line) = item else {
            continue;
        };
        let Span { start_ms, end_ms } = line.span;
        found.end_ms = found.end_ms.max(end_ms);
        if end_ms < above_ms {
            found.late += 1;
            let line = reader.line();
            found.first_late.get_or_insert(Late {
                line,
                start_ms,
                above_ms,
            });
        }
        above_ms = above_ms.max(start_ms);
        let label = line.speaker.as_deref().and_then(label_number);
        found.labels = found.labels.max(label.unwrap_or(0));
        let Some(named) = line.audio else { continue };
        found.with_audio += 1;
        found.unlabelled += u64::from(line.speaker.is_none());
        if audio.as_ref() != Some(&named.path) {
            let bytes = std::fs::metadata(&named.path).map_or(0, |file| file.len());
            hash.update(named.named.as_bytes());
            hash.update(bytes.to_le_bytes());
            audio = Some(named.path);
        }
    }
    found.digest = InputDigest(hash.finalize().into());
    Ok(found)
}
