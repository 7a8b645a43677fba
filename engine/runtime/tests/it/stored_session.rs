//! A session left by an earlier build opens, holds what it held, and answers; an image of an
//! unsupported format is refused with advice.
//!
//! `engine/runtime/examples/stored_session.rs` creates the files again after an intended change of
//! the format.

use crate::folded::FoldedWords;
use std::path::Path;
use std::sync::Arc;
use weir_core::answer::{Question, quote};
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::memory::Kind;
use weir_core::session::{EncoderStamp, FORMAT, FORMAT_OLDEST, ImageError, Session};
use weir_core::transcript::Transcript;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{OpenOptions, TranscriptReader, Writer, open_session, read_session};
use weir_fixtures::session_dir;
use weir_models::{CountTokens, WordPieceCounter};

fn counter() -> Arc<dyn CountTokens> {
    Arc::new(WordPieceCounter::shared())
}

fn options() -> OpenOptions {
    OpenOptions {
        // an existing session keeps its own settings
        config: SessionConfig::default(),
        encoder: EncoderStamp::of(FoldedWords::shared().as_ref()),
        counter: counter(),
    }
}

/// A copy of the stored session, since opening writes to it.
fn copied(to: &Path) {
    copied_of("cabin", to);
}

fn copied_of(name: &str, to: &Path) {
    for entry in std::fs::read_dir(session_dir().join(name)).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_session_of_an_earlier_build_opens_and_answers() {
    let dir = tempfile::tempdir().unwrap();
    copied(dir.path());
    let digest = std::fs::read_to_string(session_dir().join("digest")).unwrap();
    let published = read_session(dir.path(), counter()).unwrap();
    assert_eq!(published.digest(), digest.trim(), "its view");

    let opened = open_session(dir.path(), options()).unwrap();
    assert!(!opened.created);
    assert!(opened.replayed > 0, "it has a journal behind its snapshot");
    assert_eq!(opened.session.check(), Ok(()));
    assert_eq!(opened.session.digest(), digest.trim(), "its journal");
    assert_eq!(opened.session.stats().turns, 14);
    assert_eq!(opened.session.config().budget_tokens, 256);
    assert_eq!(opened.session.speakers(), ["Anna", "Benjamin"]);

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

/// The last utterance, in the journal of the sessions that have one.
const LAST: &str = "We are back on Sunday at noon in week 4. Well, that is what I heard.";

/// A session of format 2 or 3 opens whether it was closed, left with a journal, or killed while
/// writing: nothing acknowledged is lost, quotes from memory are in the transcript, and the budget
/// counts all text.
#[test]
fn sessions_whose_memory_quoted_become_sessions_of_today() {
    for (name, format, turns, last) in [
        ("format-2-journal", 2, 14, "We are back on Sunday at noon."),
        ("format-2-killed", 2, 14, "We are back on Sunday at noon."),
        ("format-3-closed", 3, 56, LAST),
        ("format-3-journal", 3, 56, LAST),
        ("format-3-killed", 3, 56, LAST),
    ] {
        let dir = tempfile::tempdir().unwrap();
        copied_of(name, dir.path());
        let opened = open_session(dir.path(), options()).unwrap();
        let migrated = opened.migrated.clone().expect(name);
        assert_eq!((migrated.from, migrated.skipped), (format, 0), "{name}");
        assert_eq!(opened.replayed > 0, name != "format-3-closed", "{name}");
        assert_eq!(opened.session.check(), Ok(()), "{name}");
        assert_eq!(opened.session.stats().turns, turns, "{name}");
        assert!(opened.session.stats().memory.amus > 10, "{name}: its tree");
        let transcript = TranscriptReader::open(&transcript_folder(dir.path()));
        let kept: Vec<String> = transcript.lines().map(|(_, line)| line.text).collect();
        let most = turns as usize * 3 / 4;
        assert!(
            kept.len() > most && kept.last().unwrap() == last,
            "{name} {kept:?}"
        );
        for unit in opened.session.tree().of_kind(Kind::Unit) {
            let quoted = transcript.quote(&unit.evidence[0]).unwrap_or_default();
            assert!(
                unit.quote().is_none_or(|quote| quote == quoted),
                "{name} {unit:?}"
            );
        }
        let (session, transcript) = (&opened.session, &transcript);
        answers(session, transcript, name, format);
        drop(opened);
        // after migration it is like any other
        let again = open_session(dir.path(), options()).unwrap();
        assert_eq!((again.migrated, again.replayed), (None, 0));
        answers(&again.session, transcript, name, format);
    }
}

/// The same for format 5, whose rules version is not stored, and format 6, which had no names of
/// speakers; and for exports of these formats.
#[test]
fn sessions_and_exports_of_formats_5_to_7_become_sessions_of_today() {
    let import = |name: &str| {
        let export = std::fs::read(session_dir().join(name)).unwrap();
        Session::import(&mut &export[..], counter()).unwrap()
    };
    let imported = import("export-version-1.jsonl");
    let later = ["export-version-2.jsonl", "export-version-3.jsonl"].map(import);
    assert!(!imported.unchanged, "an older digest says nothing");
    for it in &later {
        assert!(it.unchanged, "a digest of lines holds in every version");
    }
    let units = |session: &Session| -> Vec<String> {
        let units = session.tree().of_kind(Kind::Unit);
        units.map(|unit| unit.rendered()).collect()
    };
    for (name, format) in [
        ("format-5-journal", 5),
        ("format-5-killed", 5),
        ("format-6-journal", 6),
        ("format-7-journal", 7),
    ] {
        let dir = tempfile::tempdir().unwrap();
        copied_of(name, dir.path());
        let opened = open_session(dir.path(), options()).unwrap();
        let migrated = opened.migrated.clone().expect(name);
        assert_eq!((migrated.from, migrated.skipped), (format, 0), "{name}");
        let speakers: &[&str] = match format {
            // its speakers were named by hand
            7 => &["Anna", "Ben", "Benjamin"],
            _ => &["Ana", "Ben"],
        };
        assert_eq!(opened.session.speakers(), speakers, "{name}");
        assert!(opened.replayed > 0, "{name}: its journal");
        assert_eq!(opened.session.check(), Ok(()), "{name}");
        assert_eq!(opened.session.stats().turns, 14, "{name}");
        let exported = match format {
            5 => &imported,
            6 => &later[0],
            _ => &later[1],
        };
        assert_eq!(units(&opened.session), units(&exported.session), "{name}");
        assert!(
            opened
                .session
                .tree()
                .of_kind(Kind::Unit)
                .all(|unit| !unit.terms.is_empty()),
            "{name}"
        );
    }
}

/// A session of a newer program is refused with both versions named, and not changed.
#[test]
fn a_session_of_a_newer_program_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut image =
        std::fs::read(session_dir().join(format!("image-format-{FORMAT}.bin"))).unwrap();
    image[..4].copy_from_slice(&(FORMAT + 1).to_le_bytes());
    drop(Writer::open(dir.path(), || Ok(image.clone())).unwrap());
    let told = open_session(dir.path(), options()).unwrap_err().to_string();
    let (newer, ours) = (
        format!("has format {}", FORMAT + 1),
        format!("up to {FORMAT}"),
    );
    assert!(told.contains(&newer) && told.contains(&ours), "{told}");
    let kept = Writer::open(dir.path(), || unreachable!("it is there")).unwrap();
    assert_eq!(kept.image().unwrap(), image);
}

/// The same for format 4, which had no terms: a writer with an encoder computes them, and vectors
/// and words find statements meanwhile.
#[test]
fn sessions_of_format_4_become_sessions_of_today_and_get_terms() {
    for name in ["format-4-journal", "format-4-killed"] {
        let dir = tempfile::tempdir().unwrap();
        copied_of(name, dir.path());
        if name == "format-4-journal" {
            // where a writer died, a reader recovers first
            let read = read_session(dir.path(), counter()).unwrap();
            assert_eq!(read.stats().turns, 14, "{name}: what a reader sees");
        }
        let opened = open_session(dir.path(), options()).unwrap();
        assert_eq!(
            opened.migrated.as_ref().map(|it| it.from),
            Some(4),
            "{name}"
        );
        assert!(opened.replayed > 0, "{name}: its journal");
        assert_eq!(opened.session.check(), Ok(()), "{name}");
        assert_eq!(opened.session.stats().turns, 14, "{name}");
        assert_eq!(opened.session.encoder().terms, None, "{name}");
        let encoder = FoldedWords::shared();
        let made = opened
            .session
            .with_terms_of(encoder.as_ref(), None)
            .unwrap();
        assert_eq!(made.check(), Ok(()), "{name}");
        assert_eq!(
            *made.encoder(),
            EncoderStamp::of(encoder.as_ref()),
            "{name}"
        );
        let bare = |unit: &weir_core::memory::Node| unit.terms.is_empty();
        assert!(!made.tree().of_kind(Kind::Unit).any(bare), "{name}");
        assert!(
            made.buffer().raw().all(|heard| !heard.terms.is_empty()),
            "{name}"
        );
        for session in [opened.session.clone(), made] {
            let mut memory = Driver::around(session, FoldedWords::shared());
            let asked = memory.ask("What did Omar buy in March?", None, 200);
            let (answer, _) = asked.unwrap();
            let cited = answer
                .citations
                .iter()
                .filter_map(|cited| cited.quote.as_deref());
            let cited: Vec<&str> = cited.collect();
            assert!(
                cited.iter().any(|quote| quote.contains("small red boat")),
                "{cited:?}"
            );
        }
        drop(opened);
        let again = open_session(dir.path(), options()).unwrap();
        assert_eq!((again.migrated, again.replayed), (None, 0), "{name}");
    }
}

/// A reader of a session of format 3, which may not write, sees it too.
#[test]
fn a_session_of_format_3_can_be_read_without_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    copied_of("format-3-closed", dir.path());
    let session = read_session(dir.path(), counter()).unwrap();
    assert!(!session.tree().is_empty());
    assert!(session.text_tokens() <= session.config().budget_tokens);
}

