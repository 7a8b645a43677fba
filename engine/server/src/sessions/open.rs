//! One open session with its events, and how it is opened.

use super::event_log::EventLog;
use super::so_far;
use super::talks::Talks;
use crate::problem::Problem;
use crate::upload::now_ms;
use parking_lot::Mutex;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use weir_api::{Budgets, ErrorClass, SinceOpened};
use weir_core::config::SessionConfig;
use weir_core::limits;
use weir_engine::pipeline::{
    AskSettings, Attached, Event, FeedFigures, Notice, OpenAudio, Pauses, Recognition,
    SessionAudio, SessionHandle, SourceKind, Stop, Worker, attach,
};
use weir_engine::store::transcript::{lost_lines, transcript_folder};
use weir_engine::store::{StoreError, TranscriptReader, is_taken, read_session, unrecognised};
use weir_engine::{Memory, MemoryError};
use weir_loading::{Loader, LoadingError, ModelSet, Selection, SpeechSelection};
use weir_models::{CountTokens, Generate, WordPieceCounter};

/// How a client wants its speech to be recognised.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SpeechWish {
    /// Code of the language; without one, as the server was told.
    pub(crate) language: Option<String>,
    /// Words that may be said.
    pub(crate) expected: String,
    /// The pauses that end an utterance of live sound; without them those of conversations.
    pub(crate) pauses: Option<Pauses>,
}

/// How long a session that cannot be written is read before it is tried again.
const WRITE_AGAIN: Duration = Duration::from_secs(5);

/// Opens sessions with the models of this machine, which they share.
pub struct SessionMaker {
    loader: Loader,
    selection: Selection,
    /// Encoder of new sessions.
    encoder: Option<String>,
    speech: SpeechSelection,
    asking: AskSettings,
    budgets: Budgets,
    by_the_paper: bool,
}

impl SessionMaker {
    /// With the models of this selection; the encoder of new sessions is the one named, else the
    /// best that is here.
    #[must_use]
    pub fn new(loader: Loader, selection: Selection, encoder: Option<String>) -> Self {
        Self {
            loader,
            selection,
            encoder,
            speech: SpeechSelection::default(),
            asking: AskSettings::default(),
            budgets: Budgets::default(),
            by_the_paper: false,
        }
    }

    /// How questions are answered that do not say.
    #[must_use]
    pub fn asking(self, asking: AskSettings) -> Self {
        Self { asking, ..self }
    }

    /// How speech is recognised; without it, by the best model that is here.
    #[must_use]
    pub fn speech(self, speech: SpeechSelection) -> Self {
        Self { speech, ..self }
    }

    /// A recogniser for the sound of a session: it tells speakers apart where it can, and decodes
    /// live speech before it ends.
    pub(crate) fn recognition(
        &self,
        kind: SourceKind,
        wish: &SpeechWish,
    ) -> Result<Recognition, Problem> {
        let speech = SpeechSelection {
            live_text: kind == SourceKind::Live,
            speakers: true,
            ..self.speech.clone()
        };
        let hearing = self.recogniser(speech, wish)?;
        match wish.pauses {
            Some(pauses) => hearing.ending_at(pauses).map_err(Problem::bad),
            None => Ok(hearing),
        }
    }

    /// A recogniser for words alone.
    pub(crate) fn plain_recognition(&self, wish: &SpeechWish) -> Result<Recognition, Problem> {
        self.recogniser(self.speech.clone(), wish)
    }

