//! Diarization of scripted sound: chunks, gaps, failures, labels that stay, words.

use proptest::prelude::*;
use weir_asr::{
    Activities, Diarizer, DiarizerConfig, DiarizerCounts, EmbedSpeaker, FrameGrid, LocalVoice,
    SPEAKERS_MAX, SampleSpan, ScriptedEmbedder, ScriptedSegmenter, SegmentSpeakers,
    SpeakerClusters, SpeakerError, SpeakerId, SpeakerTurn, Voiceprint, assign_words, join_turns,
    scripted_sound,
};

const MS: usize = 16;

/// Windows of two seconds with the frames of pyannote segmentation 3.0.
const GRID: FrameGrid = FrameGrid {
    window_samples: 2_000 * MS,
    frames: 115,
    step_samples: 270,
    offset_samples: 360,
};

/// A frame and its rounding: how far an edge of a turn may be from the truth.
const EDGE: u64 = 2 * 270;

fn config() -> DiarizerConfig {
    DiarizerConfig {
        hop_ms: 250,
        new_ms_min: 400,
        update_ms_min: 300,
        embed_ms_min: 100,
        ..DiarizerConfig::default()
    }
}

/// A piece of a source: who speaks, or a gap, and for how many milliseconds.
#[derive(Debug, Clone)]
enum Piece {
    Sound(Vec<usize>, usize),
    Gap(usize),
}

/// What came of a source.
#[derive(Debug, PartialEq)]
struct Heard {
    stable: Vec<SpeakerTurn>,
    failures: usize,
    counts: DiarizerCounts,
    until: u64,
}

/// A diarizer with its models, which checks what is given out.
struct Ears<S> {
    diarizer: Diarizer,
    segmenter: S,
    heard: Heard,
}

impl<S: SegmentSpeakers> Ears<S> {
    fn new(config: &DiarizerConfig, segmenter: S) -> Self {
        Self {
            diarizer: Diarizer::new(config, segmenter.grid()).expect("legal settings"),
            segmenter,
            heard: Heard {
                stable: Vec::new(),
                failures: 0,
                counts: DiarizerCounts::default(),
                until: 0,
            },
        }
    }

    /// Takes what is due. Stable turns lie between the old and the new border: none is rewritten.
    fn drain(&mut self) {
        loop {
            let from = self.diarizer.stable_until();
            let next = self
                .diarizer
                .diarize(&mut self.segmenter, &mut ScriptedEmbedder);
            let Some(turns) = next else { break };
            let Ok(turns) = turns else {
                self.heard.failures += 1;
                continue;
            };
            let until = self.diarizer.stable_until();
            assert!(from <= until);
            assert!(turns.is_sorted());
            for turn in &turns {
                assert!(
                    from <= turn.span.start && turn.span.end <= until,
                    "{turn:?}"
                );
                assert!(!turn.span.is_empty());
            }
            for turn in self.diarizer.provisional() {
                assert!(until <= turn.span.start, "{turn:?}");
                assert!(turn.span.end <= self.diarizer.samples_taken());
                assert!(turn.span.end - until <= GRID.window_samples as u64);
            }
            self.heard.stable.extend(turns);
        }
    }

    fn step(&mut self, samples: &[f32]) {
        self.diarizer.step(samples);
        self.drain();
    }

    fn hear(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Sound(voices, ms) => self.step(&scripted_sound(voices, ms * MS)),
                Piece::Gap(ms) => self.diarizer.gap((ms * MS) as u64),
            }
        }
    }

    fn finish(mut self) -> Heard {
        self.diarizer.finish();
        self.drain();
        self.heard.counts = self.diarizer.counts();
        self.heard.until = self.diarizer.stable_until();
        assert_eq!(self.diarizer.provisional(), []);
        self.heard
    }
}

fn hear(pieces: &[Piece]) -> Heard {
    let mut ears = Ears::new(&config(), ScriptedSegmenter::new(GRID));
    ears.hear(pieces);
    ears.finish()
}

/// The pieces as samples, with the gap before each stretch of them.
fn stretches(pieces: &[Piece]) -> Vec<(u64, Vec<f32>)> {
    let mut stretches = vec![(0, Vec::new())];
    for piece in pieces {
        match piece {
            Piece::Gap(ms) => stretches.push(((ms * MS) as u64, Vec::new())),
            Piece::Sound(voices, ms) => {
                let last = stretches.last_mut().expect("one at least");
                last.1.extend(scripted_sound(voices, ms * MS));
            }
        }
    }
    stretches
}

