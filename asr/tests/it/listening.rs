//! The front end and the segmenter: counting, chunk invariance, bounds.

#![cfg(feature = "listen")]

use crate::sources::{pieces, spec};
use proptest::prelude::*;
use weir_asr::{
    Channels, FrontEnd, Listener, LoudnessDetector, Recognised, Recogniser, RecogniserConfig, Rest,
    ScriptedTranscriber, Segment, Segmenter, SegmenterConfig,
};

/// Bursts of a buzz with pauses between them: enough like speech for the detector to open.
fn bursts(rate_hz: u32, channels: u16, seconds: f32) -> Vec<f32> {
    let frames = (seconds * rate_hz as f32) as usize;
    let mut out = Vec::with_capacity(frames * usize::from(channels));
    for frame in 0..frames {
        let t = frame as f32 / rate_hz as f32;
        for channel in 0..channels {
            let on = (t * 0.4 + f32::from(channel) * 0.3).fract() < 0.6;
            let syllable = (t * 4.0 * std::f32::consts::TAU).sin().max(0.0);
            let pitch = 120.0 + 20.0 * (t * 2.0).sin();
            let voice: f32 = (1..30)
                .map(|h| (t * pitch * h as f32 * std::f32::consts::TAU).sin() / h as f32)
                .sum();
            out.push(if on { 0.2 * voice * syllable } else { 0.0 });
        }
    }
    out
}

fn front_end(rate_hz: u32, input: &[f32], cuts: &[usize]) -> Vec<f32> {
    let mut front = FrontEnd::new(&spec(rate_hz, 1), Channels::Mix).expect("a legal source");
    let (mut planes, mut all) = (Vec::new(), Vec::new());
    for piece in pieces(input, cuts) {
        front.step(piece, &mut planes);
        all.extend_from_slice(&planes[0]);
    }
    front.finish(&mut planes);
    all.extend_from_slice(&planes[0]);
    assert_eq!(front.samples_out(), all.len() as u64);
    all
}

#[test]
fn an_output_sample_is_the_sound_at_its_time() {
    for rate_hz in [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000] {
        let frames = rate_hz as usize * 2 + 77;
        let wave = |t: f64| (0.5 * (t * 440.0 * std::f64::consts::TAU).sin()) as f32;
        let input: Vec<f32> = (0..frames)
            .map(|i| wave(i as f64 / f64::from(rate_hz)))
            .collect();
        let out = front_end(rate_hz, &input, &[]);
        let expected = (frames as u64 * 16_000).div_ceil(u64::from(rate_hz));
        assert_eq!(out.len() as u64, expected, "{rate_hz} Hz");
        for (n, sample) in out.iter().enumerate().skip(2_000).take(20_000) {
            let truth = wave(n as f64 / 16_000.0);
            assert!(
                (sample - truth).abs() < 0.01,
                "{rate_hz} Hz: sample {n}: {sample} for {truth}"
            );
        }
    }
}

#[test]
fn odd_rates_and_channel_counts_keep_count() {
    for (rate_hz, channels) in [(1_000, 1), (44_101, 2), (192_000, 3), (7_999, 8)] {
        let mut front = FrontEnd::new(&spec(rate_hz, channels), Channels::Mix).expect("legal");
        let mut planes = Vec::new();
        let frames = u64::from(rate_hz) * 3 / 2;
        front.step(
            &vec![0.1; frames as usize * usize::from(channels)],
            &mut planes,
        );
        let mut got = planes[0].len() as u64;
        front.finish(&mut planes);
        got += planes[0].len() as u64;
        assert_eq!(
            got,
            (frames * 16_000).div_ceil(u64::from(rate_hz)),
            "{rate_hz} Hz"
        );
    }
}

