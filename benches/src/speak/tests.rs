//! Streams spoken by a test program, and by espeak-ng and flite if they are installed.

use super::*;
use crate::stream::Probe;
use clap::Parser;
use weir_engine::streamfile::Gold;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: SpeakArgs,
}

fn turn(id: &str, speaker: &str, text: &str) -> Item {
    Item::Turn(Turn {
        id: id.to_owned(),
        speaker: Some(speaker.to_owned()),
        span: Span::new(0, 0),
        text: text.to_owned(),
        audio: None,
    })
}

fn asked(id: &str, evidence: &str) -> Item {
    Item::Probe(Probe {
        id: id.to_owned(),
        question: "Who?".to_owned(),
        asked_by: None,
        gold: Gold {
            answer: None,
            evidence: vec![evidence.to_owned()],
            category: None,
        },
    })
}

fn talk() -> Stream {
    let mut items = vec![
        turn("u1", "Ann", "We leave for Lisbon. On Friday."),
        turn("u2", "Bo", "Who feeds the cat?"),
        Item::Break {
            started_at_unix_ms: Some(1_700_000_000_000),
        },
    ];
    for n in 3..9 {
        let speaker = ["Ann", "Bo"][n % 2];
        items.push(turn(
            &format!("u{n}"),
            speaker,
            "The neighbour feeds the cat again.",
        ));
    }
    items.extend([asked("q1", "u1"), asked("q2", "u8")]);
    Stream {
        name: "small talk".to_owned(),
        started_at_unix_ms: Some(0),
        items,
    }
}

/// Speaks the small talk with these options; returns the folder and the output stream.
fn spoken(options: &[&str]) -> Result<(tempfile::TempDir, Stream)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("talk.stream.jsonl");
    talk().save(&path)?;
    let out = folder.path().join("out");
    let mut line = vec!["speak", path.to_str().expect("a path"), "--out"];
    line.push(out.to_str().expect("a path"));
    line.extend(options);
    run(&Line::try_parse_from(line)?.args)?;
    let stream = Stream::read(&out.join("small_talk.stream.jsonl"))?;
    Ok((folder, stream))
}

fn bytes(folder: &tempfile::TempDir) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder.path().join("out")).expect("a folder");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

/// A second of a tone, with a program that "speaks" by copying it.
fn copying(folder: &Path) -> String {
    let path = folder.join("tone.wav");
    let tone = weir_fixtures::sound::tone(440.0, -20.0, 16_000);
    let shape = weir_fixtures::wav::Shape::default();
    weir_fixtures::wav::write_wav(&path, shape, &tone).expect("written");
    // cp writes to its last operand; the text file is used as its backup suffix
    format!("cp --suffix={{text_file}} {} {{out}}", path.display())
}

#[test]
fn a_program_of_the_users_speaks_with_pauses_between_turns() {
    let folder = tempfile::tempdir().expect("a folder");
    let tts = copying(folder.path());
    let options = ["--tts", &tts, "--pause-ms", "300..300"];
    let (out, stream) = spoken(&options).expect("spoken");
    let spans: Vec<_> = stream
        .turns()
        .map(|t| (t.span.start_ms, t.span.end_ms))
        .collect();
    assert_eq!(spans[..3], [(0, 1_370), (1_670, 3_040), (3_340, 4_710)]);
    let wav = out.path().join("out/small_talk.wav");
    let reader = hound::WavReader::open(wav).expect("a WAV");
    assert_eq!(reader.spec().sample_rate, 16_000);
    assert_eq!(u64::from(reader.duration()), spans[7].1 * SAMPLES_A_MS);
    for turn in stream.turns() {
        let audio = turn.audio.as_ref().expect("it is heard");
        assert_eq!(
            (audio.named.as_str(), audio.start_ms),
            ("small_talk.wav", turn.span.start_ms)
        );
    }
    let texts = |stream: &Stream| stream.turns().map(Turn::said).collect::<Vec<_>>();
    assert_eq!(texts(&stream), texts(&talk()));
    let rest = |stream: &Stream| {
        let mut items = stream.items.clone();
        items.retain(|item| !matches!(item, Item::Turn(_)));
        items
    };
    assert_eq!(rest(&stream), rest(&talk()), "questions and pauses stay");
    assert_eq!(bytes(&out), bytes(&spoken(&options).expect("spoken").0));
    assert_eq!(bytes(&out).len(), 2, "nothing of the work is left");
}

#[test]
fn turns_of_others_overlap_as_often_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let tts = copying(folder.path());
    let (_, stream) = spoken(&["--tts", &tts, "--overlap", "1"]).expect("spoken");
    let spans: Vec<Span> = stream.turns().map(|turn| turn.span).collect();
    let overlaps: Vec<bool> = spans
        .windows(2)
        .map(|pair| pair[1].start_ms + LEAD_MS + TAIL_MS < pair[0].end_ms)
        .collect();
    // no overlap across the break
    assert_eq!(overlaps, [true, false, true, true, true, true, true]);
}

