//! The file of enrolled voices, shared by all sessions of a user.
//!
//! A voice print can identify a person, so a voice is in this file only after `enrol`, and nowhere
//! else. The file is replaced as a whole; the old bytes are overwritten where the file system
//! writes in place.

use super::error::StoreError;
use super::layout;
use crate::private;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use weir_asr::{KnownVoice, Voiceprint};

/// Version of the file.
const FORMAT: u32 = 1;
/// Most voices that are kept.
pub const VOICES_MAX: usize = 64;
/// Most samples that a voice is a mean of: a later one counts as much as each of the first ten.
const SAMPLES_MAX: u32 = 10;

/// Cosine distance above which a further sample is somebody else's: samples of one person on
/// different days are nearer, those of two people hardly ever.
const OTHER_VOICE: f32 = 0.75;

/// An enrolled voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnrolledVoice {
    /// Whose voice it is.
    pub name: String,
    /// Samples that it is a mean of.
    pub samples: u32,
    /// Seconds of speech in them.
    pub seconds: f32,
    /// The components of the voice print.
    voice: Vec<f32>,
}

/// What the file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Content {
    weir_voices: u32,
    /// Name and digest of the model that made the voice prints.
    model: String,
    digest: String,
    voices: Vec<EnrolledVoice>,
}

/// What every format of the file says.
#[derive(Deserialize)]
struct Version {
    weir_voices: u32,
}

/// Why a voice was not enrolled or forgotten.
#[derive(Debug, thiserror::Error)]
pub enum VoicesError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is not a file of voices.
    #[error("{}: not a file of voices ({reason}); move it away and enrol again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A newer program made it.
    #[error(
        "{}: has format {found}, and this weir reads {FORMAT}: use a newer weir",
        .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The voices were made by another model.
    #[error(
        "{}: its voices were made by {found}, not by {expected}; forget them and enrol again",
        .path.display()
    )]
    OtherModel {
        /// The file.
        path: PathBuf,
        /// The model at hand.
        expected: String,
        /// The model of the file.
        found: String,
    },
    /// The voice is enrolled under another name.
    #[error("this voice is enrolled as {known} already; take that name, or forget that first")]
    SameVoice {
        /// The other name.
        known: String,
    },
    /// A further sample of a name is somebody else's.
    #[error(
        "this voice does not sound like the one enrolled as {name}; if it is {name}, forget the \
         enrolled one first"
    )]
    OtherVoice {
        /// The name.
        name: String,
    },
    /// The file is full.
    #[error("{max} voices are enrolled, and no more are kept; forget one first")]
    Full {
        /// The bound.
        max: usize,
    },
}

/// The voices of a file.
#[derive(Debug, Clone)]
pub struct EnrolledVoices {
    path: PathBuf,
    content: Option<Content>,
}

