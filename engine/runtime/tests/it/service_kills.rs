//! Programs are killed at random moments while their threads hear, two of them in streams of their
//! own, ask, erase and name through one session: nothing acknowledged is lost or doubled, and
//! nothing erased comes back.
//!
//! The child is this program again, with the product's own memory. `WEIR_KILLS=300` makes 300 kills
//! in place of 7 (or 60 where `WEIR_REQUIRE=all`), `WEIR_KILLS_SEED=7` draws others:
//! `WEIR_KILLS=300 cargo test -p weir-engine --test it service_kills -- --nocapture`

use crate::killed::{kill, number, say};
use crate::plain_memory::files_with;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use weir_core::session::{Session, SpeakerChange, Target};
use weir_core::stream::StreamStart;
use weir_engine::pipeline::Change;
use weir_engine::store::read_session;
use weir_engine::{Memory, Utterance, WordHashEncoder};
use weir_fixtures::talk::{Plan, talk};
use weir_fixtures::{Rng, rounds};
use weir_models::WordPieceCounter;

const TEST: &str = "service_kills::a_killed_service_loses_doubles_and_revives_nothing";
const DIR: &str = "WEIR_TEST_SERVICE_KILLED_DIR";
const RUN: &str = "WEIR_TEST_SERVICE_KILLED_RUN";
/// Every turn stays held.
const ROOMY_TOKENS: usize = 100_000;
/// Kills of one session, before the next begins.
const KILLS_PER_SESSION: u64 = 25;
/// Of the utterances of the first thread, every fourth is erased.
const ERASED_EVERY: usize = 4;
/// The streams of the two threads that hear.
const STREAMS: [&str; 2] = ["a", "b"];
/// What a child prints when the kill may happen.
const AIMS: [&str; 8] = [
    "hearing", "heard", "erasing", "erasing", "erased", "naming", "naming", "named",
];

fn open(dir: &Path) -> Memory {
    let builder = Memory::builder(WordHashEncoder::new()).budget_tokens(ROOMY_TOKENS);
    builder.open(dir.join("session")).unwrap()
}

/// The name that the third speaker has now.
fn named(session: &Session) -> String {
    let mut names = session.speakers().into_iter();
    names.find(|name| name.starts_with("Cleo")).unwrap()
}

/// Erases every fourth utterance of the first thread once it is heard.
fn erase_on(memory: &Memory, heard: &AtomicU64, id: &(dyn Fn(usize, usize) -> String + Sync)) {
    for n in (0..).step_by(ERASED_EVERY) {
        while heard.load(Ordering::Acquire) <= n as u64 {
            thread::yield_now();
        }
        let id = id(0, n);
        let held = memory.session().held();
        let (stream, id) = held.into_iter().find(|it| it.1 == id).unwrap();
        say(format_args!("erasing {id}"));
        let target = Target::Utterance {
            stream,
            id: id.clone(),
        };
        memory.erase(&[target]).unwrap();
        say(format_args!("erased {id}"));
    }
}

/// Hears, asks, erases and names until it is killed.
fn child(dir: &Path, run: u64) {
    let memory = open(dir);
    for name in STREAMS {
        if memory.session().open_stream(name).is_none() {
            let begin = StreamStart {
                beside: true,
                ..StreamStart::new(name, None)
            };
            memory.handle().change(Change::Begin(begin), None).unwrap();
        }
    }
    let mut first = Utterance::new("Cleo", "Cleo speaks first.");
    first.stream = STREAMS[0].into();
    memory.hear(first).unwrap();
    let lines = talk(Plan::default(), &mut Rng::new(run)).turns;
    let heard_by_first = AtomicU64::new(0);
    let id = |thread: usize, n: usize| format!("r{run}x{thread}x{n}z");
    thread::scope(|threads| {
        for thread in 0..2 {
            let (memory, lines, heard_by_first) = (&memory, &lines, &heard_by_first);
            threads.spawn(move || {
                for n in 0.. {
                    let id = id(thread, n);
                    let line = &lines[n % lines.len()].text;
                    let text = format!("{line} I noted that as number {id}.");
                    let mut said = Utterance::new(["Ana", "Ben"][thread], &text);
                    said.id.clone_from(&id);
                    said.stream = STREAMS[thread].into();
                    say(format_args!("hearing {id}"));
                    memory.hear(said).unwrap();
                    say(format_args!("heard {id}"));
                    if thread == 0 {
                        heard_by_first.store(n as u64 + 1, Ordering::Release);
                    }
                }
            });
        }
        threads.spawn(|| {
            loop {
                memory.ask("What did I note?").unwrap();
            }
        });
        threads.spawn(|| erase_on(&memory, &heard_by_first, &id));
        for n in 0.. {
            let speaker = named(&memory.session());
            let name = format!("Cleo{run}x{n}");
            say(format_args!("naming {name}"));
            let change = SpeakerChange::Name {
                speaker,
                name: name.clone(),
            };
            memory.change_speaker(change).unwrap();
            say(format_args!("named {name}"));
        }
    });
}

