//! RTTM: speaker times, with the words in a text file of one line `speaker: words` per turn.
//!
//! Times and words must come from the same transcript: if two transcripts split turns differently,
//! as AMI's RTTM and QMSum's do, their turns cannot be matched.

use super::draft::{Draft, Said, Step};
use super::input;
use crate::diarize::rttm;
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

/// The turns of the one recording in time order; other lines contain no turns.
fn times(text: &str) -> Result<Vec<Timed>> {
    let (mut timed, mut recording) = (Vec::new(), None::<String>);
    for (found, turn) in rttm::parse(text)? {
        let of = recording.get_or_insert_with(|| found.clone());
        ensure!(
            *of == found,
            "recording `{found}` after `{of}`; expected one recording in a file"
        );
        let ms = |us: u64| (us + 500) / 1_000;
        let start_ms = ms(turn.start_us);
        timed.push(Timed {
            start_ms,
            end_ms: start_ms + ms(turn.end_us - turn.start_us),
            speaker: turn.speaker,
        });
    }
    let first = text.lines().next().unwrap_or_default();
    ensure!(
        !timed.is_empty(),
        "expected lines {}; found `{first}`",
        rttm::EXPECTED
    );
    timed.sort_by_key(|turn| turn.start_ms);
    Ok(timed)
}
