//! Permanent erasure: afterwards, no file of the session has a word or a sample of the erased data.

use crate::killed::story;
use crate::plain_memory::files_with;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use weir_api::Receipt;
use weir_core::distil::{Distil, Extractive};
use weir_core::limits;
use weir_core::memory::{Kind, NodeId};
use weir_core::session::{Input, Session, Target};
use weir_core::stream::{AudioSpan, Span, StreamStart, Utterance};
use weir_engine::store::{AudioArchive, AudioSpool, HeardVoice, HeardVoices, Opened, read_session};
use weir_engine::streamfile::InputDigest;
use weir_models::{Encode, WordHashEncoder};

const SECRET: &str = "The combination of the safe is xylophone forty.";
const WORDS: [&str; 3] = ["xylophone", "combination", "safe"];

fn open(dir: &Path) -> Opened {
    story::open(dir, limits::BUDGET_TOKENS_DEFAULT).unwrap()
}

fn say(opened: &mut Opened, n: u64, text: &str, audio: Option<AudioSpan>) {
    let vector = WordHashEncoder::new().encode(&[text]).unwrap().remove(0);
    let utterance = Utterance {
        id: format!("u{n}"),
        stream: "talk".into(),
        speaker: Some("Ana".into()),
        span: Span::new(n * 1_000, n * 1_000 + 900),
        audio,
        confidence: None,
        text: text.into(),
    };
    apply(opened, Input::heard(utterance, vector.into()));
}

fn apply(opened: &mut Opened, input: Input) {
    opened.session.apply(&input).unwrap();
    opened.writer.append(&[input]).unwrap();
    while let Some(block) = opened.session.next_block() {
        let made = Extractive.distil(&block, &WordHashEncoder::new()).unwrap();
        apply(opened, Input::Mount(Box::new(made)));
    }
}

/// A session with a secret in its journal, its snapshot, its view and its audio.
fn told(dir: &Path) -> Opened {
    let mut opened = open(dir);
    let mut spool = AudioSpool::open(dir, limits::AUDIO_BYTES_MIN).unwrap();
    spool.begin("talk", 0).unwrap();
    spool.append(&vec![1_234; 16 * 10_000]).unwrap();
    apply(&mut opened, Input::Begin(StreamStart::new("talk", None)));
    for (n, text) in [(1, "I painted the kitchen yellow."), (2, SECRET)] {
        let audio = spool.locate("talk", Span::new(n * 1_000, n * 1_000 + 900));
        say(&mut opened, n, text, audio);
    }
    apply(&mut opened, Input::Flush);
    let session = opened.session.clone();
    opened.writer.checkpoint(&session).unwrap();
    opened.writer.publish(&session).unwrap();
    for (n, text) in [(3, "My cat is called Minka."), (4, SECRET)] {
        let audio = spool.locate("talk", Span::new(n * 1_000, n * 1_000 + 900));
        say(&mut opened, n, text, audio);
    }
    let remembered = InputDigest([7; 32]);
    opened.writer.remember(&remembered, "talk.wav").unwrap();
    apply(&mut opened, Input::Flush);
    opened
}

fn secret(session: &Session) -> NodeId {
    let tree = session.tree();
    let unit = tree
        .of_kind(Kind::Unit)
        .find(|unit| unit.text.contains("xylophone"));
    unit.unwrap().id
}

fn erase(mut opened: Opened, target: Target) -> (Opened, Receipt) {
    let erasure = opened
        .session
        .erasure(&[target], Some(&WordHashEncoder::new()), None)
        .unwrap();
    let input = Input::Erase(Box::new(erasure.clone()));
    let erased = opened.session.apply(&input).unwrap().erased.unwrap();
    let (writer, receipt) = opened
        .writer
        .erase(&opened.session, &erasure, erased)
        .unwrap();
    (Opened { writer, ..opened }, receipt)
}

const NO_FILE: [PathBuf; 0] = [];

