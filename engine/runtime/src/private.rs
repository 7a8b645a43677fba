//! Files that only their owner reads, and that leave no bytes behind.
//!
//! Invariant: no link leads to another file, nothing but a regular file is opened, and a name in a
//! folder of somebody else's making cannot block a reader. New files have mode 0600 and new folders
//! 0700, whatever the umask. Bytes are overwritten before a file is removed, shortened or replaced,
//! which proves something only where the file system writes in place.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use weir_api::Leftover;

/// Zeros written at a time.
const PIECE_BYTES: u64 = 64 << 10;
/// Bytes written between two syncs: a sync of another file, such as the journal, waits for those of
/// all files.
const SYNC_BYTES: usize = 4 << 20;
/// Beginning of the names of temporary folders.
const SCRATCH: &str = "weir-scratch-";
/// The file in a temporary folder whose lock its process holds.
const OWNER: &str = "owner";

/// Makes a folder, and those above it that are missing.
///
/// # Errors
/// The system's.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Opens a regular file; a new one is private. Does not follow a link or wait for a pipe.
///
/// # Errors
/// The system's; also for a link, a pipe, a folder or a device.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let refused = |what: &str| io::Error::new(ErrorKind::InvalidInput, what);
    let file = options
        .open(path)
        .map_err(|wrong| refuse_link(path).err().unwrap_or(wrong))?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(refused("it is a pipe, a folder or a device; remove it")),
    }
}

/// Reads a whole regular file.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Temporary name of a file being prepared.
#[must_use]
pub fn prepared(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// Replaces a file atomically: readers see the old or the new one, and so does a restart after a
/// crash.
///
/// # Errors
/// It cannot be written; the old file is then unchanged.
pub fn replace(file: &Path, pieces: &[&[u8]]) -> io::Result<Option<Leftover>> {
    let new = prepared(file);
    // an interrupted write may have left it
    remove(&new)?;
    let written =
        open(&new, OpenOptions::new().write(true).create_new(true)).and_then(|mut sink| {
            for piece in pieces.iter().flat_map(|it| it.chunks(SYNC_BYTES)) {
                sink.write_all(piece)?;
                if piece.len() == SYNC_BYTES {
                    sink.sync_data()?;
                }
            }
            sink.sync_all()
        });
    if let Err(wrong) = written {
        // a partial file is useless and takes disk space that may be short
        let _ = remove(&new);
        return Err(wrong);
    }
    put_in_place(file)
}

/// Renames a prepared file to its final name, and overwrites the file that had it.
///
/// # Errors
/// It cannot be renamed; the old file is then unchanged.
pub fn put_in_place(file: &Path) -> io::Result<Option<Leftover>> {
    let old = open(file, OpenOptions::new().write(true));
    fs::rename(prepared(file), file)?;
    sync_folder(file)?;
    Ok(overwritten(file, old, 0))
}

/// Overwrites and removes a file; a missing file is no error. Of a link only the name is removed.
///
/// # Errors
/// The name cannot be removed.
pub fn remove(file: &Path) -> io::Result<Option<Leftover>> {
    let old = open(file, OpenOptions::new().write(true));
    let left = match fs::symlink_metadata(file) {
        Ok(about) if about.is_file() => overwritten(file, old, 1),
        _ => None,
    };
    match fs::remove_file(file) {
        Err(wrong) if wrong.kind() != ErrorKind::NotFound => Err(wrong),
        _ => Ok(left),
    }
}

/// Cuts a file to `bytes`, or lengthens it; what is cut off is overwritten first.
///
/// # Errors
/// The system's.
pub fn set_len(file: &File, bytes: u64) -> io::Result<()> {
    let cut = file.metadata()?.len().saturating_sub(bytes);
    if cut > 0 {
        overwrite(file, bytes, cut)?;
    }
    file.set_len(bytes)
}

/// Writes `left` zeros into a file from `from` on, and syncs them.
///
/// # Errors
/// The system's.
pub fn overwrite(mut file: &File, from: u64, mut left: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    let zeros = [0; PIECE_BYTES as usize];
    let mut done = 0;
    while left > 0 {
        let part = left.min(PIECE_BYTES);
        file.write_all(&zeros[..part as usize])?;
        (left, done) = (left - part, done + part);
        if done.is_multiple_of(SYNC_BYTES as u64) {
            file.sync_data()?;
        }
    }
    file.sync_all()
}

/// Overwrites a file that has `names` hard links of ours; with more, somebody else has a copy.
fn overwritten(path: &Path, old: io::Result<File>, names: u64) -> Option<Leftover> {
    let done = old.and_then(|old| {
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&old.metadata()?) > names {
            return Err(io::Error::other("it has another name (a hard link)"));
        }
        overwrite(&old, 0, old.metadata()?.len())
    });
    let wrong = done
        .err()
        .filter(|wrong| wrong.kind() != ErrorKind::NotFound)?;
    log::warn!("{}: old bytes are not overwritten: {wrong}", path.display());
    let (file, why) = (path.display().to_string(), wrong.to_string());
    Some(Leftover { file, why })
}

/// Syncs the folder, so that the file's name is durable too, if the system supports that.
///
/// # Errors
/// The system's.
pub fn sync_folder(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        // a bare name is in the working folder
        let here = folder.as_os_str().is_empty();
        let folder = if here { Path::new(".") } else { folder };
        File::open(folder).and_then(|folder| folder.sync_all())?;
    }
    Ok(())
}

