//! Labelled lines of a stream file, recognised together, give the same words as each alone.
//!
//! The model here has no weights: it outputs a word at each peak of the audio, and the word is the
//! peak's own number, so the output does not depend on the rest of the window.
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use weir_asr::{
    Channels, SampleSpan, Segment, Transcribe, TranscribeError, Transcript, Word, open_file,
};
use weir_engine::pipeline::{
    Feed, FeedFigures, FeedItem, InputKind, Notice, Pacer, Recognition, ReplayFeed, ReplayInput,
    Resume, Stop, Words,
};
use weir_engine::store::InputProgress;
use weir_fixtures::rounds;

/// A peak is louder than this and than all within 100 ms.
const PEAK_MIN: f32 = 0.12;
const PEAK_REACH: usize = 1_600;

struct Peaks {
    window_ms: Option<u32>,
    /// All words of each call.
    calls: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Transcribe for Peaks {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        let samples = &segment.samples;
        let mut words: Vec<Word> = Vec::new();
        for (at, sample) in samples.iter().enumerate() {
            let from = at.saturating_sub(PEAK_REACH);
            let to = (at + PEAK_REACH).min(samples.len());
            if *sample < PEAK_MIN || samples[from..to].iter().any(|other| other > sample) {
                continue;
            }
            let start = segment.span.start + at as u64;
            words.push(Word {
                text: format!("w{}", sample.to_bits()),
                span: SampleSpan::new(start, start + 160),
                confidence: 0.9,
            });
        }
        let texts = words.iter().map(|word| word.text.clone());
        self.calls.lock().push(texts.collect());
        Ok(Transcript {
            words,
            confidence: 0.9,
            ..Transcript::default()
        })
    }

    fn name(&self) -> &str {
        "peaks"
    }

    fn max_window_ms(&self) -> Option<u32> {
        self.window_ms
    }
}

/// Spans of the first lines of the spoken dialogue, with pauses around them.
const SPANS_MS: [(u64, u64); 12] = [
    (600, 4_406),
    (5_256, 8_047),
    (8_897, 11_995),
    (12_845, 16_261),
    (17_111, 20_091),
    (20_941, 24_039),
    (24_889, 27_774),
    (28_624, 31_751),
    (32_601, 34_959),
    (35_809, 37_442),
    (38_292, 41_351),
    (42_201, 45_119),
];

/// A recording, or a stream file, of this folder.
fn input(folder: &Path, name: &str, resume: Option<Resume>) -> ReplayInput {
    let kind = match name {
        "s.stream.jsonl" => InputKind::Stream {
            zone: None,
            labels: 0,
            started_at_unix_ms: None,
        },
        _ => InputKind::Audio {
            named: name.to_owned(),
        },
    };
    let stream = name.strip_suffix(".stream.jsonl").unwrap_or(name);
    ReplayInput {
        path: folder.join(name),
        stream: stream.to_owned(),
        kind,
        len_ms: None,
        resume,
    }
}

/// These lines alternate between two files, with a question after the fifth and a break after the
/// eighth; `odd` replaces the audio of the third.
fn stream(folder: &Path, odd: Option<&str>) -> ReplayInput {
    let spoken = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    let names = ["one.wav", "two.wav"];
    for name in names {
        std::fs::copy(&spoken, folder.join(name)).expect("copied");
    }
    std::fs::write(folder.join("odd.wav"), "this is no sound").expect("written");
    let mut text = String::from("{\"weir_stream\": 1, \"name\": \"s\", \"started_at\": null}\n");
    for (nth, (start_ms, end_ms)) in SPANS_MS.into_iter().enumerate() {
        let name = odd.filter(|_| nth == 2).unwrap_or(names[nth % 2]);
        writeln!(
            text,
            "{{\"utterance\": {{\"id\": \"u{}\", \"speaker\": \"A\", \"start_ms\": {start_ms}, \
             \"end_ms\": {end_ms}, \"audio\": \"{name}\", \"audio_start_ms\": {start_ms}, \
             \"text\": \"Some words.\"}}}}",
            nth + 1,
        )
        .expect("a string takes it");
        match nth {
            4 => text.push_str(
                "{\"probe\": {\"id\": \"q1\", \"question\": \"What?\", \
                 \"answer\": \"words\", \"evidence\": [\"u1\"]}}\n",
            ),
            7 => text.push_str("{\"break\": {\"started_at\": null}}\n"),
            _ => {}
        }
    }
    std::fs::write(folder.join("s.stream.jsonl"), text).expect("written");
    input(folder, "s.stream.jsonl", None)
}

