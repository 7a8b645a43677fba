//! Takes off what all vectors of an encoder have in common.
//!
//! Vectors of the e5 family point nearly one way: their cosines lie between 0.7 and 1, also of
//! texts that have nothing to do with each other. Without their mean (Mu and Viswanath 2018,
//! *All-but-the-Top*) the cosines of such texts lie near 0, as those of other encoders, and more
//! questions find the text that answers them.

use serde::Deserialize;

/// The means over `fixtures/parallel`, by `scripts/golden/make_e5_folder.py`.
const E5: (&str, &str) = (
    "multilingual-e5-small",
    include_str!("../../data/multilingual-e5-small.json"),
);

/// The mean vectors of an encoder, with its prompts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Centre {
    pub(super) query: Vec<f32>,
    pub(super) passage: Vec<f32>,
}

impl Centre {
    /// The means of a listed encoder with vectors of `size`, if it has any.
    pub(super) fn of(name: &str, size: usize) -> Option<Self> {
        let text = (name == E5.0).then_some(E5.1)?;
        let centre: Self = serde_json::from_str(text).ok()?;
        let fits = [&centre.query, &centre.passage]
            .iter()
            .all(|mean| mean.len() == size);
        fits.then_some(centre)
    }
}

/// Moves a vector by a mean.
pub(super) fn take_off(mean: &[f32], vector: &mut [f32]) {
    vector.iter_mut().zip(mean).for_each(|(x, mean)| *x -= mean);
}
