//! The disk fails at the n-th call, for every n: the error is typed and names the file, and the
//! directory then opens with everything acknowledged.

use super::error::StoreError;
use super::writer::Writer;
use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::OpenOptions;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use weir_core::session::Input;

/// A file whose disk is full after this many changes, and stays full.
#[derive(Debug)]
struct Filling {
    file: FileBackend,
    left: Arc<AtomicI64>,
}

impl Filling {
    fn count(&self) -> io::Result<()> {
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => Ok(()),
            _ => Err(io::Error::from(io::ErrorKind::StorageFull)),
        }
    }
}

impl StorageBackend for Filling {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.count()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.count()?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.count()?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, redb::BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), redb::BackendError> {
        self.file.unlock_range(start, end)
    }
}

fn input(number: u64) -> Input {
    Input::Break {
        resumes_at_unix_ms: Some(number as i64),
        stream: None,
    }
}

/// Appends inputs one by one with a snapshot now and then, until the disk fails; returns what was
/// acknowledged.
fn write_until_full(dir: &Path, left: &Arc<AtomicI64>) -> (u64, StoreError) {
    let opener = |file: &Path| {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(file)?;
        redb::Builder::new().create_with_backend(Filling {
            file: FileBackend::new(file)?,
            left: Arc::clone(left),
        })
    };
    let mut writer = match Writer::open_on(dir, &opener, || Ok(b"0".to_vec())) {
        Ok(writer) => writer,
        Err(wrong) => return (0, wrong),
    };
    loop {
        let number = writer.last_seq() + 1;
        let done = match number % 4 {
            0 => writer.checkpoint_image((number - 1).to_string().as_bytes()),
            _ => Ok(()),
        };
        if let Err(wrong) = done.and_then(|()| writer.append(&[input(number)]).map(drop)) {
            let acknowledged = writer.last_seq();
            let again = writer.append(&[input(number)]).unwrap_err();
            assert!(matches!(again, StoreError::Stopped { .. }), "{again}");
            return (acknowledged, wrong);
        }
    }
}

/// The inputs in the directory: the snapshot counts up to its number, the journal follows without a
/// gap.
fn held(dir: &Path) -> u64 {
    let writer = Writer::open(dir, || Ok(b"0".to_vec())).unwrap();
    let image = String::from_utf8(writer.image().unwrap()).unwrap();
    let mut number = image.parse::<u64>().unwrap();
    writer
        .replay(|found| {
            number += 1;
            assert_eq!(found, input(number).to_entry().unwrap());
            Ok(())
        })
        .unwrap();
    assert_eq!(number, writer.last_seq());
    number
}

#[test]
fn a_disk_that_fills_at_any_call_loses_nothing_acknowledged() {
    let mut most = 0;
    // Every call of the creation, the first commits and the first snapshots, and some later ones.
    for calls in (0..64).chain((64..200).step_by(11)) {
        let dir = tempfile::tempdir().unwrap();
        let left = Arc::new(AtomicI64::new(calls));
        let (acknowledged, wrong) = write_until_full(dir.path(), &left);
        let StoreError::File { file, source, .. } = &wrong else {
            panic!("after {calls} calls: {wrong:?}");
        };
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
        assert!(file.starts_with(dir.path()));
        assert!(wrong.to_string().contains("free disk space"), "{wrong}");
        let held = held(dir.path());
        // One more input may have reached the disk before its acknowledgement failed.
        assert!(
            (acknowledged..=acknowledged + 1).contains(&held),
            "{calls}: {held}"
        );
        most = most.max(acknowledged);
    }
    assert!(most > 8, "the disk never held out long enough: {most}");
}