/// The result of a replay.
struct Replayed {
    items: Vec<FeedItem>,
    notices: Vec<Notice>,
    figures: FeedFigures,
    /// Words of each call of the model, and the number of calls before the question.
    calls: Vec<Vec<String>>,
    calls_at_question: usize,
}

fn replay(input: &ReplayInput, window_ms: Option<u32>, pacer: Pacer) -> Replayed {
    let calls = Arc::<Mutex<Vec<Vec<String>>>>::default();
    let model = Peaks {
        window_ms,
        calls: Arc::clone(&calls),
    };
    let open = Arc::new(|path: &Path| open_file(path));
    let hearing = Recognition::new(Box::new(model), Channels::Mix, open).expect("legal limits");
    let inputs = vec![input.clone()];
    let mut feed = ReplayFeed::new(inputs, Words::Recognised, pacer, Some(hearing));
    let (mut items, mut notices, mut calls_at_question) = (Vec::new(), Vec::new(), 0);
    while let Some(item) = feed.next(&Stop::default(), &mut notices) {
        if matches!(item, FeedItem::Ask(_)) {
            calls_at_question = calls.lock().len();
        }
        items.push(item);
    }
    let calls = calls.lock().clone();
    Replayed {
        items,
        notices,
        figures: feed.figures(),
        calls,
        calls_at_question,
    }
}

fn texts(items: &[FeedItem]) -> Vec<String> {
    let text = |item: &FeedItem| match item {
        FeedItem::Heard(said) => Some(said.text.clone()),
        _ => None,
    };
    items.iter().filter_map(text).collect()
}

#[test]
fn lines_heard_together_say_what_each_says_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = stream(folder.path(), None);
    let apart = replay(&input, None, Pacer::free());
    let together = replay(&input, Some(28_000), Pacer::free());
    assert!(texts(&apart.items).len() >= 10, "{:?}", apart.items);
    assert_eq!(together.items, apart.items);
    let timeless = |figures: FeedFigures| FeedFigures {
        decoding_ms: 0,
        ..figures
    };
    assert_eq!(timeless(together.figures), timeless(apart.figures));
    assert!(
        2 * together.calls.len() < apart.calls.len(),
        "{} windows for {} segments",
        together.calls.len(),
        apart.calls.len()
    );
}

#[test]
fn a_question_ends_a_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = stream(folder.path(), None);
    let together = replay(&input, Some(28_000), Pacer::free());
    let asked = |item: &FeedItem| matches!(item, FeedItem::Ask(_));
    let at = together.items.iter().position(asked).expect("it is asked");
    let before = texts(&together.items[..at]).join(" ");
    let heard = together.calls[..together.calls_at_question].concat();
    assert_eq!(before, heard.join(" "), "what is below is not yet heard");
}

#[test]
fn a_line_that_cannot_be_read_fails_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = replay(&stream(folder.path(), None), Some(28_000), Pacer::free());
    let broken = stream(folder.path(), Some("odd.wav"));
    let broken = replay(&broken, Some(28_000), Pacer::free());
    let [Notice::Failed(told)] = &broken.notices[..] else {
        panic!("one line fails: {:?}", broken.notices);
    };
    assert!(told.contains("odd.wav"), "{told}");
    let mut expected = texts(&whole.items);
    expected.remove(2);
    assert_eq!(texts(&broken.items), expected);
    let last = broken.items.last();
    assert!(matches!(last, Some(FeedItem::End { whole: None, .. })));
}

#[test]
fn nothing_is_read_ahead_at_a_pace() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = stream(folder.path(), None);
    let paced = replay(&input, Some(28_000), Pacer::times(10_000));
    let apart = replay(&input, None, Pacer::free());
    assert_eq!(texts(&paced.items), texts(&apart.items));
    assert_eq!(paced.calls, apart.calls);
}

