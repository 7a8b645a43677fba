//! Convolutions over rows and columns, channels last, and the scale with ReLU between them.
//!
//! A sound of one dimension is one row. On the CPU the values under the kernel are gathered for a
//! few places at a time, so that they stay in the cache, and multiplied with this crate's product;
//! on one thread that takes about half of the time of candle's convolution.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor, bail};
use rayon::prelude::*;

use crate::kernel::{Activation, Onto, Packed, View, product};

/// Places that are gathered at once: with 288 values each they fill a third of the L2 cache.
const BLOCK: usize = 144;

/// The shape of a convolution. Pairs are rows and columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometry {
    /// Input channels.
    pub(crate) inputs: usize,
    /// Output channels.
    pub(crate) outputs: usize,
    pub(crate) kernel: (usize, usize),
    pub(crate) stride: (usize, usize),
    /// Distance of neighbouring columns of the kernel; its rows are neighbours.
    pub(crate) dilation: usize,
    /// Zeros around the input.
    pub(crate) padding: (usize, usize),
}

impl Geometry {
    /// One place to one place.
    pub(crate) fn linear(inputs: usize, outputs: usize) -> Self {
        Self::line(inputs, outputs, 1)
    }

    /// Along one row, without padding.
    pub(crate) fn line(inputs: usize, outputs: usize, columns: usize) -> Self {
        Self {
            inputs,
            outputs,
            kernel: (1, columns),
            stride: (1, 1),
            dilation: 1,
            padding: (0, 0),
        }
    }

    /// The shape of the weight.
    pub(crate) fn weight(&self) -> [usize; 4] {
        [self.outputs, self.inputs, self.kernel.0, self.kernel.1]
    }

    /// Rows and columns of the result for an input of `rows` and `columns`.
    fn places(&self, (rows, columns): (usize, usize)) -> Option<(usize, usize)> {
        let reach = self.dilation * (self.kernel.1 - 1) + 1;
        let along = |size: usize, padding: usize, reach: usize, stride: usize| {
            Some((size + 2 * padding).checked_sub(reach)? / stride + 1)
        };
        Some((
            along(rows, self.padding.0, self.kernel.0, self.stride.0)?,
            along(columns, self.padding.1, reach, self.stride.1)?,
        ))
    }
}

/// A convolution with a bias and an activation.
#[derive(Debug)]
pub(crate) enum Conv {
    /// On the CPU.
    Cpu(OnCpu),
    /// On another device.
    Device(OnDevice),
}

/// Weights in the kernel's layout.
pub(crate) struct OnCpu {
    geometry: Geometry,
    weight: Packed,
    bias: Vec<f32>,
    activation: Activation,
}

/// Weights in candle's layout.
#[derive(Debug)]
pub(crate) struct OnDevice {
    geometry: Geometry,
    weight: Tensor,
    bias: Tensor,
    relu: bool,
}

impl Conv {
    /// A convolution with `weight` as in [`Geometry::weight`], `bias` for each output channel, and
    /// a ReLU after it if `relu`.
    pub(crate) fn new(
        geometry: Geometry,
        weight: &Tensor,
        bias: &Tensor,
        relu: bool,
    ) -> Result<Self> {
        let weight = weight.reshape(geometry.weight().as_slice())?;
        if !weight.device().is_cpu() {
            return Ok(Self::Device(OnDevice {
                geometry,
                weight,
                bias: bias.reshape((1, geometry.outputs, 1, 1))?,
                relu,
            }));
        }
        let rows = weight.permute((0, 2, 3, 1))?.contiguous()?.flatten_all()?;
        let size = geometry.inputs * geometry.kernel.0 * geometry.kernel.1;
        let activation = if relu {
            Activation::Relu
        } else {
            Activation::None
        };
        Ok(Self::Cpu(OnCpu {
            geometry,
            weight: Packed::transposed(View::dense(&rows.to_vec1::<f32>()?, size)),
            bias: bias.flatten_all()?.to_vec1()?,
            activation,
        }))
    }

