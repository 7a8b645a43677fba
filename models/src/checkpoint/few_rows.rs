//! A product of a few rows with a weight matrix: what writing one token of some replies is.
//!
//! A general product packs the matrix before it multiplies, which for a few rows costs more than
//! the product; here each weight is read once, for all rows.

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor, bail};
use pulp::Arch;
use rayon::prelude::*;

/// Rows up to which this is faster than a general product.
const ROWS_MAX: usize = 8;
/// Outputs that one thread makes before it takes more.
const OUTPUTS_AT_ONCE: usize = 64;
/// Sums that run side by side, so that additions need not wait for each other.
const LANES: usize = 16;

/// `x` times `weight` turned: `[n, inputs]` and `[outputs, inputs]` give `[n, outputs]`.
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
        // Outputs first, so that threads write apart.
        let mut turned = vec![0.0_f32; outputs * rows];
        let arch = Arch::new();
        turned
            .par_chunks_mut(OUTPUTS_AT_ONCE * rows)
            .zip(weight.par_chunks(OUTPUTS_AT_ONCE * inputs))
            .for_each(|(out, weight)| {
                arch.dispatch(
                    #[inline(always)]
                    || some_outputs(out, weight, x, inputs),
                );
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

/// The products of some rows of the matrix with all rows of `x`.
#[inline(always)]
fn some_outputs(out: &mut [f32], weight: &[f32], x: &[f32], inputs: usize) {
    let rows = x.len() / inputs;
    for (out, weight) in out.chunks_exact_mut(rows).zip(weight.chunks_exact(inputs)) {
        for (out, x) in out.iter_mut().zip(x.chunks_exact(inputs)) {
            *out = dot(weight, x);
        }
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
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
        for (rows, inputs, outputs) in
            [(1, 64, 10), (4, 37, 130), (8, 5, 1), (3, 16, 64), (9, 7, 3)]
        {
            let off = apart(rows, inputs, outputs).expect("a product");
            assert!(off < 1e-4, "{rows} x {inputs} x {outputs} is off by {off}");
        }
    }

    #[test]
    fn matrices_that_do_not_fit_are_refused() {
        let zeros = |shape| Tensor::zeros(shape, candle_core::DType::F32, &Device::Cpu);
        let (x, weight) = (zeros((2, 3)).expect("zeros"), zeros((4, 5)).expect("zeros"));
        let error = product(&x, &weight).expect_err("3 is not 5");
        assert!(error.to_string().contains("rows of 3"), "{error}");
    }
}
