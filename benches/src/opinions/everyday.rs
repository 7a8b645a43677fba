//! Sentences of everyday talk, labelled by hand: whether they say something lasting about their
//! speaker, and an opinion worth keeping. Neither kind of talk trained the model.

use super::ours::{Measured, print};
use super::score::{Counts, shares_word};
use crate::files;
use anyhow::Result;
use std::io::Write;
use std::path::Path;
use weir_core::text::{fact, opinions, stems};

const COLUMNS: [&str; 7] = [
    "talk", "sentence", "previous_sentence", "lasting", "keep", "target", "polarity",
];
/// Words of an answer that is read together with its question, as in training.
const ANSWER_WORDS: usize = 7;

/// A row of the table.
pub(super) type Said = [String; COLUMNS.len()];

/// Reads a table of labelled sentences.
pub(super) fn read(file: &Path) -> Result<Vec<Said>> {
    files::table(file, COLUMNS)
}

/// Prints the results of each kind of talk.
pub(super) fn measure(said: &[Said], measured: &Measured, out: &mut dyn Write) -> Result<()> {
    for of_talk in said.chunk_by(|a, b| a[0] == b[0]) {
        let (mut lasting, mut kept) = (Counts::default(), Counts::default());
        for [_, text, before, lasts, keep, target, _] in of_talk {
            let (fact, objects) = understood(measured, text, before)?;
            let (lasts, keep, target) = (lasts == "1", keep == "1", stems(target));
            lasting.add(lasts, fact, lasts && fact);
            let right = objects.iter().any(|about| shares_word(&target, about));
            kept.add(keep, !objects.is_empty(), keep && right);
        }
        let set = format!("everyday talk, {}", of_talk[0][0]);
        for (task, it) in [("lasting", lasting), ("worth keeping", kept)] {
            print(out, &set, task, it.scored())?;
        }
    }
    Ok(())
}

/// Whether a sentence makes a fact of a profile, and what its beliefs are about.
fn understood(measured: &Measured, text: &str, before: &str) -> Result<(bool, Vec<String>)> {
    let short = text.split_whitespace().count() <= ANSWER_WORDS;
    let read = measured.annotated(text, (short && before.ends_with('?')).then_some(before))?;
    let kept = opinions(text, &read, None).into_iter();
    let kept = kept.filter(|it| it.doubt.is_none() && it.keep >= read.least.keep);
    let named = kept.map(|it| format!("{} {}", it.object, it.aspect));
    Ok((fact(text, None, &read).is_some(), named.collect()))
}
