//! Conversations from files of other programs: subtitles, transcripts, exports of chats.
//!
//! A file is read as a whole before anything is taken in ([`read`]), so that a damaged one leaves
//! nothing behind. [`Found::plan`] makes of it what a session will hear, and the counts that are
//! shown before: a preview is the plan, and the import carries out the same plan.
//!
//! Nothing is stored twice: the id of an utterance is a digest of what was said, by whom and when.
//! A message whose id the session knows ([`known_ids`]) is left out, so that a later export of the
//! same chat adds what is new.

mod chatgpt;
mod detect;
mod draft;
mod error;
mod files;
mod format;
mod plan;
mod slack;
mod subtitles;
mod telegram;
mod whatsapp;
mod whatsapp_date;
mod whisper;

pub use error::{ImportError, ImportProblem};
pub use format::Format;
pub use plan::{Found, ImportedStream, Plan, known_ids};
pub use whatsapp_date::Order;

use detect::detect;
use draft::Draft;
use files::Files;
use jiff::tz::TimeZone;
use std::fs::File;
use std::path::Path;

/// How files are read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The format; `None` for what the content looks like.
    pub format: Option<Format>,
    /// What comes first in dates of WhatsApp; `None` for what all dates of a file say.
    pub dates: Option<Order>,
    /// The time zone of dates that name none.
    pub zone: TimeZone,
}

/// Reads a file, a zip archive or a folder; `shown` is its name in messages.
///
/// # Errors
/// [`ImportError`]: nothing can be taken from it.
pub fn read(path: &Path, shown: &str, reading: &Reading) -> Result<Found, ImportError> {
    found(Files::open(path, shown)?, reading)
}

/// The same for a file that is open.
///
/// # Errors
/// As [`read`].
pub fn read_file(file: File, shown: &str, reading: &Reading) -> Result<Found, ImportError> {
    found(Files::of_file(file, shown)?, reading)
}

fn found(mut files: Files, reading: &Reading) -> Result<Found, ImportError> {
    let format = match reading.format {
        Some(format) => format,
        None => detect(&mut files)?,
    };
    let is_single = matches!(format, Format::Srt | Format::Vtt | Format::Whisper);
    if is_single && !files.is_one() {
        let why = "it is one file, not a folder or an archive".to_owned();
        return Err(ImportProblem::NotOf { format, why }.at(&files.shown, None));
    }
    let mut draft = Draft::default();
    match format {
        Format::Srt | Format::Vtt => subtitles::read(&mut files, format, &mut draft)?,
        Format::Whisper => whisper::read(&mut files, &mut draft)?,
        Format::ChatGpt => chatgpt::read(&mut files, &mut draft)?,
        Format::WhatsApp => {
            whatsapp::read(&mut files, reading.dates, &reading.zone, &mut draft)?;
        }
        Format::Telegram => telegram::read(&mut files, &reading.zone, &mut draft)?,
        Format::Slack => slack::read(&mut files, &mut draft)?,
    }
    Ok(Found::of(&files.shown, format, draft.finish()))
}
