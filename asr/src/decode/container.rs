//! Decodes with symphonia everything that hound does not read: mp3, flac, ogg, m4a, aiff, caf, webm
//! and their codecs, and WAV of 64-bit floats, A-law, mu-law and ADPCM.
//!
//! A damaged packet is skipped and counted, as media players do. Silence replaces it where the
//! times of the packets around it give its length, so times stay true. Invariant: all chunks have
//! the rate and channels of the first decoded packet; a stream that changes them is brought to
//! these.

use symphonia::core::audio::GenericAudioBufferRef;
use symphonia::core::codecs::audio::AudioDecoder;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

use super::clock::Clock;
use super::complaint::io_error;
use super::packets::Packets;
use super::reshape::{Reshape, Shape};
use super::tally::Tally;
use super::tracks::{self, Heard};
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Silence that takes the place of lost sound, in seconds of a file: times of packets may be wrong,
/// too, and a small file must not become days of silence.
const LOST_S_MAX: u64 = 3_600;
/// Frames of silence in a chunk.
const SILENCE_FRAMES: u64 = 8_192;

/// After this many damaged packets in a row, decoding ends; the rest is not read.
const DAMAGED_IN_A_ROW_MAX: u32 = 200;

/// How to read a file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Opening {
    /// The audio track that is heard, from 1; the file's default if `None`.
    pub(super) track: Option<u16>,
    /// The file does not state its length: it may end anywhere.
    pub(super) is_endless: bool,
}

/// Opens a file; symphonia detects its format.
pub(super) fn open(
    media: Box<dyn MediaSource>,
    name: &str,
    opening: Opening,
) -> Result<Box<dyn AudioSource>, AudioError> {
    let format = probe(media, name)?;
    let heard = tracks::choose(&*format, opening.track, name)?;
    let info = *format.format_info();
    let about = format.tracks().iter().find(|it| it.id == heard.id);
    let frames = about.and_then(|track| track.num_frames);
    // these formats have no header for the whole; only an MP3 with a LAME tag states its length
    let is_stated =
        !counts_frames(info.short_name) || about.is_some_and(|track| track.delay.is_some());
    let spec = SourceSpec {
        name: name.to_owned(),
        format: info.long_name.to_owned(),
        rate_hz: 0,
        channels: 0,
        frames: None,
    };
    let mut source = Container {
        decoder: tracks::decoder(&heard.parameters, name)?,
        clock: clock(&*format, heard.id),
        packets: Packets::new(format, is_stated),
        track: heard.id,
        opening,
        reshape: Reshape::new(name, (0, 0)),
        tally: Tally::new(spec),
        promised_frames: None,
        held: Vec::new(),
        shape: (0, 0),
        silence: 0,
        lost: Lost::default(),
        drained: false,
        damaged: 0,
        first_damage: String::new(),
    };
    let first = source.decode_first()?;
    source.tally.spec.rate_hz = first.0;
    source.tally.spec.channels = first.1;
    source.tally.spec.frames = frames;
    source.tally.spec.clone().check()?;
    source.reshape = Reshape::new(name, first);
    source.tally.warnings.extend(heard.warning);
    source.promised_frames = frames.filter(|_| is_stated);
    Ok(Box::new(source))
}

/// True for formats whose times count the frames of packets.
fn counts_frames(format: &str) -> bool {
    matches!(format, "mp1" | "mp2" | "mp3" | "aac")
}

fn clock(format: &dyn FormatReader, track: u32) -> Clock {
    let short_name = format.format_info().short_name;
    let track = format.tracks().iter().find(|it| it.id == track);
    let base = track.and_then(|track| track.time_base);
    Clock::new(base, counts_frames(short_name), short_name == "flac")
}

