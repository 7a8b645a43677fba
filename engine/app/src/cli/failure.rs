//! The exit status of a command, and its one-line error message.

use crate::cli::advice::advice;
use std::process::ExitCode;

/// Outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Done,
    /// Done, but some inputs were refused.
    SomeRefused,
    /// Failure.
    NotDone,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::SomeRefused => Self::from(1),
            Exit::NotDone => Self::from(2),
        }
    }
}

/// An error and its causes on one line, then what to do about it; skips a cause whose text the
/// outer error already has.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    let mut what_to_do = None;
    for cause in error.chain() {
        what_to_do = what_to_do.or_else(|| advice(cause));
        let text = cause.to_string();
        if line.contains(&text) {
            continue;
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&text);
    }
    if let Some(what_to_do) = what_to_do {
        line = format!("{line}; {what_to_do}");
    }
    line.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_stand_on_one_line_and_once() {
        let inner = std::io::Error::other("no\nluck");
        let error = Err::<(), _>(inner)
            .context("reading failed")
            .context("a.wav: reading failed")
            .expect_err("it is one");
        assert_eq!(one_line(&error), "a.wav: reading failed: no luck");
    }

    #[test]
    fn what_to_do_stands_at_the_end() {
        let missing = weir_asr::AudioError::NoDevice {
            reason: "none".to_owned(),
        };
        let error = Err::<(), _>(missing)
            .context("hearing failed")
            .expect_err("it is one");
        assert!(one_line(&error).ends_with("raw PCM can be piped in with --stdin"));
        let feature = "cuda";
        let device = weir_models::DeviceError::NotBuiltIn {
            device: weir_models::DeviceChoice::Cuda(0),
            feature,
        };
        let loading = weir_loading::LoadingError::Load(device.into());
        let line = one_line(&loading.into());
        assert!(
            line.contains("`--features cuda`, or use `--device cpu`"),
            "{line}"
        );
    }
}
