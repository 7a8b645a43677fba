//! Bidirectional long short-term memory (Hochreiter and Schmidhuber 1997) in PyTorch's layout.
//!
//! Its steps are sequential and small, so they run on the CPU wherever the model is; the input
//! projection of the gates, for all steps at once, runs on the device. The two directions of a
//! layer run side by side where there are two threads.

use candle_core::{Result, Tensor};

use super::linear::{Linear, Ready};
use crate::checkpoint::{LoadError, TensorFile};
use crate::kernel::{Activation, Onto, Packed, View, activate, product};

/// The sizes of an LSTM.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LstmSize {
    /// Values of an input row.
    pub(crate) inputs: usize,
    /// Values of a state; an output row has the states of both directions.
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
}

/// Layers, each in both directions.
#[derive(Debug)]
pub(crate) struct Lstm {
    layers: Vec<[Direction; 2]>,
}

/// One direction of a layer.
///
/// Its gates are in, forget, cell and out. A sigmoid is `(1 + tanh(x / 2)) / 2`, so the weights of
/// all gates but the cell's are halved while loading, and one tanh serves all four.
struct Direction {
    /// Input weights with both biases added.
    input: Ready,
    /// Weights of the previous state.
    state: Packed,
    /// The bias of the state's product: the input projection has it.
    zeros: Vec<f32>,
    hidden: usize,
}

impl Lstm {
    /// Loads the tensors `name.weight_ih_l0` and so on.
    pub(crate) fn new(
        file: &TensorFile,
        name: &str,
        size: LstmSize,
    ) -> std::result::Result<Self, LoadError> {
        let layer = |index: usize| -> std::result::Result<_, LoadError> {
            let inputs = match index {
                0 => size.inputs,
                _ => 2 * size.hidden,
            };
            let direction = |suffix: &str| {
                let part = |part: &str| format!("{name}.{part}_l{index}{suffix}");
                Direction::new(file, &part, inputs, size.hidden)
            };
            Ok([direction("")?, direction("_reverse")?])
        };
        Ok(Self {
            layers: (0..size.layers)
                .map(layer)
                .collect::<std::result::Result<_, _>>()?,
        })
    }

    /// `[n, inputs]` to `[n, 2 * hidden]`.
    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let n = x.dims2()?.0;
        let mut x = x.clone();
        for [ahead, back] in &self.layers {
            let (gates, gates_back) = (ahead.gates(&x)?, back.gates(&x)?);
            let (states, states_back) = rayon::join(
                || ahead.run(gates, |step| step),
                || back.run(gates_back, |step| n - 1 - step),
            );
            let hidden = ahead.hidden;
            let both = states.chunks(hidden).zip(states_back.chunks(hidden));
            let rows = both.flat_map(|(ahead, back)| [ahead, back]);
            x = Tensor::from_vec(
                rows.flatten().copied().collect(),
                (n, 2 * hidden),
                x.device(),
            )?;
        }
        Ok(x)
    }

    /// Bytes of weights.
    pub(crate) fn bytes(&self) -> usize {
        let one = |direction: &Direction| direction.input.bytes() + direction.state.bytes();
        self.layers.iter().flatten().map(one).sum()
    }
}

impl Direction {
    fn new(
        file: &TensorFile,
        part: &dyn Fn(&str) -> String,
        inputs: usize,
        hidden: usize,
    ) -> std::result::Result<Self, LoadError> {
        let rows = 4 * hidden;
        let take = |name: &str, shape: &[usize]| file.take(&part(name), shape);
        let input = take("weight_ih", &[rows, inputs])?;
        let state = take("weight_hh", &[rows, hidden])?;
        let (a, b) = (take("bias_ih", &[rows])?, take("bias_hh", &[rows])?);
        let is_cell = |row: usize| row / hidden == 2;
        let factors = (0..rows).map(|row| if is_cell(row) { 1.0 } else { 0.5 });
        let factors = file.made(Tensor::from_iter(factors.collect::<Vec<f32>>(), a.device()))?;
        let halved = |weight: &Tensor| weight.broadcast_mul(&factors.reshape((rows, 1))?);
        let weight = halved(&input).and_then(|weight| weight.t()?.contiguous());
        let bias = (a + b).and_then(|bias| bias * &factors);
        let input = Ready::new(Linear {
            weight: file.made(weight)?,
            bias: file.made(bias)?,
        });
        let state = halved(&state).and_then(|state| state.flatten_all()?.to_vec1::<f32>());
        let state = file.made(state)?;
        Ok(Self {
            input: file.made(input)?,
            state: Packed::transposed(View::dense(&state, hidden)),
            zeros: vec![0.0; rows],
            hidden,
        })
    }

    /// The input projection of the gates, for all steps at once.
    fn gates(&self, x: &Tensor) -> Result<Vec<f32>> {
        self.input.apply(x)?.flatten_all()?.to_vec1()
    }

