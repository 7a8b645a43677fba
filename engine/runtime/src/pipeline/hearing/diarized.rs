//! Who says what in one source: a diarizer beside the recogniser of a feed.
//!
//! A live source labels an utterance as soon as the first window after its end was seen; a
//! recording waits until later windows can no longer change the speaker. The label of an utterance
//! never changes. A voice that certainly occurs in an earlier recording of the session gets its
//! label from there; before that is certain, the voice has a new label. Invariant: labels depend on
//! the samples alone, not on chunk sizes or on how far recognition lags.

use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::voices::VoiceModels;
use crate::store::HeardVoice;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use weir_api::SpokenTurn;
use weir_asr::{
    Diarizer, DiarizerConfig, KnownVoice, Recognised, SAMPLE_RATE_HZ, SPEECH_SAMPLES_MIN,
    SampleSpan, SettingError, SpeakerId, SpeakerTurn, Spoken, Voiceprint, assign_words,
    recognise_voices, split_by_speaker,
};
use weir_core::stream::{label_number, speaker_label};

/// How long turns are kept for utterances that are still being recognised, in samples: longer than
/// two windows of the speech model.
const KEPT_SAMPLES: u64 = 120 * SAMPLE_RATE_HZ as u64;

/// Numbers the speakers of a session: sources that are heard at the same time share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels(Arc<AtomicU32>);

impl Labels {
    /// New speakers are numbered after so many labels, if fewer are given.
    pub(crate) fn after(self, labels: u32) -> Self {
        self.0.fetch_max(labels, Ordering::Relaxed);
        self
    }

    /// Labels given so far.
    pub(crate) fn given(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// When an utterance gets its speakers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelWhen {
    /// As soon as its end was seen.
    Heard,
    /// When nothing later can change them.
    Stable,
}

/// The provisional turns after one window.
struct Look {
    /// End of the window.
    at: u64,
    /// Where stable turns ended then.
    stable_until: u64,
    turns: Vec<SpeakerTurn>,
}

/// The speakers of one source.
pub(crate) struct SpeakerTrack {
    diarizer: Diarizer,
    when: LabelWhen,
    labels: Labels,
    /// The numbers of its speakers, in the order of their ids.
    numbers: Vec<u32>,
    /// Voices of earlier recordings, by their labels.
    earlier: Vec<KnownVoice>,
    /// Speakers who are voices of earlier recordings, and the numbers of their labels.
    same: BTreeMap<SpeakerId, u32>,
    /// New labels of such speakers, each with the earlier one, since the last call.
    relabelled: Vec<(String, String)>,
    stable: VecDeque<SpeakerTurn>,
    looks: VecDeque<Look>,
    finished: bool,
    /// Whether a failed window was reported.
    is_failure_told: bool,
    /// Whether the limit of speakers was reported.
    is_limit_told: bool,
    /// Speakers of utterances that were fed.
    fed: BTreeSet<SpeakerId>,
    /// Speakers who were recognised.
    recognised: BTreeSet<SpeakerId>,
}

impl SpeakerTrack {
    pub(crate) fn new(
        models: &VoiceModels,
        when: LabelWhen,
        labels: Labels,
        earlier: Vec<KnownVoice>,
    ) -> Result<Self, SettingError> {
        let config = match when {
            LabelWhen::Heard => DiarizerConfig::live(),
            LabelWhen::Stable => DiarizerConfig::default(),
        };
        Ok(Self {
            diarizer: Diarizer::new(&config, models.segmenter.grid())?,
            when,
            labels,
            numbers: Vec::new(),
            earlier,
            same: BTreeMap::new(),
            relabelled: Vec::new(),
            stable: VecDeque::new(),
            looks: VecDeque::new(),
            finished: false,
            is_failure_told: false,
            is_limit_told: false,
            fed: BTreeSet::new(),
            recognised: BTreeSet::new(),
        })
    }

