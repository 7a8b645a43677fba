//! Cuts speech out of a 16 kHz signal: a state machine over the detector's scores.
//!
//! It recognises no words and keeps at most one segment and its pre-roll. Invariant: segments of
//! one channel are in order, never overlap, are never longer than the limit, and depend on the
//! samples alone, not on chunk sizes: decisions fall only on frames of 256 samples counted from the
//! start of the source.

use crate::span::SAMPLES_PER_MS;
use crate::voice::{VOICE_FRAME_SAMPLES, VoiceActivity};
use crate::{OpenSpeech, SampleSpan, Segment, SettingError};

/// Largest allowed segment limit, in ms: whisper takes 30 s at once.
const SEGMENT_MS_MAX: u32 = 29_000;
/// Smallest allowed segment limit, in ms.
const SEGMENT_MS_MIN: u32 = 1_000;
/// Longest pre-roll, hangover and tail, in ms.
const MARGIN_MS_MAX: u32 = 5_000;
/// Frames averaged to find the quietest place for a cut (112 ms).
const CUT_WINDOW_FRAMES: usize = 7;

/// How speech is cut. Times in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmenterConfig {
    /// Score from which a frame counts as voice while no segment is open, 0 to 1.
    pub on_score: f32,
    /// Score from which a frame counts as voice inside a segment, 0 to `on_score`.
    pub off_score: f32,
    /// Voice needed to open a segment; clicks are shorter.
    pub onset_ms: u32,
    /// Sound kept before the first voice.
    pub pre_roll_ms: u32,
    /// Silence that closes a segment.
    pub hangover_ms: u32,
    /// Sound kept after the last voice, at most `hangover_ms`.
    pub tail_ms: u32,
    /// Segments with less voice than this are dropped and counted.
    pub min_voice_ms: u32,
    /// Longest segment, 1,000 to 29,000.
    pub max_segment_ms: u32,
    /// Segment length from which a pause of `short_pause_ms` closes it.
    pub soft_segment_ms: u32,
    /// The shorter pause.
    pub short_pause_ms: u32,
}

/// Tuned on labelled meeting recordings: the smallest margins with which 98 % of the labelled
/// speech reaches the recogniser. The detector's score is near 0.3 in the pauses of a conversation.
impl Default for SegmenterConfig {
    fn default() -> Self {
        Self {
            on_score: 0.45,
            off_score: 0.32,
            onset_ms: 48,
            pre_roll_ms: 480,
            hangover_ms: 640,
            tail_ms: 640,
            min_voice_ms: 96,
            max_segment_ms: 28_000,
            soft_segment_ms: 16_000,
            short_pause_ms: 240,
        }
    }
}

impl SegmenterConfig {
    /// The defaults for a model that takes at most `max_segment_ms` at once.
    #[must_use]
    pub fn for_model(max_segment_ms: u32) -> Self {
        Self {
            max_segment_ms,
            soft_segment_ms: max_segment_ms / 100 * 55,
            ..Self::default()
        }
    }

    fn check(&self) -> Result<(), SettingError> {
        SettingError::unless(
            (0.0..=1.0).contains(&self.on_score),
            "on_score",
            &self.on_score,
            "0 to 1",
        )?;
        SettingError::unless(
            (0.0..=self.on_score).contains(&self.off_score),
            "off_score",
            &self.off_score,
            "0 to on_score",
        )?;
        SettingError::unless(
            (SEGMENT_MS_MIN..=SEGMENT_MS_MAX).contains(&self.max_segment_ms),
            "max_segment_ms",
            &self.max_segment_ms,
            "1000 to 29000",
        )?;
        for (setting, value) in [
            ("onset_ms", self.onset_ms),
            ("pre_roll_ms", self.pre_roll_ms),
            ("hangover_ms", self.hangover_ms),
            ("min_voice_ms", self.min_voice_ms),
            ("short_pause_ms", self.short_pause_ms),
        ] {
            SettingError::unless(value <= MARGIN_MS_MAX, setting, &value, "0 to 5000")?;
        }
        let tail = self.tail_ms;
        SettingError::unless(
            tail <= self.hangover_ms,
            "tail_ms",
            &tail,
            "0 to hangover_ms",
        )
    }
}

