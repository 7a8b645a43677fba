//! The network PyanNet (Bredin and Laurent 2021; Plaquet and Bredin 2023): who is active when in
//! ten seconds of sound.

use std::path::Path;

use candle_core::{Result, Tensor};
use candle_nn::ops::leaky_relu;

use super::input::{checked, weights_file};
use super::sincnet::{FRAME, FRAME_STEP, SincNet};
use super::sizes::first_size;
use crate::checkpoint::{LoadError, TensorFile};
use crate::device::DeviceChoice;
use crate::layers::{Linear, Lstm, LstmSize, Ready};
use crate::voice::{SegmentSpeech, SpeechFrames, SpeechWindow, VoiceError};

/// The manifest's name.
const SEGMENTATION: &str = "pyannote-segmentation-3.0";
/// Classes of a frame: nobody, three speakers, three pairs.
const CLASSES: usize = 7;
/// What is left of a negative value.
const SLOPE: f64 = 0.01;
const WINDOW: SpeechWindow = SpeechWindow {
    samples_max: 160_000,
    frame_samples: FRAME,
    frame_step: FRAME_STEP,
};

type Loaded<T> = std::result::Result<T, LoadError>;

/// Finds out who is active when, with pyannote's segmentation-3.0.
///
/// It was trained on windows of ten seconds (160,000 samples at 16 kHz) with up to three speakers,
/// at most two of them at once. A window has 589 frames. A frame sees 991 samples, has its middle
/// at sample 495, and the next one begins 270 samples (16.9 ms) later. A shorter sound is filled
/// up with silence, as pyannote.audio does it, and only frames that lie whole in the sound are
/// returned; it costs as much as a whole window.
///
/// Cost: about 60 ms a window on one core. The steps of its LSTM run on the CPU also where the
/// model is on another device. Concurrent calls do not wait for each other.
#[derive(Debug)]
pub struct SpeechSegmentation {
    name: String,
    sincnet: SincNet,
    lstm: Lstm,
    linear: Vec<Ready>,
    classifier: Ready,
}

impl SpeechSegmentation {
    /// Loads a segmentation for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(path: impl AsRef<Path>) -> Loaded<Self> {
        Self::load_on(path, DeviceChoice::Cpu)
    }

    /// Loads a segmentation onto `device` from `path`: a folder with `pytorch_model.bin`, or such
    /// a file, a PyTorch pickle whose `state_dict` has the tensors. It is read as data.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem: missing, cut short, a tensor that is missing
    /// or has another shape; or the device.
    pub fn load_on(path: impl AsRef<Path>, device: DeviceChoice) -> Loaded<Self> {
        let path = weights_file(path.as_ref(), "pytorch_model.bin", SEGMENTATION)?;
        let device = device.open()?;
        let file = TensorFile::open_pickle(&path, Some("state_dict"), &device)?;
        let sincnet = SincNet::load(&file, &device)?;
        let size = LstmSize {
            inputs: sincnet.channels(),
            hidden: hidden(&file)?,
            layers: layers(&file),
        };
        let mut linear = Vec::new();
        let mut width = 2 * size.hidden;
        for (name, published) in [("linear.0", [128, 256]), ("linear.1", [128, 128])] {
            let outputs = first_size(&file, &format!("{name}.weight"), &published)?;
            let layer = Linear::take(&file, name, width, outputs)?;
            linear.push(file.made(Ready::new(layer))?);
            width = outputs;
        }
        let classifier = Linear::take(&file, "classifier", width, CLASSES)?;
        Ok(Self {
            name: SEGMENTATION.to_owned(),
            lstm: Lstm::new(&file, "lstm", size)?,
            sincnet,
            linear,
            classifier: file.made(Ready::new(classifier))?,
        })
    }

    /// Memory of the weights, in bytes.
    pub fn resident_bytes(&self) -> usize {
        let linear: usize = self.linear.iter().map(Ready::bytes).sum();
        self.sincnet.bytes() + self.lstm.bytes() + linear + self.classifier.bytes()
    }

    /// The scores of the classes of each frame, `[frames, CLASSES]`.
    fn scores(&self, samples: &[f32]) -> Result<Vec<f32>> {
        let mut x = self.lstm.forward(&self.sincnet.forward(samples)?)?;
        for layer in &self.linear {
            x = leaky_relu(&layer.apply(&x)?, SLOPE)?;
        }
        let scores: Tensor = self.classifier.apply(&x)?;
        scores.flatten_all()?.to_vec1()
    }
}

impl SegmentSpeech for SpeechSegmentation {
    fn name(&self) -> &str {
        &self.name
    }

    fn window(&self) -> SpeechWindow {
        WINDOW
    }

    fn segment(&self, samples: &[f32]) -> std::result::Result<SpeechFrames, VoiceError> {
        checked(&self.name, samples, FRAME)?;
        if samples.len() > WINDOW.samples_max {
            return Err(VoiceError::TooLong {
                model: self.name.clone(),
                found: samples.len(),
                max: WINDOW.samples_max,
            });
        }
        let mut whole = samples.to_vec();
        whole.resize(WINDOW.samples_max, 0.0);
        let scores = self.scores(&whole);
        let scores = scores.map_err(|error| VoiceError::Inference {
            model: self.name.clone(),
            samples: samples.len(),
            reason: error.to_string(),
        })?;
        let frames = scores.as_chunks::<CLASSES>().0.iter();
        let frames = frames.take(WINDOW.frames_in(samples.len()));
        let frames: Vec<_> = frames.map(log_softmax).collect();
        if !frames.iter().flatten().all(|value| value.is_finite()) {
            return Err(VoiceError::Damaged {
                model: self.name.clone(),
            });
        }
        Ok(SpeechFrames::new(frames))
    }
}

/// The logarithms of probabilities that are proportional to the exponentials of `scores`.
fn log_softmax(scores: &[f32; CLASSES]) -> [f32; CLASSES] {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    scores.map(|score| score - most - sum.ln())
}

/// Values of a state of the LSTM, whose tensors have four gates.
fn hidden(file: &TensorFile) -> Loaded<usize> {
    let (name, published) = ("lstm.weight_hh_l0", [512, 128]);
    match first_size(file, name, &published)? {
        rows if rows % 4 == 0 => Ok(rows / 4),
        _ => Err(file.wrong_shape(name, &published)),
    }
}

/// Layers of the LSTM; one at least: if it is missing, the error names it.
fn layers(file: &TensorFile) -> usize {
    let has = |layer: &usize| file.has(&format!("lstm.weight_ih_l{layer}"));
    (0..64).take_while(has).count().max(1)
}
