//! Compares the transcript with a plain map under random operations.

use super::test_disk::{TestDisk, disk_bytes, is_on_disk, line_of};
use super::{Line, TranscriptReader, TranscriptWriter};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Below the allowed minimum, so that a few lines fill it.
const LIMITS: [u64; 2] = [320 << 10, 1 << 20];

#[derive(Debug, Clone)]
enum Step {
    Append {
        ahead: u64,
        text_bytes: usize,
    },
    /// A turn that was there before.
    Again {
        back: u64,
    },
    Sync,
    Erase {
        back: Vec<u64>,
    },
    Reopen {
        fewer: u64,
        more: u64,
        limit: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let ahead = prop_oneof![20 => Just(0u64), 2 => 1u64..30, 1 => 1_000u64..60_000];
    let append = (ahead, prop_oneof![10usize..200, 1_000usize..30_000])
        .prop_map(|(ahead, text_bytes)| Step::Append { ahead, text_bytes });
    let fewer = prop_oneof![3 => Just(0u64), 2 => 0u64..20, 1 => 0u64..100_000];
    let more = prop_oneof![3 => Just(0u64), 1 => 0u64..20, 1 => 0u64..100_000];
    let reopen = (fewer, more, 0..LIMITS.len()).prop_map(|(fewer, more, limit)| Step::Reopen {
        fewer,
        more,
        limit,
    });
    prop_oneof![
        20 => append,
        1 => (1u64..50).prop_map(|back| Step::Again { back }),
        4 => Just(Step::Sync),
        2 => prop::collection::vec(1u64..60, 1..6).prop_map(|back| Step::Erase { back }),
        2 => reopen,
    ]
}

/// The expected content.
#[derive(Debug, Default)]
struct Model {
    lines: BTreeMap<u64, Line>,
    next: u64,
    limit: u64,
    /// Whether the end was missing when it was opened, which the user is told.
    end_missed: bool,
}

impl Model {
    /// Compares the expected content with the actual one, after a flush.
    fn check(&mut self, writer: &TranscriptWriter, reader: &TranscriptReader, folder: &Path) {
        let stats = writer.stats();
        self.lines = self.lines.split_off(&stats.evicted);
        assert_eq!(writer.next_turn(), self.next);
        assert_eq!(stats.utterances, self.lines.len() as u64);
        assert_eq!(stats.gaps, self.next - stats.evicted - stats.utterances);
        assert_eq!(stats.bytes, disk_bytes(folder));
        assert!(stats.bytes <= self.limit, "{stats:?}");
        let problems = usize::from(self.end_missed);
        assert_eq!((writer.failures(), writer.problems().len()), (0, problems));
        let some = [0, stats.evicted, stats.evicted.saturating_sub(1)];
        let last = self.next.saturating_sub(40)..self.next + 3;
        for turn in some
            .into_iter()
            .chain(last)
            .chain(self.lines.keys().copied())
        {
            assert_eq!(reader.line(turn).as_ref(), self.lines.get(&turn), "{turn}");
        }
        let all: BTreeMap<u64, Line> = reader.lines().collect();
        assert!(all == self.lines, "{:?}", all.keys());
    }
}

fn run(steps: &[Step]) {
    let dir = tempfile::tempdir().unwrap();
    let (folder, disk) = (dir.path(), TestDisk::default());
    let reader = TranscriptReader::open(folder);
    let mut model = Model {
        limit: LIMITS[0],
        ..Model::default()
    };
    let mut writer = disk.open(folder, model.limit, 0);
    for step in steps {
        match step {
            Step::Append { ahead, text_bytes } => {
                let turn = model.next + ahead;
                let line = line_of(turn, *text_bytes);
                writer.append(turn, &line);
                model.lines.insert(turn, line);
                model.next = turn + 1;
                continue;
            }
            Step::Again { back } => {
                let turn = model.next.saturating_sub(*back);
                if turn < model.next {
                    writer.append(turn, &line_of(0, 10));
                }
                continue;
            }
            Step::Sync => writer.sync(),
            Step::Erase { back } => {
                let turns: Vec<u64> = back.iter().map(|b| model.next.saturating_sub(*b)).collect();
                writer.erase(&turns).unwrap();
                for turn in turns {
                    model.lines.remove(&turn);
                    assert!(!is_on_disk(folder, &format!("<turn {turn}>")));
                }
            }
            Step::Reopen { fewer, more, limit } => {
                writer.flush();
                model.check(&writer, &reader, folder);
                drop(writer);
                model.next = model.next.saturating_sub(*fewer) + more;
                let cut = model.next - more;
                model.lines.split_off(&cut);
                model.limit = LIMITS[*limit];
                // Cut first: with more turns than acknowledged, lost and cut lines look the same.
                drop(disk.open(folder, model.limit, cut));
                let had_lines = disk_bytes(folder) > 0;
                writer = disk.open(folder, model.limit, model.next);
                model.end_missed = had_lines && writer.recovered_gaps > 0;
            }
        }
        model.check(&writer, &reader, folder);
    }
    writer.sync();
    model.check(&writer, &reader, folder);
    model.check(&writer, &TranscriptReader::open(folder), folder);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_transcript_is_a_map_of_turns(steps in prop::collection::vec(step(), 1..120)) {
        run(&steps);
    }
}

#[test]
fn random_work_reaches_evictions() {
    let append = Step::Append {
        ahead: 0,
        text_bytes: 25_000,
    };
    let reopen = Step::Reopen {
        fewer: 3,
        more: 5,
        limit: 0,
    };
    let mut steps = vec![append; 40];
    steps.push(Step::Sync);
    steps.push(reopen);
    steps.push(Step::Erase { back: vec![7, 9] });
    steps.extend_from_within(..);
    run(&steps);
}
