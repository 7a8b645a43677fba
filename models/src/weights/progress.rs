//! What a pull reports while it runs.

/// A moment of a pull. The caller decides what to show and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The file being worked on, relative to the model's folder; empty for the model as a whole.
    pub file: &'a str,
    /// Bytes of the whole model that are on disk by now.
    pub bytes_done: u64,
    /// Bytes of the whole model; 0 until the hub has told them.
    pub bytes_total: u64,
    /// What is being done.
    pub step: Step<'a>,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another process pulls the same model; this one waits for it.
    Waiting,
    /// The hub is asked which files there are.
    Listing,
    /// Bytes are coming in.
    Downloading,
    /// The line failed and is tried again, from where it broke.
    Retrying {
        /// Which attempt comes next, from 2.
        attempt: u32,
        /// What went wrong.
        reason: &'a str,
    },
    /// The Python package is being fetched; no byte count is known meanwhile.
    FetchingPackage,
    /// A checkpoint is being written as another format; the bytes are those of the new file.
    Converting,
    /// A checksum is being computed.
    Verifying,
    /// The token is not sent to the hub, whose address is not `https://`: others could read it on
    /// its way. Told once by a store.
    TokenWithheld {
        /// The hub's address.
        hub: &'a str,
    },
    /// The source failed and the next one is tried.
    NextSource {
        /// What went wrong with the one before.
        reason: &'a str,
    },
}
