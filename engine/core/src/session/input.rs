//! What can happen to a session, as values: the journal of a session is a list of these.
//!
//! Applying the same inputs in the same order to the same configuration gives the same session,
//! byte for byte. That is what recovery after a crash and every test of determinism rest on.

use crate::config::ConfigError;
use crate::memory::{Mounted, NodeId, PinError, Rewritten};
use crate::stream::{AudioSpan, Span, StreamStart, Utterance};
use crate::talk::{BlockId, Distillate};
use serde::{Deserialize, Serialize};
use weir_models::{Encoded, Terms};

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A stream begins; an open block is cut.
    Begin(StreamStart),
    /// Something was said.
    Heard {
        /// What.
        utterance: Utterance,
        /// Its unit-length vector, of the session's dimension.
        vector: Vec<f32>,
        /// Its terms; empty where no sparse encoder was at hand.
        terms: Terms,
    },
    /// The recording pauses at the largest `end_ms` so far; an open block is cut.
    Break {
        /// Wall time at which it goes on, in Unix milliseconds.
        resumes_at_unix_ms: Option<i64>,
    },
    /// The input ended; an open block is cut.
    Flush,
    /// A pending block was distilled.
    Mount(Box<Distillate>),
    /// Nodes were recalled: their access counts grow.
    Recalled {
        /// Which; those no longer held are passed over.
        nodes: Vec<NodeId>,
        /// Session time of the question.
        session_ms: u64,
    },
    /// A unit is pinned, or let go: while pinned it is neither forgotten nor shortened.
    Pin {
        /// The unit.
        node: NodeId,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// The words of a unit are set right; its proof still says what was heard.
    Edit {
        /// The unit.
        node: NodeId,
        /// Its words from now on.
        text: String,
        /// The unit-length vector of them with the speaker's name before.
        vector: Vec<f32>,
        /// Their terms.
        terms: Terms,
    },
    /// Other budgets hold from now on.
    Budget(Budgets),
    /// Everything of some utterances is erased; made by [`super::Session::erasure`].
    Erase(Box<Erasure>),
}

impl Input {
    /// Something was said, and is found by this.
    #[must_use]
    pub fn heard(utterance: Utterance, encoded: Encoded) -> Self {
        let Encoded { vector, terms } = encoded;
        Self::Heard {
            utterance,
            vector,
            terms,
        }
    }
}

impl Input {
    /// Whether it names nodes of the tree and must not be lost: what such an input means in a
    /// journal hangs on the rules by which the nodes were made.
    #[must_use]
    pub fn is_by_hand(&self) -> bool {
        matches!(
            self,
            Self::Pin { .. } | Self::Edit { .. } | Self::Budget(_) | Self::Erase(_)
        )
    }
}

/// The bounds of the tree; `None` leaves one as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// Tokens (`T_max`).
    pub tokens: Option<usize>,
    /// Bytes of nodes, proofs, vectors and words.
    pub bytes: Option<usize>,
    /// Nodes.
    pub nodes: Option<usize>,
    /// Bytes of the transcript on disk; 0 for none.
    pub transcript_bytes: Option<u64>,
}

/// Everything that has to go, and what stays of it in other words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Erasure {
    /// `(stream, id)` of the utterances to leave no trace of.
    pub utterances: Vec<(String, String)>,
    /// Units that go.
    pub units: Vec<NodeId>,
    /// Units that were said elsewhere too.
    pub rewritten: Vec<Rewritten>,
    /// Ordinals of the utterances in the session: their lines in a transcript.
    pub turns: Vec<u64>,
    /// Where the utterances can be heard.
    pub audio: Vec<AudioSpan>,
    /// Proofs of what goes that were counted and not kept, so that they cannot be traced.
    pub untraced: u32,
}

/// What an erasure did to the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Erased {
    /// Utterances of which no trace is left.
    pub utterances: usize,
    /// Raw utterances among them that were still held word for word.
    pub raw: usize,
    /// Nodes that went: units, and events and scenes left empty.
    pub nodes: usize,
    /// Units that stay by another proof.
    pub rewritten: usize,
    /// Summaries and labels made anew.
    pub summaries: usize,
}

/// What an input did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Blocks that became ready to be distilled.
    pub cut: Vec<BlockId>,
    /// What mounting, or fitting a budget, did to the tree.
    pub mounted: Option<Mounted>,
    /// What an erasure did.
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

/// Why an input was refused; the session is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InputError {
    /// No stream has begun.
    #[error("`{what}` came before any stream began; begin a stream first")]
    NoStream {
        /// The input's kind.
        what: &'static str,
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
    /// The utterance names another stream than the one that runs.
    #[error("utterance `{id}` names stream `{found}`, but stream `{expected}` is running")]
    OtherStream {
        /// The id.
        id: String,
        /// The stream that runs.
        expected: String,
        /// The stream it names.
        found: String,
    },
    /// Nothing was said.
    #[error("utterance `{id}` has no words; leave it out")]
    NoWords {
        /// The id.
        id: String,
    },
    /// It ends before it begins, or after the end of all streams.
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
    /// New words of a unit that are none, or too many.
    #[error("a unit says between 1 and {max} tokens; the new words of {node} have {tokens}")]
    WrongWords {
        /// The unit.
        node: NodeId,
        /// Tokens of the new words.
        tokens: usize,
        /// The bound.
        max: usize,
    },
    /// Too much was said at once.
    #[error("utterance `{id}` has {tokens} tokens; at most {max} fit, split it")]
    TooLong {
        /// The id.
        id: String,
        /// Its length in tokens.
        tokens: usize,
        /// The bound.
        max: usize,
    },
    /// Raw text would exceed its bound while a block waits.
    #[error(
        "{tokens} tokens more do not fit raw memory while blocks wait; mount the next block first"
    )]
    PendingFull {
        /// Tokens of the utterance.
        tokens: u32,
    },
    /// A vector of the wrong length, or not of unit length.
    #[error("a vector of {what} has {found}; this session needs {expected}")]
    BadVector {
        /// Of what.
        what: String,
        /// What is wrong with it.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// A distillate of a block that is not next.
    #[error("block {found} cannot be mounted now; next is {expected}")]
    WrongBlock {
        /// The block that was offered.
        found: u64,
        /// The block that is due, 0 when none is pending.
        expected: u64,
    },
    /// No such unit, or no room for a pin.
    #[error(transparent)]
    Pin(PinError),
    /// A budget that talk which waits to be distilled would not fit.
    #[error(
        "{tokens} tokens of talk wait to be distilled; under that budget at most {most} may: mount \
         what waits first, or keep a larger budget"
    )]
    RawOverBudget {
        /// Tokens that wait, and of the block being heard.
        tokens: usize,
        /// What may wait under the new budget.
        most: usize,
    },
    /// A budget out of range.
    #[error(transparent)]
    Budget(#[from] ConfigError),
    /// A distillate that proves nothing.
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
