//! A page and a table of what a run measured.
//!
//! `weir-bench report RESULTS... --streams DIR... --out report.html` writes one HTML file that
//! needs no network: tables, plots, and a browser of the probes, so that errors can be read. Turns,
//! answers and names are data: they are escaped, or set as text by the page's script.

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
    write(
        &args.results,
        &args.streams,
        &args.out,
        args.markdown.as_deref(),
    )
}

/// Writes the page of results over streams, and the table where a path is given.
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
