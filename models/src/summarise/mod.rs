//! The summariser: a T5, and ProStream's prompts for it.
//!
//! The prompts need no model and work with any implementation of [`Summarise`](crate::Summarise).

mod prompts;
#[cfg(feature = "writers")]
mod t5;

pub use prompts::{event_prompt, scene_prompt};
#[cfg(feature = "writers")]
pub use t5::T5Summariser;
