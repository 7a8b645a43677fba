//! The network CAM++ (Wang et al. 2023): a convolutional front, densely connected layers of
//! time-delay neurons, each masked by its context, and a vector of mean and deviation over time.
//!
//! Reproduces 3D-Speaker's. Sizes are read from the tensors; kernels, strides and dilations are
//! those of the published network. Its frames have half of the rate of its input.

use candle_core::{Device, Result, Tensor};
use candle_nn::ops::sigmoid;

use super::fbank::BINS;
use super::norm::{BatchNorm, take_weight};
use super::sizes::Sizes;
use crate::checkpoint::{LoadError, TensorFile};
use crate::layers::{Conv, Geometry, ScaleRelu};

/// Frames that share a context beside that of the whole sound: two seconds.
const SEGMENT: usize = 100;
/// Rows of the spectrum after the front: it halves them three times.
const ROWS: usize = BINS / 8;

type Loaded<T> = std::result::Result<T, LoadError>;

/// The weights of a CAM++, in f32, on one device.
#[derive(Debug)]
pub(super) struct Campplus {
    head: Head,
    tdnn: Conv,
    blocks: Vec<Block>,
    dense: Conv,
    device: Device,
}

impl Campplus {
    pub(super) fn load(file: &TensorFile, sizes: &Sizes, device: &Device) -> Loaded<Self> {
        let name = "xvector.tdnn";
        let norm = |name: &str, channels| BatchNorm::take(file, name, channels, false);
        let tdnn = Geometry {
            stride: (1, 2),
            padding: (0, 2),
            ..Geometry::line(ROWS * sizes.front, sizes.first, 5)
        };
        let after = norm(&format!("{name}.nonlinear.batchnorm"), sizes.first)?;
        let tdnn = after.after(file, &format!("{name}.linear"), tdnn, true)?;
        let mut channels = sizes.first;
        let mut blocks = Vec::new();
        for (index, &layers) in sizes.layers.iter().enumerate() {
            let block = Block::load(file, sizes, index, channels)?;
            channels = (channels + layers * sizes.growth) / 2;
            blocks.push(block);
        }
        let name = "xvector.dense";
        let after = format!("{name}.nonlinear.batchnorm");
        let after = BatchNorm::take(file, &after, sizes.vector, true)?;
        let dense = Geometry::linear(2 * channels, sizes.vector);
        Ok(Self {
            head: Head::load(file, sizes.front)?,
            tdnn,
            blocks,
            dense: after.after(file, &format!("{name}.linear"), dense, false)?,
            device: device.clone(),
        })
    }

    /// The vector of `[frames, BINS]` filter banks, whose mean over time was removed; not of unit
    /// length. There must be three frames.
    pub(super) fn forward(&self, banks: Vec<f32>) -> Result<Vec<f32>> {
        let banks = Tensor::from_vec(banks, ((), BINS, 1), &self.device)?;
        // [BINS, frames, 1] to [ROWS, frames, channels]
        let x = self.head.forward(&banks.transpose(0, 1)?.contiguous()?)?;
        // the reference's order of channels: those of the front, each with all rows
        let x = x.permute((1, 2, 0))?.flatten_from(1)?.unsqueeze(0)?;
        let mut x = self.tdnn.forward(&x)?;
        for block in &self.blocks {
            x = block.forward(x)?;
        }
        let frames = x.dim(1)?;
        let mean = x.mean_keepdim(1)?;
        let squares = x.broadcast_sub(&mean)?.sqr()?.sum_keepdim(1)?;
        let deviation = (squares / (frames - 1) as f64)?.sqrt()?;
        let both = Tensor::cat(&[mean, deviation], 2)?;
        self.dense.forward(&both)?.flatten_all()?.to_vec1()
    }

    pub(super) fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(Block::bytes).sum();
        self.head.bytes() + self.tdnn.bytes() + blocks + self.dense.bytes()
    }
}

/// The front: convolutions over frequency and time with residual connections.
#[derive(Debug)]
struct Head {
    first: Conv,
    residual: Vec<Residual>,
    last: Conv,
}

