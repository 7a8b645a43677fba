//! Profiles: what each speaker said of themselves, as slots whose values supersede each other
//! (User memory 3.2 and its future work).
//!
//! A later value of a slot that has one value at a time ends the one before, which stays as
//! history. Where nobody said that something changed, the two are a contradiction, and are shown
//! as one. What talk says against a pinned fact ends nothing: both are held.

mod change;
mod fact;
mod nearest;
mod profiles;
#[cfg(test)]
mod tests;

pub use change::{ProfileChange, ProfileError};
pub use fact::{EndedBy, FactId, ProfileFact};
pub use nearest::NearestFacts;
pub use profiles::Profiles;
