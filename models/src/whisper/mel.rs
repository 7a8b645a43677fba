//! The mel filter bank of Whisper: Slaney's scale and area, 16 kHz, windows of 400 samples.
//!
//! The operations are those of `librosa.filters.mel(sr=16000, n_fft=400, n_mels=n)`, which OpenAI
//! used for the filter banks of its models; a test compares checksums. Zeros are positive, as in
//! the published ggml files.

/// Frequency bins of a window: 400 samples give 201.
pub(super) const BINS: usize = 201;

const SAMPLE_RATE_HZ: f64 = 16_000.0;
const WINDOW_SAMPLES: f64 = 400.0;
/// The mel scale is linear up to here, with this many Hz per mel, and logarithmic above.
const BREAK_HZ: f64 = 1_000.0;
const LINEAR_HZ: f64 = 200.0 / 3.0;

/// The bank `[bands, BINS]`, in row order.
pub(super) fn filters(bands: usize) -> Vec<f32> {
    let step = 6.4f64.ln() / 27.0;
    let break_mel = BREAK_HZ / LINEAR_HZ;
    let top_mel = break_mel + (SAMPLE_RATE_HZ / 2.0 / BREAK_HZ).ln() / step;
    let spacing = top_mel / (bands + 1) as f64;
    let edge = |at: usize| {
        let mel = if at == bands + 1 {
            top_mel
        } else {
            at as f64 * spacing
        };
        if mel >= break_mel {
            BREAK_HZ * (step * (mel - break_mel)).exp()
        } else {
            LINEAR_HZ * mel
        }
    };
    let mut bank = Vec::with_capacity(bands * BINS);
    for band in 0..bands {
        let (low, centre, high) = (edge(band), edge(band + 1), edge(band + 2));
        let area = 2.0 / (high - low);
        bank.extend((0..BINS).map(|bin| {
            let hz = bin as f64 * SAMPLE_RATE_HZ / WINDOW_SAMPLES;
            let rising = (hz - low) / (centre - low);
            let falling = (high - hz) / (high - centre);
            let height = rising.min(falling).max(0.0) as f32;
            (f64::from(height) * area) as f32
        }));
    }
    bank
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_banks_are_those_of_openai() {
        for (bands, expected) in [
            (
                80,
                "85818f156f7e189453901a515e4726d270d307f976e161cf9403e8caab405498",
            ),
            (
                128,
                "e399c2d72d2f7375e503c296d8453cefcc0c1e47a9c1a0a09e0d70f59c820f20",
            ),
        ] {
            let mut hasher = Sha256::new();
            for value in filters(bands) {
                hasher.update(value.to_le_bytes());
            }
            let found: String = hasher
                .finalize()
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            assert_eq!(found, expected, "{bands} bands");
        }
    }
}
