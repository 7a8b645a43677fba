//! Whisper tiny.en on real speech and on all kinds of sound without speech.

#![cfg(all(feature = "decode", feature = "whisper"))]

use crate::sources::{decode, segments, spec};
use std::path::Path;
use std::sync::OnceLock;
use weir_asr::{
    AudioContext, Decoding, LanguageNews, Recognised, Recogniser, RecogniserConfig, Refusal, Rest,
    SourceSpec, Transcribe, TranscribeError, WhisperConfig, WhisperDevice, WhisperModel,
};
use weir_fixtures::{Rng, optional_model_file, rounds, voices_dir, weir_data};
use whisper_rs::{DtwMode, DtwModelPreset, DtwParameters};

/// Fifteen seconds of a Spanish reading.
const SPANISH: &str = "audio/mfa/wav/13697_11991_000000.opus";

pub(crate) fn model() -> &'static WhisperModel {
    static MODEL: OnceLock<WhisperModel> = OnceLock::new();
    MODEL.get_or_init(|| {
        WhisperModel::from_bytes(
            weir_tiny_en::NAME,
            weir_tiny_en::weights(),
            WhisperDevice::Cpu,
        )
        .expect("the weights are a model")
    })
}

fn hear(spec: &SourceSpec, samples: &[f32]) -> (Vec<Recognised>, String) {
    hear_with(&WhisperConfig::default(), spec, samples)
}

/// What is heard, and how many segments were refused for which reason.
pub(crate) fn hear_with(
    config: &WhisperConfig,
    spec: &SourceSpec,
    samples: &[f32],
) -> (Vec<Recognised>, String) {
    let transcriber = model().transcriber(config).expect("legal settings");
    let config = RecogniserConfig::for_model(&transcriber);
    let made = Recogniser::for_source(spec, config, transcriber);
    let (mut recogniser, mut transcriber) = made.expect("a legal source");
    let mut out = Vec::new();
    recogniser.step(samples);
    recogniser.finish();
    while let Some(heard) = recogniser.recognise(&mut transcriber, Rest::Keep) {
        out.extend(heard.expect("the model runs").utterances);
    }
    let counts = transcriber.counts();
    let mut report = format!("{} segments", recogniser.listener().counts().segments);
    for why in Refusal::ALL
        .into_iter()
        .filter(|why| counts.refused(*why) > 0)
    {
        report += &format!(", {} refused: {}", counts.refused(why), why.reason());
    }
    (out, report)
}

/// The first `seconds` of an address: "And so, my fellow Americans: ask not ..."
fn address(seconds: usize) -> (SourceSpec, Vec<f32>) {
    let decoded = decode(&voices_dir().join("kennedy-1961.flac")).expect("the fixture");
    let (spec, mut samples) = (decoded.spec, decoded.samples);
    samples.truncate(seconds * spec.rate_hz as usize * usize::from(spec.channels));
    (spec, samples)
}

#[test]
fn an_address_is_understood_with_times_and_confidence() {
    let (spec, samples) = address(11);
    let (heard, report) = hear(&spec, &samples);
    let text: Vec<String> = heard.iter().map(Recognised::text).collect();
    let text = text.join(" ").to_lowercase();
    for words in [
        "my fellow americans",
        "ask not",
        "your country can do for you",
    ] {
        assert!(text.contains(words), "no '{words}' in: {text} ({report})");
    }
    let mut last = 0;
    for utterance in &heard {
        assert!((0.0..=1.0).contains(&utterance.confidence));
        for word in &utterance.words {
            assert!(word.span.start >= last, "times never run backwards");
            assert!(word.span.start >= utterance.span.start);
            assert!(word.span.end <= utterance.span.end);
            assert!((0.0..=1.0).contains(&word.confidence));
            last = word.span.start;
        }
    }
}

