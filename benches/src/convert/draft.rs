//! A dialogue being converted to a stream: data of a corpus, before times and positions are set.

use crate::stream::{Item, Probe, Stream, Turn};
use clap::ValueEnum;
use std::collections::{HashMap, HashSet};
use weir_core::stream::Span;
use weir_engine::streamfile::{Category, Gold};

/// Assumed speech rate in milliseconds per word, and the pause after a turn: corpora have no times.
const WORD_MS: u64 = 400;
const PAUSE_MS: u64 = 500;

/// A dialogue.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// Name of the stream and of its file.
    pub(super) name: String,
    /// Start in Unix milliseconds, if known.
    pub(super) started_at_unix_ms: Option<i64>,
    /// Turns and pauses in order.
    pub(super) steps: Vec<Step>,
    /// Questions in order.
    pub(super) asked: Vec<Asked>,
}

/// One step.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A turn.
    Turn(Said),
    /// A new sitting begins.
    Break {
        /// Its wall time in Unix milliseconds, if known.
        started_at_unix_ms: Option<i64>,
    },
}

/// One turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// Id within the dialogue.
    pub(super) id: String,
    /// Speaker, if known.
    pub(super) speaker: Option<String>,
    /// The words.
    pub(super) text: String,
}

/// A question.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// Its text.
    pub(super) question: String,
    /// The answer; `None` if there is none.
    pub(super) answer: Option<String>,
    /// Ids of the turns that prove it; some may be invalid.
    pub(super) evidence: Vec<String>,
    /// Kind of question, if known.
    pub(super) category: Option<Category>,
    /// Who asks, if known.
    pub(super) asked_by: Option<String>,
}

/// Parts of the draft that were left out of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// Turns without a letter or digit.
    pub(super) wordless: usize,
    /// Questions about a dialogue without any spoken turn.
    pub(super) unanswerable: usize,
    /// Evidence ids of turns that do not exist.
    pub(super) strays: Vec<Stray>,
}

/// An evidence id of a turn that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stray {
    pub(super) question: String,
    pub(super) label: String,
}

/// Position of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Place {
    /// All at the end of the stream
    End,
    /// Right after the last turn of their evidence
    Soon,
}

impl Draft {
    /// The stream with its questions in position, and the parts left out.
    pub(super) fn finish(self, place: Place) -> (Stream, Left) {
        let mut left = Left::default();
        let laid = lay(self.steps, &mut left);
        let at: HashMap<&str, usize> = laid
            .iter()
            .enumerate()
            .filter_map(|(n, item)| match item {
                Item::Turn(turn) => Some((turn.id.as_str(), n)),
                _ => None,
            })
            .collect();
        let mut placed: HashMap<usize, Vec<Probe>> = HashMap::new();
        for (n, asked) in self.asked.into_iter().enumerate() {
            if at.is_empty() {
                left.unanswerable += 1;
                continue;
            }
            let probe = probe(n, asked, &at, &mut left);
            let last = probe.gold.evidence.iter().map(|id| at[id.as_str()]).max();
            let after = match (place, last) {
                (Place::Soon, Some(last)) => last,
                _ => laid.len() - 1,
            };
            placed.entry(after).or_default().push(probe);
        }
        let mut items = Vec::new();
        for (n, item) in laid.into_iter().enumerate() {
            items.push(item);
            let probes = placed.remove(&n).unwrap_or_default();
            items.extend(probes.into_iter().map(Item::Probe));
        }
        let stream = Stream {
            name: self.name,
            started_at_unix_ms: self.started_at_unix_ms,
            items,
        };
        (stream, left)
    }
}

/// Turns with words on one clock; pauses only between them.
fn lay(steps: Vec<Step>, left: &mut Left) -> Vec<Item> {
    let (mut items, mut end_ms, mut pause) = (Vec::new(), 0_u64, None);
    for step in steps {
        let said = match step {
            Step::Break { started_at_unix_ms } => {
                pause = Some(started_at_unix_ms);
                continue;
            }
            Step::Turn(said) if !has_a_word(&said.text) => {
                left.wordless += 1;
                continue;
            }
            Step::Turn(said) => said,
        };
        if let Some(started_at_unix_ms) = pause.take() {
            items.push(Item::Break { started_at_unix_ms });
        }
        let long_ms = said.text.split_whitespace().count().max(1) as u64 * WORD_MS;
        let start_ms = if items.is_empty() {
            0
        } else {
            end_ms + PAUSE_MS
        };
        end_ms = start_ms + long_ms;
        items.push(Item::Turn(Turn {
            id: said.id,
            speaker: said.speaker,
            span: Span::new(start_ms, end_ms),
            text: said.text,
            audio: None,
        }));
    }
    items
}

fn probe(n: usize, asked: Asked, at: &HashMap<&str, usize>, left: &mut Left) -> Probe {
    let (mut evidence, mut known) = (Vec::new(), HashSet::new());
    for label in asked.evidence {
        if !at.contains_key(label.as_str()) {
            left.strays.push(Stray {
                question: asked.question.clone(),
                label,
            });
        } else if known.insert(label.clone()) {
            evidence.push(label);
        }
    }
    Probe {
        id: format!("q{}", n + 1),
        question: one_line(&asked.question),
        asked_by: asked.asked_by,
        gold: Gold {
            answer: asked.answer,
            evidence,
            category: asked.category,
        },
    }
}

/// A memory refuses text without a letter or digit.
pub(super) fn has_a_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Text with each run of white space, including line ends, as one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
