//! The child process to kill: continues the story, and prints what it is about to do and what is
//! durable, one flushed line each.

use super::say;
use super::story::{open, parts};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::session::{Input, Session};
use weir_engine::pipeline::{
    DiskLog, Event, Feed, FeedFigures, FeedItem, Lockstep, Notice, Pipeline, SessionLog,
    SessionLogError, SessionWriter, Stop,
};
use weir_engine::store::CommitPolicy;
use weir_engine::streamfile::InputDigest;

const ROLE: &str = "WEIR_TEST_KILLED_ROLE";
const DIR: &str = "WEIR_TEST_KILLED_DIR";

/// The task of a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Role {
    pub(crate) budget_tokens: usize,
    /// Which driver: threads, or the lock-step one.
    pub(crate) threads: bool,
    /// Number of waiting inputs that triggers a commit; 0 for the product's own rule.
    pub(crate) entries_max: usize,
}

impl Role {
    fn policy(self) -> CommitPolicy {
        match self.entries_max {
            0 => CommitPolicy {
                snapshot_entries_max: 16,
                ..CommitPolicy::default()
            },
            entries_max => CommitPolicy {
                every_ms: 20,
                entries_max,
                snapshot_entries_max: 8,
            },
        }
    }

    fn written(self) -> String {
        let Self {
            budget_tokens,
            threads,
            entries_max,
        } = self;
        format!("{budget_tokens} {} {entries_max}", usize::from(threads))
    }

    fn read(text: &str) -> Self {
        let numbers: Vec<usize> = text.split(' ').map(|n| n.parse().unwrap()).collect();
        Self {
            budget_tokens: numbers[0],
            threads: numbers[1] == 1,
            entries_max: numbers[2],
        }
    }
}

/// Starts this program again as a child with a role; `test` is the test that calls [`if_asked`].
pub(crate) fn spawn(dir: &Path, role: Role, test: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(DIR, dir)
        .env(ROLE, role.written())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The directory and the role, in a child process.
pub(crate) fn if_asked() -> Option<(PathBuf, Role)> {
    let dir: OsString = std::env::var_os(DIR)?;
    let role = std::env::var(ROLE).unwrap();
    Some((dir.into(), Role::read(&role)))
}

/// Feeds the items that `from` returns, given the end of the journal and the number of turns heard.
pub(crate) fn tell(dir: &Path, role: Role, from: impl FnOnce(u64, &Session) -> Vec<FeedItem>) {
    say(format_args!("doing open"));
    let opened = open(dir, role.budget_tokens).unwrap();
    let items = from(opened.writer.last_seq(), &opened.session);
    say(format_args!("doing tell"));
    let journal_entries = opened.writer.journal_entries();
    let stored = DiskLog::new(opened.writer, vec![Some(InputDigest([7; 32]))]);
    let keep = Box::new(Saying {
        stored: stored.with_policy(role.policy()),
        journal_entries,
        snapshot_entries_max: role.policy().snapshot_entries_max,
        commits: 0,
    });
    let session_writer = SessionWriter::kept(opened.session, keep);
    let since = Arc::new(Mutex::new(HashMap::new()));
    let mut feed = Timed {
        items: items.into_iter(),
        since: Arc::clone(&since),
        // slow enough that the product's own rule commits by age
        pace: Duration::from_millis(if role.entries_max == 0 { 8 } else { 0 }),
    };
    let mut safe = |event| {
        if let Event::Heard(utterance) = event {
            let since = since.lock().get(&utterance.id).map(Instant::elapsed);
            let took = since.unwrap_or_default().as_millis();
            say(format_args!("safe {} {took}", utterance.id));
        }
    };
    let parts = parts(session_writer);
    let finished = if role.threads {
        let pipeline = Pipeline::start(parts, Box::new(feed), Stop::default()).unwrap();
        pipeline.finish(&mut safe)
    } else {
        Lockstep::new(parts).run(&mut feed, &Stop::default(), &mut safe)
    };
    say(format_args!("ended {}", finished.unwrap().session.digest()));
}

/// The product's session directory, which prints what it is about to do; it publishes after every
/// fourth commit, so that kills can happen then too.
struct Saying {
    stored: DiskLog,
    journal_entries: u64,
    snapshot_entries_max: u64,
    commits: u64,
}

impl SessionLog for Saying {
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError> {
        say(format_args!("doing commit"));
        self.journal_entries += inputs.len() as u64;
        self.stored.append(inputs)
    }

    fn due(&self, waiting: usize, oldest_age: Duration) -> bool {
        self.stored.due(waiting, oldest_age)
    }

    fn checkpoint_if_due(
        &mut self,
        session: &Session,
        by_hand: bool,
    ) -> Result<bool, SessionLogError> {
        if self.journal_entries >= self.snapshot_entries_max {
            say(format_args!("doing snapshot"));
            self.journal_entries = 0;
        }
        let done = self.stored.checkpoint_if_due(session, by_hand)?;
        self.commits += 1;
        if self.commits.is_multiple_of(4) {
            self.publish(session)?;
        }
        say(format_args!("doing tell"));
        Ok(done)
    }

    fn publish(&mut self, session: &Session) -> Result<(), SessionLogError> {
        say(format_args!("doing publish"));
        self.stored.publish(session)
    }

    fn remember(&mut self, index: usize, name: &str) -> Result<(), SessionLogError> {
        say(format_args!("doing remember"));
        self.stored.remember(index, name)
    }

    fn close(self: Box<Self>, session: &Session) -> Result<(), SessionLogError> {
        say(format_args!("doing close"));
        Box::new(self.stored).close(session)
    }
}

/// Feeds the items and records the times.
struct Timed {
    items: std::vec::IntoIter<FeedItem>,
    since: Arc<Mutex<HashMap<String, Instant>>>,
    pace: Duration,
}

impl Feed for Timed {
    fn next(&mut self, stop: &Stop, _: &mut Vec<Notice>) -> Option<FeedItem> {
        std::thread::sleep(self.pace);
        let item = self.items.next().filter(|_| !stop.is_set());
        if let Some(FeedItem::Heard(utterance)) = &item {
            self.since
                .lock()
                .insert(utterance.id.clone(), Instant::now());
        }
        item
    }

    fn figures(&self) -> FeedFigures {
        FeedFigures::default()
    }
}
