//! The session directory under faults: foreign folders, newer formats, corrupt bytes, interrupted
//! creation, and files that must stay bounded.

use std::fs;
use std::path::Path;
use weir_core::limits;
use weir_core::session::Input;
use weir_engine::store::{StoreError, Writer, read_image};

fn open(dir: &Path) -> Result<Writer, StoreError> {
    Writer::open(dir, || Ok(b"first".to_vec()))
}

fn input(number: i64) -> Input {
    Input::Break {
        resumes_at_unix_ms: Some(number),
        stream: None,
    }
}

/// A session of two inputs, with the snapshot after the first.
fn made(dir: &Path) {
    let mut writer = open(dir).unwrap();
    writer.append(&[input(1)]).unwrap();
    writer.checkpoint_image(b"one").unwrap();
    writer.append(&[input(2)]).unwrap();
    writer.publish_image(b"two").unwrap();
    writer.release().unwrap();
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thesis.txt"), "mine").unwrap();
    let wrong = open(dir.path()).unwrap_err();
    assert!(matches!(wrong, StoreError::NotASession { .. }), "{wrong:?}");
    assert!(wrong.to_string().contains("thesis.txt"), "{wrong}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    let wrong = open(&dir.path().join("thesis.txt")).unwrap_err();
    assert!(wrong.to_string().contains("it is a file"), "{wrong}");
    assert!(read_image(dir.path()).is_err());
}

#[test]
fn a_newer_directory_is_named_with_both_formats() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path());
    fs::write(dir.path().join("weir.session"), "weir session, format 7\n").unwrap();
    for wrong in [
        open(dir.path()).unwrap_err(),
        read_image(dir.path()).unwrap_err(),
    ] {
        assert!(
            matches!(
                wrong,
                StoreError::Newer {
                    found: 7,
                    reads: 1,
                    ..
                }
            ),
            "{wrong:?}"
        );
        assert!(
            wrong
                .to_string()
                .contains("newer weir (format 7, this one reads up to 1)")
        );
    }
}

/// The store and the view name their own formats, so a damaged marker refuses no session.
#[test]
fn a_damaged_marker_is_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path());
    let file = dir.path().join("weir.session");
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut rotten = whole.clone();
        rotten[at] ^= 0x80;
        for damaged in [&rotten[..], &whole[..at.min(whole.len() - 2)], &[0xff; 23]] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(read_image(dir.path()).unwrap().0, 2, "byte {at}");
            open(dir.path()).unwrap().release().unwrap();
            assert_eq!(fs::read(&file).unwrap(), whole, "byte {at}");
        }
    }
    // alone it may be anybody's file
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("weir.session"), "grocery list").unwrap();
    assert!(matches!(
        open(other.path()).unwrap_err(),
        StoreError::Damaged { .. }
    ));
}

#[test]
fn a_view_that_rotted_anywhere_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path());
    let view = dir.path().join("view.bin");
    let whole = fs::read(&view).unwrap();
    assert_eq!(read_image(dir.path()).unwrap(), (2, b"two".to_vec()));
    for at in 0..whole.len() {
        let mut rotten = whole.clone();
        rotten[at] ^= 0x20;
        fs::write(&view, rotten).unwrap();
        let wrong = read_image(dir.path()).unwrap_err();
        let named = matches!(wrong, StoreError::Damaged { .. } | StoreError::Newer { .. });
        assert!(named, "byte {at}: {wrong:?}");
        assert!(wrong.to_string().contains("view.bin"), "{wrong}");
        fs::write(&view, &whole[..at]).unwrap();
        assert!(read_image(dir.path()).is_err(), "cut at {at}");
    }
}

#[test]
fn without_a_view_the_snapshot_is_read() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path());
    fs::remove_file(dir.path().join("view.bin")).unwrap();
    assert_eq!(read_image(dir.path()).unwrap(), (1, b"one".to_vec()));
}

