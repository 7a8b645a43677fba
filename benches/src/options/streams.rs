//! The streams that a command reads.

use crate::run::read_streams;
use crate::stream::Stream;
use anyhow::Result;
use std::path::PathBuf;

/// Where the streams are.
#[derive(clap::Args)]
pub(crate) struct StreamArgs {
    /// Stream files, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    pub(crate) streams: Vec<PathBuf>,
}

impl StreamArgs {
    /// The streams, sorted by name.
    pub(crate) fn read(&self) -> Result<Vec<Stream>> {
        let read = read_streams(&self.streams)?.into_iter();
        Ok(read.map(|(stream, _)| stream).collect())
    }
}
