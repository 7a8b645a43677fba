//! Scores who speaks when: diarization error rate of RTTM files against reference RTTM files.
//!
//! `rttm` and `uem` read the files, `score` counts, `mapping` finds which speaker is which, `row`
//! prints. `pairs` is where hypotheses come from: files, or Weir's own diarizer on audio.

mod audio;
mod mapping;
mod row;
pub(crate) mod rttm;
pub(crate) mod score;
#[cfg(test)]
mod tests;
pub(crate) mod uem;

use crate::files::write_whole;
use anyhow::{Context, Result, bail, ensure};
use row::Row;
use rttm::{Recordings, Turn};
use score::{Errors, Scoring, extent};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use uem::Part;

/// Name of the row that sums over all recordings.
const ALL: &str = "all";

/// The command line of `diarize`.
#[derive(clap::Args)]
pub(crate) struct DiarizeArgs {
    /// RTTM files in pairs: a reference, then what was recognised; with --audio references alone
    #[arg(required = true, value_names = ["REF.rttm", "HYP.rttm"])]
    files: Vec<PathBuf>,
    #[command(flatten)]
    audio: audio::AudioArgs,
    /// Evaluated parts of the recordings [default: from the first to the last turn of both files]
    #[arg(long)]
    uem: Option<PathBuf>,
    /// Seconds left out on each side of the edges of reference turns; one row for each
    #[arg(long, value_delimiter = ',', default_values_t = [0.0, 0.25])]
    collars: Vec<f64>,
    /// Leave out where several speakers of the reference speak
    #[arg(long)]
    skip_overlap: bool,
    /// Output file of a Markdown table
    #[arg(long)]
    table: Option<PathBuf>,
}

/// One recording: what was said, what was recognised, and what of it is evaluated.
struct Pair {
    recording: String,
    reference: Vec<Turn>,
    hypothesis: Vec<Turn>,
    evaluated: Vec<Part>,
}

/// Prints a JSON line for each recording and collar, and sums of several recordings.
pub(crate) fn run(args: &DiarizeArgs) -> Result<()> {
    let rows = rows(&pairs(args)?, args)?;
    let mut out = std::io::stdout().lock();
    for row in &rows {
        writeln!(out, "{}", serde_json::to_string(row)?)?;
    }
    if let Some(path) = &args.table {
        let text = row::markdown(&rows);
        write_whole(path, |file| Ok(file.write_all(text.as_bytes())?))?;
    }
    Ok(())
}

/// What a text file holds, which may begin with a byte order mark.
fn read<T>(path: &Path, parse: fn(&str) -> Result<T>) -> Result<T> {
    let named = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(named)?;
    parse(text.trim_start_matches('\u{feff}')).with_context(named)
}

/// The recordings of all references, each with what was recognised in it.
fn pairs(args: &DiarizeArgs) -> Result<Vec<Pair>> {
    let uem = args.uem.as_deref();
    let uem = uem.map(|path| read(path, uem::parse)).transpose()?;
    let heard = args.audio.heard()?;
    let mut pairs: Vec<Pair> = Vec::new();
    for files in args.files.chunks(if heard.is_some() { 1 } else { 2 }) {
        let said = &files[0];
        let mut reference = read(said, rttm::parse)?;
        let mut hypotheses = match (&heard, files.get(1)) {
            (Some(heard), _) => of_both(heard, &mut reference)?,
            (None, Some(heard)) => read(heard, rttm::parse)?,
            (None, None) => bail!(
                "{}: expected files in pairs, a reference and what was recognised",
                said.display()
            ),
        };
        ensure!(
            !reference.is_empty(),
            "{}: expected SPEAKER lines; found none",
            said.display()
        );
        if let Some(name) = hypotheses.keys().find(|it| !reference.contains_key(*it)) {
            let heard = files.get(1).map_or(said, |heard| heard).display();
            bail!("{heard}: recording `{name}` is not in {}", said.display());
        }
        for (recording, reference) in reference {
            ensure!(
                pairs.iter().all(|pair| pair.recording != recording),
                "{}: recording `{recording}` is in another reference too",
                said.display()
            );
            let hypothesis = hypotheses.remove(&recording).unwrap_or_default();
            let evaluated = match &uem {
                Some(uem) => uem
                    .get(&recording)
                    .cloned()
                    .with_context(|| format!("the UEM has no line for recording `{recording}`"))?,
                None => extent(&reference, &hypothesis),
            };
            pairs.push(Pair {
                recording,
                reference,
                hypothesis,
                evaluated,
            });
        }
    }
    Ok(pairs)
}

/// What was heard of a reference's recordings; drops those of which nothing was, and says so.
fn of_both(heard: &Recordings, reference: &mut Recordings) -> Result<Recordings> {
    let absent = reference.keys().filter(|name| !heard.contains_key(*name));
    let absent: Vec<&str> = absent.map(String::as_str).collect();
    if !absent.is_empty() {
        let (count, names) = (absent.len(), absent.join(", "));
        writeln!(
            std::io::stderr(),
            "not scored, without --audio: {count} ({names})"
        )?;
    }
    reference.retain(|name, _| heard.contains_key(name));
    let mut known = heard.clone();
    known.retain(|name, _| reference.contains_key(name));
    Ok(known)
}

fn rows(pairs: &[Pair], args: &DiarizeArgs) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for collar_s in &args.collars {
        ensure!(
            (0.0..=60.0).contains(collar_s),
            "--collars {collar_s}: expected 0 to 60 seconds"
        );
        let scoring = Scoring {
            collar_us: (collar_s * 1e6).round() as u64,
            skip_overlap: args.skip_overlap,
        };
        let mut sum = Errors::default();
        for pair in pairs {
            let errors = score::score(&pair.reference, &pair.hypothesis, &pair.evaluated, scoring);
            sum.add(errors);
            rows.push(Row {
                speakers: Some(speakers(&pair.reference)),
                speakers_found: Some(speakers(&pair.hypothesis)),
                ..Row::new(&pair.recording, *collar_s, scoring, errors)
            });
        }
        if pairs.len() > 1 {
            rows.push(Row::new(ALL, *collar_s, scoring, sum));
        }
    }
    Ok(rows)
}

fn speakers(turns: &[Turn]) -> usize {
    let names: BTreeSet<&str> = turns.iter().map(|turn| turn.speaker.as_str()).collect();
    names.len()
}
