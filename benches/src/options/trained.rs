//! Trained models other than the built-in ones, so that a dialogue can be measured with models that
//! did not see it.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use weir_core::recall::Ranker;
use weir_core::text::Salience;

/// Options for the trained models.
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
            Salience::replace(&read(file)?)?;
        }
        if let Some(folder) = &self.ranker {
            let [trees, answerable] = ["trees", "answerable"]
                .map(|part| read(&folder.join(format!("ranker_{part}.txt"))));
            Ranker::replace(&trees?, &answerable?)?;
        }
        Ok(())
    }
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}