    /// Codes of the languages that speech is recognised in.
    pub(crate) fn languages(&self) -> Vec<&'static str> {
        self.loader.speech_languages(&self.speech)
    }

    fn recogniser(
        &self,
        speech: SpeechSelection,
        wish: &SpeechWish,
    ) -> Result<Recognition, Problem> {
        let open: OpenAudio = Arc::new(|path| weir_asr::open_file(path));
        let speech = SpeechSelection {
            language: wish.language.clone().or(speech.language),
            expected: format!("{} {}", speech.expected, wish.expected),
            ..speech
        };
        let loaded = self.loader.speech(&speech, open, &mut |_| ());
        let loaded = loaded.map_err(|error| match wish.language {
            // a model of other languages refuses this one by name
            Some(_) => Problem::bad(error),
            None => model(error),
        });
        Ok(loaded?.hearing)
    }

    /// The generator of this machine; each reply may take so long. Blocks while it is loaded.
    pub(crate) fn generator(&self, limit: Duration) -> Result<Box<dyn Generate>, Problem> {
        let generator = self.loader.generator(&self.selection, limit, &mut |_| ());
        generator.map_err(model)
    }

    /// The name of that generator.
    pub(crate) fn generator_name(&self) -> &str {
        &self.selection.generator
    }

    /// Budgets of new sessions, where what is absent is as in every session, and their rules.
    pub(crate) fn new_sessions(self, budgets: Budgets, by_the_paper: bool) -> Self {
        Self {
            budgets,
            by_the_paper,
            ..self
        }
    }

    /// How questions are answered that do not say.
    pub(crate) fn settings(&self) -> &AskSettings {
        &self.asking
    }

    /// Loads all models once, so that the first request does not wait for them.
    pub(crate) fn warm(&self) -> Result<(), LoadingError> {
        self.loader
            .encoder(self.encoder.as_deref(), None, &mut |_| ())?;
        self.loader.models(&self.selection, &mut |_| ()).map(drop)
    }

    /// Opens the session in a folder, or creates one there. Blocks.
    pub(super) fn open(&self, dir: &Path, budgets: &Budgets) -> Result<OpenSession, Problem> {
        let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
        let known = match is_taken(dir) {
            true => Some(read_session(dir, counter).map_err(storage)?),
            false => None,
        };
        let mut tell = |_| ();
        let encoder = match &known {
            Some(session) => {
                let stamp = session.encoder();
                self.loader.session_encoder(dir, stamp, None, &mut tell)
            }
            None => self
                .loader
                .encoder(self.encoder.as_deref(), None, &mut tell),
        };
        let models = self
            .loader
            .models(&self.selection, &mut tell)
            .map_err(model)?;
        let config = config(&[*budgets, self.budgets]);
        let config = match self.by_the_paper {
            true => config.by_the_paper(),
            false => config,
        };
        if known.is_none() {
            config.check().map_err(Problem::bad)?;
        }
        let builder = |models: ModelSet, encoder| {
            Memory::builder_with(encoder)
                .config(config.clone())
                .distiller(models.distiller)
                .answerer(models.answerer)
                .reranker(models.reranker)
                .check(models.check)
                .asking(self.asking.clone())
        };
        let encoder = encoder.map_err(model)?;
        let opened = builder(models, Arc::clone(&encoder)).open(dir);
        let memory = match opened {
            Err(MemoryError::Open(
                why @ (StoreError::Damaged { .. }
                | StoreError::File { .. }
                | StoreError::Image { .. }),
            )) if known.is_some() => {
                let models = self.loader.models(&self.selection, &mut tell);
                let memory = builder(models.map_err(model)?, encoder).read(dir, why.to_string())?;
                return OpenSession::of(dir, memory, Some(Instant::now()));
            }
            opened => opened?,
        };
        let mut session = OpenSession::of(dir, memory, None)?;
        if unrecognised(dir).iter().any(|it| it.waiting_ms > 0)
            && let Err(problem) = self.hear_left(&mut session)
        {
            // it stays marked; the session can be used without it
            log::warn!("{}: {}", dir.display(), problem.detail());
        }
        Ok(session)
    }
}

