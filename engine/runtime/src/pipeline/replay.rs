//! The feed of a replay: stream files and plain recordings, one after the other.
//!
//! Reads each input as it goes and holds one chunk of it. An input that fails in the middle ends
//! its stream, is reported, and the next one begins. Nothing is fed before the caller surveyed
//! every input, so a bad line cannot leave half a stream behind.

use super::feed::{AskRequest, Feed, FeedFigures, FeedItem, InputDone, Notice, Unheard};
use super::lines::{Lines, Words};
use super::recognition::Recognition;
use super::stop::{Pacer, Stop};
use super::stretches::HeardStretch;
use super::wer::WordErrors;
use crate::streamfile::{Item, Line, Probe};
use std::collections::VecDeque;
use std::path::PathBuf;
use weir_asr::{
    AudioError, AudioSource, Recognised, Recogniser, Recovery, Rest, SampleSpan, SourceWarning,
};
use weir_core::stream::{AudioSpan, Span, StreamStart, Utterance};

/// One input of a replay.
#[derive(Debug, Clone)]
pub struct ReplayInput {
    /// Where it is.
    pub path: PathBuf,
    /// Name of its stream.
    pub stream: String,
    /// What it is.
    pub kind: InputKind,
    /// Its length in milliseconds of stream time, where known; a guide for progress.
    pub len_ms: Option<u64>,
}

/// What an input is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputKind {
    /// A stream file.
    Stream {
        /// Wall time of its beginning, in Unix milliseconds.
        started_at_unix_ms: Option<i64>,
    },
    /// A recording with unknown speakers.
    Audio {
        /// The name citations give the file.
        named: String,
    },
}

/// Streams and recordings in order.
pub struct ReplayFeed {
    inputs: VecDeque<(usize, ReplayInput)>,
    words: Words,
    pacer: Pacer,
    hearing: Option<Recognition>,
    current: Option<Current>,
    errors: WordErrors,
    /// Milliseconds of the inputs that are done, and of the one under way.
    done_ms: u64,
    at_ms: u64,
    whole: u64,
    total_ms: Option<u64>,
    warnings: Vec<SourceWarning>,
}

/// The input under way.
struct Current {
    index: usize,
    input: ReplayInput,
    reading: Reading,
    failed: bool,
    /// The last failure that was told.
    said: Option<Notice>,
}

enum Reading {
    Lines(Box<Lines>),
    Sound(Box<Sound>),
}

/// A recording under way.
struct Sound {
    source: Box<dyn AudioSource>,
    recogniser: Recogniser,
    chunk: Vec<f32>,
    /// Recognised, and not yet fed.
    heard: VecDeque<Recognised>,
    ended: bool,
    failed: bool,
    spoken: u64,
    counted_ms: u64,
}

impl ReplayFeed {
    /// A feed of inputs that were surveyed. Without `hearing` only written words can be fed.
    #[must_use]
    pub fn new(
        inputs: Vec<ReplayInput>,
        words: Words,
        pacer: Pacer,
        hearing: Option<Recognition>,
    ) -> Self {
        let total_ms = inputs.iter().map(|input| input.len_ms).sum();
        Self {
            inputs: inputs.into_iter().enumerate().collect(),
            words,
            pacer,
            hearing,
            current: None,
            errors: WordErrors::default(),
            done_ms: 0,
            at_ms: 0,
            whole: 0,
            total_ms,
            warnings: Vec::new(),
        }
    }

    /// Opens the next input; `None` when there is no other.
    fn begin(&mut self, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        loop {
            let (index, input) = self.inputs.pop_front()?;
            match self.open(&input) {
                Ok(reading) => {
                    let start = StreamStart {
                        name: input.stream.clone(),
                        started_at_unix_ms: match input.kind {
                            InputKind::Stream { started_at_unix_ms } => started_at_unix_ms,
                            InputKind::Audio { .. } => None,
                        },
                    };
                    self.pacer.restart();
                    self.current = Some(Current {
                        index,
                        input,
                        reading,
                        failed: false,
                        said: None,
                    });
                    return Some(FeedItem::Begin(start));
                }
                Err(text) => notices.push(Notice::Failed(text)),
            }
        }
    }

