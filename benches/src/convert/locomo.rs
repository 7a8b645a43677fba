//! LoCoMo (Maharana et al. 2024): a dialogue is a stream, a dated session a sitting.
//!
//! Image captions count as spoken, in the form `[shares CAPTION]`. Category 1 is multi-hop, 2
//! temporal, 3 open-domain, 4 single-hop, 5 adversarial, which has no answer.

use super::draft::{Asked, Draft, Said, Step};
use crate::corpus::{self, Dialogue, Item};
use anyhow::Result;
use std::path::Path;
use weir_engine::streamfile::Category;

/// The dialogues of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Draft>> {
    let (dialogues, _) = corpus::locomo::read(path)?;
    Ok(dialogues.into_iter().map(draft).collect())
}

fn draft(dialogue: Dialogue) -> Draft {
    let mut draft = Draft {
        name: dialogue.name,
        ..Draft::default()
    };
    let mut begun = false;
    for item in dialogue.items {
        match item {
            Item::Sitting { started_at_unix_ms } if begun => {
                draft.steps.push(Step::Break { started_at_unix_ms });
            }
            Item::Sitting { started_at_unix_ms } => {
                draft.started_at_unix_ms = started_at_unix_ms;
                begun = true;
            }
            Item::Turn(turn) => draft.steps.push(Step::Turn(Said {
                id: turn.id,
                speaker: Some(turn.speaker),
                text: turn.text,
                span: None,
            })),
        }
    }
    draft.asked = dialogue
        .questions
        .into_iter()
        .map(|gold| Asked {
            question: gold.question,
            answer: gold.answer,
            evidence: gold.evidence.into_iter().chain(gold.strays).collect(),
            category: Category::named(gold.category),
            asked_by: None,
        })
        .collect();
    draft
}
