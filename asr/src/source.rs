//! Audio sources: the contract of every source, and its errors.
//!
//! A source returns interleaved samples at its own rate, chunk by chunk. It holds at most one chunk
//! and does not resample. Invariant: the returned frames are the source's frames in order, each
//! once. Missing sound (an overflow, a lost device) is replaced by silence of the same length and
//! reported, so sample counts stay true times.

use std::path::PathBuf;

/// Lowest accepted sampling rate, in Hz.
pub const RATE_HZ_MIN: u32 = 1_000;
/// Highest accepted sampling rate, in Hz.
pub const RATE_HZ_MAX: u32 = 768_000;
/// Most accepted channels.
pub const CHANNELS_MAX: u16 = 256;

/// What is known about a source before its samples are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpec {
    /// Path as given, device name, or `stdin`.
    pub name: String,
    /// Format in words ("WAV, 16-bit PCM").
    pub format: String,
    /// Sampling rate in Hz, `RATE_HZ_MIN` to `RATE_HZ_MAX`.
    pub rate_hz: u32,
    /// Channels, 1 to `CHANNELS_MAX`.
    pub channels: u16,
    /// Frames (samples per channel) as the container states them; an estimate for progress only.
    pub frames: Option<u64>,
}

impl SourceSpec {
    /// Checks rate and channels against the limits of the front end.
    ///
    /// # Errors
    /// `AudioError::BadHeader` naming the field and its legal range.
    pub fn check(self) -> Result<Self, AudioError> {
        if !(RATE_HZ_MIN..=RATE_HZ_MAX).contains(&self.rate_hz) {
            return Err(AudioError::BadHeader {
                name: self.name,
                field: "sampling rate",
                value: format!("{} Hz", self.rate_hz),
                expected: "1000 to 768000 Hz",
            });
        }
        if !(1..=CHANNELS_MAX).contains(&self.channels) {
            return Err(AudioError::BadHeader {
                name: self.name,
                field: "channels",
                value: self.channels.to_string(),
                expected: "1 to 256",
            });
        }
        Ok(self)
    }

    /// Length in milliseconds, if the container states it.
    #[must_use]
    pub fn len_ms(&self) -> Option<u64> {
        self.frames
            .map(|frames| frames.saturating_mul(1_000) / u64::from(self.rate_hz.max(1)))
    }
}

/// How several channels are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Channels {
    /// One signal: the mean of all channels.
    #[default]
    Mix,
    /// One signal for each channel, for recordings with one speaker per channel.
    Split,
}

/// A stream of interleaved samples.
pub trait AudioSource: Send {
    /// Name, rate and channels; constant during the life of the source.
    fn spec(&self) -> &SourceSpec;

    /// Replaces the content of `out` by the next chunk of interleaved samples and returns the
    /// number of samples: a whole number of frames, 0 only at the end. Chunks are small (at most a
    /// few ten thousand samples); their length carries no meaning. A live source blocks here.
    ///
    /// # Errors
    /// [`AudioError::recovery`] tells whether reading may continue after an error.
    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError>;

    /// Moves the warnings since the last call to the end of `out`. Call it after every read,
    /// including the last one.
    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>);
}

