//! Vectors of speakers and activities equal those of the reference networks in PyTorch (recorded
//! by `scripts/golden/make_speaker.py`), for small random weights and for the published ones.
#![cfg(feature = "candle")]

use std::path::Path;

use crate::golden::{device, golden, read_json};
use serde_json::Value;
use weir_models::{
    EncodeSpeaker, SegmentSpeech, SpeakerEncoder, SpeechSegmentation, VoiceError, WINDOW_SPEAKERS,
};

/// Of a value; of a logarithm beyond -1 it is a share of that.
const DIFFERENCE_MAX: f32 = 1e-4;

/// Samples of the spoken fixture, a WAV file of 16 bits with a header of 44 bytes.
fn sound(place: &Value) -> Vec<f32> {
    let [start, count] = [0, 1].map(|field| place[field].as_u64().unwrap() as usize);
    let file = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    let bytes = std::fs::read(file).unwrap();
    let samples = bytes[44..].as_chunks::<2>().0[start..start + count].iter();
    let samples = samples.map(|two| f32::from(i16::from_le_bytes(*two)) / 32_768.0);
    samples.collect()
}

fn floats(value: &Value) -> Vec<f32> {
    serde_json::from_value(value.clone()).unwrap()
}

fn worst(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let off = |(x, y): (&f32, &f32)| (x - y).abs() / y.abs().max(1.0);
    found.iter().zip(expected).map(off).fold(0.0, f32::max)
}

fn assert_vectors_equal(model: &SpeakerEncoder, recorded: &Value) {
    let mut off: f32 = 0.0;
    for item in recorded["embeddings"].as_array().unwrap() {
        let found = model.encode_speaker(&sound(&item["sound"])).unwrap();
        let length: f32 = found.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5, "{length}");
        off = off.max(worst(&found, &floats(&item["vector"])));
    }
    println!("{}: vectors are off by {off:e} at most", model.identity());
    assert!(off < DIFFERENCE_MAX, "off by {off:e}");
}

fn assert_frames_equal(model: &SpeechSegmentation, recorded: &Value) {
    let mut off: f32 = 0.0;
    for item in recorded["segmentations"].as_array().unwrap() {
        let sound = sound(&item["sound"]);
        let found = model.segment(&sound).unwrap();
        let found = found.log_probabilities();
        assert_eq!(found.len(), model.window().frames_in(sound.len()));
        let rows: Vec<usize> = serde_json::from_value(item["rows"].clone()).unwrap();
        let rows = rows.iter().zip(item["values"].as_array().unwrap());
        for (row, expected) in rows.filter(|(row, _)| **row < found.len()) {
            off = off.max(worst(&found[*row], &floats(expected)));
        }
    }
    println!(
        "{}: log-probabilities are off by {off:e} at most",
        model.name()
    );
    assert!(off < DIFFERENCE_MAX, "off by {off:e}");
}

#[test]
fn vectors_of_a_small_network_equal_the_reference() {
    let folder = golden("tiny-campplus");
    let model = SpeakerEncoder::load_on(&folder, device()).unwrap();
    assert_eq!(model.dimension(), 12);
    assert_vectors_equal(&model, &read_json(&folder.join("golden.json")));
}

#[test]
fn frames_of_a_small_network_equal_the_reference() {
    let folder = golden("tiny-pyannet");
    let model = SpeechSegmentation::load_on(&folder, device()).unwrap();
    let recorded = read_json(&folder.join("golden.json"));
    assert_frames_equal(&model, &recorded);
    let item = &recorded["segmentations"][0];
    let frames = model.segment(&sound(&item["sound"])).unwrap();
    let mut counts = [0_u64; 1 << WINDOW_SPEAKERS];
    for [a, b, c] in frames.active() {
        counts[usize::from(a) + 2 * usize::from(b) + 4 * usize::from(c)] += 1;
    }
    let classes: Vec<u64> = serde_json::from_value(item["classes"].clone()).unwrap();
    let sets = [0, 1, 2, 4, 3, 5, 6];
    for (class, set) in classes.iter().zip(sets) {
        // a frame between two classes may fall to either
        assert!(counts[set].abs_diff(*class) <= 1, "{counts:?} {classes:?}");
    }
}

/// The published weights, if they are installed.
fn installed(model: &str, file: &str) -> Option<std::path::PathBuf> {
    let file = weir_fixtures::need::model_file(model, file)?;
    Some(file.parent().unwrap_or(Path::new("")).to_owned())
}

