//! What measures: this build, its memory and CPU time on Linux, and the name of the processor.

use std::time::Instant;

/// Resident memory of this process; 0 if unknown.
pub(crate) fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4_096;
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let resident = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    resident.unwrap_or(0) * PAGE_BYTES
}

/// Start of a measurement, in wall time and CPU time.
#[derive(Clone, Copy)]
pub(crate) struct Started {
    at: Instant,
    cpu_ms: Option<f64>,
}

impl Started {
    pub(crate) fn now() -> Self {
        Self {
            at: Instant::now(),
            cpu_ms: cpu_ms(),
        }
    }

    /// Milliseconds since the start.
    pub(crate) fn wall_ms(self) -> f64 {
        self.at.elapsed().as_secs_f64() * 1e3
    }

    /// Milliseconds of CPU time since the start, if the system gives it (Linux).
    pub(crate) fn cpu_ms(self) -> Option<f64> {
        cpu_ms().zip(self.cpu_ms).map(|(now, then)| now - then)
    }
}

/// CPU time of all threads of this program, including ended ones, in steps of 10 ms.
fn cpu_ms() -> Option<f64> {
    const MS_PER_TICK: f64 = 10.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // the name in brackets may contain spaces; user and system time are fields 11 and 12 after it
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 * MS_PER_TICK)
}

/// The commit of this build, if known. A build for tests says that it is one: it checks itself and
/// is less optimised, and takes several times as long.
pub(crate) fn build() -> Option<String> {
    weir_engine::COMMIT.map(|commit| match cfg!(debug_assertions) {
        true => format!("{commit} (a build for tests)"),
        false => commit.to_owned(),
    })
}

/// The same in words, also of a build without a commit.
pub(crate) fn built_from() -> String {
    build().unwrap_or_else(|| "an unknown commit".to_owned())
}

/// The processor's name, if known.
pub(crate) fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn processor_time_goes_on_with_work() {
        let work = Started::now();
        while work.cpu_ms() < Some(20.0) {
            std::hint::black_box((0..1_000_000_u64).fold(0, |sum, it| sum ^ it));
        }
    }
}
