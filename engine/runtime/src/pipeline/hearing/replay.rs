//! The feed of a replay: stream files and plain recordings, one after another.
//!
//! Reads each input while feeding it and holds one chunk of it. An input that fails midway ends its
//! stream with a notice, and the next input begins. The caller checks every input before feeding,
//! so a bad line cannot leave half a stream behind.

use crate::pipeline::driving::stop::{Pacer, Stop};
use crate::pipeline::feed::{Feed, FeedFigures, FeedItem, InputDone, InputMark, Notice, Unheard};
use crate::pipeline::hearing::diarized::{LabelWhen, Labels, SpeakerTrack};
use crate::pipeline::hearing::lines::{HeardItem, Lines, Words};
use crate::pipeline::hearing::preview::PreviewedStream;
use crate::pipeline::hearing::recognition::{LiveStages, Recognition};
use crate::pipeline::hearing::replay_input::{InputKind, ReplayInput};
use crate::pipeline::hearing::sound::Sound;
use crate::pipeline::hearing::stretches::HeardStretch;
use crate::pipeline::hearing::wer::WordErrors;
use crate::store::InputProgress;
use crate::streamfile::{Item, Line};
use std::collections::VecDeque;
use weir_asr::{AudioError, Channels, Recognised, SampleSpan, SourceWarning, Spoken};
use weir_core::stream::{AudioSpan, StreamStart, Utterance};

/// Streams and recordings in order.
pub struct ReplayFeed {
    inputs: VecDeque<(usize, ReplayInput)>,
    words: Words,
    pacer: Pacer,
    hearing: Option<Recognition>,
    current: Option<Current>,
    errors: WordErrors,
    /// Milliseconds of the finished inputs, and of the current one.
    done_ms: u64,
    at_ms: u64,
    whole: u64,
    total_ms: Option<u64>,
    warnings: Vec<SourceWarning>,
    /// The last marked item, returned next.
    marked: Option<FeedItem>,
    /// Labels of speakers given so far, and before the session's last stream.
    labels: (u32, u32),
    /// Voices that were recognised: label and name.
    known: VecDeque<(String, String)>,
}

/// The current input.
struct Current {
    index: usize,
    input: ReplayInput,
    reading: Reading,
    /// The part that was fed.
    progress: InputProgress,
    failed: bool,
    /// The last failure reported.
    said: Option<Notice>,
}

enum Reading {
    Lines(Box<Lines>),
    Sound(Box<Sound>),
}

