//! PrefEval: a preference is stated, other talk goes on for some turns, and then a question follows
//! whose answer should keep to it.
//!
//! The talk between is MemoryBank's, exchanges that follow one another from a place that a hash of
//! seed, topic and number gives. Its users tell facts of their own, which count as the same user's:
//! a preference competes with them.

use super::dialogue::{Asked, Dialogue, Needed, Turn};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Share of a preference's content words that one line must show, as for facts of preferences.
const SHOWN: f64 = 0.5;

#[derive(Deserialize)]
struct Case {
    preference: String,
    question: String,
}

/// The talk between a preference and its question.
pub(super) struct Between {
    pub(super) exchanges: Vec<(String, String)>,
    pub(super) turns: usize,
    pub(super) seed: u64,
}

/// A number from a seed and names; the same on every machine.
fn draw(seed: u64, names: &str) -> usize {
    let digest = Sha256::digest(format!("{seed} {names}"));
    let first: [u8; 4] = std::array::from_fn(|at| digest[at]);
    u32::from_le_bytes(first) as usize
}

/// The dialogues of a folder with `explicit_preference`; `limit` of them, evenly spread.
pub(super) fn read(folder: &Path, between: &Between, limit: usize) -> Result<Vec<Dialogue>> {
    ensure!(
        between.turns == 0 || !between.exchanges.is_empty(),
        "no talk to put between a preference and its question: MemoryBank is not there"
    );
    let preferences = folder.join("explicit_preference");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&preferences)
        .with_context(|| format!("{} cannot be read", preferences.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut dialogues = Vec::new();
    for file in &files {
        let cases: Vec<Case> = from_json(file)?;
        let topic = file.file_stem().unwrap_or_default().display().to_string();
        for (number, case) in cases.into_iter().enumerate() {
            let name = format!("{topic} {number}");
            dialogues.push(dialogue(name, case, between));
        }
    }
    let step = dialogues.len().div_ceil(limit.max(1)).max(1);
    Ok(dialogues.into_iter().step_by(step).collect())
}

fn from_json<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))
}

fn dialogue(name: String, case: Case, between: &Between) -> Dialogue {
    let needed = Needed::new("preference", &case.preference, SHOWN);
    let mut turns = vec![Turn {
        id: "preference".to_owned(),
        text: case.preference,
        is_heard: true,
        ..Turn::default()
    }];
    let start = draw(between.seed, &name);
    let all = between.exchanges.len().max(1);
    for at in 0..between.turns {
        let (said, reply) = &between.exchanges[(start + at) % all];
        turns.push(Turn {
            id: format!("between {at}"),
            text: said.trim().to_owned(),
            reply: Some(reply.trim().to_owned()),
            is_heard: true,
            ..Turn::default()
        });
    }
    turns.push(Turn {
        id: "question".to_owned(),
        text: case.question,
        asked: Some(Asked {
            needed: vec![needed],
        }),
        ..Turn::default()
    });
    Dialogue {
        data: "prefeval",
        name,
        user: "User".to_owned(),
        told: Vec::new(),
        turns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_followed_by_the_same_talk_for_the_same_seed() {
        let folder = tempfile::tempdir().expect("a folder");
        let preferences = folder.path().join("explicit_preference");
        let case = r#"[{"preference": "I hate crowds.", "question": "Where to?"}]"#;
        std::fs::create_dir(&preferences).expect("made");
        std::fs::write(preferences.join("trips.json"), case).expect("written");
        let exchange = |it: usize| (format!("said {it}"), "reply".to_owned());
        let between = |seed| Between {
            exchanges: (0..50).map(exchange).collect(),
            turns: 3,
            seed,
        };
        let texts = |seed| {
            let dialogues = read(folder.path(), &between(seed), 9).expect("read");
            let turns = &dialogues[0].turns;
            assert_eq!(turns.len(), 5);
            assert!(turns[4].asked.is_some() && !turns[4].is_heard);
            turns
                .iter()
                .map(|turn| turn.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
        assert_eq!(texts(1)[0], "I hate crowds.");
        let none = Between {
            exchanges: Vec::new(),
            ..between(1)
        };
        assert!(read(folder.path(), &none, 9).is_err());
    }
}
