//! What was said, the proof it gives, and what is distilled of it: plain data on which the memory
//! and the distillers stand.

mod block;
mod buffered_utterance;
mod evidence;
mod split;
mod utterances;

pub use block::{Block, BlockId, Distillate, DistilledUnit};
pub use buffered_utterance::BufferedUtterance;
pub(crate) use evidence::gap;
pub use evidence::{Evidence, Part, Wording};
pub use split::split;
pub(crate) use utterances::Utterances;
