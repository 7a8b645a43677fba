//! Reading a session whose `view.bin` is damaged or missing: it is made anew from `memory.redb`.

use super::error::StoreError;
use super::layout::Layout;
use super::session::{open_session_any, read_published};
use super::tables;
use std::path::Path;
use std::sync::Arc;
use weir_core::session::Session;
use weir_models::CountTokens;

/// Reads a session as it was last published, without waiting for a writer or keeping one out.
///
/// Where a writer died, what it acknowledged is recovered and published first; should that be
/// impossible (a writer comes first, a disk that may not be written), the last publication is read.
/// A view that is damaged or missing is made anew; where that is impossible the last snapshot is
/// read. Both are logged.
///
/// # Errors
/// When there is no session, it is newer or damaged, or counts tokens otherwise.
pub fn read_session(dir: &Path, counter: Arc<dyn CountTokens>) -> Result<Session, StoreError> {
    read_session_telling(dir, counter, &mut |told| log::warn!("{told}"))
}

/// The same, with whatever is to be told of the view handed to `tell`.
///
/// # Errors
/// As [`read_session`].
pub fn read_session_telling(
    dir: &Path,
    counter: Arc<dyn CountTokens>,
    tell: &mut dyn FnMut(&str),
) -> Result<Session, StoreError> {
    let layout = Layout::of(dir);
    let view = layout.view();
    let what = match read_published(dir, Arc::clone(&counter)) {
        Err(StoreError::Damaged { file, what }) if file == view => format!("damaged ({what})"),
        Ok(_) if !view.exists() => "missing".to_owned(),
        read => return read,
    };
    let name = view.display();
    match open_session_any(dir, Arc::clone(&counter)) {
        Ok(opened) => {
            opened.writer.release()?;
            tell(&format!(
                "{name} was {what}; it was made anew from memory.redb"
            ));
            Ok(opened.session)
        }
        Err(StoreError::InUse { pid, .. }) => Err(StoreError::ViewLost { view, what, pid }),
        Err(StoreError::File { source, .. }) => {
            let (_, image) = tables::snapshot_of(&layout.memory())?;
            tell(&format!(
                "{name} is {what} and cannot be made anew ({source}); the last snapshot in \
                 memory.redb is read"
            ));
            let taken = Session::taken_up(&image, counter);
            let dir = dir.to_path_buf();
            Ok(taken
                .map_err(|source| StoreError::Image { dir, source })?
                .session)
        }
        Err(wrong) => Err(wrong),
    }
}
