//! The contract of an index over the facts of large profiles.

use super::fact::ProfileFact;
use super::profiles::Profiles;

/// An index that finds the nearest facts without visiting each.
pub trait NearestFacts {
    /// The facts of a speaker that hold and are nearest to a question, best first, with their
    /// cosines: as [`Profiles::find`], not always exact. The profiles must be those that the index
    /// was built from, or a later state of them.
    fn nearest<'a>(
        &self,
        profiles: &'a Profiles,
        speaker: Option<&str>,
        vector: &[f32],
        count: usize,
    ) -> Vec<(&'a ProfileFact, f32)>;
}
