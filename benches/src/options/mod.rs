//! Options that several commands share, and what they open.

mod encoder;
mod generator;
mod speech;

use crate::files::text;
use crate::run::read_streams;
use crate::stream::Stream;
use anyhow::Result;
pub(crate) use encoder::EncoderArgs;
pub(crate) use generator::{LocalModelArgs, Model, ServerModelArgs, generator, optional};
pub(crate) use speech::{SpeechArgs, VoiceArgs};
use std::path::PathBuf;
use weir_core::recall::Ranker;
use weir_core::text::Salience;

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

/// Trained models other than the built-in ones, so that a dialogue can be measured with models
/// that did not see it.
#[derive(clap::Args)]
pub(crate) struct TrainedArgs {
    /// File of salience weights [default: the built-in ones]
    #[arg(long, value_name = "FILE")]
    salience: Option<PathBuf>,
    /// Folder of the ranker's files [default: the built-in ones]
    #[arg(long, value_name = "DIR")]
    ranker: Option<PathBuf>,
}

impl TrainedArgs {
    /// Uses the models of the options from now on.
    pub(crate) fn install(&self) -> Result<()> {
        if let Some(file) = &self.salience {
            Salience::replace(&text(file)?)?;
        }
        if let Some(folder) = &self.ranker {
            let [trees, answerable] = ["trees", "answerable"]
                .map(|part| text(&folder.join(format!("ranker_{part}.txt"))));
            Ranker::replace(&trees?, &answerable?)?;
        }
        Ok(())
    }
}
