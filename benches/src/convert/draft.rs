//! A dialogue on its way to a stream: what a corpus says, before times and places are given.

use crate::stream::{Item, Probe, Stream, Turn};
use clap::ValueEnum;
use std::collections::{HashMap, HashSet};
use weir_core::stream::Span;
use weir_engine::streamfile::{Category, Gold};

/// Speed of speech for corpora without times, in milliseconds a word, and the pause after a turn.
const WORD_MS: u64 = 400;
const PAUSE_MS: u64 = 500;

/// A dialogue.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    /// Name of the stream and of its file.
    pub(crate) name: String,
    /// Wall time of the beginning in Unix milliseconds, where known.
    pub(crate) started_at_unix_ms: Option<i64>,
    /// Turns and pauses in order.
    pub(crate) steps: Vec<Step>,
    /// Questions in order.
    pub(crate) asked: Vec<Asked>,
}

/// One step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Somebody speaks.
    Turn(Said),
    /// A new sitting begins.
    Break {
        /// Wall time in Unix milliseconds, where known.
        started_at_unix_ms: Option<i64>,
    },
}

/// One turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    /// Name within the dialogue.
    pub(crate) id: String,
    /// Who speaks, where known.
    pub(crate) speaker: Option<String>,
    /// The words.
    pub(crate) text: String,
    /// Start and end in milliseconds since the sitting began, where the corpus tells them.
    pub(crate) span: Option<(u64, u64)>,
}

/// A question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// Its words.
    pub(crate) question: String,
    /// The answer; `None` where there is none.
    pub(crate) answer: Option<String>,
    /// Labels of turns that prove it; some may name none.
    pub(crate) evidence: Vec<String>,
    /// Kind of question, where known.
    pub(crate) category: Option<Category>,
    /// Who asks, where known.
    pub(crate) asked_by: Option<String>,
}

/// What a stream does not carry of its draft.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// Turns without a letter or digit: nothing can hear them.
    pub(crate) wordless: usize,
    /// Questions about a dialogue in which nothing was said.
    pub(crate) unanswerable: usize,
    /// Labels of evidence that name no turn.
    pub(crate) strays: Vec<Stray>,
    /// Turns whose end lay before their start, and was made up.
    pub(crate) ends: usize,
}

/// A label of evidence that names no turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) question: String,
    pub(crate) label: String,
}

/// Where questions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Place {
    /// All at the end of the stream
    End,
    /// Right after the last turn of their evidence
    Soon,
}

impl Draft {
    /// The stream, with its questions where they belong, and what it does not carry.
    pub(crate) fn finish(self, place: Place) -> (Stream, Left) {
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

/// Turns that say something, on one clock; pauses between them only.
fn lay(steps: Vec<Step>, left: &mut Left) -> Vec<Item> {
    let (mut items, mut end_ms, mut pause) = (Vec::new(), 0_u64, None);
    // times of a corpus count from the beginning of a sitting
    let mut sitting_ms = 0;
    for step in steps {
        let said = match step {
            Step::Break { started_at_unix_ms } => {
                pause = Some(started_at_unix_ms);
                sitting_ms = end_ms;
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
        let span = match said.span {
            None => {
                let start_ms = if items.is_empty() {
                    0
                } else {
                    end_ms + PAUSE_MS
                };
                Span::new(start_ms, start_ms + long_ms)
            }
            Some((start, end)) => {
                left.ends += usize::from(end < start);
                let long_ms = end.checked_sub(start).unwrap_or(long_ms);
                Span::new(sitting_ms + start, sitting_ms + start + long_ms)
            }
        };
        end_ms = end_ms.max(span.end_ms);
        items.push(Item::Turn(Turn {
            id: said.id,
            speaker: said.speaker,
            span,
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

/// A memory takes nothing without a letter or digit.
pub(crate) fn has_a_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Text with its white space, line ends among it, as single blanks.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
