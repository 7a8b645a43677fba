//! Options of `weir-bench checks`.

use super::models::LocalModelArgs;
use crate::checks::{Overlap, Plan, run};
use anyhow::Result;
use std::path::PathBuf;
use weir_core::answer::{CheckClaim, EntailmentCheck, LexicalCheck, PromptedCheck};
use weir_models::EntailmentModel;

/// Options of `checks`.
#[derive(clap::Args)]
pub(crate) struct ChecksArgs {
    /// Table of labelled pairs
    #[arg(long, default_value = "benches/questions/checks.tsv")]
    pairs: PathBuf,
    #[command(flatten)]
    local: LocalModelArgs,
    /// Model of natural-language inference: a folder
    #[arg(long, value_name = "DIR")]
    nli: Option<PathBuf>,
    /// Print each pair with a wrong verdict, too
    #[arg(long)]
    wrong: bool,
}

/// Measures and prints.
pub(crate) fn main(args: &ChecksArgs) -> Result<()> {
    let mut checks: Vec<Box<dyn CheckClaim>> = vec![Box::new(Overlap), Box::new(LexicalCheck)];
    if let Some(generator) = args.local.load()? {
        checks.push(Box::new(PromptedCheck::new(Box::new(generator))));
    }
    if let Some(folder) = &args.nli {
        let model = EntailmentModel::load(folder)?;
        checks.push(Box::new(EntailmentCheck::new(Box::new(model))));
    }
    run(Plan {
        pairs: args.pairs.clone(),
        checks,
        wrong: args.wrong,
    })
}
