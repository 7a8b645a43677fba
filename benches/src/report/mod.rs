//! A page and a table of a run's results.
//!
//! `weir-bench report RESULTS... --streams DIR... --out report.html` writes one HTML file that
//! needs no network: tables, plots, and a probe browser for reading errors. Turns, answers and
//! names are data: they are escaped, or set as text by the page's script.

mod browser;
mod escape;
mod html;
mod plot;
mod read;
mod table;
mod tally;
#[cfg(test)]
mod tests;

use crate::files::write_whole;
use anyhow::Result;
use read::Results;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Maximum length of a page; beyond it the browser shows fewer turns, or is left out.
const PAGE_BYTES_MAX: usize = 15 << 20;
/// Numbers of turns per method and probe in the browser, largest first.
const TURNS_MAX: [usize; 3] = [24, 8, 0];

/// Options of `report`.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Results of `weir-bench run`
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Folders of the measured stream files; a file's folder gives its corpus name
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Output file of the page
    #[arg(long)]
    out: PathBuf,
    /// Output file of the table as Markdown
    #[arg(long)]
    markdown: Option<PathBuf>,
}

/// Writes the page, and the table if requested.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    write(
        &args.results,
        &args.streams,
        &args.out,
        args.markdown.as_deref(),
    )
}

/// Writes the page of results over streams, and the table if a path is given.
pub(crate) fn write(
    results: &[PathBuf],
    streams: &[PathBuf],
    out: &Path,
    markdown: Option<&Path>,
) -> Result<()> {
    let results = Results::read(results, streams)?;
    let tallies = tally::tallies(&results);
    let page = page(&results, &tallies, PAGE_BYTES_MAX)?;
    write_whole(out, |file| Ok(file.write_all(page.as_bytes())?))?;
    match markdown {
        Some(path) => {
            let table = table::markdown(&tallies);
            write_whole(path, |file| Ok(file.write_all(table.as_bytes())?))
        }
        None => Ok(()),
    }
}

/// The page with as many of the probes as fit.
fn page(results: &Results, tallies: &[tally::Tally], bytes_max: usize) -> Result<String> {
    let setups: Vec<tally::Setup> = tallies.iter().map(|tally| tally.setup.clone()).collect();
    for turns_max in TURNS_MAX {
        let data = browser::data(results, &setups, turns_max)?;
        let page = html::page(results, tallies, Some(&data));
        if page.len() <= bytes_max {
            return Ok(page);
        }
    }
    Ok(html::page(results, tallies, None))
}
