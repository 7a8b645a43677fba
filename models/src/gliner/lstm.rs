//! Bidirectional long short-term memory (Hochreiter and Schmidhuber 1997) in PyTorch's layout.
//!
//! Its steps are sequential and small, so they run on the CPU wherever the model is; the input
//! projection of the gates, for all steps at once, runs on the device.

use candle_core::{Result, Tensor};

use super::linear::Linear;
use crate::checkpoint::{LoadError, TensorFile, tensor_bytes};

/// Layers, each in both directions.
#[derive(Debug)]
pub(super) struct Lstm {
    layers: Vec<[Direction; 2]>,
}

#[derive(Debug)]
struct Direction {
    /// Input weights with both biases added, for the gates in, forget, cell, out.
    input: Linear,
    /// Weights of the previous state, `[hidden, 4 * hidden]`, in row order.
    state: Vec<f32>,
    hidden: usize,
}

impl Lstm {
    /// Loads `layers` with inputs and outputs of `size`, half of it per direction.
    pub(super) fn new(
        file: &TensorFile,
        name: &str,
        size: usize,
        layers: usize,
    ) -> std::result::Result<Self, LoadError> {
        let layer = |index: usize| -> std::result::Result<_, LoadError> {
            Ok([
                Direction::new(file, name, &format!("l{index}"), size)?,
                Direction::new(file, name, &format!("l{index}_reverse"), size)?,
            ])
        };
        Ok(Self {
            layers: (0..layers)
                .map(layer)
                .collect::<std::result::Result<_, _>>()?,
        })
    }

    /// `[n, size]` to `[n, size]`.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (n, size) = x.dims2()?;
        let mut x = x.clone();
        for [ahead, back] in &self.layers {
            let mut out = vec![0.0; n * size];
            ahead.run(&ahead.gates(&x)?, &mut out, |step| step, 0);
            back.run(&back.gates(&x)?, &mut out, |step| n - 1 - step, size / 2);
            x = Tensor::from_vec(out, (n, size), x.device())?;
        }
        Ok(x)
    }

    /// Bytes of weights.
    pub(super) fn bytes(&self) -> usize {
        let one = |direction: &Direction| {
            direction.input.bytes() + direction.state.len() * size_of::<f32>()
        };
        self.layers.iter().flatten().map(one).sum()
    }
}

impl Direction {
    fn new(
        file: &TensorFile,
        name: &str,
        layer: &str,
        size: usize,
    ) -> std::result::Result<Self, LoadError> {
        let (hidden, gates) = (size / 2, 2 * size);
        let take =
            |part: &str, shape: &[usize]| file.take(&format!("{name}.{part}_{layer}"), shape);
        let input = take("weight_ih", &[gates, size])?;
        let state = take("weight_hh", &[gates, hidden])?;
        let (a, b) = (take("bias_ih", &[gates])?, take("bias_hh", &[gates])?);
        let turned = |weight: Tensor| weight.t()?.contiguous();
        let state = file.made(turned(state).and_then(|state| {
            debug_assert_eq!(tensor_bytes(&state), 4 * gates * hidden);
            state.flatten_all()?.to_vec1()
        }))?;
        Ok(Self {
            input: Linear {
                weight: file.made(turned(input))?,
                bias: file.made(a + b)?,
            },
            state,
            hidden,
        })
    }

    /// The input projection of the gates, for all steps at once.
    fn gates(&self, x: &Tensor) -> Result<Vec<f32>> {
        self.input.apply(x)?.flatten_all()?.to_vec1()
    }

    /// Processes the rows in the order of `row`, and writes each state into its row of `out` from
    /// column `first` on.
    fn run(&self, gates: &[f32], out: &mut [f32], row: impl Fn(usize) -> usize, first: usize) {
        let hidden = self.hidden;
        let (mut state, mut cell) = (vec![0.0_f32; hidden], vec![0.0_f32; hidden]);
        for step in 0..gates.len() / (4 * hidden) {
            let at = row(step);
            let mut sums = gates[at * 4 * hidden..][..4 * hidden].to_vec();
            for (value, weights) in state.iter().zip(self.state.chunks_exact(4 * hidden)) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += value * weight;
                }
            }
            for (unit, (state, cell)) in state.iter_mut().zip(&mut cell).enumerate() {
                let gate = |kind: usize| sums[kind * hidden + unit];
                *cell = sigmoid(gate(1)) * *cell + sigmoid(gate(0)) * gate(2).tanh();
                *state = sigmoid(gate(3)) * cell.tanh();
            }
            out[at * 2 * hidden + first..][..hidden].copy_from_slice(&state);
        }
    }
}

/// `1 / (1 + e^-x)`.
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
