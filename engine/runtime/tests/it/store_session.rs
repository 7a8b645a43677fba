//! A session and its directory: it is restored exactly, there is only one writer, and readers never
//! wait. (For killed writers see `store_kills.rs`.)

use crate::killed::story::{self, config, counter, stamp};
use std::path::Path;
use weir_core::distil::{Distil, Extractive};
use weir_core::session::{Input, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_engine::store::{
    CommitPolicy, InputProgress, OpenOptions, Opened, StoreError, check_session, known_inputs,
    open_session, open_session_any, read_session, read_session_telling,
};
use weir_engine::streamfile::InputDigest;
use weir_models::{Encode, WordHashEncoder};

const BUDGET_TOKENS: usize = 400;

fn open(dir: &Path) -> Result<Opened, StoreError> {
    story::open(dir, BUDGET_TOKENS)
}

/// Applies the next step of the story to a session; returns its inputs. The next step depends on
/// the session alone.
fn tell(session: &mut Session) -> Vec<Input> {
    let encoder = WordHashEncoder::new();
    let n = session.stats().turns + 1;
    let mut inputs = Vec::new();
    if n == 1 {
        inputs.push(Input::Begin(StreamStart::new(
            "story",
            Some(1_740_823_200_000),
        )));
    }
    let things = [
        "the garden", "a bicycle", "her sister", "old coffee", "Lisbon",
    ];
    let text = format!(
        "On day {n} I painted {} again.",
        things[n as usize % things.len()]
    );
    let vector = encoder.encode(&[&text]).unwrap().remove(0);
    inputs.push(Input::heard(
        Utterance {
            id: format!("u{n}"),
            stream: "story".into(),
            speaker: Some(["Alice", "Bob"][n as usize % 2].into()),
            span: Span::new(n * 3_000, n * 3_000 + 2_000),
            audio: None,
            confidence: None,
            text,
        },
        vector.into(),
    ));
    inputs
        .iter()
        .for_each(|input| drop(session.apply(input).unwrap()));
    while let Some(block) = session.next_block() {
        let mount = Input::Mount(Box::new(Extractive.distil(&block, &encoder).unwrap()));
        session.apply(&mount).unwrap();
        inputs.push(mount);
    }
    inputs
}

/// Feeds and acknowledges this many more turns.
fn write(opened: &mut Opened, turns: usize) {
    for _ in 0..turns {
        let inputs = tell(&mut opened.session);
        opened.writer.append(&inputs).unwrap();
    }
}

#[test]
fn a_session_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("deep/session");
    let mut opened = open(&dir).unwrap();
    assert!(opened.created);
    write(&mut opened, 40);
    let digest = opened.session.digest();
    drop(opened);

    let mut again = open(&dir).unwrap();
    assert!(!again.created && again.replayed > 40);
    assert_eq!(again.session.digest(), digest);
    write(&mut again, 5);
    again.writer.checkpoint(&again.session).unwrap();
    write(&mut again, 5);
    let digest = again.session.digest();
    let session = again.session;
    again.writer.close(&session).unwrap();

    let last = open(&dir).unwrap();
    assert_eq!(last.replayed, 0);
    assert_eq!(last.session.digest(), digest);
    assert_eq!(last.session.stats().turns, 50);
    assert_eq!(last.session.check(), Ok(()));
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    write(&mut opened, 3);
    let wrong = open(dir.path()).unwrap_err();
    assert!(matches!(wrong, StoreError::InUse { .. }), "{wrong:?}");
    let told = wrong.to_string();
    assert!(told.contains(&dir.path().display().to_string()), "{told}");
    assert!(
        told.contains(&format!("process {}", std::process::id())),
        "{told}"
    );

    // acknowledged but unpublished inputs are not visible yet; the reader does not contact the
    // writer
    assert_eq!(
        read_session(dir.path(), counter()).unwrap().stats().turns,
        0
    );
    opened.writer.publish(&opened.session).unwrap();
    let read = read_session(dir.path(), counter()).unwrap();
    assert_eq!(read.digest(), opened.session.digest());
    write(&mut opened, 1);
}

#[test]
fn what_a_dead_writer_left_is_read_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    write(&mut opened, 12);
    // dropped without closing: the files are as after a kill
    let digest = opened.session.digest();
    drop(opened);
    assert_eq!(
        read_session(dir.path(), counter()).unwrap().digest(),
        digest
    );
}

#[test]
fn a_view_that_is_damaged_or_missing_is_made_anew_and_told_of_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    write(&mut opened, 12);
    let digest = opened.session.digest();
    let view = dir.path().join("view.bin");
    let read = || {
        let mut told = Vec::new();
        let mut tell = |text: &str| told.push(text.to_owned());
        let read = read_session_telling(dir.path(), counter(), &mut tell);
        (read.map(|session| session.digest()), told)
    };
    // the running writer has the store open exclusively
    std::fs::write(&view, "WEIRVIEW and then nothing").unwrap();
    let wrong = read().0.unwrap_err().to_string();
    assert!(wrong.contains("view.bin is damaged"), "{wrong}");
    assert!(!wrong.contains("restore"), "{wrong}");
    let session = opened.session.clone();
    opened.writer.close(&session).unwrap();

    let lost: [&dyn Fn(); 2] = [
        &|| std::fs::write(&view, "WEIRVIEW and then nothing").unwrap(),
        &|| std::fs::remove_file(&view).unwrap(),
    ];
    for (lose, what) in lost.into_iter().zip(["damaged", "missing"]) {
        lose();
        let (found, told) = read();
        assert_eq!(found.unwrap(), digest);
        assert!(told.len() == 1 && told[0].contains(what), "{told:?}");
        let (found, told) = read();
        assert_eq!(found.unwrap(), digest);
        assert_eq!(told, [""; 0]);
    }
}