#[test]
fn bad_sources_are_refused_with_the_legal_range() {
    for (rate_hz, channels, words) in [
        (0, 1, "0 Hz"),
        (900_000, 1, "768000"),
        (16_000, 0, "1 to 256"),
        (16_000, 400, "256"),
    ] {
        let error = FrontEnd::new(&spec(rate_hz, channels), Channels::Mix)
            .err()
            .expect("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = FrontEnd::new(&spec(16_000, 40), Channels::Split)
        .err()
        .expect("refused");
    assert!(error.to_string().contains("mix them"), "{error}");
}

#[test]
fn samples_that_are_no_numbers_are_counted_and_silent() {
    let mut front = FrontEnd::new(&spec(16_000, 1), Channels::Mix).expect("legal");
    let mut planes = Vec::new();
    front.step(&[0.5, f32::NAN, f32::INFINITY, 7.0], &mut planes);
    assert_eq!(planes[0], [0.5, 0.0, 0.0, 1.0]);
    assert_eq!(front.non_finite(), 2);
}

fn listen(rate_hz: u32, channels: u16, input: &[f32], cuts: &[usize]) -> Vec<Segment> {
    let config = SegmenterConfig {
        max_segment_ms: 4_000,
        ..SegmenterConfig::default()
    };
    let mut listener =
        Listener::new(&spec(rate_hz, channels), Channels::Split, &config).expect("legal");
    let mut segments = Vec::new();
    for piece in pieces(input, cuts) {
        listener.step(piece, &mut segments);
    }
    listener.finish(&mut segments);
    segments
}

fn recognise(input: &[f32], cuts: &[usize]) -> Vec<Recognised> {
    let model = ScriptedTranscriber::new(4_000);
    let config = RecogniserConfig {
        channels: Channels::Split,
        ..RecogniserConfig::default()
    };
    let made = Recogniser::for_source(&spec(44_100, 2), config, model);
    let (mut recogniser, mut transcriber) = made.expect("legal");
    let mut out = Vec::new();
    let mut take = |recogniser: &mut Recogniser| {
        while let Some(heard) = recogniser.recognise(&mut transcriber, Rest::Keep) {
            out.extend(heard.expect("it never fails").utterances);
        }
    };
    for piece in pieces(input, cuts) {
        recogniser.step(piece);
        take(&mut recogniser);
    }
    recogniser.finish();
    take(&mut recogniser);
    out
}

#[test]
fn the_made_sound_opens_segments_on_both_channels() {
    let segments = listen(44_100, 2, &bursts(44_100, 2, 12.0), &[]);
    assert!(
        segments.iter().any(|s| s.channel == 0),
        "{} segments",
        segments.len()
    );
    assert!(
        segments.iter().any(|s| s.channel == 1),
        "{} segments",
        segments.len()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn any_split_gives_the_same_segments_and_words(
        cuts in prop::collection::vec(1usize..30_000, 1..12),
    ) {
        let input = bursts(44_100, 2, 6.0);
        prop_assert_eq!(listen(44_100, 2, &input, &cuts), listen(44_100, 2, &input, &[]));
        let whole = recognise(&input, &[]);
        prop_assert!(!whole.is_empty());
        prop_assert_eq!(recognise(&input, &cuts), whole);
    }

    #[test]
    fn segments_are_in_order_apart_and_within_the_limit(
        loud in prop::collection::vec((1u32..300, prop::bool::ANY), 1..60),
        max_segment_ms in 1_000u32..6_000,
    ) {
        let mut samples = Vec::new();
        for (frames, on) in loud {
            let level = if on { 0.5 } else { 0.0 };
            samples.extend(std::iter::repeat_n(level, frames as usize * 97));
        }
        let config = SegmenterConfig { max_segment_ms, ..SegmenterConfig::default() };
        let detector = Box::new(LoudnessDetector::new(0.1));
        let mut segmenter = Segmenter::with_detector(config, detector).expect("legal");
        let mut segments = Vec::new();
        for chunk in samples.chunks(1_000) {
            segmenter.step(chunk, &mut segments);
        }
        segmenter.finish(&mut segments);
        let mut last_end = 0;
        for segment in &segments {
            prop_assert!(segment.span.start >= last_end);
            prop_assert!(segment.span.end <= samples.len() as u64);
            prop_assert!(segment.span.len_ms() <= u64::from(max_segment_ms));
            prop_assert_eq!(segment.samples.len() as u64, segment.span.len());
            let (from, to) = (segment.span.start as usize, segment.span.end as usize);
            prop_assert_eq!(&segment.samples[..], &samples[from..to]);
            last_end = segment.span.end;
        }
        prop_assert_eq!(segmenter.counts().segments, segments.len() as u64);
        prop_assert_eq!(segmenter.counts().samples, samples.len() as u64);
    }
}

#[test]
fn long_speech_is_cut_in_its_pause() {
    // Five seconds of sound with a dip of 100 ms at 3.5 s: too short to close a segment, but a good
    // cut.
    let samples: Vec<f32> = (0..80_000)
        .map(|i| {
            if (56_000..57_600).contains(&i) {
                0.0
            } else {
                0.5
            }
        })
        .collect();
    let config = SegmenterConfig {
        max_segment_ms: 4_000,
        ..SegmenterConfig::default()
    };
    let mut segmenter =
        Segmenter::with_detector(config, Box::new(LoudnessDetector::new(0.1))).expect("legal");
    let mut segments = Vec::new();
    segmenter.step(&samples, &mut segments);
    segmenter.finish(&mut segments);
    assert_eq!(segments.len(), 2);
    let cut = segments[0].span.end;
    assert!((56_000..57_600).contains(&cut), "cut at {cut}");
    assert_eq!(segments[1].span.start, cut, "nothing is lost at the cut");
}

#[test]
fn a_failing_model_loses_one_segment_and_counts_it() {
    let input = bursts(16_000, 1, 12.0);
    let run = |model: ScriptedTranscriber| {
        let config = RecogniserConfig::default();
        let made = Recogniser::for_source(&spec(16_000, 1), config, model);
        let (mut recogniser, mut transcriber) = made.expect("legal");
        for chunk in input.chunks(3_000) {
            recogniser.step(chunk);
        }
        recogniser.finish();
        let (mut out, mut failures) = (Vec::new(), 0);
        while let Some(heard) = recogniser.recognise(&mut transcriber, Rest::Keep) {
            match heard {
                Ok(heard) => out.extend(heard.utterances),
                Err(_) => failures += 1,
            }
        }
        (out, failures, transcriber.counts().failed)
    };
    let (whole, none, _) = run(ScriptedTranscriber::new(8_000));
    let (part, one, counted) = run(ScriptedTranscriber::new(8_000).failing_on(2));
    assert_eq!((none, one, counted), (0, 1, 1));
    assert!(whole.len() >= 3);
    assert_eq!(part.len() + 1, whole.len());
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let changed = |change: fn(&mut SegmenterConfig)| {
        let mut config = SegmenterConfig::default();
        change(&mut config);
        Segmenter::new(config).err().expect("refused").to_string()
    };
    for (error, words) in [
        (changed(|it| it.max_segment_ms = 40_000), "29000"),
        (changed(|it| it.off_score = 0.9), "off_score"),
        (changed(|it| it.tail_ms = 900), "tail_ms"),
    ] {
        assert!(error.contains(words), "{error}");
    }
}
