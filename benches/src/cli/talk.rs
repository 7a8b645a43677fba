//! Options of the commands that measure on talk without end.

use super::EncoderArgs;
use crate::children::option;
use crate::corpus::Dialogue;
use crate::simulate;
use anyhow::Result;
use std::path::PathBuf;

/// What the talk is made of, and how it is asked about.
#[derive(clap::Args)]
pub(crate) struct TalkArgs {
    /// LoCoMo's JSON, whose turns the talk is made of; made-up talk without it
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    pub(crate) context_tokens: usize,
    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

impl TalkArgs {
    /// The dialogues whose turns it is made of.
    pub(crate) fn dialogues(&self) -> Result<Vec<Dialogue>> {
        simulate::dialogues(self.corpus.as_deref())
    }

    /// The options that say the same to another process.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut out = self.encoder.told();
        out.extend(option("--context-tokens", &self.context_tokens));
        if let Some(corpus) = &self.corpus {
            out.extend(option("--corpus", &corpus.display()));
        }
        out
    }
}
