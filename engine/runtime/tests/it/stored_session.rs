//! A session that an earlier build left opens, holds what it held, and answers; an image of a
//! format that is not read any more is refused with the way out.
//!
//! `engine/runtime/examples/stored_session.rs` makes the files anew when the format is raised on
//! purpose.

use crate::folded::FoldedWords;
use std::path::Path;
use std::sync::Arc;
use weir_core::answer::{Question, quote};
use weir_core::config::SessionConfig;
use weir_core::inline::Memory;
use weir_core::memory::Kind;
use weir_core::session::{EncoderStamp, FORMAT, FORMAT_OLDEST, ImageError, Session};
use weir_core::transcript::Transcript;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{
    OpenOptions, StoreError, TranscriptReader, Writer, open_session, read_session,
};
use weir_fixtures::session_dir;
use weir_models::{CountTokens, WordPieceCounter};

fn counter() -> Arc<dyn CountTokens> {
    Arc::new(WordPieceCounter::shared())
}

fn options() -> OpenOptions {
    OpenOptions {
        // A session that is there keeps its own.
        config: SessionConfig::default(),
        encoder: EncoderStamp::of(FoldedWords::shared().as_ref()),
        counter: counter(),
    }
}

/// A copy of the stored session, as opening writes to it.
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

    let mut memory = Memory::around(opened.session, FoldedWords::shared());
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

/// Something that was heard last, and in the journal of the sessions that have one.
const LAST: &str = "We are back on Sunday at noon in week 4. Well, that is what I heard.";

/// A session of format 3 opens whether it was closed, was left with a journal, or was killed in the
/// middle of writing: nothing that was acknowledged is lost, what its memory quoted is in the
/// transcript, and the budget counts all text.
#[test]
fn sessions_of_format_3_become_sessions_of_today() {
    for name in ["format-3-closed", "format-3-journal", "format-3-killed"] {
        let dir = tempfile::tempdir().unwrap();
        copied_of(name, dir.path());
        let opened = open_session(dir.path(), options()).unwrap();
        let migrated = opened.migrated.clone().expect(name);
        assert_eq!((migrated.from, migrated.skipped), (3, 0), "{name}");
        assert_eq!(opened.replayed > 0, name != "format-3-closed", "{name}");
        assert_eq!(opened.session.check(), Ok(()), "{name}");
        assert_eq!(opened.session.stats().turns, 56, "{name}");
        assert!(opened.session.stats().memory.amus > 10, "{name}: its tree");
        let transcript = TranscriptReader::open(&transcript_folder(dir.path()));
        let kept: Vec<String> = transcript.lines().map(|(_, line)| line.text).collect();
        assert!(
            kept.len() > 40 && kept.last().unwrap() == LAST,
            "{name} {kept:?}"
        );
        for unit in opened.session.tree().of_kind(Kind::Unit) {
            let quoted = transcript.quote(&unit.evidence[0]).unwrap_or_default();
            assert!(
                unit.quote().is_none_or(|quote| quote == quoted),
                "{name} {unit:?}"
            );
        }
        answers(&opened.session, &transcript, name);
        drop(opened);
        // written anew, it is like any other
        let again = open_session(dir.path(), options()).unwrap();
        assert_eq!(again.migrated, None);
        answers(&again.session, &transcript, name);
    }
}

/// The same of format 4, which had no terms: they are made anew when a writer has an encoder for
/// them, and vectors and words find what was said meanwhile.
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
            let mut memory = Memory::around(session, FoldedWords::shared());
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

/// A reader beside a session of format 3, which may not write, sees it all the same.
#[test]
fn a_session_of_format_3_can_be_read_without_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    copied_of("format-3-closed", dir.path());
    let session = read_session(dir.path(), counter()).unwrap();
    assert!(!session.tree().is_empty());
    assert!(session.text_tokens() <= session.config().budget_tokens);
}

fn answers(session: &Session, transcript: &TranscriptReader, name: &str) {
    let encoder = FoldedWords::shared();
    for (question, said, utterance) in [
        ("Who comes along and has never seen the lake?", "lake", ""),
        (
            "What did you hear of Sunday at noon in week 4?",
            "noon",
            "u56",
        ),
    ] {
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
fn an_image_of_another_format_is_refused_with_the_way_out() {
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
        taken_or_refused(format, &image);
        formats.push(format);
    }
    assert!(
        formats.contains(&2) && formats.contains(&FORMAT),
        "{formats:?}"
    );
    assert!(formats.iter().all(|&format| format <= FORMAT));

    let mut newer = std::fs::read(session_dir().join("image-format-2.bin")).unwrap();
    newer[..4].copy_from_slice(&(FORMAT + 1).to_le_bytes());
    let wrong = Session::from_image(&newer, counter()).map(drop);
    assert_eq!(wrong, Err(ImageError::Newer { found: FORMAT + 1 }));
}

/// Formats that are read are taken, earlier ones refused: as bytes and as a session directory.
fn taken_or_refused(format: u32, image: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    drop(Writer::open(dir.path(), || Ok(image.to_vec())).unwrap());
    let opened = open_session(dir.path(), options());
    if format == FORMAT {
        assert_eq!(opened.unwrap().session.to_image(), image);
        return;
    }
    if format >= FORMAT_OLDEST {
        assert_eq!(opened.unwrap().migrated.map(|it| it.from), Some(format));
        return;
    }
    let older = ImageError::Older { found: format };
    let wrong = Session::from_image(image, counter()).map(drop);
    assert_eq!(wrong, Err(older.clone()));
    let wrong = opened.map(drop).unwrap_err();
    let told = wrong.to_string();
    assert!(
        told.contains(&format!("has format {format}")) && told.contains("replay its recordings"),
        "{told}"
    );
    assert!(matches!(wrong, StoreError::Image { source, .. } if source == older));
}
