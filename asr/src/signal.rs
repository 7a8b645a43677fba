//! What is told of a source's signal: its loudest sample, and how its channels go together.
//!
//! Invariant: everything depends on the frames alone, not on chunk sizes.

use crate::SourceWarning;

/// Channels cancel each other if the power of their mean is below this share of their mean power:
/// 17 dB less. Unrelated channels lose less: two of them 3 dB, `n` of them keep one `n`th.
const CANCELLED: f32 = 0.02;
/// Factor by which the mean must exceed that limit before it is heard again, and by which another
/// channel must be louder before it is heard instead. Each change may be audible as a click.
const MORE: f32 = 2.0;
/// Time over which powers are averaged, in seconds.
const AVERAGED_S: f32 = 0.1;
/// Number of blocks in a second; channels are compared block by block.
const BLOCKS_A_SECOND: u64 = 4;
/// Power from which a block counts: -60 dB.
const ACTIVE: f32 = 1e-6;
/// A channel speaks alone if its power is this many times that of the next: 20 dB. Two microphones
/// in one room differ by less.
const ALONE: f32 = 100.0;
/// Least number of blocks with sound before a person per channel is reported: ten seconds.
const BLOCKS_MIN: u64 = 10 * BLOCKS_A_SECOND;
/// Loudest sample of a recording in which speech may be too quiet to be found.
const QUIET: f32 = 0.01;

/// Watches the frames of one source.
#[derive(Debug)]
pub(crate) struct Signal {
    rate_hz: u64,
    peak: f32,
    frames: u64,
    /// Averaged power of each channel, and of their mean.
    powers: Vec<f32>,
    mean: f32,
    /// The channel that is heard instead of the mean.
    only: Option<usize>,
    /// Frames in which one channel is heard instead of the mean.
    cancelled: u64,
    /// Power of each channel in the current block.
    block: Vec<f32>,
    /// Blocks in which each channel speaks alone.
    alone: Vec<u64>,
    active: u64,
}

impl Signal {
    pub(crate) fn new(rate_hz: u32, channels: usize) -> Self {
        Self {
            rate_hz: rate_hz.into(),
            peak: 0.0,
            frames: 0,
            powers: vec![0.0; channels],
            mean: 0.0,
            only: None,
            cancelled: 0,
            block: vec![0.0; channels],
            alone: vec![0; channels],
            active: 0,
        }
    }

    /// Takes the samples of one frame, of which `mean` is the mean; returns what to hear of them:
    /// the mean, or the loudest channel where the channels cancel each other.
    pub(crate) fn mixed(&mut self, frame: &[f32], mean: f32) -> f32 {
        let forget = 1.0 / (AVERAGED_S * self.rate_hz as f32);
        let average = |power: &mut f32, sample: f32| *power += forget * (sample * sample - *power);
        average(&mut self.mean, mean);
        for ((power, block), sample) in self.powers.iter_mut().zip(&mut self.block).zip(frame) {
            average(power, *sample);
            *block += sample * sample;
        }
        self.frames += 1;
        if self
            .frames
            .is_multiple_of((self.rate_hz / BLOCKS_A_SECOND).max(1))
        {
            self.end_block();
        }
        let loudest = self.loudest();
        let all = self.powers.iter().sum::<f32>() / frame.len().max(1) as f32;
        let least = CANCELLED.min(0.5 / frame.len().max(1) as f32) * all;
        self.only = match self.only {
            None if self.mean < least && all > ACTIVE => Some(loudest),
            Some(_) if self.mean > MORE * least => None,
            Some(at) if self.powers[loudest] > MORE * self.powers[at] => Some(loudest),
            same => same,
        };
        self.cancelled += u64::from(self.only.is_some());
        self.only.map_or(mean, |at| frame[at])
    }

    fn loudest(&self) -> usize {
        let powers = self.powers.iter().enumerate();
        powers
            .max_by(|a, b| a.1.total_cmp(b.1))
            .map_or(0, |it| it.0)
    }

    /// Takes a sample of any channel.
    pub(crate) fn peak(&mut self, sample: f32) {
        self.peak = self.peak.max(sample.abs());
    }

    fn end_block(&mut self) {
        let frames = (self.rate_hz / BLOCKS_A_SECOND).max(1) as f32;
        let (mut loudest, mut next) = ((0, 0.0), 0.0_f32);
        for (channel, power) in self.block.iter_mut().enumerate() {
            let power = std::mem::take(power) / frames;
            if power > loudest.1 {
                next = loudest.1;
                loudest = (channel, power);
            } else {
                next = next.max(power);
            }
        }
        if loudest.1 > ACTIVE {
            self.active += 1;
            self.alone[loudest.0] += u64::from(loudest.1 >= ALONE * next);
        }
    }

    /// What is worth a warning, once the source has ended.
    pub(crate) fn warnings(&self, name: &str) -> Vec<SourceWarning> {
        let mut warnings = Vec::new();
        let name = || name.to_owned();
        if self.peak > 0.0 && self.peak < QUIET {
            warnings.push(SourceWarning::Quiet {
                name: name(),
                // in millionths, so that warnings can be compared
                peak_millionths: (self.peak * 1e6).round() as u32,
            });
        }
        if self.cancelled * 10 > self.frames {
            warnings.push(SourceWarning::Cancelling {
                name: name(),
                ms: self.cancelled * 1_000 / self.rate_hz.max(1),
            });
        }
        // in half of the blocks with sound one channel speaks alone, and each of two in a tenth
        let of_two = self
            .alone
            .iter()
            .filter(|it| **it * 10 >= self.active.max(1))
            .count()
            > 1;
        let is_enough = self.active >= BLOCKS_MIN;
        if is_enough && of_two && self.alone.iter().sum::<u64>() * 2 >= self.active {
            warnings.push(SourceWarning::ApartChannels { name: name() });
        }
        warnings
    }
}
