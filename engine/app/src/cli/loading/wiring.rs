//! Assembles the parts: encoder, token counter, speech model, session directory.
//!
//! Messages on standard error name the defaults used, and say how to get better ones.

use crate::cli::args::{Global, MemoryArgs};
use crate::cli::loading::loader::notes;
use crate::cli::loading::model_args::AnswerArgs;
use crate::cli::session::settings;
use crate::cli::terminal::{Terminal, many};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use weir_asr::MicrophoneInfo;
use weir_core::session::{EncoderStamp, Session};
use weir_core::stream::StreamStart;
use weir_engine::control::Control;
use weir_engine::pipeline::{
    AskSettings, DiskLog, KeptTranscript, Learn, OpenAudio, Pipeline, PipelineParts, SessionWriter,
};
use weir_engine::private::Scratch;
use weir_engine::store::TranscriptReader;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{
    OpenOptions, Opened, StoreError, Writer, open_session, read_session_telling,
};
use weir_engine::streamfile::InputDigest;
use weir_engine::time::rfc3339;
use weir_loading::{ModelSet, SPLADE, Selection};
use weir_models::{CountTokens, Encode, WordPieceCounter};

/// The token counter of every budget.
pub(crate) fn counter() -> Arc<dyn CountTokens> {
    Arc::new(WordPieceCounter::shared())
}

/// The opener of audio files.
pub(crate) fn opener() -> OpenAudio {
    opener_of(None)
}

/// A function that opens a file and hears its audio track of this number, or its default one.
pub(crate) fn opener_of(track: Option<u16>) -> OpenAudio {
    Arc::new(move |path| match track {
        None => weir_asr::open_file(path),
        Some(track) => weir_asr::open_file_track(path, track),
    })
}

/// The start of a stream that begins now, named "`what` 2026-01-31T10:00:00Z".
pub(crate) fn stream_from_now(what: &str) -> StreamStart {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let unix_ms = now.and_then(|since| i64::try_from(since.as_millis()).ok());
    let named = unix_ms.and_then(rfc3339);
    StreamStart::new(
        named.map_or_else(|| what.to_owned(), |at| format!("{what} {at}")),
        unix_ms,
    )
}

