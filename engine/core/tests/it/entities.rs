//! Names in a session: they are linked to one entity each, stored with the statements in images,
//! journals and exports, and go with the words.

use crate::support::{config, counter, said, start};
use std::io::Cursor;
use weir_core::answer::{Question, quote};
use weir_core::driver::Driver;
use weir_core::entities::Entities;
use weir_core::memory::Kind;
use weir_core::session::{Input, Session, Target};
use weir_models::NameKind;
use weir_models::testing::PlainReader;

const TALK: [(&str, &str); 10] = [
    ("Ana", "My sister Carla lives in Porto now."),
    ("Bob", "I went to Porto by boat."),
    ("Ana", "Yesterday Carla moved to Oslo."),
    ("Bob", "I met Carla Reis at the pool."),
    ("Ana", "My sister plays the cello on Sundays."),
    ("Bob", "My sister is a nurse."),
    ("Ana", "That was lovely, Bob!"),
    ("Ana", "Hey Bob, the pool is closed."),
    ("Bob", "My friend Tom came."),
    ("Bob", "My friend Lisa is a nurse."),
];

fn told() -> Driver {
    let mut memory = Driver::new(config(8_192), PlainReader::with_words(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    for (n, (speaker, text)) in TALK.iter().enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    memory
}

/// The words of the statements that name an entity.
fn statements(session: &Session, name: &str) -> Vec<String> {
    let all = Entities::of(session, None);
    let found = all.find(name);
    let units = found.map(|it| it.units.clone()).unwrap_or_default();
    let text = |id| session.tree().node(id).unwrap().text.clone();
    units.into_iter().map(text).collect()
}

fn triplets(session: &Session, name: &str) -> Vec<String> {
    let all = Entities::of(session, None);
    let Some(found) = all.find(name) else {
        return Vec::new();
    };
    let links = all.links_of(found).map(|it| {
        let subject = it.subject.as_deref().unwrap_or("somebody");
        format!("{subject} | {} | {}", it.how, it.object)
    });
    links.collect()
}

#[test]
fn names_of_one_person_are_one_entity() {
    let memory = told();
    let session = memory.session();
    // the sister by her noun, her first name and her whole name; Bob's is another
    let carla = Entities::of(session, None);
    let carla = carla.find("carla").unwrap();
    assert_eq!(
        (carla.name.as_str(), carla.kind),
        ("Carla", NameKind::Person)
    );
    assert_eq!(carla.also, ["Ana's sister", "Carla Reis"]);
    let said: Vec<&str> = [0, 2, 3, 4].iter().map(|it: &usize| TALK[*it].1).collect();
    assert_eq!(statements(session, "Carla"), said);
    assert_eq!(statements(session, "ana's sister"), said);
    assert_eq!(statements(session, "Bob's sister"), [TALK[5].1]);
    assert_eq!(statements(session, "the PORTO"), [TALK[0].1, TALK[1].1]);
    assert!(statements(session, "Lisbon").is_empty());
    // a friend is one of several
    assert_eq!(statements(session, "Tom"), [TALK[8].1]);
    assert_eq!(statements(session, "Bob's friend"), [TALK[8].1, TALK[9].1]);
    // spoken to, not of
    assert_eq!(statements(session, "Bob"), [TALK[1].1]);
    // two sisters: which one is not known
    assert!(statements(session, "sister").is_empty());
}

#[test]
fn relations_name_who_stands_to_what() {
    let memory = told();
    let porto = triplets(memory.session(), "Porto");
    assert_eq!(porto, ["Carla | lives in | Porto", "Bob | went to | Porto"]);
    // of a speaker whom nobody names
    assert_eq!(triplets(memory.session(), "Bob"), ["Bob | went to | Porto"]);
    let all = Entities::of(memory.session(), None);
    let beside = all.beside(all.find("Porto").unwrap());
    let beside: Vec<(&str, usize)> = beside.iter().map(|it| (&*it.0.name, it.1)).collect();
    assert_eq!(beside, [("Bob", 1), ("Carla", 1)]);
}

/// The answer to a question that Ana asks, and how many items of evidence it has.
fn answered(memory: &Driver, text: &str) -> (String, usize) {
    let encoder = PlainReader::with_words();
    let encoded = encoder.encode_for_search(&[text]).unwrap().remove(0);
    let question = Question::new(text, encoded, Some("Ana".into()));
    let recall = memory.session().recall(&question, 400);
    let answer = quote(&question, &recall);
    (answer.text, answer.citations.len())
}

#[test]
fn questions_for_names_are_answered_by_what_names_them() {
    let memory = told();
    let told = |place: usize| format!("{}: {}", TALK[place].0, TALK[place].1);
    let (porto, cited) = answered(&memory, "What do you know about Porto?");
    assert_eq!((porto, cited), (format!("{} {}", told(0), told(1)), 2));
    let (sister, _) = answered(&memory, "Tell me about my sister.");
    for place in [0, 3, 4] {
        assert!(sister.contains(TALK[place].1), "{sister}");
    }
    assert!(
        sister.contains("Carla moved to Oslo") && !sister.contains("nurse"),
        "{sister}"
    );
    let (whom, cited) = answered(&memory, "Who does Bob know?");
    assert!(whom.starts_with("Named by Bob or with Bob: "), "{whom}");
    for name in ["Carla", "Tom", "Lisa"] {
        assert!(whom.contains(name), "{whom}");
    }
    assert!(whom.contains(TALK[9].1) && cited > 2, "{whom}");
    let (places, _) = answered(&memory, "Which places did I mention?");
    assert!(
        places.contains("Ana: ") && places.contains("Oslo"),
        "{places}"
    );
    // Ana says what names Porto; nothing names Oslo and Porto, and Carla is named with either
    let (linked, _) = answered(&memory, "What links me and Porto?");
    assert_eq!(linked, told(0));
    let (linked, cited) = answered(&memory, "How are Oslo and Porto connected?");
    assert!(
        linked.contains("names Oslo and Porto together. Carla is"),
        "{linked}"
    );
    assert_eq!(cited, 2);
    let (linked, cited) = answered(&memory, "What links Tom and Oslo?");
    assert!(
        linked.contains("Nothing that I remember names Tom and Oslo"),
        "{linked}"
    );
    assert_eq!(cited, 0);
    // no entity is called so: the question is one like others
    let (other, _) = answered(&memory, "What do you know about Lisbon?");
    assert!(!other.contains("Porto"), "{other}");
}

#[test]
fn names_are_stored_with_the_statements() {
    let memory = told();
    let session = memory.session();
    let (carla, links) = (statements(session, "Carla"), triplets(session, "Porto"));
    let read = Session::from_image(&session.to_image(), counter()).unwrap();
    assert_eq!(statements(&read, "Carla"), carla);
    assert_eq!(triplets(&read, "Porto"), links);
    assert_eq!(read.digest(), session.digest());
    let mut lines = Vec::new();
    session.export(&mut lines).unwrap();
    let imported = Session::import(&mut Cursor::new(&lines), counter()).unwrap();
    assert!(imported.unchanged);
    assert_eq!(triplets(&imported.session, "Porto"), links);
    assert_eq!(imported.session.digest(), session.digest());
}

/// The entry of a block carries what its statements name.
#[test]
fn a_journal_brings_names_back() {
    let encoder = PlainReader::with_words();
    let mut session = told().session().clone();
    let mut again = session.clone();
    let inputs = ["Then Emil stayed in Rome."].map(|text| {
        let heard = said(50, "Ana", text);
        let found = encoder.encode_for_search(&[text]).unwrap().remove(0);
        Input::heard(heard, found)
    });
    let mut entries = Vec::new();
    let mut apply = |session: &mut Session, input: Input| {
        entries.push(input.to_entry().unwrap());
        session.apply(&input).unwrap();
    };
    for input in inputs {
        apply(&mut session, input);
    }
    apply(&mut session, Input::Flush);
    while let Some(block) = session.next_block() {
        let mut distil = weir_core::distil::Extractive;
        let made = weir_core::distil::Distil::distil(&mut distil, &block, encoder.as_ref());
        apply(&mut session, Input::Mount(Box::new(made.unwrap())));
    }
    for entry in entries {
        let input = Input::from_entry(&entry, &again).unwrap();
        again.apply(&input).unwrap();
    }
    assert_eq!(triplets(&again, "Rome"), ["Emil | stayed in | Rome"]);
    assert_eq!(again.digest(), session.digest());
}

#[test]
fn names_go_with_the_words() {
    let mut memory = told();
    let unit = |memory: &Driver, text: &str| {
        let mut units = memory.session().tree().of_kind(Kind::Unit);
        units.find(|it| it.text == text).unwrap().id
    };
    let id = unit(&memory, TALK[0].1);
    memory.edit(id, "My sister lives far away.").unwrap();
    assert_eq!(
        triplets(memory.session(), "Porto"),
        ["Bob | went to | Porto"]
    );
    memory
        .erase(&[Target::Node(unit(&memory, TALK[1].1))])
        .unwrap();
    assert!(statements(memory.session(), "Porto").is_empty());
}
