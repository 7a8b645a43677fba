//! The sizes of a Whisper, and those supported by whisper.cpp.

use std::path::Path;

use super::error::ConvertError;

/// The tokens of an English model; each of the others has one language more than the previous one.
pub(super) const ENGLISH_VOCAB: u32 = 51_864;
const MULTILINGUAL_VOCAB: u32 = 51_865;
const LARGE_V3_VOCAB: u32 = 51_866;

/// The sizes in a ggml file's header, in its order and with its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dims {
    pub(super) n_vocab: u32,
    pub(super) n_audio_ctx: u32,
    pub(super) n_audio_state: u32,
    pub(super) n_audio_head: u32,
    pub(super) n_audio_layer: u32,
    pub(super) n_text_ctx: u32,
    pub(super) n_text_state: u32,
    pub(super) n_text_head: u32,
    pub(super) n_text_layer: u32,
    pub(super) n_mels: u32,
}

impl Dims {
    /// Converts from the ten numbers of a header.
    pub(super) fn of(header: [u32; 10]) -> Self {
        let [
            n_vocab,
            n_audio_ctx,
            n_audio_state,
            n_audio_head,
            n_audio_layer,
            ..,
        ] = header;
        let [
            ..,
            n_text_ctx,
            n_text_state,
            n_text_head,
            n_text_layer,
            n_mels,
        ] = header;
        Self {
            n_vocab,
            n_audio_ctx,
            n_audio_state,
            n_audio_head,
            n_audio_layer,
            n_text_ctx,
            n_text_state,
            n_text_head,
            n_text_layer,
            n_mels,
        }
    }

    /// The ten numbers of a header.
    pub(super) fn header(&self) -> [u32; 10] {
        [
            self.n_vocab, self.n_audio_ctx, self.n_audio_state, self.n_audio_head,
            self.n_audio_layer, self.n_text_ctx, self.n_text_state, self.n_text_head,
            self.n_text_layer, self.n_mels,
        ]
    }

    /// Refuses sizes that whisper.cpp cannot run correctly. `file` is their source, for messages.
    pub(super) fn check(&self, file: &Path) -> Result<(), ConvertError> {
        let refused = |field, found: u32, expected: String| ConvertError::Setting {
            file: file.to_owned(),
            field,
            found: found.to_string(),
            expected,
        };
        for (field, value, low, high) in [
            ("n_audio_ctx", self.n_audio_ctx, 64, 1_500),
            ("n_audio_state", self.n_audio_state, 16, 4_096),
            ("n_audio_head", self.n_audio_head, 1, 64),
            ("n_audio_layer", self.n_audio_layer, 1, 64),
            ("n_text_ctx", self.n_text_ctx, 16, 4_096),
            ("n_text_state", self.n_text_state, 16, 4_096),
            ("n_text_head", self.n_text_head, 1, 64),
            ("n_text_layer", self.n_text_layer, 1, 64),
        ] {
            if !(low..=high).contains(&value) {
                return Err(refused(field, value, format!("{low} to {high}")));
            }
        }
        if !(ENGLISH_VOCAB..=LARGE_V3_VOCAB).contains(&self.n_vocab) {
            let expected = format!(
                "{ENGLISH_VOCAB} (English), {MULTILINGUAL_VOCAB} or {LARGE_V3_VOCAB} (large-v3) \
                 tokens, since it derives the special ones from their number"
            );
            return Err(refused("n_vocab", self.n_vocab, expected));
        }
        if self.n_mels != 80 && self.n_mels != 128 {
            return Err(refused("n_mels", self.n_mels, "80 or 128".to_owned()));
        }
        if self.n_text_state != self.n_audio_state {
            let expected = format!("the encoder's width, {}", self.n_audio_state);
            return Err(refused("n_text_state", self.n_text_state, expected));
        }
        if !self.n_audio_state.is_multiple_of(self.n_audio_head) {
            let expected = format!("a divisor of the width, {}", self.n_audio_state);
            return Err(refused("n_audio_head", self.n_audio_head, expected));
        }
        // whisper.cpp scales the keys of cross-attention by the heads of the encoder.
        if self.n_text_head != self.n_audio_head {
            let expected = format!("as many as the encoder has, {}", self.n_audio_head);
            return Err(refused("n_text_head", self.n_text_head, expected));
        }
        Ok(())
    }
}
