//! Polarity of short texts: Weir's by words alone and with sentence vectors, VADER's, and the most
//! frequent class, on texts that people labelled.
//!
//! `labelled` reads the corpora, `vader` is the baseline, `score` counts, `ranked` says whether
//! strength agrees with the names of emotions, `table` prints. No weight of Weir was trained on the
//! parts that are read here (`scripts/affect/README.md`).

mod labelled;
pub(crate) mod polarity;
mod ranked;
mod row;
pub(crate) mod score;
mod table;
pub mod vader;

use crate::encoder::EncoderArgs;
use crate::files::write_whole;
use crate::timing::us;
use anyhow::Result;
use labelled::Labelled;
use polarity::Polarity;
use row::Row;
use score::Confusion;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use weir_core::text::Affect;

/// Texts encoded at once.
const BATCH: usize = 64;
/// VADER's published thresholds of its compound score.
const COMPOUND_MIN: f64 = 0.05;

/// The command line of `affect`.
#[derive(clap::Args)]
pub(crate) struct AffectArgs {
    /// Folder with goemotions/, meld/ and vader/
    #[arg(long)]
    data: PathBuf,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Output file of a Markdown table
    #[arg(long)]
    table: Option<PathBuf>,
    /// Output file of what was decided wrong, one JSON object per line
    #[arg(long)]
    wrong: Option<PathBuf>,
}

/// What a method says of a text.
#[derive(Debug, Clone, Copy)]
struct Said {
    polarity: Polarity,
    /// How strong the feeling is, in the method's own unit.
    strength: f64,
}

/// Something decided wrongly.
#[derive(Serialize)]
struct Wrong<'a> {
    corpus: &'static str,
    method: &'a str,
    text: &'a str,
    labelled: Polarity,
    found: Polarity,
    strength: f64,
}

/// Prints a JSON line for each corpus and method.
///
/// # Errors
/// A corpus or the lexicon cannot be read, an encoder not loaded, a file not written.
pub(crate) fn run(args: &AffectArgs) -> Result<()> {
    let mut rows = Vec::new();
    let mut wrong: Vec<u8> = Vec::new();
    for corpus in labelled::all(&args.data)? {
        for (method, said, micros) in methods(args, &corpus)? {
            for (text, said) in corpus.texts.iter().zip(&said) {
                let missed = text.polarity.filter(|polarity| *polarity != said.polarity);
                if let Some(labelled) = missed {
                    let line = Wrong {
                        corpus: corpus.name,
                        method: &method,
                        text: &text.text,
                        labelled,
                        found: said.polarity,
                        strength: said.strength,
                    };
                    serde_json::to_writer(&mut wrong, &line)?;
                    wrong.push(b'\n');
                }
            }
            rows.push(row(&corpus, method, &said, micros));
        }
    }
    let mut out = std::io::stdout().lock();
    for row in &rows {
        writeln!(out, "{}", serde_json::to_string(row)?)?;
    }
    if let Some(path) = &args.wrong {
        write_whole(path, |file| Ok(file.write_all(&wrong)?))?;
    }
    if let Some(path) = &args.table {
        let text = table::markdown(&rows);
        write_whole(path, |file| Ok(file.write_all(text.as_bytes())?))?;
    }
    Ok(())
}

fn row(corpus: &Labelled, method: String, said: &[Said], micros: Option<f64>) -> Row {
    let mut confusion = Confusion::default();
    for (text, said) in corpus.texts.iter().zip(said) {
        if let Some(polarity) = text.polarity {
            confusion.add(polarity, said.polarity);
        }
    }
    let strengths: Vec<f64> = said.iter().map(|said| said.strength).collect();
    Row {
        corpus: corpus.name,
        method,
        texts: confusion.count(),
        accuracy: confusion.accuracy(),
        macro_f1: confusion.macro_f1(),
        weighted_f1: confusion.weighted_f1(),
        confusion,
        micros,
        ranked: ranked::rankings(&corpus.texts, &strengths),
    }
}

/// A method's name, what it says of each text, and its mean time in microseconds.
type Answers = (String, Vec<Said>, Option<f64>);

fn methods(args: &AffectArgs, corpus: &Labelled) -> Result<Vec<Answers>> {
    let texts: Vec<&str> = corpus.texts.iter().map(|text| text.text.as_str()).collect();
    // neutral is the most frequent class of both training parts
    let fixed = Said {
        polarity: Polarity::Neutral,
        strength: 0.0,
    };
    let mut answers = vec![("majority class".to_owned(), vec![fixed; texts.len()], None)];
    let lexicon = vader::Lexicon::read(&args.data.join("vader"))?;
    answers.push(timed("VADER", &texts, |_, text| {
        by_compound(lexicon.compound(text))
    }));
    answers.push(timed("Weir, words", &texts, |_, text| {
        by_affect(Affect::of_words(text))
    }));
    if !args.encoder.is_words() {
        let encoder = args.encoder.open()?;
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(encoder.encode(batch)?);
        }
        let name = encoder.identity().name.clone();
        let title = format!("Weir, {name}");
        answers.push(timed(&title, &texts, |at, text| {
            by_affect(Affect::of(text, Some((&name, &vectors[at]))))
        }));
    }
    Ok(answers)
}

fn timed(name: &str, texts: &[&str], method: impl Fn(usize, &str) -> Said) -> Answers {
    // the first call reads the tables
    method(0, texts.first().copied().unwrap_or_default());
    let start = Instant::now();
    let said: Vec<Said> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| method(at, text))
        .collect();
    let micros = us(start) / texts.len().max(1) as f64;
    (name.to_owned(), said, Some(micros))
}

fn by_compound(compound: f64) -> Said {
    let polarity = match compound {
        compound if compound >= COMPOUND_MIN => Polarity::Positive,
        compound if compound <= -COMPOUND_MIN => Polarity::Negative,
        _ => Polarity::Neutral,
    };
    Said {
        polarity,
        strength: compound.abs(),
    }
}

fn by_affect(affect: Affect) -> Said {
    Said {
        polarity: Polarity::of(&affect),
        strength: f64::from(affect.strength),
    }
}
