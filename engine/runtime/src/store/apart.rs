//! Marks of the streams that began at another time than now.
//!
//! What a client says in one without a time is dated by the stream. They stand beside the session's
//! own data, and older programs pass over them.

use super::error::StoreError;
use super::tables::META;
use super::writer::Writer;
use std::collections::BTreeSet;

/// Stands before the name of a marked stream, among the numbers of the store.
const MARK: &str = "apart:";

impl Writer {
    /// The streams that are marked.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn streams_apart(&self) -> Result<BTreeSet<String>, StoreError> {
        self.tables.read(|read| {
            let mut names = BTreeSet::new();
            for entry in read.open_table(META)?.range(MARK..)? {
                let name = entry?.0;
                let Some(name) = name.value().strip_prefix(MARK) else {
                    break;
                };
                names.insert(name.to_owned());
            }
            Ok(names)
        })
    }

    /// Marks these streams, and no others.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn mark_streams_apart(&mut self, names: &BTreeSet<String>) -> Result<(), StoreError> {
        let known = self.streams_apart()?;
        self.commit(|transaction| {
            let mut meta = transaction.open_table(META)?;
            for name in known.difference(names) {
                meta.remove(&*format!("{MARK}{name}"))?;
            }
            for name in names.difference(&known) {
                meta.insert(&*format!("{MARK}{name}"), 1)?;
            }
            Ok(())
        })
    }
}
