//! The items of a stream file in order, each with the words recognised in its audio, and with who
//! speaks there if it does not say it.
//!
//! Reads ahead to save work: at full speed, with a model that recognises several segments at once,
//! the audio of consecutive lines is recognised together ([`Stretches`]). Invariant: nothing after
//! a question or a break is read before everything above it is recognised, so that no answer
//! depends on later lines.

use crate::pipeline::driving::stop::{Pacer, Stop};
use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::diarized::SpeakerTrack;
use crate::pipeline::hearing::line_voices::LineVoices;
use crate::pipeline::hearing::recognition::{Recognition, StretchRead};
use crate::pipeline::hearing::stretches::{HeardStretch, Stretches};
use crate::streamfile::{AudioPolicy, Item, Line, LineAudio, StreamFileError, StreamReader};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use weir_asr::{AudioError, SampleSpan, Segment, SourceWarning, Windows};
use weir_core::stream::Span;

/// Which words of a stream file are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Recognised words if a line has audio; its text is the reference.
    Recognised,
    /// Written words.
    Written,
}

/// An item, or the error that ends reading.
type Read = Result<Item, StreamFileError>;

/// An item and what was recognised in its audio.
pub(crate) type HeardItem = (Read, Result<HeardStretch, AudioError>);

/// A stream file being read.
pub(crate) struct Lines {
    reader: StreamReader<BufReader<File>>,
    words: Words,
    /// Each item, and the place of its speech for the speakers.
    stretches: Stretches<(Read, SampleSpan)>,
    voices: Option<LineVoices>,
    past_end: PastEnd,
    ended: bool,
}

/// Lines whose audio is beyond the end of its file.
struct PastEnd {
    stream: PathBuf,
    /// Number of lines without any audio, and of lines with some.
    silent: u64,
    sounding: u64,
    /// Files already reported.
    told: Vec<PathBuf>,
    notices: Vec<Notice>,
}

/// Tolerance for missing audio at the end of a line, since times are rounded.
const MISSING_MS_MAX: u64 = 1_000;

impl PastEnd {
    /// Records how much of a line's audio exists, and reports the first short line of each file.
    fn note(&mut self, number: u64, audio: &LineAudio, found: &StretchRead) {
        let Span { start_ms, end_ms } = audio.span;
        match found.read_ms {
            0 if start_ms == end_ms => return,
            0 => self.silent += 1,
            _ => self.sounding += 1,
        }
        let Some(file_ms) = found.file_ms else { return };
        let is_short = found.read_ms == 0 || end_ms > file_ms + MISSING_MS_MAX;
        if !is_short || self.told.contains(&audio.path) {
            return;
        }
        self.told.push(audio.path.clone());
        let what = match found.read_ms {
            0 => "none of it is processed".to_owned(),
            some => format!("only its first {some} ms are processed"),
        };
        self.notices.push(Notice::Warning(format!(
            "{}, line {number}: its audio is from {start_ms} to {end_ms} ms of `{}`, which is \
             {file_ms} ms long, so {what}; correct audio_start_ms or give the right file",
            self.stream.display(),
            audio.named
        )));
    }

    /// Reports at the end of the stream.
    fn end(&mut self) {
        let stream = self.stream.display();
        match (self.silent, self.sounding) {
            (1.., 0) => self.notices.push(Notice::Failed(format!(
                "{stream}: nothing can be heard: the audio of all its lines ({}) is beyond the \
                 end of its files; correct audio_start_ms, or give the right files",
                self.silent
            ))),
            (2.., _) => self.notices.push(Notice::Warning(format!(
                "{stream}: nothing was heard of {} lines in all: their audio is beyond the end \
                 of its file",
                self.silent
            ))),
            _ => {}
        }
    }
}

