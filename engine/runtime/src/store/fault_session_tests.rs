//! A whole session on a failing disk. Whatever call fails, once or from then on, and even after a
//! power cut with pending writes, the session opens on a healthy disk with everything acknowledged,
//! and ends in the same state as without the fault.

use super::error::StoreError;
use super::faulty::{Call, Disk, Fault, Trouble};
use super::rebuild_view::read_session;
use super::session::{OpenOptions, open_session, recover};
use super::writer::Writer;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_fixtures::Rng;
use weir_fixtures::talk::{Plan, talk};
use weir_models::{CountTokens, Encode, SpaceCounter, WordHashEncoder};

const TURNS: usize = 24;
const CALLS: [Call; 4] = [Call::Read, Call::Write, Call::SetLen, Call::Sync];
/// Error kinds of the disk, one per fault in turn.
const KINDS: [ErrorKind; 5] = [
    ErrorKind::StorageFull,
    ErrorKind::Other,
    ErrorKind::TimedOut,
    ErrorKind::PermissionDenied,
    ErrorKind::Interrupted,
];

fn counter() -> Arc<dyn CountTokens> {
    Arc::new(SpaceCounter)
}

fn options() -> OpenOptions {
    OpenOptions {
        config: SessionConfig {
            budget_tokens: 300,
            profile: EncoderProfile::word_hash(),
            ..SessionConfig::default()
        },
        encoder: EncoderStamp::of(&WordHashEncoder::new()),
        counter: counter(),
    }
}

fn fresh() -> Session {
    let options = options();
    Session::new(options.config, options.encoder, options.counter).unwrap()
}

/// The inputs of each turn, and the digest after it; the first digest is of the empty session.
struct Story {
    inputs: Vec<Vec<Input>>,
    digests: Vec<String>,
}

fn story() -> Story {
    let encoder = WordHashEncoder::new();
    let mut session = fresh();
    let plan = Plan {
        turns: TURNS,
        ..Plan::default()
    };
    let (mut inputs, mut digests) = (Vec::new(), vec![session.digest()]);
    for (n, turn) in talk(plan, &mut Rng::new(5)).turns.into_iter().enumerate() {
        let utterance = Utterance {
            id: turn.id,
            stream: "story".into(),
            speaker: Some(turn.speaker.into()),
            span: Span::new(turn.start_ms, turn.end_ms),
            audio: None,
            confidence: None,
            text: turn.text,
        };
        let mut vectors = encoder.encode(&[&utterance.rendered()]).unwrap();
        let mut of_turn = Vec::new();
        if n == 0 {
            of_turn.push(Input::Begin(StreamStart::new("story", None)));
        }
        let vector = vectors.remove(0);
        of_turn.push(Input::heard(utterance, vector.into()));
        for input in &of_turn {
            session.apply(input).unwrap();
        }
        while let Some(block) = session.next_block() {
            let mount = Input::Mount(Box::new(Extractive.distil(&block, &encoder).unwrap()));
            session.apply(&mount).unwrap();
            of_turn.push(mount);
        }
        inputs.push(of_turn);
        digests.push(session.digest());
    }
    Story { inputs, digests }
}

/// Runs the story on a disk; returns the number of turns acknowledged and the result.
fn tell(dir: &Path, disk: &Disk, story: &Story) -> (usize, Result<(), StoreError>) {
    let first = || Ok(fresh().to_image());
    let opened = Writer::open_on(dir, &|file: &Path| disk.open(file), first)
        .and_then(|writer| recover(writer, counter()));
    let (mut session, mut writer) = match opened {
        Ok(opened) => (opened.session, opened.writer),
        Err(wrong) => return (0, Err(wrong)),
    };
    let mut begun = None;
    for (n, inputs) in story.inputs.iter().enumerate() {
        for input in inputs {
            session.apply(input).unwrap();
        }
        if let Err(wrong) = writer.append(inputs) {
            let again = writer.append(inputs).unwrap_err();
            assert!(matches!(again, StoreError::Stopped { .. }), "{again}");
            return (n, Err(wrong));
        }
        let kept = match n % 8 {
            // a snapshot that is written after two more turns are stored
            1 => {
                begun = Some((writer.snapshot_writer(), session.to_image()));
                Ok(())
            }
            3 => begun.take().map_or(Ok(()), |(snapshot, image)| {
                let written = snapshot.write(&image, &mut || true)?;
                writer.snapshot_written(&written.expect("nobody stops it"));
                Ok(())
            }),
            5 => writer.publish(&session),
            7 => writer.checkpoint(&session),
            _ => Ok(()),
        };
        if let Err(wrong) = kept {
            return (n + 1, Err(wrong));
        }
    }
    (TURNS, writer.close(&session))
}