    fn open(&mut self, input: &ReplayInput) -> Result<Reading, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        match (&input.kind, &self.hearing) {
            (InputKind::Stream { .. }, _) => {
                let hearing = self.hearing.as_ref();
                let lines = Lines::open(&input.path, self.words, hearing, &self.pacer);
                Ok(Reading::Lines(Box::new(lines.map_err(|e| words(&e))?)))
            }
            (InputKind::Audio { .. }, Some(hearing)) => {
                let source = hearing.opener()(&input.path).map_err(|e| words(&e))?;
                // at its own pace nothing waits for a window to fill
                let recogniser = match self.pacer.is_paced() {
                    true => hearing.paced_source(source.spec()),
                    false => hearing.source(source.spec()),
                };
                let recogniser = recogniser.map_err(|e| words(&e))?;
                Ok(Reading::Sound(Box::new(Sound {
                    source,
                    recogniser,
                    chunk: Vec::new(),
                    heard: VecDeque::new(),
                    ended: false,
                    failed: false,
                    spoken: 0,
                    counted_ms: 0,
                })))
            }
            (InputKind::Audio { .. }, None) => Err(format!(
                "{}: a recording, but no speech model was loaded; give one with --asr-model",
                input.path.display()
            )),
        }
    }

    /// Ends the input under way.
    fn end(&mut self, current: &Current) -> FeedItem {
        self.done_ms += current.input.len_ms.unwrap_or(self.at_ms);
        self.whole += u64::from(!current.failed);
        self.at_ms = 0;
        FeedItem::End {
            whole: (!current.failed).then(|| InputDone {
                input: current.index,
                stream: current.input.stream.clone(),
            }),
        }
    }

    fn warn(&mut self, notices: &mut Vec<Notice>) {
        let said = self.warnings.drain(..);
        notices.extend(said.map(|warning| Notice::Warning(warning.to_string())));
    }

    /// The next item of the input under way; `None` at its end.
    fn item(
        &mut self,
        current: &mut Current,
        stop: &Stop,
        notices: &mut Vec<Notice>,
    ) -> Option<FeedItem> {
        match &mut current.reading {
            Reading::Lines(lines) => loop {
                let hearing = self.hearing.as_mut();
                let read = lines.next(hearing, &self.pacer, stop, &mut self.warnings);
                self.warn(notices);
                let (item, heard) = read?;
                let item = match item {
                    Ok(item) => item,
                    Err(error) => {
                        current.failed = true;
                        notices.push(Notice::Failed(error.to_string()));
                        return None;
                    }
                };
                match item {
                    Item::Break { started_at_unix_ms } => {
                        return Some(FeedItem::Break {
                            resumes_at_unix_ms: started_at_unix_ms,
                        });
                    }
                    Item::Probe(probe) => return Some(asked(&current.input.stream, probe)),
                    Item::Utterance(line) => {
                        self.at_ms = self.at_ms.max(line.span.end_ms);
                        match self.said(&current.input.stream, line, heard, notices) {
                            Ok(Some(utterance)) => {
                                return Some(FeedItem::Heard(Box::new(utterance)));
                            }
                            Ok(None) => {}
                            Err(failed) => {
                                // one broken file under many lines is said once
                                let failed = Notice::Failed(failed);
                                if current.said.as_ref() != Some(&failed) {
                                    notices.push(failed.clone());
                                }
                                current.failed = true;
                                current.said = Some(failed);
                            }
                        }
                    }
                }
                if stop.is_set() {
                    return None;
                }
            },
            Reading::Sound(sound) => {
                let heard = self.heard(&current.input, sound, stop, notices);
                current.failed |= sound.failed;
                self.warn(notices);
                heard
            }
        }
    }

    /// What a line of a stream file says; `None` where no words came out of its sound.
    fn said(
        &mut self,
        stream: &str,
        line: Line,
        heard: Result<HeardStretch, AudioError>,
        notices: &mut Vec<Notice>,
    ) -> Result<Option<Utterance>, String> {
        let written = line.text.unwrap_or_default();
        let audio = line.audio.as_ref().map(|audio| AudioSpan {
            file: audio.named.clone(),
            span: audio.span,
        });
        let mut utterance = Utterance {
            id: line.id,
            stream: stream.to_owned(),
            speaker: line.speaker,
            span: line.span,
            audio,
            confidence: None,
            text: written,
        };
        let (Some(audio), Words::Recognised) = (line.audio, self.words) else {
            return Ok(Some(utterance).filter(|u| !u.text.is_empty()));
        };
        if self.hearing.is_none() {
            return Err(format!(
                "{}: a line with audio, but no speech model was loaded; use --trust-text",
                audio.path.display()
            ));
        }
        let heard = heard.map_err(|error| error.to_string())?;
        let unheard = |it| Notice::Unheard(Unheard::of(stream, it));
        notices.extend(heard.refused.into_iter().map(unheard));
        let failed = heard.failed.iter().map(ToString::to_string);
        notices.extend(failed.map(Notice::Warning));
        let heard = heard.said;
        let text = heard.as_ref().map(Recognised::text).unwrap_or_default();
        if !utterance.text.is_empty() {
            self.errors.add(&utterance.text, &text);
        }
        utterance.confidence = heard.map(|heard| heard.confidence);
        utterance.text = text;
        Ok(Some(utterance).filter(|u| !u.text.is_empty()))
    }

    /// The next utterance of a recording; `None` at its end.
    fn heard(
        &mut self,
        input: &ReplayInput,
        sound: &mut Sound,
        stop: &Stop,
        notices: &mut Vec<Notice>,
    ) -> Option<FeedItem> {
        let hearing = self.hearing.as_mut()?;
        loop {
            if let Some(heard) = sound.heard.pop_front() {
                sound.spoken += 1;
                let split = hearing.channels() == weir_asr::Channels::Split;
                let utterance = spoken(input, sound.spoken, &heard, split);
                return Some(FeedItem::Heard(Box::new(utterance)));
            }
            if let Some(heard) = hearing.recognise(&mut sound.recogniser, Rest::Keep) {
                match heard {
                    Ok(heard) => {
                        let unheard = |it| Notice::Unheard(Unheard::of(&input.stream, it));
                        notices.extend(heard.refused.into_iter().map(unheard));
                        sound.heard.extend(heard.utterances);
                    }
                    Err(error) => notices.push(Notice::Warning(error.to_string())),
                }
                continue;
            }
            if sound.ended || stop.is_set() {
                return None;
            }
            if let Err(error) = sound.read(&mut self.warnings) {
                notices.push(Notice::Failed(error.to_string()));
            }
            let now_ms = SampleSpan::new(0, sound.recogniser.listener().samples_heard()).len_ms();
            hearing.count_audio_ms(now_ms - sound.counted_ms);
            sound.counted_ms = now_ms;
            self.at_ms = now_ms;
            self.pacer.wait(now_ms, stop);
        }
    }
}

