//! Opinions of a language model against labels of people.
//!
//! MAMS (reviews of restaurants, each sentence with terms of different polarity) and `DiaASQ`
//! (talk about phones: target, aspect, polarity; the dialogues that are left out of training) are
//! measured before it is asked what is worth keeping; sentences of everyday talk after that.

mod diaasq;
mod everyday;
mod mams;
mod ours;
mod score;

use crate::options::EncoderArgs;
use anyhow::Result;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct OpinionsArgs {
    /// Folder with `mams` and `diaasq`
    data: PathBuf,
    /// Labelled sentences of everyday talk
    #[arg(long, default_value = "benches/questions/everyday.tsv")]
    everyday: PathBuf,
    /// Over all-MiniLM-L6-v2 the larger model is measured, else the built-in one
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Also count remarks that are doubted: suppositions, reports, the past, sarcasm, questions
    #[arg(long)]
    doubted: bool,
}

/// Measures and prints one JSON object a line.
pub(crate) fn run(args: &OpinionsArgs) -> Result<()> {
    let measured = &ours::Measured {
        encoder: args.encoder.open()?,
        doubted: args.doubted,
    };
    let mut out = std::io::stdout().lock();
    let said = mams::read(&args.data.join("mams/ATSA/val.xml"))?;
    mams::measure(&said, measured, &mut out)?;
    let talks = diaasq::read(&args.data.join("diaasq/valid.json"))?;
    diaasq::measure(&talks, measured, &mut out)?;
    everyday::measure(&everyday::read(&args.everyday)?, measured, &mut out)
}