impl Lines {
    /// Opens a stream file.
    ///
    /// # Errors
    /// [`StreamFileError`] when it cannot be opened or its header is wrong.
    pub(crate) fn open(
        path: &Path,
        words: Words,
        hearing: Option<&Recognition>,
        pacer: &Pacer,
    ) -> Result<Self, StreamFileError> {
        let policy = match words {
            Words::Recognised => AudioPolicy::MustExist,
            Words::Written => AudioPolicy::MayBeMissing,
        };
        let windows = hearing.map_or_else(|| Windows::new(None), Recognition::windows);
        let ahead = !pacer.is_paced() && hearing.is_some_and(Recognition::has_windows);
        Ok(Self {
            reader: StreamReader::open(path, policy)?,
            past_end: PastEnd {
                stream: path.to_path_buf(),
                silent: 0,
                sounding: 0,
                told: Vec::new(),
                notices: Vec::new(),
            },
            words,
            stretches: if ahead {
                Stretches::ahead(windows)
            } else {
                Stretches::apart(windows)
            },
            voices: None,
            ended: false,
        })
    }

    /// Finds out with these who speaks where a line does not say it.
    pub(crate) fn with_speakers(self, speakers: Option<SpeakerTrack>, is_paced: bool) -> Self {
        Self {
            voices: speakers.map(|track| LineVoices::new(track, is_paced)),
            ..self
        }
    }

    /// The speakers of lines that do not say it.
    pub(crate) fn speakers(&mut self) -> Option<&mut SpeakerTrack> {
        self.voices.as_mut().map(|voices| &mut voices.track)
    }

    /// Keeps these voices, so that later inputs find them again.
    pub(crate) fn keep_voices(&self, hearing: Option<&mut Recognition>, notices: &mut Vec<Notice>) {
        if let (Some(voices), Some(hearing)) = (&self.voices, hearing) {
            hearing.keep_voices(Some(&voices.track), notices);
        }
    }

    /// Skips items fed before, and hears their voices again, until it is told to stop. Returns the
    /// Unix time of stream time 0, from the last skipped break, or else `started`.
    pub(crate) fn skip(
        &mut self,
        items: u64,
        started: Option<i64>,
        mut hearing: Option<&mut Recognition>,
        stop: &Stop,
    ) -> Result<Option<i64>, StreamFileError> {
        self.past_end.sounding = items;
        let (mut zero, mut end_ms) = (started, 0);
        for _ in 0..items {
            if stop.is_set() {
                break;
            }
            match self.reader.next().transpose()? {
                None => break,
                Some(Item::Utterance(line)) => {
                    end_ms = line.span.end_ms.max(end_ms);
                    self.hear_again(&line, hearing.as_deref_mut());
                }
                Some(Item::Break { started_at_unix_ms }) => {
                    let end_ms = i64::try_from(end_ms).unwrap_or(i64::MAX);
                    zero = started_at_unix_ms.map(|at| at.saturating_sub(end_ms));
                    self.pause(hearing.as_deref_mut());
                }
                Some(Item::Probe(_)) => self.pause(hearing.as_deref_mut()),
            }
        }
        Ok(zero)
    }

    /// The next item with its recognised words, in the file's order; `None` at the end of the file,
    /// and after `stop` was set and the recognised items were returned.
    pub(crate) fn next(
        &mut self,
        mut hearing: Option<&mut Recognition>,
        pacer: &Pacer,
        stop: &Stop,
        warnings: &mut Vec<SourceWarning>,
    ) -> Option<HeardItem> {
        loop {
            if let Some(heard) = self.pop() {
                return Some(heard);
            }
            if self.ended || stop.is_set() {
                return None;
            }
            let read = self.reader.next();
            let mut place = SampleSpan::default();
            let cut = match &read {
                Some(Ok(Item::Utterance(line))) => {
                    if !pacer.wait(line.span.end_ms, stop) {
                        return None;
                    }
                    let cut = self.cut(line, hearing.as_deref_mut(), warnings);
                    place = self.place(line, &cut, hearing.as_deref_mut());
                    cut
                }
                Some(Ok(Item::Probe(_) | Item::Break { .. })) | Some(Err(_)) | None => {
                    self.pause(hearing.as_deref_mut());
                    self.stretches.finish(hearing.as_deref_mut());
                    Ok(Vec::new())
                }
            };
            self.ended = !matches!(read, Some(Ok(_)));
            if read.is_none() {
                self.past_end.end();
            }
            if let Some(read) = read {
                let item = (read, place);
                self.stretches.push(item, cut, hearing.as_deref_mut());
            }
        }
    }