/// Compares with bare whisper.cpp on the same segments with the same weights: the words, and the
/// end of each by its alignment.
#[test]
fn words_and_times_are_those_of_bare_whisper() {
    let (spec, samples) = address(6);
    let mut ours = model()
        .transcriber(&WhisperConfig::default())
        .expect("default settings");
    let mut parameters = whisper_rs::WhisperContextParameters::default();
    parameters.dtw_parameters(DtwParameters {
        mode: DtwMode::ModelPreset {
            model_preset: DtwModelPreset::TinyEn,
        },
        dtw_mem_size: 256 << 20,
    });
    let bare = whisper_rs::WhisperContext::new_from_buffer_with_params(
        weir_tiny_en::weights(),
        parameters,
    )
    .expect("the same weights load");
    let segments = segments(&spec, &samples);
    assert!(segments.len() >= 2);
    for segment in &segments {
        let mut state = bare.create_state().expect("a fresh state");
        let parameters = ours.parameters(segment.span.len_ms() as u32);
        state
            .full(parameters, &segment.samples)
            .expect("bare whisper runs");
        let (mut words, mut ends) = (String::new(), Vec::<u64>::new());
        // a tick of whisper's is 10 ms
        let sample = |tick: i64| (tick as u64 * 160 + segment.span.start).min(segment.span.end);
        for part in state.as_iter() {
            words += &part.to_str_lossy().expect("text");
            for index in 0..part.n_tokens() {
                let token = part.get_token(index).expect("a token");
                if token.token_id() >= bare.token_eot() {
                    continue; // marks of time and end carry no word
                }
                let text = token.to_str_lossy().expect("text").into_owned();
                let end = sample(token.token_data().t_dtw);
                if text.starts_with(' ') {
                    ends.push(end);
                } else if text.chars().any(char::is_alphanumeric)
                    && let Some(word) = ends.last_mut()
                {
                    // a punctuation mark's time includes the pause after it and is not part of a
                    // word's time
                    *word = end.max(*word);
                }
            }
        }
        let transcript = ours.transcribe(segment).expect("ours runs");
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(plain(&transcript.text()), plain(&words));
        let heard = transcript.words.iter().map(|word| word.span.end);
        assert_eq!(heard.collect::<Vec<_>>(), ends, "{words}");
    }
}

#[test]
fn a_transcript_depends_on_its_segment_alone() {
    let (spec, samples) = address(6);
    let segments = segments(&spec, &samples);
    for decoding in [Decoding::Greedy, Decoding::Beam(5)] {
        let config = WhisperConfig {
            decoding,
            audio_context: AudioContext::Scaled,
            ..WhisperConfig::default()
        };
        let mut one = model().transcriber(&config).expect("legal settings");
        let first: Vec<_> = segments
            .iter()
            .map(|s| one.transcribe(s).expect("it runs"))
            .collect();
        let again = segments
            .iter()
            .rev()
            .map(|s| one.transcribe(s).expect("it runs"));
        for (b, a) in again.zip(first.iter().rev()) {
            assert_eq!(
                (&a.words, a.confidence),
                (&b.words, b.confidence),
                "{decoding:?}"
            );
        }
    }
}

#[test]
fn not_one_word_comes_out_of_sound_without_speech() {
    use weir_fixtures::sound::{Colour, hum, keyboard, noise, silence, sweep, tone};
    let count = 16_000 * 12;
    let mut rng = Rng::new(7);
    let mut sounds = vec![
        ("silence".to_owned(), silence(count)),
        ("a tone of 440 Hz".to_owned(), tone(440.0, -12.0, count)),
        ("a sweep".to_owned(), sweep(80.0, 7_000.0, -15.0, count)),
        ("mains hum".to_owned(), hum(50.0, -20.0, count, &mut rng)),
        (
            "keyboard clicks".to_owned(),
            keyboard(-12.0, count, &mut rng),
        ),
    ];
    for colour in [Colour::White, Colour::Pink, Colour::Brown] {
        sounds.push((
            format!("{colour:?} noise"),
            noise(colour, -20.0, count, &mut rng),
        ));
    }
    for seed in 0..rounds("pieces of music", "WEIR_MUSIC", 1, 4) as u64 {
        let music = weir_fixtures::music::music(-15.0, count, &mut Rng::new(seed));
        sounds.push((format!("music {seed}"), music));
    }
    for (name, samples) in &sounds {
        let (heard, report) = hear(&spec(16_000, 1), samples);
        println!("{name}: {} utterances ({report})", heard.len());
        let text: Vec<String> = heard.iter().map(Recognised::text).collect();
        assert!(heard.is_empty(), "{name} became words: {text:?}");
    }
}

