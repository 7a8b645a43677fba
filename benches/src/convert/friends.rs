//! `FriendsQA` (Yang and Choi 2019): the scenes of an episode, in order, are one stream.
//!
//! If several annotators answered, the first answer counts, and its utterance is the evidence; so
//! every question is answered by one turn and is single-hop, or temporal if it asks when. Stage
//! directions have no speaker.

use super::draft;
use crate::files;
use crate::stream::{Category, Gold, Item, Stream};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

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
pub(super) fn read(path: &Path) -> Result<Vec<Stream>> {
    let expected = "FriendsQA's JSON: data, a list of scenes with paragraphs";
    let file: File = files::json(path, expected)?;
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
    let streams = episodes.into_iter();
    Ok(streams.map(|(name, it)| draft(name, it)).collect())
}

fn draft(name: String, mut scenes: Vec<Scene>) -> Stream {
    scenes.sort_by(|a, b| a.title.cmp(&b.title));
    let mut draft = draft::empty(name);
    for scene in scenes {
        draft::sit(&mut draft, None);
        for (part, paragraph) in scene.paragraphs.into_iter().enumerate() {
            let prefix = match part {
                0 => scene.title.clone(),
                part => format!("{}_{part}", scene.title),
            };
            let lines = paragraph.utterances.into_iter();
            draft.items.extend(lines.map(|line| said(line, &prefix)));
            let asked = paragraph.qas.into_iter();
            draft.items.extend(asked.map(|it| probe(it, &prefix)));
        }
    }
    draft
}

fn id(prefix: &str, utterance: u64) -> String {
    format!("{prefix}:{utterance}")
}

fn said(line: Line, prefix: &str) -> Item {
    let speaker = match line.speakers.join(" and ").as_str() {
        "#NOTE#" | "" => None,
        "#ALL#" => Some("everybody".to_owned()),
        names => Some(names.to_owned()),
    };
    Item::Turn(draft::turn(id(prefix, line.uid), speaker, line.utterance))
}

fn probe(asked: Question, prefix: &str) -> Item {
    let category = match asked.id.contains("_When") {
        true => Category::Temporal,
        false => Category::SingleHop,
    };
    let answer = asked.answers.into_iter().next();
    let evidence = answer.iter().map(|it| id(prefix, it.utterance_id));
    let gold = Gold {
        evidence: evidence.collect(),
        answer: answer.map(|found| found.answer_text),
        category: Some(category),
    };
    Item::Probe(draft::probe(asked.question, gold))
}
