//! Splits a local speaker in whom several voices are heard.
//!
//! A segmentation model may take two people for one where vectors of short pieces are still far
//! apart. So the pieces of each local speaker are grouped by average linkage, and a local speaker
//! with several groups becomes several.

use super::clean::{ACTIVE, LocalSpeech};
use super::config::DiarizerConfig;
use super::contract::{Activities, FrameGrid, LOCAL_SPEAKERS_MAX};
use super::pieces::Pieces;
use super::voiceprint::Voiceprint;
use crate::span::SAMPLES_PER_MS;

/// Share of a piece's speech that is one local speaker's, for the piece to be that speaker's.
const OWN_MIN: f32 = 0.7;

/// A local speaker after splitting.
pub(super) struct Part {
    /// First frame in which the speaker is active.
    pub(super) onset_frame: usize,
    /// Samples in which nobody else speaks.
    pub(super) clean_samples: usize,
    /// The mean voice of its pieces; `None` without pieces.
    pub(super) voice: Option<Voiceprint>,
    /// The speech, as the segmentation model saw it.
    pub(super) speech: LocalSpeech,
}

/// The activities of the parts of all local speakers, and the parts by column; `None` for a column
/// in which nobody is active. `locals` are the local speakers by column.
pub(super) fn split(
    activities: &Activities,
    locals: Vec<Option<LocalSpeech>>,
    first_frame: i64,
    pieces: &Pieces,
    (config, grid): (&DiarizerConfig, &FrameGrid),
) -> (Activities, Vec<Option<Part>>) {
    let active = locals.iter().flatten().count();
    let mut spare = LOCAL_SPEAKERS_MAX.saturating_sub(active);
    let mut columns: Vec<Vec<f32>> = Vec::new();
    let mut parts: Vec<Option<Part>> = Vec::new();
    for (speaker, speech) in locals.into_iter().enumerate() {
        let column: Vec<f32> = activities.iter().map(|frame| frame[speaker]).collect();
        let Some(speech) = speech else {
            columns.push(column);
            parts.push(None);
            continue;
        };
        let own = Own::of(speaker, activities, first_frame, pieces);
        let groups = own.groups(spare + 1, (config, grid));
        spare -= groups.count.saturating_sub(1);
        for group in 0..groups.count.max(1) {
            let is_in = |frame: usize| groups.of_frame.get(frame).is_none_or(|it| *it == group);
            let values = column.iter().enumerate();
            let values: Vec<f32> = values
                .map(|(frame, value)| if is_in(frame) { *value } else { 0.0 })
                .collect();
            let alone = own.alone.iter().enumerate();
            let clean = alone
                .filter(|(frame, alone)| **alone && is_in(*frame))
                .count();
            let onset = values.iter().position(|value| *value >= ACTIVE);
            parts.push(onset.map(|onset_frame| Part {
                onset_frame,
                clean_samples: match groups.count {
                    0 | 1 => speech.clean_samples(),
                    _ => clean * grid.step_samples,
                },
                voice: groups.voices.get(group).cloned(),
                speech: speech.clone(),
            }));
            columns.push(values);
        }
    }
    let frames = activities.frames();
    let values = (0..frames).flat_map(|frame| columns.iter().map(move |column| column[frame]));
    (Activities::new(columns.len(), values.collect()), parts)
}

/// The pieces of one local speaker.
struct Own<'a> {
    /// Middle of each piece as a frame of the window, and its voice.
    pieces: Vec<(i64, &'a Voiceprint)>,
    /// Whether the speaker is the only one, by frame.
    alone: Vec<bool>,
}

/// The groups of one local speaker's pieces.
struct Groups {
    /// How many; 0 without pieces.
    count: usize,
    /// The group of each frame.
    of_frame: Vec<usize>,
    /// The mean voice of each.
    voices: Vec<Voiceprint>,
}

impl<'a> Own<'a> {
    fn of(speaker: usize, activities: &Activities, first_frame: i64, pieces: &'a Pieces) -> Self {
        let only = |frame: &[f32]| {
            let mut speaking = frame.iter().enumerate().filter(|(_, it)| **it >= ACTIVE);
            let first = speaking.next().map(|(at, _)| at);
            first.filter(|_| speaking.next().is_none())
        };
        let only: Vec<Option<usize>> = activities.iter().map(only).collect();
        let own = pieces.voices().filter_map(|(frames, voice)| {
            let inside = |frame: i64| only.get(usize::try_from(frame - first_frame).ok()?);
            let said: Vec<usize> = frames.clone().filter_map(|it| *inside(it)?).collect();
            let own = said.iter().filter(|it| **it == speaker).count();
            let is_own = own > 0 && own as f32 >= OWN_MIN * said.len() as f32;
            let middle = i64::midpoint(frames.start, frames.end) - first_frame;
            is_own.then_some((middle, voice))
        });
        Self {
            pieces: own.collect(),
            alone: only.iter().map(|it| *it == Some(speaker)).collect(),
        }
    }

