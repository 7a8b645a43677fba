//! The voices that a session told apart: a voice keeps its number in the session's next recording.
//!
//! The file is part of the session: no other session reads it, an export does not have it, and an
//! erasure removes the voices of which nothing is held any more. Invariant: a voice that was
//! removed from the file is not written to it again by a process that had read it.

use super::error::StoreError;
use super::layout::{self, Layout};
use crate::private;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use weir_asr::{KnownVoice, Voiceprint};
use weir_core::stream::speaker_label;

/// Version of the file.
const FORMAT: u32 = 1;
/// Most voices; those with the least speech go first.
const VOICES_MAX: usize = 64;

/// A voice that was told apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeardVoice {
    /// Number of its label.
    pub number: u32,
    /// Clean speech behind it, in samples; overlapping windows count speech several times.
    pub samples: u64,
    voice: Vec<f32>,
}

impl HeardVoice {
    /// The voice with this number.
    #[must_use]
    pub fn new(number: u32, voice: &Voiceprint, samples: u64) -> Self {
        let voice = voice.as_slice().to_vec();
        Self {
            number,
            samples,
            voice,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Content {
    weir_heard_voices: u32,
    /// Name of the model that made the voice prints.
    model: String,
    voices: Vec<HeardVoice>,
}

/// The voices of a session, in memory and, if it has a directory, in its file.
#[derive(Debug, Default)]
pub struct HeardVoices {
    place: Option<(PathBuf, String)>,
    voices: Vec<HeardVoice>,
    /// Numbers that the file had when it was last read or written.
    stored: BTreeSet<u32>,
    /// Numbers that another process has removed from the file since.
    removed: BTreeSet<u32>,
}

impl HeardVoices {
    /// Reads the voices of a session directory; those of another model are not used, and the
    /// next write removes them.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn open(dir: &Path, model: &str) -> Result<Self, StoreError> {
        let file = Layout::of(dir).heard_voices();
        let voices = read(&file)?.filter(|it| it.model == model);
        let voices = voices.map_or_else(Vec::new, |it| it.voices);
        Ok(Self {
            stored: voices.iter().map(|it| it.number).collect(),
            voices,
            place: Some((file, model.to_owned())),
            removed: BTreeSet::new(),
        })
    }

    /// The voices with a number up to `last`, named by their labels.
    #[must_use]
    pub fn known(&self, last: u32) -> Vec<KnownVoice> {
        let voices = self.voices.iter().filter(|it| it.number <= last);
        let known = |it: &HeardVoice| {
            Some(KnownVoice {
                name: speaker_label(it.number),
                voice: Voiceprint::new(it.voice.clone())?,
            })
        };
        voices.filter_map(known).collect()
    }

    /// Adds voices, and writes the file if anything changed. Of two prints with one number the one
    /// made of more speech stays.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn keep(&mut self, heard: Vec<HeardVoice>) -> Result<(), StoreError> {
        if let Some((file, _)) = &self.place {
            let there = read(file)?.map_or_else(Vec::new, |it| it.voices);
            let there: BTreeSet<u32> = there.iter().map(|it| it.number).collect();
            self.removed.extend(self.stored.difference(&there));
        }
        let before = self.voices.clone();
        for voice in heard {
            match self.voices.iter_mut().find(|it| it.number == voice.number) {
                Some(known) if known.samples < voice.samples => *known = voice,
                Some(_) => {}
                None => self.voices.push(voice),
            }
        }
        self.voices.retain(|it| !self.removed.contains(&it.number));
        self.voices.sort_by_key(|it| std::cmp::Reverse(it.samples));
        self.voices.truncate(VOICES_MAX);
        self.voices.sort_by_key(|it| it.number);
        if let Some((file, model)) = self.place.as_ref().filter(|_| self.voices != before) {
            write(file, model, &self.voices)?;
            self.stored = self.voices.iter().map(|it| it.number).collect();
        }
        Ok(())
    }

    /// Removes the voices of a session directory that `keeps` does not keep, by number, and a file
    /// that is damaged; returns the file if it was changed.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn retain(dir: &Path, keeps: impl Fn(u32) -> bool) -> Result<Option<PathBuf>, StoreError> {
        let file = Layout::of(dir).heard_voices();
        let mut content = match read(&file) {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(None),
            // nobody can say whose voices are in a damaged file
            Err(StoreError::Damaged { .. }) => {
                layout::remove(&file)?;
                return Ok(Some(file));
            }
            Err(wrong) => return Err(wrong),
        };
        let before = content.voices.len();
        content.voices.retain(|it| keeps(it.number));
        if content.voices.len() == before {
            return Ok(None);
        }
        write(&file, &content.model, &content.voices)?;
        Ok(Some(file))
    }
}

