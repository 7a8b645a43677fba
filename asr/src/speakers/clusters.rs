//! Online clustering: maps the local speakers of one window to the speakers of the whole source.
//!
//! A speaker is a centroid and a weight; no vector is kept. Invariants: two local speakers of one
//! window are two speakers (cannot-link); there are never more than `speakers_max`; the order of
//! the local speakers changes nothing.

use super::assignment::cheapest;
use super::config::DiarizerConfig;
use super::contract::LOCAL_SPEAKERS_MAX;
use super::turn::SpeakerId;
use super::voiceprint::Voiceprint;
use crate::SettingError;
use crate::span::SAMPLES_PER_MS;
use std::cmp::{Ordering, Reverse};

/// What is known of a local speaker of one window.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalVoice {
    /// First frame in which the speaker is active; new speakers are numbered by it.
    pub onset_frame: usize,
    /// Samples in which nobody else speaks.
    pub clean_samples: u64,
    /// The voice, if there was enough clean speech for it.
    pub voiceprint: Option<Voiceprint>,
}

/// Counts of the clustering so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClusterCounts {
    /// Speakers found.
    pub speakers: u64,
    /// Times that a centroid was updated.
    pub updates: u64,
    /// Times that a voice was given to the nearest speaker because there may be no more speakers.
    pub beyond_limit: u64,
}

struct Centroid {
    voice: Voiceprint,
    /// Clean speech behind it, in samples, bounded.
    weight_samples: u64,
}

/// The speakers of a source, each with the centroid of its voice.
///
/// Memory: `speakers_max` vectors. A window costs at most three distances per speaker and 36,000
/// sums.
pub struct SpeakerClusters {
    new_distance: f32,
    short_distance: f32,
    new_samples_min: u64,
    update_samples_min: u64,
    weight_samples_max: u64,
    speakers_max: usize,
    centroids: Vec<Centroid>,
    counts: ClusterCounts,
}

impl SpeakerClusters {
    /// No speakers yet.
    ///
    /// # Errors
    /// A setting is outside its range.
    pub fn new(config: &DiarizerConfig) -> Result<Self, SettingError> {
        config.check()?;
        let samples = |ms: u32| u64::from(ms) * SAMPLES_PER_MS;
        Ok(Self {
            new_distance: config.new_distance,
            short_distance: config.short_distance,
            new_samples_min: samples(config.new_ms_min),
            update_samples_min: samples(config.update_ms_min),
            weight_samples_max: samples(config.centroid_ms_max),
            speakers_max: config.speakers_max,
            centroids: Vec::new(),
            counts: ClusterCounts::default(),
        })
    }

    /// Counts so far.
    #[must_use]
    pub fn counts(&self) -> ClusterCounts {
        self.counts
    }

    /// The centroid of each speaker's voice, with the clean speech behind it in samples, in the
    /// order of their numbers.
    pub fn voices(&self) -> impl ExactSizeIterator<Item = (&Voiceprint, u64)> {
        self.centroids
            .iter()
            .map(|it| (&it.voice, it.weight_samples))
    }

    /// The speaker of each local voice of one window, in the order of `voices`; `None` where the
    /// voice is unknown.
    ///
    /// Voices with enough clean speech are assigned first, so that no short one takes their
    /// speaker: the assignment with the smallest sum of distances, where a voice farther than
    /// `new_distance` from all that are left is new. Then short voices are assigned to speakers
    /// that are left, up to `short_distance`. At last the centroids of speakers that were found
    /// again move towards the new vectors.
    ///
    /// # Panics
    /// There are more than [`LOCAL_SPEAKERS_MAX`] voices.
    pub fn identify(&mut self, voices: &[LocalVoice]) -> Vec<Option<SpeakerId>> {
        assert!(voices.len() <= LOCAL_SPEAKERS_MAX, "at most three voices");
        let mut order: Vec<usize> = (0..voices.len()).collect();
        order.sort_by(|a, b| appearance(&voices[*a], &voices[*b]));
        order.retain(|at| voices[*at].voiceprint.is_some());
        let (sure, short): (Vec<usize>, Vec<usize>) = order
            .iter()
            .partition(|at| voices[**at].clean_samples >= self.new_samples_min);
        let mut window = Window {
            voices,
            distances: voices.iter().map(|voice| self.distances(voice)).collect(),
            labels: vec![None; voices.len()],
        };
        window.assign(&sure, self.new_distance);
        for at in sure {
            if window.labels[at].is_none() {
                window.labels[at] = self.appear(&window, at);
            }
        }
        window.assign(&short, self.short_distance);
        self.update(&window);
        window.labels.iter().map(|it| it.map(id)).collect()
    }

