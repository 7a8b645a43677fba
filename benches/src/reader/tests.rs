//! Readings of two made-up runs by a scripted model.

use super::*;
use crate::method::testing::turn;
use crate::stream::{Category, Gold, Item, Probe};
use std::fs;
use std::sync::Mutex;
use weir_models::testing::Says;

/// The table of a reading.
fn read(plan: &Plan, model: &mut dyn Generate) -> Result<String> {
    Ok(super::read(plan, model)?.table)
}

/// Answers `Lisbon` if the prompt contains that word, else `unknown`; fails after a number of
/// answers.
fn scripted(mut left: usize) -> Says {
    Says::with(move |request| {
        left = left.checked_sub(1).ok_or("it is over")?;
        let knows = request.messages[1].content.contains("Lisbon");
        Ok(if knows { " To Lisbon.\n" } else { "unknown" }.to_owned())
    })
}

/// Two turns, and this many questions about the first; the last is adversarial.
fn stream(name: &str, questions: usize) -> Stream {
    let probe = |n: usize| {
        let adversarial = n == questions;
        Item::Probe(Probe {
            id: format!("q{n}"),
            question: format!("Where does Ida go in week {n}?"),
            asked_by: Some(name.to_owned()),
            gold: Gold {
                answer: (!adversarial).then(|| "Lisbon".to_owned()),
                evidence: vec!["u1".to_owned()],
                category: Some(match (adversarial, n % 2) {
                    (true, _) => Category::Adversarial,
                    (_, 0) => Category::Temporal,
                    _ => Category::SingleHop,
                }),
            },
        })
    };
    let turns = (1..).zip(["I go to Lisbon.", "It rains."]);
    let turns = turns.map(|(at, text)| Item::Turn(turn(at, "Ida", text)));
    Stream {
        name: name.to_owned(),
        started_at_unix_ms: None,
        items: turns.chain((1..=questions).map(probe)).collect(),
    }
}

/// Results of a run with the right context for the first `knows` questions of a stream.
fn results(folder: &Path, stream: &Stream, knows: usize) {
    fs::create_dir_all(folder).expect("a folder");
    let lines = stream.probes().enumerate().map(|(at, probe)| {
        let (context, turns) = match at < knows {
            true => ("Ida: I go to Lisbon.", vec!["u1"]),
            false => ("Ida: It rains.", vec!["u2"]),
        };
        json!({"probe": probe.id, "answer": "", "context": context, "context_utterances": turns,
            "context_tokens": 7, "memory": {"budget_tokens": 8192, "text_tokens": 40, "bytes": 1}})
        .to_string()
    });
    let lines: Vec<String> = lines.chain([r#"{"summary": {}}"#.to_owned()]).collect();
    let file = folder.join(format!("{}.results.jsonl", stream.name));
    fs::write(file, lines.join("\n")).expect("written");
}

/// Questions of all streams and runs, less those with the prompt of another run.
const ASKED: usize = 4 * 14 - 4;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        for stream in Self::streams() {
            results(&place.0.path().join("good"), &stream, 9);
            results(&place.0.path().join("poor"), &stream, 2);
        }
        place
    }

    fn streams() -> Vec<Stream> {
        vec![stream("kitchen", 5), stream("garden", 9)]
    }

    fn plan(&self) -> Plan {
        let folder = |name: &str| self.0.path().join(name).display().to_string();
        let folders = [folder("good"), format!("weak={}", folder("poor"))];
        Plan {
            streams: Self::streams(),
            runs: runs(&folders).expect("two runs"),
            against: Some("weak".to_owned()),
            questions: usize::MAX,
            adversarial: usize::MAX,
            measures: Arc::default(),
            out: self.0.path().join("out"),
        }
    }

    fn summary(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.0.path().join("out/summary.jsonl")).expect("a summary");
        let lines = text.lines().map(serde_json::from_str);
        lines.map(|line| line.expect("it is JSON")).collect()
    }
}

