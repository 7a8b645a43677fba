//! Sound for a session: recordings that are sent whole, and live sound as it is captured.

use super::extract::{Query, Upgrade};
use crate::blocking::{GivenUp, blocking};
use crate::problem::{Problem, Reply};
use crate::sessions::{OpenSession, SessionName, SpeechWish};
use crate::state::Shared;
use crate::upload::{now_ms, opened, stored, stream_name};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket};
use axum::response::Response;
use crossbeam_channel::Sender;
use serde::{Deserialize, Serialize};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;
use weir_api::{ErrorClass, Event};
use weir_asr::{AudioSource, PcmFormat, PcmReader};
use weir_core::stream::StreamStart;
use weir_engine::ServiceError;
use weir_engine::pipeline::{
    self, Attached, BytePipe, FeedFigures, Live, LiveParts, SourceKind, Stop, Subscription, attach,
};

/// Pieces of live sound that wait for the capture.
const PIECES_MAX: usize = 64;
/// How often it is looked whether a session is closed.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a sound is still heard when its session closes: a third of the time that requests have.
const ENDING: Duration = Duration::from_secs(5);
/// How often it is looked whether a sound has ended.
const FINISH_EVERY: Duration = Duration::from_millis(20);
/// How long live sound may be silent on its connection.
const SILENT: Duration = Duration::from_secs(60);

/// What a recording is.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Recorded {
    /// Name of its stream, new in the session; absent for one made of the time.
    #[serde(default)]
    name: Option<String>,
    /// Wall time of its beginning, in Unix milliseconds; absent if unknown.
    #[serde(default)]
    started_at_unix_ms: Option<i64>,
}

/// What live sound is: raw samples, interleaved, little-endian.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Captured {
    /// Name of its stream, new in the session; absent for one made of the time.
    #[serde(default)]
    name: Option<String>,
    /// Samples a second of each channel; absent for 16000.
    #[serde(default = "rate")]
    rate: u32,
    /// Channels; absent for 1.
    #[serde(default = "one")]
    channels: u16,
    /// `s16le` or `f32le`; absent for `s16le`.
    #[serde(default)]
    format: Samples,
}

fn rate() -> u32 {
    16_000
}

fn one() -> u16 {
    1
}

/// Format of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Samples {
    /// Signed, 16 bits.
    #[default]
    S16le,
    /// Floating point, 32 bits.
    F32le,
}

/// What was heard of a sound.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct HeardSound {
    /// Name of its stream.
    stream: String,
    /// Milliseconds of sound.
    pub(crate) audio_ms: u64,
    /// Milliseconds of that with words.
    speech_ms: u64,
    /// Stretches on which the recogniser failed.
    failed_segments: u64,
}

