//! The embedded model on the spoken fixture and on all kinds of non-speech.

#![cfg(all(feature = "decode", feature = "embedded-model"))]

use weir_asr::{
    AudioSource, Channels, Decoding, Listener, Recognised, Recogniser, RecogniserConfig, Refusal,
    Rest, Segment, SourceSpec, Transcribe, TranscribeError, WhisperConfig, WhisperModel, open_file,
};
use weir_fixtures::{Rng, spoken_dir, weir_data};

fn model() -> WhisperModel {
    WhisperModel::embedded().expect("the model inside the binary loads")
}

fn made(samples: usize) -> SourceSpec {
    let (name, format) = ("made".to_owned(), "raw".to_owned());
    SourceSpec {
        name,
        format,
        rate_hz: 16_000,
        channels: 1,
        frames: Some(samples as u64),
    }
}

fn hear(spec: &SourceSpec, samples: &[f32]) -> (Vec<Recognised>, String) {
    let transcriber = model()
        .transcriber(&WhisperConfig::default())
        .expect("default settings");
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

fn read(path: &std::path::Path) -> (SourceSpec, Vec<f32>) {
    let mut source = open_file(path).expect("the clip opens");
    let (mut chunk, mut all) = (Vec::new(), Vec::new());
    while source.read(&mut chunk).expect("the clip decodes") > 0 {
        all.extend_from_slice(&chunk);
    }
    (source.spec().clone(), all)
}

/// The first `seconds` of the first sitting of the spoken dialogue.
fn dialogue(seconds: usize) -> (SourceSpec, Vec<f32>) {
    let (spec, mut samples) = read(&spoken_dir().join("kitchen-table-1.wav"));
    samples.truncate(seconds * spec.rate_hz as usize * usize::from(spec.channels));
    (spec, samples)
}

fn segments(spec: &SourceSpec, samples: &[f32]) -> Vec<Segment> {
    let transcriber = model()
        .transcriber(&WhisperConfig::default())
        .expect("default settings");
    let config = RecogniserConfig::for_model(&transcriber).segmenter;
    let mut listener = Listener::new(spec, Channels::Mix, &config).expect("a legal source");
    let mut found = Vec::new();
    listener.step(samples, &mut found);
    listener.finish(&mut found);
    found
}

#[test]
fn the_dialogue_is_understood_with_times_and_confidence() {
    let (spec, samples) = dialogue(20);
    let (heard, report) = hear(&spec, &samples);
    let text: Vec<String> = heard.iter().map(Recognised::text).collect();
    let text = text.join(" ").to_lowercase();
    for word in [
        "pancakes", "honey", "happy", "hungry", "alice", "coffee", "morning",
    ] {
        assert!(text.contains(word), "no '{word}' in: {text} ({report})");
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

/// Compares with bare whisper.cpp on the same segments with the same weights.
#[test]
fn words_and_times_are_those_of_bare_whisper() {
    let (spec, samples) = dialogue(12);
    let mut ours = model()
        .transcriber(&WhisperConfig::default())
        .expect("default settings");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/weir-tiny-q5_0.bin");
    let bare = whisper_rs::WhisperContext::new_with_params(path, Default::default())
        .expect("the same file loads");
    let segments = segments(&spec, &samples);
    assert!(segments.len() >= 3);
    for segment in &segments {
        let mut state = bare.create_state().expect("a fresh state");
        let parameters = ours.parameters(segment.span.len_ms() as u32);
        state
            .full(parameters, &segment.samples)
            .expect("bare whisper runs");
        let (mut words, mut times) = (String::new(), Vec::<(u64, u64)>::new());
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
                let data = token.token_data();
                if text.starts_with(' ') {
                    times.push((sample(data.t0), sample(data.t1)));
                } else if text.chars().any(char::is_alphanumeric)
                    && let Some(word) = times.last_mut()
                {
                    // a punctuation mark's time includes the pause after it and is not part of a
                    // word's time
                    word.1 = word.1.max(sample(data.t1));
                }
            }
        }
        let transcript = ours.transcribe(segment).expect("ours runs");
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(plain(&transcript.text()), plain(&words));
        let heard = transcript.words.iter().map(|w| (w.span.start, w.span.end));
        assert_eq!(heard.collect::<Vec<_>>(), times, "{words}");
    }
}

#[test]
fn a_transcript_depends_on_its_segment_alone() {
    let (spec, samples) = dialogue(14);
    let segments = segments(&spec, &samples);
    for decoding in [Decoding::Greedy, Decoding::Beam(5)] {
        let config = WhisperConfig {
            decoding,
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
    for seed in 0..4 {
        let music = weir_fixtures::music::music(-15.0, count, &mut Rng::new(seed));
        sounds.push((format!("music {seed}"), music));
    }
    for (name, samples) in &sounds {
        let (heard, report) = hear(&made(samples.len()), samples);
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
        let (spec, samples) = read(&path);
        let (heard, report) = hear(&spec, &samples);
        println!("{clip}: {} utterances ({report})", heard.len());
        let text: Vec<String> = heard.iter().map(Recognised::text).collect();
        assert!(heard.is_empty(), "{clip} became words: {text:?}");
    }
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
    let whole = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/models/weir-tiny-q5_0.bin"
    ))
    .expect("the model file");
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
