//! Reading of files, atomic writing of them, and digests.

use anyhow::{Context, Result, anyhow, ensure};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Hexadecimal digits kept of a digest.
const DIGITS: usize = 16;

/// The first hexadecimal digits of the SHA-256 of bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..DIGITS].to_owned()
}

/// The text of a file.
pub(crate) fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// A JSON file; an error gives the expected and the actual content.
pub(crate) fn json<T: DeserializeOwned>(path: &Path, expected: &str) -> Result<T> {
    let text = text(path)?;
    ensure!(!text.trim().is_empty(), "{} is empty", path.display());
    // files from Windows may begin with a byte order mark
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .with_context(|| format!("{}: expected {expected}", path.display()))
}

/// The rows below the first line of a table, which must be this head; tabs part the cells.
pub(crate) fn table<const N: usize>(path: &Path, head: [&str; N]) -> Result<Vec<[String; N]>> {
    let text = text(path)?;
    let row = |(at, line): (usize, &str)| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().map_err(|cells: Vec<_>| {
            let (name, line, many) = (path.display(), at + 1, cells.len());
            anyhow!("{name}: line {line} has {many} cells, not {N}")
        })
    };
    let rows: Result<Vec<[String; N]>> = text.lines().enumerate().map(row).collect();
    let mut rows = rows?;
    let named = !rows.is_empty() && rows.remove(0) == head;
    ensure!(named, "{}: its first line is not {head:?}", path.display());
    Ok(rows)
}

/// The files and folders in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("{} cannot be read", folder.display());
    let entries = std::fs::read_dir(folder).with_context(unreadable)?;
    let paths = entries.map(|entry| Ok(entry.with_context(unreadable)?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// The last part of a path: where it lies on this machine says nothing.
pub(crate) fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A path's name without its last extension.
pub(crate) fn stem(path: &Path) -> Result<String> {
    let stem = path.file_stem().context("the input has no name")?;
    Ok(stem.to_string_lossy().into_owned())
}

/// Writes a temporary file in the same folder, made if it is missing, and renames it when complete;
/// an existing file stays until then.
pub(crate) fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut std::fs::File>) -> Result<()>,
) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let written = || -> Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut file = readable().tempfile_in(folder)?;
        let mut out = BufWriter::new(file.as_file_mut());
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(path)?;
        Ok(())
    };
    written().with_context(|| format!("{} cannot be written", path.display()))
}

/// Temporary files are private to their owner; results get the system's default permissions.
fn readable() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.tsv");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("written");
            table(&path, ["name", "value"]).map_err(|error| error.to_string())
        };
        let rows = read("name\tvalue\na\t1\nb\t\n").expect("a table");
        assert_eq!(rows, [["a", "1"], ["b", ""]]);
        for (wrong, told) in [
            ("name\tvalue\na", "line 2 has 1 cells"),
            ("a\tb", "its first line"),
        ] {
            let error = read(wrong).expect_err(told);
            assert!(
                error.contains(told) && error.contains("table.tsv"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_fails_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kept.txt");
        write_whole(&path, |out| Ok(out.write_all(b"old")?)).expect("written");
        let failed = write_whole(&path, |out| {
            out.write_all(b"half")?;
            anyhow::bail!("no more")
        });
        let error = failed.expect_err("it failed");
        assert!(format!("{error:#}").contains("kept.txt"), "{error:#}");
        assert_eq!(std::fs::read(&path).expect("read"), b"old");
        let files = std::fs::read_dir(folder.path()).expect("a folder");
        assert_eq!(files.count(), 1, "nothing is left lying about");
    }
}
