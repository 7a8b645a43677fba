//! Diarization error rate: missed speech, false alarms and confused speakers as a share of the
//! speech (NIST Rich Transcription evaluation plan 2009, section 6.1).
//!
//! Counted as pyannote.metrics does: speech is summed over speakers, so overlapping speech counts
//! for each; the mapping of speakers is the best one over what is scored. `md-eval.pl` differs in
//! two points: it maps speakers before it leaves out collars, and without a UEM it evaluates what
//! the reference spans alone, so that false alarms before and after cost nothing.

use super::mapping::largest;
use super::rttm::Turn;
use super::uem::Part;
use std::collections::BTreeMap;

/// What is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scoring {
    /// Left out on *each* side of a reference turn's start and end, in microseconds, as in
    /// `md-eval.pl -c`. pyannote.metrics names the sum of both sides.
    pub(crate) collar_us: u64,
    /// Leaves out where several speakers of the reference speak.
    pub(crate) skip_overlap: bool,
}

/// Times in microseconds, summed over speakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Errors {
    /// Speech of the reference.
    pub(crate) speech_us: u64,
    /// Speech that nobody is said to speak.
    pub(crate) missed_us: u64,
    /// Speech where fewer speak.
    pub(crate) false_alarm_us: u64,
    /// Speech given to somebody else.
    pub(crate) confusion_us: u64,
}

impl Errors {
    /// Sum of the errors as a share of the speech; `None` without speech. May exceed 1.
    pub(crate) fn rate(&self) -> Option<f64> {
        let errors = self.missed_us + self.false_alarm_us + self.confusion_us;
        (self.speech_us > 0).then(|| errors as f64 / self.speech_us as f64)
    }

    /// Adds the times of another recording.
    pub(crate) fn add(&mut self, other: Self) {
        self.speech_us += other.speech_us;
        self.missed_us += other.missed_us;
        self.false_alarm_us += other.false_alarm_us;
        self.confusion_us += other.confusion_us;
    }
}

/// The part from the first start to the last end of both: what is evaluated without a UEM.
pub(crate) fn extent(reference: &[Turn], hypothesis: &[Turn]) -> Vec<Part> {
    let all = || reference.iter().chain(hypothesis);
    let start = all().map(|turn| turn.start_us).min();
    let end = all().map(|turn| turn.end_us).max();
    start.zip(end).into_iter().collect()
}

/// Scores the hypothesis for one recording inside the evaluated parts.
///
/// Overlapping turns of one speaker are joined first. Costs the number of turns times the number of
/// speakers, and the cube of the number of speakers.
pub(crate) fn score(
    reference: &[Turn],
    hypothesis: &[Turn],
    evaluated: &[Part],
    scoring: Scoring,
) -> Errors {
    let (reference, hypothesis) = (speakers(reference), speakers(hypothesis));
    let stretches = stretches(&reference, &hypothesis, evaluated, scoring);
    let mut common = vec![vec![0; hypothesis.len()]; reference.len()];
    for ((said, heard), us) in &stretches {
        for (a, b) in said
            .iter()
            .flat_map(|a| heard.iter().map(move |b| (*a, *b)))
        {
            common[a][b] += us;
        }
    }
    let mapped = largest(&common);
    let mut errors = Errors::default();
    for ((said, heard), us) in &stretches {
        let right = |it: &&usize| mapped[**it].is_some_and(|to| heard.contains(&to));
        let right = said.iter().filter(right).count();
        let [said, heard, right] = [said.len(), heard.len(), right].map(|it| it as u64);
        errors.speech_us += us * said;
        errors.missed_us += us * said.saturating_sub(heard);
        errors.false_alarm_us += us * heard.saturating_sub(said);
        errors.confusion_us += us * (said.min(heard) - right);
    }
    errors
}

