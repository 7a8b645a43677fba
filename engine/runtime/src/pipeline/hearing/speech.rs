//! One source of sound in either feed: recognised window by window, each utterance with its
//! speaker.

use crate::pipeline::feed::{Notice, Unheard};
use crate::pipeline::hearing::diarized::SpeakerTrack;
use crate::pipeline::hearing::recognition::Recognition;
use std::collections::VecDeque;
use weir_asr::{Recognised, Recogniser, Rest, Spoken, TranscribeError};

/// Recognises the speech of a source, and labels it with speakers.
pub(crate) struct Speech {
    pub(crate) recogniser: Recogniser,
    pub(crate) speakers: Option<SpeakerTrack>,
    /// Recognised, but the speakers are not known yet.
    pub(crate) unlabelled: VecDeque<Recognised>,
    /// Recognised, with their speakers, but not yet fed.
    pub(crate) heard: VecDeque<Spoken>,
    /// Turns of speakers were reported up to this sample.
    told: u64,
}

/// Which utterances get their speakers at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelWhich {
    /// Each as soon as its speakers are known.
    Each,
    /// All that wait, as soon as the speakers of the last one are known.
    All,
}

impl Speech {
    pub(crate) fn new(recogniser: Recogniser, speakers: Option<SpeakerTrack>) -> Self {
        Self {
            recogniser,
            speakers,
            unlabelled: VecDeque::new(),
            heard: VecDeque::new(),
            told: 0,
        }
    }

    /// Recognises the next window, if one is due: its utterances wait for their speakers. Returns
    /// whether one was. The audio begins at `from_ms` of the stream.
    pub(crate) fn recognise(
        &mut self,
        hearing: &mut Recognition,
        rest: Rest,
        stream: &str,
        from_ms: u64,
        notices: &mut Vec<Notice>,
    ) -> bool {
        match hearing.recognise(&mut self.recogniser, rest) {
            None => return false,
            Some(Ok(heard)) => {
                let unheard = |it| Notice::Unheard(Unheard::of(stream, it).later_by(from_ms));
                notices.extend(heard.refused.into_iter().map(unheard));
                notices.extend(heard.language.map(|news| Notice::language(stream, news)));
                self.unlabelled.extend(heard.utterances);
            }
            // whoever did that knows
            Some(Err(TranscribeError::Cancelled { .. })) => {}
            Some(Err(error)) => notices.push(Notice::Warning(error.to_string())),
        }
        true
    }

    /// Gives utterances their speakers, as far as those are known; returns whether all have them.
    pub(crate) fn label(
        &mut self,
        which: LabelWhich,
        stream: &str,
        from_ms: u64,
        notices: &mut Vec<Notice>,
    ) -> bool {
        let Some(speakers) = &mut self.speakers else {
            let unknown = |said| Spoken {
                said,
                speaker: None,
            };
            self.heard.extend(self.unlabelled.drain(..).map(unknown));
            return true;
        };
        let turns = speakers.turns(self.told, stream, from_ms);
        notices.extend(turns.into_iter().map(Notice::Turn));
        self.told = speakers.stable_until();
        let is_ready = |said: &Recognised| speakers.is_ready(said.span.end);
        let count = match which {
            LabelWhich::Each => self.unlabelled.iter().take_while(|it| is_ready(it)).count(),
            LabelWhich::All if self.unlabelled.back().is_none_or(is_ready) => self.unlabelled.len(),
            LabelWhich::All => 0,
        };
        let spoken = self.unlabelled.drain(..count);
        self.heard
            .extend(spoken.flat_map(|said| speakers.spoken(said)));
        self.unlabelled.is_empty()
    }

    /// Gives the sound that came last to the speakers.
    pub(crate) fn follow(&mut self, hearing: &mut Recognition, notices: &mut Vec<Notice>) {
        if let Some(speakers) = &mut self.speakers {
            hearing.follow(speakers, &self.recogniser, notices);
        }
    }

    /// Tells the speakers that the source has ended.
    pub(crate) fn end(&mut self, hearing: &mut Recognition, notices: &mut Vec<Notice>) {
        if let Some(speakers) = &mut self.speakers {
            speakers.finish();
            hearing.diarize(speakers, notices);
        }
    }
}
