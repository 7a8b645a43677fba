//! Log mel filter banks as Kaldi computes them, the input of CAM++.
//!
//! Each frame of 25 ms has its mean removed, is emphasised (0.97), weighted with Povey's window (a
//! Hann window to the power of 0.85) and padded to 512 samples; the energies of its spectrum are
//! summed under 80 triangles from 20 Hz to 8 kHz, equally wide in mel. Frames begin every 10 ms and
//! lie whole in the sound. There is no dither. Samples are from -1 to 1, as 3D-Speaker has them,
//! not 16-bit numbers; after the mean over time is removed, that matters for silence only.
//!
//! Computed in f64: a spectrum's weak bands beside strong ones keep their digits.

use std::f64::consts::PI;

/// Triangles: values of a frame.
pub(super) const BINS: usize = 80;
/// Samples of a frame.
pub(super) const FRAME: usize = 400;
/// From the beginning of one frame to the next.
pub(super) const STEP: usize = 160;

const RATE_HZ: f64 = 16_000.0;
const LOW_HZ: f64 = 20.0;
const HIGH_HZ: f64 = RATE_HZ / 2.0;
const EMPHASIS: f64 = 0.97;
/// Samples of a transform.
const SIZE: usize = 512;
/// A transform of real values is one of half as many complex ones.
const HALF: usize = SIZE / 2;
/// The lowest energy; its logarithm stands for silence.
const ENERGY_MIN: f64 = f32::EPSILON as f64;

/// Tables of the filter banks.
#[derive(Debug)]
pub(super) struct Fbank {
    window: Vec<f64>,
    /// Of each triangle its first band and the weights from there on.
    triangles: Vec<(usize, Vec<f64>)>,
    /// `e^(-2 pi i k / SIZE)` for half of a turn.
    turns: Vec<(f64, f64)>,
}

impl Fbank {
    pub(super) fn new() -> Self {
        let hann = |n: usize| 0.5 - 0.5 * (2.0 * PI * n as f64 / (FRAME - 1) as f64).cos();
        let turn = |k: usize| {
            let (sin, cos) = (-2.0 * PI * k as f64 / SIZE as f64).sin_cos();
            (cos, sin)
        };
        Self {
            window: (0..FRAME).map(|n| hann(n).powf(0.85)).collect(),
            triangles: (0..BINS).map(triangle).collect(),
            turns: (0..HALF).map(turn).collect(),
        }
    }

    /// The number of frames of `samples` samples.
    pub(super) fn frames(samples: usize) -> usize {
        samples.checked_sub(FRAME).map_or(0, |rest| rest / STEP + 1)
    }

    /// The logarithms of all frames, `[frames, BINS]`.
    pub(super) fn apply(&self, samples: &[f32]) -> Vec<f32> {
        let mut values = Vec::with_capacity(Self::frames(samples.len()) * BINS);
        let mut spectrum = vec![(0.0, 0.0); HALF];
        for frame in samples.windows(FRAME).step_by(STEP) {
            self.pack(frame, &mut spectrum);
            self.transform(&mut spectrum);
            let energies = self.energies(&spectrum);
            for (first, weights) in &self.triangles {
                let bands = energies[*first..].iter().zip(weights);
                let energy: f64 = bands.map(|(energy, weight)| energy * weight).sum();
                values.push(energy.max(ENERGY_MIN).ln() as f32);
            }
        }
        values
    }

    /// The weighted frame, two samples to a complex value, in the order of reversed bits.
    fn pack(&self, frame: &[f32], to: &mut [(f64, f64)]) {
        let mean = frame.iter().map(|x| f64::from(*x)).sum::<f64>() / FRAME as f64;
        let at = |n: usize| match n < FRAME {
            true => {
                let before = f64::from(frame[n.saturating_sub(1)]) - mean;
                (f64::from(frame[n]) - mean - EMPHASIS * before) * self.window[n]
            }
            false => 0.0,
        };
        let bits = HALF.trailing_zeros();
        for pair in 0..HALF {
            let place = pair.reverse_bits() >> (usize::BITS - bits);
            to[place] = (at(2 * pair), at(2 * pair + 1));
        }
    }

    /// The fast Fourier transform of `HALF` values (Cooley and Tukey 1965), in place.
    fn transform(&self, values: &mut [(f64, f64)]) {
        let mut half = 1;
        while half < HALF {
            let stride = SIZE / (2 * half);
            for group in values.chunks_exact_mut(2 * half) {
                let (low, high) = group.split_at_mut(half);
                for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = times(*b, self.turns[k * stride]);
                    *b = (a.0 - turned.0, a.1 - turned.1);
                    *a = (a.0 + turned.0, a.1 + turned.1);
                }
            }
            half *= 2;
        }
    }

    /// The energies of the bands below half of the sampling rate. The transforms of the even and
    /// the odd samples are the two symmetric parts of that of their pairs.
    fn energies(&self, pairs: &[(f64, f64)]) -> Vec<f64> {
        let band = |k: usize| {
            let (a, b) = (pairs[k], pairs[(HALF - k) % HALF]);
            let even = (0.5 * (a.0 + b.0), 0.5 * (a.1 - b.1));
            let odd = (0.5 * (a.1 + b.1), -0.5 * (a.0 - b.0));
            let odd = times(odd, self.turns[k]);
            let (re, im) = (even.0 + odd.0, even.1 + odd.1);
            re * re + im * im
        };
        (0..HALF).map(band).collect()
    }
}

