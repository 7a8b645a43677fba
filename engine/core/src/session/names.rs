//! Names that the user gives to speakers, and the labels under which their voices are heard.
//!
//! A voice is heard as `Speaker 1`, and so are its inputs and its transcript lines forever. The
//! user names it once. From then on the session shows the name: in what was said before, and in
//! what is said later. Two labels with one name are one speaker. Invariant: no two entries share a
//! name or a label.

use crate::analysis::{Analysis, Term};
use crate::limits;
use crate::memory::NodeId;
use crate::stream::label_number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use weir_models::Encoded;

/// A change to the names of speakers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpeakerChange {
    /// A speaker gets a name, or another one.
    Name {
        /// The label or name so far.
        speaker: String,
        /// The name, which nobody has.
        name: String,
    },
    /// Two speakers are one: what the first said, the second said. It cannot be undone.
    Merge {
        /// The label or name that goes.
        speaker: String,
        /// The one that stays.
        into: String,
    },
    /// A name is forgotten: the speaker has the label again.
    Forget {
        /// The name.
        speaker: String,
    },
}

/// A change to the names of speakers, with the new vectors: a vector encodes the speaker's name
/// followed by the statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Naming {
    /// The change.
    pub change: SpeakerChange,
    /// Units of the speaker under the new name; those no longer held are ignored.
    pub units: Vec<(NodeId, Encoded)>,
    /// The same for raw talk, by ordinal of the utterance in the session.
    pub raw: Vec<(u64, Encoded)>,
    /// What was read from the new name. Stored after the input.
    #[serde(skip)]
    pub analysis: Analysis,
}

impl fmt::Display for SpeakerChange {
    /// What the change does, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { speaker, name: is } | Self::Merge { speaker, into: is } => {
                write!(f, "{speaker} is {is} now, also in what was said before")
            }
            Self::Forget { speaker } => write!(f, "the name {speaker} is forgotten"),
        }
    }
}

impl SpeakerChange {
    /// Who is concerned, by the present name or label.
    #[must_use]
    pub fn speaker(&self) -> &str {
        match self {
            Self::Name { speaker, .. } | Self::Merge { speaker, .. } | Self::Forget { speaker } => {
                speaker
            }
        }
    }
}

/// Why names were not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpeakerError {
    /// Nobody is called that.
    #[error("nobody here is called `{speaker}`")]
    Unknown {
        /// The name given.
        speaker: String,
    },
    /// Another speaker has the name.
    #[error("the name `{name}` is taken; if `{speaker}` is the same person, merge them")]
    Taken {
        /// The name.
        name: String,
        /// The speaker who was to get it.
        speaker: String,
    },
    /// The label's speaker has a name.
    #[error("`{label}` is called {name} already; to change that, give {name} another name")]
    Named {
        /// The label.
        label: String,
        /// Its name.
        name: String,
    },
    /// It cannot be a name.
    #[error("`{name}` cannot be a name: {reason}")]
    NoName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The speaker's name was not given here.
    #[error("`{speaker}` was not named here, so there is no name to forget")]
    NotNamed {
        /// The speaker.
        speaker: String,
    },
    /// The list of names is full.
    #[error("{max} speakers have names, and a session keeps no more; forget or merge some")]
    Full {
        /// The bound.
        max: usize,
    },
}

/// A speaker with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedSpeaker {
    /// The name.
    pub name: String,
    /// The labels under which it is heard, at least one.
    pub heard_as: Vec<String>,
    /// Names before this one, the newest last.
    pub former: Vec<String>,
    /// Terms of the name. Stored after the session.
    #[serde(skip)]
    pub terms: Vec<Term>,
}

/// All names of a session, and how many labels were given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SpeakerNames {
    named: Vec<NamedSpeaker>,
    /// The highest number of a label heard so far.
    labels: u32,
    /// The same when the last stream began.
    stream_labels: u32,
}

impl SpeakerNames {
    /// Speakers with names, in the order in which they got them.
    #[must_use]
    pub fn named(&self) -> &[NamedSpeaker] {
        &self.named
    }

    /// The highest number of a label so far: a new voice gets the next one.
    #[must_use]
    pub fn labels(&self) -> u32 {
        self.labels
    }

    /// The same when the last stream began; since format 10 each stream has it.
    pub(super) fn stream_labels(&self) -> u32 {
        self.stream_labels
    }

    /// What a speaker is called now, given a label or a former name.
    #[must_use]
    pub fn current<'a>(&'a self, speaker: &'a str) -> &'a str {
        let is = |known: &String| known == speaker;
        let mut named = self.named.iter();
        named
            .find(|it| it.heard_as.iter().any(is) || it.former.iter().any(is))
            .map_or(speaker, |it| &it.name)
    }

    /// The label of a speaker: the first one under which it is heard.
    #[must_use]
    pub fn label<'a>(&'a self, speaker: &'a str) -> &'a str {
        let entry = self.entry(speaker).map(|at| &self.named[at].heard_as);
        entry
            .and_then(|labels| labels.first())
            .map_or(speaker, |it| it)
    }

    /// The terms of a name that was given.
    pub(super) fn terms_of(&self, name: &str) -> Option<&[Term]> {
        Some(&self.named[self.entry(name)?].terms)
    }

    /// Sets the terms of a name, if it was given to somebody.
    pub(super) fn set_terms(&mut self, name: &str, terms: &[Term]) {
        if let Some(at) = self.entry(name) {
            self.named[at].terms = terms.to_vec();
        }
    }