    /// `[rows, columns, inputs]` to `[rows', columns', outputs]`.
    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Cpu(conv) => x.contiguous()?.apply_op1_no_bwd(conv),
            Self::Device(conv) => conv.forward(x),
        }
    }

    /// Bytes of weights.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Cpu(conv) => conv.weight.bytes() + conv.bias.len() * size_of::<f32>(),
            Self::Device(conv) => {
                (conv.weight.elem_count() + conv.bias.elem_count()) * size_of::<f32>()
            }
        }
    }
}

impl std::fmt::Debug for OnCpu {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("OnCpu")
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}

impl CustomOp1 for OnCpu {
    fn name(&self) -> &'static str {
        "packed-convolution"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (rows, columns, inputs) = layout.shape().dims3()?;
        let (Some((start, end)), Some(places)) = (
            layout.contiguous_offsets(),
            self.geometry.places((rows, columns)),
        ) else {
            bail!("an input of {rows} by {columns} is too small, or not in one piece");
        };
        if inputs != self.geometry.inputs {
            bail!(
                "{inputs} channels for a convolution of {}",
                self.geometry.inputs
            );
        }
        let x = &x.as_slice::<f32>()?[start..end];
        let (count, outputs) = (places.0 * places.1, self.geometry.outputs);
        let mut out = vec![0.0; count * outputs];
        let input = Input {
            x,
            size: (rows, columns),
            columns: places.1,
        };
        // A place does not depend on others, so the result does not depend on the number of
        // threads.
        let share = count.div_ceil(rayon::current_num_threads()).max(BLOCK);
        let shares = out.par_chunks_mut(share * outputs).enumerate();
        shares.for_each(|(index, out)| self.fill(&input, index * share, out));
        let shape = Shape::from((places.0, places.1, outputs));
        Ok((CpuStorage::F32(out), shape))
    }
}

/// The input of a convolution.
struct Input<'a> {
    x: &'a [f32],
    size: (usize, usize),
    /// Columns of the result.
    columns: usize,
}

impl OnCpu {
    /// Writes the results of the places from `first` on.
    fn fill(&self, input: &Input<'_>, first: usize, out: &mut [f32]) {
        let outputs = self.geometry.outputs;
        let (mut gathered, mut work) = (Vec::new(), Vec::new());
        for (index, out) in out.chunks_mut(BLOCK * outputs).enumerate() {
            let (begin, count) = (first + index * BLOCK, out.len() / outputs);
            let left = if self.geometry.kernel == (1, 1) && self.geometry.stride == (1, 1) {
                &input.x[begin * self.geometry.inputs..][..count * self.geometry.inputs]
            } else {
                gathered.clear();
                (begin..begin + count).for_each(|place| self.gather(input, place, &mut gathered));
                &gathered
            };
            let size = left.len() / count;
            let (onto, to) = (Onto::Bias(&self.bias), (out, outputs));
            let left = View::dense(left, size);
            product(left, &self.weight, onto, self.activation, to, &mut work);
        }
    }

    /// Appends the values under the kernel at `place`.
    fn gather(&self, input: &Input<'_>, place: usize, to: &mut Vec<f32>) {
        let Geometry {
            kernel,
            stride,
            padding,
            dilation,
            inputs,
            ..
        } = self.geometry;
        let (row, column) = (place / input.columns, place % input.columns);
        // columns that are neighbours are copied at once
        let (runs, run) = if dilation == 1 {
            (1, kernel.1)
        } else {
            (kernel.1, 1)
        };
        for offset in 0..kernel.0 {
            let row = (row * stride.0 + offset).checked_sub(padding.0);
            let row = row.filter(|row| *row < input.size.0);
            let Some(row) = row else {
                to.resize(to.len() + kernel.1 * inputs, 0.0);
                continue;
            };
            let row = &input.x[row * input.size.1 * inputs..][..input.size.1 * inputs];
            for index in 0..runs {
                let first = column * stride.1 + index * dilation;
                let before = padding.1.saturating_sub(first).min(run);
                let begin = (first + before).saturating_sub(padding.1);
                let end = (first + run).saturating_sub(padding.1).min(input.size.1);
                let found = row.get(begin * inputs..end * inputs).unwrap_or_default();
                let after = (run - before) * inputs - found.len();
                to.resize(to.len() + before * inputs, 0.0);
                to.extend_from_slice(found);
                to.resize(to.len() + after, 0.0);
            }
        }
    }
}

