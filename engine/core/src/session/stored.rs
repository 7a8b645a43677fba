//! What must hold of a session that was read from bytes before anything else may look at it: a
//! damaged image is refused, whatever is in it.

use super::Session;

impl Session {
    /// Checks that the parts of a session fit each other; [`Session::check`] then says whether they
    /// mean something.
    ///
    /// # Errors
    /// The first that does not, in words.
    pub(super) fn check_parts(&self) -> Result<(), String> {
        self.config.check().map_err(|wrong| wrong.to_string())?;
        let dimension = self.encoder.dimension;
        self.tree.check_parts(dimension)?;
        self.buffer.check_parts(dimension, self.counter.as_ref())?;
        self.rarity.check_parts()?;
        if self.clock.base_ms > self.clock.now_ms {
            return Err("its stream began after its end".to_owned());
        }
        Ok(())
    }
}
