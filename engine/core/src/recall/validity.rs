//! Whether a fact holds, held, or is none that can change.

/// Whether a statement is a fact that can change, and whether it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Validity {
    /// No such fact.
    Timeless,
    /// It holds.
    Present,
    /// It held.
    Past,
}

/// Bonus in standard deviations for a fact of the time in question, and taken from one that is not.
pub(super) const VALIDITY_BONUS: f32 = 0.5;