    /// Groups the pieces into `most` groups at most; each has enough speech of its own.
    fn groups(&self, most: usize, (config, grid): (&DiarizerConfig, &FrameGrid)) -> Groups {
        let mut groups: Vec<Vec<usize>> = (0..self.pieces.len()).map(|at| vec![at]).collect();
        // first what is near, then what is too short or too many
        while let Some((a, b, distance)) = self.nearest(&groups, None) {
            if distance > config.split_distance {
                break;
            }
            merge(&mut groups, a, b);
        }
        let samples_min = (u64::from(config.split_ms_min) * SAMPLES_PER_MS) as usize;
        while groups.len() > 1 {
            let of_frame = self.of_frame(&groups);
            let alone = |group: usize| {
                let frames = self.alone.iter().zip(&of_frame);
                let own = frames
                    .filter(|(alone, of)| **alone && **of == group)
                    .count();
                own * grid.step_samples
            };
            let least = (0..groups.len()).min_by_key(|group| alone(*group));
            let short = least.filter(|group| alone(*group) < samples_min);
            let found = match short {
                Some(short) => self.nearest(&groups, Some(short)),
                None if groups.len() > most => self.nearest(&groups, None),
                None => break,
            };
            let Some((a, b, _)) = found else { break };
            merge(&mut groups, a, b);
        }
        let voices = groups.iter().map(|group| self.mean(group)).collect();
        Groups {
            count: groups.len(),
            of_frame: match groups.len() {
                0 | 1 => Vec::new(),
                _ => self.of_frame(&groups),
            },
            voices,
        }
    }

    /// The two groups with the smallest mean distance, and it; one of them is `of`, if given.
    fn nearest(&self, groups: &[Vec<usize>], of: Option<usize>) -> Option<(usize, usize, f32)> {
        let mut best: Option<(usize, usize, f32)> = None;
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                if of.is_some_and(|of| of != a && of != b) {
                    continue;
                }
                let pairs = groups[a]
                    .iter()
                    .flat_map(|x| groups[b].iter().map(move |y| (x, y)));
                let sum: f32 = pairs
                    .map(|(x, y)| self.pieces[*x].1.distance(self.pieces[*y].1))
                    .sum();
                let mean = sum / (groups[a].len() * groups[b].len()) as f32;
                if best.is_none_or(|it| mean < it.2) {
                    best = Some((a, b, mean));
                }
            }
        }
        best
    }

    /// The group of each frame: that of the piece whose middle is nearest.
    fn of_frame(&self, groups: &[Vec<usize>]) -> Vec<usize> {
        let group = |piece: usize| groups.iter().position(|group| group.contains(&piece));
        let nearest = |frame: i64| {
            let pieces = self.pieces.iter().enumerate();
            pieces.min_by_key(|(_, (middle, _))| (middle - frame).abs())
        };
        let frames = 0..self.alone.len() as i64;
        frames
            .map(|frame| nearest(frame).and_then(|(at, _)| group(at)).unwrap_or(0))
            .collect()
    }

    fn mean(&self, group: &[usize]) -> Voiceprint {
        let mut mean = self.pieces[group[0]].1.clone();
        for (nth, piece) in group.iter().enumerate().skip(1) {
            mean = mean.mixed(nth as f32, self.pieces[*piece].1, 1.0);
        }
        mean
    }
}

