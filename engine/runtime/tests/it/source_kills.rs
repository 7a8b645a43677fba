//! Writers are killed at random moments while they add a source and remove it again: it is there
//! whole or not at all, and what was acknowledged stays.
//!
//! The child is this program again, with the product's own memory. `WEIR_KILLS=500` makes 500 kills
//! in place of 6 (or 50 where `WEIR_REQUIRE=all`), `WEIR_KILLS_SEED=7` draws others.

use crate::killed::{kill, number, say};
use crate::plain_memory::files_with;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_engine::store::read_session;
use weir_engine::{Memory, Utterance, WordHashEncoder};
use weir_fixtures::{Rng, rounds};
use weir_models::WordPieceCounter;

const TEST: &str = "source_kills::a_source_is_there_whole_or_not_at_all";
const DIR: &str = "WEIR_TEST_SOURCE_KILLED_DIR";
/// A word of the source alone.
const WORD: &str = "swordfish";

fn open(dir: &Path) -> Memory {
    let builder = Memory::builder(WordHashEncoder::new());
    builder.open(dir.join("session")).unwrap()
}

/// Adds the source where it is not, and removes it where it is, until it is killed.
fn child(dir: &Path) {
    let memory = open(dir);
    loop {
        if memory.session().sources().named("house").is_some() {
            say(format_args!("removing"));
            memory.remove_source("house").unwrap();
            say(format_args!("removed"));
        } else {
            say(format_args!("adding"));
            let rules = [dir.join("rules.md")];
            memory.add_source("house", 1.0, &rules).unwrap();
            say(format_args!("added"));
        }
    }
}

#[test]
fn a_source_is_there_whole_or_not_at_all() {
    if let Some(dir) = std::env::var_os(DIR) {
        return child(&PathBuf::from(dir));
    }
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let rule = |n: usize| format!("## Rule {n}\n\nThe {WORD} of day {n} is hung up at noon.\n\n");
    let rules: String = (0..40).map(rule).collect();
    std::fs::write(dir.join("rules.md"), rules).unwrap();
    let memory = open(dir);
    memory
        .hear(Utterance::new("Ana", "The keys hang behind the stove."))
        .unwrap();
    memory
        .add_source("house", 1.0, &[dir.join("rules.md")])
        .unwrap();
    let whole = memory.session().sources().passages().count();
    assert!(whole > 4, "{whole}");
    memory.close().unwrap();
    let mut rng = Rng::new(number("WEIR_KILLS_SEED", 1));
    for _ in 0..rounds("kills while sources change", "WEIR_KILLS", 6, 50) {
        let steps = ["adding", "added", "removing", "removed"];
        let (aim, mut last) = (steps[rng.below(4)], String::new());
        let aimed = (aim, rng.below(3), rng.below(20_000));
        kill(TEST, &[(DIR, dir.as_os_str())], aimed, &mut |line| {
            if steps.contains(&line) {
                line.clone_into(&mut last);
            }
        });
        // as the killed process left it, and as the next writer opens it
        let counter = || Arc::new(WordPieceCounter::shared());
        let read = read_session(&dir.join("session"), counter()).unwrap();
        let memory = open(dir);
        for session in [&read, &*memory.session()] {
            assert_eq!(session.check(), Ok(()));
            assert_eq!(session.stats().turns, 1);
            match (session.sources().passages().count(), last.as_str()) {
                (0, "adding" | "removing" | "removed") => {}
                (held, "adding" | "added" | "removing") => assert_eq!(held, whole, "{last}"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(read.digest(), memory.session().digest());
        let gone = memory.session().sources().named("house").is_none();
        memory.close().unwrap();
        if gone && last == "removed" {
            let left = files_with(&dir.join("session"), &[WORD]);
            assert_eq!(left, [] as [PathBuf; 0], "a removed source left a word");
        }
    }
}
