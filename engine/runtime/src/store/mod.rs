//! The session directory: a session on disk, for one writer and any number of readers.
//!
//! ```text
//! weir.session   format of the directory, as text
//! lock           held by the writer; names its process while one writes or after one died
//! memory.redb    newest snapshot, the journal of inputs after it, inputs replayed (the truth)
//! view.bin       image for readers, replaced as a whole, never newer than the journal
//! audio/         recorded audio in segments that say what they are, and how far it was heard
//! transcript/    the words of every utterance by its turn, apart from memory
//! heard_voices.json  prints of the voices that were told apart
//! ```
//!
//! What [`Writer::append`] acknowledged survives a crash of the process or the machine. A reader
//! opens only `view.bin` and waits for nobody. Nothing here decides when to commit, snapshot or
//! publish, or starts a thread: the pipeline does.

mod apart;
mod archive;
mod backend;
mod draft;
mod erase;
mod error;
mod heard_voices;
mod layout;
mod lock;
mod opened;
mod policy;
mod progress;
mod rebuild_view;
mod recordings;
mod segment;
mod session;
mod snapshot;
mod spool;
mod tables;
pub mod transcript;
mod transfer;
mod unheard;
mod uses;
mod view;
mod voices;
mod writer;

pub use archive::{AudioArchive, clip_bytes, is_recorded};
pub use draft::Draft;
pub use erase::audio_to_silence;
pub(crate) use erase::{receipt_of, shown};
pub use error::StoreError;
pub use heard_voices::{HeardVoice, HeardVoices};
pub use layout::FORMAT;
pub use opened::Opened;
pub use policy::CommitPolicy;
pub use progress::{InputProgress, KnownInput, known_inputs};
pub use rebuild_view::{read_session, read_session_telling};
pub use recordings::Recordings;
pub use session::{
    OpenOptions, check_session, delete_session, is_session, is_taken, open_session,
    open_session_any, read_image,
};
pub use snapshot::{SnapshotWriter, Written};
pub use spool::AudioSpool;
pub use transcript::{TranscriptReader, TranscriptStats, TranscriptWriter};
pub use transfer::{
    ExportedInputs, ImportedSession, NamedFiles, TransferError, export_session, import_session,
};
pub use unheard::{HeardMark, HeardMarks, Recorded, unrecognised};
pub use uses::note_use;
pub use view::ViewWriter;
pub use voices::{EnrolledVoice, EnrolledVoices, VOICES_MAX, VoicesError};
pub use writer::Writer;

#[cfg(test)]
mod fault_session_tests;
#[cfg(test)]
mod faulty;
