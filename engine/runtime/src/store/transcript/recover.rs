//! Opens the transcript, and repairs the effects of a crash, an unacknowledged input or damage.

use super::disk::Disk;
use super::index;
use super::segment::{self, DAMAGED, ENTRY_BYTES, Entry, HEAD_BYTES, Listing, Part, Records};
use super::writer::{Segment, Tail, TranscriptWriter};
use crate::private;
use crate::store::error::StoreError;
use std::fs::OpenOptions;
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

impl TranscriptWriter {
    /// As [`Self::open`], on a given disk.
    pub(super) fn open_on(
        disk: Box<dyn Disk>,
        folder: &Path,
        limit_bytes: u64,
        turns: u64,
    ) -> Result<Self, StoreError> {
        if limit_bytes > 0 {
            private::make_folder(folder).map_err(StoreError::file(folder, "make it"))?;
        }
        let found = segment::list(folder).map_err(StoreError::file(folder, "list it"))?;
        let mut writer = Self::empty(disk, folder, limit_bytes);
        if limit_bytes == 0 {
            writer.remove_all(&found);
            return Ok(writer);
        }
        writer.damaged = found.damaged.iter().map(|path| sized(path)).collect();
        for first in &found.index {
            if found.lines.binary_search(first).is_err() {
                let path = Part::Index.path(folder, *first);
                let removed = writer.disk.remove(&path);
                writer.note_unremoved(&path, removed);
            }
        }
        writer.take_up(&found.lines, turns);
        writer.reopen_last(turns);
        writer.next_turn = turns;
        let end = writer.segments.last().map_or(0, Segment::end);
        writer.recovered_gaps = turns.saturating_sub(end);
        // without a segment there was no transcript
        if let (1.., Some(first)) = (writer.recovered_gaps, found.lines.last()) {
            let (gaps, path) = (writer.recovered_gaps, Part::Lines.path(folder, *first));
            writer.note(format!(
                "{}: its end is damaged or missing; the last {gaps} utterances of the session \
                 cannot be looked up word for word",
                path.display()
            ));
        }
        let settled = writer.settle();
        if let Err(wrong) = settled {
            writer.note_failure("write", &wrong);
        }
        Ok(writer)
    }

    /// Removes a transcript that is no longer kept.
    fn remove_all(&mut self, found: &Listing) {
        let lines = found.lines.iter().map(|first| (Part::Lines, *first));
        let index = found.index.iter().map(|first| (Part::Index, *first));
        let paths = lines
            .chain(index)
            .map(|(part, first)| part.path(&self.folder, first));
        let paths: Vec<PathBuf> = paths.chain(found.damaged.iter().cloned()).collect();
        for path in &paths {
            let removed = self.disk.remove(path);
            self.note_unremoved(path, removed);
        }
        // the folder stays if it holds other files
        let _ = std::fs::remove_dir(&self.folder);
    }

    fn note_unremoved(&mut self, path: &Path, removed: io::Result<()>) {
        if let Err(wrong) = removed {
            let path = path.display();
            self.note(format!("{path}: cannot be removed: {wrong}; remove it"));
        }
    }

    /// Uses the segments found, sets aside unreadable ones, and removes those of turns that were
    /// never acknowledged.
    fn take_up(&mut self, firsts: &[u64], turns: u64) {
        for (at, first) in firsts.iter().enumerate() {
            if *first >= turns {
                let removed = self.remove_segment(*first);
                self.note_unremoved(&Part::Lines.path(&self.folder, *first), removed);
                continue;
            }
            let next = firsts.get(at + 1).copied().unwrap_or(u64::MAX);
            match self.taken(*first, next.min(turns)) {
                Ok(segment) => {
                    self.tail = None;
                    self.segments.push(segment);
                }
                Err(wrong) => self.set_aside(*first, &wrong),
            }
        }
    }

    /// A segment whose turns end before `until`; its index is made anew if the lines hold more than
    /// it names.
    fn taken(&mut self, first: u64, until: u64) -> io::Result<Segment> {
        let mut found = survey(&self.folder, first, until);
        if found.is_ok() && index::names_all(&self.folder, first)? {
            return found;
        }
        let Ok(records) = index::of_lines(&self.folder, first, until) else {
            return found;
        };
        if !records.is_empty() && index::whole(&self.folder, Part::Lines, first).is_err() {
            // the records have checksums of their own
            index::mend_head(&*self.disk, &self.folder, first)?;
            self.note(format!(
                "{}: its first bytes were damaged and were written anew; no line is lost by that",
                Part::Lines.path(&self.folder, first).display()
            ));
            found = survey(&self.folder, first, until);
        }
        let regained = index::unnamed(&self.folder, first, &records);
        if regained == 0 {
            return found;
        }
        let path = Part::Index.path(&self.folder, first);
        if let Err(wrong) = index::write(&*self.disk, &self.folder, first, &records) {
            self.note_failure("write", &wrong);
            return found;
        }
        self.note(format!(
            "{} was damaged or missing; it was made anew from the lines, and {regained} utterances \
             can be looked up again",
            path.display()
        ));
        survey(&self.folder, first, until)
    }