/// Opens on a healthy disk, checks everything, and runs the rest.
fn go_on(dir: &Path, story: &Story, acknowledged: usize, fault: Fault) {
    let read = read_session(dir, counter()).map(|session| session.digest());
    let mut opened = open_session(dir, options()).unwrap();
    let held = opened.session.stats().turns as usize;
    // One more turn may have reached the disk before its acknowledgement failed.
    assert!(
        (acknowledged..=acknowledged + 1).contains(&held),
        "{fault:?}: {acknowledged} acknowledged, {held} held"
    );
    assert_eq!(opened.session.check(), Ok(()), "{fault:?}");
    assert_eq!(opened.session.digest(), story.digests[held], "{fault:?}");
    match read {
        Ok(digest) => assert_eq!(digest, story.digests[held], "{fault:?}"),
        // The disk failed before there was a session.
        Err(wrong) => assert!(
            opened.created && matches!(wrong, StoreError::NoSession { .. }),
            "{fault:?}: {wrong}"
        ),
    }
    for inputs in &story.inputs[held..] {
        for input in inputs {
            opened.session.apply(input).unwrap();
        }
        opened.writer.append(inputs).unwrap();
    }
    assert_eq!(opened.session.digest(), story.digests[TURNS], "{fault:?}");
    opened.writer.close(&opened.session).unwrap();
    let last = open_session(dir, options()).unwrap();
    assert_eq!(last.session.digest(), story.digests[TURNS], "{fault:?}");
}

/// The first calls one by one, then some spread over all calls of a complete run.
fn moments(calls: u64, count: u64) -> impl Iterator<Item = u64> {
    let rest = (1..count).map(move |n| 6 + n * calls.saturating_sub(6) / count);
    let rest = rest.filter(move |after| *after < calls);
    (0..6.min(calls)).chain(rest)
}

fn fail_everywhere(trouble: Trouble, count: u64) {
    let story = story();
    let healthy = Disk::new(None);
    let dir = tempfile::tempdir().unwrap();
    let (told, ended) = tell(dir.path(), &healthy, &story);
    assert!(told == TURNS && ended.is_ok());
    let (mut failed, mut most) = (0, 0);
    for call in CALLS {
        for (after, kind) in moments(healthy.calls(call), count).zip(KINDS.into_iter().cycle()) {
            let fault = Fault {
                call,
                after,
                trouble,
                kind,
            };
            let dir = tempfile::tempdir().unwrap();
            let disk = Disk::new(Some(fault));
            let (acknowledged, ended) = tell(dir.path(), &disk, &story);
            assert!(disk.has_struck(), "{fault:?} never came");
            match ended {
                Err(wrong) => {
                    let told = wrong.to_string();
                    let StoreError::File { file, source, .. } = wrong else {
                        panic!("{fault:?}: {told}");
                    };
                    assert_eq!(source.kind(), kind);
                    assert!(file.starts_with(dir.path()));
                    let advice = told.contains("free disk space");
                    assert_eq!(advice, kind == ErrorKind::StorageFull, "{told}");
                    failed += 1;
                }
                // The store shuts down as far as it can; everything was written before.
                Ok(()) => assert_eq!(acknowledged, TURNS, "{fault:?}"),
            }
            go_on(dir.path(), &story, acknowledged, fault);
            most = most.max(acknowledged);
        }
    }
    assert!(
        failed > 20 && most == TURNS,
        "{failed} failures, {most} turns"
    );
}

#[test]
fn a_disk_that_refuses_one_call_loses_nothing_acknowledged() {
    fail_everywhere(Trouble::Once, 10);
}

#[test]
fn a_disk_that_fails_for_good_loses_nothing_acknowledged() {
    fail_everywhere(Trouble::ForGood, 30);
}

#[test]
fn a_power_cut_with_writes_on_their_way_loses_nothing_acknowledged() {
    fail_everywhere(Trouble::PowerCut, 20);
}

/// After a failed write an erasure has silenced sound already, so nothing is said of what is kept.
#[test]
fn an_erasure_after_a_failed_write_promises_nothing() {
    let stopped = StoreError::Stopped {
        dir: "session".into(),
    };
    let told = stopped.unfinished().to_string();
    assert!(
        told.contains("is not finished") && !told.contains("kept"),
        "{told}"
    );
}