    /// Takes 16 kHz mono samples that follow the last ones.
    pub(crate) fn step(&mut self, samples: &[f32]) {
        self.diarizer.step(samples);
    }

    /// Samples and gaps taken so far.
    pub(crate) fn taken(&self) -> u64 {
        self.diarizer.samples_taken()
    }

    /// Passes over lost samples.
    pub(crate) fn gap(&mut self, samples: u64) {
        self.diarizer.gap(samples);
    }

    /// Ends the source.
    pub(crate) fn finish(&mut self) {
        self.diarizer.finish();
        self.finished = true;
    }

    /// Diarizes the windows that are due. A failed window leaves its words to the turns around it.
    pub(crate) fn work(&mut self, models: &mut VoiceModels, out: &mut Vec<Notice>) {
        let VoiceModels {
            segmenter,
            embedder,
            ..
        } = models;
        while let Some(turns) = self.diarizer.diarize(segmenter, embedder) {
            match turns {
                Ok(turns) => self.stable.extend(turns),
                Err(error) if !self.is_failure_told => {
                    self.is_failure_told = true;
                    out.push(Notice::Warning(format!(
                        "{error}; words of that time belong to the speakers around it"
                    )));
                }
                Err(error) => log::warn!("{error}"),
            }
            let speakers = self.diarizer.counts().clusters.speakers as usize;
            self.numbers.resize_with(speakers, || self.labels.next());
            self.find_again();
            self.looks.push_back(Look {
                at: self.diarizer.seen_until(),
                stable_until: self.diarizer.stable_until(),
                turns: self.diarizer.provisional(),
            });
        }
        self.tell_limit(out);
        let keep_from = self.diarizer.seen_until().saturating_sub(KEPT_SAMPLES);
        self.looks.retain(|look| look.at >= keep_from);
        self.stable.retain(|turn| turn.span.end >= keep_from);
    }

    /// Finds voices of earlier recordings again. It is done after each window, so that the labels
    /// depend on the sound alone.
    fn find_again(&mut self) {
        if self.earlier.is_empty() {
            return;
        }
        let voices: Vec<_> = self.diarizer.voices().collect();
        let found = recognise_voices(&self.earlier, &voices);
        for (at, earlier) in found.into_iter().enumerate() {
            let speaker = SpeakerId(at as u16);
            let label = earlier.map(|it| self.earlier[it].name.clone());
            let number = label.as_deref().and_then(label_number);
            if let (Some(label), Some(number)) = (label, number)
                && !self.same.contains_key(&speaker)
                && !self.same.values().any(|it| *it == number)
            {
                self.relabelled.push((self.label(speaker), label));
                self.same.insert(speaker, number);
            }
        }
    }

    /// The voices with a label and enough speech to be found again.
    pub(crate) fn voices(&self) -> Vec<HeardVoice> {
        let voices = self.diarizer.voices().enumerate();
        let voice = |(at, (voice, samples)): (usize, (&Voiceprint, u64))| {
            let speaker = SpeakerId(at as u16);
            let is_clear = samples >= SPEECH_SAMPLES_MIN && self.fed.contains(&speaker);
            is_clear.then(|| HeardVoice::new(self.number(speaker), voice, samples))
        };
        voices.filter_map(voice).collect()
    }

    fn tell_limit(&mut self, out: &mut Vec<Notice>) {
        let counts = self.diarizer.counts().clusters;
        if counts.beyond_limit > 0 && !self.is_limit_told {
            self.is_limit_told = true;
            out.push(Notice::Warning(format!(
                "more than {} voices: each further one is taken for the most similar speaker",
                counts.speakers
            )));
        }
    }

    /// Stable turns since the last call, as events.
    pub(crate) fn turns(&self, since: u64, stream: &str, from_ms: u64) -> Vec<SpokenTurn> {
        let new = self.stable.iter().filter(|turn| turn.span.start >= since);
        new.map(|turn| SpokenTurn {
            stream: stream.to_owned(),
            speaker: turn.speaker.map(|id| self.label(id)),
            start_ms: from_ms + turn.span.start_ms(),
            end_ms: from_ms + turn.span.end_ms(),
            overlap: turn.overlap,
        })
        .collect()
    }

