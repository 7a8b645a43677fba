//! A session that an earlier build left opens, holds what it held, and answers; an image of a
//! format that is not read any more is refused with the way out.
//!
//! `engine/examples/stored_session.rs` makes the files anew when the format is raised on purpose.

#![cfg(feature = "store")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/folded.rs"]
mod folded;

use folded::FoldedWords;
use std::path::Path;
use std::sync::Arc;
use weir_engine::config::SessionConfig;
use weir_engine::inline::Memory;
use weir_engine::session::{EncoderStamp, FORMAT, ImageError, Session};
use weir_engine::store::{OpenOptions, StoreError, Writer, open_session, read_session};
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
    for entry in std::fs::read_dir(session_dir().join("cabin")).unwrap() {
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
        let cited = answer.citations.iter().map(|cited| &cited.evidence);
        let quotes: Vec<_> = cited.map(|e| (&e.utterance[..], &e.quote[..])).collect();
        assert!(
            quotes
                .iter()
                .any(|(id, q)| *id == utterance && q.contains(said)),
            "{question} {quotes:?}"
        );
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

/// The format of today is taken, an earlier one refused: as bytes and as a session directory.
fn taken_or_refused(format: u32, image: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    drop(Writer::open(dir.path(), || Ok(image.to_vec())).unwrap());
    let opened = open_session(dir.path(), options());
    if format == FORMAT {
        assert_eq!(opened.unwrap().session.to_image(), image);
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
