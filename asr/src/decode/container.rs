//! Decodes with symphonia everything that hound does not read: mp3, flac, ogg, m4a, aiff, caf, webm
//! and their codecs, and WAV of 64-bit floats, A-law and mu-law.
//!
//! A damaged packet is skipped and counted, as media players do. Silence replaces it where the
//! timestamps of the packets around it give its length, so times stay true. Invariant: all chunks
//! have the rate and channels of the first decoded packet; a stream that changes them ends with an
//! error.

use std::sync::OnceLock;

use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::codecs::registry::CodecRegistry;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;
use symphonia::core::units::TimeBase;

use super::complaint::{CONVERT, io_error};
use super::tally::Tally;
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Silence that takes the place of lost sound, in seconds of a file: times of packets may be wrong,
/// too, and a small file must not become days of silence.
const LOST_S_MAX: u64 = 3_600;
/// Frames of silence in a chunk.
const SILENCE_FRAMES: u64 = 8_192;

/// After this many damaged packets in a row, decoding stops with an error.
const DAMAGED_IN_A_ROW_MAX: u32 = 200;

/// Opens a file; symphonia detects its format.
pub(super) fn open(
    media: Box<dyn MediaSource>,
    name: &str,
) -> Result<Box<dyn AudioSource>, AudioError> {
    let (format, decoder, track) = probe(media, name)?;
    let label = format.format_info().long_name.to_owned();
    let about = format.tracks().iter().find(|it| it.id == track);
    let frames = about.and_then(|track| track.num_frames);
    // the length of an MP3 without a LAME tag is guessed from the length of the file
    let is_stated = format.format_info().short_name != "mp3"
        || about.is_some_and(|track| track.delay.is_some());
    let time_base = about.and_then(|track| track.time_base);
    let begins_at_0 = format.format_info().short_name == "flac";
    let spec = SourceSpec {
        name: name.to_owned(),
        format: label,
        rate_hz: 0,
        channels: 0,
        frames: None,
    };
    let mut source = Container::new(format, decoder, track, Tally::new(spec));
    source.time_base = time_base;
    source.due = begins_at_0.then_some(0);
    let first = source.decode_first()?;
    source.tally.spec.rate_hz = first.0;
    source.tally.spec.channels = first.1;
    source.tally.spec.frames = frames;
    source.tally.spec.clone().check()?;
    source.promised_frames = frames.filter(|_| is_stated);
    Ok(Box::new(source))
}

type Opened = (Box<dyn FormatReader>, Box<dyn AudioDecoder>, u32);

fn probe(media: Box<dyn MediaSource>, name: &str) -> Result<Opened, AudioError> {
    let stream = MediaSourceStream::new(media, Default::default());
    let format = symphonia::default::get_probe()
        .probe(
            &Hint::new(),
            stream,
            FormatOptions::default(),
            MetadataOptions::default(),
        )
        .map_err(|error| probe_error(name, error))?;
    let track = format
        .default_track(TrackType::Audio)
        .ok_or_else(|| AudioError::NotAudio {
            name: name.to_owned(),
            found: format!(
                "a {} file without an audio track",
                format.format_info().long_name
            ),
        })?;
    let id = track.id;
    let parameters = track.codec_params.as_ref().and_then(|p| p.audio()).cloned();
    let parameters =
        parameters.ok_or_else(|| unsupported(name, "an audio track of unknown codec"))?;
    let decoder = decoder(&parameters, name)?;
    Ok((format, decoder, id))
}

fn decoder(
    parameters: &AudioCodecParameters,
    name: &str,
) -> Result<Box<dyn AudioDecoder>, AudioError> {
    codecs()
        .make_audio_decoder(parameters, &AudioDecoderOptions::default())
        .map_err(|error| {
            let what = if parameters.codec == CODEC_ID_OPUS {
                format!("Opus audio ({error})")
            } else {
                format!("its codec ({error})")
            };
            unsupported(name, &what)
        })
}

/// Decoders of symphonia and, with feature `opus`, libopus.
fn codecs() -> &'static CodecRegistry {
    static CODECS: OnceLock<CodecRegistry> = OnceLock::new();
    CODECS.get_or_init(|| {
        let mut registry = CodecRegistry::new();
        symphonia::default::register_enabled_codecs(&mut registry);
        #[cfg(feature = "opus")]
        registry.register_audio_decoder::<symphonia_adapter_libopus::OpusDecoder>();
        registry
    })
}

