//! Snapshots that are made beside a running writer, on another thread.
//!
//! A snapshot is written in small transactions, so that an input waits for one piece at most. The
//! pieces go to a table of their own; the last transaction puts it in the place of the old snapshot
//! and takes the inputs that it holds out of the journal. Until then the store has its old snapshot
//! and the whole journal, and pieces that a killed process left are removed by the next snapshot.

use super::error::StoreError;
use super::tables::{CHECK_PIECE, JOURNAL, SNAPSHOT, STAGED, Tables, note_snapshot};
use redb::ReadableTable as _;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use weir_core::limits;

/// Writes one snapshot, of the session after the last input acknowledged when this was made.
pub struct SnapshotWriter {
    pub(super) tables: Arc<Tables>,
    pub(super) seq: u64,
    /// Bytes of the journal up to that input.
    pub(super) journal_bytes: u64,
}

/// A snapshot that was written, for [`super::Writer::snapshot_written`].
#[derive(Debug)]
pub struct Written {
    pub(super) seq: u64,
    pub(super) image_bytes: u64,
    pub(super) journal_bytes: u64,
}

impl SnapshotWriter {
    /// Writes the image of that session. `goes_on` is asked before each piece; after a no nothing
    /// is replaced and `None` is returned. No other snapshot may be written meanwhile.
    ///
    /// # Errors
    /// It cannot be written; the old snapshot and the journal are then unchanged.
    pub fn write(
        &self,
        image: &[u8],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Written>, StoreError> {
        let digest = Sha256::digest(image);
        for (at, piece) in (0..).zip(image.chunks(limits::SNAPSHOT_PIECE_BYTES)) {
            if !goes_on() {
                return Ok(None);
            }
            self.tables.stage(at, piece)?;
        }
        if !goes_on() {
            return Ok(None);
        }
        let image_bytes = image.len() as u64;
        self.tables.put_staged(self.seq, image_bytes, &digest)?;
        Ok(Some(Written {
            seq: self.seq,
            image_bytes,
            journal_bytes: self.journal_bytes,
        }))
    }
}

impl Tables {
    /// Writes a piece of the next snapshot; the first replaces what an interrupted one left.
    fn stage(&self, at: u32, piece: &[u8]) -> Result<(), StoreError> {
        self.commit(|transaction| {
            if at == 0 {
                transaction.delete_table(STAGED)?;
            }
            transaction.open_table(STAGED)?.insert(at, piece)?;
            Ok(())
        })
    }

    /// Makes the pieces written the snapshot, and keeps only the inputs after it in the journal.
    fn put_staged(&self, seq: u64, bytes: u64, digest: &[u8]) -> Result<(), StoreError> {
        self.commit(|transaction| {
            let mut staged = transaction.open_table(STAGED)?;
            staged.insert(CHECK_PIECE, digest)?;
            drop(staged);
            transaction.delete_table(SNAPSHOT)?;
            transaction.rename_table(STAGED, SNAPSHOT)?;
            let mut later = Vec::new();
            for entry in transaction.open_table(JOURNAL)?.range::<u64>(seq + 1..)? {
                let (at, entry) = entry?;
                later.push((at.value(), entry.value().to_vec()));
            }
            transaction.delete_table(JOURNAL)?;
            let mut journal = transaction.open_table(JOURNAL)?;
            for (at, entry) in later {
                journal.insert(at, &entry[..])?;
            }
            note_snapshot(transaction, seq, bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::store::Writer;
    use std::sync::mpsc::channel;
    use weir_core::limits;
    use weir_core::session::Input;

    /// Several pieces and a bit.
    const IMAGE_BYTES: usize = 3 * limits::SNAPSHOT_PIECE_BYTES + 17;

    fn input(number: i64) -> Input {
        Input::Break {
            resumes_at_unix_ms: Some(number),
            stream: None,
        }
    }

    fn opened(dir: &std::path::Path) -> Writer {
        Writer::open(dir, || Ok(vec![1; IMAGE_BYTES])).expect("a session")
    }

    fn journal(writer: &Writer) -> Vec<Vec<u8>> {
        let mut entries = Vec::new();
        let mut visit = |entry: &[u8]| {
            entries.push(entry.to_vec());
            Ok(())
        };
        writer.replay(&mut visit).expect("no gap");
        entries
    }

    fn entries(numbers: std::ops::Range<i64>) -> Vec<Vec<u8>> {
        let entry = |number| input(number).to_entry().expect("an entry");
        numbers.map(entry).collect()
    }

    #[test]
    fn inputs_are_stored_while_a_snapshot_is_written_and_stay_behind_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut writer = opened(dir.path());
        writer.append(&[input(0), input(1)]).expect("stored");
        let snapshot = writer.snapshot_writer();
        let (reached, at_piece) = channel();
        let (go, may_go) = channel();
        std::thread::scope(|threads| {
            let made = threads.spawn(move || {
                let mut goes_on = || {
                    reached.send(()).expect("somebody waits");
                    may_go.recv().expect("somebody says")
                };
                snapshot.write(&vec![2; IMAGE_BYTES], &mut goes_on)
            });
            // before each piece, and before the last step
            for number in 2..7 {
                at_piece.recv().expect("the next piece");
                writer.append(&[input(number)]).expect("stored at once");
                go.send(true).expect("it waits");
            }
            let made = made.join().expect("it ends").expect("written");
            writer.snapshot_written(&made.expect("not stopped"));
        });
        assert_eq!((writer.journal_entries(), writer.last_seq()), (5, 7));
        writer.append(&[input(7)]).expect("stored");
        drop(writer);
        let writer = opened(dir.path());
        assert_eq!(writer.image().expect("whole"), vec![2; IMAGE_BYTES]);
        assert_eq!(journal(&writer), entries(2..8));
    }

    #[test]
    fn a_snapshot_that_is_cut_off_leaves_the_old_one_and_the_next_replaces_both() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut writer = opened(dir.path());
        writer.append(&[input(0)]).expect("stored");
        for pieces in 0..4 {
            let mut left = pieces;
            let mut goes_on = || {
                left -= 1;
                left >= 0
            };
            let image = vec![2; IMAGE_BYTES];
            let cut_off = writer.snapshot_writer().write(&image, &mut goes_on);
            assert!(cut_off.expect("no error").is_none());
            drop(writer);
            writer = opened(dir.path());
            assert_eq!(writer.image().expect("whole"), vec![1; IMAGE_BYTES]);
            assert_eq!(journal(&writer), entries(0..1));
        }
        // shorter than what was left
        let made = writer.snapshot_writer().write(&[3], &mut || true);
        writer.snapshot_written(&made.expect("no error").expect("written"));
        writer.append(&[input(1)]).expect("stored");
        drop(writer);
        let mut writer = opened(dir.path());
        assert_eq!(writer.image().expect("whole"), [3]);
        assert_eq!(journal(&writer), entries(1..2));
        let cut_off = writer.snapshot_writer();
        let mut first = true;
        let mut goes_on = || std::mem::take(&mut first);
        let cut_off = cut_off.write(&vec![2; IMAGE_BYTES], &mut goes_on);
        assert!(cut_off.expect("no error").is_none());
        writer.checkpoint_image(&[4]).expect("written");
        assert_eq!(writer.image().expect("whole"), [4]);
    }
}