#[test]
fn a_limit_keeps_the_questions_about_what_is_left() {
    let stream = limited(talk(), Some(2));
    assert_eq!(stream.turns().count(), 2);
    let probes: Vec<_> = stream.probes().map(|probe| probe.id.as_str()).collect();
    assert_eq!(probes, ["q1"]);
    assert_eq!(limited(talk(), Some(8)), talk());
}

#[test]
fn wrong_options_are_told_with_what_was_expected() {
    for (options, what) in [
        (["--pause-ms", "7"], "expected A..B"),
        (["--pause-ms", "700..200"], "A at most B"),
        (["--overlap", "1.5"], "expected 0 to 1"),
        (["--noise-snr-db", "-30"], "expected -20 to 49"),
        (["--tts", "say {out}"], "{text_file} is missing"),
        (
            ["--tts", "weir-no-such-tts {text_file} {out}"],
            "is not installed",
        ),
        (["--tts", "false {text_file} {out}"], "`false` failed"),
    ] {
        let told = format!("{:#}", spoken(&options).expect_err(what));
        assert!(told.contains(what), "{told}");
    }
}

#[test]
fn a_stream_of_text_is_not_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small_talk.stream.jsonl");
    talk().save(&path).expect("written");
    let (path, out) = (
        path.display().to_string(),
        folder.path().display().to_string(),
    );
    let line = Line::try_parse_from(["speak", &path, "--out", &out]).expect("a command line");
    let told = run(&line.args).expect_err("the same file").to_string();
    assert!(told.contains("would be written over itself"), "{told}");
}

#[test]
fn espeak_and_flite_say_the_same_bytes_again() {
    if !weir_fixtures::program("espeak-ng") || !weir_fixtures::program("flite") {
        return;
    }
    let options = ["--noise-snr-db", "20", "--seed", "7", "--overlap", "0.5"];
    let (out, stream) = spoken(&options).expect("spoken");
    let made = bytes(&out);
    assert_eq!(made, bytes(&spoken(&options).expect("spoken").0));
    let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "small_talk.stream.jsonl",
            "small_talk.wav",
            "small_talk.words.jsonl"
        ]
    );
    let timed = words::read(&out.path().join("out/small_talk.words.jsonl")).expect("times");
    // Ann speaks first, so she gets flite
    let first = stream.turns().next().expect("a turn");
    let words: Vec<&str> = timed["u1"].iter().map(|word| word.word.as_str()).collect();
    assert_eq!(words, ["we", "leave", "for", "lisbon", "on", "friday"]);
    let mut at_ms = first.span.start_ms;
    for word in &timed["u1"] {
        assert!(
            at_ms <= word.start_ms && word.start_ms < word.end_ms,
            "{word:?}"
        );
        at_ms = word.end_ms;
    }
    // the words are at the position of the sound, across the two sentences
    let (begun, ended) = (timed["u1"][0].start_ms, at_ms);
    assert!(
        begun.abs_diff(first.span.start_ms + LEAD_MS) < 60,
        "{begun} of {:?}",
        first.span
    );
    assert!(
        ended.abs_diff(first.span.end_ms - TAIL_MS) < 60,
        "{ended} of {:?}",
        first.span
    );
    assert!(!timed.contains_key("u2"), "espeak-ng tells no times");
}

#[test]
fn words_lie_where_the_sound_is_in_every_voice_of_flite() {
    if !weir_fixtures::program("flite") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = "Hey Jon! Good to see you. What's up? Anything new?";
    for (name, stretch) in [("slt", 0.92), ("rms", 1.05), ("awb", 1.0), ("kal16", 1.08)] {
        let voice = Voice::Flite {
            name,
            stretch,
            pitch_hz: 120.0,
        };
        let speech = tts::speak(text, &voice, None, folder.path()).expect("spoken");
        let words = tts::flite_words(text, &voice, folder.path()).expect("words");
        let seconds = |samples: usize| samples as f64 / 16_000.0;
        let whole_s = seconds(speech.whole);
        let mut known = Pronunciations::default();
        let ask = &tts::flite_phones;
        let found = words::timed(&speech.printed, &words, whole_s, &mut known, ask).expect("times");
        assert_eq!(found.len(), 11, "{found:?}");
        let sounds_s = seconds(speech.trimmed + speech.samples.len());
        let end_s = found.last().expect("words").2;
        assert!(
            (end_s - sounds_s).abs() < 0.1,
            "{name}: {end_s} of {sounds_s}"
        );
        // the pause before "what" is quiet, and its middle is at the given time
        let pause_s = (found[5].2 + found[6].1) / 2.0;
        let at = (pause_s * 16_000.0) as usize - speech.trimmed;
        let quiet = weir_fixtures::sound::rms_dbfs(&speech.samples[at - 400..at + 400]);
        assert!(quiet < -40.0, "{name}: {quiet} dBFS at {pause_s} s");
    }
}
