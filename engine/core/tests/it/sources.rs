//! Sources beside what was heard: bounds, questions, images, exports, removal, characters.

use crate::support::{BagOfWords, counter, memory, said};
use proptest::prelude::*;
use std::sync::Mutex;
use weir_core::answer::{Answer, LexicalCheck, Question, QuestionTime, Recall, check_answer};
use weir_core::ask::{AskContext, QuestionText, ask};
use weir_core::character::Character;
use weir_core::driver::{AskOptions, Driver};
use weir_core::limits;
use weir_core::memory::Kind;
use weir_core::session::{Budgets, Input, InputError, Session};
use weir_core::sources::{Source, SourceError, SourceText, TextKind, excerpts};
use weir_core::stream::Span;
use weir_models::{EncodeError, Rerank};

const RULES: &str = "# House\n\nThe wifi password is swordfish forty.\n\n## Bins\n\n\
                     Paper goes out on Tuesday evening. Glass goes to the market square.\n";

fn source(name: &str, text: &str, weight: f32) -> Source {
    let texts = vec![SourceText {
        file: "rules.md".into(),
        excerpts: excerpts(text, TextKind::Markdown).unwrap(),
    }];
    Source::of(name, weight, texts, BagOfWords::shared().as_ref()).unwrap()
}

fn add(memory: &mut Driver, source: Source) -> Result<(), InputError> {
    match memory.step(Input::AddSource(Box::new(source))) {
        Ok(_) => Ok(()),
        Err(weir_core::driver::DriverError::Input(refused)) => Err(refused),
        Err(other) => panic!("{other}"),
    }
}

