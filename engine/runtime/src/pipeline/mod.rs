//! Threads, queues and files around a session; only this part of the engine starts threads.
//!
//! Two drivers run the same stages. [`Lockstep`] is inline and deterministic. [`Pipeline`] runs
//! each stage in a thread, connected by bounded edges whose type defines what happens when they are
//! full ([`edge`]). Nothing here prints. Invariant: every thread has a name, is joined by its
//! owner, and its panic becomes a [`PipelineError`].

mod ask;
mod capturing;
mod diarized;
mod disk_log;
mod early;
pub mod edge;
mod enrol;
mod error;
mod event;
#[cfg(test)]
mod fakes;
mod feed;
mod indexing;
mod level;
mod lines;
mod live;
mod live_source;
mod lockstep;
mod memory;
mod meters;
mod naming;
mod overflow;
mod parts;
mod preview;
mod recognition;
mod replay;
mod replay_input;
mod session_writer;
mod sound;
mod source_pace;
mod spans;
mod speech;
mod stages;
mod stop;
mod stretches;
mod threads;
mod timed;
mod transcript;
mod unsettled;
mod voices;
mod wer;
mod worker;

pub(crate) use ask::Stopwatch;
pub use ask::{
    Answered, AskSettings, Asker, Indexes, Learn, ListHeld, ListPersona, Timings, micros,
};
pub use capturing::{CaptureParts, Recording, capture};
pub use disk_log::DiskLog;
pub use early::Cancellable;
pub use enrol::{SAMPLE_SECONDS_MAX, SAMPLE_SECONDS_MIN, SampleError, VoiceSample, voice_sample};
pub use error::{LiveError, PipelineError, SessionLogError};
pub use event::{Event, LiveText, LiveWord, Progress};
pub use feed::{
    AskRequest, Feed, FeedFigures, FeedItem, InputDone, InputMark, ListFeed, Notice, SpokenTurn,
    Unheard,
};
pub use level::Level;
pub use lines::Words;
pub use live::{KeptUntil, LiveFeed};
pub use lockstep::Lockstep;
pub use meters::{AnswerCounts, Meters};
pub use overflow::{CaptureLimits, Captured, OverflowQueue};
pub use parts::{Finished, PipelineParts};
pub use recognition::{LiveModels, LiveStages, Recognition};
pub use replay::ReplayFeed;
pub use replay_input::{InputKind, ReplayInput, Resume};
pub use session_writer::{SessionLog, SessionWriter};
pub use spans::{OpenAudio, SpanReader};
pub use stop::{Pacer, Stop};
pub use stretches::HeardStretch;
pub use threads::{Pipeline, QUESTIONS_MAX};
pub use transcript::{KeptTranscript, SharedTranscript};
pub use unsettled::Unsettled;
pub use voices::{VoiceEmbedder, VoiceModels, WindowSegmenter};
pub use wer::WordErrors;
pub use worker::Worker;