    /// Renames the files of a segment that cannot be read. An empty segment takes its place, so
    /// that its turns count as gaps.
    fn set_aside(&mut self, first: u64, wrong: &io::Error) {
        for part in [Part::Lines, Part::Index] {
            let path = part.path(&self.folder, first);
            let mut aside = path.clone().into_os_string();
            aside.push(DAMAGED);
            let aside = PathBuf::from(aside);
            match std::fs::rename(&path, &aside) {
                Ok(()) => {
                    self.damaged.retain(|(other, _)| *other != aside);
                    self.damaged.push(sized(&aside));
                }
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                Err(refused) => self.note_failure("rename a part of", &refused),
            }
        }
        let lines = Part::Lines.path(&self.folder, first);
        self.note(format!(
            "{} is damaged: {wrong}; it was set aside as `*{DAMAGED}`, \
             and its lines cannot be looked up",
            lines.display()
        ));
        if let Err(wrong) = self.begin(first) {
            self.note_failure("write", &wrong);
        }
    }

    /// Opens the last segment for writing, without torn or unacknowledged data.
    fn reopen_last(&mut self, turns: u64) {
        let (None, Some(last)) = (&self.tail, self.segments.last().copied()) else {
            return;
        };
        match reopen(&*self.disk, &self.folder, last, turns) {
            Ok((segment, tail)) => {
                self.tail = Some(tail);
                self.segments.pop();
                self.segments.push(segment);
            }
            // it stays unchanged; further lines go into a new segment
            Err(wrong) => self.note_failure("write", &wrong),
        }
    }

    /// Fills the segments up to the acknowledged turns and reduces them to the limit.
    fn settle(&mut self) -> io::Result<()> {
        if let Some(last) = self.segments.last()
            && last.bytes() > self.limit_bytes / 2
            && last.entries > 0
        {
            // written under a higher limit: close it, so that it can be evicted
            self.begin(self.next_turn)?;
        }
        if self.next_turn > self.segments.last().map_or(0, Segment::end) {
            self.reach(self.next_turn, 0)?;
            self.write_out()?;
        }
        self.make_room(0)
    }
}

/// A file and its bytes.
fn sized(path: &Path) -> (PathBuf, u64) {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    (path.to_path_buf(), bytes)
}

/// Checks the headers and counts the lines of a segment whose turns end before `until`, using only
/// its index.
pub(super) fn survey(folder: &Path, first: u64, until: u64) -> io::Result<Segment> {
    let read = |part: Part| private::open(&part.path(folder, first), OpenOptions::new().read(true));
    let lines = read(Part::Lines)?;
    let lines_bytes = Part::Lines.check(&lines, first)?;
    let index = read(Part::Index)?;
    let index_bytes = Part::Index.check(&index, first)?;
    let entries = (index_bytes - HEAD_BYTES) / ENTRY_BYTES;
    let (mut found, mut end) = (0, HEAD_BYTES);
    let mut index = BufReader::with_capacity(64 << 10, index);
    for _ in 0..entries.min(until.saturating_sub(first)) {
        let entry = Entry::read(&mut index)?;
        if entry.fits(lines_bytes) && u64::from(entry.offset) >= end {
            end = entry.end();
            found += 1;
        }
    }
    Ok(Segment {
        first,
        entries,
        lines: found,
        lines_bytes,
        index_bytes,
    })
}

/// Opens a segment for writing: verifies every record, and cuts off everything after the last
/// intact record or gap, and everything from `turns` on.
fn reopen(
    disk: &dyn Disk,
    folder: &Path,
    found: Segment,
    turns: u64,
) -> io::Result<(Segment, Tail)> {
    let open = |part: Part| {
        let path = part.path(folder, found.first);
        private::open(&path, OpenOptions::new().read(true).write(true))
    };
    let (lines, mut index) = (open(Part::Lines)?, open(Part::Index)?);
    let mut records = Records::new(lines.try_clone()?, found.lines_bytes)?;
    index.seek(SeekFrom::Start(HEAD_BYTES))?;
    let mut entries = BufReader::with_capacity(64 << 10, &index);
    let mut kept = Segment {
        entries: 0,
        lines: 0,
        lines_bytes: HEAD_BYTES,
        ..found
    };
    let mut is_whole = true;
    for at in 0..found.entries.min(turns.saturating_sub(found.first)) {
        let entry = Entry::read(&mut entries)?;
        if entry.is_gap() {
            // gaps count only if no torn record precedes them
            kept.entries += u64::from(is_whole);
            continue;
        }
        let in_order = u64::from(entry.offset) >= kept.lines_bytes;
        is_whole = in_order && records.is_sound(found.first + at, entry)?;
        if is_whole {
            kept.entries = at + 1;
            kept.lines += 1;
            kept.lines_bytes = entry.end();
        }
    }
    kept.index_bytes = Entry::place(kept.entries);
    disk.set_len(&index, kept.index_bytes)?;
    disk.set_len(&lines, kept.lines_bytes)?;
    Ok((kept, Tail::of(lines, index)))
}
