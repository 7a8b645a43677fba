//! Converts corpora to stream files.
//!
//! Nothing is guessed: turns without words are left out, and invalid evidence ids are reported with
//! their question. A question never comes before its evidence.

mod beam;
mod draft;
mod friends;
mod locomo;
mod qmsum;

use crate::corpus::spread;
use crate::stream::Stream;
use anyhow::Result;
use clap::ValueEnum;
use draft::Place;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// LoCoMo's JSON: dated sittings of two people, with questions
    Locomo,
    /// A meeting of QMSum, or a folder of them
    Qmsum,
    /// A chat of BEAM (a folder with chat.json), or a folder of them
    Beam,
    /// FriendsQA's JSON; the scenes of an episode are one stream
    Friendsqa,
}

/// The command line of `convert`.
#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    /// Format of INPUT
    format: Format,
    /// The corpus: a file or folder
    input: PathBuf,
    /// Output folder for the stream files
    #[arg(long)]
    out: PathBuf,
    /// Position of questions; those without evidence come at the end
    #[arg(long, default_value = "end")]
    place: Place,
    /// Number of streams, evenly spread over the corpus [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

/// Writes a stream file for each dialogue of a corpus and reports omissions on stderr.
pub(crate) fn run(args: &ConvertArgs) -> Result<()> {
    let limit = args.limit.map(|limit| limit as usize);
    let drafts = match args.format {
        // read one by one: a folder of meetings is large
        Format::Qmsum => qmsum::read(&args.input, limit)?,
        Format::Locomo => spread(locomo::read(&args.input)?, limit),
        Format::Beam => spread(beam::read(&args.input)?, limit),
        Format::Friendsqa => spread(friends::read(&args.input)?, limit),
    };
    let mut drafts = drafts.into_iter();
    drafts.try_for_each(|draft| write(draft, args.place, &args.out))
}

/// Writes a stream file for each dialogue of a corpus, with all questions at their ends.
pub(crate) fn corpus(format: Format, input: &Path, out: &Path, limit: Option<u32>) -> Result<()> {
    run(&ConvertArgs {
        format,
        input: input.to_owned(),
        out: out.to_owned(),
        place: Place::End,
        limit,
    })
}

/// Writes a draft as a stream file and reports omissions on stderr.
fn write(draft: Stream, place: Place, folder: &Path) -> Result<()> {
    let mut err = std::io::stderr();
    let (stream, left) = draft::finish(draft, place);
    let name = &stream.name;
    for (question, id) in &left.strays {
        let what = format!("evidence `{id}` of `{question}`");
        writeln!(err, "{name}: {what} names no turn and is left out")?;
    }
    if stream.turns().next().is_none() {
        writeln!(err, "{name}: no turn has a word; no stream is written")?;
        return Ok(());
    }
    let path = folder.join(format!("{}.stream.jsonl", file_name(name)));
    stream.save(&path)?;
    // an invalid stream is reported here, not by the next tool
    if let Err(refused) = Stream::read(&path) {
        std::fs::remove_file(&path)?;
        return Err(refused);
    }
    let (turns, probes) = (stream.turns().count(), stream.probes().count());
    write!(err, "{}: {turns} turns, {probes} questions", path.display())?;
    if left.wordless > 0 {
        let wordless = left.wordless;
        write!(err, "; {wordless} turns without a word are left out")?;
    }
    Ok(writeln!(err)?)
}

/// A stream's name made safe for a file name.
pub(crate) fn file_name(name: &str) -> String {
    let safe = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' => c,
        _ => '_',
    };
    name.chars().map(safe).collect()
}

#[cfg(test)]
mod tests;
