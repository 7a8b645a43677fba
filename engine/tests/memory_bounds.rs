//! The promises of the memory on random talk: the budget holds after every step, nothing said is in
//! no part of memory before it was weighed, and the same input gives the same bytes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use proptest::prelude::*;
use std::collections::HashSet;
use support::{BagOfWords, config, counter, memory, said, start};
use weir_engine::distil::{Distil, Extractive};
use weir_engine::memory::Kind;
use weir_engine::session::{EncoderStamp, Input, Session};
use weir_engine::text::{Detail, content_words};
use weir_models::Encode;

fn sentence() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("garden"),
        Just("Lisbon"),
        Just("seven"),
        Just("I"),
        Just("bought"),
        Just("a"),
        Just("bike"),
        Just("not"),
        Just("sister"),
        Just("Friday"),
        Just("painting"),
        Just("and"),
        Just("she"),
        Just("likes"),
        Just("coffee"),
        Just("the"),
        Just("train"),
        Just("tomorrow"),
    ];
    (
        proptest::collection::vec(word, 1..14),
        prop_oneof![Just("."), Just("?"), Just("! Yes.")],
    )
        .prop_map(|(words, end)| format!("{}{end}", words.join(" ")))
}

fn talk() -> impl Strategy<Value = Vec<(u8, String)>> {
    proptest::collection::vec((0_u8..3, sentence()), 1..80)
}

const SPEAKERS: [&str; 3] = ["Alice", "Bob", "Maria"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_budget_holds_after_every_step(talk in talk(), budget in 256_usize..500) {
        let mut memory = memory(budget);
        for (n, (speaker, text)) in talk.iter().enumerate() {
            let speaker = SPEAKERS[usize::from(*speaker)];
            memory.hear(said(n as u64, speaker, text)).unwrap();
            let session = memory.session();
            prop_assert_eq!(session.check(), Ok(()));
            prop_assert!(session.tree().tokens() <= budget);
            if n % 7 == 0 {
                let (_, recall) = memory.ask("Where is the train?", None, 120).unwrap();
                prop_assert!(recall.context_tokens <= 120);
            }
        }
        memory.flush().unwrap();
        prop_assert_eq!(memory.session().check(), Ok(()));
    }

    /// Under a small budget units are condensed; what is left of one was said, in that order, and
    /// what was said can still be quoted.
    #[test]
    fn condensed_units_are_made_of_what_was_said(talk in talk()) {
        let mut memory = memory(256);
        for (n, (speaker, text)) in talk.iter().enumerate() {
            memory.hear(said(n as u64, SPEAKERS[usize::from(*speaker)], text)).unwrap();
        }
        memory.flush().unwrap();
        for unit in memory.session().tree().of_kind(Kind::Unit) {
            let quoted: HashSet<String> = unit
                .evidence
                .iter()
                .flat_map(|item| content_words(&item.quote))
                .collect();
            if unit.detail != Detail::Whole && unit.evidence_more == 0 {
                // the one date in the talk is what "tomorrow" was resolved to
                let resolved = ["2", "march", "2025"];
                for word in content_words(&unit.text).filter(|w| !resolved.contains(&w.as_str())) {
                    prop_assert!(quoted.contains(&word), "{word} was not said: {unit:?}");
                }
                prop_assert_eq!(unit.verbatim(), &unit.evidence[0].quote);
            }
        }
    }

    #[test]
    fn the_same_input_gives_the_same_bytes(talk in talk()) {
        let run = || {
            let mut memory = memory(300);
            for (n, (speaker, text)) in talk.iter().enumerate() {
                let speaker = SPEAKERS[usize::from(*speaker)];
                memory.hear(said(n as u64, speaker, text)).unwrap();
            }
            memory.into_session()
        };
        let (first, second) = (run(), run());
        prop_assert_eq!(first.digest(), second.digest());
        let read = Session::from_image(&first.to_image(), counter()).unwrap();
        prop_assert_eq!(read.digest(), first.digest());
    }

    /// Whatever the moment at which blocks are distilled, with a budget that keeps everything,
    /// every utterance with content is held at every moment.
    #[test]
    fn nothing_said_is_in_no_part_of_memory(
        talk in talk(),
        schedule in proptest::collection::vec(any::<bool>(), 80),
    ) {
        let encoder = BagOfWords::shared();
        let stamp = EncoderStamp::of(encoder.as_ref());
        let mut session = Session::new(config(100_000), stamp, counter()).unwrap();
        session.apply(&Input::Begin(start("s"))).unwrap();
        let mut said_so_far = HashSet::new();
        for (n, (speaker, text)) in talk.iter().enumerate() {
            let utterance = said(n as u64, SPEAKERS[usize::from(*speaker)], text);
            let vector = encoder.encode(&[text]).unwrap().remove(0);
            said_so_far.insert(utterance.id.clone());
            session.apply(&Input::Heard { utterance, vector }).unwrap();
            if schedule[n] {
                mount_next(&mut session, encoder.as_ref());
            }
            let held: HashSet<String> = session.held().into_iter().map(|(_, id)| id).collect();
            for id in &said_so_far {
                let text = &talk[id[1..].parse::<usize>().unwrap()].1;
                let empty = content_words(text).next().is_none();
                // a unit keeps eight proofs and counts the rest
                let counted = session.tree().nodes().any(|node| node.evidence_more > 0);
                prop_assert!(empty || counted || held.contains(id), "{id} is lost");
            }
        }
    }
}

fn mount_next(session: &mut Session, encoder: &dyn Encode) {
    if let Some(block) = session.next_block() {
        let distillate = Extractive.distil(&block, encoder).unwrap();
        session.apply(&Input::Mount(Box::new(distillate))).unwrap();
    }
}
