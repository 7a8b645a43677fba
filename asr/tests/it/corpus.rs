//! Real recordings of the shared development data in the folder that `WEIR_DATA` names.
//!
//! Every file under `audio/` decodes or is refused with its name; labelled speech reaches the
//! recogniser; noise and silence give no words.

#![cfg(feature = "decode")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::sources::{decode, segments};
use weir_asr::{SampleSpan, Segment};
use weir_fixtures::weir_data;

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the data folder can be listed") {
            let path = entry.expect("its entries can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_file_decodes_or_is_refused_by_name() {
    let Some(root) = weir_data("audio") else {
        return;
    };
    let mut refused = 0;
    let all = files(&root);
    for path in &all {
        let shown = path.strip_prefix(&root).unwrap_or(path).display();
        match decode(path) {
            Ok(decoded) => {
                let (frames, spec) = (decoded.frames(), &decoded.spec);
                println!("{shown}: {frames} frames, {spec:?} {:?}", decoded.warnings);
                assert!(frames > 0, "{shown}: an open file has frames");
                let finite = decoded.samples.iter().all(|sample| sample.is_finite());
                assert!(finite, "{shown}: finite samples");
            }
            Err(error) => {
                refused += 1;
                let message = error.to_string();
                println!("REFUSED {message}");
                let name = path.display().to_string();
                assert!(
                    message.starts_with(&name),
                    "{shown}: the refusal names the file"
                );
                assert!(
                    message.len() > name.len() + 10,
                    "{shown}: the refusal gives a reason"
                );
            }
        }
    }
    println!("{} files, {refused} refused", all.len());
    for (readable, frames) in [
        ("whispercpp/jfk.wav", 176_000),
        ("whispercpp/jfk.mp3", 176_000),
        ("azure/whatstheweatherlike-mulaw.wav", 32_480),
        ("wav_edge/scipy/test-44100Hz-be-1ch-4bytes.wav", 4_410),
    ] {
        let decoded = decode(&root.join(readable)).expect("a plain file decodes");
        assert_eq!(decoded.frames(), frames, "{readable}");
    }
}

fn speech_of(path: &Path) -> Vec<Segment> {
    let decoded = decode(path).expect("a speech clip decodes");
    segments(&decoded.spec, &decoded.samples)
}

/// Speech of each recording in an RTTM file, overlaps joined.
fn labels(rttm: &Path) -> BTreeMap<String, Vec<SampleSpan>> {
    let text = std::fs::read_to_string(rttm).expect("the labels can be read");
    let mut spans: BTreeMap<String, Vec<SampleSpan>> = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("SPEAKER")) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let samples = |field: &str| -> u64 {
            let seconds: f64 = field.parse().expect("a number of seconds");
            (seconds * 16_000.0) as u64
        };
        let start = samples(fields[3]);
        let span = SampleSpan::new(start, start + samples(fields[4]));
        spans.entry(fields[1].to_owned()).or_default().push(span);
    }
    for spans in spans.values_mut() {
        spans.sort();
        let mut joined: Vec<SampleSpan> = Vec::new();
        for span in spans.drain(..) {
            match joined.last_mut() {
                Some(last) if span.start <= last.end => *last = last.hull(span),
                _ => joined.push(span),
            }
        }
        *spans = joined;
    }
    spans
}

/// Speech of each recording of the spoken fixture.
fn spoken() -> BTreeMap<String, Vec<SampleSpan>> {
    let text = std::fs::read_to_string(weir_fixtures::spoken_stream()).expect("the fixture");
    let mut spans: BTreeMap<String, Vec<SampleSpan>> = BTreeMap::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("one object a line");
        let said = &line["utterance"];
        let Some(file) = said["audio"].as_str() else {
            continue;
        };
        let ms = |name: &str| said[name].as_u64().expect("milliseconds");
        let from = ms("audio_start_ms");
        let span = SampleSpan::from_ms(from, from + ms("end_ms") - ms("start_ms"));
        spans.entry(file.to_owned()).or_default().push(span);
    }
    spans
}

#[test]
fn the_spoken_dialogue_reaches_the_recogniser() {
    let spoken = spoken();
    assert_eq!(spoken.values().map(Vec::len).sum::<usize>(), 69);
    let (mut covered, mut speech) = (0, 0);
    for (file, spans) in &spoken {
        let found = speech_of(&weir_fixtures::spoken_dir().join(file));
        let (part, all) = coverage(spans, &found);
        println!(
            "{file}: {:.4} of {all} samples of speech",
            part as f64 / all as f64
        );
        covered += part;
        speech += all;
    }
    let share = covered as f64 / speech as f64;
    assert!(
        share >= 0.98,
        "{share:.4} of the dialogue reaches the model"
    );
}

/// Labelled samples inside segments, and all labelled samples.
fn coverage(spans: &[SampleSpan], found: &[Segment]) -> (u64, u64) {
    let covered = spans
        .iter()
        .flat_map(|s| found.iter().map(|f| s.overlap(f.span)))
        .sum();
    (covered, spans.iter().map(|s| s.len()).sum())
}

#[test]
fn labelled_speech_reaches_the_recogniser() {
    let Some(root) = weir_data("audio") else {
        return;
    };
    let folder = root.join("pyannote_ami");
    let labels = labels(&folder.join("debug.development.rttm"));
    let (mut covered_all, mut speech_all) = (0, 0);
    for (name, spans) in &labels {
        let path = folder.join(format!("{name}.wav"));
        if !path.is_file() {
            continue;
        }
        let found = speech_of(&path);
        let (covered, speech) = coverage(spans, &found);
        let heard: u64 = found.iter().map(|f| f.span.len()).sum();
        let share = covered as f64 / speech as f64;
        println!("{name}: {share:.4} of {speech} samples of speech, {heard} reach the model");
        for label in spans {
            let part: u64 = found.iter().map(|f| label.overlap(f.span)).sum();
            if part < label.len() * 9 / 10 {
                println!("  missed {} - {} ms", label.start_ms(), label.end_ms());
            }
        }
        covered_all += covered;
        speech_all += speech;
    }
    assert!(speech_all > 0, "there is labelled speech");
    let share = covered_all as f64 / speech_all as f64;
    assert!(
        share >= 0.98,
        "{share:.4} of the labelled speech reaches the model"
    );
}
