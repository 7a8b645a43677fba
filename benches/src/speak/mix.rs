//! Mixes turns with noise and writes them: 16 kHz, mono, 16 bits.
//!
//! Holds only the part that later turns may overlap, never the whole recording.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use weir_asr::SAMPLE_RATE_HZ;
use weir_fixtures::Rng;
use weir_fixtures::sound::{Colour, amplitude, noise, rms_dbfs};

/// Level to which all speech is scaled; its peaks stay below full scale.
pub(super) const SPEECH_DBFS: f64 = -26.0;
const PEAK_MAX: f32 = 0.9;
/// Default noise: a real room is never digitally silent.
const ROOM_DBFS: f64 = -75.0;
/// A WAV file has a 32-bit size.
const SAMPLES_MAX: u64 = (u32::MAX as u64 - 1_024) / 2;

/// A recording being written.
pub(super) struct Mixer {
    out: hound::WavWriter<BufWriter<File>>,
    /// Samples written; `open` begins there.
    written: u64,
    open: Vec<f32>,
    noise: Noise,
}

struct Noise {
    rng: Rng,
    dbfs: f64,
    /// One second of noise, and the position in it.
    block: Vec<f32>,
    used: usize,
}

impl Noise {
    fn next(&mut self) -> f32 {
        if self.used == self.block.len() {
            let second = SAMPLE_RATE_HZ as usize;
            self.block = noise(Colour::Pink, self.dbfs, second, &mut self.rng);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
}

impl Mixer {
    /// A recording over pink noise at this many decibels below the speech.
    pub(super) fn create(path: &Path, snr_db: Option<f64>, seed: u64) -> Result<Self> {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: SAMPLE_RATE_HZ,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let out = hound::WavWriter::create(path, spec);
        let dbfs = snr_db.map_or(ROOM_DBFS, |snr| (SPEECH_DBFS - snr).max(ROOM_DBFS));
        Ok(Self {
            out: out.with_context(|| format!("{} cannot be written", path.display()))?,
            written: 0,
            open: Vec::new(),
            noise: Noise {
                rng: Rng::new(seed),
                dbfs,
                block: Vec::new(),
                used: 0,
            },
        })
    }

    /// Adds speech at a sample that is not written yet.
    pub(super) fn add(&mut self, at: u64, samples: &[f32]) -> Result<()> {
        ensure!(
            at + samples.len() as u64 <= SAMPLES_MAX,
            "the recording grows longer than the {} hours that a WAV file holds; use --limit-turns",
            SAMPLES_MAX / u64::from(SAMPLE_RATE_HZ) / 3_600
        );
        let from = at.checked_sub(self.written);
        let from = from.context("speech comes before what is written")? as usize;
        if self.open.len() < from + samples.len() {
            self.open.resize(from + samples.len(), 0.0);
        }
        for (open, sample) in self.open[from..].iter_mut().zip(samples) {
            *open += sample;
        }
        Ok(())
    }

    /// Writes everything before a sample: no later turn begins earlier.
    pub(super) fn settle(&mut self, before: u64) -> Result<()> {
        let many = before.saturating_sub(self.written) as usize;
        if self.open.len() < many {
            self.open.resize(many, 0.0);
        }
        for sample in self.open.drain(..many) {
            let mixed = sample + self.noise.next();
            let step = (mixed.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round();
            self.out.write_sample(step as i16)?;
        }
        self.written += many as u64;
        Ok(())
    }

    /// Writes the rest and ends the file at a sample.
    pub(super) fn finish(mut self, end: u64) -> Result<()> {
        self.settle(end.max(self.written + self.open.len() as u64))?;
        self.out.finalize()?;
        Ok(())
    }
}

/// Scales speech to [`SPEECH_DBFS`], or less if its peaks would exceed full scale.
pub(super) fn levelled(mut samples: Vec<f32>) -> Vec<f32> {
    let peak = samples.iter().fold(0.0_f32, |peak, s| peak.max(s.abs()));
    if peak > 0.0 {
        let gain = amplitude(SPEECH_DBFS - rms_dbfs(&samples)) as f32;
        let gain = gain.min(PEAK_MAX / peak);
        samples.iter_mut().for_each(|sample| *sample *= gain);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(path: &Path) -> Vec<f32> {
        let mut reader = hound::WavReader::open(path).expect("a WAV");
        let read = reader.samples::<i16>();
        read.map(|s| f32::from(s.expect("a sample")) / 32_767.0)
            .collect()
    }

    #[test]
    fn overlapping_turns_add_up_and_noise_has_its_level() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.wav");
        let mut mixer = Mixer::create(&path, None, 1).expect("created");
        mixer.add(100, &[0.25; 200]).expect("added");
        mixer.settle(150).expect("written");
        mixer.add(200, &[0.25; 200]).expect("added");
        assert!(mixer.add(10, &[0.1]).is_err(), "it is written already");
        mixer.finish(1_000).expect("finished");
        let heard = samples(&path);
        assert_eq!(heard.len(), 1_000);
        for (at, level) in [(50, 0.0), (150, 0.25), (250, 0.5), (350, 0.25), (450, 0.0)] {
            assert!((heard[at] - level).abs() < 0.01, "{at}: {}", heard[at]);
        }
        let mut mixer = Mixer::create(&path, Some(10.0), 1).expect("created");
        mixer.settle(160_000).expect("written");
        mixer.finish(0).expect("finished");
        assert!((rms_dbfs(&samples(&path)) - (SPEECH_DBFS - 10.0)).abs() < 0.1);
    }

    #[test]
    fn speech_comes_to_one_level_without_clipping() {
        let soft: Vec<f32> = (0..1_000).map(|n| (n as f32 / 9.0).sin() * 0.01).collect();
        assert!((rms_dbfs(&levelled(soft)) - SPEECH_DBFS).abs() < 0.01);
        let mut spiked = vec![0.0; 10_000];
        spiked[5] = 0.1;
        let peak = levelled(spiked).into_iter().fold(0.0, f32::max);
        assert!((peak - PEAK_MAX).abs() < 1e-6, "{peak}");
        assert_eq!(levelled(vec![0.0; 4]), [0.0; 4]);
    }
}
