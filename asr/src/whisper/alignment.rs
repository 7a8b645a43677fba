//! Which attention heads give the times of words.
//!
//! whisper.cpp aligns tokens with sound by dynamic time warping over cross attention, as OpenAI's
//! `timing.py` does. The alignment heads of the published models are known; for other models
//! (distilled ones) all heads of the upper layers are used.

use super::ggml::Header;
use whisper_rs::{DtwMode, DtwModelPreset, DtwParameters};

/// Upper layers whose heads are used if the alignment heads are unknown.
const LAYERS_MAX: u32 = 2;
/// Most text tokens of one window; whisper.cpp stops at half of the text context.
const TOKENS_MAX: usize = 232;
/// Copies of the attention that the alignment makes, with a margin.
const COPIES: usize = 8;

/// The parameters for a model. The scratch memory fits the largest window: whisper.cpp would abort
/// if it were too small.
pub(super) fn parameters(header: Header) -> DtwParameters<'static> {
    let (mode, heads) = match preset(header) {
        // large-v2 has the most, 23
        Some(model_preset) => (DtwMode::ModelPreset { model_preset }, 24),
        None => {
            let layers = (header.n_text_layer / 2).clamp(1, LAYERS_MAX);
            let n_top = i32::try_from(layers).unwrap_or(1);
            (DtwMode::TopMost { n_top }, layers * header.n_text_head)
        }
    };
    let values = TOKENS_MAX * header.n_audio_ctx as usize * heads as usize;
    DtwParameters {
        mode,
        dtw_mem_size: values * size_of::<f32>() * COPIES + (16 << 20),
    }
}

/// The published model with these sizes. Fine-tuned models have the sizes of their base model.
fn preset(header: Header) -> Option<DtwModelPreset> {
    use DtwModelPreset::{
        Base, BaseEn, LargeV2, LargeV3, LargeV3Turbo, Medium, MediumEn, Small, SmallEn, Tiny,
        TinyEn,
    };
    let several = header.is_multilingual();
    let of = |one, other| if several { one } else { other };
    let sizes = (
        header.n_text_state, header.n_audio_layer, header.n_text_layer,
    );
    // the heads are named by number, so there must be as many
    if header.n_text_head * 64 != header.n_text_state {
        return None;
    }
    Some(match sizes {
        (384, 4, 4) => of(Tiny, TinyEn),
        (512, 6, 6) => of(Base, BaseEn),
        (768, 12, 12) => of(Small, SmallEn),
        (1_024, 24, 24) => of(Medium, MediumEn),
        (1_280, 32, 32) if header.n_mels == 128 => LargeV3,
        (1_280, 32, 32) => LargeV2,
        (1_280, 32, 4) => LargeV3Turbo,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(n_text_state: u32, n_audio_layer: u32, n_text_layer: u32) -> Header {
        Header {
            n_vocab: 51_864,
            n_audio_ctx: 1_500,
            n_audio_layer,
            n_text_ctx: 448,
            n_text_state,
            n_text_head: n_text_state / 64,
            n_text_layer,
            n_mels: 80,
            matrices: 1,
        }
    }

    #[test]
    fn published_models_are_known_by_their_sizes() {
        assert!(matches!(
            preset(header(384, 4, 4)),
            Some(DtwModelPreset::TinyEn)
        ));
        let multilingual = Header {
            n_vocab: 51_865,
            ..header(512, 6, 6)
        };
        assert!(matches!(preset(multilingual), Some(DtwModelPreset::Base)));
    }

    #[test]
    fn of_other_models_the_upper_layers_are_taken() {
        let distilled = parameters(header(768, 12, 4));
        assert!(matches!(distilled.mode, DtwMode::TopMost { n_top: 2 }));
        // 24 heads of 232 tokens and 1,500 positions
        assert!(distilled.dtw_mem_size > 8 * 4 * 24 * 232 * 1_500);
    }
}