#[test]
fn no_file_holds_what_was_erased() {
    let dir = tempfile::tempdir().unwrap();
    let opened = told(dir.path());
    assert!(
        files_with(dir.path(), &WORDS).len() >= 2,
        "store and view hold it before"
    );
    let target = Target::Node(secret(&opened.session));
    let (opened, receipt) = erase(opened, target);
    // while the writer is running, and after it ended
    assert_eq!(files_with(dir.path(), &WORDS), NO_FILE);
    assert_eq!((receipt.erased.utterances, receipt.audio_ms), (2, 1_800));
    assert_eq!(receipt.files.len(), 3, "{receipt:?}");
    let digest = opened.session.digest();
    assert_eq!(
        opened
            .writer
            .seen(&InputDigest([7; 32]))
            .unwrap()
            .as_deref(),
        Some("talk.wav")
    );
    drop(opened);
    let opened = open(dir.path());
    assert_eq!(opened.session.digest(), digest);
    assert_eq!(opened.session.check(), Ok(()));
    assert_eq!(opened.replayed, 0, "there is no journal any more");
    opened.writer.close(&opened.session).unwrap();
    assert_eq!(files_with(dir.path(), &WORDS), NO_FILE);
    let kept = read_session(dir.path(), story::counter()).unwrap();
    let texts: Vec<&str> = kept
        .tree()
        .of_kind(Kind::Unit)
        .map(|u| u.text.as_str())
        .collect();
    assert_eq!(
        texts,
        ["I painted the kitchen yellow.", "My cat is called Minka."]
    );
}

/// A full disk, for one: the last step fails, and the old bytes are overwritten all the same.
#[test]
fn without_a_new_view_the_old_files_are_overwritten_too() {
    let dir = tempfile::tempdir().unwrap();
    let opened = told(dir.path());
    let [view, store] = ["view.bin", "memory.redb"].map(|name| dir.path().join(name));
    let old = [&view, &store].map(|path| fs::File::open(path).unwrap());
    fs::create_dir(dir.path().join("view.bin.new")).unwrap();
    let target = Target::Node(secret(&opened.session));
    let (opened, receipt) = erase(opened, target);
    assert_eq!(receipt.not_overwritten, []);
    assert!(!view.exists());
    for mut old in old {
        let mut bytes = Vec::new();
        old.read_to_end(&mut bytes).unwrap();
        assert!(!bytes.is_empty() && bytes.iter().all(|byte| *byte == 0));
    }
    drop(opened);
    fs::remove_dir(dir.path().join("view.bin.new")).unwrap();
    read_session(dir.path(), story::counter()).unwrap();
    assert_eq!(files_with(dir.path(), &WORDS), NO_FILE);
}

/// The print of a voice goes when nothing is held that it said, and the others stay.
#[test]
fn a_voice_goes_with_the_last_that_it_said() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = told(dir.path());
    let vector = WordHashEncoder::new().encode(&["x"]).unwrap().remove(0);
    for (n, speaker) in [(11, "Speaker 1"), (12, "Speaker 2")] {
        let utterance = Utterance {
            id: format!("u{n}"),
            stream: "talk".into(),
            span: Span::new(n * 1_000, n * 1_000 + 900),
            ..Utterance::new(speaker, "The train leaves at nine.")
        };
        apply(&mut opened, Input::heard(utterance, vector.clone().into()));
    }
    let print = |x| weir_asr::Voiceprint::new(vec![x, 1.0]).unwrap();
    let heard = [(1, 0.0), (2, 1.0)].map(|(n, x)| HeardVoice::new(n, &print(x), 16_000));
    let voices = || HeardVoices::open(dir.path(), "model").unwrap();
    voices().keep(heard.to_vec()).unwrap();
    let (_opened, receipt) = erase(opened, Target::Speaker("Speaker 1".into()));
    let left: Vec<String> = voices().known(9).into_iter().map(|it| it.name).collect();
    assert_eq!(left, ["Speaker 2"]);
    let file = dir.path().join("heard_voices.json").display().to_string();
    assert!(receipt.files.contains(&file), "{receipt:?}");
}

/// A file that somebody keeps under another name is theirs: it stays, and the receipt says so.
#[cfg(unix)]
#[test]
fn what_could_not_be_overwritten_is_in_the_receipt() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("session");
    let opened = told(&dir);
    let copy = folder.path().join("copy");
    fs::hard_link(dir.join("memory.redb"), &copy).unwrap();
    let unit = secret(&opened.session);
    let (_, receipt) = erase(opened, Target::Node(unit));
    let left = &receipt.not_overwritten;
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].file, dir.join("memory.redb").display().to_string());
    assert!(left[0].why.contains("another name"), "{left:?}");
    assert_eq!(files_with(&dir, &WORDS), NO_FILE);
}

