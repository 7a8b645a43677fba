//! Where log lines go: into the picture while there is one, else to standard error.

use super::state::Input;
use crate::cli::terminal::Tone;
use crossbeam_channel::Sender;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// The picture that is shown.
static PICTURE: Mutex<Option<Sender<Input>>> = Mutex::new(None);

/// Sends log lines to a picture, or no longer.
pub(super) fn show_in(picture: Option<Sender<Input>>) {
    *PICTURE.lock().unwrap_or_else(PoisonError::into_inner) = picture;
}

/// What the logger writes to.
pub(crate) struct LogOut;

impl Write for LogOut {
    /// Takes one line: the logger writes whole lines.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let picture = PICTURE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(picture) = &*picture {
            let text = String::from_utf8_lossy(line).trim().to_owned();
            let level = text.split_whitespace().nth(1).unwrap_or_default();
            let tone = match level {
                "ERROR" => Tone::Failure,
                "WARN" => Tone::Warning,
                _ => Tone::Note,
            };
            // a log that is too much for the picture is left out
            let _ = picture.try_send(Input::Told(tone, text));
            return Ok(line.len());
        }
        drop(picture);
        io::stderr().lock().write_all(line)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}
