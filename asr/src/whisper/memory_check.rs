//! Checks whether a model fits into free memory before it is loaded.
//!
//! The system kills a process that takes too much memory, or swaps until the machine is unusable.
//! Free memory is read on Linux only; other systems are not checked.

use std::fs;

use crate::TranscribeError;

/// Upper bound of whisper.cpp's memory besides the weights for the smallest model: caches of five
/// beams and the scratch of encoder and decoder. Larger models add an eighth of their weights.
const SCRATCH_BYTES: u64 = 192 << 20;
const MB: u64 = 1_000_000;

/// Refuses a model of this many bytes if they do not fit.
///
/// # Errors
/// [`TranscribeError::NotEnoughMemory`].
pub(super) fn check(model: &str, bytes: u64) -> Result<(), TranscribeError> {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let limit = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    let group = limit.map(|limit| limit.saturating_sub(used));
    let free = available(&meminfo).into_iter().chain(group).min();
    fits(model, bytes, free)
}

fn fits(model: &str, bytes: u64, free: Option<u64>) -> Result<(), TranscribeError> {
    let needed = bytes + bytes / 8 + SCRATCH_BYTES;
    match free {
        Some(free) if free < needed => Err(TranscribeError::NotEnoughMemory {
            model: model.to_owned(),
            needed_mb: needed.div_ceil(MB),
            free_mb: free / MB,
        }),
        _ => Ok(()),
    }
}

/// Bytes available to a new process, from the text of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

/// The number in a file of one number; a file without a limit says `max`.
fn number(file: &str) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_does_not_fit_is_refused_with_what_it_needs_and_what_there_is() {
        let error = fits("large.bin", 3_000 * MB, Some(2_000 * MB)).expect_err("too large");
        let text = error.to_string();
        assert!(text.contains("large.bin"), "{text}");
        assert!(text.contains("3577 MB"), "{text}");
        assert!(text.contains("2000 MB"), "{text}");
        assert!(fits("large.bin", 3_000 * MB, Some(3_577 * MB)).is_ok());
        assert!(fits("large.bin", u64::MAX / 2, None).is_ok());
    }

    #[test]
    fn the_memory_that_is_free_is_read_from_the_systems_own_text() {
        let text = "MemTotal:       24588288 kB\nMemFree:          204800 kB\n\
                    MemAvailable:   20480000 kB\nBuffers:           1000 kB\n";
        assert_eq!(available(text), Some(20_480_000 * 1_024));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
        assert_eq!(available("MemAvailable: much\n"), None);
    }
}