fn probe_error(name: &str, error: Error) -> AudioError {
    match error {
        Error::IoError(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            io_error(name, source)
        }
        // The format probe found nothing, or what it found is inconsistent.
        Error::IoError(_) => AudioError::NotAudio {
            name: name.to_owned(),
            found: "no known format begins anywhere in it".to_owned(),
        },
        Error::Unsupported(reason) => AudioError::NotAudio {
            name: name.to_owned(),
            found: reason.to_owned(),
        },
        other => AudioError::Damaged {
            name: name.to_owned(),
            at_frame: 0,
            reason: other.to_string(),
        },
    }
}

fn unsupported(name: &str, what: &str) -> AudioError {
    AudioError::Unsupported {
        name: name.to_owned(),
        what: what.to_owned(),
        advice: CONVERT.to_owned(),
    }
}

/// Sound missing between packets.
#[derive(Default)]
struct Lost {
    frames: u64,
    places: u64,
    first: u64,
}

struct Container {
    format: Box<dyn FormatReader>,
    decoder: Box<dyn AudioDecoder>,
    track: u32,
    tally: Tally,
    /// The length that the file states.
    promised_frames: Option<u64>,
    /// A packet decoded but not yet returned: the first one, or one after a gap.
    held: Vec<f32>,
    /// Time base of the packets' timestamps; `None` if timestamps are ignored.
    time_base: Option<TimeBase>,
    /// Frame at which the next packet should begin, from the timestamps.
    due: Option<i64>,
    /// Frames of silence to return before `held`.
    silence: u64,
    lost: Lost,
    damaged: u64,
    first_damage: String,
}

impl Container {
    fn new(
        format: Box<dyn FormatReader>,
        decoder: Box<dyn AudioDecoder>,
        track: u32,
        tally: Tally,
    ) -> Self {
        let (held, first_damage) = (Vec::new(), String::new());
        Self {
            format,
            decoder,
            track,
            tally,
            promised_frames: None,
            held,
            time_base: None,
            due: None,
            silence: 0,
            lost: Lost::default(),
            damaged: 0,
            first_damage,
        }
    }

    /// Decodes up to the first sound, to learn the rate and channels and to check that there is
    /// sound.
    fn decode_first(&mut self) -> Result<(u32, u16), AudioError> {
        let mut first = Vec::new();
        let shape = self.decode(&mut first)?;
        self.held = first;
        shape.ok_or_else(|| {
            let (name, format) = (self.tally.spec.name.clone(), self.tally.spec.format.clone());
            if self.damaged > 0 {
                let reason = self.first_damage.clone();
                return AudioError::Damaged {
                    name,
                    at_frame: 0,
                    reason,
                };
            }
            AudioError::NoSamples { name, format }
        })
    }

