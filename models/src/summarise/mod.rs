//! The summariser: a T5, and the prompts that ProStream gives it.
//!
//! The prompts need no model; whoever implements [`Summarise`](crate::Summarise) can be asked
//! them.

mod prompts;
#[cfg(feature = "candle")]
mod t5;

pub use prompts::{event_prompt, scene_prompt};
#[cfg(feature = "candle")]
pub use t5::{EarlyStopping, Search, T5Summariser};
