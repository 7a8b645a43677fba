//! Threads, queues and files around a session; only this part of the engine starts threads.
//!
//! Two drivers run the same stages. [`Lockstep`] is inline and deterministic. [`Pipeline`] runs
//! each stage in a thread, connected by bounded edges. Nothing here prints. Invariant: every thread
//! has a name, is joined by its owner, and its panic becomes a [`PipelineError`].
//!
//! | edge | when full |
//! |---|---|
//! | between stages | the sender waits |
//! | questions | refused with [`ServiceError::Busy`] |
//! | requests of clients | the client waits, up to its limit |
//! | [`OverflowQueue`], from a microphone | writes to disk, then counts a gap |
//!
//! Nothing is dropped silently: a message is delivered, refused, or counted.

mod driving;
mod error;
mod event;
#[cfg(test)]
mod fakes;
mod feed;
mod hearing;
mod service;
mod wire;

pub use driving::disk_log::DiskLog;
pub use driving::lockstep::Lockstep;
pub use driving::meters::{AnswerCounts, Meters};
pub use driving::parts::{Finished, PipelineParts};
pub use driving::session_writer::{SessionLog, SessionWriter};
pub use driving::stop::{Pacer, Stop};
pub use driving::threads::Pipeline;
pub use driving::transcript::{KeptTranscript, SharedTranscript};
pub use driving::worker::Worker;
pub use error::{LiveError, PipelineError, SessionLogError};
pub use event::{Event, LiveText, LiveWord, Progress};
pub use feed::{
    AskRequest, Feed, FeedFigures, FeedItem, InputDone, InputMark, ListFeed, Notice, Unheard,
};
pub use hearing::byte_pipe::BytePipe;
pub use hearing::capturing::{CaptureParts, Recording, SourceKind, capture};
pub use hearing::clip::{CLIP_MS_MAX, ClipError, clip_samples, clip_wav};
pub use hearing::early::Cancellable;
pub use hearing::enrol::{
    SAMPLE_SECONDS_MAX, SAMPLE_SECONDS_MIN, SampleError, VoiceSample, voice_sample,
};
pub use hearing::level::Level;
pub use hearing::lines::Words;
pub use hearing::live::LiveFeed;
pub use hearing::overflow::{CaptureLimits, Captured, OverflowQueue};
pub use hearing::recognition::{LiveModels, LiveStages, Pauses, Recognition};
pub use hearing::replay::ReplayFeed;
pub use hearing::replay_input::{InputKind, ReplayInput, Resume};
pub use hearing::session_audio::{Live, LiveParts, SessionAudio};
pub use hearing::spans::{OpenAudio, SpanReader};
pub use hearing::stretches::HeardStretch;
pub use hearing::unsettled::Unsettled;
pub use hearing::voices::{VoiceEmbedder, VoiceModels, WindowSegmenter};
pub use hearing::wer::WordErrors;
pub use service::ask::{
    AnswerBy, Answered, AskSettings, AskWatch, Asker, Indexes, Learn, SessionView, Timings, micros,
};
pub use service::attached::{Attached, attach};
pub use service::change::Change;
pub use service::error::{ErrorClass, ServiceError};
pub use service::handle::{PendingAnswer, PendingChange, SessionHandle};
pub use service::keys::{IDS_MAX, KEYS_MAX};
pub(crate) use service::labels;
pub use service::preview::{WouldErase, would_erase};
pub use service::start::{ANSWERERS, DistilWhen, QUESTIONS_MAX, SessionService};
pub use service::subscribers::{SUBSCRIBER_EVENTS_MAX, Subscription};
pub use service::watch::{Closed, OUTLINE_NODES_MAX, Watch, watched};
