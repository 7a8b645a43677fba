//! Reads a session whose `view.bin` is damaged or missing, and rebuilds it from `memory.redb`.

use super::error::StoreError;
use super::layout::Layout;
use super::session::{from_image, open_session_any, read_published};
use super::tables;
use std::path::Path;
use std::sync::Arc;
use weir_core::session::Session;
use weir_models::CountTokens;

/// Reads a session as last published, without waiting for a writer or blocking one.
///
/// If a writer died, its acknowledged inputs are first recovered and published. If that is
/// impossible (a writer started, a read-only disk), the last publication is read. A damaged or
/// missing view is rebuilt; if that is impossible, the last snapshot is read. With a damaged
/// journal the view is read. All of that is logged.
///
/// # Errors
/// There is no session, it is newer or damaged, or it uses another token counter.
pub fn read_session(dir: &Path, counter: Arc<dyn CountTokens>) -> Result<Session, StoreError> {
    read_session_telling(dir, counter, &mut |told| log::warn!("{told}"))
}

/// The same; messages about the view are passed to `tell`.
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
    let what = match read_published(dir, &counter, tell) {
        Err(StoreError::Damaged { file, what }) if file == view => format!("damaged ({what})"),
        Ok(_) if !view.exists() => "missing".to_owned(),
        read => return read,
    };
    let name = view.display();
    match open_session_any(dir, Arc::clone(&counter)) {
        Ok(opened) => {
            opened.writer.release()?;
            tell(&format!(
                "{name} was {what}; it was rebuilt from memory.redb"
            ));
            Ok(opened.session)
        }
        Err(StoreError::InUse { pid, .. }) => Err(StoreError::ViewLost { view, what, pid }),
        Err(StoreError::File { source, .. }) => {
            let (_, image) = tables::snapshot_of(&layout.memory())?;
            tell(&format!(
                "{name} is {what} and cannot be rebuilt ({source}); using the last snapshot in \
                 memory.redb"
            ));
            from_image(dir, &image, counter)
        }
        Err(wrong) => Err(wrong),
    }
}
