//! Converts a source's samples to speaker turns: the loop around the two models.
//!
//! It spawns no thread, reads no clock and opens no file. The caller lends it the models for one
//! window at a time, so one pair of models serves many sources. Invariants: the output depends on
//! the samples, the gaps and the models alone, not on chunk sizes; turns that were given out are
//! never changed.

use super::clean::LocalSpeech;
use super::clusters::{ClusterCounts, LocalVoice, SpeakerClusters};
use super::config::DiarizerConfig;
use super::contract::{Activities, EmbedSpeaker, FrameGrid, SegmentSpeakers, SpeakerError};
use super::cutter::{Cut, WindowCutter};
use super::pieces::Pieces;
use super::split::{Part, split};
use super::timeline::Timeline;
use super::turn::{SpeakerId, SpeakerTurn};
use super::voiceprint::Voiceprint;
use crate::SettingError;
use crate::span::SAMPLES_PER_MS;
use std::ops::Range;

/// Shortest hop, in ms: a model runs once per hop.
const HOP_MS_MIN: u32 = 100;

/// Counts of a diarizer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiarizerCounts {
    /// Windows given to the segmentation model.
    pub windows: u64,
    /// Windows on which a model failed: what only they cover has no turns.
    pub failed_windows: u64,
    /// Voices given to the embedding model.
    pub embeddings: u64,
    /// Of the clustering.
    pub clusters: ClusterCounts,
}

/// Diarization state of one source.
///
/// Memory: two windows of samples beside those of the last [`Diarizer::step`], a window of frames,
/// and one vector per speaker.
pub struct Diarizer {
    grid: FrameGrid,
    hop_frames: usize,
    latency_frames: usize,
    embed_samples: Range<usize>,
    config: DiarizerConfig,
    cutter: WindowCutter,
    pieces: Pieces,
    clusters: SpeakerClusters,
    timeline: Timeline,
    window: Vec<f32>,
    /// End of the last window, in samples of the source.
    seen_until: u64,
    counts: DiarizerCounts,
}

impl Diarizer {
    /// A diarizer for models whose windows have this grid.
    ///
    /// # Errors
    /// A setting is outside its range.
    pub fn new(config: &DiarizerConfig, grid: FrameGrid) -> Result<Self, SettingError> {
        grid.check()?;
        let samples = |ms: u32| ms as usize * SAMPLES_PER_MS as usize;
        let hop = samples(config.hop_ms);
        SettingError::unless(
            config.hop_ms >= HOP_MS_MIN && hop <= grid.frames * grid.step_samples,
            "hop_ms",
            &config.hop_ms,
            "100 to the length of a window",
        )?;
        let hop_frames = (hop + grid.step_samples / 2) / grid.step_samples;
        let hop_frames = hop_frames.clamp(1, grid.frames);
        Ok(Self {
            grid,
            hop_frames,
            latency_frames: samples(config.latency_ms).div_ceil(grid.step_samples),
            embed_samples: samples(config.embed_ms_min)..samples(config.embed_ms_max),
            config: config.clone(),
            cutter: WindowCutter::new(grid, hop_frames),
            pieces: Pieces::new(config, &grid),
            clusters: SpeakerClusters::new(config)?,
            timeline: Timeline::new(grid, 0),
            window: Vec::with_capacity(grid.window_samples),
            seen_until: 0,
            counts: DiarizerCounts::default(),
        })
    }

    /// Takes 16 kHz mono samples that follow the last ones.
    pub fn step(&mut self, samples: &[f32]) {
        self.cutter.step(samples);
    }

    /// Passes over samples of the source that are lost, or in which certainly nobody speaks. They
    /// count as time and are given to no model. Speakers are kept.
    pub fn gap(&mut self, samples: u64) {
        self.cutter.gap(samples);
    }

    /// Ends the source: the windows that are left become due.
    pub fn finish(&mut self) {
        self.cutter.finish();
    }

    /// Diarizes the next window that is due; `None` if there is none. Call it until then.
    ///
    /// Returns the turns that have become stable, ordered by start and then by speaker. A turn that
    /// goes on is cut where the stable part ends; [`super::join_turns`] joins the pieces. The cost
    /// of a window is one run of the segmentation model and at most three of the embedding model.
    ///
    /// # Errors
    /// A model fails on the window or returns another shape than it promised. The window is
    /// counted as failed, and the next call continues after it.
    pub fn diarize<S, E>(
        &mut self,
        segment: &mut S,
        embed: &mut E,
    ) -> Option<Result<Vec<SpeakerTurn>, SpeakerError>>
    where
        S: SegmentSpeakers + ?Sized,
        E: EmbedSpeaker + ?Sized,
    {
        let mut window = std::mem::take(&mut self.window);
        let cut = self.cutter.next(&mut window);
        let turns = cut.map(|cut| self.take(&cut, &window, segment, embed));
        self.window = window;
        turns
    }

    /// Turns that later windows may still change, as they look now.
    #[must_use]
    pub fn provisional(&self) -> Vec<SpeakerTurn> {
        self.timeline.open_turns()
    }

    /// Position up to which windows were diarized, in samples at 16 kHz since the source began:
    /// [`Self::provisional`] reaches until here.
    #[must_use]
    pub fn seen_until(&self) -> u64 {
        self.seen_until
    }

    /// The centroid of each speaker's voice so far, with the clean speech behind it in samples, in
    /// the order of their numbers.
    pub fn voices(&self) -> impl Iterator<Item = (&Voiceprint, u64)> {
        self.clusters.voices()
    }