#[test]
fn runs_are_read_scored_and_compared() {
    let place = Place::new();
    let mut model = scripted(usize::MAX);
    let table = read(&place.plan(), &mut model).expect("read");
    assert_eq!(model.asked().len(), ASKED);
    let asked = &model.asked()[0];
    assert!(asked.messages[1].content.starts_with("Notes:\nIda: "));
    let rows = place.summary();
    assert_eq!(rows[0]["stamp"]["model"], "script");
    assert_eq!(rows[0]["stamp"]["questions"], 12);
    let row = |name: &str| {
        let row = rows.iter().find(|row| row["run"]["name"] == name);
        row.expect("a row")["run"].clone()
    };
    let number = |name: &str, field: &str| row(name)[field].as_f64().expect("a number");
    let near = |found: f64, value: f64| assert!((found - value).abs() < 1e-9, "{found} {value}");
    // "to lisbon" against "lisbon": precision one half, recall one
    near(number("good", "f1"), 2.0 / 3.0);
    near(number("weak", "f1"), 2.0 / 3.0 / 3.0);
    near(number(CEILING, "answer_words"), 1.0);
    near(number(FLOOR, "answer_words"), 0.0);
    near(number("good", "fact_recall"), 1.0);
    near(number("weak", "fact_recall"), 1.0 / 3.0);
    near(number("weak", "adversarial_declined"), 1.0);
    near(number("good", "adversarial_declined"), 0.0);
    assert_eq!(row("weak")["text_tokens_max"], 40);
    assert!(row("weak")["f1_difference"].is_null());
    let difference = &row("good")["answer_words_difference"];
    near(difference["mean"].as_f64().expect("a mean"), 8.0 / 12.0);
    let low = difference["low"].as_f64().expect("a bound");
    assert!(low > 0.3 && low < 0.6, "{low}");
    for told in [
        "| good | 8192 | 40 | 7 | 1.000 | 0.667 | 1.000 | – | – | +0.444 (+",
        "Reader: script. 12 answerable and 2 adversarial",
    ] {
        assert!(table.contains(told), "{table}");
    }
}

#[test]
fn an_interrupted_reading_goes_on_to_the_same_table() {
    let (place, whole) = (Place::new(), Place::new());
    let table = read(&whole.plan(), &mut scripted(usize::MAX)).expect("read");
    let error = read(&place.plan(), &mut scripted(11)).expect_err("it fails");
    assert!(format!("{error:#}").contains("it is over"), "{error:#}");
    let file = place.0.path().join("out/answers.jsonl");
    let kept = fs::read(&file).expect("answers");
    // as after a kill: the last line is incomplete
    fs::write(&file, &kept[..kept.len() - 9]).expect("written");
    let mut model = scripted(usize::MAX);
    assert_eq!(read(&place.plan(), &mut model).expect("read"), table);
    assert_eq!(model.asked().len(), ASKED - 10);
    let again = read(&place.plan(), &mut scripted(0));
    assert_eq!(again.expect("all is known"), table);
    // another context is read again
    for stream in Place::streams() {
        results(&place.0.path().join("poor"), &stream, 1);
    }
    let mut model = scripted(usize::MAX);
    read(&place.plan(), &mut model).expect("read");
    let asked = model.asked().len();
    assert_eq!(asked, 2, "one question less of each stream is known");
}