#[test]
fn vectors_of_the_published_weights_equal_the_reference() {
    let Some(folder) = installed("campplus-cn-en-common", "campplus_cn_en_common.pt") else {
        return;
    };
    let model = SpeakerEncoder::load_on(folder, device()).unwrap();
    assert_eq!(model.dimension(), 192);
    assert_eq!(model.identity().name, "campplus-cn-en-common");
    assert_vectors_equal(&model, &read_json(&golden("speaker.json")));
}

#[test]
fn frames_of_the_published_weights_equal_the_reference() {
    let Some(folder) = installed("pyannote-segmentation-3.0", "pytorch_model.bin") else {
        return;
    };
    let model = SpeechSegmentation::load_on(folder, device()).unwrap();
    assert_frames_equal(&model, &read_json(&golden("speaker.json")));
}

fn small() -> (SpeakerEncoder, SpeechSegmentation) {
    (
        SpeakerEncoder::load_on(golden("tiny-campplus"), device()).unwrap(),
        SpeechSegmentation::load_on(golden("tiny-pyannet"), device()).unwrap(),
    )
}

#[test]
fn a_sound_of_the_wrong_length_is_refused() {
    let (encoder, segmentation) = small();
    let least = encoder.samples_min();
    assert_eq!(encoder.encode_speaker(&[0.1; 1_600]).unwrap().len(), 12);
    for samples in [0, 1, least - 1] {
        let error = encoder.encode_speaker(&vec![0.1; samples]).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("campplus-12"), "{message}");
        assert!(message.contains("at least 1600 samples"), "{message}");
        assert!(message.ends_with(&format!("got {samples}")), "{message}");
    }
    let window = segmentation.window();
    assert_eq!(segmentation.segment(&[0.1; 991]).unwrap().active().len(), 1);
    let error = segmentation.segment(&[0.1; 990]).unwrap_err();
    assert!(matches!(error, VoiceError::TooShort { min: 991, .. }));
    let long = vec![0.1; window.samples_max + 1];
    let error = segmentation.segment(&long).unwrap_err();
    assert!(error.to_string().contains("at most 160000"), "{error}");
    let frames = segmentation.segment(&long[1..]).unwrap();
    assert_eq!(frames.log_probabilities().len(), 589);
}

#[test]
fn a_sample_that_is_not_finite_is_named() {
    let (encoder, segmentation) = small();
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut sound = vec![0.1; 2_000];
        sound[1_234] = odd;
        let errors = [
            encoder.encode_speaker(&sound).map(drop).unwrap_err(),
            segmentation.segment(&sound).map(drop).unwrap_err(),
        ];
        for error in errors {
            let named = "sample 1234 of the sound for ";
            assert!(error.to_string().starts_with(named), "{error}");
            assert!(matches!(error, VoiceError::NotFinite { .. }), "{error}");
        }
    }
}

#[test]
fn silence_and_extreme_samples_give_a_result_or_an_error() {
    let (encoder, segmentation) = small();
    for level in [0.0, 1e-30, 1.0, 1e6, f32::MAX] {
        let sound: Vec<f32> = (0..4_000)
            .map(|at| if at % 40 < 20 { level } else { -level })
            .collect();
        match encoder.encode_speaker(&sound) {
            Ok(vector) => assert!(vector.iter().all(|x| x.is_finite()), "{level}"),
            Err(error) => assert!(matches!(error, VoiceError::Damaged { .. }), "{error}"),
        }
        match segmentation.segment(&sound) {
            Ok(frames) => {
                for chances in frames.probabilities() {
                    let sound = (0.0..=1.001).contains(&chances[0]);
                    assert!(sound, "{level} {chances:?}");
                }
            }
            Err(error) => assert!(matches!(error, VoiceError::Damaged { .. }), "{error}"),
        }
    }
}

/// Threads may call at the same time; a call does not see the others.
#[test]
fn a_result_depends_on_its_samples_alone() {
    let (encoder, segmentation) = small();
    let recorded = read_json(&golden("tiny-campplus/golden.json"));
    let places = recorded["embeddings"].as_array().unwrap();
    let sounds: Vec<_> = places.iter().map(|item| sound(&item["sound"])).collect();
    let alone: Vec<_> = sounds
        .iter()
        .map(|sound| {
            (
                encoder.encode_speaker(sound).unwrap(),
                segmentation.segment(sound).unwrap(),
            )
        })
        .collect();
    std::thread::scope(|scope| {
        for (sound, expected) in sounds.iter().zip(&alone) {
            let (encoder, segmentation) = (&encoder, &segmentation);
            scope.spawn(move || {
                assert_eq!(encoder.encode_speaker(sound).unwrap(), expected.0);
                assert_eq!(segmentation.segment(sound).unwrap(), expected.1);
            });
        }
    });
}
