//! Features of statements and answers, which the engine computes and `scripts` trains on.

mod ranker;
mod salience;

pub(crate) use ranker::{WeighArgs, run as weigh};
pub(crate) use salience::{FeaturesArgs, run as features};
