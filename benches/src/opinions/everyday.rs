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

/// A labelled sentence.
pub(super) struct Said {
    talk: String,
    text: String,
    before: String,
    lasting: bool,
    /// What the opinion worth keeping is about.
    target: Option<String>,
}

/// Reads a table of labelled sentences.
pub(super) fn read(file: &Path) -> Result<Vec<Said>> {
    let rows = files::table(file, COLUMNS)?.into_iter();
    let said = rows.map(|[talk, text, before, lasting, keep, target, _]| Said {
        talk,
        text,
        before,
        lasting: lasting == "1",
        target: (keep == "1").then_some(target),
    });
    Ok(said.collect())
}

/// Prints the results of each kind of talk.
pub(super) fn measure(said: &[Said], measured: &Measured, out: &mut dyn Write) -> Result<()> {
    for of_talk in said.chunk_by(|a, b| a.talk == b.talk) {
        let (mut lasting, mut kept) = (Counts::default(), Counts::default());
        for it in of_talk {
            let (fact, objects) = it.read(measured)?;
            lasting.add(it.lasting, fact, it.lasting && fact);
            let target = it.target.as_deref().map(stems);
            let right =
                target.is_some_and(|it| objects.iter().any(|about| shares_word(&it, about)));
            kept.add(it.target.is_some(), !objects.is_empty(), right);
        }
        let set = format!("everyday talk, {}", of_talk[0].talk);
        for (task, it) in [("lasting", lasting), ("worth keeping", kept)] {
            print(out, &set, task, it.scored())?;
        }
    }
    Ok(())
}

impl Said {
    /// Whether it makes a fact of a profile, and what its beliefs are about.
    fn read(&self, measured: &Measured) -> Result<(bool, Vec<String>)> {
        let short = self.text.split_whitespace().count() <= ANSWER_WORDS;
        let asked = (short && self.before.ends_with('?')).then_some(self.before.as_str());
        let read = measured.annotated(&self.text, asked)?;
        let fact = fact(&self.text, None, &read).is_some();
        let kept = opinions(&self.text, &read, None).into_iter();
        let kept = kept.filter(|it| it.doubt.is_none() && it.keep >= read.least.keep);
        let named = kept.map(|it| format!("{} {}", it.object, it.aspect));
        Ok((fact, named.collect()))
    }
}
