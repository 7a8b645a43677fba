//! The 50 turns of the User memory paper. Turns that go on from an earlier fact are questions.

use super::dialogue::{Asked, Dialogue, Needed, Turn};
use super::labels::TOLD;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct File {
    persona: Persona,
    dialogue: Vec<Said>,
}

#[derive(Deserialize)]
struct Persona {
    name: String,
}

#[derive(Deserialize)]
struct Said {
    turn: u32,
    text: String,
}

/// The dialogue of a file.
pub(super) fn read(file: &Path) -> Result<Vec<Dialogue>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let File { persona, dialogue } = serde_json::from_str(&text)
        .with_context(|| format!("{}: no persona and dialogue", file.display()))?;
    let turn = |said: Said| {
        let needed = TOLD.iter().filter(|fact| fact.needed.contains(&said.turn));
        let needed = needed.map(|fact| Needed::new(fact.name, fact.keys, 1.0));
        let needed: Vec<Needed> = needed.collect();
        Turn {
            id: said.turn.to_string(),
            text: said.text,
            is_heard: true,
            asked: (!needed.is_empty()).then_some(Asked { needed }),
            ..Turn::default()
        }
    };
    let told = TOLD.iter();
    Ok(vec![Dialogue {
        data: "alex50",
        name: "alex50".to_owned(),
        user: persona.name,
        told: told
            .map(|fact| (fact.name, Needed::new(fact.name, fact.keys, 1.0)))
            .collect(),
        turns: dialogue.into_iter().map(turn).collect(),
    }])
}