#[test]
fn not_one_word_comes_out_of_recorded_noise_and_silence() {
    for clip in [
        "speechbrain/noise/noise1.wav",
        "speechbrain/noise/noise2.wav",
        "speechbrain/noise/noise3.wav",
        "speechbrain/noise/noise4.wav",
        "speechbrain/noise/noise5.wav",
        "ina/silence2sec.wav",
        "aeneas/vad/n.wav",
        "aeneas/vad/zero.wav",
    ] {
        let Some(path) = weir_data(&format!("audio/{clip}")) else {
            continue;
        };
        let decoded = decode(&path).expect("the clip decodes");
        let (heard, report) = hear(&decoded.spec, &decoded.samples);
        println!("{clip}: {} utterances ({report})", heard.len());
        let text: Vec<String> = heard.iter().map(Recognised::text).collect();
        assert!(heard.is_empty(), "{clip} became words: {text:?}");
    }
}

/// What becomes known of the language with the first window of fifteen seconds of a recording.
fn language(model: &WhisperModel, file: &Path) -> Option<LanguageNews> {
    let decoded = decode(file).expect("the recording decodes");
    let (spec, mut samples) = (decoded.spec, decoded.samples);
    samples.truncate(15 * spec.rate_hz as usize * usize::from(spec.channels));
    let transcriber = model.transcriber(&WhisperConfig::default()).expect("legal");
    let config = RecogniserConfig::for_model(&transcriber);
    let made = Recogniser::for_source(&spec, config, transcriber);
    let (mut recogniser, mut transcriber) = made.expect("a legal source");
    recogniser.step(&samples);
    recogniser.finish();
    let heard = recogniser.recognise(&mut transcriber, Rest::Give)?;
    heard.expect("the model runs").language
}

#[test]
fn an_english_model_doubts_other_languages_and_never_english() {
    let entries = std::fs::read_dir(voices_dir()).expect("the fixtures");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "flac"))
        .collect();
    files.sort();
    let (few, all) = (3, files.len());
    files.truncate(rounds("English recordings", "WEIR_ENGLISH", few, all));
    for file in files {
        assert_eq!(language(model(), &file), None, "{}", file.display());
    }
    if let Some(file) = weir_data(SPANISH) {
        assert_eq!(language(model(), &file), Some(LanguageNews::Doubted));
    }
}

#[test]
fn a_multilingual_model_finds_the_language() {
    let Some(weights) = optional_model_file("base", "ggml-base.bin") else {
        return;
    };
    let model = WhisperModel::load(weights).expect("base");
    let english = voices_dir().join("kennedy-1961.flac");
    assert_eq!(language(&model, &english), Some(LanguageNews::Hears("en")));
    if let Some(file) = weir_data(SPANISH) {
        assert_eq!(language(&model, &file), Some(LanguageNews::Hears("es")));
    }
    assert_eq!(weir_asr::language_name("es"), "Spanish");
}

#[test]
fn an_english_model_refuses_other_languages() {
    let with = |language: &str| {
        let language = Some(language.to_owned());
        model().transcriber(&WhisperConfig {
            language,
            ..WhisperConfig::default()
        })
    };
    assert!(with("en").is_ok());
    assert!(with("English").is_ok());
    assert!(with("auto").is_ok());
    assert!(matches!(
        with("de"),
        Err(TranscribeError::EnglishOnly { .. })
    ));
    assert!(matches!(
        with("klingon"),
        Err(TranscribeError::UnknownLanguage { .. })
    ));
    let threads = model().transcriber(&WhisperConfig {
        threads: 0,
        ..WhisperConfig::default()
    });
    assert!(
        threads
            .err()
            .expect("refused")
            .to_string()
            .contains("1 to 64")
    );
}

#[test]
fn files_that_are_no_whole_model_are_refused_before_whisper_sees_them() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let whole = weir_tiny_en::weights();
    let load = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the file is written");
        let error = WhisperModel::load(&path).err().expect("refused");
        assert!(error.to_string().contains(name), "{error}");
        error
    };
    for (name, bytes) in [
        ("empty.bin", Vec::new()),
        ("text.bin", b"this is no model at all".to_vec()),
        ("gguf.bin", b"GGUF\x03\0\0\0".to_vec()),
        ("sizes.bin", [&whole[..4], &[0xff; 44]].concat()),
    ] {
        let error = load(name, &bytes);
        assert!(
            matches!(error, TranscribeError::NotGgml { .. }),
            "{name}: {error}"
        );
    }
    for cut in [20, 60, 100_000, 1_000_000, whole.len() - 1] {
        let error = load("cut.bin", &whole[..cut]);
        assert!(
            matches!(error, TranscribeError::ModelTruncated { .. }),
            "{cut}: {error}"
        );
    }
    let missing = WhisperModel::load(folder.path().join("none.bin"))
        .err()
        .expect("refused");
    assert!(
        matches!(missing, TranscribeError::ModelMissing { .. }),
        "{missing}"
    );
    assert!(
        WhisperModel::load(folder.path()).is_err(),
        "a folder is no model"
    );
}

