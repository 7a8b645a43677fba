//! Stores the commit of the build in the binary, for the summaries of result files.
//!
//! Left out outside a repository or without git; `WEIR_COMMIT` overrides it.

use std::io::Write;
use std::path::Path;
use std::process::Command;

fn main() {
    let mut tell = std::io::stdout().lock();
    let mut say = |line: String| {
        // if cargo cannot be told, the build continues without the commit
        let _ = writeln!(tell, "cargo:{line}");
    };
    say("rerun-if-env-changed=WEIR_COMMIT".to_owned());
    say("rerun-if-changed=build.rs".to_owned());
    // the log grows with every commit and checkout; naming a missing file would rebuild every time
    let log = Path::new("../../.git/logs/HEAD");
    if log.exists() {
        say(format!("rerun-if-changed={}", log.display()));
    }
    if std::env::var_os("WEIR_COMMIT").is_some() {
        return;
    }
    let asked = Command::new("git").args(["rev-parse", "HEAD"]).output();
    if let Ok(commit) = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        && !commit.trim().is_empty()
    {
        say(format!("rustc-env=WEIR_COMMIT={}", commit.trim()));
    }
}
