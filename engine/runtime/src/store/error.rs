//! What can go wrong with a session directory: one message that names the file and the way out.

use std::path::{Path, PathBuf};
use weir_core::config::ConfigError;
use weir_core::session::{EncoderStamp, ImageError};
use weir_core::stream::Span;

/// Why a session directory could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing is there to be read.
    #[error(
        "there is no session in {}; make one with `weir replay INPUT --session {}`",
        dir.display(), dir.display()
    )]
    NoSession {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory belongs to something else.
    #[error(
        "{} is no session directory: {why}; name a new or empty folder, or one that weir made",
        dir.display()
    )]
    NotASession {
        /// The directory.
        dir: PathBuf,
        /// How that shows.
        why: String,
    },
    /// Made by a later version.
    #[error(
        "{} was made by a newer weir (format {found}, this one reads up to {reads}); \
         update weir, or name another session directory", file.display()
    )]
    Newer {
        /// The file that says so.
        file: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format this program reads.
        reads: u32,
    },
    /// Somebody writes there.
    #[error(
        "session {} is being written by {}; wait for it to end, or name another directory \
         (asking it questions needs no waiting)", dir.display(), process(*pid)
    )]
    InUse {
        /// The directory.
        dir: PathBuf,
        /// The process that writes, where it could be told.
        pid: Option<u32>,
    },
    /// Bytes that cannot be what was written.
    #[error(
        "{} is damaged: {what}; restore the session from a copy, \
         or replay its recordings into a new directory", file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The readers' file is of no use, and only the writer at work can make it anew.
    #[error(
        "{} is {what}, and the session is being written by {}, which makes the file anew with the \
         next words or when it ends; ask again then", view.display(), process(*pid)
    )]
    ViewLost {
        /// The file.
        view: PathBuf,
        /// What is wrong with it.
        what: String,
        /// The process that writes, where it could be told.
        pid: Option<u32>,
    },
    /// Its vectors come from another encoder.
    #[error(
        "session {} was made with encoder {}, not with {}; open it with that encoder, \
         or run `weir memory reencode --session {}`",
        dir.display(), named(expected), named(found), dir.display()
    )]
    EncoderMismatch {
        /// The directory.
        dir: PathBuf,
        /// The encoder of its vectors.
        expected: Box<EncoderStamp>,
        /// The encoder offered.
        found: Box<EncoderStamp>,
    },
    /// Its snapshot is whole but cannot be taken up.
    #[error(
        "session {}: {source}; open it with the models it was made with, \
         or name another directory", dir.display()
    )]
    Image {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: ImageError,
    },
    /// A setting of the new session is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The system refused.
    #[error("{}: cannot {doing}: {source}; {}", file.display(), cure(source))]
    File {
        /// The file or directory.
        file: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// A write failed before, so nothing more is written.
    #[error(
        "session {} takes nothing more after a write that failed; \
         open it again, everything acknowledged is kept", dir.display()
    )]
    Stopped {
        /// The directory.
        dir: PathBuf,
    },
    /// The audio is not kept, or not any more.
    #[error(
        "no audio is kept of {what} from {} to {} ms; \
         the oldest recordings make room for new ones", span.start_ms, span.end_ms
    )]
    AudioMissing {
        /// File or stream.
        what: String,
        /// What was asked for.
        span: Span,
    },
    /// A limit that leaves no room to record.
    #[error("the limit of recorded audio is {bytes} bytes; it must be at least {min}")]
    AudioLimit {
        /// What was given.
        bytes: u64,
        /// The least.
        min: u64,
    },
    /// A limit of the transcript that is out of range.
    #[error(
        "the limit of the transcript is {bytes} bytes; \
         it must be 0, which keeps none, or from {min} to {max}"
    )]
    TranscriptLimit {
        /// What was given.
        bytes: u64,
        /// The least but none.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Samples without a beginning.
    #[error(
        "no recording has begun in {}, or the last write failed; begin one first",
        dir.display()
    )]
    NotRecording {
        /// The directory.
        dir: PathBuf,
    },
}

fn process(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

/// An encoder by its name and the beginning of its digest, which tell two versions apart.
fn named(stamp: &EncoderStamp) -> String {
    let digest: String = stamp.digest.chars().take(12).collect();
    format!("`{}` ({} floats, {digest})", stamp.name, stamp.dimension)
}

fn cure(source: &std::io::Error) -> &'static str {
    use std::io::ErrorKind as Kind;
    match source.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "make room on the disk and go on, everything acknowledged is kept"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "check that you may write there, or name another directory"
        }
        _ => "check the path and the disk",
    }
}

impl StoreError {
    /// What the system said about a file.
    pub(super) fn file(
        file: &Path,
        doing: &'static str,
    ) -> impl Fn(std::io::Error) -> Self + use<> {
        let file = file.to_path_buf();
        move |source| Self::File {
            file: file.clone(),
            doing,
            source,
        }
    }

    /// Bytes that cannot be right.
    pub(super) fn damaged(file: &Path, what: impl std::fmt::Display) -> Self {
        Self::Damaged {
            file: file.to_path_buf(),
            what: what.to_string(),
        }
    }
}
