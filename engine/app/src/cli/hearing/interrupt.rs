//! What Ctrl-C does.

use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_engine::pipeline::Stop;

/// A stop request that Ctrl-C makes an interrupt; a second Ctrl-C ends the process at once.
pub(crate) fn interrupted_by_ctrl_c() -> anyhow::Result<Stop> {
    on_ctrl_c(Stop::interrupt)
}

/// A stop request that Ctrl-C sets, after which all that was said is still recognised; a second
/// Ctrl-C ends the process at once.
pub(crate) fn stopped_by_ctrl_c() -> anyhow::Result<Stop> {
    on_ctrl_c(Stop::set)
}

fn on_ctrl_c(first: fn(&Stop)) -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let (asked, again) = (stop.clone(), AtomicBool::new(false));
    let handle = move || {
        if again.swap(true, Ordering::Relaxed) {
            end_at_once();
        }
        first(&asked);
    };
    ctrlc::set_handler(handle).context("cannot handle Ctrl-C")?;
    Ok(stop)
}

/// Stops a run; the second time, ends the process.
#[cfg(feature = "screen")]
pub(crate) fn stop_or_end(stop: &Stop) {
    if stop.is_set() {
        end_at_once();
    }
    stop.set();
}

fn end_at_once() -> ! {
    #[cfg(feature = "screen")]
    crate::cli::screen::drive::restore();
    std::process::exit(130);
}
