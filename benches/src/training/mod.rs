//! Features of statements and answers, which the engine computes and `scripts` trains on.

mod ranker;
mod salience;

pub(crate) use ranker::{WeighArgs, run as weigh};
pub(crate) use salience::{FeaturesArgs, run as features};

use crate::drive;
use crate::method::MethodContext;
use crate::stream::Stream;
use anyhow::Result;
use std::sync::mpsc::{Sender, channel};
use weir_core::distil::{Distil, DistilError, Extractive};
use weir_core::limits;
use weir_core::talk::{Block, Distillate};
use weir_models::Encode;

/// The extractive distiller, which sends each block on.
struct Sending(Sender<Block>);

impl Distil for Sending {
    fn name(&self) -> &'static str {
        "extractive"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        // its receiver lives until all is heard
        let _ = self.0.send(block.clone());
        Extractive.distil(block, encode)
    }
}

/// All blocks of a stream.
pub(crate) fn blocks(stream: &Stream, kit: &MethodContext) -> Result<Vec<Block>> {
    let (sender, blocks) = channel();
    let memory = drive::memory(limits::BUDGET_TOKENS_MAX, kit)?;
    let mut memory = memory.with_distiller(Box::new(Sending(sender)));
    drive::hear_stream(&mut memory, stream, kit)?;
    Ok(blocks.try_iter().collect())
}
