//! The front of PyanNet: SincNet (Ravanelli and Bengio 2018), band-pass filters of which only the
//! borders were learned, and two convolutions, each with a pooling and a normalisation over time.

use std::f64::consts::PI;

use candle_core::{CpuStorage, CustomOp1, Device, Layout, Result, Shape, Tensor, bail};
use candle_nn::ops::leaky_relu;

use super::norm::take_weight;
use super::sizes::first_size;
use crate::checkpoint::{LoadError, TensorFile};
use crate::layers::{Conv, Geometry};

/// Samples of a filter.
const FILTER: usize = 251;
/// Samples from one place of a filter to the next.
const FILTER_STEP: usize = 10;
/// Frames that a convolution reads.
const KERNEL: usize = 5;
/// Frames of which the largest value is kept.
const POOL: usize = 3;
const RATE_HZ: f64 = 16_000.0;
/// The least lower border and the least width of a band.
const BORDER_HZ: f64 = 50.0;
/// PyTorch's addition to the variance.
const EPSILON: f64 = 1e-5;
/// What is left of a negative value.
const SLOPE: f64 = 0.01;

type Loaded<T> = std::result::Result<T, LoadError>;

/// The samples of one output frame.
pub(super) const FRAME: usize = {
    let before_third = (POOL - 1) + KERNEL;
    let before_second = POOL * (before_third - 1) + POOL;
    let before_second = before_second + KERNEL - 1;
    let before_first = POOL * (before_second - 1) + POOL;
    FILTER_STEP * (before_first - 1) + FILTER
};
/// From one output frame to the next.
pub(super) const FRAME_STEP: usize = FILTER_STEP * POOL * POOL * POOL;

const _: () = assert!(FRAME == 991 && FRAME_STEP == 270);

/// The layers of a SincNet.
#[derive(Debug)]
pub(super) struct SincNet {
    /// Scale and shift of the sound, whose mean is 0 and whose variance is 1.
    sound: (f64, f64),
    layers: Vec<(Conv, PoolNorm)>,
    channels: usize,
    device: Device,
}

impl SincNet {
    pub(super) fn load(file: &TensorFile, device: &Device) -> Loaded<Self> {
        let one = |part: &str| -> Loaded<f64> {
            let value = file.take(&format!("sincnet.wav_norm1d.{part}"), &[1])?;
            let value = file.made(value.to_vec1::<f32>())?;
            Ok(value.first().copied().map_or(f64::NAN, f64::from))
        };
        let (filters, bands) = filters(file, device)?;
        let mut inputs = 2 * bands;
        let mut layers = vec![(filters, PoolNorm::load(file, 0, inputs, true)?)];
        for (index, published) in [(1, [60, 80, 5]), (2, [60, 60, 5])] {
            let name = format!("sincnet.conv1d.{index}");
            let outputs = first_size(file, &format!("{name}.weight"), &published)?;
            let geometry = Geometry::line(inputs, outputs, KERNEL);
            let weight = take_weight(file, &name, geometry)?;
            let bias = file.take(&format!("{name}.bias"), &[outputs])?;
            let conv = file.made(Conv::new(geometry, &weight, &bias, false))?;
            layers.push((conv, PoolNorm::load(file, index, outputs, false)?));
            inputs = outputs;
        }
        Ok(Self {
            sound: (one("weight")?, one("bias")?),
            layers,
            channels: inputs,
            device: device.clone(),
        })
    }

    /// Channels of a frame.
    pub(super) fn channels(&self) -> usize {
        self.channels
    }

    /// `[frames, channels]` of a sound of at least [`FRAME`] samples.
    pub(super) fn forward(&self, samples: &[f32]) -> Result<Tensor> {
        let count = samples.len() as f64;
        let mean = samples.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        let squares = samples.iter().map(|x| (f64::from(*x) - mean).powi(2));
        let scale = self.sound.0 / (squares.sum::<f64>() / count + EPSILON).sqrt();
        let normed = |x: &f32| ((f64::from(*x) - mean) * scale + self.sound.1) as f32;
        let samples: Vec<f32> = samples.iter().map(normed).collect();
        let mut x = Tensor::from_vec(samples, (1, (), 1), &self.device)?;
        for (conv, norm) in &self.layers {
            x = norm.forward(&conv.forward(&x)?)?;
        }
        x.squeeze(0)
    }

