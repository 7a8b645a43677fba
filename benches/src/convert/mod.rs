//! Converts corpora and captions to stream files.
//!
//! Nothing is guessed: turns without words are left out, and invalid evidence ids are reported with
//! their question. A question never comes before its evidence.

mod beam;
mod captions;
mod check;
pub(crate) mod draft;
mod friends;
mod input;
mod locomo;
mod meld;
mod qmsum;
mod rttm;

pub use check::no_look_ahead;
pub(crate) use draft::Place;

use crate::stream::Stream;
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use draft::Draft;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// LoCoMo's JSON: dated sittings of two people, with questions
    Locomo,
    /// A meeting of QMSum, or a folder of them
    Qmsum,
    /// A chat of BEAM (a folder with chat.json), or a folder of them
    Beam,
    /// FriendsQA's JSON; the scenes of an episode are one stream
    Friendsqa,
    /// MELD's CSV; a dialogue is a stream, without questions
    Meld,
    /// Subtitles as SRT, with speakers as `Name: words`
    Srt,
    /// Captions as `WebVTT`, with speakers as `<v Name>` or `Name: words`
    Vtt,
    /// Times of turns as RTTM; the words come from a file of the same name that ends in .txt
    Rttm,
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
    /// Include questions about a whole meeting (qmsum)
    #[arg(long)]
    general: bool,
    /// File with one line `speaker: words` for each turn of the RTTM, in time order [default: the
    /// RTTM's name with .txt]
    #[arg(long)]
    text: Option<PathBuf>,
}

/// Writes a stream file for each dialogue of a corpus and reports omissions on stderr.
///
/// # Errors
/// The input does not have the format, or the folder cannot be written.
pub(crate) fn run(args: &ConvertArgs) -> Result<()> {
    let limit = args.limit.map(|limit| limit as usize);
    let drafts = match args.format {
        // read one by one: a folder of meetings is large
        Format::Qmsum => qmsum::read(&args.input, limit, args.general)?,
        Format::Locomo => spread(locomo::read(&args.input)?, limit),
        Format::Beam => spread(beam::read(&args.input)?, limit),
        Format::Friendsqa => spread(friends::read(&args.input)?, limit),
        Format::Meld => spread(meld::read(&args.input)?, limit),
        Format::Srt => vec![captions::read(&args.input, captions::Kind::Srt)?],
        Format::Vtt => vec![captions::read(&args.input, captions::Kind::Vtt)?],
        Format::Rttm => vec![rttm::read(&args.input, args.text.as_deref())?],
    };
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("{} cannot be made", args.out.display()))?;
    for draft in drafts {
        write(draft, args.place, &args.out)?;
    }
    Ok(())
}

/// Writes a draft as a stream file and reports omissions on stderr.
pub(crate) fn write(draft: Draft, place: Place, folder: &Path) -> Result<()> {
    let mut err = std::io::stderr();
    let name = draft.name.clone();
    let (stream, left) = draft.finish(place);
    for stray in &left.strays {
        writeln!(
            err,
            "{name}: evidence `{}` of `{}` names no turn and is left out",
            stray.label, stray.question
        )?;
    }
    if stream.turns().next().is_none() {
        writeln!(err, "{name}: no turn has a word; no stream is written")?;
        return Ok(());
    }
    no_look_ahead(&stream)?;
    let path = folder.join(format!("{}.stream.jsonl", file_name(&name)));
    stream.save(&path)?;
    // an invalid stream is reported here, not by the next tool
    if let Err(refused) = Stream::read(&path) {
        std::fs::remove_file(&path)?;
        return Err(refused);
    }
    let (turns, probes) = (stream.turns().count(), stream.probes().count());
    write!(err, "{}: {turns} turns, {probes} questions", path.display())?;
    for (many, what) in [
        (left.wordless, "turns without a word are left out"),
        (left.strays.len(), "evidence labels name no turn"),
        (
            left.ends,
            "turns end before they start; their ends are made up",
        ),
    ] {
        if many > 0 {
            write!(err, "; {many} {what}")?;
        }
    }
    writeln!(err)?;
    Ok(())
}

/// A stream's name made safe for a file name.
pub(crate) fn file_name(name: &str) -> String {
    let safe = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' => c,
        _ => '_',
    };
    name.chars().map(safe).collect()
}

/// Refuses to overwrite the input, and a folder given as an output file.
pub(crate) fn apart(input: &Path, out: &Path) -> Result<()> {
    let same = match (input.canonicalize(), out.canonicalize()) {
        (Ok(input), Ok(out)) => input == out,
        _ => false,
    };
    ensure!(
        !same,
        "{} would be written over itself; give another --out",
        input.display()
    );
    ensure!(
        !out.is_dir(),
        "{} is a folder; --out names the file to write",
        out.display()
    );
    Ok(())
}

/// This many items of a list, evenly spread.
fn spread<T>(mut all: Vec<T>, limit: Option<usize>) -> Vec<T> {
    let of = all.len();
    let many = limit.unwrap_or(of).min(of);
    let mut chosen = (0..many).map(|n| n * of / many).peekable();
    let mut at = 0;
    all.retain(|_| {
        let keep = chosen.next_if_eq(&at).is_some();
        at += 1;
        keep
    });
    all
}

#[cfg(test)]
mod tests;
