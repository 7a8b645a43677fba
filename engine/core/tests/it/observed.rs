//! Beliefs and profiles in a session: what is said forms them, they survive the image and the
//! export, follow a speaker's name, leave with what was erased, and answer questions.

use crate::support::{BagOfWords, config, counter, said, start};
use std::io::Cursor;
use std::sync::Arc;
use weir_core::driver::Driver;
use weir_core::memory::Kind;
use weir_core::profile::ProfileChange;
use weir_core::session::{Budgets, Input, InputError, Session, SpeakerChange, Target};
use weir_core::stream::ASSISTANT;
use weir_models::{Encode, EncodeError, EncoderIdentity, WordHashEncoder};

const TALK: [(&str, &str); 8] = [
    ("Ana", "I love the new office."),
    ("Bob", "The train leaves at nine."),
    ("Ana", "I live in Lisbon."),
    ("Bob", "I hate the new office."),
    ("Ana", "The new office is wonderful."),
    ("Bob", "I live in Oslo."),
    ("Ana", "I moved to Porto."),
    ("Bob", "We meet on Monday."),
];

fn told() -> Driver {
    memory_of(BagOfWords::shared())
}

fn memory_of(encoder: Arc<dyn Encode>) -> Driver {
    let mut memory = Driver::new(config(8_192), encoder, counter()).unwrap();
    memory.begin(start("s")).unwrap();
    for (n, (speaker, text)) in TALK.iter().enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    memory
}

fn beliefs(session: &Session) -> Vec<(String, String, u32)> {
    let held = session.beliefs().held().iter();
    held.map(|it| {
        let holder = it.holder.clone().unwrap();
        (holder, it.object.clone(), it.tally().count)
    })
    .collect()
}

fn homes(session: &Session) -> Vec<(String, String)> {
    let facts = session.profiles().facts().iter();
    let homes = facts.filter(|it| it.slot.to_string() == "home");
    homes
        .map(|it| (it.speaker.clone().unwrap(), it.value.clone()))
        .collect()
}

fn fact_at(session: &Session, value: &str) -> weir_core::profile::FactId {
    let mut facts = session.profiles().facts().iter();
    facts.find(|it| it.value.contains(value)).unwrap().id
}

#[test]
fn what_is_said_forms_beliefs_and_profiles() {
    let memory = told();
    let office = |who: &str, count| (who.to_owned(), "new office".to_owned(), count);
    let mut found = beliefs(memory.session());
    found.sort();
    assert_eq!(found, [office("Ana", 2), office("Bob", 1)]);
    let home = |who: &str, said: &str| (who.to_owned(), said.to_owned());
    assert_eq!(
        homes(memory.session()),
        [
            home("Ana", "I live in Lisbon."),
            home("Bob", "I live in Oslo."),
            home("Ana", "I moved to Porto.")
        ]
    );
    assert_eq!(memory.session().check(), Ok(()));
}

/// Talk that says nothing of anybody copies neither beliefs nor profiles: a snapshot shares them.
#[test]
fn a_snapshot_shares_what_did_not_change() {
    let mut memory = told();
    let before = memory.session().clone();
    memory
        .hear(said(99, "Bob", "The bus leaves at ten."))
        .unwrap();
    memory.flush().unwrap();
    let now = memory.session();
    assert!(now.turns() > before.turns());
    assert!(std::ptr::eq(before.beliefs(), now.beliefs()));
    assert!(std::ptr::eq(before.profiles(), now.profiles()));
}