impl ReplayFeed {
    /// A feed of checked inputs. Without `hearing`, only written words can be fed.
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
            marked: None,
            labels: (0, 0),
            known: VecDeque::new(),
        }
    }

    /// Numbers speakers after those that the session knows: all of them, and those before the
    /// stream that goes on.
    #[must_use]
    pub fn after_labels(self, all: u32, before_last: u32) -> Self {
        Self {
            labels: (all, before_last),
            ..self
        }
    }

    /// The work of the threads that decode speech before it is over, once.
    pub fn live_stages(&mut self) -> Option<LiveStages> {
        self.hearing.as_mut()?.live_stages()
    }

    /// Opens the next input; `None` if there is none.
    fn begin(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        loop {
            let (index, input) = self.inputs.pop_front()?;
            match self.open(&input, stop) {
                Ok((reading, started_at_unix_ms)) => {
                    let progress = input.resume.as_ref().map(|it| it.progress.clone());
                    let progress = progress.unwrap_or_else(|| InputProgress {
                        stream: input.stream.clone(),
                        ..InputProgress::default()
                    });
                    let running = input.resume.as_ref().is_some_and(|it| it.running);
                    let (stream, zone) = (input.stream.clone(), input.zone());
                    self.at_ms = progress.end_ms;
                    self.pacer.restart(progress.end_ms);
                    self.current = Some(Current {
                        index,
                        input,
                        reading,
                        progress,
                        failed: false,
                        said: None,
                    });
                    return Some(match running {
                        true => FeedItem::Idle,
                        false => FeedItem::Begin(StreamStart {
                            zone: zone.and_then(|it| it.iana_name().map(str::to_owned)),
                            ..StreamStart::new(stream, started_at_unix_ms)
                        }),
                    });
                }
                Err(text) => notices.push(Notice::Failed(text)),
            }
        }
    }

    /// Opens an input at its resume point; also returns the Unix time of its stream time 0.
    fn open(&mut self, input: &ReplayInput, stop: &Stop) -> Result<(Reading, Option<i64>), String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let known = input.resume.as_ref().map(|it| it.progress.clone());
        let items = known.as_ref().map_or(0, |known| known.items);
        match (&input.kind, &self.hearing) {
            (
                InputKind::Stream {
                    started_at_unix_ms, ..
                },
                _,
            ) => {
                let (speakers, hearing) = (self.speakers(input), self.hearing.as_mut());
                let lines = Lines::open(&input.path, self.words, hearing.as_deref(), &self.pacer);
                let lines = lines.map_err(|e| words(&e))?;
                let mut lines = lines.with_speakers(speakers, self.pacer.is_paced());
                let zero = lines.skip(items, *started_at_unix_ms, hearing, stop);
                Ok((
                    Reading::Lines(Box::new(lines)),
                    zero.map_err(|e| words(&e))?,
                ))
            }
            (InputKind::Audio { .. }, Some(hearing)) => {
                let source = hearing.opener()(&input.path).map_err(|e| words(&e))?;
                // when paced, do not wait for full windows
                let recogniser = match self.pacer.is_paced() {
                    true => hearing.live_source(source.spec()),
                    false => hearing.source(source.spec()),
                };
                let recogniser = recogniser.map_err(|e| words(&e))?;
                let sound = Sound::new(source, recogniser, self.speakers(input), known);
                Ok((Reading::Sound(Box::new(sound)), None))
            }
            (InputKind::Audio { .. }, None) => Err(format!(
                "{}: a recording, but no speech model was loaded",
                input.path.display()
            )),
        }
    }

    /// The speakers of an input, numbered after those before it.
    fn speakers(&self, input: &ReplayInput) -> Option<SpeakerTrack> {
        let goes_on = input.resume.as_ref().is_some_and(|it| it.running);
        let first = match goes_on {
            true => self.labels.1,
            false => self.labels.0,
        };
        let when = match self.pacer.is_paced() {
            true => LabelWhen::Heard,
            false => LabelWhen::Stable,
        };
        // a label of the file's own is somebody else
        let own = match input.kind {
            InputKind::Stream { labels, .. } => labels,
            InputKind::Audio { .. } => 0,
        };
        let hearing = self.hearing.as_ref()?;
        hearing.speakers(when, Labels::default().after(first.max(own)))
    }

    /// A voice that was recognised in the lines of a stream file, if there is one.
    fn recognised(&mut self, lines: &mut Lines) -> Option<FeedItem> {
        if let (Some(hearing), Some(speakers)) = (&self.hearing, lines.speakers()) {
            self.known.extend(hearing.recognised_voices(speakers));
            self.labels.0 = self.labels.0.max(speakers.labels());
        }
        let (label, name) = self.known.pop_front()?;
        Some(FeedItem::Recognised { label, name })
    }

    /// Ends the current input.
    fn end(&mut self, current: &Current) -> FeedItem {
        self.done_ms += current.input.len_ms.unwrap_or(self.at_ms);
        self.whole += u64::from(!current.failed);
        self.at_ms = 0;
        FeedItem::End {
            stream: current.input.stream.clone(),
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

    /// The next item of the current input; `None` at its end.
    fn item(
        &mut self,
        current: &mut Current,
        stop: &Stop,
        notices: &mut Vec<Notice>,
    ) -> Option<FeedItem> {
        match &mut current.reading {
            Reading::Lines(lines) => loop {
                if let Some(known) = self.recognised(lines) {
                    return Some(known);
                }
                let read = self.read_line(lines, stop, notices);
                current.failed |= lines.take_notices(notices);
                let (item, heard) = read?;
                current.progress.items += 1;
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
                            stream: current.input.stream.clone(),
                            resumes_at_unix_ms: started_at_unix_ms,
                        });
                    }
                    Item::Probe(probe) => return Some(current.input.question(probe)),
                    Item::Utterance(line) => {
                        self.at_ms = self.at_ms.max(line.span.end_ms);
                        match self.line_utterance(&current.input.stream, line, heard, notices) {
                            Ok(Some(said)) => return Some(fed(&mut current.progress, said)),
                            Ok(None) => {}
                            Err(failed) => {
                                current.failed = true;
                                fail_once(&mut current.said, failed, notices);
                            }
                        }
                    }
                }
                if stop.is_set() {
                    return None;
                }
            },
            Reading::Sound(sound) => {
                let (input, progress) = (&current.input, &mut current.progress);
                let heard = self.next_utterance(input, progress, sound, stop, notices);
                current.failed |= sound.failed;
                self.warn(notices);
                heard
            }
        }
    }

    /// The next item of a stream file. At its end the voices are kept.
    fn read_line(
        &mut self,
        lines: &mut Lines,
        stop: &Stop,
        notices: &mut Vec<Notice>,
    ) -> Option<HeardItem> {
        let hearing = self.hearing.as_mut();
        let read = lines.next(hearing, &self.pacer, stop, &mut self.warnings);
        if !matches!(&read, Some((Ok(_), _))) {
            lines.keep_voices(self.hearing.as_mut(), notices);
        }
        self.warn(notices);
        read
    }

    /// The utterance of a stream file's line; `None` if its audio gave no words.
    fn line_utterance(
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
                "{}: a line with audio, but no speech model was loaded",
                audio.path.display()
            ));
        }
        let heard = heard.map_err(|error| error.to_string())?;
        let unheard = |it| Notice::Unheard(Unheard::of(stream, it));
        notices.extend(heard.refused.into_iter().map(unheard));
        notices.extend(heard.language.map(|news| Notice::language(stream, news)));
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
    fn next_utterance(
        &mut self,
        input: &ReplayInput,
        progress: &mut InputProgress,
        sound: &mut Sound,
        stop: &Stop,
        notices: &mut Vec<Notice>,
    ) -> Option<FeedItem> {
        let hearing = self.hearing.as_mut()?;
        loop {
            if let Some(Spoken { said, speaker }) = sound.speech.heard.pop_front() {
                let voice = speaker.and_then(|id| Some(sound.speech.speakers.as_mut()?.fed(id)));
                let said = input.spoken(progress.turns + 1, &said, voice, hearing.channels());
                progress.within += 1;
                return Some(fed(progress, said));
            }
            if let Some(speakers) = &mut sound.speech.speakers {
                self.known.extend(hearing.recognised_voices(speakers));
                self.labels.0 = self.labels.0.max(speakers.labels());
            }
            if let Some((label, name)) = self.known.pop_front() {
                return Some(FeedItem::Recognised { label, name });
            }
            if !sound.speech.unlabelled.is_empty() && sound.label(&input.stream, notices) {
                notices.extend(sound.pass_over(&input.path).map(Notice::Failed));
                continue;
            }
            if sound.speech.unlabelled.is_empty()
                && sound.recognise(input, hearing, progress, notices)
            {
                continue;
            }
            if sound.ended {
                // turns behind the last utterance
                sound.label(&input.stream, notices);
                notices.extend(sound.pass_over(&input.path).map(Notice::Failed));
                hearing.keep_voices(sound.speech.speakers.as_ref(), notices);
                return None;
            }
            if stop.is_set() {
                return None;
            }
            if let Err(error) = sound.read(&mut self.warnings) {
                notices.push(Notice::Failed(error.to_string()));
            }
            sound.follow(hearing, notices);
            let now_ms =
                SampleSpan::new(0, sound.speech.recogniser.listener().samples_heard()).len_ms();
            if sound.speech.recogniser.skipping() > 0 {
                self.pacer.restart(now_ms);
            } else {
                hearing.count_audio_ms(now_ms - sound.counted_ms);
                self.at_ms = now_ms;
                self.pacer.wait(now_ms, stop);
                let stream = previewed(input, hearing.channels(), sound.speech.speakers.as_ref());
                hearing.offer(stream, &sound.speech.recogniser);
            }
            sound.counted_ms = now_ms;
        }
    }
}