/// A temporary folder that only this process uses. Its files are overwritten and removed when it is
/// dropped, or when the next one is made after the process died.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    /// Locked while the process lives.
    _owner: File,
}

impl Scratch {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        let place = std::env::temp_dir();
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix(SCRATCH).tempdir_in(&place)?.keep();
        let owner = owner(&folder, OpenOptions::new().write(true).create_new(true))?;
        remove_abandoned(&place, &folder);
        Ok(Self {
            folder,
            _owner: owner,
        })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        try_remove_all(&self.folder);
    }
}

/// The locked owner's file of a temporary folder.
fn owner(folder: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = open(&folder.join(OWNER), options)?;
    file.try_lock()?;
    Ok(file)
}

/// Removes temporary folders of the user whose process died.
fn remove_abandoned(place: &Path, mine: &Path) {
    let is_mine = |folder: &Path| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let uid = |of: &Path| fs::symlink_metadata(of).ok().map(|about| about.uid());
            uid(folder) == uid(mine)
        }
        #[cfg(not(unix))]
        true
    };
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(SCRATCH);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let folder = entry.path();
        if is_ours && is_folder && folder != mine && is_mine(&folder) {
            // the lock of a process that lives is held
            if let Ok(_lock) = owner(&folder, OpenOptions::new().write(true)) {
                try_remove_all(&folder);
            }
        }
    }
}

/// Refuses a path whose last name is a symbolic link.
///
/// # Errors
/// It is one.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    let why = "it is a symbolic link; remove it";
    match fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
        true => Err(io::Error::new(ErrorKind::InvalidInput, why)),
        false => Ok(()),
    }
}

/// Overwrites and removes everything in a folder, and the folder; a missing one is no error.
///
/// # Errors
/// The folder is a link, or the first that cannot be removed.
pub fn remove_all(folder: &Path) -> io::Result<()> {
    refuse_link(folder)?;
    let entries = match fs::read_dir(folder) {
        Err(wrong) if wrong.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => remove_all(&entry.path())?,
            false => drop(remove(&entry.path())?),
        }
    }
    fs::remove_dir(folder)
}

/// The same; a failure is in the log.
fn try_remove_all(folder: &Path) {
    if let Err(wrong) = remove_all(folder) {
        log::warn!("{}: cannot be removed: {wrong}", folder.display());
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        let about = fs::metadata(path).expect("there");
        about.permissions().mode() & 0o777
    }

    #[test]
    fn what_is_replaced_cut_off_or_removed_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        let held = |path: &Path| {
            let mut bytes = String::new();
            let opened = File::open(path).unwrap();
            move || {
                (&opened).rewind().unwrap();
                bytes.clear();
                (&opened).read_to_string(&mut bytes).unwrap();
                bytes.clone()
            }
        };
        fs::write(prepared(&file), "of a killed process").unwrap();
        let mut killed = held(&prepared(&file));
        assert_eq!(replace(&file, &[b"one", b" word"]).unwrap(), None);
        assert!(!killed().contains("killed"));
        let mut first = held(&file);
        assert_eq!(first(), "one word");
        assert_eq!(replace(&file, &[b"another"]).unwrap(), None);
        assert_eq!(first(), "\0".repeat(8));
        let mut second = held(&file);
        set_len(&open(&file, OpenOptions::new().write(true)).unwrap(), 2).unwrap();
        assert_eq!(second(), "an");
        assert_eq!(remove(&file).unwrap(), None);
        assert_eq!((second(), file.exists()), ("\0\0".to_owned(), false));
        assert_eq!(remove(&file).unwrap(), None);
    }

    #[test]
    fn links_and_pipes_are_neither_followed_nor_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let (victim, link) = (dir.path().join("victim"), dir.path().join("link"));
        let pipe = dir.path().join("pipe");
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, &link).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, fifo, mode, 0).unwrap();
        for (path, what) in [(&link, "symbolic link"), (&pipe, "pipe")] {
            let told = read(path).unwrap_err().to_string();
            assert!(told.contains(what), "{told}");
        }
        symlink(&victim, prepared(&dir.path().join("f"))).unwrap();
        replace(&dir.path().join("f"), &[b"new"]).unwrap();
        replace(&link, &[b"new"]).unwrap();
        // a copy of somebody's under another name stays, and is told
        fs::hard_link(&victim, pipe.with_extension("copy")).unwrap();
        let left = remove(&victim).unwrap().unwrap();
        assert!(left.why.contains("another name"), "{left:?}");
        let copy = fs::read(pipe.with_extension("copy")).unwrap();
        assert_eq!(copy, b"precious");
        remove(&pipe).unwrap();
    }

    #[test]
    fn temporary_folders_of_dead_processes_go_and_those_of_living_ones_stay() {
        let (lives, dies) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        assert_eq!(mode(lives.path()), 0o700);
        let talk = dies.path().join("talk");
        fs::write(&talk, "words").unwrap();
        let Scratch { folder, .. } = &dies;
        let folder = folder.clone();
        // as a killed process: the lock goes and the folder stays
        dies._owner.unlock().unwrap();
        std::mem::forget(dies);
        let next = Scratch::new().unwrap();
        assert!(!folder.exists());
        assert!(lives.path().exists());
        let path = next.path().to_path_buf();
        fs::write(path.join("talk"), "words").unwrap();
        drop(next);
        assert!(!path.exists());
    }
}