/// Hears a recording: WAV, FLAC, MP3, Ogg, MP4 and others. Returns when all of it is in memory;
/// what is heard meanwhile comes as events of the session.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/recordings", tag = "talk",
    params(("session" = String, Path, description = "The session"), Recorded),
    request_body(content_type = "application/octet-stream"),
    responses((status = 200, description = "done", body = HeardSound),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn recording(
    State(server): State<Arc<Shared>>,
    session: SessionName,
    Query(about): Query<Recorded>,
    body: Body,
) -> Reply<HeardSound> {
    let permit = server.listen()?;
    let file = stored(body.into_data_stream(), server.config.limits.audio_bytes).await?;
    // no session is made for what is no recording
    let sound = blocking(move || opened(file)).await?;
    let session = server.sessions.get_or_create(&session).await?;
    let start = StreamStart::new(named(about.name, "recording"), about.started_at_unix_ms);
    let stop = Stop::default();
    let _given_up = GivenUp(stop.clone());
    let wish = SpeechWish::default();
    let heard = blocking(move || {
        let hearing = Hearing::recording(&server, session, start, (sound, stop), wish, permit)?;
        hearing.finish_recording()
    });
    Ok(Json(heard.await?))
}

/// Hears live sound over a WebSocket: binary messages are samples. Its words come as events of the
/// session while they are spoken. An empty message ends the sound; when all of it is heard, the
/// last message says how much that was. All is heard, too, when the client closes without that.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/live", tag = "talk",
    params(("session" = String, Path, description = "The session"), Captured),
    responses((status = 101, description = "a WebSocket follows"),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn live(
    State(server): State<Arc<Shared>>,
    session: SessionName,
    Query(about): Query<Captured>,
    Upgrade(upgrade): Upgrade,
) -> Result<Response, Problem> {
    let permit = server.listen()?;
    let session = server.sessions.get_or_create(&session).await?;
    let format = match about.format {
        Samples::S16le => PcmFormat::S16,
        Samples::F32le => PcmFormat::F32,
    };
    let pcm = Pcm {
        format,
        rate_hz: about.rate,
        channels: about.channels,
    };
    let name = named(about.name, "live");
    let wish = SpeechWish::default();
    let live = blocking(move || Hearing::live(&server, session, name, pcm, wish, permit)).await?;
    let (pieces, hearing) = live;
    Ok(upgrade.on_upgrade(|socket| listen(socket, pieces, hearing)))
}

/// Passes sound on until the client ends it, the session closes, or it is silent for too long.
async fn listen(mut socket: WebSocket, pieces: Sender<Vec<u8>>, hearing: Hearing) {
    let mut silent = Duration::ZERO;
    while !hearing.attached.is_finished() && !hearing.session.is_ending() && silent < SILENT {
        match tokio::time::timeout(LOOK_EVERY, socket.recv()).await {
            Err(_) => silent += LOOK_EVERY,
            Ok(Some(Ok(Message::Binary(piece)))) if piece.is_empty() => break,
            Ok(Some(Ok(Message::Binary(piece)))) => {
                silent = Duration::ZERO;
                // the capture never waits, so a full pipe is soon emptied
                let sent = tokio::task::block_in_place(|| pieces.send(piece.to_vec()));
                if sent.is_err() {
                    break;
                }
            }
            Ok(None | Some(Err(_) | Ok(Message::Close(_)))) => break,
            Ok(Some(Ok(_))) => {}
        }
    }
    drop(pieces);
    let mut finishing = pin!(blocking(move || hearing.finish()));
    let mut is_there = true;
    let heard = loop {
        tokio::select! {
            heard = &mut finishing => break heard,
            // pings are answered while the rest is heard
            message = socket.recv(), if is_there => {
                is_there = matches!(message, Some(Ok(it)) if !matches!(it, Message::Close(_)));
            }
        }
    };
    let last = match heard {
        Ok(heard) => serde_json::to_string(&heard),
        Err(problem) => serde_json::to_string(&problem),
    };
    // a client that has gone needs no last message
    let _ = socket.send(Message::text(last.unwrap_or_default())).await;
    let _ = socket.send(Message::Close(None)).await;
}

/// The name of a stream: the one given, else one made of the time.
fn named(given: Option<String>, kind: &str) -> String {
    given
        .filter(|it| !it.trim().is_empty())
        .unwrap_or_else(|| stream_name(kind))
}

/// What an event of a session says of one of its streams.
pub(crate) fn of_stream(event: &pipeline::Event, stream: &str) -> impl Iterator<Item = Event> {
    let all = event.wire().into_iter();
    all.filter(move |it| it.stream() == Some(stream))
}

struct Source {
    sound: Box<dyn AudioSource>,
    kind: SourceKind,
    start: StreamStart,
    wish: SpeechWish,
    stop: Stop,
    permit: OwnedSemaphorePermit,
}

/// What the samples of live sound are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pcm {
    pub(crate) format: PcmFormat,
    pub(crate) rate_hz: u32,
    pub(crate) channels: u16,
}

/// A sound that a session hears.
pub(crate) struct Hearing {
    attached: Attached,
    session: Arc<OpenSession>,
    stream: String,
    /// When a recording began to be heard.
    recording: Option<Instant>,
    /// The sample of live sound, at 16 kHz, before which nothing is wanted any more.
    pub(crate) unwanted: Arc<AtomicU64>,
    _permit: OwnedSemaphorePermit,
}

impl Hearing {
    /// Begins to hear live sound; returns the sender of its samples too. Blocks while models are
    /// loaded.
    pub(crate) fn live(
        server: &Shared,
        session: Arc<OpenSession>,
        name: String,
        pcm: Pcm,
        wish: SpeechWish,
        permit: OwnedSemaphorePermit,
    ) -> Result<(Sender<Vec<u8>>, Self), Problem> {
        let stop = Stop::default();
        let (pieces, pipe) = BytePipe::new(PIECES_MAX, stop.clone());
        let sound = PcmReader::new(pipe, &name, pcm.format, pcm.rate_hz, pcm.channels);
        let source = Source {
            sound: Box::new(sound.map_err(Problem::bad)?),
            kind: SourceKind::Live,
            start: StreamStart::new(name, Some(now_ms())),
            wish,
            stop,
            permit,
        };
        Ok((pieces, Self::of(server, session, source)?))
    }

    /// Begins to hear a recording. Blocks while models are loaded.
    pub(crate) fn recording(
        server: &Shared,
        session: Arc<OpenSession>,
        start: StreamStart,
        (sound, stop): (Box<dyn AudioSource>, Stop),
        wish: SpeechWish,
        permit: OwnedSemaphorePermit,
    ) -> Result<Self, Problem> {
        let source = Source {
            sound,
            kind: SourceKind::Recording,
            start,
            wish,
            stop,
            permit,
        };
        Self::of(server, session, source)
    }

    fn of(server: &Shared, session: Arc<OpenSession>, source: Source) -> Result<Self, Problem> {
        let hearing = server
            .sessions
            .maker()
            .recognition(source.kind, &source.wish)?;
        let unwanted = hearing.unwanted();
        let stream = source.start.name.clone();
        let recording = matches!(source.kind, SourceKind::Recording).then(Instant::now);
        let held = session.memory().session();
        let mut live = Live::start(LiveParts {
            source: source.sound,
            kind: source.kind,
            hearing,
            start: source.start,
            session: &held,
            audio: Some(session.audio()?),
            stop: source.stop.clone(),
        })
        .map_err(Problem::bad)?;
        let stages = live.feed.live_stages();
        let attached = attach(session.handle(), Box::new(live.feed), stages, source.stop)?;
        Ok(Self {
            attached,
            session,
            stream,
            recording,
            unwanted,
            _permit: source.permit,
        })
    }

    /// Waits until all of a recording is heard. `tell` gets each event of it among `news`, and
    /// returns whether to go on. Blocks.
    pub(crate) fn wait_telling(
        self,
        news: &Subscription,
        tell: &mut dyn FnMut(&Event) -> bool,
    ) -> Result<HeardSound, Problem> {
        let stream = self.stream.clone();
        let mut told = |limit| {
            let event = news.next_within(limit)?;
            Some(of_stream(&event, &stream).all(|it| tell(&it)))
        };
        while !self.attached.is_finished() && !self.session.is_ending() {
            if told(LOOK_EVERY) == Some(false) {
                self.attached.stop();
                break;
            }
        }
        let heard = self.finish_recording()?;
        while told(Duration::ZERO).is_some() {}
        Ok(heard)
    }

    /// Waits until all of a recording is heard. Blocks.
    ///
    /// # Errors
    /// The session was closed before: a part of it was heard.
    fn finish_recording(self) -> Result<HeardSound, Problem> {
        let is_whole = self.ends_by_itself();
        let heard = self.finish()?;
        match is_whole {
            true => Ok(heard),
            false => Err(Problem::of_class(
                ErrorClass::Gone,
                format!(
                    "the session was closed; the first {} seconds of the recording are kept",
                    heard.audio_ms / 1_000
                ),
            )),
        }
    }

    /// Waits until the sound has ended or the session closes; returns whether it has ended. Blocks.
    fn ends_by_itself(&self) -> bool {
        while !self.attached.is_finished() && !self.session.is_ending() {
            std::thread::sleep(FINISH_EVERY);
        }
        self.attached.is_finished()
    }

    /// Hears for some seconds more; what was captured and is not recognised then is heard when the
    /// session is opened again. Blocks.
    fn end_soon(&self) {
        self.attached.stop();
        let until = Instant::now() + ENDING;
        while !self.attached.is_finished() && Instant::now() < until {
            std::thread::sleep(FINISH_EVERY);
        }
        self.attached.interrupt();
    }

    /// Waits until all that was captured is heard; when the session closes, a few seconds at most.
    /// Blocks.
    pub(crate) fn finish(self) -> Result<HeardSound, ServiceError> {
        if !self.ends_by_itself() {
            self.end_soon();
        }
        let figures: FeedFigures = self.attached.finish()?;
        let took = self.recording.map(|since| since.elapsed().as_millis());
        let took = took.map(|it| u64::try_from(it).unwrap_or(u64::MAX));
        self.session.heard_sound(&figures, took);
        Ok(HeardSound {
            stream: self.stream,
            audio_ms: figures.audio_ms,
            speech_ms: figures.speech_ms,
            failed_segments: figures.failed_segments,
        })
    }
}