/// Reports a broken file once, not for every line.
fn fail_once(said: &mut Option<Notice>, failed: String, notices: &mut Vec<Notice>) {
    let failed = Notice::Failed(failed);
    if said.as_ref() != Some(&failed) {
        notices.push(failed.clone());
    }
    *said = Some(failed);
}

/// Counts an utterance as fed.
fn fed(progress: &mut InputProgress, said: Utterance) -> FeedItem {
    progress.turns += 1;
    progress.end_ms = said.span.end_ms;
    FeedItem::Heard(Box::new(said))
}

/// The stream of a recording's previews; only a paced replay has any.
fn previewed<'a>(
    input: &'a ReplayInput,
    channels: Channels,
    speakers: Option<&'a SpeakerTrack>,
) -> PreviewedStream<'a> {
    PreviewedStream {
        name: &input.stream,
        from_ms: 0,
        split: channels == Channels::Split,
        speakers,
    }
}

impl Feed for ReplayFeed {
    fn next(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        if let Some(item) = self.marked.take() {
            return Some(item);
        }
        let Some(mut current) = self.current.take() else {
            return if stop.is_set() {
                None
            } else {
                self.begin(stop, notices)
            };
        };
        match self.item(&mut current, stop, notices) {
            Some(item) => {
                let mark = InputMark {
                    input: current.index,
                    progress: current.progress.clone(),
                };
                self.marked = Some(item);
                self.current = Some(current);
                Some(FeedItem::Mark(mark))
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
