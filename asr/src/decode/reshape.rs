//! Brings sound whose rate or channels change to the shape it began with.
//!
//! Invariant: `n` frames of another rate become `ceil(n * rate / other rate)` frames, so times stay
//! true.

use crate::front_end::Block;
use crate::{AudioError, SourceWarning};

/// Rate in Hz, and channels.
pub(super) type Shape = (u32, u16);

/// The resampler from the shape of the packets to that of the source.
pub(super) struct Reshape {
    name: String,
    to: Shape,
    from: Shape,
    block: Option<Block>,
    planes: Vec<Vec<f32>>,
    frames_in: u64,
    frames_out: u64,
    /// Number of changes, and the first: its frame, and the new shape.
    places: u64,
    first: (u64, Shape),
}

impl Reshape {
    pub(super) fn new(name: &str, to: Shape) -> Self {
        Self {
            name: name.to_owned(),
            to,
            from: to,
            block: None,
            planes: vec![Vec::new(); usize::from(to.1)],
            frames_in: 0,
            frames_out: 0,
            places: 0,
            first: (0, to),
        }
    }

    /// Replaces samples of this shape by those of the source; perhaps none yet. `at` is the frame
    /// of the source that comes next.
    pub(super) fn step(
        &mut self,
        from: Shape,
        samples: &mut Vec<f32>,
        at: u64,
    ) -> Result<(), AudioError> {
        if from == self.from && from == self.to {
            return Ok(());
        }
        let mut rest = Vec::new();
        if from != self.from {
            self.finish(&mut rest);
            self.turn(from, at + (rest.len() / usize::from(self.to.1)) as u64)?;
        }
        if from == self.to {
            samples.splice(..0, rest);
            return Ok(());
        }
        let (channels, wanted) = (usize::from(from.1), usize::from(self.to.1));
        for frame in samples.chunks_exact(channels) {
            let mean = frame.iter().sum::<f32>() / channels as f32;
            for plane in 0..wanted {
                let sample = match channels <= wanted {
                    true => frame[plane % channels],
                    false => mean,
                };
                match &mut self.block {
                    Some(block) => block.put(plane, sample),
                    None => self.planes[plane].push(sample),
                }
            }
            self.frames_in += 1;
            if let Some(block) = &mut self.block {
                self.frames_out += block.end_frame(&mut self.planes);
            }
        }
        self.interleave(&mut rest);
        *samples = rest;
        Ok(())
    }

    /// Appends what is still in the resampler; then packets have the shape of the source.
    pub(super) fn finish(&mut self, out: &mut Vec<f32>) {
        if let Some(mut block) = self.block.take() {
            let (rate, from) = (u64::from(self.to.0), u64::from(self.from.0));
            let total = (self.frames_in * rate).div_ceil(from);
            block.flush(&mut self.planes, total.saturating_sub(self.frames_out));
            self.interleave(out);
        }
    }

    /// The warning of a file whose shape changed.
    pub(super) fn warning(&self) -> Option<SourceWarning> {
        (self.places > 0).then(|| SourceWarning::Changed {
            name: self.name.clone(),
            places: self.places,
            first: self.first.0,
            rate_hz: self.to.0,
            from: self.to,
            to: self.first.1,
        })
    }

    fn turn(&mut self, from: Shape, at: u64) -> Result<(), AudioError> {
        if self.places == 0 {
            self.first = (at, from);
        }
        self.places += 1;
        self.from = from;
        (self.frames_in, self.frames_out) = (0, 0);
        if from.0 != self.to.0 {
            let block = Block::new((from.0, self.to.0), self.planes.len(), &self.name)?;
            self.block = Some(block);
        }
        Ok(())
    }

    fn interleave(&mut self, out: &mut Vec<f32>) {
        let frames = self.planes.first().map_or(0, Vec::len);
        for at in 0..frames {
            out.extend(self.planes.iter().map(|plane| plane[at]));
        }
        self.planes.iter_mut().for_each(Vec::clear);
    }
}
