//! The transcript on a healthy disk: look-ups, limits, torn ends, damage, erasure.

use super::segment::{self, Part};
use super::test_disk::{TestDisk, disk_bytes, files, found, is_on_disk, line_of};
use super::{TranscriptReader, TranscriptWriter, check_transcript_limit, transcript_folder};
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_core::limits::{TRANSCRIPT_BYTES_MAX, TRANSCRIPT_BYTES_MIN};

const LIMIT: u64 = TRANSCRIPT_BYTES_MIN;

/// A closed transcript of this many turns with texts of 40 bytes.
fn written(folder: &Path, turns: u64) {
    let mut writer = TestDisk::default().open(folder, LIMIT, 0);
    for turn in 0..turns {
        writer.append(turn, &line_of(turn, 40));
    }
}

fn all(turns: u64) -> Vec<u64> {
    (0..turns).collect()
}

#[test]
fn a_record_is_as_the_format_says() {
    let record = segment::encode(7, &line_of(7, 0)).unwrap();
    let body = b"\x07kitchen\x02u7\x00\xd8\x36\x00\x09<turn 7> ";
    assert_eq!(&record[12..], body);
    assert_eq!(record[4..12], 7u64.to_le_bytes());
    assert_eq!(record[..4], [254, 8, 223, 91]);
    assert_eq!(segment::decode(7, &record), Some(line_of(7, 0)));
    assert_eq!(segment::decode(8, &record), None);
    let placed = segment::encode(10, &line_of(10, 0)).unwrap();
    assert!(placed.ends_with(b"<turn 10> \x46\x50\x01\x0bkitchen.wav\x0a\x14"));
    assert_eq!(segment::decode(10, &placed), Some(line_of(10, 0)));
    let head = Part::Index.head(258);
    assert_eq!(&head, b"WEIRTIDX\x01\0\0\0\x02\x01\0\0\0\0\0\0");
}

#[test]
fn a_reader_beside_the_writer_sees_what_was_synced() {
    let dir = tempfile::tempdir().unwrap();
    let folder = transcript_folder(dir.path());
    let reader = TranscriptReader::open(&folder);
    assert_eq!(reader.line(0), None);
    assert_eq!(reader.lines().count(), 0);
    let mut writer = TranscriptWriter::open(&folder, LIMIT, 0).unwrap();
    writer.append(0, &line_of(0, 40));
    writer.append(1, &line_of(1, 40));
    assert_eq!(reader.line(0), None);
    assert_eq!((writer.stats().utterances, writer.stats().gaps), (0, 0));
    writer.sync();
    assert_eq!(reader.line(0), Some(line_of(0, 40)));
    assert_eq!(reader.line(1), Some(line_of(1, 40)));
    assert_eq!(reader.line(2), None);
    writer.append(4, &line_of(4, 40));
    writer.append(1, &line_of(9, 40));
    writer.flush();
    assert_eq!(reader.line(1), Some(line_of(1, 40)));
    assert_eq!(reader.line(3), None);
    assert_eq!(reader.text(4, "kitchen", "u4"), Some(line_of(4, 40).text));
    assert_eq!(reader.text(4, "kitchen", "u5"), None);
    assert_eq!(reader.text(4, "hall", "u4"), None);
    assert_eq!((writer.stats().utterances, writer.stats().gaps), (3, 2));
    assert_eq!((writer.failures(), writer.problems().len()), (0, 0));
}

