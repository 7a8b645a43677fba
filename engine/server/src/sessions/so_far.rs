//! What happened in a session since it was opened, summed.

use weir_api::{Event, SinceOpened, UnheardSum};
use weir_engine::pipeline::FeedFigures;

/// Most reasons that are told apart.
const REASONS_MAX: usize = 32;
/// Most messages kept; the oldest stay, since they say how it began.
const WARNINGS_MAX: usize = 16;

/// Adds an event.
pub(super) fn add(sum: &mut SinceOpened, event: &Event) {
    match event {
        Event::Memory(changes) => sum.memory += *changes,
        Event::Unheard {
            start_ms,
            end_ms,
            why,
            ..
        } => add_unheard(&mut sum.unheard, why, end_ms.saturating_sub(*start_ms)),
        Event::Gap { lost_ms, .. } => {
            sum.gaps += 1;
            sum.lost_ms += lost_ms;
        }
        _ => {}
    }
}

/// Adds what the user must know.
pub(super) fn warn(sum: &mut SinceOpened, why: String) {
    if sum.warnings.len() < WARNINGS_MAX && !sum.warnings.contains(&why) {
        sum.warnings.push(why);
    }
}

/// Adds a sound that ended; `recording_took_ms` says how long a recording took.
pub(super) fn add_sound(sum: &mut SinceOpened, of: &FeedFigures, recording_took_ms: Option<u64>) {
    sum.sounds += 1;
    sum.audio_ms += of.audio_ms;
    sum.speech_ms += of.speech_ms;
    sum.failed_segments += of.failed_segments;
    if let Some(took) = recording_took_ms {
        sum.recording_ms += of.audio_ms;
        sum.recording_took_ms += took;
    }
}

fn add_unheard(sums: &mut Vec<UnheardSum>, why: &str, ms: u64) {
    let at = sums.iter().position(|it| it.why == why);
    let at = at.or_else(|| {
        if sums.len() < REASONS_MAX {
            sums.push(UnheardSum {
                why: why.to_owned(),
                ..UnheardSum::default()
            });
        }
        sums.len().checked_sub(1)
    });
    if let Some(sum) = at.and_then(|at| sums.get_mut(at)) {
        sum.times += 1;
        sum.ms += ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unheard(why: String, ms: u64) -> Event {
        Event::Unheard {
            stream: "s".to_owned(),
            start_ms: 1_000,
            end_ms: 1_000 + ms,
            why,
        }
    }

    #[test]
    fn what_was_ignored_is_summed_by_reason_within_a_bound() {
        let mut sum = SinceOpened::default();
        add(&mut sum, &unheard("music".to_owned(), 200));
        add(&mut sum, &unheard("music".to_owned(), 300));
        let first = &sum.unheard[0];
        assert_eq!((first.times, first.ms), (2, 500));
        for n in 0..100 {
            add(&mut sum, &unheard(format!("reason {n}"), 1));
        }
        assert_eq!(sum.unheard.len(), REASONS_MAX);
        let times: u64 = sum.unheard.iter().map(|it| it.times).sum();
        assert_eq!(times, 102);
        let lost = Event::Gap {
            stream: "s".to_owned(),
            at_ms: 5,
            lost_ms: 70,
        };
        add(&mut sum, &lost);
        assert_eq!((sum.gaps, sum.lost_ms), (1, 70));
    }
}
