//! Titles of events and scenes: made only of what was said.

use crate::support::{memory, said};
use std::collections::BTreeSet;
use weir_core::driver::Driver;
use weir_core::memory::{Kind, Node, Titles};
use weir_core::session::Target;
use weir_core::text::stems;

const TALK: [(&str, &str); 12] = [
    ("Audrey", "Hey Jon! Good to see you!"),
    ("Jon", "Hey Audrey! How have you been?"),
    (
        "Audrey",
        "Oh, great. I adopted a puppy, Pixie, from the shelter in Porto!",
    ),
    ("Jon", "Wow, that's so cool! My sister wants a puppy, too."),
    (
        "Audrey",
        "She sleeps on my sofa and chews everything, even my violin.",
    ),
    ("Jon", "Haha, poor violin! Thanks for the warning."),
    ("Jon", "By the way, I'm planning a trip to Rio in March."),
    ("Audrey", "That sounds amazing. Who comes along?"),
    (
        "Jon",
        "My brother Omar does, and we'll stay near the beach.",
    ),
    (
        "Audrey",
        "I've never been to Brazil, but I love their music.",
    ),
    ("Jon", "Then come along! The flights cost 600 euros."),
    (
        "Audrey",
        "Yeah, I can't leave Pixie alone yet. Talk to you soon!",
    ),
];

#[test]
fn titles_are_made_of_what_was_said_below_them() {
    let mut memory = memory(4_096);
    for (n, (speaker, text)) in TALK.iter().cycle().take(60).enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    let tree = memory.session().tree();
    let mut titles = 0;
    for node in tree.nodes().filter(|node| node.kind != Kind::Unit) {
        let title = Titles::of(tree).title(node);
        // what a block repeats is held below the event that said it first
        let mut known: BTreeSet<String> = stems("Audrey Jon small talk");
        for (_, text) in TALK {
            known.extend(stems(text));
        }
        let new: Vec<String> = stems(&title).difference(&known).cloned().collect();
        assert!(!title.is_empty() && new.is_empty(), "{title}: {new:?}");
        titles += 1;
    }
    assert!(titles >= 4, "{titles}");
}

#[test]
fn the_heading_is_of_what_happened_and_not_of_a_greeting() {
    let mut memory = memory(4_096);
    for (n, (speaker, text)) in TALK[..6].iter().enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    let tree = memory.session().tree();
    let titles = Titles::of(tree);
    let event = tree.of_kind(Kind::Event).next().unwrap();
    assert_eq!(
        titles.title(event),
        "Audrey: I adopted a puppy, Pixie, from the shelter in Porto (violin)"
    );
    let scene = tree.of_kind(Kind::Scene).next().unwrap();
    assert_eq!(
        titles.title(scene),
        "Audrey, Jon · violin · Audrey: I adopted a puppy, Pixie, from the shelter in Porto"
    );
    let small = |unit: &&Node| titles.is_small_talk(unit, &unit.text);
    let left_out: Vec<&str> = tree
        .of_kind(Kind::Unit)
        .filter(small)
        .map(|unit| unit.text.as_str())
        .collect();
    assert!(left_out.contains(&"Hey Jon!"), "{left_out:?}");
    assert!(
        !left_out.iter().any(|text| text.contains("puppy")),
        "{left_out:?}"
    );
}

/// What is erased or edited stands in no heading; what is left heads the event.
#[test]
fn words_that_are_gone_head_nothing() {
    let mut memory = memory(4_096);
    for (n, (speaker, text)) in TALK[..6].iter().enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    let title = |memory: &Driver| {
        let tree = memory.session().tree();
        let event = tree.of_kind(Kind::Event).next().unwrap();
        Titles::of(tree).title(event)
    };
    let with = |memory: &Driver, words: &str| {
        let mut units = memory.session().tree().of_kind(Kind::Unit);
        units.find(|unit| unit.text.contains(words)).unwrap().id
    };
    let pixie = with(&memory, "puppy, Pixie");
    memory.edit(pixie, "I adopted a tortoise.").unwrap();
    assert!(!title(&memory).contains("Pixie"), "{}", title(&memory));
    let violin = with(&memory, "my violin");
    memory.erase(&[Target::Node(violin)]).unwrap();
    assert!(!title(&memory).contains("chews"), "{}", title(&memory));
    assert!(!title(&memory).is_empty());
    assert_eq!(memory.session().check(), Ok(()));
}
