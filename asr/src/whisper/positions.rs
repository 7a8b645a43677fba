//! How many positions of its 30 s window the encoder computes for a segment.

use super::device::WhisperDevice;

/// Positions for one second of sound.
pub(super) const PER_S: u32 = 50;
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
    /// A number that keeps the model's words: on the CPU the multiple of 16 below all (1,488 of
    /// 1,500) if the segment fits, else all.
    Auto,
    /// All 1,500 positions.
    Full,
    /// The segment's length plus 2.6 s, at least 512 positions. Several times faster on short
    /// segments; models not trained for it may lose or repeat words.
    Scaled,
}

/// Positions for a segment of this length, of an encoder with `all` positions on a device; 0 means
/// all.
pub(super) fn of(rule: AudioContext, all: u32, device: WhisperDevice, segment_ms: u32) -> u32 {
    let positions = (segment_ms * PER_S).div_ceil(1_000);
    match rule {
        AudioContext::Full => 0,
        AudioContext::Auto if device != WhisperDevice::Cpu => 0,
        AudioContext::Auto => tiled(all, positions),
        AudioContext::Scaled => {
            let wanted = (positions + MARGIN).next_multiple_of(STEP);
            if wanted >= all {
                0
            } else {
                wanted.max(SCALED_MIN).min(all)
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
        use WhisperDevice::{Cpu, Gpu};
        let of = |rule, device, segment_ms| of(rule, 1_500, device, segment_ms);
        for segment_ms in [100, 9_000, 10_000, 20_000, 28_000] {
            for rule in [AudioContext::Auto, AudioContext::Full, AudioContext::Scaled] {
                for device in [Cpu, Gpu(0)] {
                    let positions = of(rule, device, segment_ms);
                    assert!(positions == 0 || positions * 1_000 >= segment_ms * PER_S);
                    assert!(positions < 1_500);
                }
            }
        }
        assert_eq!(of(AudioContext::Auto, Gpu(0), 5_000), 0);
        assert_eq!(of(AudioContext::Auto, Cpu, 5_000), 1_488);
        assert_eq!(of(AudioContext::Scaled, Cpu, 5_000), 512);
        assert_eq!(of(AudioContext::Scaled, Cpu, 28_000), 0);
    }
}