    pub(super) fn bytes(&self) -> usize {
        self.layers.iter().map(|(conv, _)| conv.bytes()).sum()
    }
}

/// The filters as a convolution, and the number of bands: for each an even filter and, behind all
/// of these, an odd one.
fn filters(file: &TensorFile, device: &Device) -> Loaded<(Conv, usize)> {
    let name = |part: &str| format!("sincnet.conv1d.0.filterbank.{part}");
    let bands = first_size(file, &name("low_hz_"), &[40, 1])?;
    let values = |part: &str| -> Loaded<Vec<f32>> {
        let values = file.take(&name(part), &[bands, 1])?;
        file.made(values.flatten_all().and_then(|values| values.to_vec1()))
    };
    let (low, width) = (values("low_hz_")?, values("band_hz_")?);
    let mut weight = Vec::with_capacity(2 * bands * FILTER);
    for odd in [false, true] {
        for (low, width) in low.iter().zip(&width) {
            let low = BORDER_HZ + f64::from(low.abs());
            let high = low + BORDER_HZ + f64::from(width.abs());
            weight.extend(filter(low, high.clamp(BORDER_HZ, RATE_HZ / 2.0), odd));
        }
    }
    let geometry = Geometry {
        stride: (1, FILTER_STEP),
        ..Geometry::line(1, 2 * bands, FILTER)
    };
    let made = || -> Result<Conv> {
        let weight = Tensor::from_vec(weight, (2 * bands, FILTER), device)?;
        let bias = Tensor::zeros(2 * bands, weight.dtype(), device)?;
        Conv::new(geometry, &weight, &bias, false)
    };
    Ok((file.made(made())?, bands))
}

/// A band pass between two frequencies in Hz: the difference of two ideal low passes under a
/// Hamming window, 1 in its middle. The odd one is its Hilbert transform (Pariente et al. 2020).
fn filter(low: f64, high: f64, odd: bool) -> impl Iterator<Item = f32> {
    let half = (FILTER / 2) as isize;
    let value = move |n: usize| {
        let at = n as isize - half;
        if at == 0 {
            return if odd { 0.0 } else { 1.0 };
        }
        let turn = 2.0 * PI * at as f64 / RATE_HZ;
        let window = 0.54 - 0.46 * (2.0 * PI * n as f64 / (FILTER - 1) as f64).cos();
        let difference = match odd {
            true => (low * turn).cos() - (high * turn).cos(),
            false => (high * turn).sin() - (low * turn).sin(),
        };
        (difference / turn / (high - low) * window) as f32
    };
    (0..FILTER).map(value)
}

/// The largest of three neighbouring frames, then a normalisation of each channel over time and a
/// leaky ReLU; of the filters' outputs the magnitude.
#[derive(Debug)]
struct PoolNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    magnitude: bool,
    tensors: [Tensor; 2],
}

impl PoolNorm {
    fn load(file: &TensorFile, index: usize, channels: usize, magnitude: bool) -> Loaded<Self> {
        let part = |part: &str| file.take(&format!("sincnet.norm1d.{index}.{part}"), &[channels]);
        let tensors = [part("weight")?, part("bias")?];
        let [weight, bias] = tensors.each_ref().map(|part| file.made(part.to_vec1()));
        Ok(Self {
            weight: weight?,
            bias: bias?,
            magnitude,
            tensors,
        })
    }

    /// `[1, frames, channels]` to a third of the frames.
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match x.device().is_cpu() {
            true => x.contiguous()?.apply_op1_no_bwd(self),
            false => self.on_device(x),
        }
    }

    /// The same with candle's operations.
    fn on_device(&self, x: &Tensor) -> Result<Tensor> {
        let (_, frames, channels) = x.dims3()?;
        let x = x.narrow(1, 0, frames / POOL * POOL)?.contiguous()?;
        let x = if self.magnitude { x.abs()? } else { x };
        let x = x.reshape((frames / POOL, POOL, channels))?.max(1)?;
        let x = x.broadcast_sub(&x.mean_keepdim(0)?)?;
        let deviation = (x.sqr()?.mean_keepdim(0)? + EPSILON)?.sqrt()?;
        let [weight, bias] = &self.tensors;
        let x = x.broadcast_div(&deviation)?.broadcast_mul(weight)?;
        leaky_relu(&x.broadcast_add(bias)?, SLOPE)?.unsqueeze(0)
    }
}

