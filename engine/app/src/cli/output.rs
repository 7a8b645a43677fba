//! Writes output that the user named: a new file, a replacement, or a device.
//!
//! A file is complete or absent: it is written to a draft beside it and renamed at the end. A
//! device or pipe is written to, never replaced. Links are not followed, since they may lead out of
//! the named folder.

use anyhow::{Context, bail};
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `path` with the data that `content` writes; refuses a link or a folder there.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    check(path)?;
    match std::fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => write_through(path, content),
        _ => write_file(path, content),
    }
    .with_context(|| format!("cannot write {}", path.display()))
}

/// Refuses paths that must not be overwritten; also for files written line by line.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    match std::fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() => bail!("{name} is a link; name the file it leads to"),
        Ok(there) if there.is_dir() => bail!("{name} is a folder; name a file"),
        _ => Ok(()),
    }
}

fn write_through(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    content(&mut out)?;
    out.flush()
}

fn write_file(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // private: it holds what was said
    let draft = tempfile::Builder::new()
        .prefix(".weir-")
        .tempfile_in(folder)?;
    let mut out = BufWriter::new(draft);
    content(&mut out)?;
    let draft = out.into_inner()?;
    draft.as_file().sync_all()?;
    draft.persist(path)?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    fn hello(out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"hello")
    }

    #[test]
    fn a_file_takes_the_place_of_another_only_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("out");
        write(&file, hello).expect("written");
        let broken = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::Error::other("the power went"))
        };
        write(&file, broken).expect_err("half is no file");
        assert_eq!(fs::read(&file).expect("there"), b"hello");
        let left = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 1, "no draft is left behind");
    }

    #[test]
    fn links_and_folders_are_refused_and_what_they_lead_to_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mine, link) = (folder.path().join("mine"), folder.path().join("link"));
        fs::write(&mine, "mine").expect("written");
        std::os::unix::fs::symlink(&mine, &link).expect("linked");
        for path in [link.as_path(), folder.path()] {
            let refused = write(path, hello).expect_err("no regular file").to_string();
            assert!(refused.contains(&path.display().to_string()), "{refused}");
        }
        assert_eq!(fs::read(&mine).expect("there"), b"mine");
        assert!(link.is_symlink());
    }

    #[test]
    fn a_device_is_written_to_and_stays_one() {
        use std::os::unix::fs::FileTypeExt;
        let null = Path::new("/dev/null");
        write(null, hello).expect("written");
        let kind = fs::metadata(null).expect("there").file_type();
        assert!(kind.is_char_device());
        // /dev/full accepts no data: the error reaches the user
        let full = write(Path::new("/dev/full"), hello).expect_err("full");
        assert!(format!("{full:#}").contains("/dev/full"), "{full:#}");
    }
}