fn times(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn mel(hz: f64) -> f64 {
    1127.0 * (1.0 + hz / 700.0).ln()
}

/// The first band under a triangle, and the weights of the bands from there on.
fn triangle(index: usize) -> (usize, Vec<f64>) {
    let (low, high) = (mel(LOW_HZ), mel(HIGH_HZ));
    let width = (high - low) / (BINS + 1) as f64;
    let left = low + width * index as f64;
    let (middle, right) = (left + width, left + 2.0 * width);
    let weight = |band: usize| {
        let at = mel(band as f64 * RATE_HZ / SIZE as f64);
        ((at - left) / width).min((right - at) / width)
    };
    debug_assert!(middle < right);
    let is_under = |band: &usize| weight(*band) > 0.0;
    let first = (0..HALF).find(is_under).unwrap_or(0);
    let bands = (first..HALF).take_while(is_under);
    (first, bands.map(weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The energies of one frame by the sums that define them.
    fn plain(frame: &[f32]) -> Vec<f64> {
        let mean = frame.iter().map(|x| f64::from(*x)).sum::<f64>() / FRAME as f64;
        let x: Vec<f64> = frame.iter().map(|x| f64::from(*x) - mean).collect();
        let weighted = |n: usize| {
            let hann = 0.5 - 0.5 * (2.0 * PI * n as f64 / 399.0).cos();
            (x[n] - 0.97 * x[n.max(1) - 1]) * hann.powf(0.85)
        };
        let energy = |k: usize| {
            let angle = |n: usize| 2.0 * PI * (k * n) as f64 / 512.0;
            let re: f64 = (0..FRAME).map(|n| weighted(n) * angle(n).cos()).sum();
            let im: f64 = (0..FRAME).map(|n| weighted(n) * angle(n).sin()).sum();
            re * re + im * im
        };
        (0..256).map(energy).collect()
    }

    fn noise(count: usize) -> Vec<f32> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0 - 0.4
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn the_transform_equals_the_plain_sums() {
        let (fbank, frame) = (Fbank::new(), noise(FRAME));
        let mut spectrum = vec![(0.0, 0.0); HALF];
        fbank.pack(&frame, &mut spectrum);
        fbank.transform(&mut spectrum);
        for (found, expected) in fbank.energies(&spectrum).iter().zip(plain(&frame)) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    /// Values by torchaudio, see `scripts/golden/make_speaker.py`. The second sound is so quiet
    /// that many bands are silent.
    #[test]
    fn values_equal_those_of_torchaudio() {
        let golden = weir_fixtures::golden_dir().join("speaker.json");
        let golden = std::fs::read(golden).expect("the golden values");
        let golden: serde_json::Value = serde_json::from_slice(&golden).expect("JSON");
        let wav = std::fs::read(weir_fixtures::spoken_dir().join("kitchen-table-1.wav"));
        let wav = wav.expect("the spoken fixture");
        let samples = wav[44..].as_chunks::<2>().0[20_000..21_600].iter();
        let samples = samples.map(|two| f32::from(i16::from_le_bytes(*two)) / 32_768.0);
        let samples: Vec<f32> = samples.collect();
        for (name, scale) in [("fbank", 1.0), ("fbank_quiet", 1e-4)] {
            let samples: Vec<f32> = samples.iter().map(|x| x * scale).collect();
            let rows = serde_json::from_value(golden[name].clone());
            let rows: Vec<Vec<f32>> = rows.expect("rows of values");
            let (found, expected) = (Fbank::new().apply(&samples), rows.concat());
            assert_eq!(found.len(), expected.len());
            let off = found.iter().zip(&expected).map(|(x, y)| (x - y).abs());
            let off = off.fold(0.0, f32::max);
            println!("{name} is off by {off:e}");
            assert!(off < 1e-3, "{name} is off by {off:e}");
        }
    }

    #[test]
    fn frames_lie_whole_in_the_sound() {
        assert_eq!([399, 400, 559, 560].map(Fbank::frames), [0, 1, 1, 2]);
        let fbank = Fbank::new();
        for samples in [0, 399, 400, 560, 24_000] {
            let frames = Fbank::frames(samples);
            assert_eq!(fbank.apply(&noise(samples)).len(), frames * BINS);
        }
    }

    #[test]
    fn a_constant_is_silence() {
        for level in [0.0, 0.5] {
            let values = Fbank::new().apply(&[level; 1_000]);
            let silence = f32::EPSILON.ln();
            assert!(values.iter().all(|value| *value == silence));
        }
    }

    #[test]
    fn every_triangle_covers_a_band() {
        for (index, (first, weights)) in Fbank::new().triangles.iter().enumerate() {
            assert!(!weights.is_empty(), "{index}");
            assert!(first + weights.len() <= HALF, "{index}");
        }
    }
}