impl CustomOp1 for PoolNorm {
    fn name(&self) -> &'static str {
        "pool-norm"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (_, frames, channels) = layout.shape().dims3()?;
        let offsets = layout.contiguous_offsets();
        let Some((start, end)) = offsets.filter(|_| channels == self.weight.len()) else {
            bail!("{channels} channels for a norm of {}", self.weight.len());
        };
        let x = &x.as_slice::<f32>()?[start..end];
        let mut out = vec![0.0_f32; frames / POOL * channels];
        let (mut sums, mut squares) = (vec![0.0; channels], vec![0.0; channels]);
        let groups = x.chunks_exact(POOL * channels);
        for (out, group) in out.chunks_exact_mut(channels).zip(groups) {
            out.copy_from_slice(&group[..channels]);
            if self.magnitude {
                out.iter_mut().for_each(|x| *x = x.abs());
            }
            for row in group[channels..].chunks_exact(channels) {
                for (out, x) in out.iter_mut().zip(row) {
                    let x = if self.magnitude { x.abs() } else { *x };
                    *out = if x > *out { x } else { *out };
                }
            }
            for ((sum, square), x) in sums.iter_mut().zip(&mut squares).zip(&*out) {
                *sum += f64::from(*x);
                *square += f64::from(*x) * f64::from(*x);
            }
        }
        let factors = self.factors(&sums, &squares, frames / POOL);
        for row in out.chunks_exact_mut(channels) {
            for (x, (scale, shift)) in row.iter_mut().zip(&factors) {
                let y = *x * scale + shift;
                *x = if y < 0.0 { y * SLOPE as f32 } else { y };
            }
        }
        let shape = Shape::from((1, frames / POOL, channels));
        Ok((CpuStorage::F32(out), shape))
    }
}

impl PoolNorm {
    /// Scale and shift of each channel.
    fn factors(&self, sums: &[f64], squares: &[f64], count: usize) -> Vec<(f32, f32)> {
        let own = self.weight.iter().zip(&self.bias);
        let all = sums.iter().zip(squares).zip(own);
        all.map(|((sum, square), (weight, bias))| {
            let mean = sum / count as f64;
            let variance = (square / count as f64 - mean * mean).max(0.0);
            let scale = f64::from(*weight) / (variance + EPSILON).sqrt();
            (scale as f32, (f64::from(*bias) - mean * scale) as f32)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_pool_give_the_same() {
        let wave =
            |count: usize, by: f64| (Tensor::arange(0.0, count as f32, &Device::Cpu)? * by)?.sin();
        let apart = |magnitude: bool| -> Result<f32> {
            let (frames, channels) = (101, 7);
            let tensors = [wave(channels, 0.8)?, wave(channels, 1.7)?];
            let norm = PoolNorm {
                weight: tensors[0].to_vec1()?,
                bias: tensors[1].to_vec1()?,
                magnitude,
                tensors,
            };
            let x = wave(frames * channels, 1.3)?.reshape((1, frames, channels))?;
            let off = (norm.forward(&x)? - norm.on_device(&x)?)?;
            off.abs()?.flatten_all()?.max(0)?.to_scalar()
        };
        for magnitude in [false, true] {
            let off = apart(magnitude).expect("two results");
            assert!(off < 1e-5, "off by {off:e}");
        }
    }

    #[test]
    fn filters_are_even_or_odd_and_pass_their_band() {
        for odd in [false, true] {
            let values: Vec<f32> = filter(500.0, 900.0, odd).collect();
            let sign = if odd { -1.0 } else { 1.0 };
            let back = values.iter().rev();
            assert!(
                values
                    .iter()
                    .zip(back)
                    .all(|(x, y)| (x - sign * y).abs() < 1e-6)
            );
            let gain = |hz: f64| {
                let parts = values.iter().enumerate().map(|(n, value)| {
                    let angle = 2.0 * PI * hz * n as f64 / RATE_HZ;
                    let value = f64::from(*value);
                    (value * angle.cos(), value * angle.sin())
                });
                let (re, im) = parts.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
                f64::hypot(re, im)
            };
            assert!(gain(700.0) > 10.0 * gain(2_000.0), "{odd}");
        }
    }
}