/// Two convolutions, and what is added to them.
#[derive(Debug)]
struct Residual {
    first: Conv,
    second: Conv,
    shortcut: Option<Conv>,
}

impl Head {
    fn load(file: &TensorFile, channels: usize) -> Loaded<Self> {
        let conv = |inputs, step, conv: &str, norm: &str| {
            let (conv, norm) = (format!("head.{conv}"), format!("head.{norm}"));
            let norm = BatchNorm::take(file, &norm, channels, false)?;
            norm.after(file, &conv, plane(inputs, channels, 3, step), true)
        };
        let places = [
            ("layer1.0", 2),
            ("layer1.1", 1),
            ("layer2.0", 2),
            ("layer2.1", 1),
        ];
        let residual = places.map(|(name, step)| Residual::load(file, name, channels, step));
        Ok(Self {
            first: conv(1, 1, "conv1", "bn1")?,
            residual: residual.into_iter().collect::<Loaded<_>>()?,
            last: conv(channels, 2, "conv2", "bn2")?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = self.first.forward(x)?;
        for layer in &self.residual {
            x = layer.forward(&x)?;
        }
        self.last.forward(&x)
    }

    fn bytes(&self) -> usize {
        let layers: usize = self.residual.iter().map(Residual::bytes).sum();
        self.first.bytes() + layers + self.last.bytes()
    }
}

impl Residual {
    fn load(file: &TensorFile, name: &str, channels: usize, step: usize) -> Loaded<Self> {
        let conv = |conv: &str, norm: &str, geometry, relu| {
            let (conv, norm) = (format!("head.{name}.{conv}"), format!("head.{name}.{norm}"));
            BatchNorm::take(file, &norm, channels, false)?.after(file, &conv, geometry, relu)
        };
        let wide = |step| plane(channels, channels, 3, step);
        let shortcut = match step {
            1 => None,
            _ => Some(conv(
                "shortcut.0",
                "shortcut.1",
                plane(channels, channels, 1, step),
                false,
            )?),
        };
        Ok(Self {
            first: conv("conv1", "bn1", wide(step), true)?,
            second: conv("conv2", "bn2", wide(1), false)?,
            shortcut,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.second.forward(&self.first.forward(x)?)?;
        match &self.shortcut {
            None => (y + x)?.relu(),
            Some(shortcut) => (y + shortcut.forward(x)?)?.relu(),
        }
    }

    fn bytes(&self) -> usize {
        let shortcut = self.shortcut.as_ref().map_or(0, Conv::bytes);
        self.first.bytes() + self.second.bytes() + shortcut
    }
}

/// A square kernel that takes every `step`-th row.
fn plane(inputs: usize, outputs: usize, kernel: usize, step: usize) -> Geometry {
    Geometry {
        kernel: (kernel, kernel),
        stride: (step, 1),
        padding: (kernel / 2, kernel / 2),
        ..Geometry::linear(inputs, outputs)
    }
}

/// Layers of which each reads what all before it wrote, and one that halves the channels.
#[derive(Debug)]
struct Block {
    layers: Vec<Masked>,
    before: ScaleRelu,
    half: Conv,
}

/// A layer masked by its context.
#[derive(Debug)]
struct Masked {
    before: ScaleRelu,
    inner: Conv,
    local: Conv,
    context: [Conv; 2],
}

impl Block {
    fn load(file: &TensorFile, sizes: &Sizes, index: usize, inputs: usize) -> Loaded<Self> {
        // the frames that a layer of the first block reads are neighbours
        let dilation = if index == 0 { 1 } else { 2 };
        let layers = sizes.layers[index];
        let layer = |layer: usize| {
            let name = format!("xvector.block{}.tdnnd{}", index + 1, layer + 1);
            Masked::load(file, &name, sizes, inputs + layer * sizes.growth, dilation)
        };
        let masked = (0..layers).map(layer).collect::<Loaded<_>>()?;
        let channels = inputs + layers * sizes.growth;
        let name = format!("xvector.transit{}", index + 1);
        let norm = |name: &str, channels| BatchNorm::take(file, name, channels, false);
        let before = norm(&format!("{name}.nonlinear.batchnorm"), channels)?;
        let (half, name) = (
            Geometry::linear(channels, channels / 2),
            format!("{name}.linear"),
        );
        Ok(Self {
            layers: masked,
            before: file.made(before.with_relu())?,
            half: if index + 1 == sizes.layers.len() {
                let last = norm("xvector.out_nonlinear.batchnorm", channels / 2)?;
                last.after(file, &name, half, true)?
            } else {
                let weight = take_weight(file, &name, half)?;
                file.made(without_bias(half, &weight))?
            },
        })
    }

    /// `[1, frames, channels]` to the same with other channels.
    fn forward(&self, mut x: Tensor) -> Result<Tensor> {
        for layer in &self.layers {
            let y = layer.forward(&x)?;
            x = Tensor::cat(&[x, y], 2)?;
        }
        self.half.forward(&self.before.forward(&x)?)
    }

    fn bytes(&self) -> usize {
        let layers: usize = self.layers.iter().map(Masked::bytes).sum();
        layers + self.half.bytes()
    }
}

impl Masked {
    fn load(
        file: &TensorFile,
        name: &str,
        sizes: &Sizes,
        inputs: usize,
        dilation: usize,
    ) -> Loaded<Self> {
        let (inner, growth) = (sizes.inner, sizes.growth);
        let norm = |part: &str, channels| {
            BatchNorm::take(file, &format!("{name}.{part}.batchnorm"), channels, false)
        };
        let local = Geometry {
            dilation,
            padding: (0, dilation),
            ..Geometry::line(inner, growth, 3)
        };
        let at = |part: &str| format!("{name}.cam_layer.{part}");
        let context = |part: &str, inputs, outputs, relu| {
            let geometry = Geometry::linear(inputs, outputs);
            let weight = take_weight(file, &at(part), geometry)?;
            let bias = file.take(&format!("{}.bias", at(part)), &[outputs])?;
            file.made(Conv::new(geometry, &weight, &bias, relu))
        };
        let local_weight = take_weight(file, &at("linear_local"), local)?;
        let (linear, name) = (Geometry::linear(inputs, inner), format!("{name}.linear1"));
        Ok(Self {
            before: file.made(norm("nonlinear1", inputs)?.with_relu())?,
            inner: norm("nonlinear2", inner)?.after(file, &name, linear, true)?,
            local: file.made(without_bias(local, &local_weight))?,
            context: [
                context("linear1", inner, inner / 2, true)?,
                context("linear2", inner / 2, growth, false)?,
            ],
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.inner.forward(&self.before.forward(x)?)?;
        let frames = x.dim(1)?;
        let segments = (0..frames).step_by(SEGMENT);
        let segments = segments.map(|first| (first, SEGMENT.min(frames - first)));
        let segments = segments.collect::<Vec<_>>();
        let means = segments.iter();
        let means = means.map(|&(first, length)| x.narrow(1, first, length)?.mean_keepdim(1));
        let means = Tensor::cat(&means.collect::<Result<Vec<_>>>()?, 1)?;
        let context = means.broadcast_add(&x.mean_keepdim(1)?)?;
        let [first, second] = &self.context;
        let mask = sigmoid(&second.forward(&first.forward(&context)?)?)?;
        let y = self.local.forward(&x)?;
        let masked = segments
            .iter()
            .enumerate()
            .map(|(index, &(first, length))| {
                let mask = mask.narrow(1, index, 1)?;
                y.narrow(1, first, length)?.broadcast_mul(&mask)
            });
        let masked = masked.collect::<Result<Vec<_>>>()?;
        match masked.as_slice() {
            [one] => Ok(one.clone()),
            all => Tensor::cat(all, 1),
        }
    }

    fn bytes(&self) -> usize {
        let context: usize = self.context.iter().map(Conv::bytes).sum();
        self.inner.bytes() + self.local.bytes() + context
    }
}

fn without_bias(geometry: Geometry, weight: &Tensor) -> Result<Conv> {
    let bias = Tensor::zeros(geometry.outputs, weight.dtype(), weight.device())?;
    Conv::new(geometry, weight, &bias, false)
}