/// Counts of a segmenter so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmenterCounts {
    /// Samples taken.
    pub samples: u64,
    /// Samples inside the returned segments.
    pub speech_samples: u64,
    /// Segments returned.
    pub segments: u64,
    /// Stretches dropped because they had too little voice.
    pub too_short: u64,
    /// Segments cut at the limit without a pause.
    pub forced_cuts: u64,
}

/// The open segment.
struct Open {
    start: u64,
    last_voice_end: u64,
    voiced_frames: u64,
}

/// Turns a 16 kHz signal into segments of speech.
pub struct Segmenter {
    config: SegmenterConfig,
    channel: u16,
    detector: Box<dyn VoiceActivity>,
    frame: Vec<f32>,
    /// End of the last whole frame.
    position: u64,
    /// End of the last real sample: before `position` by the padding of the last frame.
    received: u64,
    /// The samples from `kept_start` to `position`, whole frames.
    kept: Vec<f32>,
    /// One score for each kept frame.
    scores: Vec<f32>,
    kept_start: u64,
    /// End of the last segment: the next one begins at or after it.
    floor: u64,
    /// Sound before this position is taken for silence: nobody wants its words.
    unwanted: u64,
    onset_frames: u64,
    onset_start: u64,
    open: Option<Open>,
    counts: SegmenterCounts,
    spare: Vec<Vec<f32>>,
}

impl Segmenter {
    /// Makes a segmenter with the default detector.
    ///
    /// # Errors
    /// A setting is outside its range.
    #[cfg(feature = "listen")]
    pub fn new(config: SegmenterConfig) -> Result<Self, SettingError> {
        Self::with_detector(config, Box::new(crate::voice::Earshot::new()))
    }

    /// Makes a segmenter with the given detector. Its buffers take about `2 * max_segment_ms * 64`
    /// bytes.
    ///
    /// # Errors
    /// A setting is outside its range.
    pub fn with_detector(
        config: SegmenterConfig,
        detector: Box<dyn VoiceActivity>,
    ) -> Result<Self, SettingError> {
        config.check()?;
        let most_ms = config.max_segment_ms + config.pre_roll_ms + 2 * config.onset_ms;
        let most = samples(most_ms) as usize + 4 * VOICE_FRAME_SAMPLES;
        Ok(Self {
            channel: 0,
            detector,
            frame: Vec::with_capacity(VOICE_FRAME_SAMPLES),
            position: 0,
            received: 0,
            kept: Vec::with_capacity(most),
            scores: Vec::with_capacity(most / VOICE_FRAME_SAMPLES + 1),
            kept_start: 0,
            floor: 0,
            unwanted: 0,
            onset_frames: 0,
            onset_start: 0,
            open: None,
            counts: SegmenterCounts::default(),
            spare: Vec::with_capacity(1),
            config,
        })
    }

    /// Sets the channel number of its segments.
    #[must_use]
    pub fn on_channel(mut self, channel: u16) -> Self {
        self.channel = channel;
        self
    }

    /// Its counts so far.
    #[must_use]
    pub fn counts(&self) -> SegmenterCounts {
        self.counts
    }

