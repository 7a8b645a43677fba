//! Runs this program in a child process, so that memory can be measured and failures are isolated.

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// An option and its value.
pub(crate) fn option(name: &str, value: &dyn Display) -> [String; 2] {
    [name.to_owned(), value.to_string()]
}

/// Runs the program with these arguments. Returns the rows it printed, and the reason of a failure.
pub(crate) fn rows<R: DeserializeOwned>(
    args: &[String],
    limit: Duration,
) -> Result<(Vec<R>, Option<String>)> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().context("the child has an output")?;
    let (send, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let (mut rows, mut why, began) = (Vec::new(), None, Instant::now());
    loop {
        match lines.recv_timeout(limit.saturating_sub(began.elapsed())) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(row) => rows.push(row),
                Err(error) => {
                    why = Some(format!("printed an invalid row ({error}): {line}"));
                    let _ = child.kill();
                    break;
                }
            },
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                why = Some(format!("took more than {} s", limit.as_secs()));
                // it may have ended meanwhile
                let _ = child.kill();
                break;
            }
        }
    }
    let status = child.wait()?;
    let _ = reader.join();
    if why.is_none() && !status.success() {
        why = Some(format!("ended with {status}"));
    }
    Ok((rows, why))
}
