//! Checks of a stored session that must pass before it is used: a damaged image is refused,
//! whatever its content.

use super::Session;

impl Session {
    /// Checks that the parts of a session are consistent; [`Session::check`] then checks the
    /// invariants of the content.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(super) fn check_parts(&self) -> Result<(), String> {
        self.config.check().map_err(|wrong| wrong.to_string())?;
        let dimension = self.encoder.dimension;
        self.tree.check_parts(dimension)?;
        self.buffer.check_parts(dimension, self.counter.as_ref())?;
        self.rarity.check_parts()?;
        self.names.check()?;
        self.clock.check()
    }
}
