//! Threads, queues and files around a session: the only place of the engine that spawns.
//!
//! Two drivers run the same stages. [`Lockstep`] is inline and deterministic; [`Pipeline`] puts a
//! thread around each stage, joined by bounded edges whose full-queue rule is their type
//! ([`edge`]). Nothing here prints. Invariant: every thread is named, is joined by its owner, and
//! its panic becomes a [`PipelineError`].

mod ask;
mod capturing;
pub mod edge;
mod error;
mod event;
#[cfg(test)]
mod fakes;
mod feed;
mod hearing;
mod indexing;
mod keeper;
mod lines;
mod live;
mod lockstep;
mod memory;
mod meters;
mod replay;
mod spans;
mod spill;
mod split;
mod stages;
mod stop;
mod stored;
mod stretches;
mod threads;
mod transcript;
mod unsettled;
mod wer;
mod worker;

pub use ask::{
    Answered, AskSettings, ContextFrom, Learn, ListHeld, Means, RERANKED_MAX, Took, ask, ask_by,
};
pub use capturing::{CaptureError, CaptureParts, Recording, capture};
pub use error::{KeepError, PipelineError};
pub use event::{Event, Progress};
pub use feed::{Asking, Fed, Feed, FeedFigures, ListFeed, Notice, Unheard, Whole};
pub use hearing::Hearing;
pub use keeper::{Keep, Keeper};
pub use lines::Words;
pub use live::{KeptUntil, LiveFeed, ResumeError};
pub use lockstep::{Finished, Lockstep};
pub use meters::{Meters, micros};
pub use replay::{InputKind, ReplayFeed, ReplayInput};
pub use spans::{OpenAudio, SpanReader};
pub use spill::{Capture, CaptureLimits, Captured};
pub use split::split;
pub use stop::{Pacer, Stop};
pub use stored::Stored;
pub use stretches::HeardStretch;
pub use threads::{Pipeline, PipelineParts, QUESTIONS_MAX};
pub use transcript::{KeptTranscript, SharedTranscript};
pub use unsettled::Unsettled;
pub use wer::WordErrors;
pub use worker::Worker;
