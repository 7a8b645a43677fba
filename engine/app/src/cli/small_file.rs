//! Reads small text files that the user named.

use anyhow::{Context, bail};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a file of at most `max` bytes; a device may have no end.
pub(crate) fn text(file: &Path, max: u64) -> anyhow::Result<String> {
    let mut text = String::new();
    let opened = File::open(file).context("cannot open it")?;
    let read = opened.take(max + 1).read_to_string(&mut text);
    if read.context("cannot read it")? as u64 > max {
        bail!("it has more than {max} bytes");
    }
    Ok(text)
}