/// An encoder that returns too little stores no empty vector.
#[test]
fn a_machine_has_no_profile_and_no_beliefs() {
    let mut memory = Driver::new(config(8_192), BagOfWords::shared(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    for (n, (speaker, text)) in TALK.iter().enumerate() {
        let speaker = if *speaker == "Ana" {
            ASSISTANT
        } else {
            speaker
        };
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    let holders = beliefs(memory.session());
    assert!(holders.iter().all(|it| it.0 == "Bob") && !holders.is_empty());
    assert!(homes(memory.session()).iter().all(|it| it.0 == "Bob"));
}

#[test]
fn a_fact_is_not_edited_without_its_vector() {
    struct Empty(EncoderIdentity);
    impl Encode for Empty {
        fn dimension(&self) -> usize {
            0
        }
        fn identity(&self) -> &EncoderIdentity {
            &self.0
        }
        fn encode(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
            Ok(Vec::new())
        }
    }
    let empty = Empty(EncoderIdentity {
        name: "empty".into(),
        digest: String::new(),
    });
    let mut session = told().session().clone();
    let oslo = fact_at(&session, "Oslo");
    let edit = session.editing_fact(oslo, "Bergen", &empty).unwrap();
    assert!(matches!(
        session.apply(&edit),
        Err(InputError::BadVector { .. })
    ));
    assert_eq!(fact_at(&session, "Oslo"), oslo);
}

/// An encoder without a language model, as other programs may bring.
#[test]
fn without_a_language_model_everything_but_beliefs_and_profiles_works() {
    let mut memory = memory_of(Arc::new(WordHashEncoder::new()));
    let held = memory.session();
    assert_eq!(held.check(), Ok(()));
    assert!(held.beliefs().held().is_empty() && held.profiles().facts().is_empty());
    for (question, asker, words) in [
        ("When does the train leave?", None, "nine"),
        ("When do we meet?", Some("Ana"), "Monday"),
        ("What does Ana think of the new office?", None, "office"),
    ] {
        let (answer, _) = memory.ask(question, asker, 400).unwrap();
        assert!(answer.kind.is_answered(), "{question} {}", answer.text);
        assert!(answer.text.contains(words), "{question} {}", answer.text);
    }
    let (answer, _) = memory
        .ask("What is my parrot called?", Some("Bob"), 400)
        .unwrap();
    assert!(!answer.kind.is_answered(), "{}", answer.text);
}

#[test]
fn a_belief_stands_beside_the_remarks_that_answer() {
    let mut memory = told();
    let question = "What does Ana think of the new office?";
    let (answer, recall) = memory.ask(question, None, 400).unwrap();
    assert!(answer.text.contains("wonderful") || answer.text.contains("love"));
    assert_eq!(answer.citations[0].evidence.speaker.as_deref(), Some("Ana"));
    assert!(answer.citations[0].quote.is_some());
    assert!(
        recall
            .context
            .text
            .starts_with("## Beliefs:\nAna is positive")
    );
    assert!(recall.context.tokens <= 400);
}

#[test]
fn the_profile_of_the_asker_is_part_of_the_context() {
    let mut memory = told();
    let (_, recall) = memory.ask("Where do I live?", Some("Ana"), 400).unwrap();
    assert!(
        recall.context.text.contains("## Profile:\nAna: "),
        "{}",
        recall.context.text
    );
    assert!(recall.context.text.contains("Porto"));
    let (_, recall) = memory
        .ask("When does the train leave?", Some("Ana"), 400)
        .unwrap();
    assert!(!recall.context.text.contains("## Profile:"));
}

#[test]
fn they_survive_the_image_and_the_export() {
    let mut memory = told();
    let id = fact_at(memory.session(), "Porto");
    let pin = ProfileChange::Pin {
        fact: id,
        pinned: true,
    };
    memory.step(Input::Profile(Box::new(pin))).unwrap();
    let session = memory.session();
    let again = Session::from_image(&session.to_image(), counter()).unwrap();
    assert_eq!(again.digest(), session.digest());
    let mut lines = Vec::new();
    session.export(&mut lines).unwrap();
    let imported = Session::import(&mut Cursor::new(&lines), counter()).unwrap();
    assert!(imported.unchanged);
    assert_eq!(imported.session.digest(), session.digest());
    assert!(imported.session.profiles().fact(id).unwrap().pinned);
}

#[test]
fn they_follow_the_name_of_a_speaker() {
    let mut memory = told();
    let change = SpeakerChange::Name {
        speaker: "Ana".into(),
        name: "Anna".into(),
    };
    memory.change_speaker(change, None).unwrap();
    let session = memory.session();
    assert!(beliefs(session).iter().all(|(holder, ..)| holder != "Ana"));
    assert!(homes(session).iter().any(|(who, ..)| who == "Anna"));
    let image = session.to_image();
    let evidence = session
        .beliefs()
        .evidence()
        .chain(session.profiles().evidence());
    let speakers: Vec<&str> = evidence.filter_map(|it| it.speaker.as_deref()).collect();
    assert!(speakers.contains(&"Anna") && !speakers.contains(&"Ana"));
    assert!(image.windows(4).any(|bytes| bytes == b"Anna"));
}

#[test]
fn nothing_is_left_of_what_is_erased() {
    let mut memory = told();
    memory.erase(&[Target::Speaker("Bob".into())]).unwrap();
    let session = memory.session();
    assert!(beliefs(session).iter().all(|(holder, ..)| holder == "Ana"));
    assert!(homes(session).iter().all(|(who, ..)| who == "Ana"));
    let image = session.to_image();
    for word in ["Oslo", "Bob", "Monday"] {
        let held = image
            .windows(word.len())
            .any(|bytes| bytes == word.as_bytes());
        assert!(!held, "{word}");
    }
}

#[test]
fn a_belief_and_a_fact_are_erased_with_the_statements_behind_them() {
    let mut memory = told();
    let belief = memory.session().beliefs().held()[0].id;
    let fact = fact_at(memory.session(), "Porto");
    let erased = memory
        .erase(&[Target::Belief(belief), Target::Fact(fact)])
        .unwrap();
    assert_eq!((erased.beliefs, erased.facts), (1, 1));
    let units = memory.session().tree().of_kind(Kind::Unit);
    let words: Vec<&str> = units.map(|it| it.text.as_str()).collect();
    let words = words.join(" ");
    assert!(
        !words.contains("Porto") && !words.contains("wonderful"),
        "{words}"
    );
    assert!(words.contains("Oslo"));
    assert_eq!(memory.session().check(), Ok(()));
}

#[test]
fn a_fact_edited_by_hand_is_found_by_its_new_value() {
    let mut memory = told();
    let id = fact_at(memory.session(), "Porto");
    let encoder = BagOfWords::shared();
    let input = memory
        .session()
        .editing_fact(id, "Faro", encoder.as_ref())
        .unwrap();
    memory.step(input).unwrap();
    assert_eq!(memory.session().profiles().fact(id).unwrap().value, "Faro");
    let refused = memory
        .session()
        .editing_fact(id, "", encoder.as_ref())
        .unwrap();
    let before = memory.session().digest();
    assert!(memory.step(refused).is_err());
    assert_eq!(memory.session().digest(), before);
}

/// A session of an older build has none; they are read from the statements it holds.
#[test]
fn a_session_without_them_gets_them_from_its_statements() {
    let memory = told();
    let encoder = BagOfWords::shared();
    let session = memory.session();
    assert!(
        session
            .with_observed(encoder.as_ref(), None)
            .unwrap()
            .is_none()
    );
    let mut lines = Vec::new();
    session.export(&mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    let kept = |line: &&str| !line.starts_with("{\"belief\"") && !line.starts_with("{\"fact\"");
    let bare: Vec<&str> = lines.lines().filter(kept).collect();
    // an export of version 3 has neither these lines nor their counts
    let mut head: serde_json::Value = serde_json::from_str(bare[0]).unwrap();
    head["weir_export"] = 3.into();
    head.as_object_mut().unwrap().remove("beliefs");
    head.as_object_mut().unwrap().remove("profiles");
    let bare = [&[head.to_string().as_str()], &bare[1..]]
        .concat()
        .join("\n")
        + "\n";
    let old = Session::import(&mut Cursor::new(bare), counter())
        .unwrap()
        .session;
    assert!(beliefs(&old).is_empty() && homes(&old).is_empty());
    let made = old.with_observed(encoder.as_ref(), None).unwrap().unwrap();
    assert_eq!(made.check(), Ok(()));
    assert_eq!(beliefs(&made), beliefs(session));
    assert_eq!(homes(&made), homes(session));
}

/// A small budget leaves them less room; the sum of all text stays within it.
#[test]
fn a_small_budget_forgets_them_and_is_kept() {
    let mut memory = told();
    let budgets = Budgets {
        tokens: Some(256),
        ..Budgets::default()
    };
    memory.set_budgets(budgets).unwrap();
    let session = memory.session();
    assert_eq!(session.check(), Ok(()));
    assert!(session.text_tokens() <= 256);
    let used = session.beliefs().tokens();
    assert!(used <= 16, "{used} tokens of beliefs");
}
