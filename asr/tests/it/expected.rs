//! Names that may be said: they are written right, and never come out of sound without speech.

#![cfg(all(feature = "decode", feature = "whisper"))]

use crate::recognition::{hear_with, model};
use crate::sources::{decode, spec};
use weir_asr::{
    EXPECTED_TOKENS_MAX, Guards, GuardsConfig, Recognised, SampleSpan, Segment, Transcribe,
    WhisperConfig,
};
use weir_fixtures::sound::{Colour, hum, keyboard, noise, silence, tone};
use weir_fixtures::{Rng, voices_dir};

const NAMES: &str = "Adam Duguid, Ebenezer Ademesoye, Marketing Expert, Maarika, Melissa.";

fn config(expected: &str) -> WhisperConfig {
    WhisperConfig {
        expected: expected.to_owned(),
        ..WhisperConfig::default()
    }
}

/// Sound without speech, so many samples of each.
fn without_speech(count: usize) -> Vec<(&'static str, Vec<f32>)> {
    let rng = &mut Rng::new(11);
    let mut sounds = vec![
        ("silence", silence(count)),
        ("tone", tone(440.0, -12.0, count)),
        ("hum", hum(50.0, -20.0, count, rng)),
        ("keyboard", keyboard(-12.0, count, rng)),
        ("music", weir_fixtures::music::music(-15.0, count, rng)),
    ];
    let colours = [
        ("white", Colour::White),
        ("pink", Colour::Pink),
        ("brown", Colour::Brown),
    ];
    for (name, colour) in colours {
        sounds.push((name, noise(colour, -20.0, count, rng)));
    }
    sounds
}

#[test]
fn an_expected_name_is_written_right() {
    let decoded = decode(&voices_dir().join("ami-es2003a.flac")).expect("the fixture");
    let heard = |expected: &str| {
        let (heard, _) = hear_with(&config(expected), &decoded.spec, &decoded.samples);
        let text: Vec<String> = heard.iter().map(Recognised::text).collect();
        text.join(" ")
    };
    let (bare, expecting) = (heard(""), heard(NAMES));
    println!("{bare}\n{expecting}");
    assert!(!bare.contains("Ademesoye"), "nothing to mend: {bare}");
    assert!(expecting.contains("Ademesoye"), "{expecting}");
}

/// Even where the voice detector takes sound for a voice, the model does not write the names.
#[test]
fn no_expected_name_comes_out_of_sound_without_speech() {
    let guards = Guards::new(GuardsConfig::default()).expect("the defaults");
    let mut model = model().transcriber(&config(NAMES)).expect("legal");
    for (name, samples) in without_speech(16_000 * 2) {
        let segment = Segment {
            span: SampleSpan::new(0, samples.len() as u64),
            channel: 0,
            samples,
            voice: 1.0,
            tail: 0,
            language: None,
        };
        let heard = model.transcribe(&segment).expect("it runs");
        let told = format!("{name}: {heard:?}");
        println!("{told}");
        let words = guards.judge(&segment, heard).map_or(vec![], |it| it.words);
        assert!(
            !words.iter().any(|word| NAMES.contains(&word.text)),
            "{told}"
        );
    }
}

#[test]
fn half_a_minute_without_speech_has_no_word() {
    for (name, samples) in without_speech(16_000 * 30) {
        let (heard, report) = hear_with(&config(NAMES), &spec(16_000, 1), &samples);
        assert!(heard.is_empty(), "{name}: {heard:?} ({report})");
    }
}

#[test]
fn the_first_names_that_a_model_reads_are_expected() {
    let names: Vec<String> = (0..300).map(|at| format!("Person Q{at}")).collect();
    let (few, read) = model().expecting(&names[..2], "Said before.");
    assert_eq!((&*few, read), ("Person Q0, Person Q1. Said before.", 2));
    let (many, read) = model().expecting(&names, "");
    assert!((20..EXPECTED_TOKENS_MAX / 3).contains(&read), "{read}");
    assert!(many.starts_with("Person Q0, ") && many.ends_with(&format!(" Q{}.", read - 1)));
    let half = many[..many.len() / 2].trim_end();
    let (fewer, left) = model().expecting(&names, half);
    assert!(left < read && fewer.ends_with(half), "{left}");
    let (no_room, none) = model().expecting(&names, &many.repeat(2));
    assert_eq!((&*no_room, none), (&*many.repeat(2), 0));
    assert_eq!(model().expecting(&[], ""), (String::new(), 0));
}
