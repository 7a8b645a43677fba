//! The first sitting of the demo from audio: at least 4 of its 5 questions get the right answer.
//! Right means that the answer has the gold answer's content words and its first citation is gold
//! evidence, or that it abstains if the answer was never said. Uses no downloaded model.
use crate::cli_support::{Place, json_lines};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use weir_core::text::content_words;

const RIGHT_MIN: usize = 4;

fn right(gold: &Value, result: &Value) -> bool {
    let Some(answer) = gold["answer"].as_str() else {
        return result["abstained"] == true;
    };
    let said: BTreeSet<String> =
        content_words(result["answer"].as_str().expect("an answer")).collect();
    let cited = &result["citations"][0]["utterances"][0];
    let evidence = gold["evidence"].as_array().expect("evidence");
    content_words(answer).all(|word| said.contains(&word)) && evidence.contains(cited)
}

#[test]
fn the_spoken_dialogue_is_heard_and_its_questions_answered() {
    let place = Place::new();
    let text = std::fs::read_to_string(weir_fixtures::spoken_stream()).expect("the fixture");
    let sitting: Vec<&str> = text
        .lines()
        .take_while(|line| !line.contains("\"break\""))
        .collect();
    let sitting = sitting.join("\n");
    place.write("sitting.stream.jsonl", &sitting);
    let name = "kitchen-table-1.wav";
    std::fs::copy(weir_fixtures::spoken_dir().join(name), place.path(name)).expect("copied");
    let args = [
        "replay", "sitting.stream.jsonl", "--encoder", "splade-tiny", "--results", "r.jsonl",
    ];
    place.weir(&args).ended(0);
    let results = place.lines("r.jsonl");
    let by_id: BTreeMap<&str, &Value> = results
        .iter()
        .filter_map(|line| Some((line["probe"].as_str()?, line)))
        .collect();
    let stream = json_lines(&sitting);
    let probes: Vec<&Value> = stream
        .iter()
        .map(|line| &line["probe"])
        .filter(|probe| probe.is_object())
        .collect();
    assert_eq!(probes.len(), 5);
    let wrong: Vec<String> = probes
        .iter()
        .filter(|gold| !right(gold, by_id[gold["id"].as_str().expect("an id")]))
        .map(|gold| {
            format!(
                "{gold}\n   {}",
                by_id[gold["id"].as_str().expect("an id")]["answer"]
            )
        })
        .collect();
    let heard = results.last().expect("a summary")["summary"]["wer"]
        .as_f64()
        .expect("measured");
    assert!(heard < 0.1, "word error rate {heard}");
    assert!(
        probes.len() - wrong.len() >= RIGHT_MIN,
        "wrong:\n{}",
        wrong.join("\n")
    );
}
