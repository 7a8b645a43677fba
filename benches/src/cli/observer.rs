//! `weir-bench observer`: opinions and facts by the rules, and with a generator beside them.
//!
//! Corpora: the first sentences of MAMS's validation part, and the 50 turns of the User memory
//! paper. The prompts are the papers', and nothing was tuned on either for the generator.

use super::models::{LocalModelArgs, ServerModelArgs, generator};
use crate::{facts, opinions};
use anyhow::Result;
use std::path::PathBuf;
use weir_core::distil::Observer;

/// Options of `observer`.
#[derive(clap::Args)]
pub(crate) struct ObserverArgs {
    /// Folder with `mams` and `alex50`
    data: PathBuf,
    /// Sentences of MAMS
    #[arg(long, default_value_t = 60)]
    sample: usize,
    /// Print each opinion and each fact, too
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    local: LocalModelArgs,
    #[command(flatten)]
    server: ServerModelArgs,
}

/// Measures and prints one JSON object a line.
pub(crate) fn main(args: &ObserverArgs) -> Result<()> {
    let mut observer = Observer::new(generator(&args.local, &args.server)?);
    facts::observed::run(
        &args.data.join("alex50/alex50.json"),
        args.show,
        &mut observer,
    )?;
    opinions::run_observed(&args.data, args.sample, args.show, &mut observer)
}
