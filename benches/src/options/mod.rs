//! Options that several commands share, and what they open.

mod encoder;
mod generator;
mod speech;
mod streams;
mod trained;
mod voices;

pub(crate) use encoder::EncoderArgs;
pub(crate) use generator::{LocalModelArgs, ServerModelArgs, generator, optional};
pub(crate) use speech::SpeechArgs;
pub(crate) use streams::StreamArgs;
pub(crate) use trained::TrainedArgs;
pub(crate) use voices::VoiceArgs;