    /// All entries, to set the terms of each.
    pub(super) fn named_mut(&mut self) -> &mut [NamedSpeaker] {
        &mut self.named
    }

    fn entry(&self, name: &str) -> Option<usize> {
        self.named.iter().position(|it| it.name == name)
    }

    /// Whether somebody is heard under this label.
    pub(super) fn is_label(&self, name: &str) -> bool {
        let mut labels = self.named.iter().flat_map(|it| &it.heard_as);
        labels.any(|label| label == name)
    }

    /// Counts the label of a speaker who has just been heard.
    pub(super) fn count(&mut self, heard_as: Option<&str>) {
        let number = heard_as.and_then(label_number).unwrap_or(0);
        self.labels = self.labels.max(number);
    }

    /// A stream begins: its voices are numbered after those heard so far, which it returns.
    pub(super) fn begin_stream(&mut self) -> u32 {
        self.stream_labels = self.labels;
        self.labels
    }

    /// The entry of a speaker; makes one for somebody without a name.
    fn entry_or_new(&mut self, speaker: &str) -> Result<usize, SpeakerError> {
        if let Some(at) = self.entry(speaker) {
            return Ok(at);
        }
        let max = limits::SPEAKERS_NAMED_MAX;
        if self.named.len() == max {
            return Err(SpeakerError::Full { max });
        }
        // a former name of another speaker is free again
        for known in &mut self.named {
            known.former.retain(|former| former != speaker);
        }
        self.named.push(NamedSpeaker {
            name: speaker.to_owned(),
            heard_as: vec![speaker.to_owned()],
            former: Vec::new(),
            terms: Vec::new(),
        });
        Ok(self.named.len() - 1)
    }

    pub(super) fn name(&mut self, speaker: &str, name: &str) -> Result<(), SpeakerError> {
        let at = self.entry_or_new(speaker)?;
        for known in &mut self.named {
            known.former.retain(|former| former != name);
        }
        let named = &mut self.named[at];
        let before = std::mem::replace(&mut named.name, name.to_owned());
        named.keep_former(before);
        Ok(())
    }

    pub(super) fn merge(&mut self, speaker: &str, into: &str) -> Result<(), SpeakerError> {
        self.entry_or_new(into)?;
        let gone = self.entry(speaker).map(|at| self.named.remove(at));
        let gone = gone.unwrap_or_else(|| NamedSpeaker {
            name: speaker.to_owned(),
            heard_as: vec![speaker.to_owned()],
            former: Vec::new(),
            terms: Vec::new(),
        });
        if let Some(at) = self.entry(into) {
            let kept = &mut self.named[at];
            kept.heard_as.extend(gone.heard_as);
            for former in gone.former.into_iter().chain([gone.name]) {
                kept.keep_former(former);
            }
        }
        Ok(())
    }

    /// Forgets a name; returns the label that replaces it.
    pub(super) fn forget(&mut self, speaker: &str) -> Result<String, SpeakerError> {
        let given = |it: &NamedSpeaker| it.heard_as.iter().all(|label| *label != speaker);
        let at = self.entry(speaker).filter(|at| given(&self.named[*at]));
        let at = at.ok_or_else(|| SpeakerError::NotNamed {
            speaker: speaker.to_owned(),
        })?;
        let gone = self.named.remove(at);
        let label = gone.heard_as.first().cloned().unwrap_or_default();
        if gone.heard_as.len() > 1 {
            // several voices that are one person stay one
            self.named.push(NamedSpeaker {
                name: label.clone(),
                heard_as: gone.heard_as,
                former: Vec::new(),
                terms: Vec::new(),
            });
        }
        Ok(label)
    }

    /// Checks stored names.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        let mut labels = BTreeSet::new();
        for named in &self.named {
            if !names.insert(&named.name) || named.heard_as.is_empty() {
                return Err(format!(
                    "the name `{}` is given twice or to nobody",
                    named.name
                ));
            }
            if let Some(label) = named.heard_as.iter().find(|label| !labels.insert(*label)) {
                return Err(format!("the speaker `{label}` has two names"));
            }
        }
        match self.named.len() > limits::SPEAKERS_NAMED_MAX {
            true => Err(format!("{} speakers have names", self.named.len())),
            false => Ok(()),
        }
    }
}

impl NamedSpeaker {
    fn keep_former(&mut self, name: String) {
        if self.heard_as.contains(&name) || self.former.contains(&name) {
            return;
        }
        if self.former.len() == limits::FORMER_NAMES_MAX {
            self.former.remove(0);
        }
        self.former.push(name);
    }
}

/// Refuses what cannot be a name.
///
/// # Errors
/// [`SpeakerError::NoName`] says why.
pub fn check_speaker_name(name: &str) -> Result<(), SpeakerError> {
    let wrong = |reason: &str| {
        Err(SpeakerError::NoName {
            name: name.chars().take(limits::SPEAKER_NAME_CHARS_MAX).collect(),
            reason: reason.to_owned(),
        })
    };
    if name.trim() != name || name.is_empty() {
        return wrong("a name is not empty and has no blanks around it");
    }
    if name.chars().count() > limits::SPEAKER_NAME_CHARS_MAX {
        return wrong("a name has at most 40 letters");
    }
    if name.contains([':', '"']) || name.chars().any(char::is_control) {
        return wrong("a name is one line without colons and quotation marks");
    }
    if label_number(name).is_some() {
        return wrong("labels of voices look like this; take another name");
    }
    if name.parse::<u32>().is_ok() {
        return wrong("a number stands for a label; take another name");
    }
    Ok(())
}
