//! The audio tracks of a file, the one that is heard, and its decoder.

use std::sync::OnceLock;

use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::codecs::registry::CodecRegistry;
use symphonia::core::formats::{FormatReader, Track, TrackType};

use super::complaint::unsupported;
use crate::{AudioError, SourceWarning};

/// The track that is heard.
pub(super) struct Heard {
    pub(super) id: u32,
    pub(super) parameters: AudioCodecParameters,
    /// A warning that lists the tracks, if there are several and nobody chose one.
    pub(super) warning: Option<SourceWarning>,
}

/// The track of this number, counted from 1 among the audio tracks, or the file's default.
///
/// # Errors
/// There is no audio track, or none of this number, or its codec is unknown.
pub(super) fn choose(
    format: &dyn FormatReader,
    number: Option<u16>,
    name: &str,
) -> Result<Heard, AudioError> {
    let tracks: Vec<&Track> = format.tracks().iter().filter(|it| is_audio(it)).collect();
    let default = || {
        let default = format.default_track(TrackType::Audio)?;
        tracks.iter().position(|track| track.id == default.id)
    };
    let at = match number {
        Some(number) => usize::from(number).checked_sub(1),
        None => Some(default().unwrap_or(0)),
    };
    let count = u16::try_from(tracks.len()).unwrap_or(u16::MAX);
    let Some((at, track)) = at.and_then(|at| Some((at, *tracks.get(at)?))) else {
        let name = name.to_owned();
        return Err(match number.filter(|_| count > 0) {
            Some(wanted) => AudioError::UnknownTrack {
                name,
                wanted,
                count,
                tracks: listed(&tracks),
            },
            None => AudioError::NotAudio {
                name,
                found: format!(
                    "a {} file without an audio track",
                    format.format_info().long_name
                ),
            },
        });
    };
    let parameters = track.codec_params.as_ref().and_then(|it| it.audio());
    let Some(parameters) = parameters.cloned() else {
        return Err(unsupported(name, "an audio track of unknown codec"));
    };
    let warning = (count > 1).then(|| SourceWarning::OtherTracks {
        name: name.to_owned(),
        count,
        tracks: listed(&tracks),
        heard: u16::try_from(at + 1).unwrap_or(u16::MAX),
    });
    let id = track.id;
    Ok(Heard {
        id,
        parameters,
        warning: warning.filter(|_| number.is_none()),
    })
}

fn is_audio(track: &Track) -> bool {
    track
        .codec_params
        .as_ref()
        .is_some_and(|it| it.audio().is_some())
}

/// The tracks in words: "1: eng, aac; 2: deu, opus".
fn listed(tracks: &[&Track]) -> String {
    let one = |(at, track): (usize, &&Track)| {
        let language = track.language.as_deref().filter(|code| !code.is_empty());
        let parameters = track.codec_params.as_ref().and_then(|it| it.audio());
        let known = parameters.and_then(|it| codecs().get_audio_decoder(it.codec));
        let codec = known.map_or("unknown codec", |it| it.codec.info.short_name);
        format!("{}: {}, {codec}", at + 1, language.unwrap_or("no language"))
    };
    let all: Vec<String> = tracks.iter().enumerate().map(one).collect();
    all.join("; ")
}

pub(super) fn decoder(
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