#[test]
fn the_oldest_make_room_and_the_disk_stays_flat() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 0);
    let reader = TranscriptReader::open(dir.path());
    let mut least_kept = u64::MAX;
    for turn in 0..20_000 {
        writer.append(turn, &line_of(turn, 400));
        if turn % 100 == 0 {
            writer.sync();
            let bytes = disk_bytes(dir.path());
            assert!(bytes <= LIMIT, "{bytes} bytes");
            assert_eq!(writer.stats().bytes, bytes);
            assert_eq!(reader.line(turn), Some(line_of(turn, 400)));
            if writer.stats().evicted > 0 {
                least_kept = least_kept.min(bytes);
            }
        }
    }
    // eviction removes one segment, and a write needs at most one more
    assert!(least_kept > LIMIT - LIMIT / 16 - (70 << 10), "{least_kept}");
    writer.sync();
    let stats = writer.stats();
    assert!(stats.evicted > 15_000 && stats.gaps == 0, "{stats:?}");
    assert_eq!(stats.evicted + stats.utterances, 20_000);
    assert_eq!(reader.line(stats.evicted - 1), None);
    let kept: Vec<u64> = (stats.evicted..20_000).collect();
    assert_eq!(found(dir.path(), 20_000, 400), kept);
    assert!(reader.lines().map(|(turn, _)| turn).eq(kept));
    drop(writer);
    assert_eq!(
        TestDisk::default().open(dir.path(), LIMIT, 20_000).stats(),
        stats
    );
}

#[test]
fn a_lower_limit_holds_from_opening_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = TestDisk::default().open(dir.path(), 64 * LIMIT, 0);
    for turn in 0..3_000 {
        writer.append(turn, &line_of(turn, 1_000));
    }
    drop(writer);
    assert!(disk_bytes(dir.path()) > 2 * LIMIT);
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 3_000);
    assert!(disk_bytes(dir.path()) <= LIMIT);
    assert_eq!((writer.stats().evicted, writer.recovered_gaps), (3_000, 0));
    writer.append(3_000, &line_of(3_000, 40));
    writer.sync();
    assert_eq!(found(dir.path(), 3_001, 40), [3_000]);
}

#[test]
fn no_limit_keeps_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("transcript");
    let mut none = TranscriptWriter::open(&folder, 0, 0).unwrap();
    none.append(0, &line_of(0, 40));
    none.sync();
    assert!(!folder.exists());
    assert_eq!(none.stats().gaps, 0);
    written(&folder, 5);
    fs::write(folder.join("notes"), "mine").unwrap();
    let mut none = TestDisk::default().open(&folder, 0, 5);
    none.append(5, &line_of(5, 40));
    assert!(none.erase(&[1]).unwrap().is_empty());
    assert_eq!(files(&folder), [folder.join("notes")]);
}

#[test]
fn a_limit_is_none_or_in_range() {
    for good in [0, TRANSCRIPT_BYTES_MIN, TRANSCRIPT_BYTES_MAX] {
        assert!(check_transcript_limit(good).is_ok());
    }
    let wrong = check_transcript_limit(TRANSCRIPT_BYTES_MIN - 1).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "the limit of the transcript is 1048575 bytes; \
         it must be 0, which keeps none, or from 1048576 to 1099511627776"
    );
    assert!(check_transcript_limit(TRANSCRIPT_BYTES_MAX + 1).is_err());
}

#[test]
fn turns_before_the_transcript_are_gaps() {
    for turns in [10, 10_000_000_000] {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = TestDisk::default().open(dir.path(), LIMIT, turns);
        assert_eq!(writer.recovered_gaps, turns);
        writer.append(turns, &line_of(turns, 40));
        writer.sync();
        let stats = writer.stats();
        assert_eq!((stats.evicted, stats.gaps), (0, turns));
        assert_eq!(stats.utterances, 1);
        assert!(disk_bytes(dir.path()) < 1_000);
        drop(writer);
        let writer = TestDisk::default().open(dir.path(), LIMIT, turns + 1);
        assert_eq!((writer.stats(), writer.recovered_gaps), (stats, 0));
        let reader = TranscriptReader::open(dir.path());
        assert_eq!(reader.line(turns), Some(line_of(turns, 40)));
        assert_eq!(reader.line(3), None);
    }
}

#[test]
fn what_was_not_acknowledged_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 2_000);
    assert!(files(dir.path()).len() > 4);
    for turns in [1_999, 700, 3] {
        let writer = TestDisk::default().open(dir.path(), LIMIT, turns);
        assert_eq!((writer.recovered_gaps, writer.stats().gaps), (0, 0));
        assert_eq!(writer.stats().bytes, disk_bytes(dir.path()));
        assert_eq!(found(dir.path(), 2_001, 40), all(turns));
        assert!(!is_on_disk(dir.path(), &format!("<turn {turns}>")));
    }
}

