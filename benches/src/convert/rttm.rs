//! RTTM: speaker times, with the words in a text file of one line `speaker: words` per turn.
//!
//! Times and words must come from the same transcript: if two transcripts split turns differently,
//! as AMI's RTTM and QMSum's do, their turns cannot be matched.

use super::draft::{Draft, Said, Step};
use super::input;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// A turn's time, and the name or number of its speaker in the RTTM.
struct Timed {
    start_ms: u64,
    end_ms: u64,
    speaker: String,
}

/// One recording as one stream.
pub(super) fn read(path: &Path, text: Option<&Path>) -> Result<Draft> {
    let beside = path.with_extension("txt");
    let words = text.unwrap_or(&beside);
    let timed = times(&input::text(path)?).with_context(|| path.display().to_string())?;
    let said = input::text(words).with_context(|| {
        format!(
            "RTTM has times alone; expected the words in {}, one line `speaker: words` for each \
             of the {} turns in order of time, or --text FILE",
            words.display(),
            timed.len()
        )
    })?;
    let said: Vec<&str> = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    ensure!(
        said.len() == timed.len(),
        "{} has {} lines and {} {} turns; expected one line for each turn",
        words.display(),
        said.len(),
        path.display(),
        timed.len()
    );
    let steps = timed
        .into_iter()
        .zip(said)
        .enumerate()
        .map(|(n, (timed, line))| {
            step(n, timed, line).with_context(|| format!("{}: turn {}", words.display(), n + 1))
        });
    Ok(Draft {
        name: input::stem(path)?,
        steps: steps.collect::<Result<_>>()?,
        ..Draft::default()
    })
}

fn step(n: usize, timed: Timed, line: &str) -> Result<Step> {
    let Some((speaker, words)) = line.split_once(':') else {
        bail!("expected `speaker: words`; found `{line}`");
    };
    ensure!(
        speaker.trim() == timed.speaker,
        "`{}` speaks here, but the RTTM says `{}`",
        speaker.trim(),
        timed.speaker
    );
    Ok(Step::Turn(Said {
        id: format!("t{n}"),
        speaker: Some(timed.speaker),
        text: words.trim().to_owned(),
        span: Some((timed.start_ms, timed.end_ms)),
    }))
}

/// The SPEAKER lines in time order; other lines contain no turns.
fn times(text: &str) -> Result<Vec<Timed>> {
    const EXPECTED: &str = "SPEAKER FILE CHANNEL ONSET DURATION <NA> <NA> NAME <NA> <NA>";
    let (mut timed, mut recording) = (Vec::new(), None);
    for (n, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.first() != Some(&"SPEAKER") {
            continue;
        }
        let place = || format!("line {}: expected {EXPECTED}; found `{line}`", n + 1);
        let [_, file, _, onset, duration, _, _, speaker, ..] = fields[..] else {
            bail!(place());
        };
        let of = *recording.get_or_insert(file);
        ensure!(
            of == file,
            "line {}: recording `{file}` after `{of}`; expected one recording in a file",
            n + 1
        );
        let ms = |text: &str| {
            let seconds: f64 = text.parse().ok().filter(|s| (0.0..1e9).contains(s))?;
            Some((seconds * 1_000.0).round() as u64)
        };
        let start_ms = ms(onset).with_context(place)?;
        let end_ms = start_ms + ms(duration).with_context(place)?;
        timed.push(Timed {
            start_ms,
            end_ms,
            speaker: speaker.to_owned(),
        });
    }
    let first = text.lines().next().unwrap_or_default();
    ensure!(
        !timed.is_empty(),
        "expected lines {EXPECTED}; found `{first}`"
    );
    timed.sort_by_key(|turn| turn.start_ms);
    Ok(timed)
}
