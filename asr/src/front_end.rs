//! Converts interleaved samples at any rate into 16 kHz planes: down-mixing, resampling, counting.
//!
//! It opens no file and detects no speech. Invariant: output sample `n` is the sound at source time
//! `n / 16000` s (the resampler's delay is cut at the start and compensated at the end). `frames`
//! source frames give exactly `ceil(frames * 16000 / rate)` samples. Both hold for any chunk sizes
//! of the input, because the resampler always gets blocks of one fixed size.

use rubato::audioadapter_buffers::direct::SequentialSliceOfVecs;
use rubato::{Fft, FixedSync, Resampler, WindowFunction};

use crate::signal::Signal;
use crate::{AudioError, Channels, SAMPLE_RATE_HZ, SourceSpec, SourceWarning};

/// Minimum frames in a resampler block; the exact size depends on both rates.
const BLOCK_FRAMES: usize = 512;

/// Most channels for `Channels::Split`. Each costs a detector and a segment buffer (about 2 MB at
/// 28 s).
pub const SPLIT_CHANNELS_MAX: u16 = 16;

/// Turns interleaved source samples into 16 kHz planes, one for a mix, one a channel when split.
pub struct FrontEnd {
    channels: usize,
    mode: Channels,
    rate_hz: u64,
    /// Channel of the next interleaved sample.
    next_channel: usize,
    /// The current frame, for a mix.
    frame: Vec<f32>,
    signal: Signal,
    frames_in: u64,
    frames_out: u64,
    non_finite: u64,
    resampler: Option<Block>,
}

/// A resampler with its input block and its last output. Its owner counts the frames.
pub(crate) struct Block {
    fft: Fft<f32>,
    input: Vec<Vec<f32>>,
    fill: usize,
    frames_in: usize,
    output: Vec<Vec<f32>>,
    /// Output frames still to be dropped because of the resampler's delay.
    skip: usize,
}

impl FrontEnd {
    /// Makes a front end for one source.
    ///
    /// # Errors
    /// The rate or channel count is out of range, or there are too many channels to split.
    pub fn new(spec: &SourceSpec, mode: Channels) -> Result<Self, AudioError> {
        let spec = spec.clone().check()?;
        if mode == Channels::Split && spec.channels > SPLIT_CHANNELS_MAX {
            return Err(AudioError::TooManyChannels {
                name: spec.name,
                channels: spec.channels,
                max: SPLIT_CHANNELS_MAX,
            });
        }
        let channels = usize::from(spec.channels);
        let planes = if mode == Channels::Mix { 1 } else { channels };
        let resampler = if spec.rate_hz == SAMPLE_RATE_HZ {
            None
        } else {
            Some(Block::new(
                (spec.rate_hz, SAMPLE_RATE_HZ),
                planes,
                &spec.name,
            )?)
        };
        Ok(Self {
            channels,
            mode,
            rate_hz: u64::from(spec.rate_hz),
            next_channel: 0,
            frame: Vec::with_capacity(channels),
            signal: Signal::new(spec.rate_hz, channels),
            frames_in: 0,
            frames_out: 0,
            non_finite: 0,
            resampler,
        })
    }

    /// Number of output planes: 1 for a mix, else the number of channels.
    #[must_use]
    pub fn planes(&self) -> usize {
        if self.mode == Channels::Mix {
            1
        } else {
            self.channels
        }
    }

    /// Samples at 16 kHz returned so far, per plane.
    #[must_use]
    pub fn samples_out(&self) -> u64 {
        self.frames_out
    }

    /// What is worth a warning about the signal, once the source has ended.
    pub(crate) fn warnings(&self, name: &str) -> Vec<SourceWarning> {
        self.signal.warnings(name)
    }

    /// NaN and infinite samples, replaced by silence.
    #[must_use]
    pub fn non_finite(&self) -> u64 {
        self.non_finite
    }

    /// Takes interleaved samples (a chunk may end inside a frame) and replaces the content of `out`
    /// by the completed planes: `planes()` vectors of equal length, every value in -1 to 1.
    /// Allocates nothing once `out` has grown to the size of its chunks.
    pub fn step(&mut self, interleaved: &[f32], out: &mut Vec<Vec<f32>>) {
        out.resize_with(self.planes(), Vec::new);
        for plane in out.iter_mut() {
            plane.clear();
        }
        for &raw in interleaved {
            let sample = self.clean(raw);
            match self.mode {
                Channels::Split => self.put(self.next_channel, sample, out),
                Channels::Mix => self.frame.push(sample),
            }
            self.next_channel += 1;
            if self.next_channel == self.channels {
                self.end_frame(out);
            }
        }
    }

    /// Returns the samples still in the resampler and drops an incomplete frame. The front end
    /// takes no samples after this call.
    pub fn finish(&mut self, out: &mut Vec<Vec<f32>>) {
        out.resize_with(self.planes(), Vec::new);
        for plane in out.iter_mut() {
            plane.clear();
        }
        let total = (self.frames_in * u64::from(SAMPLE_RATE_HZ)).div_ceil(self.rate_hz);
        let Some(block) = &mut self.resampler else {
            return;
        };
        self.frames_out += block.flush(out, total.saturating_sub(self.frames_out));
    }

