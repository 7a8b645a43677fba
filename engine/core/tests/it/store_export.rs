//! Export and import: the round trip is equal, edited lines are imported and recomputed, and
//! invalid lines are refused with their number.

use crate::support::{counter, memory, said};
use std::io::Cursor;
use weir_core::driver::Driver;
use weir_core::memory::Kind;
use weir_core::session::{ImportError, Imported, Session, Target};

/// A session with all kinds of data: a full budget, freed slots, pins, raw talk, changed facts.
fn lively() -> Driver {
    let mut memory = memory(600);
    let things = ["garden", "train", "soup", "lamp", "river"];
    for n in 0..120_u64 {
        let text = match n % 7 {
            0 => format!("I moved to {} number {n}.", things[n as usize % 5]),
            3 => format!("Did you see the {}?", things[n as usize % 5]),
            _ => format!("The {} cost {n} dollars on Friday.", things[n as usize % 5]),
        };
        memory
            .hear(said(n, ["Ana", "Bob"][n as usize % 2], &text))
            .unwrap();
    }
    let units: Vec<_> = memory
        .session()
        .tree()
        .of_kind(Kind::Unit)
        .map(|u| u.id)
        .collect();
    memory.pin(units[0]).unwrap();
    memory.edit(units[1], "My cat is called Minka.").unwrap();
    memory.erase(&[Target::Node(units[2])]).unwrap();
    memory.ask("What did the soup cost?", None, 200).unwrap();
    memory
}

fn exported(session: &Session) -> String {
    let mut lines = Vec::new();
    session.export(&mut lines).unwrap();
    String::from_utf8(lines).unwrap()
}

fn import(lines: &str) -> Result<Imported, ImportError> {
    Session::import(&mut Cursor::new(lines), counter())
}

fn refused(lines: &str) -> String {
    match import(lines) {
        Ok(_) => panic!("taken in"),
        Err(wrong) => wrong.to_string(),
    }
}

#[test]
fn the_round_trip_is_equal() {
    let memory = lively();
    let lines = exported(memory.session());
    let Imported { session, unchanged } = import(&lines).unwrap();
    assert!(unchanged);
    assert_eq!(session.digest(), memory.session().digest());
    assert_eq!(exported(&session), lines);
    // further inputs have the same effect
    let (mut a, mut b) = (
        memory,
        Driver::around(session, crate::support::BagOfWords::shared()),
    );
    for n in 200..240 {
        let text = format!("We heard about lamp {n} and the river.");
        a.hear(said(n, "Ana", &text)).unwrap();
        b.hear(said(n, "Ana", &text)).unwrap();
    }
    assert_eq!(a.session().digest(), b.session().digest());
}

#[test]
fn lines_changed_by_hand_are_put_in_order() {
    let mut memory = memory(8_192);
    for (n, text) in ["I live in Rome.", "I saw a film.", "I live in Ostia."]
        .iter()
        .enumerate()
    {
        memory.hear(said(n as u64, "Ana", text)).unwrap();
    }
    memory.flush().unwrap();
    let lines =
        exported(memory.session()).replace("I live in Ostia.", "I moved to Porto by the sea.");
    let Imported { session, unchanged } = import(&lines).unwrap();
    assert!(!unchanged);
    assert_eq!(session.check(), Ok(()));
    let tree = session.tree();
    let mut units = tree.of_kind(Kind::Unit);
    assert!(units.any(|unit| unit.text.contains("by the sea")));
}

#[test]
fn what_is_no_session_is_refused_by_its_line() {
    let lines = exported(lively().session());
    let count = lines.lines().count();
    assert_eq!(
        refused(""),
        "it ends after line 0 without its last line; it was cut off, export it again"
    );
    let cut = lines[..lines.len() / 2].rsplit_once('\n').unwrap().0;
    assert!(refused(cut).contains("it was cut off"), "{}", refused(cut));
    assert!(
        refused("hello\n").starts_with("line 1: "),
        "{}",
        refused("hello\n")
    );
    let newer = lines.replacen("\"weir_export\":7", "\"weir_export\":9", 1);
    assert_eq!(
        refused(&newer),
        "line 1: export version 9; this version reads 1 to 7"
    );
    let other = lines.replacen("{\"node\":", "{\"knot\":", 1);
    assert!(
        refused(&other).starts_with("line 2: unknown field `knot`"),
        "{}",
        refused(&other)
    );
    let at = lines.find("\"vector\":\"").unwrap() + 10;
    let short = format!("{}{}", &lines[..at], &lines[at + 8..]);
    assert_eq!(
        refused(&short),
        "line 2: its vector must be 512 hexadecimal digits, 64 floats"
    );
    let orphan = lines.replacen("\"parent\":{\"slot\":0", "\"parent\":{\"slot\":77", 1);
    assert!(
        refused(&orphan).starts_with("its lines do not fit together: "),
        "{}",
        refused(&orphan)
    );
    assert!(count > 20);
}

/// Regression: both made the import panic.
#[test]
fn files_made_to_harm_are_refused() {
    let lines = exported(lively().session());
    let wide = lines.replacen("\"dimension\":64", "\"dimension\":18446744073709551615", 1);
    assert!(refused(&wide).starts_with("line 1: "), "{}", refused(&wide));
    // a unit that is its own child
    let at = lines.find("\"kind\":\"unit\"").unwrap();
    let line = lines[..at].rfind('\n').unwrap() + 1;
    let id_at = line + lines[line..].find("{\"slot\"").unwrap();
    let id_end = id_at + lines[id_at..].find('}').unwrap() + 1;
    let id = &lines[id_at..id_end];
    let children = at + lines[at..].find("\"children\":[]").unwrap();
    let circle = format!(
        "{}\"children\":[{id}]{}",
        &lines[..children],
        &lines[children + "\"children\":[]".len()..]
    );
    assert!(
        refused(&circle).contains("fit together"),
        "{}",
        refused(&circle)
    );
}
