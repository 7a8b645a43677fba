//! `FriendsQA` (Yang and Choi 2019): the scenes of an episode, in order, are one stream.
//!
//! If several annotators answered, the first answer counts, and its utterance is the evidence; so
//! every question is answered by one turn and is single-hop, or temporal if it asks when. Stage
//! directions have no speaker.

use super::draft::{Asked, Draft, Said, Step};
use super::input;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use weir_engine::streamfile::Category;

#[derive(Deserialize)]
struct File {
    data: Vec<Scene>,
}

#[derive(Deserialize)]
struct Scene {
    title: String,
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    // the corpus's spelling
    #[serde(rename = "utterances:", alias = "utterances")]
    utterances: Vec<Line>,
    qas: Vec<Question>,
}

#[derive(Deserialize)]
struct Line {
    uid: u64,
    speakers: Vec<String>,
    utterance: String,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    question: String,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    answer_text: String,
    utterance_id: u64,
}

/// The episodes of a file by name.
pub(super) fn read(path: &Path) -> Result<Vec<Draft>> {
    let file: File = input::json(
        path,
        "FriendsQA's JSON: data, a list of scenes with paragraphs",
    )?;
    let mut episodes: BTreeMap<String, Vec<Scene>> = BTreeMap::new();
    for scene in file.data {
        let episode = scene.title.rsplit_once("_c").map(|(episode, _)| episode);
        let episode = episode.with_context(|| {
            let (path, title) = (path.display(), &scene.title);
            format!("{path}: scene `{title}`: expected a title such as s01_e23_c06")
        })?;
        episodes.entry(episode.to_owned()).or_default().push(scene);
    }
    ensure!(!episodes.is_empty(), "{}: data is empty", path.display());
    Ok(episodes
        .into_iter()
        .map(|(name, scenes)| draft(name, scenes))
        .collect())
}

fn draft(name: String, mut scenes: Vec<Scene>) -> Draft {
    scenes.sort_by(|a, b| a.title.cmp(&b.title));
    let mut draft = Draft {
        name,
        ..Draft::default()
    };
    for (n, scene) in scenes.into_iter().enumerate() {
        if n > 0 {
            draft.steps.push(Step::Break {
                started_at_unix_ms: None,
            });
        }
        for (part, paragraph) in scene.paragraphs.into_iter().enumerate() {
            let prefix = match part {
                0 => scene.title.clone(),
                part => format!("{}_{part}", scene.title),
            };
            let lines = paragraph.utterances.into_iter();
            draft.steps.extend(lines.map(|line| said(line, &prefix)));
            let asked = paragraph.qas.into_iter();
            draft.asked.extend(asked.map(|asked| gold(asked, &prefix)));
        }
    }
    draft
}

fn id(prefix: &str, utterance: u64) -> String {
    format!("{prefix}:{utterance}")
}

fn said(line: Line, prefix: &str) -> Step {
    let speaker = match line.speakers.join(" and ").as_str() {
        "#NOTE#" | "" => None,
        "#ALL#" => Some("everybody".to_owned()),
        names => Some(names.to_owned()),
    };
    Step::Turn(Said {
        id: id(prefix, line.uid),
        speaker,
        text: line.utterance,
    })
}

fn gold(asked: Question, prefix: &str) -> Asked {
    let category = match asked.id.contains("_When") {
        true => Category::Temporal,
        false => Category::SingleHop,
    };
    let answer = asked.answers.into_iter().next();
    Asked {
        question: asked.question,
        evidence: answer
            .iter()
            .map(|found| id(prefix, found.utterance_id))
            .collect(),
        answer: answer.map(|found| found.answer_text),
        category: Some(category),
        asked_by: None,
    }
}
