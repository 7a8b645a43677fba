//! `--check` of `weir ask` and `weir replay` as a user types it.

use crate::cli_support::Place;
use serde_json::json;

const QUESTION: [&str; 2] = ["ask", "What is the name of the hotel?"];

#[test]
fn an_answer_is_told_with_the_shares_of_its_claims() {
    let place = Place::told();
    let ask = |flags: &[&str]| place.done(&[&QUESTION, flags].concat());
    let plain = ask(&[]);
    plain.out_lacks("checked");
    let asked = ask(&["--check"]);
    assert!(asked.out.starts_with(plain.out.trim_end()), "{}", asked.out);
    let line = asked.out.lines().last().expect("a line");
    assert!(line.contains("checked by lexical: "), "{line}");
    assert!(line.contains("supported by what was found"), "{line}");
    let check = &ask(&["--check=lexical", "--json"]).json()["check"];
    assert_eq!(check["check"], "lexical");
    let claims = check["claims"].as_array().expect("claims");
    assert_eq!(check["shares"]["found"]["of"], claims.len());
    assert_eq!(claims[0]["speaker"], "Alice");
    assert_eq!(claims[0]["found"]["verdict"], "supported");
    assert_eq!(
        claims[0]["persona"],
        json!({"verdict": "neither", "statement": null})
    );
}

#[test]
fn a_character_is_checked_against_its_description() {
    let place = Place::told();
    let ask = |description: &str| {
        let file = format!("name = \"Alice\"\ndescription = \"{description}\"\n");
        place.write("alice.toml", file);
        let flags = ["--as", "alice.toml", "--check", "--json"];
        place.done(&[&QUESTION[..], &flags].concat())
    };
    let verdict = |description| ask(description).json()["check"]["claims"][0]["persona"].clone();
    let wrong = "A pilot. The hotel is not called Aurora.";
    assert_eq!(
        verdict(wrong),
        json!({
            "verdict": "contradicted",
            "statement": "Alice: The hotel is not called Aurora.",
        })
    );
    let right = "The hotel is called Aurora.";
    assert_eq!(verdict(right)["verdict"], "supported");
    assert_eq!(verdict("A pilot.")["verdict"], "neither");
}

#[test]
fn a_replay_sums_the_shares_in_its_summary_alone() {
    let place = Place::new();
    let ran = place.replay(&["--check", "--results", "r.jsonl"]).ended(0);
    ran.err_has("answers checked by lexical: ");
    let lines = place.lines("r.jsonl");
    assert!(lines[0].get("check").is_none(), "{}", lines[0]);
    let checks = &lines[2]["summary"]["checks"];
    assert_eq!(checks["check"], "lexical");
    assert_eq!(checks["not_checked"], 0);
    let of = |share: &str| checks[share]["of"].as_u64().expect("a count");
    assert!(of("found") >= 2 && of("references") >= 2, "{checks}");
    assert_eq!(checks["found"], checks["cited"]);
}

#[test]
fn a_check_that_lacks_its_model_is_refused_with_the_way_out() {
    let place = Place::told();
    for (flags, told) in [
        (&["--check=nli"][..], "--check-model NAME|DIR"),
        (
            &["--check=nli", "--check-model", "nowhere"],
            "cannot load the model that checks",
        ),
        (&["--check-model", "s"], "--check=nli"),
        (&["--check=guess"], "lexical, nli, llm"),
        (&["--check=llm"], "weir models pull"),
    ] {
        let ran = place.on_s(&[&QUESTION, flags].concat()).ended(2);
        assert_eq!(ran.out, "");
        ran.err_has(told);
    }
}

#[test]
fn the_small_network_in_the_repository_checks_claims_too() {
    let place = Place::told();
    let model = weir_fixtures::golden_dir().join("tiny-nli");
    let model = model.to_str().expect("a path of text");
    let flags = ["--check=nli", "--check-model", model, "--json"];
    let asked = place.done(&[&QUESTION[..], &flags].concat());
    let check = &asked.json()["check"];
    assert_eq!(check["check"], "nli-deberta-48x2");
    assert!(check["shares"]["found"]["of"].as_u64() >= Some(1));
}