    /// Where stable turns end, in samples of the source.
    pub(crate) fn stable_until(&self) -> u64 {
        self.diarizer.stable_until()
    }

    /// Whether an utterance that ends here can get its speakers.
    pub(crate) fn is_ready(&self, end: u64) -> bool {
        let reached = match self.when {
            LabelWhen::Heard => self.diarizer.seen_until(),
            LabelWhen::Stable => self.diarizer.stable_until(),
        };
        self.finished || reached >= end
    }

    /// The parts of an utterance by speaker.
    pub(crate) fn spoken(&self, said: Recognised) -> Vec<Spoken> {
        let turns = self.turns_until(said.span.end);
        split_by_speaker(said, &turns)
    }

    /// Who speaks longest in a stretch, of what is still kept of it.
    pub(crate) fn longest(&self, stretch: SampleSpan) -> Option<SpeakerId> {
        let mut turns = self.turns_until(stretch.end);
        // of the stretch alone: the speech beside it may be another line's
        turns.retain(|turn| turn.speaker.is_some() && turn.span.overlap(stretch) > 0);
        assign_words(&[stretch], &turns, u64::MAX).first()?.speaker
    }

    /// The turns as they are known when an utterance that ends here gets its speakers.
    fn turns_until(&self, end: u64) -> Vec<SpeakerTurn> {
        // the first one that will do, however many windows were seen since
        let does = |look: &&Look| match self.when {
            LabelWhen::Heard => look.at >= end,
            LabelWhen::Stable => look.stable_until >= end,
        };
        let look = self.looks.iter().find(does).or(self.looks.back());
        let until = look.map_or(0, |look| look.stable_until);
        let stable = self.stable.iter().filter(|turn| turn.span.start < until);
        let open = look.into_iter().flat_map(|look| &look.turns);
        stable.chain(open).copied().collect()
    }

    /// The speaker who is heard now, if known: whose turn ends last, of those after `start`.
    pub(crate) fn speaking(&self, start: u64) -> Option<String> {
        let look = self.looks.back()?;
        let turns = look.turns.iter().filter(|turn| turn.span.end > start);
        let last = turns.max_by_key(|turn| (turn.span.end, turn.speaker.is_some()));
        last?.speaker.map(|id| self.label(id))
    }

    /// The label of a speaker in the session. A speaker of whom something is fed can be recognised.
    pub(crate) fn fed(&mut self, speaker: SpeakerId) -> String {
        self.fed.insert(speaker);
        self.label(speaker)
    }

    fn label(&self, speaker: SpeakerId) -> String {
        speaker_label(self.number(speaker))
    }

    fn number(&self, speaker: SpeakerId) -> u32 {
        let new = self.numbers.get(usize::from(speaker.0));
        let number = self.same.get(&speaker).or(new);
        number.copied().unwrap_or_default()
    }

    /// Voices that were recognised since the last call: the label, and the earlier label or the
    /// name of an enrolled voice.
    pub(crate) fn recognise(&mut self, known: &[KnownVoice]) -> Vec<(String, String)> {
        let mut found = std::mem::take(&mut self.relabelled);
        let waiting = self.fed.difference(&self.recognised).next().is_some();
        if known.is_empty() || !waiting {
            return found;
        }
        let voices: Vec<_> = self.diarizer.voices().collect();
        for (at, name) in recognise_voices(known, &voices).into_iter().enumerate() {
            let speaker = SpeakerId(at as u16);
            if let Some(name) = name
                && self.fed.contains(&speaker)
                && self.recognised.insert(speaker)
            {
                found.push((self.label(speaker), known[name].name.clone()));
            }
        }
        found
    }

    /// Labels given so far, those of earlier sources included.
    pub(crate) fn labels(&self) -> u32 {
        self.labels.given()
    }
}