    fn clean(&mut self, raw: f32) -> f32 {
        if raw.is_finite() {
            self.signal.peak(raw);
            raw.clamp(-1.0, 1.0)
        } else {
            self.non_finite += 1;
            0.0
        }
    }

    fn put(&mut self, plane: usize, sample: f32, out: &mut [Vec<f32>]) {
        match &mut self.resampler {
            Some(block) => block.put(plane, sample),
            None => out[plane].push(sample),
        }
    }

    fn end_frame(&mut self, out: &mut [Vec<f32>]) {
        if self.mode == Channels::Mix {
            let mean = self.frame.iter().sum::<f32>() / self.channels as f32;
            let heard = match self.channels {
                1 => mean,
                _ => self.signal.mixed(&self.frame, mean),
            };
            self.frame.clear();
            self.put(0, heard, out);
        }
        self.next_channel = 0;
        self.frames_in += 1;
        match &mut self.resampler {
            None => self.frames_out += 1,
            Some(block) => self.frames_out += block.end_frame(out),
        }
    }
}

/// Block size for two rates: whole periods of both, and an even number of frames. The resampler's
/// delay is half a block; an odd block would shift every sample by half a frame.
fn block_frames(rate_in: usize, rate_out: usize) -> usize {
    let (mut a, mut b) = (rate_in, rate_out);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    let period = rate_in / a;
    let even = if period.is_multiple_of(2) {
        period
    } else {
        2 * period
    };
    BLOCK_FRAMES.div_ceil(even) * even
}

impl Block {
    /// Makes a resampler from the first rate to the second.
    ///
    /// # Errors
    /// The resampler cannot be made for these rates.
    pub(crate) fn new(rates_hz: (u32, u32), planes: usize, name: &str) -> Result<Self, AudioError> {
        let (rate_in, rate_out) = (rates_hz.0 as usize, rates_hz.1 as usize);
        let fft = Fft::new_custom(
            rate_in,
            rate_out,
            block_frames(rate_in, rate_out),
            1,
            planes,
            WindowFunction::BlackmanHarris2,
            FixedSync::Both,
        )
        .map_err(|error| AudioError::Unsupported {
            name: name.to_owned(),
            what: format!("a sampling rate of {} Hz ({error})", rates_hz.0),
            advice: "convert it, for example with: ffmpeg -i IN -ar 16000 OUT.wav".to_owned(),
        })?;
        let frames_in = fft.input_frames_max();
        Ok(Self {
            input: vec![vec![0.0; frames_in]; planes],
            fill: 0,
            frames_in,
            output: vec![vec![0.0; fft.output_frames_max()]; planes],
            skip: fft.output_delay(),
            fft,
        })
    }

    /// Sets a sample of the current frame.
    pub(crate) fn put(&mut self, plane: usize, sample: f32) {
        self.input[plane][self.fill] = sample;
    }

    /// Ends the current frame; a full block is resampled. Returns the frames appended to `out`.
    pub(crate) fn end_frame(&mut self, out: &mut [Vec<f32>]) -> u64 {
        self.fill += 1;
        match self.fill == self.frames_in {
            true => self.run(out, usize::MAX),
            false => 0,
        }
    }

    /// Appends the last `room` frames of the sound and returns their number.
    pub(crate) fn flush(&mut self, out: &mut [Vec<f32>], room: u64) -> u64 {
        let mut made = 0;
        while made < room {
            for plane in &mut self.input {
                plane[self.fill..].fill(0.0);
            }
            made += self.run(out, usize::try_from(room - made).unwrap_or(usize::MAX));
        }
        made
    }

    /// Resamples the full block, appends at most `room` frames per plane and returns their number.
    fn run(&mut self, out: &mut [Vec<f32>], room: usize) -> u64 {
        self.fill = 0;
        let (planes, frames_out) = (self.input.len(), self.output[0].len());
        let produced = {
            let input = SequentialSliceOfVecs::new(&self.input[..], planes, self.frames_in)
                .expect("the input planes were made with exactly this size");
            let mut output =
                SequentialSliceOfVecs::new_mut(&mut self.output[..], planes, frames_out)
                    .expect("the output planes were made with exactly this size");
            let (_, produced) = self
                .fft
                .process_into_buffer(&input, &mut output, None)
                .expect("both blocks have the size the resampler asked for");
            produced
        };
        let from = self.skip.min(produced);
        self.skip -= from;
        let to = produced.min(from.saturating_add(room));
        for (plane, samples) in out.iter_mut().zip(&self.output) {
            plane.extend(samples[from..to].iter().map(|s| s.clamp(-1.0, 1.0)));
        }
        (to - from) as u64
    }
}
