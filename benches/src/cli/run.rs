//! Options of `weir-bench run`.

use super::EncoderArgs;
use super::lengths::Budget;
use crate::answerer::{Answerer, EndpointAnswerer, Extract};
use crate::endpoint::Endpoint;
use crate::judge::Judge;
use crate::method::registry;
use crate::method::writer::Writer;
use crate::metric::Scorer;
use crate::run::{Plan, read_streams, run};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use weir_models::WordPieceCounter;

/// What `run` is told.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Stream files, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Methods by name, or `all`, `baselines`, `variants`
    #[arg(long, value_delimiter = ',', default_value = "all")]
    methods: Vec<String>,
    /// Tokens that may be stored, `none` for no bound; each is run
    #[arg(long, value_delimiter = ',', default_value = "8192,none")]
    budgets: Vec<Budget>,
    /// Encoders, one run after the other
    #[arg(long, value_delimiter = ',', default_value = "words")]
    encoders: Vec<PathBuf>,
    /// Folder where vectors are kept from run to run
    #[arg(long)]
    vectors: Option<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
}
