//! The inputs of a session as values: the journal of a session is a list of these.
//!
//! The same inputs in the same order with the same configuration give the same session, byte for
//! byte. Recovery after a crash and all tests of determinism depend on this.

use super::names::{Naming, SpeakerError};
use crate::analysis::Analysis;
use crate::config::ConfigError;
use crate::memory::{MountCounts, NodeId, PinError, UnitRewrite};
use crate::profile::{ProfileChange, ProfileError};
use crate::sources::{Source, SourceError};
use crate::stream::{AudioSpan, Span, StreamStart, Utterance};
use crate::talk::{BlockId, Distillate, DistilledFact, DistilledOpinion};
use serde::{Deserialize, Serialize};
use weir_models::Terms;

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A stream begins. The open streams end, unless it begins beside them; an open block is cut.
    Begin(StreamStart),
    /// An utterance.
    Heard {
        /// The utterance.
        utterance: Utterance,
        /// Its unit-length vector, of the session's dimension.
        vector: Vec<f32>,
        /// Its sparse terms; empty without a sparse encoder.
        terms: Terms,
        /// What was read from its words. Stored after the input.
        #[serde(skip)]
        analysis: Analysis,
    },
    /// A stream pauses at its largest `end_ms` so far; an open block is cut.
    Break {
        /// Wall time when it resumes, in Unix milliseconds.
        resumes_at_unix_ms: Option<i64>,
        /// Its name; `None` for the only open stream. Stored after the input.
        #[serde(skip)]
        stream: Option<String>,
    },
    /// The input ended; an open block is cut.
    Flush,
    /// A pending block was distilled.
    Mount(Box<Distillate>),
    /// Nodes were recalled: their access counts grow.
    Recalled {
        /// The nodes; those no longer held are ignored.
        nodes: Vec<NodeId>,
        /// Session time of the question.
        session_ms: u64,
    },
    /// A unit is pinned or unpinned: a pinned unit is neither forgotten nor shortened.
    Pin {
        /// The unit.
        node: NodeId,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// The words of a unit are edited; its evidence keeps the words as heard.
    Edit {
        /// The unit.
        node: NodeId,
        /// The new words.
        text: String,
        /// The unit-length vector of the speaker's name and the new words.
        vector: Vec<f32>,
        /// Their terms.
        terms: Terms,
        /// What was read from them. Stored after the input.
        #[serde(skip)]
        analysis: Analysis,
    },
    /// New budgets.
    Budget(Budgets),
    /// Everything derived from given utterances is erased; made by [`super::Session::erasure`].
    Erase(Box<Erasure>),
    /// The name of a speaker changes.
    Speaker(Box<Naming>),
    /// A profile is changed by hand.
    Profile(Box<ProfileChange>),
    /// A source is added; made by [`Source::of`] with the session's encoder.
    AddSource(Box<Source>),
    /// The source of this name is removed, with every passage.
    RemoveSource(String),
    /// Beliefs and facts are read anew from some utterances; made by [`super::Session::rereading`].
    Observe(Box<SpeakerObservations>),
    /// The open stream of this name ends; an open block is cut.
    End(String),
}

impl Input {
    /// Whether a user made it by hand and it must not be lost: in a journal, such an input depends
    /// on the rules that made the nodes it names.
    #[must_use]
    pub fn is_by_hand(&self) -> bool {
        matches!(
            self,
            Self::Pin { .. }
                | Self::Edit { .. }
                | Self::Budget(_)
                | Self::Erase(_)
                | Self::Speaker(_)
                | Self::Profile(_)
                | Self::AddSource(_)
                | Self::RemoveSource(_)
                | Self::Observe(_)
        )
    }
}

/// The bounds of the tree; `None` leaves a bound unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// Tokens (`T_max`).
    pub tokens: Option<usize>,
    /// Bytes of nodes, evidence, vectors and words.
    pub bytes: Option<usize>,
    /// Nodes.
    pub nodes: Option<usize>,
    /// Bytes of the transcript on disk; 0 for none.
    pub transcript_bytes: Option<u64>,
}

/// What utterances say of their speakers, after an edit of their statements.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SpeakerObservations {
    /// `(stream, id)` of the utterances; opinions and facts read from them before are removed.
    pub utterances: Vec<(String, String)>,
    /// Opinions in the statements as they are now.
    pub opinions: Vec<DistilledOpinion>,
    /// Facts in them.
    pub facts: Vec<DistilledFact>,
}

/// Everything to erase, and the remaining text in other words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Erasure {
    /// `(stream, id)` of the utterances to erase.
    pub utterances: Vec<(String, String)>,
    /// Units to erase.
    pub units: Vec<NodeId>,
    /// Units that were also said elsewhere.
    pub rewritten: Vec<UnitRewrite>,
    /// Ordinals of the utterances in the session, which number their transcript lines.
    pub turns: Vec<u64>,
    /// The utterances' audio.
    pub audio: Vec<AudioSpan>,
    /// Erased evidence that was counted but not kept, so that it cannot be traced.
    pub untraced: u32,
}

