//! The check of an answer: its claims, their verdicts and the shares, with each kind of check.

use super::tests::{memory, writes};
use super::*;
use crate::text::{SpeakerText, Verdict};
use weir_models::testing::Says;
use weir_models::{Entail, EntailError, Entailment, JsonShape, Shape};

fn checked(answer: &Answer, recall: &Recall, persona: &[&str]) -> AnswerCheck {
    let persona = persona.iter().map(|text| SpeakerText {
        speaker: Some("Alice"),
        text,
    });
    let persona: Vec<SpeakerText<'_>> = persona.collect();
    check_answer(answer, recall, &persona, &mut LexicalCheck).expect("words cannot fail")
}

/// The memory's own answer, with another text in its place if one is given.
fn answered(question: &str, text: Option<&str>) -> (Answer, Recall) {
    let (mut answer, recall) = memory().ask(question, None, 600).expect("asked");
    if let Some(text) = text {
        text.clone_into(&mut answer.text);
    }
    (answer, recall)
}

fn share(count: usize, of: usize) -> Share {
    Share { count, of }
}

#[test]
fn quotes_are_claims_that_prove_themselves() {
    let (answer, recall) = answered("Where did Alice move to?", None);
    assert_eq!(answer.text, "Alice: I moved to Paris in May.");
    let check = checked(&answer, &recall, &[]);
    let claim = &check.claims[0];
    assert_eq!(claim.claim.speaker.as_deref(), Some("Alice"));
    assert_eq!(claim.claim.text, "I moved to Paris in May.");
    let by = claim.cited.statement.as_deref();
    assert_eq!(by, Some("Alice: I moved to Paris in May."));
    let CheckShares {
        found,
        cited,
        references,
        persona,
    } = check.shares;
    assert_eq!([found, cited, references], [share(1, 1); 3]);
    assert_eq!((persona, persona.ratio()), (share(0, 0), None));
}

#[test]
fn a_quote_that_says_tomorrow_proves_the_day() {
    let text = "Alice: I moved tomorrow (2 March 2025).";
    let (mut answer, mut recall) = answered("Where did Alice move to?", Some(text));
    recall.heard.statements.clear();
    let citation = &mut answer.citations[0];
    citation.quote = Some("I moved tomorrow.".to_owned());
    let day_is_known = |answer: &Answer| checked(answer, &recall, &[]).shares.cited;
    assert_eq!(day_is_known(&answer), share(0, 1));
    // Saturday, 1 March 2025
    answer.citations[0].evidence.said_at_unix_ms = Some(1_740_823_200_000);
    assert_eq!(day_is_known(&answer), share(1, 1));
}

#[test]
fn each_clause_is_checked_by_itself() {
    let text =
        "Alice moved to Paris in May, but she owns a boat. Alice did not move to Paris. Why?";
    let (answer, recall) = answered("Where did Alice move to?", Some(text));
    let check = checked(
        &answer,
        &recall,
        &["I live in Paris.", "I don't own a boat."],
    );
    let texts: Vec<&str> = check
        .claims
        .iter()
        .map(|it| it.claim.text.as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "Alice moved to Paris in May",
            "she owns a boat.",
            "Alice did not move to Paris."
        ]
    );
    let found: Vec<Verdict> = check.claims.iter().map(|it| it.found.verdict).collect();
    assert_eq!(
        found,
        [Verdict::Supported, Verdict::Neither, Verdict::Contradicted]
    );
    assert_eq!(check.shares.found, share(1, 3));
    assert_eq!(check.shares.references, share(1, 1));
    let ratio = check.shares.found.ratio().expect("three claims");
    assert!((ratio - 1.0 / 3.0).abs() < 1e-6);
}

#[test]
fn the_persona_agrees_or_not_and_says_nothing_of_other_claims() {
    let text = "Alice lives in Paris. Bob bought a car.";
    let (answer, recall) = answered("Where did Alice move to?", Some(text));
    let of = |persona: &[&str]| checked(&answer, &recall, persona).shares.persona;
    assert_eq!(of(&["I live in Paris."]), share(1, 1));
    assert_eq!(of(&["I do not live in Paris."]), share(0, 1));
    assert_eq!(of(&["I like tea."]), share(0, 0));
}