    /// Moves its notices to the end of `notices`; returns whether one says that the input failed.
    pub(crate) fn take_notices(&mut self, notices: &mut Vec<Notice>) -> bool {
        let failed = |notice: &Notice| matches!(notice, Notice::Failed(_));
        let nothing = self.past_end.notices.iter().any(failed);
        notices.append(&mut self.past_end.notices);
        nothing
    }

    /// The speech in a line's audio; empty if its written words are used.
    fn cut(
        &mut self,
        line: &Line,
        hearing: Option<&mut Recognition>,
        warnings: &mut Vec<SourceWarning>,
    ) -> Result<Vec<Segment>, AudioError> {
        let (Some(audio), Words::Recognised, Some(hearing)) = (&line.audio, self.words, hearing)
        else {
            return Ok(Vec::new());
        };
        let span = SampleSpan::from_ms(audio.span.start_ms, audio.span.end_ms);
        let (segments, found) = hearing.cut(&audio.path, span, warnings)?;
        hearing.count_audio_ms(found.read_ms);
        self.past_end.note(self.reader.line(), audio, &found);
        Ok(segments)
    }

    /// The first item in order, if its words and its speaker are known.
    fn pop(&mut self) -> Option<HeardItem> {
        let (_, place) = *self.stretches.front()?;
        if self.voices.as_ref().is_some_and(|it| !it.is_ready(place)) {
            return None;
        }
        let ((mut read, _), heard) = self.stretches.pop()?;
        let said = heard.as_ref().is_ok_and(|heard| heard.said.is_some());
        if let Some(voices) = &mut self.voices {
            let voice = voices.take(place).filter(|_| said);
            if let (Ok(Item::Utterance(line)), Some(voice)) = (&mut read, voice) {
                line.speaker = Some(voices.track.fed(voice));
            }
        }
        Some((read, heard))
    }

    /// Gives the speech of a line to the speakers, if it does not say who speaks; returns its place
    /// there.
    fn place(
        &mut self,
        line: &Line,
        cut: &Result<Vec<Segment>, AudioError>,
        hearing: Option<&mut Recognition>,
    ) -> SampleSpan {
        let (Some(voices), Some(hearing)) = (&mut self.voices, hearing) else {
            return SampleSpan::default();
        };
        let speech = cut.as_ref().map_or(&[][..], |segments| &segments[..]);
        let speech = if line.speaker.is_none() { speech } else { &[] };
        voices.hear(speech, hearing, &mut self.past_end.notices)
    }

    /// The same for a line that is skipped.
    fn hear_again(&mut self, line: &Line, mut hearing: Option<&mut Recognition>) {
        let mut cut = Ok(Vec::new());
        if let (Some(audio), Some(hearing), true) = (
            &line.audio,
            hearing.as_deref_mut(),
            self.voices.is_some() && line.speaker.is_none() && self.words == Words::Recognised,
        ) {
            let span = SampleSpan::from_ms(audio.span.start_ms, audio.span.end_ms);
            cut = hearing
                .cut(&audio.path, span, &mut Vec::new())
                .map(|(segments, _)| segments);
        }
        let place = self.place(line, &cut, hearing);
        if let Some(voices) = &mut self.voices {
            voices.take(place);
        }
    }

    fn pause(&mut self, hearing: Option<&mut Recognition>) {
        if let (Some(voices), Some(hearing)) = (&mut self.voices, hearing) {
            voices.pause(hearing, &mut self.past_end.notices);
        }
    }
}
