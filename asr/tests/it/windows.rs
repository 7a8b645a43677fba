//! Segments recognised together: the words of a window, and segments without words.

#![cfg(feature = "listen")]

use weir_asr::{
    GuardedTranscriber, GuardsConfig, HeardSegment, Refusal, Rest, SampleSpan, Segment, Transcribe,
    TranscribeError, Transcript, Windows, Word,
};

/// Words with their times from the start of the recognised sound, in milliseconds.
type Said = Vec<(&'static str, u64, u64)>;

/// A model with scripted words for each length in milliseconds; it fails on some lengths.
struct Told {
    said: Vec<(u64, Said)>,
    fails_ms: Vec<u64>,
    heard_ms: Vec<u64>,
}

impl Transcribe for Told {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        let ms = segment.span.len_ms();
        self.heard_ms.push(ms);
        if self.fails_ms.contains(&ms) {
            return Err(TranscribeError::Run {
                model: "told".to_owned(),
                span: segment.span,
                reason: "it was told to fail".to_owned(),
            });
        }
        let said = self.said.iter().find(|(of, _)| *of == ms);
        let start = segment.span.start;
        let word = |&(text, from, to): &(&str, u64, u64)| Word {
            text: text.to_owned(),
            span: SampleSpan::new(start + from * 16, start + to * 16),
            confidence: 0.9,
        };
        Ok(Transcript {
            words: said
                .map(|(_, words)| words.iter().map(word).collect())
                .unwrap_or_default(),
            confidence: 0.9,
            ..Transcript::default()
        })
    }

    fn name(&self) -> &str {
        "told"
    }

    fn max_window_ms(&self) -> Option<u32> {
        Some(28_000)
    }
}

fn ear(said: Vec<(u64, Said)>) -> GuardedTranscriber<Told> {
    failing(said, &[])
}

fn failing(said: Vec<(u64, Said)>, fails_ms: &[u64]) -> GuardedTranscriber<Told> {
    let told = Told {
        said,
        fails_ms: fails_ms.to_vec(),
        heard_ms: Vec::new(),
    };
    GuardedTranscriber::new(told, GuardsConfig::default()).expect("legal limits")
}

/// Three segments of 2, 3 and 4 s with pauses between them.
fn segments() -> Vec<Segment> {
    let spans = [(1_000, 3_000), (5_000, 8_000), (20_000, 24_000)];
    let segment = |(start, end)| {
        let span = SampleSpan::from_ms(start, end);
        Segment {
            span,
            channel: 0,
            samples: vec![0.0; span.len() as usize],
            voice: 1.0,
            tail: 10_240,
            language: None,
        }
    };
    spans.map(segment).to_vec()
}

#[test]
fn a_window_is_decoded_once_and_its_words_go_back() {
    let mut ear = ear(vec![(
        9_000,
        vec![
            ("Where", 500, 800),
            ("is", 800, 1_000),
            ("it?", 1_000, 1_400),
            ("Over", 2_500, 2_900),
            ("there", 2_900, 4_000),
            ("by", 5_500, 6_000),
            ("the", 6_000, 6_100),
            ("door.", 6_100, 6_800),
        ],
    )]);
    let heard = ear.hear(&segments()).expect("heard");
    assert_eq!(ear.model().heard_ms, [9_000]);
    let said: Vec<(String, u64, u64)> = heard
        .utterances
        .iter()
        .map(|it| (it.text(), it.span.start_ms(), it.span.end_ms()))
        .collect();
    let expected = [
        ("Where is it?", 1_000, 3_000),
        ("Over there", 5_000, 8_000),
        ("by the door.", 20_000, 24_000),
    ];
    assert_eq!(
        said,
        expected.map(|(text, start, end)| (text.to_owned(), start, end))
    );
    assert!(heard.refused.is_empty());
    let counts = ear.counts();
    assert_eq!(
        (counts.recognised, counts.recognised_ms, counts.words),
        (3, 9_000, 8)
    );
}

#[test]
fn a_segment_without_words_is_heard_alone_before_it_is_refused() {
    let window = vec![("Yes,", 500, 900), ("gladly.", 5_600, 6_500)];
    let alone = vec![("Come", 600, 900), ("in!", 900, 1_200)];
    let mut first = ear(vec![(9_000, window.clone()), (3_000, alone)]);
    let heard = first.hear(&segments()).expect("heard");
    assert_eq!(first.model().heard_ms, [9_000, 3_000]);
    let words: Vec<String> = heard.utterances.iter().map(|it| it.text()).collect();
    assert_eq!(words.join(" "), "Yes, Come in! gladly.");
    assert!(heard.refused.is_empty());

    let mut second = ear(vec![(9_000, window)]);
    let heard = second.hear(&segments()).expect("heard");
    let [refused] = heard.refused[..] else {
        panic!("one segment has no words: {:?}", heard.refused);
    };
    assert_eq!(refused.span, SampleSpan::from_ms(5_000, 8_000));
    assert_eq!(refused.why, Refusal::Empty);
    assert_eq!(second.counts().refused(Refusal::Empty), 1);
    assert_eq!(second.counts().recognised_ms, 6_000);
}