impl OnDevice {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Geometry {
            kernel,
            stride,
            padding,
            dilation,
            ..
        } = self.geometry;
        let x = x.permute((2, 0, 1))?.unsqueeze(0)?.contiguous()?;
        let y = if kernel.0 == 1 && padding.0 == 0 && stride.0 == 1 {
            // one-dimensional, each row for itself
            let (channels, rows) = (x.dim(1)?, x.dim(2)?);
            let x = x.squeeze(0)?.permute((1, 0, 2))?.contiguous()?;
            debug_assert_eq!(x.dims()[..2], [rows, channels]);
            let weight = self.weight.squeeze(2)?;
            let y = x.conv1d(&weight, padding.1, stride.1, dilation, 1)?;
            y.permute((1, 0, 2))?.unsqueeze(0)?
        } else if (stride.1, dilation) == (1, 1) && padding.0 == padding.1 {
            // candle has one stride for both directions: rows that are skipped are dropped after
            let y = x.conv2d(&self.weight, padding.0, 1, 1, 1)?;
            let rows = (0..y.dim(2)? as u32).step_by(stride.0).collect::<Vec<_>>();
            let rows = Tensor::new(rows, y.device())?;
            y.contiguous()?.index_select(&rows, 2)?
        } else {
            bail!("no convolution of {:?} on this device", self.geometry);
        };
        let y = y.broadcast_add(&self.bias)?;
        let y = if self.relu { y.relu()? } else { y };
        y.squeeze(0)?.permute((1, 2, 0))?.contiguous()
    }
}

/// A scale and a shift for each channel, then a ReLU: batch normalisation of a trained network.
#[derive(Debug)]
pub(crate) struct ScaleRelu {
    scale: Vec<f32>,
    shift: Vec<f32>,
    on_device: [Tensor; 2],
}

impl ScaleRelu {
    /// From a scale and a shift on their device.
    pub(crate) fn new(scale: &Tensor, shift: &Tensor) -> Result<Self> {
        Ok(Self {
            scale: scale.to_vec1()?,
            shift: shift.to_vec1()?,
            on_device: [scale.clone(), shift.clone()],
        })
    }

    /// `[rows, columns, channels]` to the same.
    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if x.device().is_cpu() {
            return x.contiguous()?.apply_op1_no_bwd(self);
        }
        let [scale, shift] = &self.on_device;
        x.broadcast_mul(scale)?.broadcast_add(shift)?.relu()
    }
}

impl CustomOp1 for ScaleRelu {
    fn name(&self) -> &'static str {
        "scale-relu"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Some((start, end)) = layout.contiguous_offsets() else {
            bail!("a scale takes values that are in one piece");
        };
        let mut out = x.as_slice::<f32>()?[start..end].to_vec();
        for row in out.chunks_exact_mut(self.scale.len()) {
            for ((x, scale), shift) in row.iter_mut().zip(&self.scale).zip(&self.shift) {
                let y = *x * scale + shift;
                // not `max`, which drops NaN
                *x = if y < 0.0 { 0.0 } else { y };
            }
        }
        Ok((CpuStorage::F32(out), layout.shape().clone()))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    fn wave(shape: &[usize], by: f64) -> Result<Tensor> {
        let count = shape.iter().product::<usize>() as f32;
        let angles = (Tensor::arange(0.0, count, &Device::Cpu)? * by)?;
        angles.sin()?.reshape(shape)
    }

