//! The sizes of a network, read from the shapes of its tensors.

use crate::checkpoint::{LoadError, TensorFile};

/// Larger sizes are refused: they belong to no network of this kind.
const SIZE_MAX: usize = 1 << 14;
/// The blocks of densely connected layers.
const BLOCKS: usize = 3;

/// The sizes of a CAM++.
#[derive(Debug)]
pub(super) struct Sizes {
    /// Channels of the front.
    pub(super) front: usize,
    /// Channels behind the first layer over time.
    pub(super) first: usize,
    /// Channels inside a masked layer, an even number.
    pub(super) inner: usize,
    /// Channels that a masked layer adds.
    pub(super) growth: usize,
    /// Masked layers of each block.
    pub(super) layers: [usize; BLOCKS],
    /// Values of a vector.
    pub(super) vector: usize,
}

impl Sizes {
    /// Reads the sizes of `file`, and refuses another network. The numbers here are those of the
    /// published one, for messages.
    pub(super) fn read(file: &TensorFile) -> Result<Self, LoadError> {
        let layer = |part: &str| format!("xvector.block1.tdnnd1.{part}.weight");
        let mut layers = [0; BLOCKS];
        for (index, count) in layers.iter_mut().enumerate() {
            let name = |layer: usize| {
                let block = index + 1;
                format!("xvector.block{block}.tdnnd{layer}.linear1.weight")
            };
            // one at least: if it is missing, the error names it
            *count = (1..SIZE_MAX)
                .take_while(|n| file.has(&name(*n)))
                .count()
                .max(1);
        }
        let inner = layer("linear1");
        Ok(Self {
            front: first_size(file, "head.conv1.weight", &[32, 1, 3, 3])?,
            first: first_size(file, "xvector.tdnn.linear.weight", &[128, 320, 5])?,
            inner: match first_size(file, &inner, &[128, 128, 1])? {
                odd if odd % 2 == 1 => return Err(file.wrong_shape(&inner, &[128, 128, 1])),
                even => even,
            },
            growth: first_size(file, &layer("cam_layer.linear_local"), &[32, 128, 3])?,
            layers,
            vector: first_size(file, "xvector.dense.linear.weight", &[192, 1024, 1])?,
        })
    }
}

/// The first size of a tensor with as many dimensions as `published` has.
pub(super) fn first_size(
    file: &TensorFile,
    name: &str,
    published: &[usize],
) -> Result<usize, LoadError> {
    let shape = file.shape(name);
    let shape = shape.filter(|shape| shape.len() == published.len());
    let size = shape.and_then(|shape| shape.first().copied());
    let size = size.filter(|size| (1..=SIZE_MAX).contains(size));
    size.ok_or_else(|| file.wrong_shape(name, published))
}
