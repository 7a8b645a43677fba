//! Opens audio files by their content, never by their names.
//!
//! hound reads plain WAV, after a header that is mended where libraries would refuse it. symphonia
//! decodes all other formats. Nothing is resampled. Invariant: a file either gives its samples,
//! chunk by chunk, or an error with its name, the reason and advice; at most one chunk is in
//! memory.

mod adts;
mod beginning;
mod clock;
mod complaint;
mod container;
mod packets;
mod reshape;
mod riff;
mod tally;
mod tracks;
mod wav;

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::path::Path;

use self::complaint::{CONVERT, io_error, shown};
use self::container::Opening;
use crate::{AudioError, AudioSource};

/// Bytes read to detect the format of a file.
const SNIFF_BYTES: usize = 512;

/// Opens a file and detects its format from its content.
///
/// # Errors
/// The file is missing, empty or unreadable, is not audio, or has a format, codec or header that
/// cannot be read. The message names the file and gives advice.
pub fn open_file(path: impl AsRef<Path>) -> Result<Box<dyn AudioSource>, AudioError> {
    open(path.as_ref(), None)
}

/// Opens a file and hears its audio track of this number, from 1.
///
/// # Errors
/// As [`open_file`], or there is no such track; the message names those there are.
pub fn open_file_track(
    path: impl AsRef<Path>,
    track: u16,
) -> Result<Box<dyn AudioSource>, AudioError> {
    open(path.as_ref(), Some(track))
}

fn open(path: &Path, track: Option<u16>) -> Result<Box<dyn AudioSource>, AudioError> {
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => AudioError::Missing {
            path: path.to_owned(),
        },
        _ => AudioError::Io {
            name: name.clone(),
            source,
        },
    })?;
    let metadata = file.metadata().map_err(|source| io_error(&name, source))?;
    if metadata.is_dir() {
        return Err(AudioError::Folder {
            path: path.to_owned(),
        });
    }
    let mut head = Vec::with_capacity(SNIFF_BYTES);
    Read::by_ref(&mut file)
        .take(SNIFF_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(|source| io_error(&name, source))?;
    if head.is_empty() {
        return Err(AudioError::Empty { name });
    }
    file.rewind().map_err(|source| io_error(&name, source))?;
    match sniff(&head) {
        Sniffed::Wave => match track.filter(|track| *track != 1) {
            None => wav::open(file, metadata.len(), &name),
            Some(wanted) => Err(AudioError::UnknownTrack {
                name,
                wanted,
                count: 1,
                tracks: "1: WAV".to_owned(),
            }),
        },
        Sniffed::Refused(what) => Err(AudioError::Unsupported {
            name,
            what: what.to_owned(),
            advice: CONVERT.to_owned(),
        }),
        Sniffed::NotAudio(found) => Err(AudioError::NotAudio { name, found }),
        Sniffed::Other => open_other(file, &head, &name, track),
    }
}

/// Opens a file of a format that symphonia detects.
fn open_other(
    mut file: File,
    head: &[u8],
    name: &str,
    track: Option<u16>,
) -> Result<Box<dyn AudioSource>, AudioError> {
    beginning::check(&mut file, head, name)?;
    let opening = Opening {
        track,
        is_endless: beginning::is_endless(head),
    };
    if let Some(start) = beginning::adts(&mut file, head) {
        return adts::open(file, start, name, opening);
    }
    file.rewind().map_err(|source| io_error(name, source))?;
    container::open(Box::new(file), name, opening)
}

/// Format detected from the first bytes of a file.
enum Sniffed {
    Wave,
    /// A format that is recognised but not supported.
    Refused(&'static str),
    NotAudio(String),
    /// symphonia must detect the format.
    Other,
}

fn sniff(head: &[u8]) -> Sniffed {
    let form = head.get(8..12);
    match head.get(..4) {
        Some(b"RIFF" | b"RIFX" | b"RF64" | b"BW64") => match form {
            None | Some(b"WAVE") => Sniffed::Wave,
            Some(b"AVI ") => Sniffed::Refused("AVI video"),
            Some(form) => Sniffed::NotAudio(format!("a RIFF file of form '{}'", shown(form))),
        },
        Some(b"NIST") => Sniffed::Refused("NIST SPHERE audio"),
        Some(b"#!AM") => Sniffed::Refused("AMR audio"),
        Some(b".snd") => Sniffed::Refused("Sun/NeXT .au audio"),
        Some(b"wvpk") => Sniffed::Refused("WavPack audio"),
        Some(b"MAC ") => Sniffed::Refused("Monkey's Audio"),
        Some([0x30, 0x26, 0xb2, 0x75]) => Sniffed::Refused("Windows Media audio"),
        _ if is_text(head) => {
            let start: String = shown(head).chars().take(24).collect();
            Sniffed::NotAudio(format!("text that begins with '{start}'"))
        }
        _ => Sniffed::Other,
    }
}

/// True when all bytes look like text: letters, blanks and line ends, UTF-8 included.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A multi-byte letter may be cut at the end of the bytes read.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}');
    !valid.is_empty() && !valid.chars().any(control)
}
