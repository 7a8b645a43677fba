//! Profiles: what each speaker said of themselves, word for word under headings (User memory 3.2).
//!
//! Nothing ends a statement: a later one of the same heading stands before it. Sessions of builds
//! that read values may hold facts that ended.

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
