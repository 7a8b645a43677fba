//! Sessions that earlier builds left open with everything they acknowledged; images of other
//! formats are refused with advice.
//!
//! `format-8-closed` and `format-8-killed` were written by the program of commit d9e48bc, the
//! second one killed in the middle of a replay; `format-9-journal` and `format-10-journal` were
//! `cabin` when these were the format. `engine/runtime/examples/stored_session.rs` makes the other
//! files again after an intended change of the format.

use crate::folded::FoldedWords;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use weir_core::answer::{Question, quote};
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::memory::Kind;
use weir_core::session::{EncoderStamp, FORMAT, FORMAT_OLDEST, ImageError, Session};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{
    OpenOptions, StoreError, TranscriptReader, Writer, open_session, read_session,
};
use weir_fixtures::session_dir;
use weir_models::{CountTokens, Encode, WordHashEncoder, WordPieceCounter};

fn counter() -> Arc<dyn CountTokens> {
    Arc::new(WordPieceCounter::shared())
}

fn options(encoder: &dyn Encode) -> OpenOptions {
    OpenOptions {
        // an existing session keeps its own settings
        config: SessionConfig::default(),
        encoder: EncoderStamp::of(encoder),
        counter: counter(),
    }
}

/// A copy of a stored session, since opening writes to it.
fn copied(name: &str) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    copy_folder(&session_dir().join(name), to.path());
    to
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir(&to).unwrap();
            copy_folder(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_session_with_a_journal_of_an_earlier_build_opens_and_answers() {
    // the same talk, now and in the format that held one stream
    for name in ["cabin", "format-10-journal", "format-9-journal"] {
        check_cabin(name);
    }
}

fn check_cabin(name: &str) {
    let dir = copied(name);
    let published = read_session(dir.path(), counter()).unwrap();
    if name == "cabin" {
        let digest = std::fs::read_to_string(session_dir().join("digest")).unwrap();
        assert_eq!(published.digest(), digest.trim(), "its view");
    }

    let opened = open_session(dir.path(), options(FoldedWords::shared().as_ref())).unwrap();
    assert!(!opened.created);
    assert!(opened.replayed > 0, "it has a journal behind its snapshot");
    assert_eq!(opened.session.check(), Ok(()));
    assert_eq!(opened.session.held(), published.held());
    assert_eq!(opened.session.stats().turns, 14);
    assert_eq!(opened.session.config().budget_tokens, 256);
    assert_eq!(opened.session.speakers(), ["Anna", "Benjamin"]);
    let streams = opened.session.streams();
    let streams: Vec<_> = streams
        .map(|it| (&*it.name, it.base_ms, it.heard_ms))
        .collect();
    assert_eq!(streams, [("cabin", 0, 13 * 4_000 + 3_000)]);
    assert_eq!(
        opened.session.now_unix_ms(),
        Some(1_740_823_200_000 + 55_000)
    );
    assert!(opened.session.is_dated());

    let mut memory = Driver::around(opened.session, FoldedWords::shared());
    for (question, said, utterance) in [
        ("What did Omar buy in March?", "small red boat", "u6"),
        ("Where do the keys of the cabin hang?", "stove", "u1"),
    ] {
        let (answer, _) = memory.ask(question, None, 200).unwrap();
        let cited = answer.citations.iter().any(|cited| {
            let quote = cited.quote.as_deref().unwrap_or_default();
            cited.evidence.utterance == utterance && quote.contains(said)
        });
        assert!(cited, "{question} {:?}", answer.citations);
    }
}

/// What a stored session of the first kept format must hold.
struct Stored {
    name: &'static str,
    /// Its streams, and the numbers of the utterances that were acknowledged.
    said: [(&'static str, RangeInclusive<u32>); 2],
    /// Where Ana said that she lives.
    home: &'static str,
    question: &'static str,
    answer: &'static str,
}

const STORED: [Stored; 2] = [
    Stored {
        name: "format-8-closed",
        said: [("cabin", 1..=16), ("roof", 1..=18)],
        home: "Lisbon",
        question: "What does Ana plant on the balcony?",
        answer: "I planted basil and two tomato plants on the balcony.",
    },
    Stored {
        name: "format-8-killed",
        said: [("cabin", 1..=16), ("lamp", 1..=43)],
        home: "Porto",
        question: "What is on the yellow note, as in week 42?",
        answer: "The password of the printer is on the yellow note, as in week 42.",
    },
];

#[test]
fn sessions_of_the_first_kept_format_open_with_everything_acknowledged() {
    let encoder = WordHashEncoder::new();
    for stored in STORED {
        let (name, dir) = (stored.name, copied(stored.name));
        if name == "format-8-killed" {
            // where a writer died, a reader recovers first
            let copy = copied(name);
            check_stored(&read_session(copy.path(), counter()).unwrap(), &stored);
        }
        let opened = open_session(dir.path(), options(&encoder)).unwrap();
        assert_eq!(opened.replayed > 0, name == "format-8-killed", "{name}");
        assert_eq!((opened.skipped, opened.warning()), (0, None), "{name}");
        check_stored(&opened.session, &stored);
        check_words(&opened.session, dir.path(), &stored);
        opened.writer.release().unwrap();
        // from then on it is a session of this build
        let again = open_session(dir.path(), options(&encoder)).unwrap();
        assert_eq!((again.replayed, again.skipped), (0, 0), "{name}");
        check_stored(&again.session, &stored);
    }
}

/// Every utterance, and what was changed by hand.
fn check_stored(session: &Session, stored: &Stored) {
    let name = stored.name;
    assert_eq!(session.check(), Ok(()), "{name}");
    let said = stored.said.iter().flat_map(|(stream, ids)| {
        let named = |id| (stream.to_string(), format!("u{id}"));
        ids.clone().map(named)
    });
    let mut said: Vec<(String, String)> = said.collect();
    said.sort();
    assert_eq!(session.turns(), said.len() as u64, "{name}");
    assert_eq!(session.held(), said, "{name}");
    assert_eq!(session.speakers(), ["Ana", "Benjamin"], "{name}");
    let pinned = session
        .tree()
        .of_kind(Kind::Unit)
        .filter(|unit| unit.pinned);
    let pinned: Vec<&str> = pinned.map(|unit| unit.text.as_str()).collect();
    assert_eq!(
        pinned,
        ["No, he sold it in March and bought a small red boat."]
    );
    let homes = session.profiles().facts().iter();
    let homes: Vec<&str> = homes.map(|fact| fact.value.as_str()).collect();
    assert!(homes.contains(&stored.home), "{name}: {homes:?}");
    assert!(!session.beliefs().held().is_empty(), "{name}");
    assert_eq!(session.sources().passages().count(), 1, "{name}");
}

/// Its transcript, and an answer that quotes it.
fn check_words(session: &Session, dir: &Path, stored: &Stored) {
    let transcript = TranscriptReader::open(&transcript_folder(dir));
    // a line may have been written just before its utterance would have been acknowledged
    let lines = transcript.lines().take(session.turns() as usize);
    let (turns, lines): (Vec<u64>, Vec<String>) =
        lines.map(|(turn, line)| (turn, line.text)).unzip();
    assert!(turns.into_iter().eq(0..session.turns()), "{}", stored.name);
    assert!(lines.iter().any(|line| line == stored.answer), "{lines:?}");
    let vector = WordHashEncoder::new().encode_queries_for_search(&[stored.question]);
    let question = Question::new(stored.question, vector.unwrap().remove(0), None);
    let found = session.search(&question).with_transcript(&transcript);
    let answer = quote(&question, &found.assemble(300));
    let quotes = answer.citations.iter().map(|cited| cited.quote.as_deref());
    let quotes: Vec<Option<&str>> = quotes.collect();
    assert!(quotes.contains(&Some(stored.answer)), "{quotes:?}");
}

/// Exports of builds before the first kept format are the way out of those formats.
#[test]
fn exports_of_every_version_can_be_imported() {
    let import = |version: u32| {
        let name = format!("export-version-{version}.jsonl");
        let export = std::fs::read(session_dir().join(name)).unwrap();
        Session::import(&mut &export[..], counter()).unwrap()
    };
    for (version, speakers) in [
        (1, &["Ana", "Ben"][..]),
        (2, &["Ana", "Ben"]),
        // its speakers were named by hand
        (3, &["Anna", "Benjamin"]),
        (4, &["Anna", "Benjamin"]),
        (5, &["Anna", "Benjamin"]),
        (6, &["Anna", "Benjamin"]),
    ] {
        let imported = import(version);
        // the digest of the first version was that of an image
        assert_eq!(imported.unchanged, version > 1, "{version}");
        let session = imported.session;
        assert_eq!(session.check(), Ok(()), "{version}");
        assert_eq!(session.stats().turns, 14, "{version}");
        assert_eq!(session.speakers(), speakers, "{version}");
        // each was written when a session held one stream
        let stream = session.stream().unwrap();
        assert_eq!((&*stream.name, stream.heard_ms), ("cabin", 55_000));
        assert!(session.is_dated(), "{version}");
        let mut units = session.tree().of_kind(Kind::Unit);
        assert!(units.all(|unit| !unit.terms.is_empty()), "{version}");
    }
}

fn stored_image() -> Vec<u8> {
    std::fs::read(session_dir().join(format!("image-format-{FORMAT}.bin"))).unwrap()
}

#[test]
fn an_image_of_every_kept_format_is_read() {
    for format in FORMAT_OLDEST..=FORMAT {
        let file = session_dir().join(format!("image-format-{format}.bin"));
        let image = std::fs::read(file).unwrap();
        assert_eq!(image[..4], format.to_le_bytes());
        let session = Session::from_image(&image, counter()).unwrap();
        if format == FORMAT {
            assert_eq!(session.to_image(), image);
        }
    }
}

/// The message says what to do, and the session is not changed.
#[test]
fn a_session_of_another_format_is_refused_with_the_way_out() {
    for (found, wrong, advice) in [
        (
            FORMAT + 1,
            ImageError::Newer { found: FORMAT + 1 },
            "this weir reads up to",
        ),
        (
            FORMAT_OLDEST - 1,
            ImageError::Older {
                found: FORMAT_OLDEST - 1,
            },
            "built before commit 67689b2, and this one reads formats from 8: run `weir memory \
             export` there",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut image = stored_image();
        image[..4].copy_from_slice(&found.to_le_bytes());
        drop(Writer::open(dir.path(), || Ok(image.clone())).unwrap());
        let refused =
            open_session(dir.path(), options(FoldedWords::shared().as_ref())).unwrap_err();
        let message = refused.to_string();
        assert!(message.contains(&format!("format {found}")), "{message}");
        assert!(message.contains(advice), "{message}");
        assert!(matches!(refused, StoreError::Image { source, .. } if source == wrong));
        let kept = Writer::open(dir.path(), || unreachable!("it is there")).unwrap();
        assert_eq!(kept.image().unwrap(), image);
    }
}
