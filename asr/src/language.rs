//! Which language a source is spoken in: found by the model, or doubted where a model knows one.
//!
//! A model that knows many languages finds the language of the first window with three seconds of
//! sound, and looks again a minute later and so on: people change languages, and a device changes
//! hands. Between two looks the language stays, so a short "Yes" is not Welsh. A model that knows
//! one language assumes it. Its confidence says nothing, but it notes that a foreign language is
//! spoken, or repeats itself; a source of which that is half is doubted, once. A short sentence in
//! another language can pass.
//! Invariant: what is found depends on the windows alone.

use crate::span::SAMPLES_PER_MS;
use crate::{Refusal, Segment, Transcribe, TranscribeError};

/// Sound that a language is found from; less gives a language for its window alone.
const FOUND_FROM: u64 = 3_000 * SAMPLES_PER_MS;
/// Time after which a source is looked at again.
const AGAIN_AFTER: u64 = 60_000 * SAMPLES_PER_MS;
/// Chance from which another language than before is believed.
const CHANGED_FROM: f32 = 0.8;
/// Foreign sound from which a source can be doubted.
const DOUBTED_FROM: u64 = 5_000 * SAMPLES_PER_MS;
/// What is refused of such sound.
const FOREIGN: [Refusal; 2] = [Refusal::OtherLanguage, Refusal::Repetition];

/// What became known of a source's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageNews {
    /// From here on this language is heard, by its code.
    Hears(&'static str),
    /// The model knows one language, and does not seem to understand this.
    Doubted,
}

/// The language of one source.
#[derive(Debug, Clone, Default)]
pub struct LanguageTrack {
    code: Option<&'static str>,
    /// Where the window was in which it was last looked for.
    looked_at: Option<u64>,
    /// Samples heard, and those of them that seemed foreign.
    heard: u64,
    foreign: u64,
    is_doubted: bool,
}

impl LanguageTrack {
    /// The language, if it is known.
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// Finds the language of a window, if it is time to, and marks its segments with it.
    ///
    /// # Errors
    /// The model fails.
    pub fn find<T: Transcribe + ?Sized>(
        &mut self,
        model: &mut T,
        window: &mut [Segment],
    ) -> Result<Option<LanguageNews>, TranscribeError> {
        let Some(start) = window.first().map(|it| it.span.start) else {
            return Ok(None);
        };
        let before = self.code;
        let mut code = before;
        if self
            .looked_at
            .is_none_or(|at| start.abs_diff(at) >= AGAIN_AFTER)
            && let Some(found) = model.find_language(window)?
        {
            let samples: u64 = window.iter().map(|it| it.span.len()).sum();
            if before.is_none() || (found.chance >= CHANGED_FROM && samples >= FOUND_FROM) {
                code = Some(found.code);
            }
            if samples >= FOUND_FROM {
                (self.code, self.looked_at) = (code, Some(start));
            }
        }
        window.iter_mut().for_each(|it| it.language = code);
        let is_new = self.code != before;
        Ok(self.code.filter(|_| is_new).map(LanguageNews::Hears))
    }

    /// Whether the source is doubted with this window, of which so many samples were refused, with
    /// the reason.
    pub(crate) fn doubt(
        &mut self,
        window: &[Segment],
        refused: impl Iterator<Item = (Refusal, u64)>,
    ) -> Option<LanguageNews> {
        self.heard += window.iter().map(|it| it.span.len()).sum::<u64>();
        let foreign = refused.filter(|(why, _)| FOREIGN.contains(why));
        self.foreign += foreign.map(|(_, samples)| samples).sum::<u64>();
        if self.is_doubted || self.foreign < DOUBTED_FROM || self.foreign * 2 < self.heard {
            return None;
        }
        self.is_doubted = true;
        Some(LanguageNews::Doubted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LanguageGuess, SampleSpan, Transcript};

    /// Finds a language; with none, it knows English alone.
    struct Model(Option<(&'static str, f32)>);

    impl Transcribe for Model {
        fn transcribe(&mut self, _: &Segment) -> Result<Transcript, TranscribeError> {
            Ok(Transcript::default())
        }

        fn find_language(
            &mut self,
            _: &[Segment],
        ) -> Result<Option<LanguageGuess>, TranscribeError> {
            Ok(self.0.map(|(code, chance)| LanguageGuess { code, chance }))
        }

        fn name(&self) -> &str {
            "a test"
        }
    }

    fn segment(from: u64, seconds: u64) -> Segment {
        Segment {
            span: SampleSpan::from_ms(from * 1_000, (from + seconds) * 1_000),
            channel: 0,
            samples: Vec::new(),
            voice: 1.0,
            tail: 0,
            language: None,
        }
    }

    /// A window: the second of its start, its seconds, what the model finds in it.
    type Window = (u64, u64, Option<(&'static str, f32)>);

    /// The language in which each window is heard, and what becomes known with it.
    fn heard(windows: &[Window]) -> Vec<(Option<&'static str>, Option<LanguageNews>)> {
        let mut track = LanguageTrack::default();
        let hear = |(from, seconds, found): &(u64, u64, _)| {
            let mut window = [segment(*from, *seconds)];
            let news = track.find(&mut Model(*found), &mut window);
            (window[0].language, news.expect("it does not fail"))
        };
        windows.iter().map(hear).collect()
    }

    #[test]
    fn a_language_is_found_once_and_again_after_a_minute() {
        let (de, en) = (Some(("de", 0.9)), Some(("en", 0.9)));
        let (hears_de, hears_en) = (LanguageNews::Hears("de"), LanguageNews::Hears("en"));
        let found = heard(&[
            (0, 2, Some(("cy", 0.5))),
            (4, 10, de),
            (15, 10, en),
            (62, 10, en),
            (65, 2, en),
            (130, 10, Some(("fr", 0.6))),
            (191, 10, en),
            (202, 10, de),
        ]);
        let expected = [
            (Some("cy"), None),
            (Some("de"), Some(hears_de)),
            (Some("de"), None),
            (Some("de"), None),
            (Some("en"), Some(hears_en)),
        ];
        assert_eq!(found[..4], expected[..4], "a minute is not over");
        assert_eq!(found[4], (Some("de"), None), "two seconds change nothing");
        assert_eq!(
            found[5],
            (Some("de"), None),
            "an unsure look changes nothing"
        );
        assert_eq!(found[6], expected[4]);
        assert_eq!(found[7], (Some("en"), None));
        assert_eq!(heard(&[(0, 9, None)]), [(None, None)]);
    }

    #[test]
    fn a_source_that_is_half_foreign_is_doubted_once() {
        let doubted = |each: &[(u64, Option<Refusal>)]| {
            let mut track = LanguageTrack::default();
            let news = |(seconds, why): &(u64, Option<Refusal>)| {
                let segment = segment(0, *seconds);
                let refused = why.map(|why| (why, segment.span.len()));
                track.doubt(&[segment], refused.into_iter()).is_some()
            };
            each.iter().map(news).collect::<Vec<bool>>()
        };
        let (note, again) = (Some(Refusal::OtherLanguage), Some(Refusal::Repetition));
        assert_eq!(
            doubted(&[(3, note), (3, again), (9, note)]),
            [false, true, false]
        );
        assert_eq!(
            doubted(&[(9, None), (8, note), (3, note)]),
            [false, false, true]
        );
        assert_eq!(
            doubted(&[(9, Some(Refusal::Empty)), (9, None)]),
            [false, false]
        );
    }
}
