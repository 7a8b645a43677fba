//! The transcript on a failing disk: a line that cannot be written is a counted gap, never an
//! error, and never partial data.

use super::test_disk::{Refusal, TestDisk, disk_bytes, files, found, is_on_disk, line_of};
use super::{TranscriptReader, TranscriptWriter};
use std::path::Path;
use weir_core::limits::TRANSCRIPT_BYTES_MIN as LIMIT;

const TEXT_BYTES: usize = 9_000;

/// Appends turns, with a sync after every third.
fn append(writer: &mut TranscriptWriter, turns: std::ops::Range<u64>) {
    for turn in turns {
        writer.append(turn, &line_of(turn, TEXT_BYTES));
        if turn % 3 == 2 {
            writer.sync();
        }
    }
}

/// All counts must match what a reader finds.
fn check(writer: &TranscriptWriter, folder: &Path, turns: u64) -> Vec<u64> {
    let found = found(folder, turns, TEXT_BYTES);
    let stats = writer.stats();
    assert_eq!(stats.utterances, found.len() as u64);
    assert_eq!(stats.evicted + stats.utterances + stats.gaps, turns);
    assert!(stats.bytes <= LIMIT);
    found
}

#[test]
fn a_full_disk_makes_gaps_and_later_lines_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let disk = TestDisk::default();
    let mut writer = disk.open(dir.path(), LIMIT, 0);
    append(&mut writer, 0..3);
    disk.refuse(Refusal::Full);
    append(&mut writer, 3..24);
    assert_eq!(check(&writer, dir.path(), 24), [0, 1, 2]);
    assert_eq!((writer.failures() > 1, writer.problems().len()), (true, 1));
    assert!(writer.problems()[0].contains("cannot write the transcript"));
    assert_eq!(writer.stats().bytes, disk_bytes(dir.path()));
    assert!(!is_on_disk(dir.path(), "<turn 3>"));
    disk.refuse(Refusal::Nothing);
    append(&mut writer, 24..27);
    assert_eq!(check(&writer, dir.path(), 27), [0, 1, 2, 24, 25, 26]);
    let stats = writer.stats();
    drop(writer);
    let writer = disk.open(dir.path(), LIMIT, 27);
    assert_eq!((writer.stats(), writer.recovered_gaps), (stats, 0));
}

#[test]
fn a_disk_that_refuses_everything_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let disk = TestDisk::default();
    disk.refuse(Refusal::Everything);
    let mut writer = disk.open(dir.path(), LIMIT, 2);
    append(&mut writer, 2..30);
    assert_eq!(check(&writer, dir.path(), 30), [0u64; 0]);
    assert!(files(dir.path()).is_empty());
    disk.refuse(Refusal::Nothing);
    append(&mut writer, 30..33);
    disk.refuse(Refusal::Everything);
    append(&mut writer, 33..60);
    // A partial line is in the file now and cannot be cut off: an erasure must report that.
    assert!(is_on_disk(dir.path(), "<turn 33>"));
    assert!(writer.erase(&[33]).is_err());
    disk.refuse(Refusal::Nothing);
    writer.erase(&[33]).unwrap();
    assert!(!is_on_disk(dir.path(), "<turn 33>"));
    append(&mut writer, 60..63);
    assert_eq!(check(&writer, dir.path(), 63), [30, 31, 32, 60, 61, 62]);
    assert_eq!(writer.stats().evicted, 0);
}

#[test]
fn a_sync_that_is_refused_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let disk = TestDisk::default();
    let mut writer = disk.open(dir.path(), LIMIT, 0);
    disk.refuse(Refusal::Sync);
    append(&mut writer, 0..6);
    assert_eq!((writer.failures(), writer.problems().len()), (2, 1));
    assert_eq!(check(&writer, dir.path(), 6).len(), 6);
    disk.refuse(Refusal::Nothing);
    writer.sync();
    assert_eq!(writer.failures(), 2);
}

#[test]
fn any_one_call_refused_costs_gaps_alone() {
    let mut after = 0;
    loop {
        let dir = tempfile::tempdir().unwrap();
        let disk = TestDisk::default();
        disk.refuse(Refusal::Once(after));
        // Enough for an eviction.
        let mut writer = disk.open(dir.path(), LIMIT, 0);
        append(&mut writer, 0..150);
        let calls = disk.calls();
        disk.refuse(Refusal::Nothing);
        append(&mut writer, 150..153);
        let found = check(&writer, dir.path(), 153);
        let stats = writer.stats();
        assert_eq!(stats.bytes, disk_bytes(dir.path()), "call {after}");
        assert_eq!(writer.failures(), u64::from(calls > after));
        // A line, the buffer that holds it, and the line that was to begin a segment.
        assert!(stats.gaps <= 8, "call {after}: {stats:?}");
        assert!(stats.evicted > 0 && found.last() == Some(&152));
        drop(writer);
        let writer = disk.open(dir.path(), LIMIT, 153);
        assert_eq!((writer.stats(), writer.recovered_gaps), (stats, 0));
        assert!(writer.problems().is_empty(), "{:?}", writer.problems());
        if calls <= after {
            break;
        }
        after += 1;
    }
    assert!(after > 100, "{after} calls");
}

#[test]
fn an_erasure_that_was_cut_off_is_ended_by_another() {
    let turns = [0, 4, 11, 12, 29];
    let mut after = 0;
    loop {
        let dir = tempfile::tempdir().unwrap();
        let disk = TestDisk::default();
        append(&mut disk.open(dir.path(), LIMIT, 0), 0..30);
        let mut writer = disk.open(dir.path(), LIMIT, 30);
        disk.refuse(Refusal::Once(disk.calls() + after));
        let done = writer.erase(&turns);
        disk.refuse(Refusal::Nothing);
        drop(writer);
        let mut writer = disk.open(dir.path(), LIMIT, 30);
        writer.erase(&turns).unwrap();
        for turn in turns {
            assert!(!is_on_disk(dir.path(), &format!("<turn {turn}>")));
        }
        assert_eq!(check(&writer, dir.path(), 30).len(), 25, "call {after}");
        if done.is_ok() {
            break;
        }
        after += 1;
    }
    assert!(after > 10, "{after} calls");
}

#[test]
fn a_line_too_long_for_the_limit_is_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 0);
    writer.append(0, &line_of(0, TEXT_BYTES));
    writer.append(1, &line_of(1, LIMIT as usize / 4));
    writer.append(2, &line_of(2, TEXT_BYTES));
    writer.sync();
    assert_eq!(check(&writer, dir.path(), 3), [0, 2]);
    assert!(writer.problems()[0].contains("too long"));
    let longest = line_of(3, LIMIT as usize / 4 - 100);
    writer.append(3, &longest);
    writer.sync();
    let reader = TranscriptReader::open(dir.path());
    assert_eq!(reader.line(3), Some(longest));
    assert!(disk_bytes(dir.path()) <= LIMIT);
}