/// What failed half-way says nothing of what is kept, and can be done again.
#[test]
fn an_erasure_that_fails_promises_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = told(dir.path());
    let target = Target::Node(secret(&opened.session));
    let erasure = opened.session.erasure(&[target], None, None).unwrap();
    let input = Input::Erase(Box::new(erasure.clone()));
    let erased = opened.session.apply(&input).unwrap().erased.unwrap();
    let blocked = dir.path().join("memory.redb.new");
    fs::create_dir(&blocked).unwrap();
    let failed = opened.writer.erase(&opened.session, &erasure, erased);
    let told = failed.unwrap_err().to_string();
    assert!(
        told.contains("is not finished") && !told.contains("kept"),
        "{told}"
    );
    fs::remove_dir(&blocked).unwrap();
    let opened = open(dir.path());
    let target = Target::Node(secret(&opened.session));
    drop(erase(opened, target));
    assert_eq!(files_with(dir.path(), &WORDS), NO_FILE);
}

#[test]
fn its_audio_is_silent_and_the_rest_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let opened = told(dir.path());
    let recorded = opened
        .session
        .buffer()
        .raw()
        .find_map(|heard| heard.utterance.audio.clone());
    let file = recorded.unwrap().file;
    let play = |from: u64, to: u64| {
        let span = Span::new(from, to);
        let archive = AudioArchive::open(dir.path()).unwrap();
        archive
            .read(&AudioSpan {
                file: file.clone(),
                span,
            })
            .unwrap()
    };
    assert!(play(2_000, 2_900).iter().all(|sample| *sample == 1_234));
    let target = Target::Node(secret(&opened.session));
    let _ = erase(opened, target);
    for (from, to, expected) in [
        (1_000, 2_000, 1_234),
        (2_000, 2_900, 0),
        (2_900, 4_000, 1_234),
        (4_000, 4_900, 0),
        (4_900, 10_000, 1_234),
    ] {
        assert!(
            play(from, to).iter().all(|sample| *sample == expected),
            "{from} ms"
        );
    }
}

#[test]
fn a_file_of_the_users_is_left_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = told(dir.path());
    let audio = AudioSpan {
        file: "/home/ana/talk.wav".into(),
        span: Span::new(0, 900),
    };
    say(
        &mut opened,
        5,
        "The garden gate is broken.",
        Some(audio.clone()),
    );
    let said = Target::Utterance {
        stream: "talk".into(),
        id: "u5".into(),
    };
    let (_, receipt) = erase(opened, said);
    let left = &receipt.left[0];
    assert_eq!((receipt.audio_ms, receipt.left.len()), (0, 1));
    assert_eq!(
        (&left.file, left.start_ms, left.end_ms),
        (&audio.file, 0, 900)
    );
}

/// After a crash at any step, the session is unchanged or erased, and erasing again completes it.
#[test]
fn an_erasure_that_is_cut_off_can_be_done_again() {
    let view = "view.bin";
    // the new store half written; the view removed and the old store still there
    for step in 0..2 {
        let dir = tempfile::tempdir().unwrap();
        let opened = told(dir.path());
        let digest = opened.session.digest();
        drop(opened);
        fs::write(dir.path().join("memory.redb.new"), "half of a store").unwrap();
        if step == 1 {
            fs::remove_file(dir.path().join(view)).unwrap();
        }
        let read = read_session(dir.path(), story::counter()).unwrap();
        assert_eq!(read.digest(), digest, "as it was");
        let opened = open(dir.path());
        let target = Target::Node(secret(&opened.session));
        drop(erase(opened, target));
        assert_eq!(files_with(dir.path(), &WORDS), NO_FILE);
    }
    // the new store in place, but not the new view
    let dir = tempfile::tempdir().unwrap();
    let opened = told(dir.path());
    let target = Target::Node(secret(&opened.session));
    let (opened, _) = erase(opened, target);
    let digest = opened.session.digest();
    drop(opened);
    fs::remove_file(dir.path().join(view)).unwrap();
    let read = read_session(dir.path(), story::counter()).unwrap();
    assert_eq!(read.digest(), digest, "as it shall be");
    assert_eq!(files_with(dir.path(), &WORDS), NO_FILE);
}
