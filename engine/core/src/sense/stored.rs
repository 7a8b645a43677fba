//! Checks of a stored buffer that must pass before it is used.

use super::SensingBuffer;
use weir_models::CountTokens;

impl SensingBuffer {
    /// Checks that the counts match the utterances, and that vectors and tokens are consistent.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(crate) fn check_parts(
        &self,
        dimension: usize,
        counter: &dyn CountTokens,
    ) -> Result<(), String> {
        let waiting = self.pending.iter().map(|waiting| waiting.len);
        let mut parts = waiting.chain([self.leading, self.fresh]);
        let sum = parts.try_fold(0_usize, usize::checked_add);
        if sum != Some(self.raw.len()) {
            return Err(format!(
                "{} raw utterances, counted {sum:?}",
                self.raw.len()
            ));
        }
        self.drift.check_parts(self.fresh, dimension)?;
        // Block ids are consecutive, so waiting blocks have the last ones.
        let waiting = self.pending.len() as u64;
        for (at, block) in (1..).zip(&self.pending) {
            if block.len == 0 || block.id.0.checked_add(waiting - at) != Some(self.blocks_cut) {
                return Err(format!("block {} is out of order", block.id.0));
            }
        }
        for heard in &self.raw {
            let id = &heard.utterance.id;
            let numbers = heard.vector.len() == dimension;
            if !numbers || heard.vector.iter().any(|x| !x.is_finite()) {
                return Err(format!("`{id}` has no vector of {dimension} floats"));
            }
            let tokens = counter.count(&heard.utterance.rendered());
            if tokens != heard.tokens as usize {
                return Err(format!(
                    "`{id}` has {tokens} tokens, stored {}",
                    heard.tokens
                ));
            }
        }
        Ok(())
    }
}
