//! Erasing lines in place.
//!
//! The bytes of a turn are all bytes between the nearest intact records of other turns. This rule
//! also covers data without an entry: the rest of an interrupted erasure, or of damage.

use super::recover;
use super::segment::{ENTRY_BYTES, Entry, HEAD_BYTES, Part, Records};
use super::writer::TranscriptWriter;
use crate::private;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes overwritten at a time.
const PIECE_BYTES: u64 = 64 << 10;

/// Data to overwrite in one segment.
#[derive(Debug, Default)]
struct Doomed {
    /// Ranges of `.lines`.
    ranges: Vec<(u64, u64)>,
    /// Entries that become gaps.
    entries: Vec<u64>,
}

impl TranscriptWriter {
    /// Overwrites the lines of these turns with zeros and makes them gaps; returns the files
    /// changed. Everything is synced when it returns.
    ///
    /// Files set aside are overwritten and removed, since their content is unknown. As everywhere
    /// in a session, a file system that does not write in place keeps old bytes.
    ///
    /// # Errors
    /// A file cannot be read or written; erasing again continues where it stopped.
    pub fn erase(&mut self, turns: &[u64]) -> io::Result<Vec<PathBuf>> {
        let mut turns = turns.to_vec();
        turns.sort_unstable();
        turns.dedup();
        let mut changed = Vec::new();
        if turns.is_empty() {
            return Ok(changed);
        }
        self.flush();
        self.mend()?;
        for at in 0..self.segments.len() {
            let first = self.segments[at].first;
            let next = self
                .segments
                .get(at + 1)
                .map_or(u64::MAX, |next| next.first);
            let from = turns.partition_point(|turn| *turn < first);
            let to = turns.partition_point(|turn| *turn < next);
            if from < to && self.erase_in(first, &turns[from..to])? {
                changed.push(Part::Lines.path(&self.folder, first));
                changed.push(Part::Index.path(&self.folder, first));
                self.segments[at].lines = recover::survey(&self.folder, first, next)?.lines;
            }
        }
        while let Some((path, bytes)) = self.damaged.first().cloned() {
            self.destroy(&path, bytes)?;
            self.damaged.remove(0);
            changed.push(path);
        }
        Ok(changed)
    }

    /// Erases ascending turns of one segment; returns whether anything changed.
    fn erase_in(&self, first: u64, turns: &[u64]) -> io::Result<bool> {
        let open = |part: Part| {
            let path = part.path(&self.folder, first);
            private::open(&path, OpenOptions::new().read(true).write(true))
        };
        let (lines, index) = (open(Part::Lines)?, open(Part::Index)?);
        let doomed = doomed(&lines, &index, first, turns)?;
        let mut is_changed = false;
        for (from, to) in &doomed.ranges {
            is_changed |= self.zero(&lines, *from, *to)?;
        }
        // The text goes first: until it is certainly gone, the index locates it.
        self.disk.sync(&lines)?;
        for at in &doomed.entries {
            let gap = Entry::GAP.to_bytes();
            self.disk.write_at(&index, Entry::place(*at), &gap)?;
        }
        self.disk.sync(&index)?;
        Ok(is_changed || !doomed.entries.is_empty())
    }

    /// Overwrites bytes that are not zero; returns whether there were any.
    fn zero(&self, mut file: &File, from: u64, to: u64) -> io::Result<bool> {
        let zeros = [0; PIECE_BYTES as usize];
        let mut found = [0; PIECE_BYTES as usize];
        let mut is_changed = false;
        let mut at = from;
        while at < to {
            let piece = (to - at).min(PIECE_BYTES) as usize;
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut found[..piece])?;
            if found[..piece].iter().any(|byte| *byte != 0) {
                self.disk.write_at(file, at, &zeros[..piece])?;
                is_changed = true;
            }
            at += piece as u64;
        }
        Ok(is_changed)
    }

    /// Overwrites and removes a whole file.
    fn destroy(&self, path: &Path, bytes: u64) -> io::Result<()> {
        match private::open(path, OpenOptions::new().read(true).write(true)) {
            Ok(file) => {
                self.zero(&file, 0, bytes.min(file.metadata()?.len()))?;
                self.disk.sync(&file)?;
            }
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
            Err(wrong) => return Err(wrong),
        }
        self.disk.remove(path)?;
        self.disk.sync_names(path)
    }
}

/// Finds the data of ascending turns in a segment, in one pass over its records.
fn doomed(lines: &File, mut index: &File, first: u64, turns: &[u64]) -> io::Result<Doomed> {
    let lines_bytes = Part::Lines.check(lines, first)?;
    let entries = (Part::Index.check(index, first)? - HEAD_BYTES) / ENTRY_BYTES;
    let mut records = Records::new(lines.try_clone()?, lines_bytes)?;
    index.seek(SeekFrom::Start(HEAD_BYTES))?;
    let mut index = BufReader::with_capacity(64 << 10, index);
    let mut doomed = Doomed::default();
    // Since the last intact record of another turn: its end, entries, and whether a turn is to be
    // erased.
    let (mut sound_end, mut unsound, mut is_hit) = (HEAD_BYTES, Vec::new(), false);
    for at in 0..entries {
        let (turn, entry) = (first + at, Entry::read(&mut index)?);
        let is_wanted = turns.binary_search(&turn).is_ok();
        if !is_wanted && !entry.is_gap() && records.is_sound(turn, entry)? {
            if is_hit {
                doomed.ranges.push((sound_end, u64::from(entry.offset)));
                doomed.entries.append(&mut unsound);
            }
            unsound.clear();
            (sound_end, is_hit) = (entry.end(), false);
            continue;
        }
        is_hit |= is_wanted;
        if !entry.is_gap() {
            unsound.push(at);
        }
    }
    // turns after the index may have left partial data of a failed write
    is_hit |= turns.last().is_some_and(|turn| *turn >= first + entries);
    if is_hit {
        doomed.ranges.push((sound_end, lines_bytes));
        doomed.entries.append(&mut unsound);
    }
    Ok(doomed)
}
