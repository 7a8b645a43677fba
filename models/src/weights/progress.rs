//! What a pull reports while it runs.

/// A progress report of a pull. The caller decides what to show and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The current file, relative to the model's folder; empty for the model as a whole.
    pub file: &'a str,
    /// Bytes of the whole model on disk.
    pub bytes_done: u64,
    /// Bytes of the whole model; 0 until the hub gives them.
    pub bytes_total: u64,
    /// The current step.
    pub step: Step<'a>,
}

/// A step of a pull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another process pulls the same model; this one waits for it.
    Waiting,
    /// The hub is asked for the list of files.
    Listing,
    /// Downloading.
    Downloading,
    /// The connection failed; the download is retried from there.
    Retrying {
        /// Number of the next attempt, from 2.
        attempt: u32,
        /// The error.
        reason: &'a str,
    },
    /// The Python package is being downloaded; the byte count is unknown meanwhile.
    FetchingPackage,
    /// A checkpoint is being converted; the bytes are those of the new file.
    Converting,
    /// A checksum is being computed.
    Verifying,
    /// The token is not sent to the hub, because its URL is not `https://` and the connection is
    /// not encrypted. Reported once per store.
    TokenWithheld {
        /// The hub's address.
        hub: &'a str,
    },
    /// The source failed; the next one is tried.
    NextSource {
        /// The error of the previous source.
        reason: &'a str,
    },
}
