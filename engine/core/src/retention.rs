//! The forgetting curve of the Characters paper, after Ebbinghaus.

const HOUR_MS: f64 = 3_600_000.0;
/// Accesses after which stability stops growing: at a boost of 2, an hour becomes two thousand
/// years.
const ACCESSES_MAX: u32 = 24;

/// A forgetting curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ForgettingCurve {
    /// Decay `d` per hour.
    pub(crate) decay_per_hour: f64,
    /// Stability `S` in hours before the first access, above 0.
    pub(crate) stability_hours: f64,
    /// Factor `b` on the stability at each access.
    pub(crate) boost: f64,
}

impl ForgettingCurve {
    /// The exponent of `R = exp(-d dt / (S b^f))`, `dt` milliseconds after the last of `f`
    /// accesses.
    pub(crate) fn passed(&self, since_ms: f64, accesses: u32) -> f64 {
        let accesses = accesses.min(ACCESSES_MAX) as i32;
        let stability = self.stability_hours * self.boost.powi(accesses);
        self.decay_per_hour * since_ms / HOUR_MS / stability
    }
}