impl<S: AudioSource + ?Sized> AudioSource for Box<S> {
    fn spec(&self) -> &SourceSpec {
        (**self).spec()
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        (**self).read(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        (**self).take_warnings(out);
    }
}

/// A problem to report to the user while reading continues.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceWarning {
    /// The header was wrong but the samples were found.
    #[error("{name}: {what}; read the {bytes} bytes that follow the header instead")]
    HeaderRepaired {
        /// Source.
        name: String,
        /// What the header says.
        what: String,
        /// Data bytes found.
        bytes: u64,
    },
    /// The size of a block contradicts the bits of a sample.
    #[error(
        "{name}: the header says {bits} bits a sample, but blocks of {block} bytes for {channels} \
         channel(s); it was read as {bytes} bytes a sample; export it again if it sounds wrong"
    )]
    BlockIgnored {
        /// Source.
        name: String,
        /// Bits of a sample as stated.
        bits: u16,
        /// Bytes of a block as stated.
        block: u16,
        /// Channels.
        channels: u16,
        /// Bytes of a sample that were read.
        bytes: u16,
    },
    /// The rate or the channels change inside a file; all of it has the shape it began with.
    #[error(
        "{name}: rate or channels change in {places} place(s), the first at {} s from {} Hz, {} \
         channel(s) to {} Hz, {} channel(s); all of it was brought to the first",
        seconds(*first, *rate_hz), from.0, from.1, to.0, to.1
    )]
    Changed {
        /// Source.
        name: String,
        /// Number of changes.
        places: u64,
        /// The first frame after the first change.
        first: u64,
        /// Rate of the source in Hz.
        rate_hz: u32,
        /// Rate in Hz and channels before the first change.
        from: (u32, u16),
        /// Rate in Hz and channels after it.
        to: (u32, u16),
    },
    /// All of a source is so quiet that speech in it may not be found.
    #[error(
        "{name}: the loudest sample is {}, of 1; speech in it may be too quiet to be heard: raise \
         its level, for example with: sox IN OUT.wav norm -3",
        f64::from(*peak_millionths) / 1e6
    )]
    Quiet {
        /// Source.
        name: String,
        /// The loudest sample, in millionths of full scale.
        peak_millionths: u32,
    },
    /// The channels of a source cancel each other in their mean.
    #[error(
        "{name}: its channels cancel each other for {:.1} s, as when one is turned over; there the \
         loudest is heard alone",
        *ms as f64 / 1e3
    )]
    Cancelling {
        /// Source.
        name: String,
        /// How long one channel was heard instead of the mean.
        ms: u64,
    },
    /// Somebody speaks on each of two channels.
    #[error(
        "{name}: now one channel speaks and now another, as when each person has a channel; \
         --channels split keeps them apart"
    )]
    ApartChannels {
        /// Source.
        name: String,
    },
    /// A file has several audio tracks; one of them is heard.
    #[error(
        "{name}: there are {count} audio tracks ({tracks}); only track {heard} is heard, \
         --track N chooses another"
    )]
    OtherTracks {
        /// Source.
        name: String,
        /// Number of tracks.
        count: u16,
        /// Number, language and codec of each.
        tracks: String,
        /// The track that is heard, from 1.
        heard: u16,
    },
    /// The file ends earlier than its header states.
    #[error(
        "{name}: the file is cut short or damaged: its header promises {} s, {} s are there \
         ({found_frames} of {expected_frames} frames); these were read",
        seconds(*expected_frames, *rate_hz), seconds(*found_frames, *rate_hz)
    )]
    Truncated {
        /// Source.
        name: String,
        /// Frames stated by the header.
        expected_frames: u64,
        /// Frames that were read.
        found_frames: u64,
        /// Rate of the source in Hz.
        rate_hz: u32,
    },
    /// A packet could not be decoded and was skipped.
    #[error("{name}: {packets} damaged packet(s) were left out, the first because {reason}")]
    Damaged {
        /// Source.
        name: String,
        /// How many.
        packets: u64,
        /// The decoder's error for the first one.
        reason: String,
    },
    /// Sound inside a file is missing: damaged, or never written, as a recorder does in a pause.
    /// Silence of the same length replaces it.
    #[error(
        "{name}: {} s of its {} s are missing in {places} place(s), damaged or never written, the \
         first at {} s; silence stands in their place",
        seconds(*frames, *rate_hz), seconds(*of_frames, *rate_hz), seconds(*first, *rate_hz)
    )]
    Missing {
        /// Source.
        name: String,
        /// Frames that are missing.
        frames: u64,
        /// All frames, including missing ones.
        of_frames: u64,
        /// Number of gaps.
        places: u64,
        /// The first frame that is missing.
        first: u64,
        /// Rate of the source in Hz.
        rate_hz: u32,
    },
    /// NaN or infinite samples of a live source were replaced by silence. In a file they are an
    /// error.
    #[error("{name}: {count} samples were not finite numbers (NaN or infinite) and became silence")]
    NonFinite {
        /// Source.
        name: String,
        /// Number in the whole source.
        count: u64,
    },
    /// Recording lost samples; silence of the same length replaces them.
    #[error(
        "{name}: {} ms of sound were lost at {at_ms} ms; silence stands in their place",
        .frames * 1000 / u64::from((*rate_hz).max(1))
    )]
    Gap {
        /// Source.
        name: String,
        /// When, in milliseconds of the source.
        at_ms: u64,
        /// Frames lost, at `rate_hz`.
        frames: u64,
        /// Rate of the source in Hz.
        rate_hz: u32,
    },
    /// The device disappeared. The source continues with silence and tries to open it again.
    #[error("{name}: the device went away at {at_ms} ms ({reason}); waiting for it to come back")]
    DeviceLost {
        /// Device.
        name: String,
        /// When, in milliseconds of the source.
        at_ms: u64,
        /// The system's error.
        reason: String,
    },
    /// The device is available again.
    #[error("{name}: the device is back at {at_ms} ms")]
    DeviceBack {
        /// Device.
        name: String,
        /// When, in milliseconds of the source.
        at_ms: u64,
    },
}

