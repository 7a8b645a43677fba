//! Batch normalisation of a trained network: a scale and a shift for each channel, most of them
//! folded into the layer before.

use candle_core::{Result, Tensor};

use crate::checkpoint::{LoadError, TensorFile};
use crate::layers::{Conv, Geometry, ScaleRelu};

/// PyTorch's addition to the variance.
const EPSILON: f64 = 1e-5;

/// A scale and a shift for each channel.
pub(super) struct BatchNorm {
    scale: Tensor,
    shift: Tensor,
}

impl BatchNorm {
    /// Loads `name.running_mean` and `name.running_var`, and unless it is `bare` `name.weight` and
    /// `name.bias`.
    pub(super) fn take(
        file: &TensorFile,
        name: &str,
        channels: usize,
        bare: bool,
    ) -> std::result::Result<Self, LoadError> {
        let part = |part: &str| file.take(&format!("{name}.{part}"), &[channels]);
        let (mean, variance) = (part("running_mean")?, part("running_var")?);
        let own = match bare {
            true => None,
            false => Some((part("weight")?, part("bias")?)),
        };
        let made = || -> Result<Self> {
            let scale = (variance + EPSILON)?.sqrt()?.recip()?;
            let (scale, bias) = match own {
                None => (scale, mean.zeros_like()?),
                Some((weight, bias)) => ((weight * scale)?, bias),
            };
            let shift = (bias - (mean * &scale)?)?;
            Ok(Self { scale, shift })
        };
        file.made(made())
    }

    /// With a ReLU after it, as a layer of its own.
    pub(super) fn with_relu(&self) -> Result<ScaleRelu> {
        ScaleRelu::new(&self.scale, &self.shift)
    }

    /// Folded into the convolution before it, `name.weight`, which has no bias.
    pub(super) fn after(
        &self,
        file: &TensorFile,
        name: &str,
        geometry: Geometry,
        relu: bool,
    ) -> std::result::Result<Conv, LoadError> {
        let weight = take_weight(file, name, geometry)?;
        let made = || -> Result<Conv> {
            let factors = self.scale.reshape((geometry.outputs, 1, 1, 1))?;
            let weight = weight.broadcast_mul(&factors)?;
            Conv::new(geometry, &weight, &self.shift, relu)
        };
        file.made(made())
    }
}

/// The weight of a convolution, with four dimensions.
pub(super) fn take_weight(
    file: &TensorFile,
    name: &str,
    geometry: Geometry,
) -> std::result::Result<Tensor, LoadError> {
    let shape = geometry.weight();
    let name = format!("{name}.weight");
    // those along one row have three dimensions in the file
    let is_plane = geometry.kernel.0 > 1 || file.shape(&name).is_some_and(|x| x.len() == 4);
    let weight = match is_plane {
        true => file.take(&name, &shape)?,
        false => file.take(&name, &[shape[0], shape[1], shape[3]])?,
    };
    file.made(weight.reshape(shape.as_slice()))
}