#[test]
fn captions_are_apart_and_questions_before_an_answer_are_no_claims() {
    let text =
        "Alice: [shares a photo of a cat] (Where to?) We went to Paris, and I don't like the rain.";
    let (answer, recall) = answered("Where did Alice move to?", Some(text));
    let claims = answer_claims(&answer, &recall);
    let texts: Vec<&str> = claims.iter().map(|it| it.text.as_str()).collect();
    let expected = [
        "[shares a photo of a cat]",
        "We went to Paris",
        "I don't like the rain.",
    ];
    assert_eq!(texts, expected);
    let alice = |it: &AnswerClaim| it.speaker.as_deref() == Some("Alice");
    assert!(claims.iter().all(alice), "{claims:?}");
}

#[test]
fn what_memory_says_of_itself_is_no_claim() {
    for question in [
        "How long have we talked?",
        "Who stole Zbigniew's submarine?",
    ] {
        let (answer, recall) = answered(question, None);
        let check = checked(&answer, &recall, &[]);
        assert_eq!(check.claims, [], "{}", answer.text);
        assert_eq!(check.shares, CheckShares::default());
    }
    let question = "Did Alice and Zbigniew move to Paris?";
    let (answer, recall) = answered(question, None);
    assert!(
        answer
            .text
            .starts_with("I have heard nothing of Zbigniew. ")
    );
    let claims = answer_claims(&answer, &recall);
    assert_eq!(claims[0].text, "I moved to Paris in May.");
}

#[test]
fn an_answer_written_by_a_model_can_be_checked_too() {
    let writer = Written::new(Box::new(writes("Alice moved to Paris in May.")));
    let mut memory = memory().with_answerer(Box::new(writer));
    let asked = memory.ask("Where did Alice move to?", None, 600);
    let (answer, recall) = asked.expect("asked");
    let check = checked(&answer, &recall, &[]);
    assert_eq!(check.claims[0].claim.speaker, None);
    assert_eq!(check.shares.cited, share(1, 1));
}

fn pair() -> (SpeakerText<'static>, SpeakerText<'static>) {
    let claim = SpeakerText {
        speaker: None,
        text: "Alice lives\nin Rome.",
    };
    let statement = SpeakerText {
        speaker: Some("Alice"),
        text: "I live in Rome.",
    };
    (claim, statement)
}

#[test]
fn a_generator_is_asked_for_one_of_three_verdicts() {
    let (claim, statement) = pair();
    let says = Says::new(r#"{"verdict": "contradicted"}"#);
    let mut check = PromptedCheck::new(Box::new(says.clone()));
    assert_eq!(check.check(claim, statement), Ok(Verdict::Contradicted));
    let request = says.asked().pop().expect("one request");
    let last = request.messages.last().expect("a message");
    assert_eq!(
        last.content,
        "Statement: Alice: I live in Rome.\nClaim: Alice lives in Rome."
    );
    let Shape::Json(JsonShape::Object(fields)) = request.shape else {
        panic!("it asks for JSON");
    };
    let verdicts = ["supported", "contradicted", "neither"].map(str::to_owned);
    assert_eq!(fields[0].1, JsonShape::OneOf(verdicts.to_vec()));
}

#[test]
fn a_check_that_fails_says_which_and_why() {
    let (answer, recall) = answered("Where did Alice move to?", None);
    for (says, why) in [
        (Says::failing("no memory left"), "no memory left"),
        (Says::new("perhaps"), "not what was asked for"),
    ] {
        let mut check = PromptedCheck::new(Box::new(says));
        let error = check_answer(&answer, &recall, &[], &mut check);
        let error = error.expect_err("it failed").to_string();
        assert!(error.starts_with("script could not check"), "{error}");
        assert!(error.contains(why), "{error}");
    }
}

/// Gives the same chances to every pair.
struct Chances([f32; 3]);

impl Entail for Chances {
    fn name(&self) -> &'static str {
        "chances"
    }

    fn entailment(&self, premise: &str, hypothesis: &str) -> Result<Entailment, EntailError> {
        assert_eq!(premise, "Alice: I live in Rome.");
        assert_eq!(hypothesis, "Alice lives in Rome.");
        let [entailed, neutral, contradicted] = self.0;
        Ok(Entailment {
            entailed,
            neutral,
            contradicted,
        })
    }
}

#[test]
fn the_likeliest_chance_is_the_verdict_and_a_tie_is_neither() {
    let (claim, statement) = pair();
    for (chances, verdict) in [
        ([0.6, 0.3, 0.1], Verdict::Supported),
        ([0.1, 0.3, 0.6], Verdict::Contradicted),
        ([0.2, 0.5, 0.3], Verdict::Neither),
        ([0.5, 0.0, 0.5], Verdict::Neither),
    ] {
        let mut check = EntailmentCheck::new(Box::new(Chances(chances)));
        assert_eq!(check.check(claim, statement), Ok(verdict), "{chances:?}");
    }
}