    /// The segment that is open, up to the last whole frame.
    #[must_use]
    pub fn open_speech(&self) -> Option<OpenSpeech<'_>> {
        let open = self.open.as_ref()?;
        let from = (open.start - self.kept_start) as usize;
        let scores = &self.scores[from / VOICE_FRAME_SAMPLES..];
        Some(OpenSpeech {
            span: SampleSpan::new(open.start, self.position),
            channel: self.channel,
            samples: &self.kept[from..],
            voice: scores.iter().sum::<f32>() / scores.len().max(1) as f32,
            voice_end: open.last_voice_end,
            tail: samples(self.config.tail_ms),
        })
    }

    /// The position before which no sample can become part of a segment any more.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.open
            .as_ref()
            .map_or(self.kept_start, |open| open.start)
    }

    /// Takes samples within -1 to 1 and appends the segments they complete. Allocates only a
    /// segment's samples, unless `recycle` gave back a buffer.
    pub fn step(&mut self, mono: &[f32], out: &mut Vec<Segment>) {
        let mut rest = mono;
        while !rest.is_empty() {
            let take = rest.len().min(VOICE_FRAME_SAMPLES - self.frame.len());
            let (head, tail) = rest.split_at(take);
            self.frame.extend_from_slice(head);
            rest = tail;
            if self.frame.len() == VOICE_FRAME_SAMPLES {
                self.take_frame(VOICE_FRAME_SAMPLES as u64, out);
            }
        }
    }

    /// Closes the open segment and appends it. The segmenter then takes no samples until `reset`.
    pub fn finish(&mut self, out: &mut Vec<Segment>) {
        let rest = self.frame.len() as u64;
        if rest > 0 {
            self.frame.resize(VOICE_FRAME_SAMPLES, 0.0);
            self.take_frame(rest, out);
        }
        if let Some(open) = self.open.take() {
            let end = (open.last_voice_end + samples(self.config.tail_ms)).min(self.received);
            self.give(&open, end, out);
        }
    }

    /// Restarts: the next sample is sample `at` of the source.
    pub fn reset(&mut self, at: u64) {
        self.detector.reset();
        self.frame.clear();
        self.kept.clear();
        self.scores.clear();
        self.position = at;
        self.received = at;
        self.kept_start = at;
        self.floor = at;
        self.unwanted = at;
        self.onset_frames = 0;
        self.open = None;
        self.counts = SegmenterCounts::default();
    }

    /// Drops the open segment if it begins before `at`, and takes what else comes before `at` for
    /// silence.
    pub fn discard_before(&mut self, at: u64) {
        if at <= self.unwanted {
            return;
        }
        self.unwanted = at;
        self.floor = self.floor.max(at);
        self.onset_frames = 0;
        self.open = self.open.take().filter(|open| open.start >= at);
    }

    /// Takes back a segment's samples for reuse. Keeps one buffer, frees the others.
    pub fn recycle(&mut self, mut samples: Vec<f32>) {
        if self.spare.is_empty() {
            samples.clear();
            self.spare.push(samples);
        }
    }

    fn take_frame(&mut self, real_samples: u64, out: &mut Vec<Segment>) {
        // the detector hears it all the same, so that it knows what came before the wanted sound
        let heard = self.detector.score(&self.frame);
        let score = if self.position < self.unwanted {
            0.0
        } else {
            heard
        };
        self.kept.extend_from_slice(&self.frame);
        self.scores.push(score);
        self.frame.clear();
        self.position += VOICE_FRAME_SAMPLES as u64;
        self.received += real_samples;
        self.counts.samples += real_samples;
        if self.open.is_some() {
            self.go_on(score, out);
        } else {
            self.wait(score);
        }
    }

    /// No segment is open: checks whether speech begins.
    fn wait(&mut self, score: f32) {
        if score >= self.config.on_score {
            if self.onset_frames == 0 {
                self.onset_start = self.position - VOICE_FRAME_SAMPLES as u64;
            }
            self.onset_frames += 1;
        } else {
            self.onset_frames = self.onset_frames.saturating_sub(1);
        }
        let needed = samples(self.config.onset_ms)
            .div_ceil(VOICE_FRAME_SAMPLES as u64)
            .max(1);
        if self.onset_frames >= needed {
            let earliest = self
                .onset_start
                .saturating_sub(samples(self.config.pre_roll_ms));
            self.open = Some(Open {
                start: earliest.max(self.floor).max(self.kept_start),
                last_voice_end: self.position,
                voiced_frames: self.onset_frames,
            });
            self.onset_frames = 0;
            return;
        }
        let since = if self.onset_frames == 0 {
            self.position
        } else {
            self.onset_start
        };
        self.forget_before(since.saturating_sub(samples(self.config.pre_roll_ms)));
    }

    /// A segment is open: checks whether speech ended.
    fn go_on(&mut self, score: f32, out: &mut Vec<Segment>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        if score >= self.config.off_score {
            open.last_voice_end = self.position;
        }
        open.voiced_frames += u64::from(score >= self.config.on_score);
        let quiet = self.position - open.last_voice_end;
        let len = self.position - open.start;
        let long = len >= samples(self.config.soft_segment_ms);
        let pause_ms = if long {
            self.config.short_pause_ms
        } else {
            self.config.hangover_ms
        };
        if quiet >= samples(pause_ms).max(1) {
            let end = open.last_voice_end + samples(self.config.tail_ms).min(quiet);
            self.give(&open, end, out);
            self.forget_before(end.min(self.position));
        } else if len + VOICE_FRAME_SAMPLES as u64 > samples(self.config.max_segment_ms) {
            self.open = Some(self.cut(&open, out));
        } else {
            self.open = Some(open);
        }
    }

    /// Returns an open segment that has reached the limit, cut at the quietest place of its second
    /// half, and returns the rest after the cut.
    fn cut(&mut self, open: &Open, out: &mut Vec<Segment>) -> Open {
        self.counts.forced_cuts += 1;
        let at = self.quietest(open.start + (self.position - open.start) / 2);
        self.give(open, at, out);
        self.forget_before(at);
        let first = ((at - self.kept_start) as usize).div_ceil(VOICE_FRAME_SAMPLES);
        let behind = &self.scores[first.min(self.scores.len())..];
        let voiced_frames = behind
            .iter()
            .filter(|s| **s >= self.config.on_score)
            .count() as u64;
        let quiet = behind
            .iter()
            .rev()
            .take_while(|s| **s < self.config.off_score)
            .count();
        let quiet = (quiet * VOICE_FRAME_SAMPLES) as u64;
        Open {
            start: at,
            last_voice_end: (self.position - quiet).max(at),
            voiced_frames,
        }
    }

    /// The middle of the quietest stretch after `from`: by score, then by loudness.
    fn quietest(&self, from: u64) -> u64 {
        let first = ((from - self.kept_start) as usize).div_ceil(VOICE_FRAME_SAMPLES);
        let loudness: Vec<f32> = self.kept[first * VOICE_FRAME_SAMPLES..]
            .chunks_exact(VOICE_FRAME_SAMPLES)
            .map(|f| (f.iter().map(|s| s * s).sum::<f32>() / f.len() as f32).sqrt())
            .collect();
        let loudest = loudness.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let costs: Vec<f32> = loudness
            .iter()
            .zip(&self.scores[first..])
            .map(|(rms, score)| score + rms / loudest)
            .collect();
        let best = costs
            .windows(CUT_WINDOW_FRAMES)
            .map(|w| w.iter().sum::<f32>())
            .enumerate()
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(0, |(i, _)| i + CUT_WINDOW_FRAMES / 2);
        self.kept_start + ((first + best) * VOICE_FRAME_SAMPLES) as u64
    }

    /// Appends the samples from `open.start` to `end`, unless they have too little voice.
    fn give(&mut self, open: &Open, end: u64, out: &mut Vec<Segment>) {
        // the last frame is padded with silence that is not part of the source
        let end = end.min(self.received);
        let voice_samples = open.voiced_frames * VOICE_FRAME_SAMPLES as u64;
        if voice_samples < samples(self.config.min_voice_ms) || end <= open.start {
            self.counts.too_short += 1;
            return;
        }
        let from = (open.start - self.kept_start) as usize;
        let to = (end - self.kept_start) as usize;
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(&self.kept[from..to.min(self.kept.len())]);
        let span = SampleSpan::new(open.start, open.start + buffer.len() as u64);
        self.floor = span.end;
        self.counts.segments += 1;
        self.counts.speech_samples += span.len();
        let frames = &self.scores[from / VOICE_FRAME_SAMPLES..];
        let frames = &frames[..frames.len().min(buffer.len().div_ceil(VOICE_FRAME_SAMPLES))];
        let voice = frames.iter().sum::<f32>() / frames.len().max(1) as f32;
        out.push(Segment {
            span,
            channel: self.channel,
            samples: buffer,
            voice,
            tail: samples(self.config.tail_ms),
            language: None,
        });
    }

    /// Drops whole frames before `at`; moves the rest only when enough has accumulated.
    fn forget_before(&mut self, at: u64) {
        let frames = (at.saturating_sub(self.kept_start) as usize) / VOICE_FRAME_SAMPLES;
        let frames = frames.min(self.scores.len());
        if frames == 0 {
            return;
        }
        self.kept.drain(..frames * VOICE_FRAME_SAMPLES);
        self.scores.drain(..frames);
        self.kept_start += (frames * VOICE_FRAME_SAMPLES) as u64;
    }
}

fn samples(ms: u32) -> u64 {
    u64::from(ms) * SAMPLES_PER_MS
}
