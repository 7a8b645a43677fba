//! What the kill tests share: the child process and its story, and how both sides talk.

pub(crate) mod child;
pub(crate) mod story;

use std::ffi::OsStr;
use std::fmt::Arguments;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A number that an environment variable sets.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(otherwise, |text| text.parse().unwrap())
}

/// Prints on a line of its own, whatever the test harness has printed on this one.
pub(crate) fn say(what: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    write!(out, "\n{what}\n").unwrap();
    out.flush().unwrap();
}

/// Runs one test of this program with variables set, and kills it so many microseconds after it
/// began a line with the word `aim` and had done so `skip` times before. `note` gets every line.
pub(crate) fn kill(
    test: &str,
    vars: &[(&str, &OsStr)],
    (aim, skip, micros): (&str, usize, usize),
    note: &mut dyn FnMut(&str),
) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .envs(vars.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut left = Some(skip);
    for line in lines.map_while(Result::ok) {
        note(&line);
        if line.split(' ').next() != Some(aim) {
            continue;
        }
        if left == Some(0) {
            std::thread::sleep(Duration::from_micros(micros as u64));
            child.kill().unwrap();
        }
        left = left.and_then(|left| left.checked_sub(1));
    }
    assert_ne!(child.wait().unwrap().code(), Some(101), "{test} failed");
}
