//! Word errors of another recogniser on a list of clips.
//!
//! All recognisers are scored here with the same normalisation and alignment.

use super::clips::listed;
use crate::files::text;
use crate::wer::WordErrors;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The command line of `score-clips`.
#[derive(clap::Args)]
pub(crate) struct ScoreArgs {
    /// A list of clips as for `hear-clips`
    list: PathBuf,
    /// Recognised text: each line a JSON object with `file`, as in the list, and `text`
    heard: PathBuf,
}

/// The recognised text of one clip; other fields are ignored.
#[derive(Deserialize)]
struct Heard {
    file: String,
    text: String,
}

/// Scores each clip and prints a JSON line for each, and one for all.
pub(crate) fn run(args: &ScoreArgs) -> Result<()> {
    let heard = heard(&args.heard, &text(&args.heard)?)?;
    score(args, &text(&args.list)?, &heard, &mut std::io::stdout())?;
    Ok(())
}

/// Texts by file.
fn heard(path: &Path, lines: &str) -> Result<HashMap<String, String>> {
    let parsed = lines.lines().enumerate().map(|(number, line)| {
        let wrong = || format!("{}, line {}", path.display(), number + 1);
        let heard: Heard = serde_json::from_str(line).with_context(wrong)?;
        Ok((heard.file, heard.text))
    });
    parsed.collect()
}

fn score(
    args: &ScoreArgs,
    list: &str,
    heard: &HashMap<String, String>,
    out: &mut impl Write,
) -> Result<Value> {
    let (clips, mut all) = (listed(&args.list, list)?, WordErrors::default());
    for (file, said) in &clips {
        let text = heard.get(*file).with_context(|| {
            let heard = args.heard.display();
            format!("{heard} has no line about {file}")
        })?;
        let mut errors = WordErrors::default();
        errors.add(said, text);
        all.include(errors);
        let mut row = serde_json::to_value(errors)?;
        row["file"] = (*file).into();
        writeln!(out, "{row}")?;
    }
    let (count, wer) = (clips.len(), all.rate());
    let total = json!({"clips": count, "wer": wer, "errors": all.errors(), "words": all.words});
    writeln!(out, "{total}")?;
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(list: &str, lines: &str) -> Result<Value> {
        let args = ScoreArgs {
            list: "list.tsv".into(),
            heard: "heard.jsonl".into(),
        };
        score(&args, list, &heard(&args.heard, lines)?, &mut Vec::new())
    }

    #[test]
    fn clips_are_scored_by_the_file_they_are_in() {
        let lines = concat!(
            r#"{"file": "b.wav", "text": "it's two", "cpu_ms": 3.5}"#,
            "\n",
            r#"{"file": "a.wav", "text": "One!"}"#,
        );
        let total = scored("a.wav\tone\nb.wav\tIt is three.", lines).expect("whole");
        let expected = json!({"clips": 2, "wer": 0.25, "errors": 1, "words": 4});
        assert_eq!(total, expected);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |list, lines| scored(list, lines).expect_err("refused").to_string();
        let none = error("a.wav\tone", r#"{"file": "b.wav", "text": "one"}"#);
        assert_eq!(none, "heard.jsonl has no line about a.wav");
        assert_eq!(error("a.wav\tone", "{"), "heard.jsonl, line 1");
        assert_eq!(error("", ""), "list.tsv: no clips");
    }
}
