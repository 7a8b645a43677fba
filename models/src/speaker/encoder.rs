//! The encoder of speakers: filter banks, CAM++, and a vector of unit length.

use std::path::Path;

use super::campplus::Campplus;
use super::fbank::{BINS, Fbank};
use super::input::{checked, weights_file};
use super::sizes::Sizes;
use crate::checkpoint::{LoadError, TensorFile};
use crate::checksum;
use crate::device::DeviceChoice;
use crate::encode::EncoderIdentity;
use crate::voice::{EncodeSpeaker, VoiceError};

/// The manifest's name.
const CAMPPLUS: &str = "campplus-cn-en-common";

/// SHA-256 of the published weights of CAM++ for Chinese and English.
const CAMPPLUS_SHA256: &str = "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199";

/// The shortest sound: a tenth of a second, eight frames.
const SAMPLES_MIN: usize = 1_600;

/// Turns the sound of one speaker into a vector with CAM++ (7 million parameters, 192 values).
///
/// Takes sound of one person at 16 kHz, mono, from -1 to 1, without long silence: at least 1,600
/// samples (0.1 s); a vector of less than a second says little. The dot product of two vectors is
/// a cosine. Where it parts the same person from another depends on length and room: with windows
/// of 1.5 s about 0.2 in meetings, 0.25 in clean speech. Silence has a vector, too, which says
/// nothing.
///
/// Cost: grows with the length; about 20 ms on one core and 10 MB of scratch memory for 1.5 s.
/// Concurrent calls do not wait for each other.
///
/// Its identity is the SHA-256 of the weights file.
#[derive(Debug)]
pub struct SpeakerEncoder {
    identity: EncoderIdentity,
    fbank: Fbank,
    network: Campplus,
    dimension: usize,
}

impl SpeakerEncoder {
    /// Loads an encoder for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_on(path, DeviceChoice::Cpu)
    }

    /// Loads an encoder onto `device` from `path`: a folder with `campplus_cn_en_common.pt`, or
    /// such a file, the tensors of a CAM++ as PyTorch pickles them. It is read as data. The last
    /// layer has no ReLU, as in 3D-Speaker.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem: missing, cut short, a tensor that is missing
    /// or has another shape; or the device.
    pub fn load_on(path: impl AsRef<Path>, device: DeviceChoice) -> Result<Self, LoadError> {
        let path = weights_file(path.as_ref(), "campplus_cn_en_common.pt", CAMPPLUS)?;
        let device = device.open()?;
        let file = TensorFile::open_pickle(&path, None, &device)?;
        let sizes = Sizes::read(&file)?;
        let network = Campplus::load(&file, &sizes, &device)?;
        let digest = checksum::sha256(&path).map_err(|source| LoadError::Read {
            file: path.clone(),
            source,
        })?;
        let name = match digest == CAMPPLUS_SHA256 {
            true => CAMPPLUS.to_owned(),
            false => format!("campplus-{}", sizes.vector),
        };
        Ok(Self {
            identity: EncoderIdentity { name, digest },
            fbank: Fbank::new(),
            network,
            dimension: sizes.vector,
        })
    }

    /// Memory of the weights, in bytes.
    pub fn resident_bytes(&self) -> usize {
        self.network.bytes()
    }

    /// The filter banks of a sound with the mean of each taken away.
    fn banks(&self, samples: &[f32]) -> Vec<f32> {
        let mut banks = self.fbank.apply(samples);
        let frames = banks.len() / BINS;
        let mut means = [0.0_f64; BINS];
        for row in banks.chunks_exact(BINS) {
            let both = means.iter_mut().zip(row);
            both.for_each(|(mean, x)| *mean += f64::from(*x) / frames as f64);
        }
        for row in banks.chunks_exact_mut(BINS) {
            let both = row.iter_mut().zip(&means);
            both.for_each(|(x, mean)| *x = (f64::from(*x) - mean) as f32);
        }
        banks
    }
}

impl EncodeSpeaker for SpeakerEncoder {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn samples_min(&self) -> usize {
        SAMPLES_MIN
    }

    fn encode_speaker(&self, samples: &[f32]) -> Result<Vec<f32>, VoiceError> {
        let model = || self.identity.name.clone();
        checked(&self.identity.name, samples, SAMPLES_MIN)?;
        let vector = self.network.forward(self.banks(samples));
        let mut vector = vector.map_err(|error| VoiceError::Inference {
            model: model(),
            samples: samples.len(),
            reason: error.to_string(),
        })?;
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return Err(VoiceError::Damaged { model: model() });
        }
        vector.iter_mut().for_each(|x| *x /= length);
        Ok(vector)
    }
}