    /// The same convolution in the two ways.
    fn both(geometry: Geometry, relu: bool) -> Result<[Conv; 2]> {
        let weight = wave(&geometry.weight(), 0.7)?;
        let bias = wave(&[geometry.outputs], 1.9)?;
        let on_device = OnDevice {
            geometry,
            weight: weight.clone(),
            bias: bias.reshape((1, geometry.outputs, 1, 1))?,
            relu,
        };
        let ready = Conv::new(geometry, &weight, &bias, relu)?;
        assert!(matches!(ready, Conv::Cpu(_)));
        Ok([ready, Conv::Device(on_device)])
    }

    fn apart(geometry: Geometry, (rows, columns): (usize, usize), relu: bool) -> Result<f32> {
        let x = wave(&[rows, columns, geometry.inputs], 1.3)?;
        let [one, other] = both(geometry, relu)?;
        let (one, other) = (one.forward(&x)?, other.forward(&x)?);
        let places = geometry.places((rows, columns));
        assert_eq!(
            Some(one.dims3()?),
            places.map(|(r, c)| (r, c, geometry.outputs))
        );
        let off = (one - other)?.abs()?.flatten_all()?;
        off.max(0)?.to_scalar()
    }

    #[test]
    fn both_ways_give_the_same() {
        let line = |inputs, outputs, columns| Geometry::line(inputs, outputs, columns);
        let plane = |kernel: usize, step| Geometry {
            kernel: (kernel, kernel),
            stride: (step, 1),
            padding: (kernel / 2, kernel / 2),
            ..line(3, 7, 1)
        };
        let dilated = |dilation| Geometry {
            dilation,
            padding: (0, dilation),
            ..line(5, 4, 3)
        };
        let tdnn = Geometry {
            stride: (1, 2),
            padding: (0, 2),
            ..line(6, 9, 5)
        };
        let filters = Geometry {
            stride: (1, 10),
            ..line(1, 8, 51)
        };
        let cases = [
            (plane(3, 1), (5, 40)),
            (plane(3, 2), (8, 23)),
            (plane(3, 2), (9, 1)),
            (plane(1, 2), (7, 30)),
            (line(6, 9, 1), (1, 300)),
            (line(6, 9, 5), (1, 5)),
            (dilated(1), (1, 2)),
            (dilated(2), (1, 1)),
            (dilated(2), (1, 333)),
            (tdnn, (1, 1)),
            (tdnn, (1, 148)),
            (filters, (1, 3_000)),
        ];
        for (geometry, size) in cases {
            for relu in [false, true] {
                let off = apart(geometry, size, relu).expect("a convolution");
                assert!(off < 1e-5, "{geometry:?} of {size:?} is off by {off:e}");
            }
        }
    }

    #[test]
    fn what_is_too_small_or_has_other_channels_is_an_error() {
        let conv = &both(Geometry::line(2, 3, 5), false).expect("a convolution")[0];
        for shape in [[1, 4, 2], [1, 5, 3]] {
            assert!(conv.forward(&wave(&shape, 1.0).expect("a wave")).is_err());
        }
    }

    #[test]
    fn a_scale_drops_what_is_negative_and_keeps_nan() {
        let tensor = |values: [f32; 2]| Tensor::new(&values, &Device::Cpu).expect("two");
        let layer = ScaleRelu::new(&tensor([2.0, -1.0]), &tensor([1.0, 0.5])).expect("a layer");
        let x = Tensor::new(&[[[1.0_f32, 1.0], [-3.0, f32::NAN]]], &Device::Cpu);
        let y = x.and_then(|x| layer.forward(&x)?.flatten_all()?.to_vec1::<f32>());
        let y = y.expect("four values");
        assert_eq!(y[..3], [3.0, 0.0, 0.0]);
        assert!(y[3].is_nan());
    }
}
