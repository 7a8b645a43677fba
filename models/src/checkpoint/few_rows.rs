//! A product of a few rows with a weight matrix, as in generating one token of several replies.
//!
//! A general product packs the matrix before it multiplies, which costs more than the product
//! itself for a few rows. Here each weight is read once for all rows.
//!
//! A T5 with the sizes of LaMini-Flan-T5-248M, 30 tokens on a prompt of 200, prompt included, takes
//! less CPU time than with candle's product by these factors: greedy 1.46, 4 beams 3.9, 8 beams
//! 3.4, 16 beams 3.1 (one thread, AVX2, alternating runs on the checkpoint and calls of
//! `scripts/model_speed t5`).
//!
//! Invariant: a row's result is bit-identical for any other rows in the batch.

use std::array::from_fn;

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, bail};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Most rows for which this is used: the maximum number of beams. It is faster for all of them.
const ROWS_MAX: usize = 16;
/// Outputs computed per thread before another thread is used.
const OUTPUTS_AT_ONCE: usize = 64;
/// Outputs, and rows, that are summed together: eight sums and their operands fit into the sixteen
/// registers of AVX2.
const OUTPUTS: usize = 2;
const ROWS: usize = 4;

/// `x` times the transpose of `weight`: `[n, inputs]` and `[outputs, inputs]` give `[n, outputs]`.
pub(super) fn product(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    let rows = x.dims2()?.0;
    if rows > ROWS_MAX || !weight.is_contiguous() || !weight.device().is_cpu() {
        return x.matmul(&weight.t()?);
    }
    x.contiguous()?.apply_op2_no_bwd(weight, &FewRows)
}

struct FewRows;

impl CustomOp2 for FewRows {
    fn name(&self) -> &'static str {
        "few-rows"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        weight: &CpuStorage,
        weight_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (rows, inputs) = x_layout.shape().dims2()?;
        let (outputs, columns) = weight_layout.shape().dims2()?;
        let (Some(x_at), Some(at)) = (
            x_layout.contiguous_offsets(),
            weight_layout.contiguous_offsets(),
        ) else {
            bail!("a product of few rows takes matrices that are in one piece");
        };
        if inputs != columns || inputs == 0 {
            bail!("rows of {inputs} and a matrix of {columns} columns cannot be multiplied");
        }
        let x = &x.as_slice::<f32>()?[x_at.0..x_at.1];
        let weight = &weight.as_slice::<f32>()?[at.0..at.1];
        // Outputs are the outer dimension, so that threads write to separate memory.
        let mut turned = vec![0.0_f32; outputs * rows];
        let arch = Arch::new();
        turned
            .par_chunks_mut(OUTPUTS_AT_ONCE * rows)
            .zip(weight.par_chunks(OUTPUTS_AT_ONCE * inputs))
            .for_each(|(out, weight)| {
                arch.dispatch(Share {
                    out,
                    weight,
                    x,
                    inputs,
                });
            });
        let mut out = vec![0.0_f32; rows * outputs];
        for (output, values) in turned.chunks_exact(rows).enumerate() {
            for (row, value) in values.iter().enumerate() {
                out[row * outputs + output] = *value;
            }
        }
        Ok((CpuStorage::F32(out), Shape::from((rows, outputs))))
    }
}

/// One thread's outputs for all rows of `x`: `out` has a row for each row of `weight`.
struct Share<'a> {
    out: &'a mut [f32],
    weight: &'a [f32],
    x: &'a [f32],
    inputs: usize,
}