fn probe(media: Box<dyn MediaSource>, name: &str) -> Result<Box<dyn FormatReader>, AudioError> {
    let stream = MediaSourceStream::new(media, Default::default());
    symphonia::default::get_probe()
        .probe(
            &Hint::new(),
            stream,
            FormatOptions::default(),
            MetadataOptions::default(),
        )
        .map_err(|error| probe_error(name, error))
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

/// Sound missing between packets.
#[derive(Default)]
struct Lost {
    frames: u64,
    places: u64,
    first: u64,
}

struct Container {
    packets: Packets,
    decoder: Box<dyn AudioDecoder>,
    track: u32,
    opening: Opening,
    tally: Tally,
    /// The length that the file states.
    promised_frames: Option<u64>,
    /// A packet decoded but not yet returned: the first one, or one after a gap.
    held: Vec<f32>,
    /// Rate and channels of the last packet.
    shape: Shape,
    /// Frames of silence to return before `held`, at the rate of the packet.
    silence: u64,
    clock: Clock,
    reshape: Reshape,
    lost: Lost,
    /// True once everything is decoded.
    drained: bool,
    damaged: u64,
    first_damage: String,
}

impl Container {
    /// Decodes up to the first sound, to learn the rate and channels and to check that there is
    /// sound.
    fn decode_first(&mut self) -> Result<Shape, AudioError> {
        let mut first = Vec::new();
        let is_sound = self.decode(&mut first)?;
        self.held = first;
        if is_sound {
            return Ok(self.shape);
        }
        let (name, format) = (self.tally.spec.name.clone(), self.tally.spec.format.clone());
        Err(match self.damaged {
            0 => AudioError::NoSamples { name, format },
            _ => AudioError::Damaged {
                name,
                at_frame: 0,
                reason: self.first_damage.clone(),
            },
        })
    }

    /// Decodes the next packet that holds sound into `out`; false at the end.
    fn decode(&mut self, out: &mut Vec<f32>) -> Result<bool, AudioError> {
        let mut in_a_row = 0;
        while in_a_row < DAMAGED_IN_A_ROW_MAX {
            let packet = match self.packets.next() {
                Ok(Some(packet)) if packet.track_id == self.track => packet,
                Ok(Some(_)) => continue,
                Ok(None) => return Ok(false),
                Err(Error::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    if !self.opening.is_endless {
                        self.note_damage("the file ends inside a packet");
                    }
                    return Ok(false);
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
                    continue;
                }
            };
            match self.decoder.decode(&packet).map(drop) {
                Err(Error::ResetRequired) => self.decoder.reset(),
                Err(error) if !self.renew(&packet)? => {
                    self.note_damage(&error.to_string());
                    in_a_row += 1;
                }
                _ => {
                    let buffer = self.decoder.last_decoded();
                    let frames = buffer.frames();
                    if frames > 0 {
                        self.shape = shape(&buffer);
                        buffer.copy_to_vec_interleaved(out);
                        self.check_shape()?;
                        self.find_gap(&packet, frames as u64);
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Refuses a rate and channels that no front end takes, wherever in the file they stand.
    fn check_shape(&self) -> Result<(), AudioError> {
        let (rate_hz, channels) = self.shape;
        let spec = SourceSpec {
            rate_hz,
            channels,
            ..self.tally.spec.clone()
        };
        spec.check().map(drop)
    }

    /// A decoder refuses a packet of another rate or other channels; a new one reads it. True if
    /// it did.
    fn renew(&mut self, packet: &Packet) -> Result<bool, AudioError> {
        if !self.packets.is_followed(packet) {
            return Ok(false);
        }
        let parameters = self.decoder.codec_params().clone();
        let mut decoder = tracks::decoder(&parameters, &self.tally.spec.name)?;
        let is_other = decoder
            .decode(packet)
            .is_ok_and(|it| shape(&it) != self.shape);
        if is_other {
            self.decoder = decoder;
        }
        Ok(is_other)
    }

    /// Checks whether sound is missing before a packet of this many frames.
    fn find_gap(&mut self, packet: &Packet, frames: u64) {
        let here = u64::from(self.shape.0);
        let source = match self.tally.spec.rate_hz {
            0 => here,
            rate_hz => u64::from(rate_hz),
        };
        let most = (LOST_S_MAX * source).saturating_sub(self.lost.frames) * here / source;
        self.silence = self.clock.gap(packet, self.shape.0, frames, most);
        if self.silence == 0 {
            return;
        }
        if self.lost.places == 0 {
            self.lost.first = self.tally.frames;
        }
        self.lost.places += 1;
        self.lost.frames += self.silence * source / here;
    }

    /// Another stream is chained after the first one (ogg): makes a new decoder for it.
    fn start_over(&mut self) -> Result<(), AudioError> {
        let name = self.tally.spec.name.clone();
        let format = &*self.packets.format;
        let chosen = tracks::choose(format, self.opening.track, &name);
        let Heard { id, parameters, .. } = chosen.map_err(|_| AudioError::Damaged {
            name: name.clone(),
            at_frame: self.tally.frames,
            reason: "a stream without this sound is chained behind the first".to_owned(),
        })?;
        self.clock = clock(format, id);
        self.decoder = tracks::decoder(&parameters, &name)?;
        self.track = id;
        Ok(())
    }

    fn note_damage(&mut self, reason: &str) {
        if self.damaged == 0 {
            reason.clone_into(&mut self.first_damage);
        }
        self.damaged += 1;
    }

    fn end(&mut self) {
        if !self.tally.ended {
            self.tally.warnings.extend(self.reshape.warning());
        }
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

    /// The next samples, decoded or silence for a gap; false at the end.
    fn next(&mut self, out: &mut Vec<f32>) -> Result<bool, AudioError> {
        if self.silence == 0 && self.held.is_empty() {
            match self.decode(out)? {
                true if self.silence > 0 => std::mem::swap(out, &mut self.held),
                is_sound => return Ok(is_sound),
            }
        }
        if self.silence > 0 {
            let frames = self.silence.min(SILENCE_FRAMES);
            self.silence -= frames;
            out.clear();
            out.resize(frames as usize * usize::from(self.shape.1), 0.0);
        } else {
            *out = std::mem::take(&mut self.held);
        }
        Ok(true)
    }
}

fn shape(buffer: &GenericAudioBufferRef<'_>) -> Shape {
    let channels = buffer.spec().channels().count();
    (
        buffer.spec().rate(),
        u16::try_from(channels).unwrap_or(u16::MAX),
    )
}

impl AudioSource for Container {
    fn spec(&self) -> &SourceSpec {
        &self.tally.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        out.clear();
        while !self.tally.ended && out.is_empty() {
            if !self.drained && self.next(out)? {
                self.reshape.step(self.shape, out, self.tally.frames)?;
                continue;
            }
            self.drained = true;
            out.clear();
            self.reshape.finish(out);
            if out.is_empty() {
                self.end();
            }
        }
        self.tally.chunk(out)
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.tally.warnings);
    }
}
