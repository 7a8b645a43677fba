//! What Ctrl-C does.

use anyhow::Context;
use weir_engine::pipeline::Stop;

/// A stop request that Ctrl-C sets; a second Ctrl-C ends the process at once.
pub(crate) fn interrupted_by_ctrl_c() -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || interrupt(&asked)).context("cannot handle Ctrl-C")?;
    Ok(stop)
}

/// Stops a run; the second time, ends the process.
pub(crate) fn interrupt(stop: &Stop) {
    if stop.is_interrupted() {
        #[cfg(feature = "screen")]
        crate::cli::screen::drive::restore();
        std::process::exit(130);
    }
    stop.interrupt();
}
