//! From sound and stream files to utterances: live sources, recordings, who speaks.

pub(crate) mod byte_pipe;
pub(crate) mod capturing;
pub(crate) mod clip;
pub(crate) mod diarized;
pub(crate) mod early;
pub(crate) mod enrol;
pub(crate) mod level;
pub(crate) mod line_voices;
pub(crate) mod lines;
pub(crate) mod live;
pub(crate) mod live_source;
pub(crate) mod live_voice;
pub(crate) mod overflow;
pub(crate) mod preview;
pub(crate) mod recognition;
pub(crate) mod replay;
pub(crate) mod replay_input;
pub(crate) mod session_audio;
pub(crate) mod sound;
pub(crate) mod source_pace;
pub(crate) mod spans;
pub(crate) mod speech;
pub(crate) mod stretches;
pub(crate) mod unsettled;
pub(crate) mod voices;
pub(crate) mod wer;
