//! Speech that is easily lost: a quieter second voice, a quiet recording, channels that cancel.

#![cfg(all(feature = "decode", feature = "whisper"))]

use crate::recognition::hear_with;
use crate::sources::{decode, spec};
use weir_asr::{Channels, Listener, Recognised, SegmenterConfig, SourceWarning, WhisperConfig};
use weir_fixtures::voices_dir;

/// A part of a voice of the fixtures, in ms, with its loudest sample brought to `peak`.
fn voice(file: &str, from: usize, to: usize, peak: f32) -> Vec<f32> {
    let decoded = decode(&voices_dir().join(file)).expect("the fixture");
    assert_eq!((decoded.spec.rate_hz, decoded.spec.channels), (16_000, 1));
    let part = &decoded.samples[from * 16..to * 16];
    let loudest = part
        .iter()
        .fold(0.0_f32, |loudest, it| loudest.max(it.abs()));
    part.iter().map(|it| it * peak / loudest).collect()
}

fn heard(channels: u16, samples: &[f32]) -> String {
    let (heard, _) = hear_with(&WhisperConfig::default(), &spec(16_000, channels), samples);
    let text: Vec<String> = heard.iter().map(Recognised::text).collect();
    text.join(" ").to_lowercase()
}

fn warned(channels: u16, samples: &[f32]) -> Vec<SourceWarning> {
    let spec = spec(16_000, channels);
    let made = Listener::new(&spec, Channels::Mix, &SegmenterConfig::default());
    let mut listener = made.expect("a legal source");
    let mut segments = Vec::new();
    for chunk in samples.chunks(1_000) {
        listener.step(chunk, &mut segments);
    }
    listener.finish(&mut segments);
    listener.warnings("it")
}

#[test]
fn a_quieter_voice_between_two_louder_ones_is_heard() {
    let loud = voice("austen-sense-and-sensibility.flac", 7_100, 10_000, 0.3);
    for peak in [0.075, 0.038] {
        let quiet = voice("kennedy-1961.flac", 7_930, 11_000, peak);
        let text = heard(1, &[&loud[..], &quiet, &loud, &[0.0; 8_000]].concat());
        let places = ["young man", "what you can do for your country", "young man"];
        let mut from = 0;
        for part in places {
            let at = text[from..].find(part);
            from += at.unwrap_or_else(|| panic!("no '{part}' behind {from} in: {text}"));
        }
    }
}

#[test]
fn channels_that_cancel_each_other_are_heard_and_told() {
    let voice = voice("kennedy-1961.flac", 7_930, 11_000, 0.3);
    let turned: Vec<f32> = voice.iter().flat_map(|it| [*it, -it]).collect();
    assert_eq!(heard(2, &turned), heard(1, &voice));
    let told = warned(2, &turned);
    assert!(
        matches!(&told[..], [SourceWarning::Cancelling { ms: 2_500.., .. }]),
        "{told:?}"
    );
    let same: Vec<f32> = voice.iter().flat_map(|it| [*it, *it]).collect();
    assert_eq!(warned(2, &same), []);
}

#[test]
fn a_quiet_recording_and_a_channel_for_each_person_are_told() {
    let quiet = voice("kennedy-1961.flac", 7_930, 11_000, 0.002_5);
    let told = warned(1, &quiet);
    let message = told.iter().map(ToString::to_string).collect::<String>();
    assert!(
        message.contains("the loudest sample is 0.0025"),
        "{message}"
    );
    let voice = voice("kennedy-1961.flac", 7_930, 11_000, 0.3);
    let left = voice.iter().flat_map(|it| [*it, 0.0]);
    let right = voice.iter().flat_map(|it| [0.0, *it]);
    let turns: Vec<f32> = left.chain(right).collect();
    assert_eq!(warned(2, &turns), [], "six seconds tell little");
    let told = warned(2, &turns.repeat(3));
    assert!(
        matches!(&told[..], [SourceWarning::ApartChannels { .. }]),
        "{told:?}"
    );
    // somebody on the left of a room
    let room: Vec<f32> = voice.iter().flat_map(|it| [*it, it * 0.3]).collect();
    assert_eq!(warned(2, &room), []);
}
