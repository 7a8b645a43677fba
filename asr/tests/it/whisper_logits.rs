//! A converted Whisper gives the same logits in whisper.cpp as its checkpoint in transformers
//! (recorded by `scripts/golden/make_tiny_whisper.py`).

use std::fs::File;
use std::path::Path;

use crate::whisper_folders::{checkpoint, golden_folder};
use serde_json::Value;
use tempfile::TempDir;
use weir_models::whisper::{Checkpoint, Quantisation};
use whisper_rs::{WhisperContext, WhisperContextParameters};

const ENGLISH: &str = "english-hugging-face";
const BANDS: u64 = 80;
const FRAMES: u64 = 128;
/// Share of the logits' root mean square. whisper.cpp stores weights, keys and values in float16
/// and uses a float16 table for GELU; transformers ran in float32.
const FLOAT16_SHARE_MAX: f32 = 0.005;
/// Eight bits per weight and per value; measured: 0.040, and 0.0017 above.
const Q8_0_SHARE_MAX: f32 = 0.08;

fn load(name: &str, kind: Option<Quantisation>, place: &TempDir) -> WhisperContext {
    let folder = checkpoint(name);
    let file = place.path().join("ggml.bin");
    let opened = Checkpoint::open(folder.path()).unwrap();
    let mut out = File::create(&file).unwrap();
    opened.write(kind, &mut out, &mut |_| {}).unwrap();
    let mut parameters = WhisperContextParameters::default();
    parameters.use_gpu(false);
    WhisperContext::new_with_params(Path::new(&file), parameters).unwrap()
}

/// The spectrogram used by the script.
fn sound() -> Vec<f32> {
    let noise = (0..BANDS * FRAMES).map(|at| ((at * 2_654_435_761) & 0xffff_ffff) >> 24);
    noise.map(|value| value as f32 / 128.0 - 1.0).collect()
}

/// The root mean square of the differences, relative to that of the expected values.
fn difference(context: &WhisperContext) -> f32 {
    let text = std::fs::read(golden_folder().join("golden.json")).unwrap();
    let golden: Value = serde_json::from_slice(&text).unwrap();
    let golden = &golden[ENGLISH]["whole"];
    let tokens: Vec<i32> = serde_json::from_value(golden["tokens"].clone()).unwrap();
    let expected: Vec<Vec<f32>> = serde_json::from_value(golden["logits"].clone()).unwrap();
    assert_eq!((tokens.len(), expected.len()), (8, 8));
    let mut state = context.create_state().unwrap();
    state.set_mel(&sound()).unwrap();
    state.encode(0, 1).unwrap();
    let (mut off, mut all) = (0.0, 0.0);
    for (past, (token, expected)) in tokens.into_iter().zip(expected).enumerate() {
        state.decode(&[token], past, 1).unwrap();
        for (found, expected) in state.get_logits().unwrap().iter().zip(expected) {
            assert!(found.is_finite());
            off += (found - expected).powi(2);
            all += expected.powi(2);
        }
    }
    (off / all).sqrt()
}

#[test]
fn whisper_cpp_gives_the_logits_of_transformers() {
    let place = TempDir::new().unwrap();
    for (kind, most) in [
        (None, FLOAT16_SHARE_MAX),
        (Some(Quantisation::Q8_0), Q8_0_SHARE_MAX),
    ] {
        let share = difference(&load(ENGLISH, kind, &place));
        println!("{kind:?}: off by {share} of the logits' root mean square");
        assert!(
            share < most,
            "{kind:?}: {share} of the logits, at most {most}"
        );
    }
}

#[test]
fn whisper_cpp_loads_a_distilled_large_v3() {
    let place = TempDir::new().unwrap();
    let context = load("large-v3-ctranslate2", Some(Quantisation::Q5_1), &place);
    assert!(context.is_multilingual());
    assert_eq!((context.n_vocab(), context.model_n_mels()), (51_866, 128));
    assert_eq!(
        (context.n_text_ctx(), context.model_n_text_layer()),
        (32, 1)
    );
    // The text is followed by the end-of-text token, the start token, and a hundred languages.
    assert_eq!((context.token_eot(), context.token_sot()), (50_257, 50_258));
    assert_eq!(context.token_beg(), 50_365);
}