    /// Processes the rows in the order of `row`; the state of each, in the order of the rows.
    fn run(&self, mut gates: Vec<f32>, row: impl Fn(usize) -> usize) -> Vec<f32> {
        let (hidden, width) = (self.hidden, 4 * self.hidden);
        let steps = gates.len() / width;
        let mut states = vec![0.0; steps * hidden];
        let (mut state, mut cell) = (vec![0.0_f32; hidden], vec![0.0_f32; hidden]);
        let mut work = Vec::new();
        for step in 0..steps {
            let sums = &mut gates[row(step) * width..][..width];
            let left = View::dense(&state, hidden);
            let (onto, to) = (Onto::Residual(&self.zeros), (&mut *sums, width));
            product(left, &self.state, onto, Activation::Tanh, to, &mut work);
            let (first, last) = sums.split_at(2 * hidden);
            let (enter, keep) = first.split_at(hidden);
            let (new, out) = last.split_at(hidden);
            let of_cell = enter.iter().zip(keep).zip(new);
            for (cell, ((enter, keep), new)) in cell.iter_mut().zip(of_cell) {
                *cell = 0.5 * ((1.0 + keep) * *cell + (1.0 + enter) * new);
            }
            state.copy_from_slice(&cell);
            activate(&mut state, Activation::Tanh);
            for (state, out) in state.iter_mut().zip(out) {
                *state *= 0.5 * (1.0 + out);
            }
            states[row(step) * hidden..][..hidden].copy_from_slice(&state);
        }
        states
    }
}

impl std::fmt::Debug for Direction {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Direction")
            .field("input", &self.input)
            .field("hidden", &self.hidden)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    fn sigmoid(x: f32) -> f32 {
        1.0 / (1.0 + (-x).exp())
    }

    fn wave(count: usize, by: f32) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * by).sin()).collect()
    }

    /// A step by the formulas of the paper.
    fn plain(gates: &[f32], weight: &[f32], hidden: usize) -> Vec<f32> {
        let (mut state, mut cell) = (vec![0.0; hidden], vec![0.0; hidden]);
        let mut states = Vec::new();
        for gates in gates.chunks(4 * hidden) {
            let sum = |row: usize| {
                let weights = &weight[row * hidden..][..hidden];
                let products = weights.iter().zip(&state).map(|(x, y): (&f32, &f32)| x * y);
                gates[row] + products.sum::<f32>()
            };
            let sums: Vec<f32> = (0..4 * hidden).map(sum).collect();
            for unit in 0..hidden {
                let gate = |kind: usize| sums[kind * hidden + unit];
                cell[unit] = sigmoid(gate(1)) * cell[unit] + sigmoid(gate(0)) * gate(2).tanh();
                state[unit] = sigmoid(gate(3)) * f32::tanh(cell[unit]);
            }
            states.extend_from_slice(&state);
        }
        states
    }

    #[test]
    fn steps_equal_the_plain_formulas() {
        let (hidden, steps) = (19, 300);
        let (weight, gates) = (
            wave(4 * hidden * hidden, 0.37),
            wave(4 * hidden * steps, 0.91),
        );
        let halved = |row: usize, value: f32| match row / hidden == 2 {
            true => value,
            false => 0.5 * value,
        };
        let of_state = weight.iter().enumerate();
        let of_state = of_state.map(|(at, x)| halved(at / hidden, *x));
        let of_state: Vec<f32> = of_state.collect();
        let identity = Tensor::eye(4 * hidden, candle_core::DType::F32, &Device::Cpu);
        let bias = Tensor::zeros(4 * hidden, candle_core::DType::F32, &Device::Cpu);
        let input = Linear {
            weight: identity.expect("a matrix"),
            bias: bias.expect("a bias"),
        };
        let direction = Direction {
            input: Ready::new(input).expect("a layer"),
            state: Packed::transposed(View::dense(&of_state, hidden)),
            zeros: vec![0.0; 4 * hidden],
            hidden,
        };
        let own = gates.iter().enumerate();
        let own: Vec<f32> = own.map(|(at, x)| halved(at % (4 * hidden), *x)).collect();
        let expected = plain(&gates, &weight, hidden);
        let found = direction.run(own.clone(), |step| step);
        let off = found.iter().zip(&expected).map(|(x, y)| (x - y).abs());
        assert!(off.fold(0.0, f32::max) < 2e-5);
        // backwards, the same steps in reversed rows
        let turned: Vec<f32> = own.chunks(4 * hidden).rev().flatten().copied().collect();
        let back = direction.run(turned, |step| steps - 1 - step);
        let back: Vec<f32> = back.chunks(hidden).rev().flatten().copied().collect();
        assert_eq!(back, found);
    }
}
