//! Carries out a change of a session, wherever the session is open.

use crate::cli::args::Global;
use crate::cli::loading::wiring;
use crate::cli::terminal::Terminal;
use std::path::Path;
use std::sync::Arc;
use weir_api::{Change, Changed};
use weir_engine::control::carry_out;
use weir_models::Encode;

/// Carries out a change that needs no vectors.
pub(crate) fn change(dir: &Path, change: Change) -> anyhow::Result<Changed> {
    Ok(carry_out(dir, change, None)?)
}

/// Carries out a change with the session's encoder.
pub(crate) fn change_with(
    dir: &Path,
    change: Change,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Changed> {
    let encoder = encoder(dir, global, terminal)?;
    Ok(carry_out(dir, change, Some(encoder))?)
}

/// The session's encoder.
pub(crate) fn encoder(
    dir: &Path,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Arc<dyn Encode>> {
    let session = wiring::read(dir, terminal)?;
    wiring::session_encoder(dir, &session, None, global, terminal)
}