#[test]
fn a_store_that_rotted_is_an_error_and_never_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path());
    let file = dir.path().join("memory.redb");
    let whole = fs::read(&file).unwrap();
    let mut refused = 0;
    for (at, cut) in (0..48)
        .map(|n| n * whole.len() / 48)
        .zip([true, false].iter().cycle())
    {
        let mut rotten = whole.clone();
        match cut {
            true => rotten.truncate(at),
            false => rotten[at..]
                .iter_mut()
                .take(64)
                .for_each(|byte| *byte ^= 0x5a),
        }
        fs::write(&file, rotten).unwrap();
        // damage to an unused page has no effect
        let Err(wrong) = open(dir.path()).and_then(|writer| {
            assert_eq!(writer.image()?, b"one");
            writer.replay(|found| {
                if found == input(2).to_entry().unwrap() {
                    Ok(())
                } else {
                    Err("other".into())
                }
            })
        }) else {
            continue;
        };
        refused += 1;
        assert!(
            matches!(wrong, StoreError::Damaged { .. }),
            "{at}: {wrong:?}"
        );
        assert!(wrong.to_string().contains("memory.redb"), "{wrong}");
    }
    assert!(refused >= 24, "only {refused} were noticed");
    fs::write(&file, whole).unwrap();
    assert_eq!(open(dir.path()).unwrap().last_seq(), 2);
}

#[test]
fn a_lost_store_is_not_made_anew_over_a_session() {
    let dir = tempfile::tempdir().unwrap();
    made(dir.path());
    fs::remove_file(dir.path().join("memory.redb")).unwrap();
    let wrong = open(dir.path()).unwrap_err();
    assert!(matches!(wrong, StoreError::Damaged { .. }), "{wrong:?}");
    assert_eq!(read_image(dir.path()).unwrap().1, b"two");
}

#[test]
fn a_creation_that_broke_off_begins_anew() {
    let remains: [&[(&str, &[u8])]; 4] = [
        &[("lock", b"")],
        &[("lock", b"4711\n"), ("weir.session.new", b"weir ses")],
        &[
            ("lock", b"4711\n"),
            ("weir.session", b"weir session, format 1\n"),
        ],
        &[
            ("weir.session", b"weir session, format 1\n"),
            ("memory.redb.new", b"redb\x1a half"),
        ],
    ];
    for files in remains {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let wrong = read_image(dir.path()).unwrap_err();
        assert!(
            matches!(wrong, StoreError::NoSession { .. }),
            "{files:?}: {wrong:?}"
        );
        let writer = open(dir.path()).unwrap();
        assert!(writer.created());
        assert_eq!(writer.image().unwrap(), b"first");
        drop(writer);
        assert!(!open(dir.path()).unwrap().created());
    }
}

#[test]
fn the_journal_is_bounded_by_entries_and_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = open(dir.path()).unwrap();
    let many: Vec<_> = (1..limits::JOURNAL_ENTRIES_MAX as i64).map(input).collect();
    writer.append(&many).unwrap();
    assert!(!writer.checkpoint_due(1));
    writer.append(&[input(0)]).unwrap();
    assert!(writer.checkpoint_due(1));
    writer.checkpoint_image(b"short").unwrap();
    assert!(!writer.checkpoint_due(1));

    let long = Input::heard(
        weir_core::stream::Utterance {
            id: "u1".into(),
            stream: "s".into(),
            speaker: None,
            span: weir_core::stream::Span::new(0, 1),
            audio: None,
            confidence: None,
            text: "a".repeat(limits::JOURNAL_BYTES_MAX as usize / 2),
        },
        weir_models::Encoded::default(),
    );
    writer.append(std::slice::from_ref(&long)).unwrap();
    assert!(!writer.checkpoint_due(1));
    writer.append(std::slice::from_ref(&long)).unwrap();
    assert!(writer.checkpoint_due(1));
    drop(writer);
    assert!(
        open(dir.path()).unwrap().checkpoint_due(1),
        "counted again when opened"
    );
}

#[test]
fn files_stay_as_large_as_what_they_hold() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = open(dir.path()).unwrap();
    let image = vec![7; 3 * limits::SNAPSHOT_PIECE_BYTES / 2];
    let mut sizes = Vec::new();
    for round in 0..40 {
        writer.append(&[input(round), input(round)]).unwrap();
        writer.checkpoint_image(&image).unwrap();
        sizes.push(fs::metadata(dir.path().join("memory.redb")).unwrap().len());
    }
    assert_eq!(writer.image().unwrap(), image);
    // the store grows to two snapshots at once, then reuses its space
    assert!(
        sizes[10..].iter().max() <= sizes[..10].iter().max(),
        "{sizes:?}"
    );
    assert!(sizes[39] < 8 * image.len() as u64, "{sizes:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_may_not_be_made_is_named() {
    let wrong = open(Path::new("/proc/weir/session")).unwrap_err();
    assert!(matches!(wrong, StoreError::File { .. }), "{wrong:?}");
    assert!(
        wrong.to_string().starts_with("/proc/weir/session"),
        "{wrong}"
    );
}
