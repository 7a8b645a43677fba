//! Opens a session, applies a change to it, closes it.

use crate::cli::loading::wiring;
use std::path::Path;
use weir_core::session::{Input, Outcome};
use weir_engine::store::{Opened, open_session_any};

/// Opens a session for a change.
pub(crate) fn open(dir: &Path) -> anyhow::Result<Opened> {
    Ok(open_session_any(dir, wiring::counter())?)
}

/// Applies an input. A refused input changes nothing, and the session is closed in order.
pub(crate) fn apply(mut opened: Opened, input: &Input) -> anyhow::Result<(Opened, Outcome)> {
    match opened.session.apply(input) {
        Ok(outcome) => Ok((opened, outcome)),
        Err(refused) => {
            opened.writer.release()?;
            Err(refused.into())
        }
    }
}

/// Closes it in order.
pub(crate) fn close(opened: Opened) -> anyhow::Result<()> {
    Ok(opened.writer.close(&opened.session)?)
}
