//! Whether a fact is current, past, or cannot change.

/// Whether a statement is a fact that can change, and whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Validity {
    /// Not a fact that can change.
    Timeless,
    /// The fact holds.
    Present,
    /// The fact no longer holds.
    Past,
}

/// Bonus in standard deviations for a fact of the time in question; a penalty for another time.
pub(super) const VALIDITY_BONUS: f32 = 0.5;
