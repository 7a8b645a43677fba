//! Writers of a session directory are killed at random moments, again and again: nothing
//! acknowledged is lost, every store opens, and the story ends as without kills.
//!
//! The child is this program again; it runs the product's own drivers, log and store. 10 kills by
//! default, 100 where `WEIR_REQUIRE=all`; `WEIR_KILLS=500` makes 500 and prints what they
//! interrupted, `WEIR_KILLS_SEED=7` draws others:
//! `WEIR_KILLS=500 cargo test -p weir-engine --test it store_kills -- --nocapture`

use crate::killed::child::{self, Role};
use crate::killed::number;
use crate::killed::story::{STREAM, Told, counter, open};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use weir_core::session::Session;
use weir_engine::pipeline::FeedItem;
use weir_engine::store::{StoreError, read_image, read_session};
use weir_fixtures::{Rng, rounds};

const TEST: &str = "store_kills::a_killed_writer_loses_nothing_acknowledged";
/// A budget for the whole story: every turn stays held.
const ROOMY_TOKENS: usize = 100_000;
/// A budget for part of it: memory merges and forgets between the kills.
const TIGHT_TOKENS: usize = 400;
/// Events at which kills happen; the first is the start of the process, the last two are at the end
/// of a session.
const AIMS: [&str; 12] = [
    "start", "start", "open", "tell", "commit", "commit", "snapshot", "snapshot", "publish",
    "publish", "remember", "close",
];

#[test]
fn a_killed_writer_loses_nothing_acknowledged() {
    if let Some((dir, role)) = child::if_asked() {
        let told = told(role);
        return child::tell(&dir, role, |seq, session| left(&told, role, seq, session));
    }
    let mut stories = BTreeMap::new();
    let kills = rounds("kills of a writer", "WEIR_KILLS", 10, 100) as u64;
    let mut rng = Rng::new(number("WEIR_KILLS_SEED", 1));
    let mut tally = Tally::default();
    let mut nth = 0;
    while tally.kills < kills {
        let threads = nth % 5 == 4;
        let role = Role {
            budget_tokens: if nth % 2 == 0 || threads {
                ROOMY_TOKENS
            } else {
                TIGHT_TOKENS
            },
            threads,
            entries_max: [1, 3, 12, 0][nth / 2 % 4],
        };
        let told = stories
            .entry((role.threads, role.budget_tokens))
            .or_insert_with(|| told(role));
        one_session(told, role, kills, &mut rng, &mut tally);
        nth += 1;
    }
    if std::env::var_os("WEIR_KILLS").is_some() {
        writeln!(std::io::stdout(), "\n{tally:#?}").unwrap();
    }
    assert!(tally.acknowledged > kills, "killed before they wrote");
}

/// A split turn is fed in lock-step only, where a session holds whole items.
fn told(role: Role) -> Told {
    Told::in_memory(role.budget_tokens, !role.threads)
}

/// The remaining items. With threads, where distillates arrive at any time, the number of turns
/// gives the position; in lock-step the journal gives it exactly.
fn left(told: &Told, role: Role, last_seq: u64, session: &Session) -> Vec<FeedItem> {
    let from = if role.threads {
        let turns = session.stats().turns;
        match session.stream() {
            None => 0,
            Some(_) => told.turns.partition_point(|&heard| heard < turns) + 1,
        }
    } else {
        let held = told.items_in(last_seq);
        held.unwrap_or_else(|| panic!("{last_seq} inputs end within an item"))
    };
    // the end is fed again, in case the last writer died between it and the close
    told.items[from.min(told.items.len() - 1)..].to_vec()
}

/// Totals over all kills.
#[derive(Debug, Default)]
struct Tally {
    kills: u64,
    sessions: u64,
    /// Turns reported as durable.
    acknowledged: u64,
    /// Opened after a kill with inputs after the snapshot.
    recovered: u64,
    /// Only the remains of a creation were left.
    unborn: u64,
    /// What the writers were doing when they were killed.
    during: BTreeMap<String, u64>,
    /// Longest time from feeding a turn to its acknowledgement.
    longest_ms: u64,
}

