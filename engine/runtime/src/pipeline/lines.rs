//! The items of a stream file in order, each line with what was heard in its sound.
//!
//! Reads ahead where that saves work: at no pace of its own, with a model that hears several
//! segments at once, the sound of lines that follow each other is recognised together
//! ([`Stretches`]). Invariant: nothing below a question or a break is read before what stands above
//! it is heard, so that no answer depends on what comes after it.

use super::recognition::Recognition;
use super::stop::{Pacer, Stop};
use super::stretches::{HeardStretch, Stretches};
use crate::streamfile::{AudioPolicy, Item, Line, StreamFileError, StreamReader};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use weir_asr::{AudioError, Packer, SampleSpan, Segment, SourceWarning};

/// Which words of a stream file are fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Those recognised, where a line has audio; its text is the reference.
    Recognised,
    /// Those written.
    Written,
}

/// An item, or why the file cannot be read on.
type Read = Result<Item, StreamFileError>;

/// A stream file under way.
pub(super) struct Lines {
    reader: StreamReader<BufReader<File>>,
    words: Words,
    stretches: Stretches<Read>,
    ended: bool,
}

impl Lines {
    /// Opens a stream file.
    ///
    /// # Errors
    /// [`StreamFileError`] when it cannot be opened or its header is wrong.
    pub(super) fn open(
        path: &Path,
        words: Words,
        hearing: Option<&Recognition>,
        pacer: &Pacer,
    ) -> Result<Self, StreamFileError> {
        let policy = match words {
            Words::Recognised => AudioPolicy::MustExist,
            Words::Written => AudioPolicy::MayBeMissing,
        };
        let packer = hearing.map_or_else(|| Packer::new(None), Recognition::packer);
        let ahead = !pacer.is_paced() && hearing.is_some_and(Recognition::has_windows);
        Ok(Self {
            reader: StreamReader::open(path, policy)?,
            words,
            stretches: if ahead {
                Stretches::ahead(packer)
            } else {
                Stretches::apart(packer)
            },
            ended: false,
        })
    }

    /// Passes over items that were fed before, and gives the Unix time of stream time 0 as the last
    /// break among them has it; `started` is that of the beginning.
    pub(super) fn skip(
        &mut self,
        items: u64,
        started: Option<i64>,
    ) -> Result<Option<i64>, StreamFileError> {
        let (mut zero, mut end_ms) = (started, 0);
        for _ in 0..items {
            match self.reader.next().transpose()? {
                None => break,
                Some(Item::Utterance(line)) => end_ms = line.span.end_ms.max(end_ms),
                Some(Item::Break { started_at_unix_ms }) => {
                    let end_ms = i64::try_from(end_ms).unwrap_or(i64::MAX);
                    zero = started_at_unix_ms.map(|at| at.saturating_sub(end_ms));
                }
                Some(Item::Probe(_)) => {}
            }
        }
        Ok(zero)
    }

    /// The next item with what was heard in it, in the file's order; `None` at the end of the
    /// file, and after `stop` was set and what was heard until then was given out.
    pub(super) fn next(
        &mut self,
        mut hearing: Option<&mut Recognition>,
        pacer: &Pacer,
        stop: &Stop,
        warnings: &mut Vec<SourceWarning>,
    ) -> Option<(Read, Result<HeardStretch, AudioError>)> {
        loop {
            if let Some(heard) = self.stretches.pop() {
                return Some(heard);
            }
            if self.ended {
                return None;
            }
            let read = self.reader.next();
            let cut = match &read {
                Some(Ok(Item::Utterance(line))) => {
                    if !pacer.wait(line.span.end_ms, stop) {
                        return None;
                    }
                    self.cut(line, hearing.as_deref_mut(), warnings)
                }
                Some(Ok(Item::Probe(_) | Item::Break { .. })) | Some(Err(_)) | None => {
                    self.stretches.finish(hearing.as_deref_mut());
                    Ok(Vec::new())
                }
            };
            self.ended = !matches!(read, Some(Ok(_)));
            if let Some(read) = read {
                self.stretches.push(read, cut, hearing.as_deref_mut());
            }
        }
    }

    /// The speech in a line's sound; none where its words are written.
    fn cut(
        &self,
        line: &Line,
        hearing: Option<&mut Recognition>,
        warnings: &mut Vec<SourceWarning>,
    ) -> Result<Vec<Segment>, AudioError> {
        let (Some(audio), Words::Recognised, Some(hearing)) = (&line.audio, self.words, hearing)
        else {
            return Ok(Vec::new());
        };
        let span = SampleSpan::from_ms(audio.span.start_ms, audio.span.end_ms);
        hearing.cut(&audio.path, span, warnings)
    }
}