fn read(file: &Path) -> Result<Option<Content>, StoreError> {
    let bytes = match private::read(file) {
        Ok(bytes) => bytes,
        Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(wrong) => return Err(StoreError::file(file, "read it")(wrong)),
    };
    let content: Content =
        serde_json::from_slice(&bytes).map_err(|wrong| StoreError::damaged(file, wrong))?;
    if content.weir_heard_voices > FORMAT {
        return Err(StoreError::Newer {
            file: file.to_path_buf(),
            found: content.weir_heard_voices,
            reads: FORMAT,
        });
    }
    Ok(Some(content))
}

fn write(file: &Path, model: &str, voices: &[HeardVoice]) -> Result<(), StoreError> {
    let content = Content {
        weir_heard_voices: FORMAT,
        model: model.to_owned(),
        voices: voices.to_vec(),
    };
    let text = serde_json::to_vec(&content).map_err(|wrong| StoreError::damaged(file, wrong))?;
    layout::replace(file, &[&text])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(number: u32, x: f32, seconds: u64) -> HeardVoice {
        let print = Voiceprint::new(vec![x, 1.0]).expect("a direction");
        HeardVoice::new(number, &print, seconds * 16_000)
    }

    fn numbers(dir: &Path) -> Vec<u32> {
        let file = Layout::of(dir).heard_voices();
        let content = read(&file).expect("readable");
        let voices = content.map_or_else(Vec::new, |it| it.voices);
        voices.iter().map(|it| it.number).collect()
    }

    #[test]
    fn voices_are_found_again_by_the_next_process() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut first = HeardVoices::open(dir.path(), "cam").expect("no file");
        let heard = vec![voice(2, 1.0, 20), voice(1, 0.0, 20)];
        first.keep(heard).expect("written");
        first.keep(vec![voice(1, 0.5, 10)]).expect("nothing to do");
        let next = HeardVoices::open(dir.path(), "cam").expect("readable");
        let known = next.known(1);
        assert_eq!(known.len(), 1, "those after it are of this recording");
        assert_eq!(known[0].name, "Speaker 1");
        assert_eq!(known[0].voice.as_slice(), [0.0, 1.0], "more speech stays");
        assert_eq!(next.known(9).len(), 2);
        let other = HeardVoices::open(dir.path(), "other").expect("readable");
        assert_eq!(other.known(9), [], "another model's");
    }

    #[test]
    fn a_removed_voice_does_not_come_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut heard = HeardVoices::open(dir.path(), "cam").expect("no file");
        let both = || vec![voice(1, 0.0, 20), voice(2, 1.0, 20)];
        heard.keep(both()).expect("written");
        let rewritten = HeardVoices::retain(dir.path(), |it| it != 1).expect("written");
        assert!(rewritten.is_some());
        let longer = [both(), vec![voice(1, 0.0, 30), voice(3, 2.0, 20)]].concat();
        heard.keep(longer).expect("written");
        assert_eq!(numbers(dir.path()), [2, 3]);
        let again = HeardVoices::retain(dir.path(), |_| true).expect("readable");
        assert_eq!(again, None);
    }

    #[test]
    fn no_more_than_the_bound_are_kept() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut heard = HeardVoices::open(dir.path(), "cam").expect("no file");
        let many = (1..=VOICES_MAX as u32 + 1).map(|n| voice(n, 1.0, u64::from(n)));
        heard.keep(many.collect()).expect("written");
        assert_eq!(numbers(dir.path()).len(), VOICES_MAX);
        assert_eq!(
            numbers(dir.path())[0],
            2,
            "the one with the least speech went"
        );
    }
}