impl Sound {
    /// Takes one chunk in. After an error that ends the source, what was open is cut all the same:
    /// it was heard whole up to there.
    fn read(&mut self, warnings: &mut Vec<SourceWarning>) -> Result<(), AudioError> {
        let read = match self.source.read(&mut self.chunk) {
            Err(error) if error.recovery() == Recovery::SkipChunk => return Ok(()),
            read => read,
        };
        self.source.take_warnings(warnings);
        match read {
            Ok(1..) => self.recogniser.step(&self.chunk),
            Ok(0) | Err(_) => {
                self.recogniser.finish();
                self.ended = true;
                self.failed = read.is_err();
            }
        }
        read.map(|_| ())
    }
}

fn asked(stream: &str, probe: Probe) -> FeedItem {
    FeedItem::Ask(AskRequest {
        id: probe.id,
        stream: Some(stream.to_owned()),
        text: probe.question,
        asked_by: probe.asked_by,
    })
}

fn spoken(input: &ReplayInput, number: u64, heard: &Recognised, split: bool) -> Utterance {
    let named = match &input.kind {
        InputKind::Audio { named } => named.clone(),
        InputKind::Stream { .. } => input.stream.clone(),
    };
    let span = Span::new(heard.span.start_ms(), heard.span.end_ms());
    Utterance {
        id: format!("{}#{number}", input.stream),
        stream: input.stream.clone(),
        speaker: split.then(|| format!("channel {}", heard.channel + 1)),
        span,
        audio: Some(AudioSpan { file: named, span }),
        confidence: Some(heard.confidence),
        text: heard.text(),
    }
}

impl Feed for ReplayFeed {
    fn next(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        let Some(mut current) = self.current.take() else {
            return if stop.is_set() {
                None
            } else {
                self.begin(notices)
            };
        };
        match self.item(&mut current, stop, notices) {
            Some(item) => {
                self.current = Some(current);
                Some(item)
            }
            None => {
                current.failed |= stop.is_set();
                Some(self.end(&current))
            }
        }
    }

    fn figures(&self) -> FeedFigures {
        let mut figures = self
            .hearing
            .as_ref()
            .map(Recognition::figures)
            .unwrap_or_default();
        figures.words = self.errors;
        figures.whole = self.whole;
        figures.done = self.done_ms + self.at_ms;
        figures
    }

    fn total(&self) -> Option<u64> {
        self.total_ms
    }
}
