//! QMSum: real meetings with topic labels (Zhong et al. 2021).
//!
//! A topic begins at the first turn of each of its spans. The end of a span is not a separate
//! boundary: between spans there are only a few turns of small talk, or none.

use super::spread;
use crate::files;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// One meeting.
#[derive(Debug, Clone)]
pub(crate) struct Meeting {
    /// Its name in the corpus.
    pub(crate) name: String,
    /// Speakers and texts, in order.
    pub(crate) turns: Vec<(String, String)>,
    /// For each turn whether a topic begins there; false for the first turn.
    pub(crate) begins: Vec<bool>,
    /// For each turn the index of its topic; `None` outside all spans.
    pub(crate) topic: Vec<Option<usize>>,
    /// Questions about parts of it.
    pub(crate) specific: Vec<Query>,
}

/// A question about a meeting.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Query {
    /// Its words.
    #[serde(rename = "query")]
    pub(crate) question: String,
    /// The answer.
    pub(crate) answer: String,
    /// First and last turn of each part that answers it, as [`turn_numbers`] reads them.
    #[serde(default)]
    pub(crate) relevant_text_span: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct File {
    meeting_transcripts: Vec<Line>,
    topic_list: Vec<Topic>,
    #[serde(default)]
    specific_query_list: Vec<Query>,
}

#[derive(Deserialize)]
struct Line {
    speaker: String,
    content: String,
}

#[derive(Deserialize)]
struct Topic {
    relevant_text_span: Vec<Vec<String>>,
}

impl Meeting {
    /// Series of a meeting, whose meetings share a subject; an AMI series is the name without the
    /// last letter.
    pub(crate) fn series(&self) -> &str {
        let ami = ["ES", "IS", "TS"]
            .iter()
            .any(|at| self.name.starts_with(at));
        match self.name.strip_suffix(['a', 'b', 'c', 'd']) {
            Some(series) if ami => series,
            _ => &self.name,
        }
    }
}

/// The meetings of a folder, or of one file; with a limit, this many evenly spread.
pub(crate) fn read(folder: &Path, limit: Option<usize>) -> Result<Vec<Meeting>> {
    if folder.is_file() {
        return Ok(vec![meeting(folder)?]);
    }
    let mut files = files::entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    ensure!(
        !files.is_empty(),
        "{} holds no meeting: no *.json",
        folder.display()
    );
    let files = spread(files, limit);
    files.iter().map(|path| meeting(path)).collect()
}

fn meeting(path: &Path) -> Result<Meeting> {
    let expected = "QMSum's JSON: a meeting with meeting_transcripts and topic_list";
    let file: File = files::json(path, expected)?;
    let (begins, topic) = topics(&file).with_context(|| path.display().to_string())?;
    Ok(Meeting {
        name: files::stem(path)?,
        turns: file
            .meeting_transcripts
            .into_iter()
            .map(|line| (line.speaker, line.content))
            .collect(),
        begins,
        topic,
        specific: file.specific_query_list,
    })
}

type Topics = (Vec<bool>, Vec<Option<usize>>);

fn topics(file: &File) -> Result<Topics> {
    let turns = file.meeting_transcripts.len();
    ensure!(turns > 0, "meeting_transcripts is empty");
    let (mut starts, mut topic) = (BTreeSet::new(), vec![None; turns]);
    for (at, entry) in file.topic_list.iter().enumerate() {
        for (n, span) in entry.relevant_text_span.iter().enumerate() {
            let field = format!("topic_list[{at}].relevant_text_span[{n}]");
            let (first, last) = turn_numbers(span, turns).context(field)?;
            starts.insert(first);
            topic[first..=last].fill(Some(at));
        }
    }
    let begins = (0..turns).map(|n| n > 0 && starts.contains(&n)).collect();
    Ok((begins, topic))
}

/// First and last turn of a span, checked.
pub(crate) fn turn_numbers(span: &[String], turns: usize) -> Result<(usize, usize)> {
    let [first, last] = span else {
        bail!("{} numbers; a span has two", span.len());
    };
    let number = |text: &String| -> Result<usize> {
        text.trim()
            .parse()
            .with_context(|| format!("`{text}` is not a turn number"))
    };
    let (first, last) = (number(first)?, number(last)?);
    ensure!(first <= last, "it ends at {last} before it begins, {first}");
    ensure!(
        last < turns,
        "turn {last} does not exist; the meeting has {turns}"
    );
    Ok((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(spans: &str) -> Result<Vec<Meeting>> {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = r#"{"speaker": "A", "content": "Hi"}"#;
        let lines = [lines; 6].join(",");
        let text = format!(
            r#"{{"topic_list": [{{"topic": "t", "relevant_text_span": {spans}}}],
                "meeting_transcripts": [{lines}], "specific_query_list": []}}"#
        );
        std::fs::write(folder.path().join("ES2002a.json"), text).expect("written");
        read(folder.path(), None)
    }

    #[test]
    fn a_topic_begins_where_each_of_its_spans_does() {
        let meetings = sample(r#"[["0", "1"], ["3", "4"]]"#).expect("it is whole");
        let meeting = &meetings[0];
        assert_eq!(meeting.series(), "ES2002");
        assert_eq!(meeting.begins, [false, false, false, true, false, false]);
        let topic: Vec<bool> = meeting.topic.iter().map(Option::is_some).collect();
        assert_eq!(topic, [true, true, false, true, true, false]);
    }

    #[test]
    fn a_span_that_is_none_is_told_with_file_and_field() {
        for (spans, what) in [
            (
                r#"[["0", "1"], ["2", "6"]]"#,
                "span[1]: turn 6 does not exist",
            ),
            (r#"[["4", "2"]]"#, "span[0]: it ends at 2 before"),
            (r#"[["x", "2"]]"#, "span[0]: `x` is not a turn number"),
            (r#"[["2"]]"#, "span[0]: 1 numbers"),
            (r#"[[2, 3]]"#, "invalid type"),
        ] {
            let told = format!("{:#}", sample(spans).expect_err(spans));
            assert!(told.contains("ES2002a.json"), "{told}");
            assert!(told.contains(what), "{told}");
        }
    }
}
