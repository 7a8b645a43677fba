//! Stretches recognised together or one by one give the same words, whatever else is in the window.

use super::*;
use crate::pipeline::fakes::{CountingSource, opener};
use parking_lot::Mutex;
use proptest::prelude::*;
use std::sync::Arc;
use weir_asr::{Channels, SAMPLE_RATE_HZ, SampleSpan, Transcribe, Transcript, Word};

/// Longest window of the model below, in milliseconds.
const WINDOW_MS: u32 = 10_000;
/// The model outputs a word in each half second, at its start.
const WORD_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 2;

/// Identifies its segments: all samples of segment `n` are `n / 4096`. Fails on windows with the
/// segment `fails`.
struct Counting {
    window_ms: Option<u32>,
    fails: Option<u64>,
    /// Lengths of its inputs, in milliseconds.
    heard_ms: Arc<Mutex<Vec<u64>>>,
}

impl Transcribe for Counting {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        self.heard_ms.lock().push(segment.span.len_ms());
        let mut words = Vec::new();
        let mut at = 0;
        for run in segment.samples.chunk_by(|a, b| a == b) {
            let number = CountingSource::number(run[0]);
            if self.fails == Some(number) {
                return Err(TranscribeError::Run {
                    model: "counting".to_owned(),
                    span: segment.span,
                    reason: "it cannot hear this".to_owned(),
                });
            }
            for (nth, piece) in run.chunks(WORD_SAMPLES).enumerate() {
                let start = segment.span.start + at;
                words.push(Word {
                    text: format!("w{number}x{nth}"),
                    span: SampleSpan::new(start, start + piece.len().min(1_600) as u64),
                    confidence: 0.9,
                });
                at += piece.len() as u64;
            }
        }
        Ok(Transcript {
            words,
            confidence: 0.9,
            ..Transcript::default()
        })
    }

    fn name(&self) -> &str {
        "counting"
    }

    fn max_window_ms(&self) -> Option<u32> {
        self.window_ms
    }
}

/// A test step.
#[derive(Debug, Clone)]
enum Step {
    /// A stretch with segments of these lengths in milliseconds.
    Stretch(Vec<u64>),
    /// A stretch whose file cannot be read.
    Broken,
    /// Recognises everything read so far.
    Finish,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => proptest::collection::vec(700_u64..4_000, 0..4).prop_map(Step::Stretch),
        1 => Just(Step::Broken),
        1 => Just(Step::Finish),
    ];
    proptest::collection::vec(step, 1..80)
}

fn hearing(window_ms: Option<u32>, fails: Option<u64>) -> (Recognition, Arc<Mutex<Vec<u64>>>) {
    let heard_ms = Arc::<Mutex<Vec<u64>>>::default();
    let model = Counting {
        window_ms,
        fails,
        heard_ms: Arc::clone(&heard_ms),
    };
    let open = opener(|_| Ok(Box::new(CountingSource::new(0))));
    let hearing = Recognition::new(Box::new(model), Channels::Mix, open);
    (hearing.expect("legal limits"), heard_ms)
}

fn broken() -> AudioError {
    AudioError::BadHeader {
        name: "broken".to_owned(),
        field: "channels",
        value: "0".to_owned(),
        expected: "1 to 256",
    }
}

/// Output per stretch: its number, its words or the file's error, and the number of failed
/// segments.
type Out = Vec<(usize, Result<String, String>, usize)>;

/// Runs the steps; also returns the maximum number of waiting stretches.
fn run(steps: &[Step], mut stretches: Stretches<usize>, hearing: &mut Recognition) -> (Out, usize) {
    let (mut out, mut most, mut number) = (Vec::new(), 0, 0);
    for (nth, step) in steps.iter().enumerate() {
        let cut = match step {
            Step::Stretch(lengths_ms) => Ok(lengths_ms
                .iter()
                .map(|ms| {
                    number += 1;
                    // each begins at 0: they are from different files
                    let span = SampleSpan::from_ms(0, *ms);
                    Segment {
                        span,
                        channel: 0,
                        samples: vec![number as f32 / 4_096.0; span.len() as usize],
                        voice: 1.0,
                        tail: 10_240,
                        language: None,
                    }
                })
                .collect()),
            Step::Broken => Err(broken()),
            Step::Finish => {
                stretches.finish(Some(hearing));
                assert!(stretches.waiting.iter().all(|it| it.unheard == 0));
                continue;
            }
        };
        stretches.push(nth, cut, Some(hearing));
        out.extend(std::iter::from_fn(|| stretches.pop()).map(told));
        most = most.max(stretches.waiting.len());
    }
    stretches.finish(Some(hearing));
    out.extend(std::iter::from_fn(|| stretches.pop()).map(told));
    (out, most)
}

fn told(
    (of, heard): (usize, Result<HeardStretch, AudioError>),
) -> (usize, Result<String, String>, usize) {
    let failed = heard.as_ref().map_or(0, |heard| heard.failed.len());
    let text = heard.map(|heard| heard.said.map(|it| it.text()).unwrap_or_default());
    (of, text.map_err(|error| error.to_string()), failed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn together_and_apart_are_the_same(steps in steps(), fails in 0_u64..300) {
        let fails = Some(fails);
        let (mut alone, _) = hearing(None, fails);
        let windows = alone.windows();
        let (apart, most) = run(&steps, Stretches::apart(windows), &mut alone);
        prop_assert_eq!(most, 0, "nothing waits where each is heard by itself");

        let (mut windowed, heard_ms) = hearing(Some(WINDOW_MS), fails);
        let windows = windowed.windows();
        let (together, most) = run(&steps, Stretches::ahead(windows), &mut windowed);
        prop_assert_eq!(&together, &apart);
        prop_assert!(most < limits::STRETCHES_AHEAD_MAX);
        prop_assert!(heard_ms.lock().iter().all(|ms| *ms <= u64::from(WINDOW_MS)));
        prop_assert_eq!(windowed.counts(), alone.counts());
    }
}

#[test]
fn a_window_holds_as_many_stretches_as_fit() {
    let (mut hearing, heard_ms) = hearing(Some(WINDOW_MS), None);
    let windows = hearing.windows();
    let steps = [
        Step::Stretch(vec![3_000]),
        Step::Stretch(vec![3_000, 2_000]),
        Step::Finish,
        Step::Stretch(vec![1_000]),
        Step::Stretch(vec![4_000, 4_000]),
        Step::Stretch(vec![2_000]),
    ];
    let (out, _) = run(&steps, Stretches::ahead(windows), &mut hearing);
    assert_eq!(out.len(), 5);
    assert_eq!(*heard_ms.lock(), [8_000, 9_000, 2_000]);
}

#[test]
fn a_segment_that_fails_fails_its_own_stretch_alone() {
    let (mut hearing, _) = hearing(Some(WINDOW_MS), Some(2));
    let windows = hearing.windows();
    let steps = vec![Step::Stretch(vec![1_000]); 3];
    let (out, _) = run(&steps, Stretches::ahead(windows), &mut hearing);
    let failed: Vec<usize> = out.iter().map(|it| it.2).collect();
    assert_eq!(failed, [0, 1, 0]);
    assert_eq!(out[2].1, Ok("w3x0 w3x1".to_owned()));
}
