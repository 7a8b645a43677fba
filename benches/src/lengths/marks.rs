//! Stream lengths at which methods are measured.

/// Turns at which methods are measured.
pub(super) const MARKS: [usize; 7] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

/// The marks below a length, and the length itself.
pub(super) fn marks(turns: usize) -> impl Iterator<Item = usize> {
    let within = MARKS.into_iter().filter(move |mark| *mark <= turns);
    within.chain((!MARKS.contains(&turns)).then_some(turns))
}
