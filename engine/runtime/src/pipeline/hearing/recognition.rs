//! From audio to words: the speech model with segmenter and guards, one instance per run.
//!
//! Recognises windows of segments, of a plain source or of labelled stretches. It knows nothing of
//! streams and speakers; the feeds add these.

use crate::pipeline::feed::{FeedFigures, Notice};
use crate::pipeline::hearing::diarized::{LabelWhen, Labels, SpeakerTrack};
use crate::pipeline::hearing::early::{Cancellable, Early, EarlyStage, EarlyTranscriber};
use crate::pipeline::hearing::preview::{PreviewStage, PreviewedStream, Previews};
use crate::pipeline::hearing::spans::{OpenAudio, SpanReader};
use crate::pipeline::hearing::voices::VoiceModels;
use crate::store::{HeardVoices, StoreError};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};
use weir_asr::{
    AudioError, Channels, GuardedTranscriber, GuardsConfig, HeardSegment, HeardWindow,
    LanguageNews, LanguageTrack, ListenError, Listener, Recogniser, Rest, SampleSpan, Segment,
    Segmenter, SegmenterConfig, SettingError, SourceSpec, SourceWarning, Transcribe,
    TranscribeError, TranscriptionCounts, Windows,
};

/// Maximum number of open audio files: one per speaker is common; more are reopened.
const READERS_MAX: usize = 4;
/// Interval at which the voices of a source that goes on are kept.
const KEEP_VOICES_EVERY: Duration = Duration::from_secs(30);

/// How much of a labelled stretch exists in its file.
pub(crate) struct StretchRead {
    /// Milliseconds of the stretch that exist.
    pub(crate) read_ms: u64,
    /// Length of the file, if its end was reached.
    pub(crate) file_ms: Option<u64>,
}

/// Models for speech that is not over.
pub struct LiveModels {
    /// Decodes previews: fast.
    pub preview: Cancellable,
    /// Recognises segments early: with the same settings as the main model.
    pub early: Cancellable,
}

/// The work of their threads.
pub struct LiveStages {
    pub(crate) preview: PreviewStage,
    pub(crate) early: EarlyStage,
}

/// Length of the frames by which speech is cut, in ms.
const FRAME_MS: u32 = 16;
/// The threshold at which voice is told from silence as usual.
const THRESHOLD_USUAL: f32 = 0.5;

/// Sound kept after the last voice where somebody waits for the words: they are recognised in the
/// rest of the pause.
const PROMPT_TAIL_MS: u32 = 240;

/// Pauses that end an utterance of a live source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pauses {
    /// Length of the silence in ms, 0 to 5,000, as a multiple of 16 or the next one.
    pub silence_ms: u32,
    /// How sure voice must be, 0 to 1; 0.5 as usual.
    pub threshold: f32,
    /// Least length of the sound kept before the first voice, in ms, 0 to 5,000; never less than as
    /// usual.
    pub padding_ms: u32,
}

impl Default for Pauses {
    fn default() -> Self {
        let usual = SegmenterConfig::default();
        Self {
            silence_ms: usual.hangover_ms,
            threshold: THRESHOLD_USUAL,
            padding_ms: usual.pre_roll_ms,
        }
    }
}

/// A speech model with its segmenter, guards and open files.
pub struct Recognition {
    transcriber: GuardedTranscriber<EarlyTranscriber>,
    segmenter: Segmenter,
    segmenter_config: SegmenterConfig,
    guards: GuardsConfig,
    channels: Channels,
    open: OpenAudio,
    /// Most recently used last.
    readers: Vec<SpanReader>,
    audio_ms: u64,
    live: Option<(Previews, Early)>,
    /// Ends a run of the model while it is set, if the model can be cancelled.
    cancel: Option<Arc<AtomicBool>>,
    voices: Option<VoiceModels>,
    heard_voices: Arc<Mutex<HeardVoices>>,
    /// Whether each pause that ends a segment of a live source ends an utterance.
    ends_at_pauses: bool,
    /// Sound of the live source before this sample, at 16 kHz, is not wanted any more.
    unwanted: Arc<AtomicU64>,
    /// When voices were last stored, and whether a failure was reported.
    kept: (Instant, bool),
}