impl WithSimd for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let rows = self.x.len() / self.inputs;
        let some = self.weight.chunks(OUTPUTS * self.inputs);
        for (out, weight) in self.out.chunks_mut(OUTPUTS * rows).zip(some) {
            for (tile, x) in self.x.chunks(ROWS * self.inputs).enumerate() {
                let out = &mut out[tile * ROWS..];
                match (weight.len() == OUTPUTS * self.inputs, x.len() / self.inputs) {
                    (true, 1) => tile_of::<S, OUTPUTS, 1>(simd, weight, x, (out, rows)),
                    (true, 2) => tile_of::<S, OUTPUTS, 2>(simd, weight, x, (out, rows)),
                    (true, 3) => tile_of::<S, OUTPUTS, 3>(simd, weight, x, (out, rows)),
                    (true, _) => tile_of::<S, OUTPUTS, ROWS>(simd, weight, x, (out, rows)),
                    (false, _) => {
                        for (output, weight) in weight.chunks_exact(self.inputs).enumerate() {
                            for (row, x) in x.chunks_exact(self.inputs).enumerate() {
                                let out = &mut out[output * rows + row..];
                                tile_of::<S, 1, 1>(simd, weight, x, (out, rows));
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Some outputs of some rows together: each loaded value of one side is used for all of the other,
/// and the sums are independent.
#[inline(always)]
fn tile_of<S: Simd, const OUT: usize, const IN: usize>(
    simd: S,
    weight: &[f32],
    x: &[f32],
    (out, stride): (&mut [f32], usize),
) {
    let inputs = weight.len() / OUT;
    let weights: [_; OUT] = from_fn(|at| S::as_simd_f32s(&weight[at * inputs..][..inputs]));
    let rows: [_; IN] = from_fn(|at| S::as_simd_f32s(&x[at * inputs..][..inputs]));
    let vectors = weights[0].0.len();
    let heads: [_; OUT] = from_fn(|at| &weights[at].0[..vectors]);
    let inner: [_; IN] = from_fn(|at| &rows[at].0[..vectors]);
    let mut sums = [[simd.splat_f32s(0.0); IN]; OUT];
    for at in 0..vectors {
        for output in 0..OUT {
            for row in 0..IN {
                let sum = &mut sums[output][row];
                *sum = simd.mul_add_e_f32s(heads[output][at], inner[row][at], *sum);
            }
        }
    }
    for output in 0..OUT {
        for row in 0..IN {
            let rest = weights[output].1.iter().zip(rows[row].1);
            let rest: f32 = rest.map(|(a, b)| a * b).sum();
            out[output * stride + row] = simd.reduce_sum_f32s(sums[output][row]) + rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn it_is_the_general_product() {
        let apart = |rows: usize, inputs: usize, outputs: usize| -> Result<f32> {
            let wave =
                |n: usize, by: f64| (Tensor::arange(0., n as f32, &Device::Cpu)? * by)?.sin();
            let x = wave(rows * inputs, 1.3)?.reshape((rows, inputs))?;
            let weight = wave(outputs * inputs, 0.7)?.reshape((outputs, inputs))?;
            let off = (product(&x, &weight)? - x.matmul(&weight.t()?)?)?;
            off.abs()?.max_all()?.to_scalar()
        };
        let short = [(1, 64, 10), (4, 37, 130), (8, 5, 1), (3, 16, 64), (9, 7, 3)];
        let long = [(2, 333, 65), (16, 768, 67), (7, 70, 129), (17, 96, 33)];
        for (rows, inputs, outputs) in short.into_iter().chain(long) {
            let off = apart(rows, inputs, outputs).expect("a product");
            assert!(off < 1e-4, "{rows} x {inputs} x {outputs} is off by {off}");
        }
    }

    #[test]
    fn rows_do_not_know_each_other() {
        let same = || -> Result<bool> {
            let x = (Tensor::arange(0., 16.0 * 99.0_f32, &Device::Cpu)? * 1.3)?.sin()?;
            let weight = (Tensor::arange(0., 35.0 * 99.0_f32, &Device::Cpu)? * 0.7)?.sin()?;
            let (x, weight) = (x.reshape((16, 99))?, weight.reshape((35, 99))?);
            let all = product(&x, &weight)?.to_vec2::<f32>()?;
            let mut same = true;
            for (row, among) in all.iter().enumerate() {
                let alone = product(&x.narrow(0, row, 1)?, &weight)?;
                same &= alone.flatten_all()?.to_vec1::<f32>()? == *among;
            }
            Ok(same)
        };
        assert!(matches!(same(), Ok(true)));
    }

    #[test]
    fn matrices_that_do_not_fit_are_refused() {
        let zeros = |shape| Tensor::zeros(shape, candle_core::DType::F32, &Device::Cpu);
        let (x, weight) = (zeros((2, 3)).expect("zeros"), zeros((4, 5)).expect("zeros"));
        let error = product(&x, &weight).expect_err("3 is not 5");
        assert!(error.to_string().contains("rows of 3"), "{error}");
    }
}