/// Changes that an erasure made to the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Erased {
    /// Utterances erased.
    pub utterances: usize,
    /// Raw utterances among them that were still held verbatim.
    pub raw: usize,
    /// Nodes erased: units, and empty events and scenes.
    pub nodes: usize,
    /// Units kept with other evidence.
    pub rewritten: usize,
    /// Summaries and labels rebuilt.
    pub summaries: usize,
    /// Beliefs erased.
    #[serde(default)]
    pub beliefs: usize,
    /// Facts of profiles erased.
    #[serde(default)]
    pub facts: usize,
    /// Passages of a source erased.
    #[serde(default)]
    pub passages: usize,
}

/// Result of an input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Blocks that became ready to be distilled.
    pub cut: Vec<BlockId>,
    /// Changes to the tree by mounting, or by enforcing a budget.
    pub mounted: Option<MountCounts>,
    /// Changes by an erasure.
    pub erased: Option<Erased>,
}

impl Outcome {
    pub(super) fn cut(cut: Vec<BlockId>) -> Self {
        Self {
            cut,
            ..Self::default()
        }
    }
}

/// Why an input was refused; the session is then unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InputError {
    /// No stream is open.
    #[error("{what} came while no stream is open; begin a stream first")]
    NoStream {
        /// What came.
        what: String,
    },
    /// A stream of this name is open.
    #[error("stream `{stream}` is open already; end it first, or take another name")]
    StreamOpen {
        /// Its name.
        stream: String,
    },
    /// As many streams are open as there may be.
    #[error("stream `{stream}` cannot begin beside {max} others; end one of them: {open}")]
    StreamsFull {
        /// Its name.
        stream: String,
        /// The bound.
        max: usize,
        /// The names of the open streams.
        open: String,
    },
    /// An id was used twice in one stream.
    #[error(
        "utterance id `{id}` occurs twice in stream `{stream}`; ids must be unique in a stream"
    )]
    SameId {
        /// The id.
        id: String,
        /// The stream.
        stream: String,
    },
    /// It names a stream that is not open, or none while several are.
    #[error("{what} {}; open: {open}", named(found.as_deref()))]
    OtherStream {
        /// What names it.
        what: String,
        /// The stream named.
        found: Option<String>,
        /// The names of the open streams.
        open: String,
    },
    /// The utterance has no words.
    #[error("utterance `{id}` has no words; leave it out")]
    NoWords {
        /// The id.
        id: String,
    },
    /// It ends before it begins, or beyond the maximum time.
    #[error(
        "utterance `{id}` is said from {} to {} ms; a span ends at or after its start, within a \
         hundred years", span.start_ms, span.end_ms
    )]
    WrongSpan {
        /// The id.
        id: String,
        /// Its span.
        span: Span,
    },
    /// The new words of a unit are empty or too long.
    #[error("a unit says between 1 and {max} tokens; the new words of {node} have {tokens}")]
    WrongWords {
        /// The unit.
        node: NodeId,
        /// Tokens of the new words.
        tokens: usize,
        /// The bound.
        max: usize,
    },
    /// The utterance is too long.
    #[error("utterance `{id}` has {tokens} tokens; the limit is {max}, split it")]
    TooLong {
        /// The id.
        id: String,
        /// Its length in tokens.
        tokens: usize,
        /// The bound.
        max: usize,
    },
    /// Raw text would exceed its bound while a block waits.
    #[error("{tokens} more tokens exceed raw memory while blocks wait; mount the next block first")]
    PendingFull {
        /// Tokens of the utterance.
        tokens: u32,
    },
    /// A vector with a wrong dimension or length.
    #[error("a vector of {what} has {found}; this session needs {expected}")]
    BadVector {
        /// What it belongs to.
        what: String,
        /// What is wrong with it.
        found: String,
        /// What is required.
        expected: String,
    },
    /// A distillate of a block that is not the next one.
    #[error("block {found} cannot be mounted now; next is {expected}")]
    WrongBlock {
        /// The block given.
        found: u64,
        /// The next block, or 0 if none is pending.
        expected: u64,
    },
    /// There is no such unit, or pinned units fill their share of the budget.
    #[error(transparent)]
    Pin(PinError),
    /// A profile cannot be changed like this.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The sources cannot be changed like this.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The names of speakers cannot be changed like this.
    #[error(transparent)]
    Speaker(#[from] SpeakerError),
    /// The waiting talk does not fit into the new budget.
    #[error(
        "{tokens} tokens of talk wait to be distilled; that budget allows {most}: mount \
         the waiting blocks first, or set a larger budget"
    )]
    RawOverBudget {
        /// Tokens of waiting blocks and of the open block.
        tokens: usize,
        /// Maximum under the new budget.
        most: usize,
    },
    /// A budget out of range.
    #[error(transparent)]
    Budget(#[from] ConfigError),
    /// A distillate without evidence.
    #[error(
        "{what} of block {block} has no evidence; a distiller must name the utterances it used"
    )]
    NoEvidence {
        /// Event or unit.
        what: &'static str,
        /// The block.
        block: u64,
    },
}

/// Which stream an input names that is not open.
fn named(found: Option<&str>) -> String {
    match found {
        Some(name) if !name.is_empty() => {
            format!("names stream `{name}`, which is not open")
        }
        _ => "must name its stream, since several are open".to_owned(),
    }
}
