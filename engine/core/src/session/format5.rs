//! Sessions of image format 5, whose settings did not define how statements merge.

use super::EncoderStamp;
use super::body::Body;
use super::format3::ConfigV3;
use crate::config::SessionConfig;
use crate::memory::MemoryTree;
use crate::sense::SensingBuffer;
use serde::Deserialize;

pub(super) type BodyV5 = Body<ConfigV5, EncoderStamp, SensingBuffer, MemoryTree>;

/// The settings of formats 4 and 5: those of format 3, and one more behind them.
#[derive(Deserialize)]
pub(super) struct ConfigV5 {
    before: ConfigV3,
    transcript_bytes: u64,
}

impl From<ConfigV5> for SessionConfig {
    fn from(old: ConfigV5) -> Self {
        Self {
            transcript_bytes: old.transcript_bytes,
            ..old.before.into()
        }
    }
}
