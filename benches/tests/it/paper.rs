//! `weir-bench paper` over a small corpus: made, and gone on with.

use crate::command::{bench, done};
use serde_json::json;
use std::fs;
use std::path::Path;

/// A dialogue in LoCoMo's form: two sittings of twelve turns each, and four questions.
fn corpus(folder: &Path) {
    let said = [
        "I sold the red boat to a fisher from Porto last week.",
        "Did it hurt to see it go, after all these summers?",
        "A little. My sister Clara painted it blue when we were children.",
        "I bought a violin from the old shop beside the harbour.",
        "Who teaches you to play the violin?",
        "Mister Lang does, every Tuesday in the school of music.",
    ];
    let sitting = |day: usize| -> Vec<serde_json::Value> {
        let turns = said.iter().cycle().take(12).enumerate();
        let turn = |(n, text): (usize, &&str)| {
            let speaker = ["Ana", "Bob"][n % 2];
            let text = format!("{text} That was talk {day} and turn {n}.");
            json!({"speaker": speaker, "dia_id": format!("D{day}:{}", n + 1), "text": text})
        };
        turns.map(turn).collect()
    };
    let asked = |question: &str, answer: &str, turns: &[&str], category: u8| {
        let mut asked = json!({"question": question, "answer": answer, "evidence": turns});
        asked["category"] = category.into();
        asked
    };
    let whole = json!([{
        "sample_id": "small",
        "qa": [
            asked("What did Bob buy?", "a violin", &["D1:4"], 4),
            asked("Who teaches Bob the violin?", "Mister Lang", &["D2:6"], 4),
            asked("What belongs to Ana and Bob?", "boat, violin", &["D1:1", "D2:4"], 1),
            asked("When was the boat sold?", "May 2023", &["D1:1"], 2),
        ],
        "conversation": {
            "speaker_a": "Ana",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": sitting(1),
            "session_2_date_time": "9:00 am on 9 May, 2023",
            "session_2": sitting(2),
        },
    }]);
    let place = folder.join("data/locomo");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("locomo_dev.json"), whole.to_string()).unwrap();
}

#[test]
fn the_tables_are_made_once_and_say_what_is_missing() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    corpus(folder);
    let paper = |only: &str| {
        let args = "paper --data data --out out --document PAPERS.md --encoder words --only";
        done(&bench(folder, &format!("{args} {only}")));
        fs::read_to_string(folder.join("PAPERS.md")).unwrap()
    };
    let one = paper("table-2");
    assert!(one.contains("Missing in the data folder: friendsqa/friendsqa_dev.json, qmsum/train."));
    assert_eq!(one.matches("Not made yet: `--only ").count(), 10, "{one}");
    assert!(one.contains("All streams, 4 questions:"), "{one}");
    let row = |text: &str, method: &str| -> Vec<String> {
        let begins = format!("| {method} |");
        let line = text.lines().find(|line| line.starts_with(&begins));
        let line = line.unwrap_or_else(|| panic!("{method}: {text}"));
        line.split('|').map(|it| it.trim().to_owned()).collect()
    };
    for method in [
        "weir", "raptor", "graphrag", "hipporag2", "memorag", "a-mem", "memgas",
    ] {
        let cells = row(&one, method);
        let recall: f64 = cells[3].parse().unwrap();
        assert!(recall > 0.0, "{method}: {cells:?}");
        // questions of one turn, of several, and of time
        assert!(
            !cells[4..7].contains(&"–".to_owned()),
            "{method}: {cells:?}"
        );
    }
    assert_eq!(row(&one, "full-context")[3], "1.000");
    // what was made stands, what is missing is made again, and the rest is added
    let jobs = |method: &str| {
        let made = fs::read_dir(folder.join("out/table-2")).unwrap();
        let build = made.map(|it| it.unwrap().path()).next().unwrap();
        build.join(format!("jobs/{method}/small.results.jsonl"))
    };
    let written = || fs::metadata(jobs("raptor-none")).unwrap().modified();
    let before = written().unwrap();
    fs::remove_file(jobs("a-mem-none")).unwrap();
    let again = paper("table-2");
    assert!(jobs("a-mem-none").exists());
    assert_eq!(written().unwrap(), before);
    assert_eq!(row(&one, "a-mem")[3..10], row(&again, "a-mem")[3..10]);
    let all = paper("read,written,ablations,table-3,answers,retention,beliefs");
    assert_eq!(all.matches("Not made yet").count(), 3, "{all}");
    for option in ["`--readers MODEL.gguf`", "`--writer MODEL.gguf`"] {
        assert!(all.contains(option), "{all}");
    }
    assert!(all.contains("| weir-quote | – | all |"), "{all}");
    assert_eq!(row(&again, "raptor"), row(&all, "raptor"));
    // a row of means, and one by kind of question and distance
    let (bounded, encoder) = ("| rag-rrf-salience | 2000 | ", "| weir, splade-tiny |");
    for row in ["| weir-no-tree |", "| rag-rrf | 2000 | ", bounded, encoder] {
        assert_eq!(all.matches(row).count(), 2, "{row}: {all}");
    }
    assert!(all.contains("| method | budget | single-hop |"), "{all}");
    assert!(all.contains("Held after 30 remarks on coffee:"), "{all}");
}