/// Truncates or changes the end of five records in every way of `spoil`, and opens them.
fn opened_after(count: u64, spoil: impl Fn(&mut Vec<u8>, u64)) {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 5);
    let good: Vec<_> = [Part::Lines, Part::Index]
        .map(|part| part.path(dir.path(), 0))
        .map(|path| (fs::read(&path).unwrap(), path))
        .into();
    for at in 0..count {
        for (bytes, path) in &good {
            fs::write(path, bytes).unwrap();
        }
        let path = Part::Lines.path(dir.path(), 0);
        let mut bytes = fs::read(&path).unwrap();
        spoil(&mut bytes, at);
        fs::write(&path, bytes).unwrap();
        let mut writer = TestDisk::default().open(dir.path(), LIMIT, 5);
        assert_eq!(writer.recovered_gaps, 1, "at {at}");
        let told = &writer.problems()[0];
        assert!(told.contains("the last 1 utterances"), "{told}");
        writer.append(5, &line_of(5, 40));
        writer.sync();
        assert_eq!(found(dir.path(), 6, 40), [0, 1, 2, 3, 5], "at {at}");
        assert_eq!(writer.stats().bytes, disk_bytes(dir.path()));
        assert_eq!((writer.stats().utterances, writer.stats().gaps), (5, 1));
    }
}

#[test]
fn a_torn_end_loses_the_last_line_alone() {
    let record = segment::encode(4, &line_of(4, 40)).unwrap().len();
    opened_after(record as u64, |bytes, at| {
        bytes.truncate(bytes.len() - 1 - at as usize);
    });
    opened_after(record as u64, |bytes, at| {
        let spoilt = bytes.len() - 1 - at as usize;
        bytes[spoilt] ^= 0x10;
    });
}

#[test]
fn damage_in_the_middle_costs_a_line_and_a_file_without_lines_a_segment() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 2_000);
    let second = segment::list(dir.path()).unwrap().lines[1];
    flipped(&Part::Lines.path(dir.path(), 0), 40);
    let spoilt = Part::Lines.path(dir.path(), second);
    fs::write(spoilt, format!("what is left is <turn {second}>")).unwrap();
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 2_000);
    assert_eq!((writer.problems().len(), writer.recovered_gaps), (1, 0));
    let told = writer.problems();
    assert!(told[0].contains("is damaged"), "{told:?}");
    writer.append(2_000, &line_of(2_000, 40));
    writer.sync();
    let third = segment::list(dir.path()).unwrap().lines[2];
    let expected = (1..second).chain(third..2_001);
    assert_eq!(found(dir.path(), 2_001, 40), expected.collect::<Vec<_>>());
    let stats = writer.stats();
    assert_eq!((stats.evicted, stats.gaps), (0, third - second));
    assert_eq!(stats.bytes, disk_bytes(dir.path()));
    // any erasure removes unreadable files
    assert!(is_on_disk(dir.path(), &format!("<turn {second}>")));
    let changed = writer.erase(&[1_999]).unwrap();
    assert_eq!(changed.len(), 4, "{changed:?}");
    assert!(!is_on_disk(dir.path(), &format!("<turn {second}>")));
    assert_eq!(writer.stats().bytes, disk_bytes(dir.path()));
}

/// The header of lines repeats their name: damaged, it costs nothing, and the user is told.
#[test]
fn a_damaged_header_costs_no_line() {
    for at in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), 40);
        flipped(&Part::Lines.path(dir.path(), 0), at);
        let writer = TestDisk::default().open(dir.path(), LIMIT, 40);
        let told = writer.problems();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("no line is lost"), "{told:?}");
        drop(writer);
        assert_eq!(found(dir.path(), 40, 40), all(40));
    }
}

