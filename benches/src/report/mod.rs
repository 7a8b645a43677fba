//! A page and a table of what a run measured.
//!
//! `weir-bench report RESULTS... --streams DIR... --out report.html` writes one HTML file that
//! needs no network: tables, plots, and a browser of the probes, so that errors can be read. Turns,
//! answers and names are data: they are escaped, or set as text by the page's script.

mod browser;
mod html;
mod plot;
mod read;
mod table;
mod tally;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result};
use read::Results;
use std::path::{Path, PathBuf};

/// Length that a page should not have; the browser then shows fewer turns, or is left out.
const PAGE_BYTES_MAX: usize = 15 << 20;
/// Turns of each method and probe that the browser shows, the most first.
const TURNS_MAX: [usize; 3] = [24, 8, 0];

/// Options of `report`.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Results that `weir-bench run` wrote
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Folders of the stream files that were measured; the folder a file lies in names its corpus
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Where to write the page
    #[arg(long)]
    out: PathBuf,
    /// Where to write the table as Markdown
    #[arg(long)]
    markdown: Option<PathBuf>,
}

/// Writes the page, and the table where it is asked for.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    let results = Results::read(&args.results, &args.streams)?;
    let tallies = tally::tallies(&results);
    save(&args.out, &page(&results, &tallies, PAGE_BYTES_MAX)?)?;
    if let Some(path) = &args.markdown {
        save(path, &table::markdown(&tallies))?;
    }
    Ok(())
}

/// The page with as much of the probes as there is room for.
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

/// Writes a file whole or not at all: beside its place first.
fn save(path: &Path, text: &str) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.with_context(|| format!("{} cannot be written", path.display()))
}