impl EnrolledVoices {
    /// Reads a file; a missing one has no voices.
    ///
    /// # Errors
    /// It cannot be read, or is not such a file.
    pub fn open(path: &Path) -> Result<Self, VoicesError> {
        let content = match private::read(path) {
            Ok(bytes) => Some(Content::read(path, &bytes)?),
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => None,
            Err(wrong) => return Err(StoreError::file(path, "read it")(wrong).into()),
        };
        Ok(Self {
            path: path.to_owned(),
            content,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All voices, in the order of enrolment.
    #[must_use]
    pub fn voices(&self) -> &[EnrolledVoice] {
        self.content.as_ref().map_or(&[], |it| &it.voices)
    }

    /// The same as clients read them.
    #[must_use]
    pub fn wire(&self) -> Vec<weir_api::Voice> {
        let voice = |it: &EnrolledVoice| weir_api::Voice {
            name: it.name.clone(),
            samples: it.samples,
            seconds: it.seconds,
        };
        self.voices().iter().map(voice).collect()
    }

    /// The voices for a diarizer.
    ///
    /// # Errors
    /// [`VoicesError::OtherModel`].
    pub fn known(&self, model: (&str, &str)) -> Result<Vec<KnownVoice>, VoicesError> {
        let Some(content) = &self.content else {
            return Ok(Vec::new());
        };
        if (&content.model[..], &content.digest[..]) != model && !content.voices.is_empty() {
            return Err(VoicesError::OtherModel {
                path: self.path.clone(),
                expected: model.0.to_owned(),
                found: content.model.clone(),
            });
        }
        let known = |it: &EnrolledVoice| {
            Some(KnownVoice {
                name: it.name.clone(),
                voice: Voiceprint::new(it.voice.clone())?,
            })
        };
        Ok(content.voices.iter().filter_map(known).collect())
    }

    /// Adds a sample of a voice and writes the file. A second sample of a name is averaged with
    /// the earlier ones.
    ///
    /// # Errors
    /// The voice is known under another name, the file is full, or cannot be written.
    pub fn enrol(
        &mut self,
        name: &str,
        sample: &Voiceprint,
        seconds: f32,
        model: (&str, &str),
    ) -> Result<&EnrolledVoice, VoicesError> {
        let known = self.known(model)?;
        let found = weir_asr::recognise_voices(&known, &[(sample, u64::MAX)]);
        let other = found[0].map(|at| &known[at].name);
        if let Some(known) = other.filter(|known| *known != name) {
            let known = known.clone();
            return Err(VoicesError::SameVoice { known });
        }
        let same = known.iter().find(|it| it.name == name);
        if same.is_some_and(|it| it.voice.distance(sample) > OTHER_VOICE) {
            let name = name.to_owned();
            return Err(VoicesError::OtherVoice { name });
        }
        let mut voices = self.voices().to_vec();
        let at = match voices.iter().position(|it| it.name == name) {
            Some(at) => {
                let voice = &mut voices[at];
                let weight = voice.samples.min(SAMPLES_MAX) as f32;
                let sum = voice.voice.iter().zip(sample.as_slice());
                let sum = sum.map(|(old, new)| old * weight + new).collect();
                if let Some(mean) = Voiceprint::new(sum) {
                    voice.voice = mean.as_slice().to_vec();
                }
                voice.samples += 1;
                voice.seconds += seconds;
                at
            }
            None if voices.len() == VOICES_MAX => {
                return Err(VoicesError::Full { max: VOICES_MAX });
            }
            None => {
                voices.push(EnrolledVoice {
                    name: name.to_owned(),
                    samples: 1,
                    seconds,
                    voice: sample.as_slice().to_vec(),
                });
                voices.len() - 1
            }
        };
        self.write(Content {
            weir_voices: FORMAT,
            model: model.0.to_owned(),
            digest: model.1.to_owned(),
            voices,
        })?;
        Ok(&self.voices()[at])
    }

    /// Removes the voice of a name from the file, and overwrites the old file's bytes. Returns
    /// whether there was one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget(&mut self, name: &str) -> Result<bool, VoicesError> {
        let Some(mut content) = self.content.clone() else {
            return Ok(false);
        };
        let before = content.voices.len();
        content.voices.retain(|voice| voice.name != name);
        if content.voices.len() == before {
            return Ok(false);
        }
        self.write(content)?;
        Ok(true)
    }

    fn write(&mut self, content: Content) -> Result<(), VoicesError> {
        let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
        if let Some(folder) = folder {
            private::make_folder(folder).map_err(StoreError::file(folder, "create it"))?;
        }
        let text = serde_json::to_vec_pretty(&content).unwrap_or_default();
        layout::replace(&self.path, &[&text])?;
        self.content = Some(content);
        Ok(())
    }
}

impl Content {
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, VoicesError> {
        let damaged = |reason: String| VoicesError::Damaged {
            path: path.to_owned(),
            reason,
        };
        let wrong = |wrong: serde_json::Error| damaged(wrong.to_string());
        // the format first: a newer one may have other fields
        let Version { weir_voices: found } = serde_json::from_slice(bytes).map_err(wrong)?;
        if found > FORMAT {
            return Err(VoicesError::Newer {
                path: path.to_owned(),
                found,
            });
        }
        let content: Self = serde_json::from_slice(bytes).map_err(wrong)?;
        let floats = content.voices.first().map_or(0, |it| it.voice.len());
        for voice in &content.voices {
            if voice.voice.len() != floats || Voiceprint::new(voice.voice.clone()).is_none() {
                return Err(damaged(format!("the voice of {} is no vector", voice.name)));
            }
        }
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: (&str, &str) = ("cam", "1");

    fn voice(x: f32, y: f32) -> Voiceprint {
        Voiceprint::new(vec![x, y]).expect("a direction")
    }

    fn at(dir: &tempfile::TempDir) -> PathBuf {
        dir.path().join("weir").join("voices.json")
    }

    #[test]
    fn a_voice_is_kept_until_it_is_forgotten_and_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut voices = EnrolledVoices::open(&at(&dir)).expect("no file is no voices");
        voices
            .enrol("Ana", &voice(1.0, 0.0), 20.0, MODEL)
            .expect("enrolled");
        voices
            .enrol("Bob", &voice(0.0, 1.0), 20.0, MODEL)
            .expect("enrolled");
        let again = EnrolledVoices::open(&at(&dir)).expect("written");
        assert_eq!(again.voices(), voices.voices());
        assert_eq!(again.known(MODEL).expect("its model").len(), 2);
        assert!(voices.forget("Ana").expect("written"));
        assert!(!voices.forget("Ana").expect("nothing to do"));
        let text = std::fs::read_to_string(at(&dir)).expect("written");
        assert!(!text.contains("Ana") && text.contains("Bob"));
    }

    #[test]
    fn another_sample_of_a_voice_is_averaged() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut voices = EnrolledVoices::open(&at(&dir)).expect("no file");
        voices
            .enrol("Ana", &voice(1.0, 0.0), 20.0, MODEL)
            .expect("enrolled");
        let ana = voices
            .enrol("Ana", &voice(0.8, 0.6), 16.0, MODEL)
            .expect("enrolled");
        assert_eq!((ana.samples, ana.seconds), (2, 36.0));
        let known = voices.known(MODEL).expect("its model");
        assert!(known[0].voice.distance(&voice(1.8, 0.6)) < 1e-6);
    }

    #[test]
    fn a_voice_has_one_name_and_a_file_one_model() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut voices = EnrolledVoices::open(&at(&dir)).expect("no file");
        voices
            .enrol("Ana", &voice(1.0, 0.0), 20.0, MODEL)
            .expect("enrolled");
        let two = voices.enrol("Bea", &voice(1.0, 0.1), 20.0, MODEL);
        let two = two.expect_err("the same voice").to_string();
        assert!(two.contains("enrolled as Ana already"), "{two}");
        let not_her = voices.enrol("Ana", &voice(0.0, 1.0), 20.0, MODEL);
        let not_her = not_her.expect_err("another voice").to_string();
        assert!(not_her.contains("does not sound like"), "{not_her}");
        let other = voices.known(("other", "2")).expect_err("another model");
        assert!(matches!(other, VoicesError::OtherModel { .. }));
    }

    #[test]
    fn what_is_no_such_file_is_named() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("voices.json");
        for (text, told) in [
            ("not json", "not a file of voices"),
            (
                r#"{"weir_voices":2,"models":[],"people":{}}"#,
                "a newer weir",
            ),
            (
                r#"{"weir_voices":1,"model":"","digest":"","voices":
                [{"name":"Ana","samples":1,"seconds":1.0,"voice":[0.0]}]}"#,
                "the voice of Ana is no vector",
            ),
        ] {
            std::fs::write(&path, text).expect("written");
            let wrong = EnrolledVoices::open(&path).expect_err(text).to_string();
            assert!(
                wrong.contains(told) && wrong.contains("voices.json"),
                "{wrong}"
            );
        }
    }
}