/// The built-in model with other bytes from `at` on.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut model = weir_tiny_en::weights().to_vec();
    model[at..at + bytes.len()].copy_from_slice(bytes);
    model
}

/// Where the weights of a tensor begin.
fn weights_of(tensor: &str) -> usize {
    let bytes = weir_tiny_en::weights().windows(tensor.len());
    let found = bytes.into_iter().position(|at| at == tensor.as_bytes());
    found.expect(tensor) + tensor.len()
}

/// Whisper.cpp would load each of these, and then read or write outside its memory.
#[track_caller]
fn assert_refused(models: impl IntoIterator<Item = (&'static str, Vec<u8>)>) {
    for (what, model) in models {
        let refused = WhisperModel::from_bytes("made", &model, WhisperDevice::Cpu);
        let error = refused.err().expect(what);
        let is_told = matches!(error, TranscribeError::NotGgml { .. });
        assert!(
            is_told && error.to_string().contains(what),
            "{what}: {error}"
        );
    }
}

/// Magic number and 11 sizes, two sizes of the filter bank, its values, number of tokens.
const BANK: usize = 48;
const TOKENS: usize = BANK + 8 + 80 * 201 * 4;

#[test]
fn sizes_that_do_not_fit_are_refused_before_whisper_sees_them() {
    let whole = weir_tiny_en::weights();
    let number_at = |at: usize| {
        let four = whole[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(four)
    };
    let banked = |bands: u32, bins: u32| {
        let values = vec![0; (bands * bins * 4) as usize];
        let sizes = [bands.to_le_bytes(), bins.to_le_bytes()].concat();
        [&whole[..BANK], &sizes, &values, &whole[TOKENS..]].concat()
    };
    let mut listed = TOKENS + 4;
    for _ in 0..number_at(TOKENS) {
        listed += 4 + number_at(listed) as usize;
    }
    let vocabulary = |count: u32| {
        let words = [&count.to_le_bytes()[..], &vec![0; 4 * count as usize]].concat();
        [&whole[..TOKENS], &words, &whole[listed..]].concat()
    };
    let number = |at: usize, value: u32| changed(at, &value.to_le_bytes());
    let renamed = |to: &str| changed(weights_of("encoder.conv1.bias") - to.len(), to.as_bytes());
    assert_refused([
        ("200 x 201", banked(200, 201)),
        ("80 x 4000", banked(80, 4_000)),
        ("0 entries", vocabulary(0)),
        ("60000 entries", vocabulary(60_000)),
        ("no space", vocabulary(50_257)),
        ("n_vocab", number(4, 60_000)),
        ("expected (8, [384, 51865])", number(4, 51_865)),
        ("n_text_ctx", number(24, 4_096)),
        ("expected (1, [384, 51864])", number(44, 1)),
        ("ftype", number(44, 5)),
        ("occurs twice", renamed("encoder.conv2.bias")),
        ("expected none", renamed("encoder.conv3.bias")),
    ]);
}

#[test]
fn weights_that_are_no_numbers_are_refused_before_whisper_sees_them() {
    let (nan, half_nan) = (f32::NAN.to_le_bytes(), [0xff, 0x7f]);
    let huge = 1e9_f32.to_le_bytes();
    let last = weir_tiny_en::weights().len() - 4;
    let matrix = "decoder.token_embedding.weight";
    assert_refused([
        ("filter bank has a value", changed(BANK + 8, &nan)),
        ("encoder.ln_post.bias has a value", changed(last, &nan)),
        (
            "decoder.ln.weight has a value",
            changed(weights_of("decoder.ln.weight"), &huge),
        ),
        (
            "token_embedding.weight has a value",
            changed(weights_of(matrix), &half_nan),
        ),
    ]);
}
