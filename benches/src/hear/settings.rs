//! Accuracy and cost of each recognition setting, on the same clips.
//!
//! One row for the given settings and one for each alternative value of a single setting, so
//! interactions between settings are not measured. Every clip is recognised with a fresh state;
//! model loading is excluded. Times are this process's CPU times, so other load has little effect.

use super::list::Clip;
use super::model::{Context, GuardsArg, ModelArgs, hearing_of};
use crate::process::cpu_ms;
use crate::wer::WordErrors;
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;

/// Results of one choice.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) errors: WordErrors,
    /// Words recognised in recordings without speech.
    pub(super) made_up: u64,
    /// Segments of clips with speech in which no words were accepted.
    refused: u64,
    /// CPU time, if the system gives it.
    cpu_s: Option<f64>,
}

impl Row {
    /// Words recognised but not spoken.
    pub(super) fn hallucinated(&self) -> u64 {
        self.errors.insertions + self.made_up
    }
}

/// The given settings, and each alternative value of one of them, with a name.
pub(super) fn choices(given: &ModelArgs) -> impl Iterator<Item = (String, ModelArgs)> {
    let with = |name: &str, change: &dyn Fn(&mut ModelArgs)| {
        let mut args = given.clone();
        change(&mut args);
        (name.to_owned(), args)
    };
    let mut all = vec![with("as given", &|_| {})];
    for (name, beam) in [("greedy", 1), ("beam 2", 2), ("beam 5", 5)] {
        if beam != given.beam {
            all.push(with(name, &|args| args.beam = beam));
        }
    }
    if given.audio_context != Context::Scaled {
        all.push(with("audio context scaled", &|args| {
            args.audio_context = Context::Scaled;
        }));
    }
    if !given.previous_text {
        all.push(with("previous text as prompt", &|args| {
            args.previous_text = true;
        }));
    }
    if !given.no_fallback {
        all.push(with("no second temperature", &|args| {
            args.no_fallback = true;
        }));
    }
    for (name, guards) in [
        ("guards off", GuardsArg::Off),
        ("guards normal", GuardsArg::Normal),
        ("guards strict", GuardsArg::Strict),
    ] {
        if guards != given.guards {
            all.push(with(name, &|args| args.guards = guards));
        }
    }
    all.into_iter()
}

/// Recognises all clips with the same settings.
///
/// # Errors
/// Audio or a model cannot be read.
pub(super) fn measure(args: &ModelArgs, clips: &[Clip], silent: &[PathBuf]) -> Result<Row> {
    let model = args.load()?;
    let mut row = Row::default();
    let before = cpu_ms();
    for clip in clips {
        let mut hearing = hearing_of(&model, args)?;
        let mut words = Vec::new();
        super::listen(&mut hearing, &clip.path, &mut |it| words.push(it.text()))?;
        row.errors.add(&clip.said, &words.join(" "));
        row.refused += hearing.figures().refused_segments;
    }
    for path in silent {
        let mut hearing = hearing_of(&model, args)?;
        super::listen(&mut hearing, path, &mut |it| {
            row.made_up += it.words.len() as u64;
        })?;
    }
    row.cpu_s = cpu_ms()
        .zip(before)
        .map(|(after, before)| (after - before) / 1e3);
    Ok(row)
}

/// Prints the table of all choices as Markdown, each row once it is measured.
///
/// # Errors
/// As for [`measure`].
pub(super) fn table(args: &ModelArgs, clips: &[Clip], silent: &[PathBuf]) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| choice | WER % | substituted | deleted | inserted | words without speech \
         | made up in all | segments refused | CPU s |\n|---|---|---|---|---|---|---|---|---|"
    )?;
    for (name, args) in choices(args) {
        let row = measure(&args, clips, silent)?;
        let errors = row.errors;
        writeln!(
            out,
            "| {name} | {:.1} | {} | {} | {} | {} | {} | {} | {} |",
            errors.rate().unwrap_or_default() * 100.0,
            errors.substitutions,
            errors.deletions,
            errors.insertions,
            row.made_up,
            row.hallucinated(),
            row.refused,
            row.cpu_s.map_or("-".to_owned(), |s| format!("{s:.1}")),
        )?;
    }
    Ok(())
}