impl SessionMaker {
    /// Begins to hear what a process that was killed recorded and did not recognise.
    fn hear_left(&self, session: &mut OpenSession) -> Result<(), Problem> {
        let hearing = self.recognition(SourceKind::Recording, &SpeechWish::default())?;
        let held = session.memory.session();
        let left = session.audio()?.left(&held, hearing).map_err(storage)?;
        if let Some(feed) = left {
            let attached = attach(session.handle(), Box::new(feed), None, Stop::default())?;
            session.left = Some(attached);
        }
        Ok(())
    }
}

/// The configuration of a new session with the first of these budgets that says each.
fn config(budgets: &[Budgets]) -> SessionConfig {
    let transcript = budgets.iter().find_map(|it| it.transcript_bytes);
    let usual = transcript.unwrap_or(limits::TRANSCRIPT_BYTES_DEFAULT);
    let usual = SessionConfig::with_transcript(usual);
    let tokens = budgets.iter().find_map(|it| it.tokens);
    let bytes = budgets.iter().find_map(|it| it.bytes);
    let nodes = budgets.iter().find_map(|it| it.nodes);
    SessionConfig {
        budget_tokens: tokens.unwrap_or(usual.budget_tokens),
        budget_bytes: bytes.unwrap_or(usual.budget_bytes),
        budget_nodes: nodes.unwrap_or(usual.budget_nodes),
        ..usual
    }
}

fn storage(error: impl Display) -> Problem {
    Problem::of_class(ErrorClass::Storage, error)
}

fn model(error: impl Display) -> Problem {
    Problem::of_class(ErrorClass::Model, error)
}

/// An open session.
pub(crate) struct OpenSession {
    dir: PathBuf,
    memory: Memory,
    /// Whether it was made for what may turn out to be nothing.
    tried: AtomicBool,
    /// Since when it is only read, because it cannot be written.
    only_read: Option<Instant>,
    /// Opened with the first sound.
    audio: OnceLock<SessionAudio>,
    events: Arc<EventLog>,
    so_far: Arc<Mutex<SinceOpened>>,
    talks: Talks,
    /// Hears what an earlier process left; dropped, it leaves the rest to the next one.
    left: Option<Attached>,
    /// Looks for lost lines of the transcript, once; no event waits for it.
    _checking: Worker<()>,
    /// Passes the session's events to the log; ends with the session.
    logging: Worker<()>,
}

impl OpenSession {
    fn of(dir: &Path, memory: Memory, only_read: Option<Instant>) -> Result<Self, Problem> {
        let events = EventLog::new();
        let mut sums = SinceOpened {
            opened_unix_ms: u64::try_from(now_ms()).unwrap_or(0),
            ..SinceOpened::default()
        };
        let folder = format!("{}{}", dir.display(), std::path::MAIN_SEPARATOR);
        for why in memory.warnings() {
            so_far::warn(&mut sums, why.replace(&folder, ""));
        }
        let so_far = Arc::new(Mutex::new(sums));
        let sums = Arc::clone(&so_far);
        let (log, subscription) = (Arc::clone(&events), memory.handle().subscribe());
        let (checked, found) = (dir.to_path_buf(), Arc::clone(&so_far));
        let checking = Worker::spawn("lines", move || {
            if let Ok(lost @ 1..) = lost_lines(&checked) {
                let why = format!("damaged lines of the transcript, whose words are lost: {lost}");
                log::warn!("{}: {why}", checked.display());
                so_far::warn(&mut found.lock(), why);
            }
            Ok(())
        });
        let logging = Worker::spawn("events", move || {
            let mut missed = 0;
            for event in subscription.events() {
                if let Event::Notice(Notice::Warning(why)) = &event {
                    log::warn!("{why}");
                    // clients need not know where the server keeps its files
                    so_far::warn(&mut sums.lock(), why.replace(&folder, ""));
                }
                for event in event.wire() {
                    so_far::add(&mut sums.lock(), &event);
                    push(&log, &event);
                }
                let so_far = subscription.missed();
                if so_far > missed {
                    let json = format!("{{\"event\":\"missed\",\"events\":{}}}", so_far - missed);
                    log.push("missed".to_owned(), json);
                    missed = so_far;
                }
            }
            log.end();
            Ok(())
        });
        Ok(Self {
            dir: dir.to_path_buf(),
            memory,
            tried: AtomicBool::new(false),
            only_read,
            audio: OnceLock::new(),
            events,
            so_far,
            talks: Talks::default(),
            left: None,
            _checking: checking.map_err(Problem::internal)?,
            logging: logging.map_err(Problem::internal)?,
        })
    }