#[test]
fn a_judge_scores_each_answer_once_and_what_it_said_stays() {
    let place = Place::new();
    let judged = |mut left: usize| {
        let judge = Says::with(move |request| {
            left = left.checked_sub(1).ok_or("it is gone")?;
            let is_right = request.messages[0].content.contains("judge: To Lisbon.");
            let score = if is_right { 1.0 } else { 0.25 };
            Ok(json!({"score": score}).to_string())
        });
        let mut plan = place.plan();
        plan.measures = Arc::new(Measures {
            judge: Some(Mutex::new(Box::new(judge.clone()))),
            ..Measures::default()
        });
        let done = super::read(&plan, &mut scripted(usize::MAX));
        (done, judge.asked().len())
    };
    let error = format!("{:#}", judged(3).0.expect_err("the server is gone"));
    assert!(
        error.contains("goes on") && error.contains("it is gone"),
        "{error}"
    );
    // two answers about each of eight weeks, whatever the stream
    let (done, asked) = judged(16 - 3);
    assert_eq!(asked, 16 - 3);
    let rows = done.expect("judged").rows.into_iter();
    let scores: Vec<_> = rows
        .map(|row| ((row.judged, row.judged_answers), row.bert))
        .collect();
    let weak = 4.0 / 12.0 + 0.25 * 8.0 / 12.0;
    let expected = [1.0, weak, 1.0, 0.25].map(|score| ((Some(score), 12), None));
    assert_eq!(scores, expected);
    assert_eq!(judged(0).1, 0);
    read(&place.plan(), &mut scripted(0)).expect("all is known");
    assert!(place.summary()[1]["run"]["judged"].is_null());
}

#[test]
fn answers_are_divided_by_the_cross_entropy_of_their_contexts() {
    let place = Place::new();
    let entropy = Says::with(|request| {
        let knows = request.messages[0].content.contains("Lisbon");
        Ok(if knows { "1.5" } else { "2.75" }.to_owned())
    });
    let mut plan = place.plan();
    plan.measures = Arc::new(Measures {
        entropy: Some(Mutex::new(Box::new(entropy.clone()))),
        ..Measures::default()
    });
    let done = super::read(&plan, &mut scripted(usize::MAX)).expect("read");
    assert_eq!(entropy.asked().len(), 2, "two contexts in all");
    // all of the good run and a third of the weak one know: 16 of 24
    let [nats, answers, f1] = ["1.50 to 1.50 | 8", "2.75 to 2.75 | 8", "| 8 | 0.667 |"];
    let counts = [nats, answers, f1].map(|told| done.by_entropy.matches(told).count());
    assert_eq!(counts, [2, 1, 2], "{}", done.by_entropy);
    assert_eq!(place.summary()[0]["stamp"]["entropy_under"], "script");
}

#[test]
fn a_sample_is_fixed_spread_and_grows_from_itself() {
    let place = Place::new();
    let asked = |questions, adversarial| {
        let plan = Plan {
            questions,
            adversarial,
            ..place.plan()
        };
        let ids = |it: Task<'_>| (it.stream.name.clone(), it.probe.id.clone());
        tasks(&plan).0.into_iter().map(ids).collect::<Vec<_>>()
    };
    let six = asked(6, 0);
    assert_eq!(six, asked(6, 0));
    assert_eq!(asked(12, 0)[..6], six);
    // 8 of the 12 answerable questions are about the garden
    let garden = six.iter().filter(|(stream, _)| stream == "garden").count();
    assert_eq!((six.len(), garden), (6, 4), "{six:?}");
    assert_eq!(asked(2, 1).len(), 3);
}

#[test]
fn what_cannot_be_read_is_told() {
    let place = Place::new();
    let plan = Plan {
        against: Some("best".to_owned()),
        ..place.plan()
    };
    let error = plan.check().expect_err("no such run").to_string();
    let told = error.contains("best") && error.contains("good, weak");
    assert!(told, "{error}");
    let other = Plan {
        streams: vec![stream("attic", 3)],
        ..place.plan()
    };
    let error = other.check().expect_err("no context").to_string();
    assert!(error.contains("no question"), "{error}");
    let empty = place.0.path().join("nothing");
    fs::create_dir(&empty).expect("a folder");
    let error = runs(&[empty.display().to_string()]).expect_err("no results");
    assert!(error.to_string().contains("weir replay"), "{error:#}");
    let good = place.0.path().join("good").display().to_string();
    let error = runs(&[good.clone(), good]).expect_err("one name");
    assert!(error.to_string().contains("NAME=DIR"), "{error}");
}
