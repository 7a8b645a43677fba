//! Beliefs: what each speaker feels about things, as DAM-LLM has it (3.3.3, 3.4).
//!
//! Opinions come with the distillates of blocks. Each is a new belief, or an observation of the
//! one about the same side of the same thing by the same speaker, or is abandoned. The number of
//! beliefs and their tokens are bounded; what is abandoned, deleted or forgotten is counted.

mod belief;
mod find;
mod held;
mod tally;
#[cfg(test)]
mod tests;

pub use belief::{Belief, BeliefId, Observation};
pub use find::BeliefQuery;
pub use held::{BeliefCounts, Beliefs, RejectedRemark};
pub use tally::Tally;