/// Resumes from every position where a replay can have been killed.
#[test]
fn what_goes_on_gives_what_was_left_and_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let stream = stream(folder.path(), None);
    let recording = input(folder.path(), "one.wav", None);
    let each = 3 / rounds("places of three to go on from", "WEIR_PLACES", 1, 3).clamp(1, 3);
    for (input, window_ms) in [
        (&stream, None),
        (&stream, Some(28_000)),
        (&recording, None),
        (&recording, Some(28_000)),
    ] {
        let whole = replay(input, window_ms, Pacer::free()).items;
        let mut places = 0;
        for (at, item) in whole.iter().enumerate() {
            let FeedItem::Mark(mark) = item else { continue };
            places += 1;
            if places % each != 0 {
                continue;
            }
            let (progress, running) = (mark.progress.clone(), places % 2 == 0);
            let mut input = input.clone();
            input.resume = Some(Resume { progress, running });
            let rest = replay(&input, window_ms, Pacer::free());
            assert_eq!(rest.notices, [], "{mark:?}");
            let begun = matches!(rest.items[0], FeedItem::Begin(_));
            assert_eq!(begun, !running);
            // the item after the mark was fed already
            assert_eq!(rest.items[1..], whole[at + 2..], "{mark:?}");
        }
        assert!(places >= 10, "{places}");
    }
}

#[test]
fn other_settings_do_not_go_on_in_a_recording_by_guessing() {
    let folder = tempfile::tempdir().expect("a folder");
    stream(folder.path(), None);
    let progress = InputProgress {
        stream: "one.wav".to_owned(),
        items: 3,
        within: 1,
        turns: 4,
        end_ms: 17_777,
    };
    let resume = Resume {
        progress,
        running: true,
    };
    let input = input(folder.path(), "one.wav", Some(resume));
    let refused = replay(&input, None, Pacer::free());
    assert_eq!(texts(&refused.items), [""; 0]);
    let last = refused.items.last();
    assert!(matches!(last, Some(FeedItem::End { whole: None, .. })));
    let [Notice::Failed(told)] = &refused.notices[..] else {
        panic!("one message: {:?}", refused.notices);
    };
    for part in [
        "one.wav", "first 4 utterances", "17777 ms", "speech model", "--force",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
}

/// A break sets the time of day of later lines, also if it is in the skipped part.
#[test]
fn who_goes_on_after_other_talk_knows_the_time_of_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |id: u64| {
        let start_ms = id * 1_000;
        format!(
            "{{\"utterance\": {{\"id\": \"u{id}\", \"start_ms\": {start_ms}, \"end_ms\": {}, \
             \"text\": \"Words.\"}}}}\n",
            start_ms + 500
        )
    };
    let text = String::from("{\"weir_stream\": 1, \"name\": \"s\", \"started_at\": null}\n")
        + &said(1)
        + "{\"break\": {\"started_at\": \"1970-01-01T01:00:00Z\"}}\n"
        + &said(2)
        + &said(3);
    std::fs::write(folder.path().join("s.stream.jsonl"), text).expect("written");
    let progress = InputProgress {
        stream: "s".to_owned(),
        items: 3,
        turns: 2,
        end_ms: 2_500,
        within: 0,
    };
    let resume = Resume {
        progress,
        running: false,
    };
    let input = input(folder.path(), "s.stream.jsonl", Some(resume));
    let rest = replay(&input, None, Pacer::free());
    let FeedItem::Begin(start) = &rest.items[0] else {
        panic!("{:?}", rest.items);
    };
    assert_eq!(start.started_at_unix_ms, Some(3_600_000 - 1_500));
    assert_eq!(texts(&rest.items), ["Words."]);
}

/// Regression: the request was seen at the next utterance only, after all questions before it.
#[test]
fn a_request_to_stop_is_seen_between_questions() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::from("{\"weir_stream\": 1, \"name\": \"s\", \"started_at\": null}\n");
    text +=
        "{\"utterance\": {\"id\": \"u1\", \"start_ms\": 0, \"end_ms\": 9, \"text\": \"Hi.\"}}\n";
    for n in 0..3 {
        let _ = writeln!(
            text,
            "{{\"probe\": {{\"id\": \"q{n}\", \"question\": \"Who?\"}}}}"
        );
    }
    std::fs::write(folder.path().join("s.stream.jsonl"), text).expect("written");
    let input = input(folder.path(), "s.stream.jsonl", None);
    let mut feed = ReplayFeed::new(vec![input], Words::Written, Pacer::free(), None);
    let (stop, mut asked) = (Stop::default(), 0);
    while let Some(item) = feed.next(&stop, &mut Vec::new()) {
        if matches!(item, FeedItem::Ask(_)) {
            asked += 1;
            stop.interrupt();
        }
    }
    assert_eq!(asked, 1);
}
