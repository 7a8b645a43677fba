//! Makes the index of a segment anew from its records, where it is damaged or missing: each record
//! has its turn and a checksum, so the lines need no index to be told apart.

use super::disk::Disk;
use super::segment::{self, ENTRY_BYTES, Entry, FILE_BYTES_MAX, HEAD_BYTES, Part};
use crate::private;
use crate::store::layout::Layout;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The indexes of a session's transcript that are missing or do not name all of their lines; the
/// next writer makes them anew. Cost: one pass over the indexes.
///
/// # Errors
/// The folder cannot be listed.
pub fn damaged_indexes(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = Layout::of(dir).transcript();
    let damaged = |first: &u64| !names_all(&folder, *first).unwrap_or(false);
    let firsts = segment::list(&folder)?.lines.into_iter().filter(damaged);
    // a writer may have been between a record and its entry
    let firsts = firsts.filter(damaged);
    Ok(firsts.map(|it| Part::Index.path(&folder, it)).collect())
}

/// How many lines of a session's transcript are damaged: their words are lost. Lines of a damaged
/// index are not counted. Cost: one pass over the transcript.
///
/// # Errors
/// The folder cannot be listed.
pub fn lost_lines(dir: &Path) -> io::Result<u64> {
    let folder = Layout::of(dir).transcript();
    let firsts = segment::list(&folder)?.lines.into_iter();
    // a segment may go, or grow, meanwhile
    Ok(firsts.map(|it| lost_of(&folder, it).unwrap_or(0)).sum())
}

fn lost_of(folder: &Path, first: u64) -> io::Result<u64> {
    // the index first: its entries follow their lines
    let index = whole(folder, Part::Index, first)?;
    let lines = whole(folder, Part::Lines, first)?;
    let entries = index.get(HEAD_BYTES as usize..).unwrap_or_default();
    let mut lost = 0;
    for (turn, mut entry) in (first..).zip(entries.chunks_exact(ENTRY_BYTES as usize)) {
        let entry = Entry::read(&mut entry)?;
        let place = entry.offset as usize..entry.end() as usize;
        let is_whole = || {
            lines
                .get(place)
                .is_some_and(|it| segment::is_sound(turn, it))
        };
        lost += u64::from(!entry.is_gap() && !is_whole());
    }
    Ok(lost)
}

/// The bytes of a file of a segment, whose header is right.
pub(super) fn whole(folder: &Path, part: Part, first: u64) -> io::Result<Vec<u8>> {
    let file = private::open(&part.path(folder, first), OpenOptions::new().read(true))?;
    part.check(&file, first)?;
    raw(&file)
}

/// The bytes of a file of a segment from its start.
fn raw(mut file: &File) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes the header of lines anew, which says nothing that their name does not say.
///
/// # Errors
/// It cannot be written.
pub(super) fn mend_head(disk: &dyn Disk, folder: &Path, first: u64) -> io::Result<()> {
    let path = Part::Lines.path(folder, first);
    let file = private::open(&path, OpenOptions::new().read(true).write(true))?;
    disk.write_at(&file, 0, &Part::Lines.head(first))?;
    disk.sync(&file)
}

/// Whether the index names all data of the lines: records follow one another, and what lies between
/// them, or behind the last one, was overwritten with zeros.
///
/// # Errors
/// One of the files cannot be read, or its header is wrong.
pub(super) fn names_all(folder: &Path, first: u64) -> io::Result<bool> {
    let open = |part: Part| private::open(&part.path(folder, first), OpenOptions::new().read(true));
    let (lines, mut index) = (open(Part::Lines)?, open(Part::Index)?);
    let lines_bytes = Part::Lines.check(&lines, first)?;
    let entries = (Part::Index.check(&index, first)? - HEAD_BYTES) / ENTRY_BYTES;
    index.seek(SeekFrom::Start(HEAD_BYTES))?;
    let mut index = BufReader::with_capacity(64 << 10, index);
    let mut end = HEAD_BYTES;
    for _ in 0..entries {
        let entry = Entry::read(&mut index)?;
        if entry.is_gap() {
            continue;
        }
        let offset = u64::from(entry.offset);
        if !entry.fits(lines_bytes) || offset < end || !is_zero(&lines, end..offset)? {
            return Ok(false);
        }
        end = entry.end();
    }
    is_zero(&lines, end..lines_bytes)
}

fn is_zero(mut file: &File, bytes: Range<u64>) -> io::Result<bool> {
    if bytes.is_empty() {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(bytes.start))?;
    let between = BufReader::new(file).take(bytes.end - bytes.start);
    for byte in between.bytes() {
        if byte? != 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The places of all intact records of a segment whose turns end before `until`, with their turns,
/// whatever its header says.
///
/// # Errors
/// The lines cannot be read. Cost: O(bytes); holds the segment in memory.
pub(super) fn of_lines(folder: &Path, first: u64, until: u64) -> io::Result<Vec<(u64, Entry)>> {
    let lines = Part::Lines.path(folder, first);
    let bytes = raw(&private::open(&lines, OpenOptions::new().read(true))?)?;
    let (mut found, mut at, mut next) = (Vec::new(), HEAD_BYTES as usize, first);
    while at < bytes.len() {
        let Some((turn, length)) = segment::record_at(&bytes[at..], next..until) else {
            // damage, or what was erased: the next record is somewhere behind it
            at += 1;
            continue;
        };
        // both fit 32 bits: the file has at most FILE_BYTES_MAX bytes
        let entry = Entry {
            offset: at as u32,
            length: length as u32,
        };
        found.push((turn, entry));
        at += length;
        next = turn + 1;
    }
    Ok(found)
}

/// How many of these records the index does not name where they are; all, if it cannot be read.
pub(super) fn unnamed(folder: &Path, first: u64, records: &[(u64, Entry)]) -> u64 {
    let index = whole(folder, Part::Index, first).unwrap_or_default();
    let is_named = |(turn, entry): &&(u64, Entry)| {
        let at = Entry::place(turn - first) as usize;
        index.get(at..at + ENTRY_BYTES as usize) == Some(&entry.to_bytes())
    };
    records.iter().filter(|it| !is_named(it)).count() as u64
}

/// Writes an index of these records in the place of the one that is there.
///
/// # Errors
/// It cannot be written; the one that is there stays.
pub(super) fn write(
    disk: &dyn Disk,
    folder: &Path,
    first: u64,
    records: &[(u64, Entry)],
) -> io::Result<()> {
    let path = Part::Index.path(folder, first);
    let anew = path.with_extension("anew");
    let entries = records.last().map_or(0, |(turn, _)| turn - first + 1);
    let mut bytes = Part::Index.head(first).to_vec();
    bytes.resize(Entry::place(entries) as usize, 0);
    for (turn, entry) in records {
        let at = Entry::place(turn - first) as usize;
        bytes[at..at + ENTRY_BYTES as usize].copy_from_slice(&entry.to_bytes());
    }
    disk.remove(&anew)?;
    let file = disk.create(&anew)?;
    disk.write_at(&file, 0, &bytes)?;
    disk.sync(&file)?;
    std::fs::rename(&anew, &path)?;
    disk.sync_names(&path)
}
