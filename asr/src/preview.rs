//! Words of speech that goes on: decoded again and again while it grows, until its segment is
//! closed and recognised once for all.
//!
//! What is shown here never reaches the memory. Invariant: the committed words of a stretch of
//! speech are never taken back.

use crate::agreement::Agreement;
use crate::guards::{Guards, GuardsConfig};
use crate::{SampleSpan, Segment, SettingError, Transcribe, TranscribeError, Word};

/// The words of an open stretch of speech so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The sound that was decoded.
    pub span: SampleSpan,
    /// Channel of the source.
    pub channel: u16,
    /// Words on which successive decodes agreed.
    pub committed: Vec<Word>,
    /// How many of them are new, at the end.
    pub fresh: usize,
    /// Words of the last decode behind them, which may still change.
    pub tentative: Vec<Word>,
}

/// A fast model that decodes speech before its end.
pub struct Previewer<T> {
    model: T,
    guards: Guards,
    /// One for each channel heard.
    open: Vec<Open>,
}

/// The open speech of a channel.
struct Open {
    channel: u16,
    start: u64,
    agreement: Agreement,
    /// The last words of the speech before it in its window.
    held: Vec<Word>,
    /// How many of them were tentative before.
    held_fresh: usize,
}

impl<T: Transcribe> Previewer<T> {
    /// A previewer whose words must pass these guards.
    ///
    /// # Errors
    /// A limit is outside its range.
    pub fn new(model: T, guards: GuardsConfig) -> Result<Self, SettingError> {
        Ok(Self {
            model,
            guards: Guards::new(guards)?,
            open: Vec::new(),
        })
    }

    /// Decodes the open speech of a channel from its beginning; `None` if its words are not
    /// trusted. Speech with another start begins anew, behind the last words of the speech before
    /// it that is recognised in one window with it: of that from position `window_start` on. Costs
    /// one run of the model.
    ///
    /// # Errors
    /// The model fails, or was cancelled; the words so far stay.
    pub fn preview(
        &mut self,
        speech: &Segment,
        window_start: u64,
    ) -> Result<Option<Preview>, TranscribeError> {
        if self.guards.admit(speech).is_err() {
            return Ok(None);
        }
        let transcript = self.model.transcribe(speech)?;
        let Ok(transcript) = self.guards.judge(speech, transcript) else {
            return Ok(None);
        };
        let open = self.open(speech, window_start);
        let fresh = open.agreement.update(transcript.words);
        let held_fresh = std::mem::take(&mut open.held_fresh);
        Ok(Some(Preview {
            span: SampleSpan::new(window_start.min(speech.span.start), speech.span.end),
            channel: speech.channel,
            committed: [&open.held, open.agreement.committed()].concat(),
            fresh: held_fresh + fresh,
            tentative: open.agreement.tentative().to_vec(),
        }))
    }

    fn open(&mut self, speech: &Segment, window_start: u64) -> &mut Open {
        let (channel, start) = (speech.channel, speech.span.start);
        let known = self.open.iter().position(|open| open.channel == channel);
        let at = known.unwrap_or(self.open.len());
        if known.is_none() || self.open[at].start != start {
            let before = known.map(|at| &self.open[at]);
            let (mut held, mut held_fresh) = (Vec::new(), 0);
            if let Some(before) = before.filter(|it| (window_start..start).contains(&it.start)) {
                let (committed, tentative) =
                    (before.agreement.committed(), before.agreement.tentative());
                held = [&before.held, committed, tentative].concat();
                held.retain(|word| word.span.start >= window_start);
                held_fresh = tentative.len() + before.held_fresh;
            }
            let anew = Open {
                channel,
                start,
                agreement: Agreement::default(),
                held,
                held_fresh,
            };
            self.open.splice(at..(at + 1).min(self.open.len()), [anew]);
        }
        &mut self.open[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScriptedTranscriber;

    fn speech(channel: u16, from_ms: u64, to_ms: u64) -> Segment {
        let span = SampleSpan::from_ms(from_ms, to_ms);
        Segment {
            span,
            channel,
            samples: vec![0.1; span.len() as usize],
            voice: 1.0,
            tail: 0,
            language: None,
        }
    }

    /// The script says one word every 400 ms, named by its place, so a later decode begins alike.
    #[test]
    fn each_channel_commits_its_own_words_and_new_speech_begins_anew() {
        let model = ScriptedTranscriber::new(6_400);
        let mut previewer = Previewer::new(model, GuardsConfig::default()).expect("legal");
        let mut shown = |channel, from_ms, to_ms| {
            let speech = speech(channel, from_ms, to_ms);
            let preview = previewer.preview(&speech, speech.span.start);
            let preview = preview.expect("it runs").expect("it is trusted");
            (
                preview.committed.len(),
                preview.fresh,
                preview.tentative.len(),
            )
        };
        assert_eq!(shown(0, 0, 800), (0, 0, 2));
        assert_eq!(shown(1, 0, 1_200), (0, 0, 3));
        assert_eq!(shown(0, 0, 1_600), (0, 0, 4));
        assert_eq!(shown(1, 0, 1_600), (0, 0, 4));
        assert_eq!(shown(0, 0, 2_000), (2, 2, 3));
        assert_eq!(shown(1, 0, 2_000), (3, 3, 2));
        assert_eq!(shown(0, 0, 2_400), (4, 2, 2));
        assert_eq!(shown(0, 5_000, 5_800), (0, 0, 2), "new speech");
    }

    #[test]
    fn a_failed_decode_keeps_the_words_so_far() {
        let model = ScriptedTranscriber::new(6_400).failing_on(2);
        let mut previewer = Previewer::new(model, GuardsConfig::default()).expect("legal");
        assert!(previewer.preview(&speech(0, 0, 800), 0).is_ok());
        assert!(previewer.preview(&speech(0, 0, 1_200), 0).is_err());
        assert!(previewer.preview(&speech(0, 0, 1_600), 0).is_ok());
        let preview = previewer.preview(&speech(0, 0, 2_000), 0).expect("it runs");
        assert_eq!(preview.expect("it is trusted").fresh, 2);
    }

    /// What waits for the rest of its window stays on the screen.
    #[test]
    fn words_before_a_pause_stay_until_their_window_is_recognised() {
        let model = ScriptedTranscriber::new(6_400);
        let mut previewer = Previewer::new(model, GuardsConfig::default()).expect("legal");
        let mut shown = |from_ms, to_ms, window_ms: u64| {
            let preview = previewer.preview(&speech(0, from_ms, to_ms), window_ms * 16);
            let preview = preview.expect("it runs").expect("it is trusted");
            assert_eq!(preview.span, SampleSpan::from_ms(window_ms, to_ms));
            (
                preview.committed.len(),
                preview.fresh,
                preview.tentative.len(),
            )
        };
        assert_eq!(shown(0, 800, 0), (0, 0, 2));
        assert_eq!(shown(2_000, 2_800, 0), (2, 2, 2), "the two before it");
        assert_eq!(shown(2_000, 3_200, 0), (2, 0, 3));
        assert_eq!(
            shown(5_000, 5_800, 2_000),
            (3, 3, 2),
            "the first window is over"
        );
        assert_eq!(shown(9_000, 9_800, 9_000), (0, 0, 2), "and the second");
    }
}