/// Frames as seconds, with one decimal.
fn seconds(frames: u64, rate_hz: u32) -> String {
    format!("{:.1}", frames as f64 / f64::from(rate_hz.max(1)))
}

/// What a caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Call again: this chunk is lost, the source continues.
    SkipChunk,
    /// The source has ended; the samples read so far are valid.
    Stop,
}

/// Why a source could not be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AudioError {
    /// No such file.
    #[error("{}: no such file", .path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// A folder was given where a file is needed.
    #[error("{}: is a folder, not an audio file", .path.display())]
    Folder {
        /// The path as given.
        path: PathBuf,
    },
    /// The system failed to read.
    #[error("{name}: cannot be read: {source}")]
    Io {
        /// Source.
        name: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file has 0 bytes.
    #[error("{name}: the file is empty (0 bytes); record or copy it again")]
    Empty {
        /// Source.
        name: String,
    },
    /// The content is not a known audio format.
    #[error(
        "{name}: not audio ({found}); known are WAV, AIFF, FLAC, MP3, OGG (Vorbis, Opus), \
         M4A/AAC, CAF and WebM/Matroska"
    )]
    NotAudio {
        /// Source.
        name: String,
        /// What the content looks like.
        found: String,
    },
    /// A known format that is not supported.
    #[error("{name}: {what} cannot be read; {advice}")]
    Unsupported {
        /// Source.
        name: String,
        /// Format or codec by name.
        what: String,
        /// What to do.
        advice: String,
    },
    /// A header field has an impossible value.
    #[error(
        "{name}: the header says {field} {value}; legal is {expected}; the file is damaged, \
         export it again"
    )]
    BadHeader {
        /// Source.
        name: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// Allowed range.
        expected: &'static str,
    },
    /// There is no audio track of this number.
    #[error("{name}: there is no audio track {wanted}; legal is 1 to {count}: {tracks}")]
    UnknownTrack {
        /// Source.
        name: String,
        /// The number asked for.
        wanted: u16,
        /// Number of tracks.
        count: u16,
        /// Number, language and codec of each.
        tracks: String,
    },
    /// A piece of a recording without its beginning, which says how to decode it.
    #[error("{name}: {what}, so it cannot be decoded; {advice}")]
    NoBeginning {
        /// Source.
        name: String,
        /// What is missing.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The content violates its format.
    #[error("{name}: damaged after {at_frame} frames: {reason}; export the file again")]
    Damaged {
        /// Source.
        name: String,
        /// Frames read before the error.
        at_frame: u64,
        /// The decoder's error.
        reason: String,
    },
    /// A sample is NaN or infinite: the program that wrote the file failed.
    #[error(
        "{name}: sample {at_frame} is not a finite number (NaN or infinite); the program that \
         wrote the file failed, export it again"
    )]
    NotFinite {
        /// Source.
        name: String,
        /// Frame of the first such sample.
        at_frame: u64,
    },
    /// The file is well-formed but has no samples.
    #[error("{name}: a {format} file with no samples; there is nothing to recognise")]
    NoSamples {
        /// Source.
        name: String,
        /// Format in words.
        format: String,
    },
    /// There is no sound card, or none with an input.
    #[error("no microphone: {reason}; plug one in, or give a recording")]
    NoDevice {
        /// What was tried and the system's error.
        reason: String,
    },
    /// No device has this name.
    #[error("no input device is called '{wanted}'; there are: {known}")]
    UnknownDevice {
        /// The name asked for.
        wanted: String,
        /// The known names.
        known: String,
    },
    /// The device exists but cannot be opened.
    #[error("{name}: the device cannot be opened: {reason}; is another program using it?")]
    DeviceOpen {
        /// Device.
        name: String,
        /// The system's error.
        reason: String,
    },
    /// Too many channels to split.
    #[error("{name}: {channels} channels cannot be kept apart, {max} at most; mix them")]
    TooManyChannels {
        /// Source.
        name: String,
        /// Number of channels.
        channels: u16,
        /// Most channels that can be split.
        max: u16,
    },
}

impl AudioError {
    /// What a caller can do about the error.
    #[must_use]
    pub fn recovery(&self) -> Recovery {
        match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::Interrupted => {
                Recovery::SkipChunk
            }
            _ => Recovery::Stop,
        }
    }
}