    /// Position before which all turns were given out, in samples at 16 kHz since the source began.
    #[must_use]
    pub fn stable_until(&self) -> u64 {
        self.timeline.stable_until()
    }

    /// Samples and gaps taken so far.
    #[must_use]
    pub fn samples_taken(&self) -> u64 {
        self.cutter.taken()
    }

    /// Counts so far.
    #[must_use]
    pub fn counts(&self) -> DiarizerCounts {
        DiarizerCounts {
            clusters: self.clusters.counts(),
            ..self.counts
        }
    }

    fn take<S, E>(
        &mut self,
        cut: &Cut,
        window: &[f32],
        segment: &mut S,
        embed: &mut E,
    ) -> Result<Vec<SpeakerTurn>, SpeakerError>
    where
        S: SegmentSpeakers + ?Sized,
        E: EmbedSpeaker + ?Sized,
    {
        let mut stable = Vec::new();
        let (run_start, first_frame, heard, heard_until) = match cut {
            Cut::Window {
                run_start,
                first_frame,
                heard,
                heard_until,
            } => (*run_start, *first_frame, heard, *heard_until),
            Cut::End { run_end } => {
                self.timeline.end(&mut stable);
                self.timeline = Timeline::new(self.grid, *run_end);
                self.seen_until = *run_end;
                return Ok(stable);
            }
        };
        if self.timeline.run_start() != run_start {
            self.timeline = Timeline::new(self.grid, run_start);
            self.pieces.restart();
        }
        self.counts.windows += 1;
        self.seen_until = heard_until;
        let seen = self.see(first_frame, (window, heard), segment, embed);
        let (activities, locals) = seen.inspect_err(|_| self.counts.failed_windows += 1)?;
        let labels = self.label(activities.speakers(), locals);
        // after a failed window nothing that ends before this one can change
        self.timeline.settle(first_frame, &mut stable);
        self.timeline
            .add(first_frame, heard_until, &activities, &labels);
        let settled = self.grid.frames.saturating_sub(self.latency_frames);
        let settled = settled.max(self.hop_frames) as i64;
        self.timeline.settle(first_frame + settled, &mut stable);
        Ok(stable)
    }

    /// Runs both models: the activities, and the voice of each local speaker that is active.
    fn see<S, E>(
        &mut self,
        first_frame: i64,
        (window, heard): (&[f32], &Range<usize>),
        segment: &mut S,
        embed: &mut E,
    ) -> Result<(Activities, Vec<(usize, LocalVoice)>), SpeakerError>
    where
        S: SegmentSpeakers + ?Sized,
        E: EmbedSpeaker + ?Sized,
    {
        let activities = segment.activities(window)?;
        if !activities.fits(&self.grid) {
            return Err(SpeakerError::Shape {
                model: segment.name().to_owned(),
                expected: format!("{} frames of at most 3 speakers", self.grid.frames),
                actual: format!(
                    "{} frames of {} speakers",
                    activities.frames(),
                    activities.speakers()
                ),
            });
        }
        let (grid, sound) = (self.grid, (window, heard));
        let seen = (&activities, &grid);
        self.counts.embeddings += self.pieces.embed(first_frame, sound, seen, embed)?;
        let speakers = 0..activities.speakers();
        let locals = speakers.map(|it| LocalSpeech::of(it, &activities, &grid, heard));
        let (settings, locals) = ((&self.config, &grid), locals.collect());
        let (activities, parts) = split(&activities, locals, first_frame, &self.pieces, settings);
        let mut voices = Vec::new();
        for (column, part) in parts.into_iter().enumerate() {
            if let Some(part) = part {
                voices.push((column, self.voice(part, window, embed)?));
            }
        }
        Ok((activities, voices))
    }

    /// The voice of a local speaker: that of its pieces, or of all its clean speech where it has
    /// none.
    fn voice<E: EmbedSpeaker + ?Sized>(
        &mut self,
        part: Part,
        window: &[f32],
        embed: &mut E,
    ) -> Result<LocalVoice, SpeakerError> {
        let voiceprint = match part.voice {
            Some(voice) => Some(voice),
            None => self.voiceprint(&part.speech, window, embed)?,
        };
        Ok(LocalVoice {
            onset_frame: part.onset_frame,
            clean_samples: part.clean_samples as u64,
            voiceprint,
        })
    }

    /// The voice of a local speaker, if it speaks alone for long enough.
    fn voiceprint<E: EmbedSpeaker + ?Sized>(
        &mut self,
        speech: &LocalSpeech,
        window: &[f32],
        embed: &mut E,
    ) -> Result<Option<Voiceprint>, SpeakerError> {
        if speech.clean_samples() < self.embed_samples.start {
            return Ok(None);
        }
        let vector = embed.embed(&speech.clean_speech(window, self.embed_samples.end))?;
        self.counts.embeddings += 1;
        Voiceprint::of_model(vector, embed)
    }

    /// The speaker of each local speaker; `None` for those that are not active.
    fn label(
        &mut self,
        speakers: usize,
        locals: Vec<(usize, LocalVoice)>,
    ) -> Vec<Option<SpeakerId>> {
        let (columns, voices): (Vec<usize>, Vec<LocalVoice>) = locals.into_iter().unzip();
        let mut labels = vec![None; speakers];
        for (column, label) in columns.into_iter().zip(self.clusters.identify(&voices)) {
            labels[column] = label;
        }
        labels
    }
}
