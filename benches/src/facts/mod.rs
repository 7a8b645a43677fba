//! First-person facts that rules make of public talk, counted without a judge.
//!
//! Corpora: the 50 turns of the User memory paper, PrefEval's stated preferences, MemoryBank's
//! users. All three were read while the rules were written. Caveats: a fact counts by its words, so
//! a fact with the right words and a wrong sense counts too; labels of the 50 turns are ours.

mod alex;
pub(crate) mod labels;
pub(crate) mod observed;
mod preferences;
mod profile;
mod users;

use crate::encoder::EncoderArgs;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of `facts`.
#[derive(clap::Args)]
pub(crate) struct FactsArgs {
    /// Folder with `alex50`, `prefeval` and `memorybank`; what is not there is left out
    data: PathBuf,
    /// Facts of a profile handed to a turn of `alex50`
    #[arg(long, default_value_t = 4)]
    handed: usize,
    /// Facts of `memorybank` to print, and preferences without a fact by topic
    #[arg(long, default_value_t = 0)]
    show: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// Measures what is there, one JSON object per line.
pub(crate) fn run(args: &FactsArgs) -> Result<()> {
    let at = |path: &str| Some(args.data.join(path)).filter(|path| path.exists());
    if let Some(file) = at("alex50/alex50.json") {
        let encoder = args.encoder.open()?;
        print(&[alex::measure(&file, args.handed, encoder.as_ref())?])?;
    }
    if let Some(folder) = at("prefeval/explicit_preference") {
        print(&preferences::measure(&folder, args.show)?)?;
    }
    let users = |file: &Path| users::measure(file, args.show);
    if let Some(file) = at("memorybank/en/memory_bank_en.json") {
        print(&users(&file)?)?;
    }
    Ok(())
}

fn print(rows: &[impl Serialize]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for row in rows {
        writeln!(out, "{}", serde_json::to_string(row)?)?;
    }
    Ok(())
}