/// The turns of each speaker, those that overlap joined.
fn speakers(turns: &[Turn]) -> Vec<Vec<Part>> {
    let mut speakers: BTreeMap<&str, Vec<Part>> = BTreeMap::new();
    for turn in turns.iter().filter(|turn| turn.start_us < turn.end_us) {
        let parts = speakers.entry(&turn.speaker).or_default();
        parts.push((turn.start_us, turn.end_us));
    }
    let joined = speakers.into_values().map(|mut parts| {
        parts.sort_unstable();
        parts.dedup_by(|next, last| {
            let overlap = next.0 < last.1;
            if overlap {
                last.1 = last.1.max(next.1);
            }
            overlap
        });
        parts
    });
    joined.collect()
}

/// Something that begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    Evaluated,
    Collar,
    Said(usize),
    Heard(usize),
}

/// How long each set of speakers of the reference and each of the hypothesis speak together where
/// it is scored.
fn stretches(
    reference: &[Vec<Part>],
    hypothesis: &[Vec<Part>],
    evaluated: &[Part],
    scoring: Scoring,
) -> BTreeMap<(Vec<usize>, Vec<usize>), u64> {
    let mut edges: Vec<(u64, Edge, i32)> = Vec::new();
    let mut add = |edge: Edge, (start, end): Part| {
        edges.extend([(start, edge, 1), (end, edge, -1)]);
    };
    evaluated.iter().for_each(|it| add(Edge::Evaluated, *it));
    for (at, turns) in hypothesis.iter().enumerate() {
        turns.iter().for_each(|it| add(Edge::Heard(at), *it));
    }
    for (at, turns) in reference.iter().enumerate() {
        for turn in turns {
            add(Edge::Said(at), *turn);
            for middle in [turn.0, turn.1] {
                let start = middle.saturating_sub(scoring.collar_us);
                add(Edge::Collar, (start, middle + scoring.collar_us));
            }
        }
    }
    edges.sort_unstable();
    let (mut evaluated, mut collars) = (0, 0);
    let mut said = vec![0; reference.len()];
    let mut heard = vec![0; hypothesis.len()];
    let mut stretches = BTreeMap::new();
    let mut from = 0;
    for (at, edge, change) in edges {
        if at > from && evaluated > 0 && collars == 0 {
            let speaking = (active(&said), active(&heard));
            if !(scoring.skip_overlap && speaking.0.len() > 1) {
                *stretches.entry(speaking).or_default() += at - from;
            }
        }
        from = at;
        match edge {
            Edge::Evaluated => evaluated += change,
            Edge::Collar => collars += change,
            Edge::Said(speaker) => said[speaker] += change,
            Edge::Heard(speaker) => heard[speaker] += change,
        }
    }
    stretches
}

/// Positions of the counts above zero.
fn active(counts: &[i32]) -> Vec<usize> {
    let positions = counts.iter().enumerate();
    let active = positions.filter(|(_, count)| **count > 0);
    active.map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000;

    fn turns(turns: &[(u64, u64, &str)]) -> Vec<Turn> {
        let turn = |(start, end, speaker): &(u64, u64, &str)| Turn {
            start_us: start * S,
            end_us: end * S,
            speaker: (*speaker).to_owned(),
        };
        turns.iter().map(turn).collect()
    }

    #[test]
    fn what_overlaps_is_one() {
        let said = turns(&[(0, 10, "a"), (5, 12, "a"), (12, 14, "a"), (20, 20, "b")]);
        let evaluated = [(2 * S, 6 * S), (4 * S, 8 * S), (13 * S, 16 * S)];
        let scoring = Scoring {
            collar_us: S,
            skip_overlap: false,
        };
        let found = score(&said, &turns(&[(4, 20, "1")]), &evaluated, scoring);
        // no collars at 5 and 10
        let expected = Errors {
            speech_us: 6 * S,
            missed_us: 2 * S,
            false_alarm_us: S,
            confusion_us: 0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn without_speech_there_are_false_alarms_and_no_rate() {
        let heard = turns(&[(10, 20, "a"), (20, 30, "b")]);
        let found = score(&[], &heard, &extent(&[], &heard), Scoring::default());
        assert_eq!((found.speech_us, found.false_alarm_us), (0, 20 * S));
        assert_eq!(found.rate(), None);
    }
}
