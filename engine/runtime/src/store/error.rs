//! Errors of a session directory: each message names the file and says what to do.

use std::path::{Path, PathBuf};
use weir_core::config::ConfigError;
use weir_core::session::{EncoderStamp, ImageError};
use weir_core::stream::Span;

/// Why a session directory could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory has no session.
    #[error("there is no session in {}", dir.display())]
    NoSession {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory is not a session.
    #[error(
        "{} is not a session directory: {why}; give a new or empty folder, or one that weir made",
        dir.display()
    )]
    NotASession {
        /// The directory.
        dir: PathBuf,
        /// The reason.
        why: String,
    },
    /// Written by a later version.
    #[error(
        "{} was made by a newer weir (format {found}, this one reads up to {reads}); \
         update weir, or give another session directory", file.display()
    )]
    Newer {
        /// The file with the newer format.
        file: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format this program reads.
        reads: u32,
    },
    /// Another process is writing the session.
    #[error(
        "session {} is being written by {}; wait for it to end, or give another directory \
         (questions need no waiting)", dir.display(), process(*pid)
    )]
    InUse {
        /// The directory.
        dir: PathBuf,
        /// The writing process, if known.
        pid: Option<u32>,
    },
    /// The file's content is invalid.
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
    /// The list of recordings is damaged.
    #[error(
        "{}: damaged; remove it: only playback of old evidence needs it", file.display()
    )]
    Recordings {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The view is unusable, and only the running writer can rebuild it.
    #[error(
        "{} is {what}, and the session is being written by {}, which rebuilds the file with the \
         next utterance or when it ends; ask again then", view.display(), process(*pid)
    )]
    ViewLost {
        /// The file.
        view: PathBuf,
        /// What is wrong with it.
        what: String,
        /// The writing process, if known.
        pid: Option<u32>,
    },
    /// Its vectors are from another encoder.
    #[error(
        "session {} was created with encoder {}, not {}; open it with that encoder, or \
         encode it anew",
        dir.display(), named(expected), named(found)
    )]
    EncoderMismatch {
        /// The directory.
        dir: PathBuf,
        /// The encoder of its vectors.
        expected: Box<EncoderStamp>,
        /// The encoder offered.
        found: Box<EncoderStamp>,
    },
    /// Its snapshot is intact but cannot be used.
    #[error(
        "session {}: {source}", dir.display()
    )]
    Image {
        /// The directory.
        dir: PathBuf,
        /// The reason.
        source: ImageError,
    },
    /// A setting of the new session is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An I/O error.
    #[error("{}: cannot {doing}: {source}; {}", file.display(), cure(source))]
    File {
        /// The file or directory.
        file: PathBuf,
        /// The failed operation.
        doing: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// An erasure stopped half-way.
    #[error(
        "the erasure is not finished: {}: cannot {doing}: {source}; some audio and lines may be \
         gone already; mend that (a full disk needs space for a copy of the session), then erase \
         again",
        file.display()
    )]
    Unfinished {
        /// The file or directory.
        file: PathBuf,
        /// The failed operation.
        doing: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// An earlier write failed, so nothing more is written.
    #[error(
        "session {} is closed for writing after a failed write; \
         open it again, everything acknowledged is kept", dir.display()
    )]
    Stopped {
        /// The directory.
        dir: PathBuf,
    },
    /// The audio was evicted.
    #[error(
        "no audio is kept of {what} from {} to {} ms; \
         the oldest recordings make room for new ones", span.start_ms, span.end_ms
    )]
    AudioEvicted {
        /// File or stream.
        what: String,
        /// The requested span.
        span: Span,
    },
    /// The session does not have the recording.
    #[error(
        "{what}: there is no such recording in {}; an export has no audio, so copy the folder \
         `audio` of the exported session there",
        folder.display()
    )]
    AudioMissing {
        /// File or stream.
        what: String,
        /// The folder of the session's recordings.
        folder: PathBuf,
    },
    /// The limit is too small for any recording.
    #[error("the limit of recorded audio is {bytes} bytes; it must be at least {min}")]
    AudioLimit {
        /// The given limit.
        bytes: u64,
        /// The minimum.
        min: u64,
    },
    /// The limit of the transcript is out of range.
    #[error(
        "the limit of the transcript is {bytes} bytes; \
         it must be 0, which keeps none, or from {min} to {max}"
    )]
    TranscriptLimit {
        /// The given limit.
        bytes: u64,
        /// The minimum, apart from 0.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// Samples were added before a recording began.
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

/// An encoder's name and the beginning of its digest, which distinguishes versions.
fn named(stamp: &EncoderStamp) -> String {
    let digest: String = stamp.digest.chars().take(12).collect();
    format!("`{}` ({} floats, {digest})", stamp.name, stamp.dimension)
}

fn cure(source: &std::io::Error) -> &'static str {
    use std::io::ErrorKind as Kind;
    match source.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "free disk space and continue, everything acknowledged is kept"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "check your write permission, or give another directory"
        }
        _ => "check the path and the disk",
    }
}

impl StoreError {
    /// Wraps an I/O error with its file.
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

    /// The same error for an erasure, without the remark on what is kept.
    pub(super) fn unfinished(self) -> Self {
        match self {
            Self::File {
                file,
                doing,
                source,
            } => Self::Unfinished {
                file,
                doing,
                source,
            },
            Self::Stopped { dir } => Self::Unfinished {
                file: dir,
                doing: "write the session",
                source: std::io::Error::other("an earlier write failed"),
            },
            other => other,
        }
    }

    /// An error for invalid content.
    pub(super) fn damaged(file: &Path, what: impl std::fmt::Display) -> Self {
        Self::Damaged {
            file: file.to_path_buf(),
            what: what.to_string(),
        }
    }
}