fn turn(speaker: u16, start_ms: u64, end_ms: u64) -> SpeakerTurn {
    SpeakerTurn {
        span: SampleSpan::from_ms(start_ms, end_ms),
        speaker: Some(SpeakerId(speaker)),
        overlap: false,
    }
}

/// Asserts that turns are these, but for the width of a frame.
fn assert_turns(found: &[SpeakerTurn], expected: &[SpeakerTurn]) {
    let found = join_turns(found, 0);
    let speakers =
        |turns: &[SpeakerTurn]| -> Vec<_> { turns.iter().map(|it| it.speaker).collect() };
    assert_eq!(speakers(&found), speakers(expected), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        let off = a
            .span
            .start
            .abs_diff(b.span.start)
            .max(a.span.end.abs_diff(b.span.end));
        assert!(off <= EDGE, "{a:?} is not {b:?}");
    }
}

fn piece() -> impl Strategy<Value = Piece> {
    let voices = prop_oneof![
        1 => Just(vec![]),
        6 => (0usize..5).prop_map(|voice| vec![voice]),
        2 => (0usize..5, 0usize..4).prop_map(|(a, b)| vec![a, if b < a { b } else { b + 1 }]),
    ];
    prop_oneof![
        12 => (voices, 20usize..1_500).prop_map(|(voices, ms)| Piece::Sound(voices, ms)),
        1 => (1usize..3_000).prop_map(Piece::Gap),
    ]
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    prop::collection::vec(piece(), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn chunk_sizes_change_nothing(
        pieces in pieces(),
        sizes in prop::collection::vec(1usize..20_000, 1..8),
    ) {
        let mut sizes = sizes.iter().cycle();
        let mut ears = Ears::new(&config(), ScriptedSegmenter::new(GRID));
        for (gap, samples) in stretches(&pieces) {
            ears.diarizer.gap(gap);
            let mut rest = &samples[..];
            while !rest.is_empty() {
                let size = rest.len().min(*sizes.next().expect("it cycles"));
                let (chunk, left) = rest.split_at(size);
                ears.step(chunk);
                rest = left;
            }
        }
        prop_assert_eq!(ears.finish(), hear(&pieces));
        // all at once, with nothing taken in between
        let mut ears = Ears::new(&config(), ScriptedSegmenter::new(GRID));
        for (gap, samples) in stretches(&pieces) {
            ears.diarizer.gap(gap);
            ears.diarizer.step(&samples);
        }
        prop_assert_eq!(ears.finish(), hear(&pieces));
    }

    #[test]
    fn the_order_of_local_speakers_changes_nothing(pieces in pieces()) {
        let mut ears = Ears::new(&config(), ScriptedSegmenter::new(GRID).reversed());
        ears.hear(&pieces);
        prop_assert_eq!(ears.finish(), hear(&pieces));
    }

    #[test]
    fn no_speaker_speaks_twice_at_once_and_overlap_is_marked(pieces in pieces()) {
        let turns = hear(&pieces).stable;
        for (at, a) in turns.iter().enumerate() {
            for b in turns[at + 1..].iter().take_while(|b| b.span.start < a.span.end) {
                prop_assert_ne!(a.speaker, b.speaker);
                prop_assert!(a.overlap && b.overlap, "{:?} and {:?}", a, b);
            }
        }
    }

    #[test]
    fn voices_of_a_window_are_as_many_speakers_in_any_order(
        windows in prop::collection::vec(
            prop::collection::vec((prop::collection::vec(-1.0f32..1.0, 4), 0u64..6), 1..4),
            1..40,
        ),
        speakers_max in 1usize..8,
        turned in 0usize..3,
    ) {
        let config = DiarizerConfig { speakers_max, ..DiarizerConfig::default() };
        let mut one = SpeakerClusters::new(&config).expect("legal");
        let mut other = SpeakerClusters::new(&config).expect("legal");
        for window in windows {
            let voice = |(vector, clean_s): &(Vec<f32>, u64)| LocalVoice {
                onset_frame: 0,
                clean_samples: clean_s * 16_000,
                voiceprint: Voiceprint::new(vector.clone()),
            };
            let mut voices: Vec<LocalVoice> = window.iter().map(voice).collect();
            let mut labels = one.identify(&voices);
            let known: Vec<SpeakerId> = labels.iter().copied().flatten().collect();
            let apart: std::collections::BTreeSet<_> = known.iter().collect();
            prop_assert_eq!(known.len(), apart.len(), "cannot-link");
            prop_assert!(known.iter().all(|it| it.index() < speakers_max));
            prop_assert!(one.voices().len() <= speakers_max);
            let by = turned % voices.len();
            voices.rotate_left(by);
            labels.rotate_left(by);
            prop_assert_eq!(other.identify(&voices), labels);
        }
        prop_assert_eq!(one.counts(), other.counts());
    }
}

#[test]
fn two_voices_that_alternate_get_two_labels() {
    let pieces: Vec<Piece> = (0..10)
        .map(|at| Piece::Sound(vec![at % 2 + 7], 900))
        .collect();
    let expected: Vec<SpeakerTurn> = (0..10)
        .map(|at| turn((at % 2) as u16, at * 900, (at + 1) * 900))
        .collect();
    let heard = hear(&pieces);
    assert_turns(&heard.stable, &expected);
    assert_eq!(heard.counts.clusters.speakers, 2);
    assert_eq!(heard.until, 9_000 * MS as u64);
}

#[test]
fn voices_that_overlap_are_both_told() {
    let pieces = [
        Piece::Sound(vec![3], 1_500),
        Piece::Sound(vec![3, 4], 500),
        Piece::Sound(vec![4], 1_500),
        Piece::Sound(vec![], 700),
        Piece::Sound(vec![3], 1_000),
    ];
    let heard = hear(&pieces);
    let expected = [
        turn(0, 0, 2_000),
        turn(1, 1_500, 3_500),
        turn(0, 4_200, 5_200),
    ];
    assert_turns(&heard.stable, &expected);
    let both = heard.stable.iter().filter(|turn| turn.overlap);
    let samples: u64 = both.map(|turn| turn.span.len()).sum();
    assert!(
        samples.abs_diff(2 * 500 * MS as u64) <= 4 * EDGE,
        "{samples}"
    );
}

#[test]
fn times_are_right_behind_gaps_and_speakers_are_known_again() {
    let pieces = [
        Piece::Sound(vec![1], 3_000),
        Piece::Gap(3_600_000),
        Piece::Sound(vec![], 500),
        Piece::Sound(vec![2], 1_000),
        Piece::Gap(10),
        Piece::Sound(vec![1], 1_500),
    ];
    let heard = hear(&pieces);
    let expected = [
        turn(0, 0, 3_000),
        turn(1, 3_603_500, 3_604_500),
        turn(0, 3_604_510, 3_606_010),
    ];
    assert_turns(&heard.stable, &expected);
    assert_eq!(heard.until, 3_606_010 * MS as u64);
    assert!(heard.counts.windows < 60, "a gap costs nothing");
}

#[test]
fn sound_shorter_than_a_window_is_told_too() {
    let heard = hear(&[Piece::Sound(vec![1], 600)]);
    assert_turns(&heard.stable, &[turn(0, 0, 600)]);
    assert_eq!(hear(&[]).stable, []);
    // too short to know the voice
    let short = hear(&[Piece::Sound(vec![1], 200)]).stable;
    assert_eq!(
        short.iter().map(|it| it.speaker).collect::<Vec<_>>(),
        [None]
    );
}

#[test]
fn stable_turns_come_after_the_delay() {
    for (latency_ms, delay_ms) in [(0, 600), (500, 1_100), (10_000, 2_600)] {
        let config = DiarizerConfig {
            latency_ms,
            ..config()
        };
        let mut ears = Ears::new(&config, ScriptedSegmenter::new(GRID));
        for _ in 0..50 {
            ears.hear(&[Piece::Sound(vec![0], 200)]);
            let taken = ears.diarizer.samples_taken();
            let waiting = taken - ears.diarizer.stable_until();
            assert!(
                waiting <= (delay_ms * MS) as u64,
                "{waiting} at {latency_ms}"
            );
        }
        assert_turns(&ears.finish().stable, &[turn(0, 0, 10_000)]);
    }
}

#[test]
fn more_voices_than_speakers_are_counted() {
    let pieces: Vec<Piece> = (0..40)
        .map(|voice| Piece::Sound(vec![voice], 1_000))
        .collect();
    let heard = hear(&pieces);
    assert_eq!(heard.counts.clusters.speakers, SPEAKERS_MAX as u64);
    assert!(heard.counts.clusters.beyond_limit > 0);
    let known = heard.stable.iter().filter_map(|turn| turn.speaker);
    assert!(known.map(SpeakerId::index).max().expect("some") < SPEAKERS_MAX);
}

#[test]
fn a_failed_window_is_counted_and_its_neighbours_tell_what_it_covered() {
    let segmenter = ScriptedSegmenter::new(GRID).failing_on(6);
    let mut ears = Ears::new(&config(), segmenter);
    ears.hear(&[Piece::Sound(vec![0], 2_500), Piece::Sound(vec![1], 2_500)]);
    let heard = ears.finish();
    assert_eq!((heard.failures, heard.counts.failed_windows), (1, 1));
    assert_turns(&heard.stable, &[turn(0, 0, 2_500), turn(1, 2_500, 5_000)]);
    // the last window: what it alone would have told is missing, and nothing before
    let windows = heard.counts.windows;
    let mut ears = Ears::new(&config(), ScriptedSegmenter::new(GRID).failing_on(windows));
    ears.hear(&[Piece::Sound(vec![0], 5_000)]);
    let heard = ears.finish();
    assert_eq!(heard.failures, 1);
    let end = heard.stable.last().expect("a turn").span.end;
    assert!(
        (4_500 * MS as u64..5_000 * MS as u64).contains(&end),
        "{end}"
    );
}

/// A model that returns something else than it promised.
struct Wrong {
    frames: usize,
    speakers: usize,
}

impl SegmentSpeakers for Wrong {
    fn grid(&self) -> FrameGrid {
        GRID
    }

    fn activities(&mut self, _: &[f32]) -> Result<Activities, SpeakerError> {
        let values = vec![1.0; self.frames * self.speakers];
        Ok(Activities::new(self.speakers, values))
    }

    fn name(&self) -> &str {
        "wrong"
    }
}

impl EmbedSpeaker for Wrong {
    fn dimensions(&self) -> usize {
        7
    }

    fn embed(&mut self, _: &[f32]) -> Result<Vec<f32>, SpeakerError> {
        Ok(vec![1.0; 6])
    }

    fn name(&self) -> &str {
        "wrong"
    }
}

#[test]
fn outputs_of_another_shape_are_refused() {
    for (frames, speakers) in [(114, 2), (115, 4), (115, 1)] {
        let mut wrong = Wrong { frames, speakers };
        let mut other = Wrong { frames, speakers };
        let mut diarizer = Diarizer::new(&config(), GRID).expect("legal");
        diarizer.step(&scripted_sound(&[0], 2_000 * MS));
        while let Some(found) = diarizer.diarize(&mut wrong, &mut other) {
            match found {
                Err(SpeakerError::Shape { model, .. }) => assert_eq!(model, "wrong"),
                // one speaker is heard only once there is enough of it to embed
                found => assert!(speakers == 1 && found.is_ok()),
            }
        }
        assert!(diarizer.counts().failed_windows > 0);
    }
}

#[test]
fn settings_outside_their_range_are_named() {
    let refused = |config: DiarizerConfig| {
        let error = Diarizer::new(&config, GRID).err().expect("refused");
        error.setting
    };
    let with = |change: fn(&mut DiarizerConfig)| {
        let mut config = config();
        change(&mut config);
        refused(config)
    };
    assert_eq!(with(|it| it.hop_ms = 99), "hop_ms");
    assert_eq!(with(|it| it.hop_ms = 2_000), "hop_ms");
    assert_eq!(with(|it| it.new_distance = f32::NAN), "new_distance");
    assert_eq!(with(|it| it.short_distance = 2.1), "short_distance");
    assert_eq!(with(|it| it.speakers_max = 33), "speakers_max");
    assert_eq!(with(|it| it.embed_ms_min = 0), "embed_ms_min");
    assert_eq!(with(|it| it.centroid_ms_max = 0), "centroid_ms_max");
    let grid = FrameGrid {
        frames: 118,
        ..GRID
    };
    let error = Diarizer::new(&config(), grid).err().expect("refused");
    assert_eq!(error.setting, "frames");
}

#[test]
fn words_of_two_voices_in_one_window_get_their_speakers() {
    let heard = hear(&[Piece::Sound(vec![0], 1_400), Piece::Sound(vec![1], 1_600)]);
    let words: Vec<SampleSpan> = (0..10)
        .map(|at| SampleSpan::from_ms(at * 300 + 20, at * 300 + 290))
        .collect();
    let found = assign_words(&words, &heard.stable, heard.until);
    let speakers: Vec<u16> = found
        .iter()
        .map(|it| it.speaker.expect("somebody speaks").0)
        .collect();
    assert_eq!(speakers, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    let stable: Vec<bool> = found.iter().map(|it| it.stable).collect();
    assert!(stable[..8].iter().all(|it| *it) && !stable[9]);
}