/// The encoder: the one named, else the session's, else the best installed.
pub(crate) fn encoder(
    asked: Option<&str>,
    session: Option<&EncoderStamp>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Arc<dyn Encode>> {
    let mut tell = notes(global, terminal);
    Ok(global.loader().encoder(asked, session, &mut tell)?)
}

/// Settings for answering the questions of a run.
pub(crate) fn asking(memory: &MemoryArgs, answer: &AnswerArgs) -> AskSettings {
    AskSettings {
        learn: if memory.no_learn {
            Learn::No
        } else {
            Learn::Yes
        },
        ..answer.settings()
    }
}

/// A memory that can be written to.
pub(crate) struct Memory {
    /// The session.
    pub(crate) session: Session,
    /// Its directory, if it has one.
    pub(crate) writer: Option<Writer>,
    /// Its word-for-word transcript on disk.
    pub(crate) transcript: Option<KeptTranscript>,
    /// Its encoder.
    pub(crate) encoder: Arc<dyn Encode>,
    /// Its token counter.
    pub(crate) counter: Arc<dyn CountTokens>,
}

impl Memory {
    /// Opens or creates the session; without a directory it exists only in memory.
    pub(crate) fn open(
        args: &MemoryArgs,
        global: &Global,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Self> {
        let counter = counter();
        let known = match &args.session {
            Some(dir) => read_if_exists(dir, terminal)?,
            None => None,
        };
        let stamp = known.as_ref().map(Session::encoder);
        let encoder = encoder(args.encoder.as_deref(), stamp, global, terminal)?;
        let stamp = EncoderStamp::of(encoder.as_ref());
        let config = settings::from_args(args, &stamp.name)?;
        if known.is_none() {
            settings::tell_uncalibrated(args, &stamp.name, terminal);
        }
        let Some(dir) = &args.session else {
            let session = Session::new(config, stamp, Arc::clone(&counter))?;
            return Ok(Self {
                transcript: scratch_transcript(&session, terminal),
                session,
                writer: None,
                encoder,
                counter,
            });
        };
        let mut opened = open_session(
            dir,
            OpenOptions {
                config,
                encoder: stamp,
                counter: Arc::clone(&counter),
            },
        )?;
        settings::same(dir, &opened.session, args)?;
        if let Some(warning) = opened.warning() {
            terminal.warn(&format!("{}: {warning}", dir.display()));
        }
        if opened.replayed > 0 {
            terminal.note(&format!(
                "{}: session resumed, {} inputs recovered from its journal",
                dir.display(),
                opened.replayed
            ));
        }
        let transcript = transcript_of(dir, &opened, terminal);
        with_terms(dir, &mut opened, encoder.as_ref(), terminal)?;
        with_observed(dir, &mut opened, encoder.as_ref(), terminal)?;
        Ok(Self {
            transcript,
            session: opened.session,
            writer: Some(opened.writer),
            encoder,
            counter,
        })
    }

    /// The memory as parts of a driver; `digests` are the fingerprints of the inputs to come.
    pub(crate) fn parts(
        self,
        digests: Vec<Option<InputDigest>>,
        models: ModelSet,
        settings: AskSettings,
    ) -> PipelineParts {
        let session_writer = match self.writer {
            None => SessionWriter::in_memory(self.session),
            Some(writer) => {
                SessionWriter::kept(self.session, Box::new(DiskLog::new(writer, digests)))
            }
        };
        PipelineParts {
            session_writer: session_writer.with_transcript(self.transcript),
            encoder: self.encoder,
            counter: self.counter,
            distiller: models.distiller,
            answerer: models.answerer,
            reranker: models.reranker,
            check: models.check,
            settings,
            live: None,
        }
    }
}

/// Computes the terms of a session that has none, or those of another encoder.
fn with_terms(
    dir: &Path,
    opened: &mut Opened,
    encoder: &dyn Encode,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let terms = EncoderStamp::of(encoder).terms;
    if terms.is_none() || opened.session.encoder().terms == terms {
        return Ok(());
    }
    let read = transcript(dir);
    let made = opened.session.with_terms_of(encoder, Some(&read))?;
    opened.writer.checkpoint(&made)?;
    opened.session = made;
    terminal.note(&format!(
        "{}: its {} statements can now also be found by the built-in {SPLADE}",
        dir.display(),
        opened.session.stats().memory.amus
    ));
    Ok(())
}

/// Reads beliefs and profiles from the statements of a session that has none: an older build made
/// it.
fn with_observed(
    dir: &Path,
    opened: &mut Opened,
    encoder: &dyn Encode,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let read = transcript(dir);
    let Some(made) = opened.session.with_observed(encoder, Some(&read))? else {
        return Ok(());
    };
    opened.writer.checkpoint(&made)?;
    opened.session = made;
    let memory = opened.session.stats().memory;
    let (beliefs, facts) = (memory.beliefs as u64, memory.facts as u64);
    terminal.note(&format!(
        "{}: {} and {} were read from what it holds",
        dir.display(),
        many(beliefs, "belief"),
        many(facts, "fact")
    ));
    Ok(())
}

/// The words of a session as they were heard.
pub(crate) fn transcript(dir: &Path) -> TranscriptReader {
    TranscriptReader::open(&transcript_folder(dir))
}

/// Names of models in results and messages.
pub(crate) struct ModelNames {
    /// The distiller.
    pub(crate) distiller: String,
    /// The answerer.
    pub(crate) answerer: String,
    /// The reranker, if any.
    pub(crate) reranker: Option<String>,
}

impl ModelNames {
    /// The names of these models.
    pub(crate) fn of(models: &ModelSet) -> Self {
        Self {
            distiller: models.distiller.name().to_owned(),
            answerer: models.answerer.name().to_owned(),
            reranker: models
                .reranker
                .as_ref()
                .map(|model| model.name().to_owned()),
        }
    }
}

/// The models of a selection.
pub(crate) fn models(
    selection: &Selection,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<ModelSet> {
    let mut tell = notes(global, terminal);
    Ok(global.loader().models(selection, &mut tell)?)
}

/// The transcript of a session directory. Memory works without one, so errors are only reported.
fn transcript_of(dir: &Path, opened: &Opened, terminal: &mut Terminal) -> Option<KeptTranscript> {
    KeptTranscript::beside(dir, &opened.session).unwrap_or_else(|error| {
        terminal.warn(&format!(
            "cannot write the transcript ({error}); answers quote only what memory holds"
        ));
        None
    })
}

/// A temporary transcript for a session without a directory; deleted when the command ends.
fn scratch_transcript(session: &Session, terminal: &mut Terminal) -> Option<KeptTranscript> {
    let limit_bytes = session.config().transcript_bytes;
    if limit_bytes == 0 {
        return None;
    }
    let folder = match Scratch::new() {
        Ok(folder) => folder,
        Err(error) => {
            terminal.warn(&format!(
                "cannot create a folder for the transcript ({error}); answers quote only what \
                 memory holds"
            ));
            return None;
        }
    };
    let transcript = KeptTranscript::open(folder.path(), limit_bytes, 0).ok()?;
    Some(transcript.in_scratch(Box::new(folder)))
}

/// Reads a session, and warns if one of its files had to be rebuilt.
pub(crate) fn read(dir: &Path, terminal: &mut Terminal) -> Result<Session, StoreError> {
    read_session_telling(dir, counter(), &mut |told| terminal.warn(told))
}

/// The session in a directory, if there is one.
pub(crate) fn read_if_exists(
    dir: &Path,
    terminal: &mut Terminal,
) -> Result<Option<Session>, StoreError> {
    match read(dir, terminal) {
        Ok(session) => Ok(Some(session)),
        Err(StoreError::NoSession { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The encoder of a session, or the one named; refused if its vectors are of another kind.
pub(crate) fn session_encoder(
    dir: &Path,
    session: &Session,
    asked: Option<&str>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Arc<dyn Encode>> {
    let (loader, mut tell) = (global.loader(), notes(global, terminal));
    Ok(loader.session_encoder(dir, session.encoder(), asked, &mut tell)?)
}

/// Lets other commands change the session of a run while it goes on.
pub(crate) fn control(
    dir: Option<&Path>,
    pipeline: &Pipeline,
    terminal: &mut Terminal,
) -> anyhow::Result<Option<Control>> {
    let Some(dir) = dir else { return Ok(None) };
    let served = Control::serve(dir, pipeline.handle().clone())?;
    Ok(served
        .map_err(|why| {
            terminal.note(&format!(
                "{}: other commands cannot change this session until the run ends ({why})",
                dir.display()
            ));
        })
        .ok())
}

/// Names of the microphones; the system's default is marked.
pub(crate) fn microphones() -> anyhow::Result<Vec<String>> {
    let marked = |found: MicrophoneInfo| {
        if found.is_default {
            format!("{} (default)", found.name)
        } else {
            found.name
        }
    };
    Ok(weir_asr::microphones()?.into_iter().map(marked).collect())
}
