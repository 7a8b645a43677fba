//! What clients read of a session, as types of [`weir_api`]: every program prints and sends the
//! same.
//!
//! A view is made of a session and its transcript, and changes neither. Answers and the events of
//! a run turn themselves into such types ([`crate::pipeline::Answered::wire`],
//! [`crate::pipeline::Event::wire`]).

mod about;
mod answer;
mod beliefs;
mod entities;
mod evidence;
mod forgetting;
mod node;
mod profile;
mod search;
mod sources;
mod speakers;
mod stats;
mod timeline;
mod transcript;
mod when;

pub use about::about;
pub use answer::check;
pub(crate) use answer::{citation, kind, passage};
pub use beliefs::{belief, beliefs, select_beliefs};
pub use entities::entities;
pub(crate) use evidence::audio;
pub use evidence::{evidence, quoted};
pub use forgetting::{forgetting, standing};
pub use node::{display_text, node, outline, shown_node, tree, words_of};
pub use profile::{fact, select_facts};
pub use search::{SearchWithin, search};
pub use sources::source;
pub use speakers::{resolve_speaker, speaker_sample, speakers};
pub use stats::{memory, stats};
pub use timeline::timeline;
pub use transcript::{TranscriptOrder, TranscriptPart, transcript_line, transcript_range};
pub use when::When;