/// Whatever happens to an index, every line is found again, and the user is told.
#[test]
fn a_damaged_index_costs_no_line() {
    let spoil: [fn(&Path); 7] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, &fs::read(path).unwrap()[..20]).unwrap(),
        |path| fs::write(path, &fs::read(path).unwrap()[..101]).unwrap(),
        |path| flipped(path, 3),
        |path| flipped(path, 49),
        |path| flipped(path, fs::read(path).unwrap().len() - 4),
    ];
    for (nth, spoil) in spoil.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let written_turns = 1_500;
        written(dir.path(), written_turns);
        let segments = segment::list(dir.path()).unwrap().lines;
        assert!(segments.len() > 1);
        for first in &segments {
            spoil(&Part::Index.path(dir.path(), *first));
        }
        let mut writer = TestDisk::default().open(dir.path(), LIMIT, written_turns);
        let told = writer.problems();
        assert_eq!(told.len(), segments.len(), "{nth}: {told:?}");
        assert!(told[0].contains("made anew"), "{nth}: {told:?}");
        assert_eq!(
            found(dir.path(), written_turns, 40),
            all(written_turns),
            "{nth}"
        );
        assert_eq!((writer.stats().gaps, writer.recovered_gaps), (0, 0));
        writer.append(written_turns, &line_of(written_turns, 40));
        drop(writer);
        let again = TestDisk::default().open(dir.path(), LIMIT, written_turns + 1);
        assert_eq!(again.problems(), [""; 0]);
        assert_eq!(
            found(dir.path(), written_turns + 1, 40),
            all(written_turns + 1)
        );
    }
}

#[test]
fn a_spoilt_end_of_an_index_costs_no_line() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 5);
    let path = Part::Index.path(dir.path(), 0);
    let good = fs::read(&path).unwrap();
    for at in 1..=8 {
        let mut changed = good.clone();
        changed[good.len() - at] ^= 0x81;
        for spoilt in [changed, good[..good.len() - at].to_vec()] {
            fs::write(&path, spoilt).unwrap();
            let writer = TestDisk::default().open(dir.path(), LIMIT, 5);
            assert!(
                writer.problems()[0].contains("1 utterances"),
                "{:?}",
                writer.problems()
            );
            assert_eq!(found(dir.path(), 5, 40), all(5), "at {at}");
            assert_eq!(fs::read(&path).unwrap(), good, "at {at}");
        }
    }
}

/// What was erased stays erased, and no line beyond the acknowledged ones comes back.
#[test]
fn an_index_that_is_made_anew_names_nothing_erased_or_unacknowledged() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 300);
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 300);
    writer.erase(&[7, 8, 299]).unwrap();
    drop(writer);
    fs::remove_file(Part::Index.path(dir.path(), 0)).unwrap();
    let writer = TestDisk::default().open(dir.path(), LIMIT, 290);
    let left: Vec<u64> = all(290)
        .into_iter()
        .filter(|it| ![7, 8].contains(it))
        .collect();
    assert_eq!(found(dir.path(), 300, 40), left);
    assert_eq!(writer.stats().gaps, 2);
}

fn flipped(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn what_is_erased_is_in_no_file() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 1_000);
    let reader = TranscriptReader::open(dir.path());
    assert!(reader.line(0).is_some());
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 1_000);
    for turn in 1_000..1_003 {
        writer.append(turn, &line_of(turn, 40));
    }
    // old and new, twice, still buffered, evicted, and not yet said
    let turns = [999, 0, 1, 0, 500, 1_001, 5_000_000];
    let changed = writer.erase(&turns).unwrap();
    assert_eq!(changed.len(), 4, "{changed:?}");
    for turn in &turns {
        assert!(!is_on_disk(dir.path(), &format!("<turn {turn}>")));
        assert_eq!(reader.line(*turn), None);
    }
    assert!(is_on_disk(dir.path(), "<turn 1002>"));
    assert_eq!((writer.stats().utterances, writer.stats().gaps), (998, 5));
    assert!(writer.erase(&turns).unwrap().is_empty());
    writer.append(1_003, &line_of(1_003, 40));
    drop(writer);
    let left: Vec<u64> = all(1_004)
        .into_iter()
        .filter(|turn| !turns.contains(turn))
        .collect();
    let writer = TestDisk::default().open(dir.path(), LIMIT, 1_004);
    assert_eq!(found(dir.path(), 1_004, 40), left);
    assert_eq!((writer.stats().gaps, writer.recovered_gaps), (5, 0));
}

