//! What readers used of a session while they answered: its next writer counts it.
//!
//! A reader never waits for a writer, so it adds a line to a file of its own; a line names nodes
//! and has no words.

use super::error::StoreError;
use super::layout::Layout;
use super::writer::Writer;
use crate::private;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use weir_core::memory::NodeId;
use weir_core::session::{Input, Session};

/// Maximum size of the file; a use that finds it full is not counted.
const BYTES_MAX: u64 = 64 * 1024;

/// Notes what an answer used, for the next writer of the session.
///
/// # Errors
/// The file cannot be written.
pub fn note_use(dir: &Path, access: &Input) -> std::io::Result<()> {
    let Input::Recalled { nodes, session_ms } = access else {
        return Ok(());
    };
    let path = Layout::of(dir).uses();
    let mut file = private::open(&path, OpenOptions::new().create(true).append(true))?;
    if file.metadata()?.len() >= BYTES_MAX {
        log::info!(
            "{}: full until the session is written again",
            path.display()
        );
        return Ok(());
    }
    let mut line = serde_json::to_vec(&(nodes, session_ms))?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Applies what readers used, journals it, and removes the file. A crash in between counts it
/// twice.
pub(super) fn count(writer: &mut Writer, session: &mut Session) -> Result<(), StoreError> {
    let path = Layout::of(writer.dir()).uses();
    let text = match private::read(&path) {
        Ok(text) => text,
        Err(wrong) if wrong.kind() == ErrorKind::NotFound => return Ok(()),
        Err(wrong) => {
            log::warn!("{}: {wrong}; it is not counted", path.display());
            return Ok(());
        }
    };
    let lines = text.split(|byte| *byte == b'\n');
    let used = lines.filter_map(|line| serde_json::from_slice::<(Vec<NodeId>, u64)>(line).ok());
    let inputs: Vec<Input> = used
        .map(|(nodes, session_ms)| Input::Recalled {
            nodes,
            session_ms: session_ms.min(session.now_ms()),
        })
        .collect();
    for input in &inputs {
        // it names nodes alone, and those that are gone are ignored
        let _ = session.apply(input);
    }
    writer.append(&inputs)?;
    if let Err(wrong) = private::remove(&path) {
        log::warn!("{}: {wrong}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_full_file_takes_no_more() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = Layout::of(dir.path()).uses();
        let access = Input::Recalled {
            nodes: vec!["n3.1".parse().expect("a name")],
            session_ms: 9,
        };
        note_use(dir.path(), &access).expect("noted");
        let line = fs::read_to_string(&path).expect("written");
        assert_eq!(line, "[[{\"slot\":3,\"generation\":1}],9]\n");
        fs::write(&path, vec![b'\n'; BYTES_MAX as usize]).expect("written");
        note_use(dir.path(), &access).expect("left alone");
        assert_eq!(fs::metadata(&path).expect("there").len(), BYTES_MAX);
    }
}
