//! Layers after pooling: the dense module of sentence-transformers.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::shelf::Linear;
use crate::checkpoint::{LoadError, Weights, read_json};
use crate::kernel::{Activation, View};

/// One linear layer with its activation.
pub(super) struct Dense {
    linear: Linear,
    activation: Activation,
}

#[derive(Debug, Deserialize)]
struct Settings {
    in_features: usize,
    out_features: usize,
    #[serde(default = "yes")]
    bias: bool,
    activation_function: String,
}

fn yes() -> bool {
    true
}

impl Dense {
    /// Loads the layer in `folder`, whose input must have `size` components.
    pub(super) fn load(folder: &Path, size: usize) -> Result<Self, LoadError> {
        let file = folder.join("config.json");
        let settings: Settings = read_json(&file)?;
        let refused = |field, found: String, expected| LoadError::Setting {
            file: file.clone(),
            field,
            found,
            expected,
        };
        if settings.in_features != size {
            let expected = "the size of the vectors before it";
            return Err(refused(
                "in_features",
                settings.in_features.to_string(),
                expected,
            ));
        }
        if settings.out_features == 0 {
            return Err(refused("out_features", "0".to_owned(), "1 or more"));
        }
        let activation = match settings.activation_function.rsplit('.').next() {
            Some("Identity") => Activation::None,
            Some("Tanh") => Activation::Tanh,
            Some("ReLU") => Activation::Relu,
            Some("GELU") => Activation::Gelu,
            _ => {
                let expected = "Identity, Tanh, ReLU or GELU";
                let found = settings.activation_function;
                return Err(refused("activation_function", found, expected));
            }
        };
        let linear = Linear::of(&weights(folder)?, &settings)?;
        Ok(Self { linear, activation })
    }

    /// Components of its output.
    pub(super) fn size(&self) -> usize {
        self.linear.bias.len()
    }

    pub(super) fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut result = vec![0.0; self.size()];
        let x = View::dense(vector, vector.len());
        self.linear
            .run(x, self.activation, &mut result, &mut Vec::new());
        result
    }
}

/// The dense layers of an encoder in order; the input of the first has `size` components.
pub(super) fn load_all(folders: &[PathBuf], mut size: usize) -> Result<Vec<Dense>, LoadError> {
    let mut all = Vec::with_capacity(folders.len());
    for folder in folders {
        let dense = Dense::load(folder, size)?;
        size = dense.size();
        all.push(dense);
    }
    Ok(all)
}

/// The weights of the dense layer in `folder`.
pub(super) fn weights(folder: &Path) -> Result<Weights, LoadError> {
    Weights::find(folder)
}

impl Linear {
    fn of(weights: &Weights, settings: &Settings) -> Result<Self, LoadError> {
        let (size_in, size_out) = (settings.in_features, settings.out_features);
        let values = |name: &str, shape: &[usize]| {
            let tensor = weights.take(name, shape)?;
            let flat = tensor.flatten_all().and_then(|flat| flat.to_vec1::<f32>());
            weights.made(flat)
        };
        let weight = values("linear.weight", &[size_out, size_in])?;
        let bias = match settings.bias {
            true => values("linear.bias", &[size_out])?,
            false => vec![0.0; size_out],
        };
        Ok(Self::new(&weight, bias, size_in))
    }
}