    /// Its folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its words as they were heard.
    pub(crate) fn transcript(&self) -> TranscriptReader {
        TranscriptReader::open(&transcript_folder(&self.dir))
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn handle(&self) -> &SessionHandle {
        self.memory.handle()
    }

    /// Its recordings, and what else its sources of sound share.
    pub(crate) fn audio(&self) -> Result<&SessionAudio, Problem> {
        if let Some(audio) = self.audio.get() {
            return Ok(audio);
        }
        let opened = SessionAudio::open(&self.dir, Some(limits::AUDIO_BYTES_DEFAULT));
        let opened = opened.map_err(storage)?;
        Ok(self.audio.get_or_init(|| opened))
    }

    /// Whether it should be opened again: it failed, or it could not be written some time ago.
    pub(super) fn is_over(&self) -> bool {
        let again = |since: &Instant| since.elapsed() >= WRITE_AGAIN;
        self.handle().is_closed() || self.only_read.as_ref().is_some_and(again)
    }

    /// Says whether it was made for what may turn out to be nothing.
    pub(super) fn set_tried(&mut self, tried: bool) {
        *self.tried.get_mut() = tried;
    }

    /// It stays, whatever is heard.
    pub(crate) fn keep(&self) {
        self.tried.store(false, Ordering::Relaxed);
    }

    /// Whether it was made for something, and nothing came of it: no words, and no sound that may
    /// have been words.
    pub(super) fn is_nothing(&self) -> bool {
        let sound = self.so_far.lock();
        let no_sound = sound.speech_ms + sound.failed_segments + sound.lost_ms == 0;
        self.tried.load(Ordering::Relaxed)
            && no_sound
            && sound.unheard.is_empty()
            && self.memory.session().stats().turns == 0
    }

    /// Whether it is being closed: what uses it ends soon.
    pub(crate) fn is_ending(&self) -> bool {
        self.events.is_ended()
    }

    pub(crate) fn events(&self) -> Arc<EventLog> {
        Arc::clone(&self.events)
    }

    /// What its clients asked before.
    pub(crate) fn talks(&self) -> &Talks {
        &self.talks
    }

    /// What happened since it was opened.
    pub(crate) fn so_far(&self) -> SinceOpened {
        self.so_far.lock().clone()
    }

    /// A sound ended; `recording_took_ms` says how long a recording took.
    pub(crate) fn heard_sound(&self, figures: &FeedFigures, recording_took_ms: Option<u64>) {
        so_far::add_sound(&mut self.so_far.lock(), figures, recording_took_ms);
    }

    /// Writes what is open and releases the folder. Blocks.
    pub(super) fn close(self) -> Result<(), Problem> {
        drop(self.left);
        let closed = self.memory.close();
        self.logging.join().map_err(Problem::internal)?;
        closed.map(drop).map_err(Problem::from)
    }
}

/// Adds an event to the log, under the name that it has in JSON.
fn push(log: &EventLog, event: &weir_api::Event) {
    let json = match serde_json::to_value(event) {
        Ok(json) => json,
        Err(error) => return log::error!("an event cannot be written as JSON: {error}"),
    };
    let kind = json.get("event").and_then(serde_json::Value::as_str);
    let kind = kind.unwrap_or("event").to_owned();
    log.push(kind, json.to_string());
}
