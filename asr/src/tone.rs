//! Distinguishes a tone from a voice: beeps, ringing, test tones and whistles are not speech.
//!
//! A single sine satisfies `x[n] = a x[n-k] + b x[n-2k]` exactly for every lag `k`, so this
//! prediction leaves almost no residual. A voice has harmonics, formants and breath: with a lag
//! that separates its harmonics, the residual is a hundred times larger. Frames are judged one by
//! one and weighted by their energy, so that the silence around a beep does not count and a gliding
//! tone is still a tone.

/// Samples per frame: 16 ms, short enough for a gliding tone to be one sine.
const FRAME_SAMPLES: usize = 256;
/// Lags in samples at which a tone must be predictable. Lag 1 alone takes any low sound for a tone;
/// at 5 and 11 the harmonics of a voice lie far apart.
const LAGS: [usize; 3] = [1, 5, 11];
/// Largest residual of a tone, as a share of the frame's energy: -30 dB. Rounding to 8 bits leaves
/// a sixth of that.
const RESIDUE_MAX: f64 = 1e-3;
/// Share of all energy that must lie in such frames; the rest covers the start and end of a beep.
const TONAL_ENERGY_MIN: f64 = 0.85;

/// Whether the samples contain one sine at a time.
#[must_use]
pub(crate) fn is_tone(samples: &[f32]) -> bool {
    let (mut energy, mut tonal) = (0.0_f64, 0.0_f64);
    for frame in samples.chunks_exact(FRAME_SAMPLES) {
        let frame_energy: f64 = frame.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        energy += frame_energy;
        if LAGS
            .iter()
            .all(|&lag| residue_share(frame, lag) < RESIDUE_MAX)
        {
            tonal += frame_energy;
        }
    }
    energy > 0.0 && tonal >= TONAL_ENERGY_MIN * energy
}

/// Residual of the best prediction from the samples `lag` and `2 lag` back, as a share of the
/// frame's energy (covariance method); 1 for silence and constants.
fn residue_share(frame: &[f32], lag: usize) -> f64 {
    let (mut r00, mut r11, mut r22, mut r01, mut r02, mut r12) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for window in frame.windows(2 * lag + 1) {
        let [z, y, x] = [0, lag, 2 * lag].map(|at| f64::from(window[at]));
        r00 += x * x;
        r11 += y * y;
        r22 += z * z;
        r01 += x * y;
        r02 += x * z;
        r12 += y * z;
    }
    let determinant = r11 * r22 - r12 * r12;
    if r00 <= 0.0 || determinant <= 1e-12 * r11 * r22 {
        return 1.0;
    }
    let a = (r01 * r22 - r02 * r12) / determinant;
    let b = (r02 * r11 - r01 * r12) / determinant;
    ((r00 - a * r01 - b * r02) / r00).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::TAU;

    fn sine(hz: f32, seconds: f32, step: f32) -> Vec<f32> {
        (0..(seconds * 16_000.0) as usize)
            .map(|n| 0.4 * (TAU * hz * n as f32 / 16_000.0).sin())
            .map(|x| (x / step).round() * step)
            .collect()
    }

    #[test]
    fn tones_are_tones_even_in_8_bits_and_between_silence() {
        for hz in [220.0, 440.0, 1_000.0, 3_000.0] {
            assert!(is_tone(&sine(hz, 0.25, 1.0 / 32_768.0)), "{hz} Hz");
            assert!(is_tone(&sine(hz, 0.25, 1.0 / 128.0)), "{hz} Hz in 8 bits");
        }
        let mut padded = vec![0.0; 8_000];
        padded.extend(sine(440.0, 0.25, 1.0 / 32_768.0));
        padded.extend(vec![0.0; 8_000]);
        assert!(is_tone(&padded));
    }

    #[test]
    fn vowels_chords_and_silence_are_not() {
        let chord: Vec<f32> = sine(220.0, 0.5, 1e-5)
            .iter()
            .zip(sine(660.0, 0.5, 1e-5))
            .map(|(a, b)| a + 0.3 * b)
            .collect();
        assert!(!is_tone(&chord));
        // a low vowel: ten harmonics of 120 Hz, each with a quarter of the power of the one before
        let mut vowel = vec![0.0; 8_000];
        for harmonic in 1..=10_i32 {
            let part = sine(120.0 * harmonic as f32, 0.5, 1e-5);
            let gain = 0.5_f32.powi(harmonic - 1);
            vowel.iter_mut().zip(part).for_each(|(x, y)| *x += gain * y);
        }
        assert!(!is_tone(&vowel));
        assert!(!is_tone(&vec![0.0; 8_000]));
        assert!(!is_tone(&[]));
    }
}