/// One session from creation to end, with kills.
fn one_session(told: &Told, role: Role, kills: u64, rng: &mut Rng, tally: &mut Tally) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("session");
    let mut safe = BTreeSet::new();
    tally.sessions += 1;
    loop {
        let wanted = tally.kills < kills;
        // large commits are few
        let skip_below = if role.entries_max == 1 { 12 } else { 3 };
        let aim = wanted.then(|| {
            let aim = AIMS[rng.below(AIMS.len())];
            (aim, rng.below(skip_below), rng.below(3_000))
        });
        let run = run(&dir, role, aim, tally);
        tally.acknowledged += run.safe.len() as u64;
        safe.extend(run.safe);
        let copy = copied(&dir, folder.path());
        let Some(session) = checked(&copy, told, role, tally) else {
            assert!(safe.is_empty(), "{safe:?} were safe in no session");
            assert_eq!(run.ended, None);
            continue;
        };
        let heard = told.items[..told.items.len() - 1].iter();
        let held: BTreeSet<String> = session.held().into_iter().map(|(_, id)| id).collect();
        let turns = session.stats().turns;
        for (item, after) in heard.zip(&told.turns) {
            let FeedItem::Heard(utterance) = item else {
                continue;
            };
            let id = &utterance.id;
            let is_in = *after <= turns;
            assert!(is_in || !safe.contains(id), "{id} was safe; {turns} turns");
            let kept = role.budget_tokens == TIGHT_TOKENS || held.contains(id);
            assert!(kept || !is_in, "{id} is in no part of memory");
        }
        if let Some(digest) = run.ended {
            assert_eq!(session.digest(), digest);
            assert_eq!(turns, *told.turns.last().unwrap());
            assert!(role.threads || digest == told.digest, "{role:?}");
            return;
        }
    }
}

/// Output of one child before it died or ended.
#[derive(Default)]
struct Run {
    safe: BTreeSet<String>,
    ended: Option<String>,
}

/// Runs a child until the `skip`-th event of the given kind, waits this many microseconds, then
/// kills it. Without an aim it runs to its end.
fn run(dir: &Path, role: Role, aim: Option<(&str, usize, usize)>, tally: &mut Tally) -> Run {
    let mut child = child::spawn(dir, role, TEST);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (mut run, mut doing) = (Run::default(), "start".to_owned());
    let mut skip = match aim {
        Some(("start" | "open" | "close" | "remember", ..)) => 0,
        Some((_, skip, _)) => skip,
        None => usize::MAX,
    };
    let mut strike = |at: &str, child: &mut std::process::Child| {
        let Some((what, _, micros)) = aim.filter(|(what, ..)| *what == at) else {
            return;
        };
        if skip > 0 {
            skip -= 1;
            return;
        }
        skip = usize::MAX;
        // a process takes longer to start than for any other step
        let micros = if what == "start" { micros * 20 } else { micros };
        std::thread::sleep(Duration::from_micros(micros as u64));
        child.kill().unwrap();
    };
    strike("start", &mut child);
    for line in lines.map_while(Result::ok) {
        match line.split_once(' ') {
            Some(("doing", what)) => {
                what.clone_into(&mut doing);
                strike(what, &mut child);
            }
            Some(("safe", rest)) => {
                let (id, ms) = rest.split_once(' ').unwrap();
                tally.longest_ms = tally.longest_ms.max(ms.parse().unwrap());
                run.safe.insert(id.to_owned());
            }
            Some(("ended", digest)) => run.ended = Some(digest.to_owned()),
            _ => {}
        }
    }
    let status = child.wait().unwrap();
    assert_ne!(status.code(), Some(101), "the child failed while {doing}");
    if status.success() {
        assert!(run.ended.is_some(), "it ended without a word");
    } else {
        tally.kills += 1;
        *tally.during.entry(doing).or_default() += 1;
    }
    run
}

/// A copy for checks, so that the next child finds the directory as the killed one left it.
fn copied(dir: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join("copy");
    let _ = std::fs::remove_dir_all(&copy);
    std::fs::create_dir(&copy).unwrap();
    let Ok(entries) = std::fs::read_dir(dir) else {
        return copy;
    };
    for entry in entries {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    copy
}

/// The content of the directory, after all checks passed; `None` if the writer died while creating
/// the session.
fn checked(dir: &Path, told: &Told, role: Role, tally: &mut Tally) -> Option<Session> {
    // the readers' view before any repair
    let published = dir.join("view.bin").exists().then(|| {
        let (seq, image) = read_image(dir).unwrap();
        let seen = Session::from_image(&image, counter()).unwrap();
        assert_eq!(seen.check(), Ok(()));
        seq
    });
    let read = match read_session(dir, counter()) {
        Err(StoreError::NoSession { .. }) => {
            assert_eq!(published, None);
            tally.unborn += 1;
            return None;
        }
        read => read.unwrap(),
    };
    assert_eq!(read.check(), Ok(()));
    let opened = open(dir, role.budget_tokens).unwrap();
    let last_seq = opened.writer.last_seq();
    assert!(published <= Some(last_seq), "readers saw what is not safe");
    let digest = read.digest();
    assert_eq!(opened.session.digest(), digest, "{published:?} {last_seq}");
    assert_eq!(opened.session.check(), Ok(()));
    if let Some(stream) = opened.session.stream() {
        assert_eq!(stream.name, STREAM);
    }
    if !role.threads {
        let items = told.items_in(last_seq).expect("whole items only");
        let turns = items.checked_sub(1).map_or(0, |at| told.turns[at]);
        assert_eq!(opened.session.stats().turns, turns);
    }
    tally.recovered += u64::from(opened.replayed > 0);
    Some(opened.session)
}