#[test]
fn words_sorted_to_a_neighbour_are_not_said_twice() {
    let window = vec![
        ("I", 500, 700),
        ("know.", 700, 1_400),
        ("Good", 5_600, 6_000),
        ("night.", 6_000, 6_500),
    ];
    // alone, the middle segment returns the words at the start of the last one
    let alone = vec![("Good", 600, 900), ("night.", 900, 1_200)];
    let mut ear = ear(vec![(9_000, window), (3_000, alone)]);
    let heard = ear.hear(&segments()).expect("heard");
    let words: Vec<String> = heard.utterances.iter().map(|it| it.text()).collect();
    assert_eq!(words.join(" "), "I know. Good night.");
}

#[test]
fn a_tone_is_refused_and_the_rest_is_heard_together() {
    let mut segments = segments();
    let tone = |n: usize| (n as f32 * 0.25).sin() * 0.5;
    segments[1].samples = (0..48_000).map(tone).collect();
    let mut ear = ear(vec![(
        6_000,
        vec![("Hello", 500, 1_000), ("there.", 2_500, 3_000)],
    )]);
    let heard = ear.hear(&segments).expect("heard");
    assert_eq!(ear.model().heard_ms, [6_000]);
    assert_eq!(heard.refused[0].why, Refusal::Tone);
    let words: usize = heard.utterances.iter().map(|it| it.words.len()).sum();
    assert_eq!(words, 2);
}

#[test]
fn a_window_on_which_the_model_fails_is_heard_one_by_one() {
    let said = vec![
        (2_000, vec![("Good", 500, 900), ("morning.", 900, 1_200)]),
        (4_000, vec![("Sit", 500, 900), ("down.", 900, 1_200)]),
    ];
    let mut some = failing(said.clone(), &[9_000, 3_000]);
    let heard = some.hear(&segments()).expect("two of three are heard");
    let words: Vec<String> = heard.utterances.iter().map(|it| it.text()).collect();
    assert_eq!(words, ["Good morning.", "Sit down."]);
    assert_eq!((some.counts().recognised, some.counts().failed), (2, 1));

    let mut none = failing(said, &[9_000, 2_000, 3_000, 4_000]);
    none.hear(&segments()).expect_err("nothing can be heard");
    assert_eq!(none.counts().failed, 3);
}

#[test]
fn each_segment_has_what_came_of_it() {
    let window = vec![
        ("Where", 500, 800),
        ("is", 2_500, 2_900),
        ("it?", 2_900, 3_200),
    ];
    let mut ear = failing(vec![(9_000, window)], &[4_000]);
    let mut segments = segments();
    // of another file, so earlier than the previous ones
    segments[2].span = SampleSpan::from_ms(0, 4_000);
    let heard = ear.hear_each(&segments);
    let told: Vec<String> = heard
        .iter()
        .map(|segment| match segment {
            HeardSegment::Said(parts, _) => parts.iter().map(|it| it.text()).collect(),
            HeardSegment::Refused(refused) => refused.why.reason().to_owned(),
            HeardSegment::Failed(error) => error.to_string(),
        })
        .collect();
    let failed = "told: recognition failed at 0 ms: it was told to fail";
    assert_eq!(told, ["Where", "is it?", failed]);
    let counts = ear.counts();
    assert_eq!((counts.recognised, counts.failed), (2, 1));
}

#[test]
fn nothing_is_lost_on_the_way_into_windows() {
    let mut waiting = Windows::new(Some(5_000));
    waiting.extend(segments());
    let mut windows: Vec<Vec<Segment>> = Vec::new();
    while let Some(window) = waiting.next(Rest::Keep) {
        windows.push(window);
    }
    assert_eq!(windows.len(), 1, "the last window waits for more");
    windows.extend(waiting.next(Rest::Give));
    let spans: Vec<Vec<SampleSpan>> = windows
        .iter()
        .map(|window| window.iter().map(|segment| segment.span).collect())
        .collect();
    let all: Vec<SampleSpan> = segments().iter().map(|segment| segment.span).collect();
    assert_eq!(spans, [all[..2].to_vec(), all[2..].to_vec()]);
}