#[test]
fn another_encoder_is_refused_with_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    write(&mut opened, 3);
    drop(opened);
    let mut other = stamp();
    other.name = "all-minilm-l6-v2".into();
    let options = OpenOptions {
        config: config(BUDGET_TOKENS),
        encoder: other.clone(),
        counter: counter(),
    };
    let wrong = open_session(dir.path(), options).unwrap_err();
    let told = wrong.to_string();
    assert!(matches!(wrong, StoreError::EncoderMismatch { found, .. } if *found == other));
    for part in ["encode it anew", "all-minilm-l6-v2", &stamp().name] {
        assert!(told.contains(part), "{told}");
    }
    // the refusal left no lock and changed nothing
    let any = open_session_any(dir.path(), counter()).unwrap();
    assert_eq!(any.session.stats().turns, 3);
}

#[test]
fn nothing_to_read_is_said_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let absent = dir.path().join("absent");
    for wrong in [
        read_session(&absent, counter()).map(drop).unwrap_err(),
        open_session_any(&absent, counter()).map(drop).unwrap_err(),
        read_session(dir.path(), counter()).map(drop).unwrap_err(),
    ] {
        assert!(matches!(wrong, StoreError::NoSession { .. }), "{wrong:?}");
    }
    assert!(!absent.exists());
    let options = OpenOptions {
        config: config(1),
        encoder: stamp(),
        counter: counter(),
    };
    let wrong = open_session(&absent, options).unwrap_err();
    assert!(wrong.to_string().contains("budget-tokens"), "{wrong}");
    // a refused creation leaves nothing that prevents a later one
    assert!(open(&absent).unwrap().created);
}

#[test]
fn a_replayed_input_is_known_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    let (one, two) = (InputDigest([1; 32]), InputDigest([2; 32]));
    assert_eq!(opened.writer.seen(&one).unwrap(), None);
    opened.writer.remember(&one, "kitchen.wav").unwrap();
    opened.writer.checkpoint(&opened.session).unwrap();
    drop(opened);
    let opened = open(dir.path()).unwrap();
    assert_eq!(
        opened.writer.seen(&one).unwrap().as_deref(),
        Some("kitchen.wav")
    );
    assert_eq!(opened.writer.seen(&two).unwrap(), None);
}

#[test]
fn how_far_an_input_came_is_written_down_with_its_words_until_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    let (one, two) = (InputDigest([1; 32]), InputDigest([2; 32]));
    let progress = InputProgress {
        stream: "kitchen".to_owned(),
        items: 3,
        ..InputProgress::default()
    };
    let inputs = [Input::Flush];
    let from = Some((&one, &progress));
    opened.writer.append_from(&inputs, from).unwrap();
    assert_eq!(
        opened.writer.progress(&one).unwrap(),
        Some(progress.clone())
    );
    drop(opened);
    let mut opened = open(dir.path()).unwrap();
    assert_eq!(opened.writer.progress(&one).unwrap(), Some(progress));
    assert_eq!(opened.writer.progress(&two).unwrap(), None);
    opened.writer.remember(&one, "kitchen").unwrap();
    assert_eq!(opened.writer.progress(&one).unwrap(), None);
}

#[test]
fn commits_are_due_by_age_and_by_number() {
    let policy = CommitPolicy::default();
    assert!(policy.every_ms <= 500);
    let due = [(0, 10_000), (1, 499), (1, 500), (255, 0), (256, 0)]
        .map(|(waiting, oldest_ms)| policy.due(waiting, oldest_ms));
    assert_eq!(due, [false, false, true, false, true]);
}

/// redb checks its sums only after a crash, so damage can make it panic anywhere: while it opens,
/// reads, writes or closes. Each flip gives a session or an error.
#[test]
fn a_flipped_bit_in_the_store_is_an_error_and_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path()).unwrap();
    write(&mut opened, 40);
    // with a snapshot and a journal
    let session = opened.session.clone();
    opened.writer.checkpoint(&session).unwrap();
    write(&mut opened, 5);
    opened
        .writer
        .remember(&InputDigest([7; 32]), "story")
        .unwrap();
    opened.writer.release().unwrap();
    let store = dir.path().join("memory.redb");
    let whole = std::fs::read(&store).unwrap();
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    let mut refused = 0;
    for n in 0..260 {
        // the first pages hold the tree of the store, so half of the flips are there
        let at = if n < 130 {
            used[n * 8 % used.len()]
        } else {
            used[n * used.len() / 260]
        };
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (n % 8);
        std::fs::write(&store, &damaged).unwrap();
        let _ = std::fs::remove_file(dir.path().join("view.bin"));
        let works = || -> Result<(), StoreError> {
            check_session(dir.path())?;
            read_session(dir.path(), counter())?;
            known_inputs(dir.path())?;
            let mut opened = open(dir.path())?;
            write(&mut opened, 1);
            opened.writer.close(&opened.session)
        };
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(works));
        refused += usize::from(done.expect("no panic leaves the store").is_err());
    }
    assert!(refused > 20, "the flips do damage: {refused}");
}