#[test]
fn readers_beside_a_busy_writer_get_whole_lines_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 0);
    let reader = TranscriptReader::open(dir.path());
    let (synced, done) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for back in [1, 50, 710] {
            let (reader, synced, done) = (&reader, &synced, &done);
            scope.spawn(move || {
                let mut hits = 0;
                while done.load(Ordering::Acquire) == 0 {
                    let turn = synced.load(Ordering::Acquire).saturating_sub(back);
                    if let Some(line) = reader.line(turn) {
                        assert_eq!(line, line_of(turn, 300));
                        hits += 1;
                    }
                }
                assert!(hits > 0);
            });
        }
        for turn in 0..12_000 {
            writer.append(turn, &line_of(turn, 300));
            if turn % 20 == 19 {
                writer.sync();
                synced.store(turn + 1, Ordering::Release);
                writer.erase(&[turn - 19]).unwrap();
            }
        }
        done.store(1, Ordering::Release);
    });
    assert!(writer.stats().evicted > 0);
}

fn spoilt_file() -> impl Strategy<Value = (bool, Vec<u8>)> {
    (any::<bool>(), prop::collection::vec(any::<u8>(), 0..200))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_no_line_and_no_panic(
        spoilt in prop::collection::vec((0u64..40, spoilt_file(), spoilt_file()), 1..4),
        turns in 0u64..60,
    ) {
        let dir = tempfile::tempdir().unwrap();
        for (first, lines, index) in &spoilt {
            for (part, (has_head, bytes)) in [(Part::Lines, lines), (Part::Index, index)] {
                let head = part.head(*first);
                let mut all = if *has_head { head.to_vec() } else { Vec::new() };
                all.extend(bytes);
                fs::write(part.path(dir.path(), *first), all).unwrap();
            }
        }
        let reader = TranscriptReader::open(dir.path());
        prop_assert!((0..60).all(|turn| reader.line(turn).is_none()));
        prop_assert_eq!(reader.lines().count(), 0);
        let mut writer = TestDisk::default().open(dir.path(), LIMIT, turns);
        writer.append(turns, &line_of(turns, 40));
        writer.sync();
        prop_assert_eq!(found(dir.path(), 60, 40), [turns]);
        prop_assert_eq!(writer.stats().bytes, disk_bytes(dir.path()));
        let all: Vec<u64> = (0..=turns).collect();
        writer.erase(&all).unwrap();
        prop_assert_eq!(reader.lines().count(), 0);
    }
}

#[test]
fn other_files_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), 5);
    for name in [
        "7.lines",
        "x.damaged",
        "99999999999999999999.lines",
        "notes.index",
    ] {
        fs::write(dir.path().join(name), "mine").unwrap();
    }
    // the rest of an interrupted eviction
    let rest = Part::Index.path(dir.path(), 3);
    fs::write(&rest, Part::Index.head(3)).unwrap();
    let mut writer = TestDisk::default().open(dir.path(), LIMIT, 5);
    writer.append(5, &line_of(5, 40));
    writer.erase(&[5]).unwrap();
    assert_eq!(files(dir.path()).len(), 6);
    assert!(!rest.exists() && writer.problems().is_empty());
    assert_eq!(found(dir.path(), 6, 40), all(5));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("transcript");
    OpenOptions::new()
        .create_new(true)
        .write(true)
        .open(&file)
        .unwrap();
    let wrong = TranscriptWriter::open(&file, LIMIT, 0).unwrap_err();
    assert!(wrong.to_string().contains("cannot make it"), "{wrong}");
    assert_eq!(TranscriptReader::open(&file).line(0), None);
}
