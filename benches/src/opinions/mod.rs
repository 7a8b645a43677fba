//! Opinions by rules against labels of people.
//!
//! MAMS (reviews of restaurants, each sentence with terms of different polarity) and `DiaASQ`
//! (talk about phones: target, aspect, polarity).

mod diaasq;
mod mams;
mod ours;
mod score;

use anyhow::Result;
use std::path::{Path, PathBuf};
use weir_core::distil::Observer;

/// Options of `opinions`.
#[derive(clap::Args)]
pub(crate) struct OpinionsArgs {
    /// Folder with `mams` and `diaasq`
    data: PathBuf,
    /// Part of MAMS: train, val
    #[arg(long, default_value = "val")]
    part: String,
    /// Also print each opinion that the rules find
    #[arg(long)]
    show: bool,
}

/// Measures the rules with a generator beside them on the first sentences of MAMS.
///
/// # Errors
/// A file cannot be read, or the generator fails.
pub(crate) fn run_observed(
    data: &Path,
    sample: usize,
    show: bool,
    observer: &mut Observer,
) -> Result<()> {
    let mut sentences = mams::read(&data.join("mams/ATSA/val.xml"))?;
    sentences.truncate(sample);
    mams::measure_observed(&sentences, observer, show, &mut std::io::stdout().lock())
}

/// Measures and prints one JSON object a line.
///
/// # Errors
/// The file that cannot be read.
pub(crate) fn run(args: &OpinionsArgs) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let file = args.data.join(format!("mams/ATSA/{}.xml", args.part));
    mams::measure(&mams::read(&file)?, args.show, &mut out)?;
    let talks = diaasq::read(&args.data.join("diaasq/valid.json"))?;
    diaasq::measure(&talks, args.show, &mut out)
}
