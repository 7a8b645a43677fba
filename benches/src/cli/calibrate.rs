//! Options of `weir-bench calibrate`.

use crate::calibrate::{Plan, run, save};
use crate::encoder::EncoderArgs;
use crate::method::MethodContext;
use crate::run::read_streams;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use weir_core::config::EncoderProfile;

/// Options of `calibrate`.
#[derive(clap::Args)]
pub(crate) struct CalibrateArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Tokens the memory may hold; thresholds are fitted to the mean over all
    #[arg(long, value_delimiter = ',', default_value = "4096,8192")]
    budgets: Vec<usize>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Write the profile to this JSON file, for `weir --profile`
    #[arg(long)]
    out: PathBuf,
    /// Write the curves to this JSON Lines file
    #[arg(long)]
    curves: PathBuf,
}

/// Fits and writes the profile and its curves.
pub(crate) fn main(args: &CalibrateArgs) -> Result<()> {
    let streams = read_streams(&args.streams)?;
    let encoder = args.encoder.open()?;
    let name = encoder.identity().name.clone();
    let start = EncoderProfile::for_encoder(&name);
    let plan = Plan {
        streams: streams.into_iter().map(|(stream, _)| stream).collect(),
        budgets: args.budgets.clone(),
        context_tokens: args.context_tokens,
        name,
        kit: Box::new(move |budget| MethodContext::plain(Arc::clone(&encoder), Some(budget))),
        start,
    };
    let shown = args.curves.display();
    let file = File::create(&args.curves).with_context(|| format!("{shown} not written"))?;
    let profile = run(&plan, &mut BufWriter::new(file))?;
    save(&profile, &args.out)?;
    let text = serde_json::to_string(&profile)?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}
