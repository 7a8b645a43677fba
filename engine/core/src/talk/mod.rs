//! What was said, the proof it gives, and what is distilled of it: plain data on which the memory
//! and the distillers stand.

mod block;
mod evidence;
mod heard;
mod split;
mod utterances;

pub use block::{Block, BlockId, Distillate, DistilledUnit};
pub(crate) use evidence::gap;
pub use evidence::{Evidence, Part, Wording};
pub use heard::Heard;
pub use split::split;
pub(crate) use utterances::Utterances;