/// What the children of one session said that they began and finished.
#[derive(Default)]
struct Told {
    done: BTreeMap<String, BTreeSet<String>>,
    /// The last name acknowledged, and the one that may have been given after it.
    names: (String, String),
}

impl Told {
    fn note(&mut self, line: &str) {
        let Some((what, id)) = line.split_once(' ') else {
            return;
        };
        match what {
            "hearing" | "heard" | "erasing" | "erased" => {
                self.done
                    .entry(what.to_owned())
                    .or_default()
                    .insert(id.to_owned());
            }
            "naming" => id.clone_into(&mut self.names.1),
            "named" => id.clone_into(&mut self.names.0),
            _ => {}
        }
    }

    fn of(&self, what: &str) -> BTreeSet<String> {
        self.done.get(what).cloned().unwrap_or_default()
    }

    /// Compares with what a session holds after `runs` children.
    fn check(&self, session: &Session, runs: u64) {
        assert_eq!(session.check(), Ok(()));
        let all = session.held().into_iter();
        let all = all.filter(|(_, id)| id.starts_with('r'));
        let of = |id: &str| STREAMS[usize::from(id.contains("x1x"))].to_owned();
        let in_own = |(stream, id): (String, String)| {
            assert_eq!(stream, of(&id), "{id}");
            id
        };
        let held: BTreeSet<String> = all.map(in_own).collect();
        let (heard, erasing) = (self.of("heard"), self.of("erasing"));
        let lost: Vec<_> = heard
            .difference(&held)
            .filter(|id| !erasing.contains(*id))
            .collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        let back: Vec<_> = self.of("erased").intersection(&held).cloned().collect();
        assert!(back.is_empty(), "erased and back: {back:?}");
        assert!(held.is_subset(&self.of("hearing")), "held and never said");
        let gone = erasing.difference(&held).count() as u64;
        let turns = session.turns();
        // the line that each child begins with may be acknowledged or not
        let lines = held.len() as u64 + gone;
        assert!(
            (lines..=lines + runs).contains(&turns),
            "{turns} turns of {lines} lines"
        );
        let name = named(session);
        let (last, next) = &self.names;
        assert!(
            last.is_empty() || name == *last || name == *next,
            "{name}: {last}, {next}"
        );
    }
}

#[test]
fn a_killed_service_loses_doubles_and_revives_nothing() {
    if let Some(dir) = std::env::var_os(DIR) {
        return child(&PathBuf::from(dir), number(RUN, 0));
    }
    let kills = rounds("kills of a service", "WEIR_KILLS", 7, 60) as u64;
    let mut rng = Rng::new(number("WEIR_KILLS_SEED", 1));
    let (mut folder, mut told) = (tempfile::tempdir().unwrap(), Told::default());
    let mut acknowledged = 0;
    for nth in 0..kills {
        if nth > 0 && nth % KILLS_PER_SESSION == 0 {
            acknowledged += told.of("heard").len();
            (folder, told) = (tempfile::tempdir().unwrap(), Told::default());
        }
        let aim = AIMS[rng.below(AIMS.len())];
        let (run, aimed) = (nth.to_string(), (aim, rng.below(3), rng.below(20_000)));
        let vars = [(DIR, folder.path().as_os_str()), (RUN, run.as_ref())];
        kill(TEST, &vars, aimed, &mut |line| told.note(line));
        let dir = folder.path().join("session");
        let erased = told.of("erased");
        let words: Vec<&str> = erased.iter().map(String::as_str).collect();
        let left = files_with(&dir, &words);
        assert_eq!(left, [] as [PathBuf; 0], "erased words are in files");
        let runs = nth % KILLS_PER_SESSION + 1;
        let read = read_session(&dir, Arc::new(WordPieceCounter::shared())).unwrap();
        told.check(&read, runs);
        let memory = open(folder.path());
        told.check(&memory.session(), runs);
        assert_eq!(read.digest(), memory.session().digest());
        // a name that nobody acknowledged may be the one that stayed
        told.names = (named(&read), String::new());
        memory.close().unwrap();
    }
    acknowledged += told.of("heard").len();
    assert!(acknowledged as u64 > kills, "killed before they wrote");
}