fn answers(session: &Session, transcript: &TranscriptReader, name: &str, format: u32) {
    let encoder = FoldedWords::shared();
    let questions = match format {
        2 => [
            ("What did Omar buy in March?", "small red boat", "u6"),
            ("Where do the keys of the cabin hang?", "stove", "u1"),
        ],
        _ => [
            ("Who comes along and has never seen the lake?", "lake", ""),
            (
                "What did you hear of Sunday at noon in week 4?",
                "noon",
                "u56",
            ),
        ],
    };
    for (question, said, utterance) in questions {
        let asked = encoder
            .encode_queries_for_search(&[question])
            .unwrap()
            .remove(0);
        let question = Question::new(question, asked, None);
        let found = session.search(&question).with_transcript(transcript);
        let answer = quote(&question, &found.assemble(300));
        let cited = answer.citations.iter().any(|cited| {
            let quote = cited.quote.as_deref().unwrap_or_default();
            let named = utterance.is_empty() || cited.evidence.utterance == utterance;
            named && quote.contains(said)
        });
        assert!(cited, "{name}: {} {:?}", question.text, answer.citations);
    }
}

#[test]
fn an_image_of_any_format_is_read_or_refused_with_the_way_out() {
    let mut formats = Vec::new();
    for entry in std::fs::read_dir(session_dir()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let number = name.strip_prefix("image-format-");
        let Some(number) = number.and_then(|rest| rest.strip_suffix(".bin")) else {
            continue;
        };
        let format = number.parse::<u32>().unwrap();
        let image = std::fs::read(session_dir().join(&name)).unwrap();
        assert_eq!(image[..4], format.to_le_bytes(), "{name}");
        taken(format, &image);
        formats.push(format);
    }
    formats.sort_unstable();
    assert!(
        formats.into_iter().eq(FORMAT_OLDEST..=FORMAT),
        "one of each"
    );

    let mut other = std::fs::read(session_dir().join("image-format-2.bin")).unwrap();
    for (found, wrong) in [
        (FORMAT + 1, ImageError::Newer { found: FORMAT + 1 }),
        (1, ImageError::Older { found: 1 }),
    ] {
        other[..4].copy_from_slice(&found.to_le_bytes());
        let refused = Session::from_image(&other, counter()).map(drop);
        assert_eq!(refused, Err(wrong));
    }
}

/// In a session directory.
fn taken(format: u32, image: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    drop(Writer::open(dir.path(), || Ok(image.to_vec())).unwrap());
    let opened = open_session(dir.path(), options()).unwrap();
    if format == FORMAT {
        assert_eq!(opened.session.to_image(), image);
    } else {
        assert_eq!(opened.migrated.map(|it| it.from), Some(format));
    }
}