    /// Decodes the next packet that holds sound into `out`; `None` at the end.
    fn decode(&mut self, out: &mut Vec<f32>) -> Result<Option<(u32, u16)>, AudioError> {
        let mut in_a_row = 0;
        loop {
            let packet = match self.format.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => return Ok(None),
                Err(Error::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    self.note_damage("the file ends inside a packet");
                    return Ok(None);
                }
                Err(Error::IoError(error)) => {
                    return Err(io_error(&self.tally.spec.name, error));
                }
                Err(Error::ResetRequired) => {
                    self.start_over()?;
                    continue;
                }
                Err(error) => {
                    self.note_damage(&error.to_string());
                    in_a_row += 1;
                    if in_a_row == DAMAGED_IN_A_ROW_MAX {
                        return Ok(None);
                    }
                    continue;
                }
            };
            if packet.track_id != self.track {
                continue;
            }
            match self.decoder.decode(&packet) {
                Ok(buffer) if buffer.frames() == 0 => {}
                Ok(buffer) => {
                    let spec = buffer.spec();
                    let channels = u16::try_from(spec.channels().count()).unwrap_or(u16::MAX);
                    let (shape, frames) = ((spec.rate(), channels), buffer.frames());
                    buffer.copy_to_vec_interleaved(out);
                    self.find_gap(&packet, shape.0, frames as u64);
                    return Ok(Some(shape));
                }
                Err(Error::ResetRequired) => self.decoder.reset(),
                Err(error) => {
                    self.note_damage(&error.to_string());
                    in_a_row += 1;
                    if in_a_row == DAMAGED_IN_A_ROW_MAX {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Checks whether sound is missing before a packet of this many frames.
    fn find_gap(&mut self, packet: &Packet, rate_hz: u32, frames: u64) {
        let Some(begun) = self
            .time_base
            .and_then(|base| frame_of(packet, base, rate_hz))
        else {
            return;
        };
        let due = self.due.replace(begun.saturating_add_unsigned(frames));
        let gap = due.map_or(0, |due| begun.saturating_sub(due));
        let gap = u64::try_from(gap).unwrap_or(0);
        let rate = u64::from(rate_hz);
        // times of packets are rounded in some formats
        if gap < rate / 50 || self.lost.frames.saturating_add(gap) > LOST_S_MAX * rate {
            return;
        }
        self.silence = gap;
        if self.lost.places == 0 {
            self.lost.first = self.tally.frames;
        }
        self.lost.places += 1;
        self.lost.frames += gap;
    }

    /// Another stream is chained after the first one (ogg): makes a new decoder for it.
    fn start_over(&mut self) -> Result<(), AudioError> {
        let name = self.tally.spec.name.clone();
        let track = self.format.default_track(TrackType::Audio);
        let parameters =
            track.and_then(|t| Some((t.id, t.codec_params.as_ref()?.audio()?.clone())));
        let Some((id, parameters)) = parameters else {
            let reason = "a stream without sound is chained behind the first".to_owned();
            return Err(AudioError::Damaged {
                name,
                at_frame: self.tally.frames,
                reason,
            });
        };
        self.decoder = decoder(&parameters, &name)?;
        self.track = id;
        self.due = None;
        Ok(())
    }

    fn note_damage(&mut self, reason: &str) {
        if self.damaged == 0 {
            reason.clone_into(&mut self.first_damage);
        }
        self.damaged += 1;
    }

    fn end(&mut self) {
        if self.damaged > 0 && !self.tally.ended {
            self.tally.warnings.push(SourceWarning::Damaged {
                name: self.tally.spec.name.clone(),
                packets: self.damaged,
                reason: self.first_damage.clone(),
            });
        }
        if self.lost.places > 0 && !self.tally.ended {
            let (spec, lost) = (&self.tally.spec, &self.lost);
            self.tally.warnings.push(SourceWarning::Missing {
                name: spec.name.clone(),
                frames: lost.frames,
                of_frames: self.tally.frames.max(self.promised_frames.unwrap_or(0)),
                places: lost.places,
                first: lost.first,
                rate_hz: spec.rate_hz,
            });
        }
        // encoders round by less than a tenth of a second
        let slack = u64::from(self.tally.spec.rate_hz / 10);
        let promised = self.promised_frames;
        let promised = promised.filter(|promised| *promised > self.tally.frames + slack);
        self.tally.end(promised);
    }

    /// The next samples, decoded or silence for a gap; none at the end.
    fn next(&mut self, out: &mut Vec<f32>) -> Result<Option<(u32, u16)>, AudioError> {
        let shape = (self.tally.spec.rate_hz, self.tally.spec.channels);
        if self.silence == 0 && self.held.is_empty() {
            match self.decode(out)? {
                Some(shape) if self.silence == 0 => return Ok(Some(shape)),
                Some(other) if other == shape => std::mem::swap(out, &mut self.held),
                other => return Ok(other),
            }
        }
        if self.silence > 0 {
            let frames = self.silence.min(SILENCE_FRAMES);
            self.silence -= frames;
            out.clear();
            out.resize(frames as usize * usize::from(shape.1), 0.0);
        } else {
            *out = std::mem::take(&mut self.held);
        }
        Ok(Some(shape))
    }
}

/// Frame at which a packet begins; `None` if its timestamps do not count frames.
fn frame_of(packet: &Packet, base: TimeBase, rate_hz: u32) -> Option<i64> {
    let counts = u64::from(base.numer.get()) * u64::from(rate_hz) == u64::from(base.denom.get());
    let start = i64::try_from(packet.trim_start.get()).ok()?;
    packet.pts.get().checked_add(start).filter(|_| counts)
}

impl AudioSource for Container {
    fn spec(&self) -> &SourceSpec {
        &self.tally.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        out.clear();
        if self.tally.ended {
            return Ok(0);
        }
        let Some(shape) = self.next(out)? else {
            out.clear();
            self.end();
            return Ok(0);
        };
        let spec = &self.tally.spec;
        if shape != (spec.rate_hz, spec.channels) {
            let reason = format!(
                "rate and channels change from {} Hz, {} to {} Hz, {}",
                spec.rate_hz, spec.channels, shape.0, shape.1
            );
            let (name, at_frame) = (spec.name.clone(), self.tally.frames);
            self.tally.ended = true;
            return Err(AudioError::Damaged {
                name,
                at_frame,
                reason,
            });
        }
        self.tally.chunk(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.tally.warnings);
    }
}
