//! Utterances, evidence, blocks and distillates: plain data used by the memory and the distillers.

mod block;
mod buffered_utterance;
mod evidence;
mod moment;
mod observed;
mod split;
#[cfg(test)]
pub(crate) mod testing;
mod utterances;

pub use block::{Block, BlockId, Distillate, DistilledUnit, KEYS_MARK};
pub use buffered_utterance::BufferedUtterance;
pub(crate) use evidence::gap;
pub use evidence::{Evidence, Part, Wording};
pub(crate) use moment::{Moment, longest_pause_ms};
pub use observed::{DistilledFact, DistilledOpinion, opinion_label};
pub use split::split;
pub(crate) use utterances::Utterances;