    /// Distances to all centroids; none for a voice without a vector.
    fn distances(&self, voice: &LocalVoice) -> Vec<f32> {
        let Some(voice) = &voice.voiceprint else {
            return Vec::new();
        };
        let distances = self.centroids.iter().map(|it| it.voice.distance(voice));
        distances.collect()
    }

    /// A new speaker, or the nearest one left when there may be no more.
    fn appear(&mut self, window: &Window, at: usize) -> Option<usize> {
        if self.centroids.len() < self.speakers_max {
            let voice = &window.voices[at];
            self.centroids.push(Centroid {
                voice: voice.voiceprint.clone()?,
                weight_samples: voice.clean_samples.clamp(1, self.weight_samples_max),
            });
            self.counts.speakers += 1;
            return Some(self.centroids.len() - 1);
        }
        self.counts.beyond_limit += 1;
        let free = window.free(at);
        let near = free.min_by(|(_, a), (_, b)| a.total_cmp(b));
        near.map(|(speaker, _)| speaker)
    }

    /// Moves centroids towards vectors of enough clean speech. A speaker that was taken for want
    /// of a nearer one stays as it is.
    fn update(&mut self, window: &Window) {
        for (at, voice) in window.voices.iter().enumerate() {
            let (Some(speaker), Some(print)) = (window.labels[at], &voice.voiceprint) else {
                continue;
            };
            // one that has just appeared has no distance: its centroid is this vector
            let known = window.distances[at].get(speaker);
            let near = known.is_some_and(|it| *it <= self.new_distance);
            if near && voice.clean_samples >= self.update_samples_min {
                let centroid = &mut self.centroids[speaker];
                let (old, new) = (centroid.weight_samples, voice.clean_samples);
                centroid.voice = centroid.voice.mixed(old as f32, print, new as f32);
                centroid.weight_samples = (old + new).min(self.weight_samples_max);
                self.counts.updates += 1;
            }
        }
    }
}

/// Voices of one window while they are assigned.
struct Window<'a> {
    voices: &'a [LocalVoice],
    /// From each voice to each speaker that was known before the window.
    distances: Vec<Vec<f32>>,
    labels: Vec<Option<usize>>,
}

impl Window<'_> {
    /// Assigns speakers that are left to some of the voices.
    fn assign(&mut self, some: &[usize], distance_max: f32) {
        let costs: Vec<Vec<f32>> = some
            .iter()
            .map(|at| {
                let mut costs = self.distances[*at].clone();
                for taken in self.labels.iter().flatten() {
                    if let Some(cost) = costs.get_mut(*taken) {
                        *cost = f32::INFINITY;
                    }
                }
                costs
            })
            .collect();
        for (at, label) in some.iter().zip(cheapest(&costs, distance_max)) {
            self.labels[*at] = label;
        }
    }

    /// The speakers that no voice of this window has, with their distances.
    fn free(&self, at: usize) -> impl Iterator<Item = (usize, f32)> {
        let all = self.distances[at].iter().copied().enumerate();
        all.filter(|(speaker, _)| !self.labels.contains(&Some(*speaker)))
    }
}

fn id(index: usize) -> SpeakerId {
    SpeakerId(index as u16) // at most SPEAKERS_MAX
}

