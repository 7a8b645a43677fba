//! How many positions of its 30 s window the encoder computes for a segment.

/// Positions for one second of sound.
pub(super) const PER_S: u32 = 50;
/// Positions of the embedded model's training besides the full window: 10.24 s.
const EMBEDDED: u32 = 512;
/// Margin of a scaled audio context (2.56 s), and its granularity.
const MARGIN: u32 = 128;
const STEP: u32 = 64;
/// Attention is computed in tiles for a multiple of this many positions, otherwise value by value,
/// which takes a tenth more of the total time.
const TILE: u32 = 16;
/// Least scaled audio context (10.24 s).
const SCALED_MIN: u32 = 512;

/// How much of its 30 s window the encoder computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AudioContext {
    /// A number that keeps this model's words: for the embedded model 512 positions up to 10 s,
    /// else all; for every other model on the CPU the multiple of 16 below all (1,488 of 1,500),
    /// else all.
    Auto,
    /// All 1,500 positions.
    Full,
    /// The segment's length plus 2.6 s, at least 512 positions. Several times faster on short
    /// segments; models not trained for it may lose or repeat words.
    Scaled,
}

/// The properties of a model that determine the positions.
pub(super) struct Encoder {
    /// All its positions.
    pub(super) all: u32,
    /// Whether it was trained on short segments.
    pub(super) small: bool,
    /// Whether it runs on the CPU.
    pub(super) on_cpu: bool,
}

/// Positions for a segment of this length; 0 means all.
pub(super) fn of(rule: AudioContext, encoder: &Encoder, segment_ms: u32) -> u32 {
    let positions = (segment_ms * PER_S).div_ceil(1_000);
    match rule {
        AudioContext::Full => 0,
        AudioContext::Auto if encoder.small && segment_ms <= 10_000 => EMBEDDED,
        AudioContext::Auto if encoder.small || !encoder.on_cpu => 0,
        AudioContext::Auto => tiled(encoder.all, positions),
        AudioContext::Scaled => {
            let wanted = (positions + MARGIN).next_multiple_of(STEP);
            if wanted >= encoder.all {
                0
            } else {
                wanted.max(SCALED_MIN).min(encoder.all)
            }
        }
    }
}

/// The most positions that attention computes in tiles, if the segment fits; else 0 for all.
fn tiled(all: u32, segment: u32) -> u32 {
    let whole = all - all % TILE;
    if whole > 0 && whole < all && segment <= whole {
        whole
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_takes_whole_tiles_that_hold_the_segment() {
        assert_eq!(tiled(1_500, 0), 1_488);
        assert_eq!(tiled(1_500, 1_488), 1_488);
        assert_eq!(tiled(1_500, 1_489), 0);
        assert_eq!(tiled(1_504, 100), 0, "all of them are whole tiles");
        assert_eq!(tiled(8, 0), 0);
    }

    #[test]
    fn each_rule_holds_the_segment() {
        let whole = |small, on_cpu| Encoder {
            all: 1_500,
            small,
            on_cpu,
        };
        for segment_ms in [100, 9_000, 10_000, 20_000, 28_000] {
            for rule in [AudioContext::Auto, AudioContext::Full, AudioContext::Scaled] {
                for encoder in [whole(true, true), whole(false, true), whole(false, false)] {
                    let positions = of(rule, &encoder, segment_ms);
                    assert!(positions == 0 || positions * 1_000 >= segment_ms * PER_S);
                    assert!(positions < 1_500);
                }
            }
        }
        assert_eq!(of(AudioContext::Auto, &whole(false, false), 5_000), 0);
        assert_eq!(of(AudioContext::Auto, &whole(true, true), 5_000), 512);
        assert_eq!(of(AudioContext::Scaled, &whole(false, true), 5_000), 512);
        assert_eq!(of(AudioContext::Scaled, &whole(false, true), 28_000), 0);
    }
}