impl Recognition {
    /// Builds the parts around a model, with the default guards.
    ///
    /// # Errors
    /// A model setting that the segmenter or the guards do not support.
    pub fn new(
        model: Box<dyn Transcribe>,
        channels: Channels,
        open: OpenAudio,
    ) -> Result<Self, ListenError> {
        Self::guarded(model, GuardsConfig::default(), channels, open)
    }

    /// The same with given guards.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn guarded(
        model: Box<dyn Transcribe>,
        guards: GuardsConfig,
        channels: Channels,
        open: OpenAudio,
    ) -> Result<Self, ListenError> {
        let segmenter_config = SegmenterConfig::for_model(model.max_segment_ms());
        let model = EarlyTranscriber::new(model);
        Ok(Self {
            transcriber: GuardedTranscriber::new(model, guards.clone())?,
            segmenter: Segmenter::new(segmenter_config.clone())?,
            segmenter_config,
            guards,
            channels,
            open,
            readers: Vec::new(),
            audio_ms: 0,
            live: None,
            cancel: None,
            voices: None,
            heard_voices: Arc::default(),
            ends_at_pauses: false,
            unwanted: Arc::default(),
            kept: (Instant::now(), false),
        })
    }

    /// Says by which flag a run of its model is ended.
    #[must_use]
    pub fn cancelled_by(self, cancel: Arc<AtomicBool>) -> Self {
        Self {
            cancel: Some(cancel),
            ..self
        }
    }

    /// The flags that end what is being recognised.
    pub(crate) fn cancels(&self) -> impl Iterator<Item = Arc<AtomicBool>> {
        let early = self.live.iter().flat_map(|(_, early)| early.cancels());
        self.cancel.clone().into_iter().chain(early)
    }

    /// Decodes speech before it is over, on threads of its own: shows its words, and has them
    /// ready when somebody pauses.
    ///
    /// # Errors
    /// The guards do not support a model's limits.
    pub fn with_live_models(mut self, models: LiveModels) -> Result<Self, ListenError> {
        let previews = Previews::new(models.preview, self.guards.clone())?;
        let early = Early::new(models.early);
        self.transcriber.model_mut().desk = Some(early.desk());
        self.live = Some((previews, early));
        Ok(self)
    }

    /// Ends an utterance of a live source at each such pause, for who waits for its words.
    ///
    /// # Errors
    /// A setting is outside its range.
    pub fn ending_at(mut self, pauses: Pauses) -> Result<Self, SettingError> {
        let usual = &self.segmenter_config;
        // the windows behind the segmenter count whole frames
        let silence_ms = pauses.silence_ms.next_multiple_of(FRAME_MS);
        let score = |usual: f32| usual * pauses.threshold / THRESHOLD_USUAL;
        self.segmenter_config = SegmenterConfig {
            hangover_ms: silence_ms,
            tail_ms: PROMPT_TAIL_MS.min(silence_ms),
            short_pause_ms: usual.short_pause_ms.min(silence_ms),
            pre_roll_ms: usual.pre_roll_ms.max(pauses.padding_ms),
            on_score: score(usual.on_score).min(1.0),
            off_score: score(usual.off_score).min(1.0),
            ..usual.clone()
        };
        self.segmenter = Segmenter::new(self.segmenter_config.clone())?;
        self.ends_at_pauses = true;
        Ok(self)
    }

    /// Whether somebody waits for what is said before a pause.
    pub(crate) fn ends_at_pauses(&self) -> bool {
        self.ends_at_pauses
    }

    /// The sample of a live source, at 16 kHz, before which nothing is wanted any more: what is not
    /// recognised yet of that is dropped. To be set from elsewhere.
    #[must_use]
    pub fn unwanted(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.unwanted)
    }

    /// Tells speakers apart in mixed sound.
    #[must_use]
    pub fn with_voices(self, voices: VoiceModels) -> Self {
        Self {
            voices: Some(voices),
            ..self
        }
    }

    /// Finds the voices of a session directory again, and keeps there those that are heard.
    ///
    /// # Errors
    /// Their file cannot be read: voices are found again in later sources only.
    pub fn keep_voices_in(&mut self, dir: &Path) -> Result<(), StoreError> {
        if let Some(voices) = &self.voices {
            let heard = HeardVoices::open(dir, voices.embedder.name())?;
            self.heard_voices = Arc::new(Mutex::new(heard));
        }
        Ok(())
    }

    /// Shares the voices with other sources of the session; see [`Self::voice_model`].
    pub(crate) fn share_voices(&mut self, heard: Arc<Mutex<HeardVoices>>) {
        self.heard_voices = heard;
    }

    /// Name of the model that makes voice prints, if speakers are told apart.
    pub(crate) fn voice_model(&self) -> Option<&str> {
        self.voices.as_ref().map(|voices| voices.embedder.name())
    }

    /// Keeps the voices of a source, so that later ones find them again.
    pub(crate) fn keep_voices(&mut self, track: Option<&SpeakerTrack>, notices: &mut Vec<Notice>) {
        let Some(track) = track else {
            return;
        };
        self.kept.0 = Instant::now();
        if let Err(error) = self.heard_voices.lock().keep(track.voices())
            && !std::mem::replace(&mut self.kept.1, true)
        {
            notices.push(Notice::Warning(format!(
                "{error}; the voices heard now get new numbers in the next recording"
            )));
        }
    }

    /// Stores the voices from time to time while the source is heard: a crash loses little.
    pub(crate) fn keep_voices_if_due(
        &mut self,
        track: Option<&SpeakerTrack>,
        notices: &mut Vec<Notice>,
    ) {
        if self.kept.0.elapsed() >= KEEP_VOICES_EVERY {
            self.keep_voices(track, notices);
        }
    }

    /// The speakers of a new source, numbered after those before; `None` without models of voices,
    /// and where channels are speakers.
    pub(crate) fn speakers(&self, when: LabelWhen, labels: Labels) -> Option<SpeakerTrack> {
        let voices = self.voices.as_ref()?;
        if self.channels == Channels::Split {
            return None;
        }
        let known = self.heard_voices.lock().known(labels.given());
        let track = SpeakerTrack::new(voices, when, labels, known);
        // the settings are ours, so only a model with an odd window can fail
        track.inspect_err(|error| log::error!("{error}")).ok()
    }

    /// Gives the sound that a source took last to its speakers.
    pub(crate) fn follow(
        &mut self,
        track: &mut SpeakerTrack,
        source: &Recogniser,
        notices: &mut Vec<Notice>,
    ) {
        if let Some(plane) = source.listener().planes().first() {
            track.step(plane);
        }
        self.diarize(track, notices);
    }

    /// Diarizes what is due.
    pub(crate) fn diarize(&mut self, track: &mut SpeakerTrack, notices: &mut Vec<Notice>) {
        if let Some(voices) = &mut self.voices {
            track.work(voices, notices);
        }
    }

    /// Voices that were recognised in a source since the last call: label, and earlier label or
    /// enrolled name.
    pub(crate) fn recognised_voices(&self, track: &mut SpeakerTrack) -> Vec<(String, String)> {
        let known = self.voices.as_ref().map(|voices| &voices.known[..]);
        track.recognise(known.unwrap_or_default())
    }

    /// The work of these threads, once, for [`crate::pipeline::PipelineParts`]. Without it nothing
    /// is decoded early.
    pub fn live_stages(&mut self) -> Option<LiveStages> {
        let (previews, early) = self.live.as_mut()?;
        Some(LiveStages {
            preview: previews.stage()?,
            early: early.stage()?,
        })
    }

    /// Offers what is being said in a source to these threads.
    pub(crate) fn offer(&mut self, stream: PreviewedStream<'_>, source: &Recogniser) {
        if let Some((previews, early)) = &mut self.live {
            early.offer(source);
            previews.offer(stream, source);
        }
    }

    /// The opener of files.
    #[must_use]
    pub fn opener(&self) -> &OpenAudio {
        &self.open
    }

    /// How channels are treated.
    #[must_use]
    pub fn channels(&self) -> Channels {
        self.channels
    }

    /// The recognition loop for one plain source.
    ///
    /// # Errors
    /// A source that is not supported.
    pub fn source(&self, spec: &SourceSpec) -> Result<Recogniser, ListenError> {
        let listener = Listener::new(spec, self.channels, &self.segmenter_config)?;
        Ok(Recogniser::new(listener, self.windows()))
    }

    /// The same for a live source, and for a recording that is replayed in time: a pause ends a
    /// window. Segments are cut as in a recording, so the same sound gives the same words.
    ///
    /// # Errors
    /// A source that is not supported.
    pub(crate) fn live_source(&self, spec: &SourceSpec) -> Result<Recogniser, ListenError> {
        let source = self.source(spec)?;
        Ok(match self.ends_at_pauses {
            true => source.live_by_segment(),
            false => source.live(),
        })
    }

    /// Whether the model recognises several segments at once.
    pub(crate) fn has_windows(&self) -> bool {
        self.transcriber.model().max_window_ms().is_some()
    }

    /// Packs segments into windows for the model.
    pub(crate) fn windows(&self) -> Windows {
        Windows::new(self.transcriber.model().max_window_ms())
    }

    /// Recognises the next window of a source; `None` when none is full.
    ///
    /// # Errors
    /// The model fails on the window.
    pub fn recognise(
        &mut self,
        source: &mut Recogniser,
        rest: Rest,
    ) -> Option<Result<HeardWindow, TranscribeError>> {
        source.recognise(&mut self.transcriber, rest)
    }

    /// Recognises the segments of one window, which may be from different files, in the language
    /// of their stream.
    pub(crate) fn hear_each(
        &mut self,
        language: &mut LanguageTrack,
        window: &mut [Segment],
    ) -> (Vec<HeardSegment>, Option<LanguageNews>) {
        let found = self.transcriber.find_language(language, window);
        let heard = self.transcriber.hear_each(window);
        let refused = heard.iter().filter_map(|it| match it {
            HeardSegment::Refused(refused) => Some(*refused),
            _ => None,
        });
        let doubt = || self.transcriber.doubt_language(language, window, refused);
        let news = found.or_else(doubt);
        (heard, news)
    }

    /// The speech inside a labelled stretch of a file, segmented at pauses, and how much of the
    /// stretch exists.
    pub(crate) fn cut(
        &mut self,
        path: &Path,
        span: SampleSpan,
        warnings: &mut Vec<SourceWarning>,
    ) -> Result<(Vec<Segment>, StretchRead), AudioError> {
        let at = self.reader(path)?;
        let (segmenter, reader) = (&mut self.segmenter, &mut self.readers[at]);
        let mut segments = Vec::new();
        segmenter.reset(span.start);
        let read = reader.read(span, &mut |piece| segmenter.step(piece, &mut segments));
        segmenter.finish(&mut segments);
        reader.take_warnings(warnings);
        let file_ms = reader.len_ms();
        // a reader that failed would fail again; the next stretch reopens the file
        let samples = read.inspect_err(|_| drop(self.readers.remove(at)))?;
        let read_ms = SampleSpan::new(0, samples).len_ms();
        Ok((segments, StretchRead { read_ms, file_ms }))
    }

    /// Takes back the sample buffers of a stretch's segments, to reuse them.
    pub(crate) fn recycle(&mut self, window: Vec<Segment>) {
        for segment in window {
            self.segmenter.recycle(segment.samples);
        }
    }

    /// Index of the file's reader; opens the file if needed and closes the least recently used one.
    fn reader(&mut self, path: &Path) -> Result<usize, AudioError> {
        if let Some(at) = self.readers.iter().position(|reader| reader.path() == path) {
            let reader = self.readers.remove(at);
            self.readers.push(reader);
        } else {
            let reader = SpanReader::open(path, &self.open)?;
            if self.readers.len() == READERS_MAX {
                self.readers.remove(0);
            }
            self.readers.push(reader);
        }
        Ok(self.readers.len() - 1)
    }

    /// Adds audio that a feed read, or had cut.
    pub(crate) fn count_audio_ms(&mut self, ms: u64) {
        self.audio_ms += ms;
    }

    /// Counts of segments by outcome.
    #[must_use]
    pub fn counts(&self) -> &TranscriptionCounts {
        self.transcriber.counts()
    }

    /// Audio and speech so far; the feeds add the rest. Refused segments are not speech.
    #[must_use]
    pub fn figures(&self) -> FeedFigures {
        let counts = self.transcriber.counts();
        FeedFigures {
            audio_ms: self.audio_ms,
            speech_ms: counts.recognised_ms,
            decoding_ms: self.transcriber.model().worked_ms(),
            failed_segments: counts.failed,
            ..FeedFigures::default()
        }
    }
}