/// The order in which voices get numbers, whatever the order of the local speakers.
fn appearance(a: &LocalVoice, b: &LocalVoice) -> Ordering {
    let key = |voice: &LocalVoice| (voice.onset_frame, Reverse(voice.clean_samples));
    let components = |voice: &LocalVoice| -> Vec<u32> {
        let print = voice.voiceprint.as_ref().map(Voiceprint::as_slice);
        print
            .unwrap_or_default()
            .iter()
            .map(|it| it.to_bits())
            .collect()
    };
    let by_vector = || components(a).cmp(&components(b));
    key(a).cmp(&key(b)).then_with(by_vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A voice at an angle in degrees, with so many seconds of clean speech.
    fn voice(degrees: f32, clean_s: u64) -> LocalVoice {
        let (y, x) = degrees.to_radians().sin_cos();
        LocalVoice {
            onset_frame: 0,
            clean_samples: clean_s * 16_000,
            voiceprint: Voiceprint::new(vec![x, y]),
        }
    }

    fn clusters(config: &DiarizerConfig) -> SpeakerClusters {
        SpeakerClusters::new(config).expect("legal settings")
    }

    fn labels(found: &[Option<SpeakerId>]) -> Vec<Option<u16>> {
        found.iter().map(|it| it.map(|id| id.0)).collect()
    }

    #[test]
    fn a_voice_is_found_again_and_a_far_one_is_new() {
        let mut speakers = clusters(&DiarizerConfig::default());
        assert_eq!(labels(&speakers.identify(&[voice(0.0, 5)])), [Some(0)]);
        assert_eq!(labels(&speakers.identify(&[voice(30.0, 5)])), [Some(0)]);
        let both = speakers.identify(&[voice(120.0, 5), voice(10.0, 5)]);
        assert_eq!(labels(&both), [Some(1), Some(0)]);
        assert_eq!(speakers.counts().speakers, 2);
        assert_eq!(speakers.counts().updates, 2);
    }

    #[test]
    fn two_voices_of_a_window_are_two_speakers_however_alike() {
        let mut speakers = clusters(&DiarizerConfig::default());
        speakers.identify(&[voice(0.0, 5)]);
        let both = speakers.identify(&[voice(3.0, 5), voice(1.0, 5)]);
        assert_eq!(
            labels(&both),
            [Some(1), Some(0)],
            "the nearer one is the known one"
        );
    }

    #[test]
    fn a_short_voice_makes_no_speaker_and_moves_none() {
        let mut speakers = clusters(&DiarizerConfig::default());
        assert_eq!(labels(&speakers.identify(&[voice(0.0, 1)])), [None]);
        speakers.identify(&[voice(0.0, 5)]);
        let before: Vec<Voiceprint> = speakers.voices().map(|it| it.0.clone()).collect();
        assert_eq!(labels(&speakers.identify(&[voice(80.0, 1)])), [Some(0)]);
        assert_eq!(labels(&speakers.identify(&[voice(100.0, 1)])), [None]);
        let after: Vec<Voiceprint> = speakers.voices().map(|it| it.0.clone()).collect();
        assert_eq!(before, after);
    }

    #[test]
    fn a_short_voice_does_not_take_the_speaker_of_a_longer_one() {
        let mut speakers = clusters(&DiarizerConfig::default());
        speakers.identify(&[voice(0.0, 5)]);
        let both = speakers.identify(&[voice(10.0, 1), voice(40.0, 5)]);
        assert_eq!(labels(&both), [None, Some(0)]);
    }

    #[test]
    fn beyond_the_limit_the_nearest_one_left_is_taken_and_counted() {
        let mut speakers = clusters(&DiarizerConfig {
            speakers_max: 2,
            ..DiarizerConfig::default()
        });
        speakers.identify(&[voice(0.0, 5), voice(120.0, 5)]);
        let before: Vec<Voiceprint> = speakers.voices().map(|it| it.0.clone()).collect();
        assert_eq!(labels(&speakers.identify(&[voice(220.0, 5)])), [Some(1)]);
        let all = speakers.identify(&[voice(0.0, 5), voice(120.0, 5), voice(240.0, 5)]);
        assert_eq!(labels(&all), [Some(0), Some(1), None], "none is left");
        assert_eq!(speakers.counts().beyond_limit, 2);
        let after: Vec<Voiceprint> = speakers.voices().map(|it| it.0.clone()).collect();
        for (before, after) in before.iter().zip(&after) {
            assert!(
                before.distance(after) < 1e-6,
                "a far voice moves no centroid"
            );
        }
    }

    #[test]
    fn a_centroid_follows_a_voice_that_changes() {
        let mut speakers = clusters(&DiarizerConfig {
            centroid_ms_max: 20_000,
            ..DiarizerConfig::default()
        });
        for degrees in 0..180 {
            let found = speakers.identify(&[voice(degrees as f32, 5)]);
            assert_eq!(labels(&found), [Some(0)], "at {degrees} degrees");
        }
    }
}