/// Talk of holidays and boats, and the rules of a house.
fn house() -> Driver {
    let mut memory = memory(8_192);
    for (n, (speaker, text)) in (0..).zip([
        ("Ana", "We leave for Lisbon on Friday at seven."),
        ("Bob", "My brother Omar bought a small red boat in March."),
        ("Ana", "The keys of the cabin hang behind the stove."),
        ("Bob", "I put the paper on the table."),
    ]) {
        memory.hear(said(n, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    add(&mut memory, source("house", RULES, 1.0)).unwrap();
    memory
}

fn asked(memory: &mut Driver, question: &str) -> (Answer, Recall) {
    memory.ask(question, None, 400).unwrap()
}

#[test]
fn a_question_is_answered_from_the_source_that_says_it() {
    let mut memory = house();
    let (answer, recall) = asked(&mut memory, "What is the wifi password?");
    assert_eq!(
        answer.text,
        "house, rules.md:1-3: The wifi password is swordfish forty."
    );
    let cited = &answer.passages[0];
    assert_eq!((cited.first_line, cited.last_line), (1, 3));
    assert!(answer.citations.is_empty() && answer.kind.is_answered());
    let shown = "## Sources:\n[house, rules.md:1-3] # House The wifi password";
    assert!(
        recall.context.text.contains(shown),
        "{}",
        recall.context.text
    );
    let (answer, _) = asked(&mut memory, "When does paper go out?");
    assert!(
        answer.text.ends_with("Paper goes out on Tuesday evening."),
        "{}",
        answer.text
    );
}

/// Scores the texts with its words highest, and the rest in the order given.
struct Likes(&'static str, Mutex<Vec<String>>);

impl Rerank for Likes {
    fn name(&self) -> &str {
        "likes"
    }

    fn scores(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, EncodeError> {
        let seen = &mut *self.1.lock().unwrap();
        seen.extend(texts.iter().map(|it| (*it).to_owned()));
        let score = |(at, it): (usize, &&str)| match it.contains(self.0) {
            true => 1.0,
            false => -(at as f32),
        };
        Ok(texts.iter().enumerate().map(score).collect())
    }
}

/// Talk and a source both say where paper goes; the reranker decides which of them answers.
#[test]
fn a_reranker_orders_statements_and_passages_together() {
    let question = "Where does the paper go?";
    let ask = |reranker: Option<&Likes>| {
        let asking = AskOptions {
            context_tokens: 400,
            reranker: reranker.map(|it| it as &dyn Rerank),
            ..AskOptions::default()
        };
        house().ask_with(question, asking, &mut ()).unwrap()
    };
    let plain = ask(None);
    let keeps = Likes("nothing says this", Mutex::default());
    let kept = ask(Some(&keeps));
    assert_eq!(kept.recall.context.text, plain.recall.context.text);
    let seen = keeps.1.into_inner().unwrap();
    let sees = |text: &str| seen.iter().any(|it| it.contains(text));
    assert!(
        sees("Bob: I put the paper on the table.") && sees("Tuesday evening"),
        "{seen:?}"
    );
    let passage = ask(Some(&Likes("Tuesday", Mutex::default())));
    assert!(
        passage.answer.text.starts_with("house, rules.md"),
        "{}",
        passage.answer.text
    );
    let talk = ask(Some(&Likes("on the table", Mutex::default())));
    assert!(
        talk.answer.text.starts_with("Bob: I put"),
        "{}",
        talk.answer.text
    );
    assert_eq!(talk.not_reranked, None);
}

#[test]
fn an_answer_from_a_source_is_checked_against_it() {
    let mut memory = house();
    let (answer, recall) = asked(&mut memory, "What is the wifi password?");
    let check = check_answer(&answer, &recall, &[], &mut LexicalCheck).unwrap();
    assert_eq!(
        check.claims[0].claim.text,
        "The wifi password is swordfish forty."
    );
    let shares = check.shares;
    for share in [shares.found, shares.cited, shares.references] {
        assert_eq!((share.count, share.of), (1, 1), "{check:?}");
    }
    let wrong = Answer {
        text: answer.text.replace("forty", "ninety"),
        ..answer
    };
    let check = check_answer(&wrong, &recall, &[], &mut LexicalCheck).unwrap();
    assert_eq!(check.shares.cited.count, 0, "{check:?}");
}

#[test]
fn a_question_is_answered_from_talk_where_talk_says_it() {
    let mut memory = house();
    let (answer, _) = asked(&mut memory, "Where do the keys of the cabin hang?");
    let said = "Ana: The keys of the cabin hang behind the stove.";
    assert!(answer.text.starts_with(said), "{}", answer.text);
    assert!(answer.passages.is_empty());
    let (answer, _) = asked(&mut memory, "Who repaired the piano?");
    assert!(!answer.kind.is_answered(), "{}", answer.text);
}

/// A session without a source has no section of sources, and nothing of one in its answers.
#[test]
fn a_removed_source_is_as_if_it_had_never_been() {
    let mut memory = house();
    let with = memory.session().digest();
    let done = memory.step(Input::RemoveSource("house".into())).unwrap();
    assert_eq!(done.erased.unwrap().passages, 2);
    let without = memory.session().digest();
    let bytes = memory.session().to_image();
    let word = b"swordfish";
    assert!(!bytes.windows(word.len()).any(|window| window == word));
    let (answer, recall) = asked(&mut memory, "What is the wifi password?");
    assert!(!answer.kind.is_answered() && !recall.context.text.contains("Sources"));
    let mut again = memory;
    add(&mut again, source("house", RULES, 1.0)).unwrap();
    assert_ne!(with, without);
    let unknown = again.step(Input::RemoveSource("other".into())).unwrap_err();
    assert!(unknown.to_string().ends_with("it has `house`"), "{unknown}");
}

#[test]
fn images_and_exports_hold_sources() {
    let mut memory = house();
    let session = memory.session();
    let read = Session::from_image(&session.to_image(), counter()).unwrap();
    assert_eq!(read.digest(), session.digest());
    assert_eq!(read.sources(), session.sources());
    let mut lines = Vec::new();
    session.export(&mut lines).unwrap();
    let imported = Session::import(&mut &lines[..], counter()).unwrap();
    assert!(imported.unchanged);
    assert_eq!(imported.session.digest(), session.digest());
    assert_eq!(imported.session.sources(), session.sources());
    let question = "What is the wifi password?";
    let first = asked(&mut memory, question).0;
    for session in [read, imported.session] {
        let mut other = Driver::around(session, BagOfWords::shared());
        assert_eq!(asked(&mut other, question).0, first);
    }
    // a passage of no source is refused
    let lines = String::from_utf8(lines).unwrap();
    let wrong = lines.replace("{\"passage\":{\"source\":0", "{\"passage\":{\"source\":7");
    assert_ne!(wrong, lines);
    assert!(Session::import(&mut wrong.as_bytes(), counter()).is_err());
}

#[test]
fn what_breaks_a_bound_is_refused_and_changes_nothing() {
    let mut memory = house();
    let digest = memory.session().digest();
    let long = "word ".repeat(3_000);
    let mut told = |source: Source| match add(&mut memory, source).unwrap_err() {
        InputError::Source(wrong) => wrong,
        other => panic!("{other}"),
    };
    let over = told(source("book", &long, 1.0));
    assert!(
        matches!(
            over,
            SourceError::OverShare {
                tokens: 3_000,
                max: 2_048,
                ..
            }
        ),
        "{over}"
    );
    assert!(matches!(
        told(source("house", "x", 1.0)),
        SourceError::Taken { .. }
    ));
    for weight in [0.0, -1.0, f32::NAN, limits::SOURCE_WEIGHT_MAX + 1.0] {
        assert!(matches!(
            told(source("w", "x", weight)),
            SourceError::WrongWeight { .. }
        ));
    }
    for name in ["", " ", "a\nb", "a]b", &"x".repeat(41)] {
        assert!(matches!(
            told(source(name, "x", 1.0)),
            SourceError::WrongName { .. }
        ));
    }
    let mut empty = source("empty", "x", 1.0);
    empty.passages.clear();
    assert!(matches!(told(empty), SourceError::WrongNumber { .. }));
    let mut damaged = source("damaged", "x", 1.0);
    damaged.passages[0].file = 3;
    assert!(matches!(told(damaged), SourceError::WrongPlace { .. }));
    let mut other = source("vector", "x", 1.0);
    other.passages[0].vector.pop();
    assert!(matches!(
        add(&mut memory, other),
        Err(InputError::BadVector { .. })
    ));
    // nor can a budget take the room of a source that is held
    let small = Budgets {
        tokens: Some(256),
        ..Budgets::default()
    };
    let long = "word ".repeat(100);
    add(&mut memory, source("page", &long, 1.0)).unwrap();
    let refused = memory.set_budgets(small).unwrap_err().to_string();
    assert!(refused.contains("could use only 64"), "{refused}");
    memory.step(Input::RemoveSource("page".into())).unwrap();
    assert_eq!(memory.session().digest(), digest);
}

/// Talk and source both name the paper and nothing else that is asked: the weight decides.
#[test]
fn the_weight_moves_passages_against_statements() {
    let from_source = |weight: f32| {
        let mut memory = house();
        memory.step(Input::RemoveSource("house".into())).unwrap();
        add(&mut memory, source("house", RULES, weight)).unwrap();
        let (answer, _) = asked(&mut memory, "Where is the paper?");
        !answer.passages.is_empty()
    };
    assert!(!from_source(0.01));
    assert!(from_source(10.0));
}

fn character(stability_hours: f64) -> Character {
    Character {
        name: "Old Ben".into(),
        description: "A fisherman.".into(),
        sources: Some(Vec::new()),
        stability_hours,
        boost: 2.0,
    }
}

fn asked_as(memory: &Driver, question: &str, character: &Character) -> (Answer, Recall) {
    let mut answerer = weir_core::answer::Quote;
    let mut context = AskContext {
        encoder: memory.encoder(),
        index: None,
        fact_index: None,
        transcript: None,
        profile_tokens: 0,
        character: Some(character),
        window: None,
        reranker: None,
        answerer: &mut answerer,
    };
    let asked = ask(
        memory.session(),
        &mut context,
        QuestionText {
            text: question,
            asked_by: None,
            at: &QuestionTime::default(),
        },
        400,
        &mut (),
    );
    let asked = asked.unwrap();
    (asked.answer, asked.recall)
}

/// The keys were told of an hour before the boat, so a stability of a quarter of an hour has lost
/// them (`R = exp(-4)`), and one of a day has both. A character without sources knows no password.
#[test]
fn a_character_forgets_and_knows_only_its_sources() {
    let mut memory = house();
    let mut later = said(9, "Bob", "The boat is at the pier of Setubal.");
    later.span = Span::new(3_600_000, 3_603_000);
    memory.hear(later).unwrap();
    memory.flush().unwrap();
    let (keys, boat) = ("Where do the keys of the cabin hang?", "Where is the boat?");
    let young = asked_as(&memory, keys, &character(24.0));
    assert!(young.0.text.contains("behind the stove"));
    assert!(
        young
            .1
            .context
            .text
            .starts_with("## Character:\nOld Ben: A fisherman.\n")
    );
    let (old, recall) = asked_as(&memory, keys, &character(0.25));
    assert!(
        !old.kind.is_answered() && recall.persona.faded,
        "{}",
        old.text
    );
    assert!(!recall.context.text.contains("stove"));
    let (old, recall) = asked_as(&memory, boat, &character(0.25));
    assert!(
        old.text.contains("pier of Setubal") && !recall.persona.faded,
        "{}",
        old.text
    );
    let (password, _) = asked_as(&memory, "What is the wifi password?", &character(24.0));
    assert!(!password.kind.is_answered(), "{}", password.text);
}

/// Each access doubles the stability, so what was asked for often enough is not forgotten.
#[test]
fn accesses_strengthen_a_memory() {
    let mut memory = house();
    let keys = "Where do the keys of the cabin hang?";
    for _ in 0..3 {
        memory.ask(keys, None, 64).unwrap();
    }
    let mut later = said(9, "Bob", "The boat is at the pier.");
    later.span = Span::new(3_600_000, 3_603_000);
    memory.hear(later).unwrap();
    memory.flush().unwrap();
    let (answer, _) = asked_as(&memory, keys, &character(0.25));
    assert!(answer.text.contains("behind the stove"), "{}", answer.text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Talk, sources that come and go, and pins: the budget holds after every step, and a source
    /// that is held is held whole.
    #[test]
    fn the_budget_holds_with_sources(
        steps in proptest::collection::vec((0_u8..10, 1_usize..90), 1..70),
        budget in 256_usize..900,
    ) {
        let mut memory = memory(budget);
        let mut held: Vec<(String, usize)> = Vec::new();
        let words = ["garden", "train", "soup", "lamp", "river", "market", "paper"];
        for (n, (step, size)) in steps.into_iter().enumerate() {
            let text = |len: usize| -> String {
                let words: Vec<&str> = (0..len).map(|at| words[(at * 3 + n) % 7]).collect();
                words.join(" ")
            };
            let name = format!("s{}", size % 3);
            match step {
                0 | 1 => {
                    let source = source(&name, &text(size), 1.0);
                    if add(&mut memory, source).is_ok() {
                        held.push((name, size));
                    }
                }
                2 => {
                    let done = memory.step(Input::RemoveSource(name.clone())).is_ok();
                    prop_assert_eq!(done, held.iter().any(|it| it.0 == name));
                    held.retain(|it| it.0 != name);
                }
                3 => {
                    let unit = memory.session().tree().of_kind(Kind::Unit).next();
                    if let Some(id) = unit.map(|unit| unit.id) {
                        let _ = match size.is_multiple_of(2) {
                            true => memory.pin(id),
                            false => memory.unpin(id),
                        };
                    }
                }
                _ => memory.hear(said(n as u64, "Ana", &format!("I saw the {}.", text(size % 12))))
                    .map(drop).unwrap(),
            }
            let session = memory.session();
            prop_assert_eq!(session.check(), Ok(()));
            prop_assert!(session.text_tokens() <= budget);
            let own: Vec<(String, usize)> = session.sources().held()
                .map(|it| (it.name.clone(), it.tokens())).collect();
            prop_assert_eq!(&own, &held);
            let asked = Question::new("Where is the lamp?", Default::default(), None);
            let asked = Question { vector: vec![0.0; crate::support::DIMENSION], ..asked };
            prop_assert!(session.recall(&asked, 120).context.tokens <= 120);
        }
    }
}