fn merge(groups: &mut Vec<Vec<usize>>, a: usize, b: usize) {
    let more = groups.remove(a.max(b));
    let kept = &mut groups[a.min(b)];
    kept.extend(more);
    kept.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::super::contract::{EmbedSpeaker, SpeakerError};
    use super::*;

    /// Ten seconds in frames of 100 ms.
    const GRID: FrameGrid = FrameGrid {
        window_samples: 160_000,
        frames: 100,
        step_samples: 1_600,
        offset_samples: 0,
    };

    /// Hears the angle that the samples are, in degrees.
    struct Angles;

    impl EmbedSpeaker for Angles {
        fn dimensions(&self) -> usize {
            2
        }

        fn embed(&mut self, samples: &[f32]) -> Result<Vec<f32>, SpeakerError> {
            let middle = samples[samples.len() / 2];
            let (y, x) = middle.to_radians().sin_cos();
            Ok(vec![x, y])
        }

        fn name(&self) -> &str {
            "angles"
        }
    }

    /// Splits a window in which local speakers are active in ranges of frames, and voices of these
    /// angles speak in ranges of frames.
    fn parts(
        speakers: &[(usize, usize)],
        voices: &[(std::ops::Range<usize>, f32)],
    ) -> (Activities, Vec<Option<Part>>) {
        let config = DiarizerConfig::default();
        let active = |frame: usize| {
            let active = speakers.iter();
            let active = active.map(move |(start, end)| (*start..*end).contains(&frame));
            active.map(|it| if it { 1.0 } else { 0.0 })
        };
        let activities = Activities::new(speakers.len(), (0..100).flat_map(active).collect());
        let mut window = vec![0.0; GRID.window_samples];
        for (frames, degrees) in voices {
            window[frames.start * 1_600..frames.end * 1_600].fill(*degrees);
        }
        let heard = 0..GRID.window_samples;
        let mut pieces = Pieces::new(&config, &GRID);
        let sound = (&window[..], &heard);
        let embedded = pieces.embed(0, sound, (&activities, &GRID), &mut Angles);
        embedded.expect("it hears");
        let speech = |at| LocalSpeech::of(at, &activities, &GRID, &heard);
        let locals = (0..speakers.len()).map(speech).collect();
        split(&activities, locals, 0, &pieces, (&config, &GRID))
    }

    fn active(activities: &Activities, column: usize) -> Vec<usize> {
        let frames = activities.iter().enumerate();
        let active = frames.filter(|(_, frame)| frame[column] >= ACTIVE);
        active.map(|(at, _)| at).collect()
    }

    #[test]
    fn one_voice_stays_one_speaker() {
        let (activities, parts) = parts(&[(0, 100)], &[(0..50, 0.0), (50..100, 40.0)]);
        assert_eq!(activities.speakers(), 1);
        let part = parts[0].as_ref().expect("active");
        assert_eq!(part.clean_samples, GRID.window_samples);
        let voice = part.voice.as_ref().expect("heard");
        assert!(voice.as_slice()[0] > 0.8, "between the two");
    }

    #[test]
    fn two_voices_in_one_local_speaker_are_two_speakers() {
        let (activities, parts) = parts(&[(0, 100)], &[(0..60, 0.0), (60..100, 120.0)]);
        assert_eq!(activities.speakers(), 2);
        let (first, second) = (active(&activities, 0), active(&activities, 1));
        assert_eq!(first.len() + second.len(), 100, "no frame is lost");
        let edge = second[0] as i64;
        assert!((edge - 60).abs() <= 5, "{edge}");
        assert!(second.iter().all(|frame| *frame >= second[0]));
        let onset = |at: usize| parts[at].as_ref().map(|part| part.onset_frame);
        assert_eq!((onset(0), onset(1)), (Some(0), Some(second[0])));
        let voice = |at: usize| parts[at].as_ref().and_then(|part| part.voice.clone());
        let (a, b) = (voice(0).expect("heard"), voice(1).expect("heard"));
        assert!(a.distance(&b) > 1.2, "{}", a.distance(&b));
    }

    #[test]
    fn a_short_voice_is_not_split_off() {
        let (activities, _) = parts(
            &[(0, 100)],
            &[(0..50, 0.0), (50..56, 120.0), (56..100, 0.0)],
        );
        assert_eq!(activities.speakers(), 1, "one piece of half a second");
    }

    #[test]
    fn there_are_never_more_than_three_and_silent_ones_stay() {
        let five: Vec<(std::ops::Range<usize>, f32)> = (0..5)
            .map(|at| (at * 20..at * 20 + 20, 72.0 * at as f32))
            .collect();
        let (activities, _) = parts(&[(0, 100)], &five);
        assert_eq!(activities.speakers(), 3);
        let two = [(0..25, 0.0), (25..50, 120.0), (50..100, 240.0)];
        let (activities, parts) = parts(&[(0, 50), (50, 100), (0, 0)], &two);
        assert_eq!(activities.speakers(), 4, "the column of nobody stays");
        let somebody = parts.iter().filter(|part| part.is_some()).count();
        assert_eq!(somebody, 3);
    }

    #[test]
    fn speech_too_short_for_a_piece_has_no_voice_yet() {
        let (activities, parts) = parts(&[(40, 45)], &[(40..45, 10.0)]);
        assert_eq!(activities.speakers(), 1);
        let part = parts[0].as_ref().expect("active");
        assert_eq!((part.onset_frame, part.voice.is_none()), (40, true));
        assert_eq!(part.clean_samples, 5 * 1_600);
    }
}
