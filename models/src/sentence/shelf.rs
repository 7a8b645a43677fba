//! Loads the parts of a network by their names in a checkpoint.

use std::sync::Arc;

use candle_core::Tensor;

use super::config::Config;
use crate::checkpoint::{LoadError, Rows, Weights};
use crate::kernel::{Packed, View};

/// The weights of one checkpoint, with the sizes from its settings.
pub(super) struct Shelf<'a> {
    pub(super) weights: &'a Arc<Weights>,
    pub(super) config: &'a Config,
}

/// A linear layer in the kernel's layout.
pub(super) struct Linear {
    pub(super) weight: Packed,
    pub(super) bias: Vec<f32>,
}

/// The scale and shift of a layer norm.
pub(super) struct Norm {
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
}

impl Shelf<'_> {
    /// The tensor `name` with its shape checked.
    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        self.weights.take(name, shape)
    }

    /// The values of the tensor `name`, all of them finite.
    pub(super) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, LoadError> {
        let tensor = self.tensor(name, shape)?;
        let flat = tensor.flatten_all().and_then(|flat| flat.to_vec1::<f32>());
        let values = self.weights.made(flat)?;
        // An infinite weight could be hidden by a softmax, so it is checked here.
        if values.iter().any(|x| !x.is_finite()) {
            let found = "damaged (it has values that are no finite numbers)".to_owned();
            return Err(self.weights.wrong(name, found, shape));
        }
        Ok(values)
    }

    /// The embedding tables of words, positions and token types.
    pub(super) fn tables(&self) -> Result<[Rows; 3], LoadError> {
        let config = self.config;
        let open = |name: &str, rows| {
            let name = format!("embeddings.{name}_embeddings.weight");
            Rows::open(self.weights, &name, (rows, config.hidden_size))
        };
        Ok([
            open("word", config.vocab_size)?,
            open("position", config.max_position_embeddings)?,
            open("token_type", config.type_vocab_size)?,
        ])
    }

    pub(super) fn norm(&self, name: &str) -> Result<Norm, LoadError> {
        let shape = [self.config.hidden_size];
        // checkpoints converted from TensorFlow use its names
        let [scale, shift] = match self.weights.has(&format!("{name}.gamma")) {
            true => ["gamma", "beta"],
            false => ["weight", "bias"],
        };
        Ok(Norm {
            scale: self.values(&format!("{name}.{scale}"), &shape)?,
            shift: self.values(&format!("{name}.{shift}"), &shape)?,
        })
    }

    pub(super) fn linear(&self, name: &str, size: (usize, usize)) -> Result<Linear, LoadError> {
        let (weight, bias) = self.matrix(name, size)?;
        Ok(Linear::new(&weight, bias, size.0))
    }

    /// Query, key and value projections concatenated: one product instead of three. The query's
    /// part includes the factor of the scores, `1 / sqrt(head)`.
    pub(super) fn qkv(&self, attention: &str) -> Result<Linear, LoadError> {
        let size = self.config.hidden_size;
        let part = |part: &str| self.matrix(&format!("{attention}.{part}"), (size, size));
        let (mut weight, mut bias) = part("query")?;
        let head = size / self.config.num_attention_heads;
        let factor = 1.0 / (head as f32).sqrt();
        weight
            .iter_mut()
            .chain(&mut bias)
            .for_each(|x| *x *= factor);
        for name in ["key", "value"] {
            let (more_weight, more_bias) = part(name)?;
            weight.extend(more_weight);
            bias.extend(more_bias);
        }
        Ok(Linear::new(&weight, bias, size))
    }

    /// The weight `[out, in]` of a linear layer, and its bias.
    fn matrix(
        &self,
        name: &str,
        (size_in, size_out): (usize, usize),
    ) -> Result<(Vec<f32>, Vec<f32>), LoadError> {
        let weight = self.values(&format!("{name}.weight"), &[size_out, size_in])?;
        Ok((weight, self.values(&format!("{name}.bias"), &[size_out])?))
    }
}

impl Linear {
    /// From a weight `[out, in]`.
    pub(super) fn new(weight: &[f32], bias: Vec<f32>, size_in: usize) -> Self {
        Self {
            weight: Packed::transposed(View::dense(weight, size_in)),
            bias,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.weight.bytes() + self.bias.capacity() * size_of::<f32>()
    }
}
