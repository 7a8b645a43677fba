//! Fact recall, as defined in `stream.md`: whether the sentences that answer a question are in the
//! context, each on one line.
//!
//! For each gold utterance, the sentence that shares most content words with question and gold
//! answer counts: all of them on a tie, any sentence if none shares a word. It is recalled if the
//! context names the utterance and one line contains at least 0.8 of the sentence's content words.
//! So a list of words spread over many lines scores nothing.

use anyhow::{Context, Result};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use weir_core::text::content_words;
use weir_engine::streamfile::Gold;

/// Share of a sentence's content words that one line must contain for the sentence to be recalled.
const RECALLED_SHARE: f64 = 0.8;

/// The text of an utterance that is evidence.
pub(super) fn evidence_text<'a>(id: &str, said: &HashMap<&str, &'a str>) -> Result<&'a str> {
    let text = said.get(id).copied();
    text.with_context(|| format!("evidence `{id}` is not a turn of the stream"))
}

/// Share of the gold utterances whose fact sentence a context recalls; `None` without evidence.
/// `context_turns` are the utterances that the context names, `said` the text of each utterance by
/// id.
pub(crate) fn fact_recall(
    gold: &Gold,
    question: &str,
    context: &str,
    context_turns: &[String],
    said: &HashMap<&str, &str>,
) -> Result<Option<f64>> {
    let lines = context.split('\n').map(content_words);
    let lines: Vec<HashSet<String>> = lines.map(Iterator::collect).collect();
    let claimed: HashSet<&str> = context_turns.iter().map(String::as_str).collect();
    let answer = gold.answer.as_deref().unwrap_or_default();
    let asked = content_words(question).chain(content_words(answer));
    let asked: HashSet<String> = asked.collect();
    let mut recalled = 0_usize;
    for id in &gold.evidence {
        let text = evidence_text(id, said)?;
        let facts = fact_sentences(text, &asked);
        let shown = facts.iter().map(|fact| shown_share(fact, &lines));
        let is_shown = shown.fold(0.0, f64::max) >= RECALLED_SHARE;
        recalled += usize::from(is_shown && claimed.contains(id.as_str()));
    }
    let evidence = gold.evidence.len();
    Ok((evidence > 0).then(|| recalled as f64 / evidence as f64))
}

/// Sentences end at `.`, `!` or `?` before white space, and before `[shares`.
fn sentences(text: &str) -> Vec<&str> {
    static END: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[.!?](\s+)|(\[shares)").expect("the pattern is fixed and tested")
    });
    let (mut found, mut from) = (Vec::new(), 0);
    for end in END.captures_iter(text) {
        let (until, next) = match (end.get(1), end.get(2)) {
            (Some(blank), _) => (blank.start(), blank.end()),
            (None, Some(shares)) => (shares.start(), shares.start()),
            (None, None) => continue,
        };
        found.push(text[from..until].trim());
        from = next;
    }
    found.push(text[from..].trim());
    found.retain(|sentence| !sentence.is_empty());
    match found.is_empty() {
        true => vec![text],
        false => found,
    }
}

/// The sentences of an utterance that share most content words with question and answer; all of
/// them if none shares any.
fn fact_sentences<'a>(text: &'a str, asked: &HashSet<String>) -> Vec<&'a str> {
    let counted = sentences(text).into_iter().map(|sentence| {
        let words: HashSet<String> = content_words(sentence).collect();
        (sentence, words.intersection(asked).count())
    });
    let counted: Vec<(&str, usize)> = counted.collect();
    let most = counted.iter().map(|(_, shared)| *shared).max();
    let best = counted.into_iter().filter(|it| Some(it.1) == most);
    best.map(|(sentence, _)| sentence).collect()
}

/// The largest share of a sentence's distinct content words on one line; 1 for a sentence without
/// content words.
fn shown_share(sentence: &str, lines: &[HashSet<String>]) -> f64 {
    let words: HashSet<String> = content_words(sentence).collect();
    if words.is_empty() {
        return 1.0;
    }
    let shown = lines.iter().map(|line| words.intersection(line).count());
    shown.max().unwrap_or(0) as f64 / words.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    fn of<T: DeserializeOwned>(value: &Value) -> T {
        serde_json::from_value(value.clone()).expect("its type")
    }

    fn named(list: &Value, key: &str, name: &Value) -> Value {
        let found = of::<Vec<Value>>(list)
            .into_iter()
            .find(|it| it[key] == *name);
        found.expect("a known name")
    }

    /// Contexts of two made-up streams, and the reference tool's results.
    #[test]
    fn figures_are_those_of_the_reference_tool() {
        let golden: Value =
            serde_json::from_str(include_str!("fact_recall_golden.json")).expect("golden values");
        let runs: Vec<Value> = of(&golden["runs"]);
        assert_eq!(runs.len(), 7);
        for run in &runs {
            let mut recall = Vec::new();
            for row in of::<Vec<Value>>(&run["contexts"]) {
                let stream = named(&golden["streams"], "name", &row["stream"]);
                let probe = named(&stream["probes"], "id", &row["probe"]);
                let turns: Vec<HashMap<String, String>> = of(&stream["turns"]);
                let said = turns.iter().map(|it| (&*it["id"], &*it["text"])).collect();
                let gold = Gold {
                    answer: of(&probe["answer"]),
                    evidence: of(&probe["evidence"]),
                    category: of(&probe["category"]),
                };
                let [question, context] = [&probe["question"], &row["context"]].map(of::<String>);
                let turns: Vec<String> = of(&row["context_turns"]);
                let found = fact_recall(&gold, &question, &context, &turns, &said);
                let found = found.expect("known turns");
                assert_eq!(found.is_none(), gold.evidence.is_empty());
                if probe["category"] != "adversarial" {
                    recall.push(found);
                }
            }
            let recall = crate::timing::mean(recall).expect("some questions");
            // the tool prints three decimals
            let off = (recall - of::<f64>(&run["fact_recall"])).abs();
            assert!(off < 0.001, "{}: {recall}", run["name"]);
        }
    }

    #[test]
    fn sentences_end_at_stops_and_before_captions() {
        assert_eq!(
            sentences("Look!  It costs 3.50 now... [shares a cat] So? yes"),
            ["Look!", "It costs 3.50 now...", "[shares a cat] So?", "yes"]
        );
        assert_eq!(sentences("so [shares a cat]"), ["so", "[shares a cat]"]);
        assert_eq!(sentences(" "), [" "]);
    }

    #[test]
    fn evidence_that_is_no_turn_is_told() {
        let gold = Gold {
            evidence: vec!["z".to_owned()],
            ..Gold::default()
        };
        let error = fact_recall(&gold, "Who?", "", &[], &HashMap::new());
        assert!(error.expect_err("no such turn").to_string().contains("`z`"));
    }
}
