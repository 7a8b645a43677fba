//! What whisper.cpp and ggml print goes to the `log` crate.

use std::sync::Once;

/// Sends their messages to the `log` crate, once per process.
pub(super) fn log_quietly() {
    static ONCE: Once = Once::new();
    ONCE.call_once(whisper_rs::install_logging_hooks);
}
