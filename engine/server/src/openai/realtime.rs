//! OpenAI's realtime transcription: sound in pieces over a WebSocket, words while they are spoken.
//!
//! With turn detection the server finds where an utterance ends. Without it the client commits
//! what it sent, and gets its words then. Where the address names a session, it hears all of it.

use super::live_items::LiveItems;
use super::live_sound::{Following, LiveSound};
use super::refusal::Refusal;
use super::wish::{expected, language, pauses, text_of, unfollowed};
use crate::blocking::blocking;
use crate::problem::Problem;
use crate::rest::{Hearing, Pcm, Query, Upgrade};
use crate::sessions::{OpenSession, SessionName, SpeechWish};
use crate::state::Shared;
use crate::upload::stream_name;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::Cursor;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use weir_api::Event;
use weir_asr::{PcmFormat, PcmReader};
use weir_engine::Utterance;
use weir_engine::pipeline::Pauses;

/// Longest message in bytes: 15 MiB of sound in base64, and what stands around it.
const MESSAGE_BYTES_MAX: usize = 21 << 20;
/// Bytes of sound that wait to be committed: some 23 minutes at the usual rate.
const BUFFER_BYTES_MAX: usize = 64 << 20;
/// How long a connection may be silent.
const QUIET_MAX: Duration = Duration::from_secs(600);
/// How often who waits looks whether the sound, or the server, has ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Messages that wait while another one is carried out; further ones wait in the network.
const WAITING_MAX: usize = 8;
/// Events that wait for the connection.
const EVENTS_MAX: usize = 256;
/// Rates of samples; the first is what clients mean that name none.
const RATES_HZ: [u32; 5] = [24_000, 8_000, 16_000, 44_100, 48_000];

/// What a client wants of the interface.
#[derive(Debug, Deserialize)]
pub(super) struct Intent {
    intent: Option<String>,
}

/// Transcribes live sound.
pub(super) async fn realtime(
    State(server): State<Arc<Shared>>,
    Query(about): Query<Intent>,
    Upgrade(upgrade): Upgrade,
) -> Result<Response, Refusal> {
    connect(server, None, &about, upgrade)
}

/// Transcribes live sound, which a session hears too.
pub(super) async fn realtime_heard(
    State(server): State<Arc<Shared>>,
    session: SessionName,
    Query(about): Query<Intent>,
    Upgrade(upgrade): Upgrade,
) -> Result<Response, Refusal> {
    let session = server.sessions.get_or_create(&session).await?;
    connect(server, Some(session), &about, upgrade)
}

fn connect(
    server: Arc<Shared>,
    session: Option<Arc<OpenSession>>,
    about: &Intent,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    if let Some(intent) = about.intent.as_deref().filter(|it| *it != "transcription") {
        let why = format!("the intent is `{intent}`; transcription is possible");
        return Err(Problem::bad(why).into());
    }
    let talk = Talk {
        server,
        session,
        rate_hz: RATES_HZ[0],
        turns: Some(Pauses::default()),
        wish: SpeechWish::default(),
        buffer: Vec::new(),
        room: Vec::new(),
        live: None,
        items: LiveItems::default(),
        sent: 0,
    };
    let upgrade = upgrade
        .protocols(["realtime"])
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX);
    Ok(upgrade.on_upgrade(|socket| talk.run(socket)))
}

/// Why a message was not carried out.
struct Wrong {
    code: Value,
    message: String,
}

impl From<Problem> for Wrong {
    fn from(problem: Problem) -> Self {
        Self {
            code: json!(problem.class()),
            message: problem.detail().to_owned(),
        }
    }
}

impl Wrong {
    fn told(&self, event_id: &Value) -> Value {
        json!({"type": "error", "error": {"type": "invalid_request_error", "code": self.code,
            "message": self.message, "param": null, "event_id": event_id}})
    }
}

type Told = Result<Vec<Value>, Wrong>;

/// One connection.
struct Talk {
    server: Arc<Shared>,
    session: Option<Arc<OpenSession>>,
    rate_hz: u32,
    /// The pauses at which an utterance ends; `None` if the client says where it ends.
    turns: Option<Pauses>,
    wish: SpeechWish,
    /// Sound that waits to be committed, without turn detection, and its room among that of all
    /// connections.
    buffer: Vec<u8>,
    room: Vec<OwnedSemaphorePermit>,
    live: Option<LiveSound>,
    items: LiveItems,
    sent: u64,
}

/// What comes next on a connection.
enum Next {
    Heard(Event),
    Said(String),
    /// Something of the protocol.
    Sign,
    Nothing,
    Ended,
}

impl Next {
    fn of(message: Option<Result<Message, axum::Error>>) -> Self {
        match message {
            Some(Ok(Message::Text(text))) => Self::Said(text.to_string()),
            None | Some(Err(_) | Ok(Message::Close(_))) => Self::Ended,
            Some(Ok(_)) => Self::Sign,
        }
    }
}

impl Talk {
    async fn run(mut self, mut socket: WebSocket) {
        let created = self.described("session.created");
        let mut open = self.send(&mut socket, vec![created]).await;
        let mut last = Instant::now();
        let mut waiting = VecDeque::new();
        while open && !self.is_ending() && last.elapsed() < QUIET_MAX {
            let next = match waiting.pop_front() {
                Some(message) => Next::of(message),
                None => self.next(&mut socket).await,
            };
            if !matches!(next, Next::Nothing) {
                last = Instant::now();
            }
            let told = match next {
                Next::Heard(event) => self.items.told(&event),
                Next::Said(message) => {
                    let mut taking = pin!(self.take(&message));
                    loop {
                        tokio::select! {
                            told = &mut taking => break told,
                            // pings are answered meanwhile
                            next = socket.recv(), if waiting.len() < WAITING_MAX => {
                                waiting.push_back(next);
                            }
                        }
                    }
                }
                Next::Sign | Next::Nothing => Vec::new(),
                Next::Ended => break,
            };
            open = self.send(&mut socket, told).await;
        }
        // what was said is heard, also when the client has gone
        let told = self.finish().await.unwrap_or_default();
        if self.send(&mut socket, told).await {
            let _ = socket.send(Message::Close(None)).await;
        }
    }

    /// Whether the server stops, or the session is closed.
    fn is_ending(&self) -> bool {
        self.server.sessions.is_closing() || self.session.as_ref().is_some_and(|it| it.is_ending())
    }

    async fn next(&mut self, socket: &mut WebSocket) -> Next {
        let heard = async {
            match &mut self.live {
                Some(live) => live.events.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = heard => event.map_or(Next::Ended, Next::Heard),
            message = tokio::time::timeout(LOOK_EVERY, socket.recv()) => match message {
                Ok(message) => Next::of(message),
                Err(_) => Next::Nothing,
            }
        }
    }

    /// Sends events; returns whether the client is there.
    async fn send(&mut self, socket: &mut WebSocket, told: Vec<Value>) -> bool {
        for mut event in told {
            self.sent += 1;
            event["event_id"] = json!(format!("event_{}", self.sent));
            if socket.send(Message::text(event.to_string())).await.is_err() {
                return false;
            }
        }
        true
    }

    async fn take(&mut self, message: &str) -> Vec<Value> {
        let message: Value = match serde_json::from_str(message) {
            Ok(message) => message,
            Err(error) => {
                let wrong = Wrong::from(Problem::bad(format!("a message is no JSON: {error}")));
                return vec![wrong.told(&Value::Null)];
            }
        };
        let done = match message["type"].as_str().unwrap_or_default() {
            kind @ ("session.update" | "transcription_session.update") => {
                self.update(kind, &message["session"]).await
            }
            "input_audio_buffer.append" => self.append(&message).await,
            "input_audio_buffer.commit" => self.commit().await,
            "input_audio_buffer.clear" => Ok(vec![self.clear()]),
            other => Err(Problem::bad(format!(
                "there is no `{other}` here; session.update and input_audio_buffer.append, .commit \
                 and .clear are possible"
            ))
            .into()),
        };
        done.unwrap_or_else(|wrong| vec![wrong.told(&message["event_id"])])
    }

    fn described(&self, kind: &str) -> Value {
        let turns = self.turns.map(|it| {
            json!({"type": "server_vad", "silence_duration_ms": it.silence_ms,
                "threshold": it.threshold, "prefix_padding_ms": it.padding_ms})
        });
        let transcription = json!({"model": "weir", "language": self.wish.language,
            "prompt": self.wish.expected});
        let input = json!({"format": {"type": "audio/pcm", "rate": self.rate_hz},
            "noise_reduction": null, "turn_detection": turns, "transcription": transcription});
        let session = json!({"type": "transcription", "id": "sess_1",
            "object": "realtime.transcription_session", "audio": {"input": input}});
        json!({"type": kind, "session": session})
    }

    async fn update(&mut self, kind: &str, session: &Value) -> Told {
        let bad = |why: String| Wrong::from(Problem::bad(why));
        if let Some(other) = session["type"].as_str().filter(|it| *it != "transcription") {
            let why = format!("the type of the session is `{other}`; transcription is possible");
            return Err(bad(why));
        }
        // before the present interface the settings stood in the session itself
        let input = session.pointer("/audio/input").unwrap_or(session);
        let format = input.get("format").or(session.get("input_audio_format"));
        let format = format.unwrap_or(&Value::Null);
        let kind_of_sound = format["type"].as_str().or(format.as_str());
        if let Some(other) = kind_of_sound.filter(|it| !matches!(*it, "audio/pcm" | "pcm16")) {
            return Err(bad(format!(
                "the format is `{other}`; audio/pcm is possible"
            )));
        }
        let rate = format["rate"].as_u64().unwrap_or(self.rate_hz.into());
        let Some(rate) = RATES_HZ.into_iter().find(|it| u64::from(*it) == rate) else {
            return Err(bad(format!(
                "the rate is {rate}; {RATES_HZ:?} are possible"
            )));
        };
        let noise = input.get("noise_reduction");
        let noise = noise.or(session.get("input_audio_noise_reduction"));
        if noise.is_some_and(|it| !it.is_null()) {
            return Err(unfollowed("noise_reduction", "the sound is taken as it comes").into());
        }
        let turns = match input.get("turn_detection") {
            None => self.turns,
            Some(Value::Null) => None,
            Some(turns) => Some(pauses(turns)?),
        };
        let mut wish = self.wish.clone();
        let transcription = input.get("transcription");
        let transcription = transcription.or(session.get("input_audio_transcription"));
        let transcription = transcription.unwrap_or(&Value::Null);
        if let Some(given) = text_of(transcription, "language")? {
            language(&mut wish, given, &self.server.sessions.maker().languages())?;
        }
        if let Some(given) = text_of(transcription, "prompt")? {
            expected(&mut wish, given)?;
        }
        let mut told = Vec::new();
        if (rate, turns, &wish) != (self.rate_hz, self.turns, &self.wish) {
            told = self.finish().await?;
            self.forget_buffer();
            (self.rate_hz, self.turns, self.wish) = (rate, turns, wish);
        }
        told.push(self.described(&format!("{kind}d")));
        Ok(told)
    }

    fn forget_buffer(&mut self) {
        self.buffer.clear();
        self.room.clear();
    }

    /// Drops the sound that is not recognised yet.
    fn clear(&mut self) -> Value {
        self.forget_buffer();
        if let Some(live) = &self.live {
            // as many samples at 16 kHz, whose words nobody wants
            let samples = live.sent / 2 * 16_000 / u64::from(self.rate_hz);
            live.hearing.unwanted.store(samples, Ordering::Release);
        }
        self.items.cleared()
    }

    async fn append(&mut self, message: &Value) -> Told {
        let sound = message["audio"].as_str().unwrap_or_default();
        let sound = STANDARD
            .decode(sound)
            .map_err(|error| Problem::bad(format!("`audio` is not base64: {error}")))?;
        if let Some(pauses) = self.turns {
            if self.live.is_none() {
                self.live = Some(self.begin(pauses).await?);
            }
            if let Some(live) = &mut self.live {
                live.sent += sound.len() as u64;
                // the capture never waits, so a full pipe is soon emptied
                let sent = tokio::task::block_in_place(|| live.pieces.send(sound));
                sent.map_err(|_| Problem::internal("the sound is not heard any more"))?;
            }
            return Ok(Vec::new());
        }
        if self.buffer.len() + sound.len() > BUFFER_BYTES_MAX {
            let why = format!("more than {BUFFER_BYTES_MAX} bytes of sound wait to be committed");
            return Err(Problem::bad(why).into());
        }
        self.room.push(self.server.room_for_sound(sound.len())?);
        self.buffer.extend_from_slice(&sound);
        Ok(Vec::new())
    }

    async fn commit(&mut self) -> Told {
        if self.turns.is_some() {
            return self.finish().await;
        }
        if self.buffer.is_empty() {
            return Err(Wrong {
                code: json!("input_audio_buffer_commit_empty"),
                message: "no sound was sent since the last commit".to_owned(),
            });
        }
        let sound = Cursor::new(std::mem::take(&mut self.buffer));
        let room = std::mem::take(&mut self.room);
        let source = PcmReader::new(sound, "realtime", PcmFormat::S16, self.rate_hz, 1);
        let source = Box::new(source.map_err(Problem::bad)?);
        let (ears, session) = (Arc::clone(&self.server.ears), self.session.clone());
        let (permit, wish) = (ears.permit().await?, self.wish.clone());
        let heard = blocking(move || {
            let _permit = (permit, room);
            let heard = ears.hear(source, wish, &mut |_| true)?;
            let said: Vec<String> = heard.said.iter().map(|it| it.text()).collect();
            if let Some(session) = session.filter(|_| !said.is_empty()) {
                let said = said.iter().map(|text| Utterance {
                    speaker: None,
                    ..Utterance::new("", text)
                });
                session.handle().hear_now(said, None)?;
            }
            Ok::<_, Problem>((said, heard.ms))
        });
        let (said, ms) = heard.await?;
        Ok(self.items.whole(&said, ms))
    }

    /// Begins to hear live sound.
    async fn begin(&self, pauses: Pauses) -> Result<LiveSound, Problem> {
        let permit = self.server.listen()?;
        let (server, session) = (Arc::clone(&self.server), self.session.clone());
        let pcm = Pcm {
            format: PcmFormat::S16,
            rate_hz: self.rate_hz,
            channels: 1,
        };
        let wish = SpeechWish {
            pauses: Some(pauses),
            ..self.wish.clone()
        };
        blocking(move || {
            let (session, temporary) = server.sessions.or_temporary(session)?;
            let (stream, news) = (stream_name("realtime"), session.handle().subscribe());
            let name = stream.clone();
            let (pieces, hearing) =
                Hearing::live(&server, Arc::clone(&session), name, pcm, wish, permit)?;
            let (told, events) = mpsc::channel(EVENTS_MAX);
            let ended = Arc::<AtomicBool>::default();
            let following = Following {
                stream,
                session,
                ended: Arc::clone(&ended),
            };
            tokio::task::spawn_blocking(move || following.follow(&news, &told));
            Ok::<_, Problem>(LiveSound {
                sent: 0,
                pieces,
                events,
                hearing,
                ended,
                temporary,
            })
        })
        .await
    }

    /// Hears what is left of the live sound.
    async fn finish(&mut self) -> Told {
        let Some(live) = self.live.take() else {
            return Ok(Vec::new());
        };
        let LiveSound {
            pieces,
            mut events,
            hearing,
            ended,
            temporary,
            sent: _,
        } = live;
        drop(pieces);
        let finishing = blocking(move || {
            let heard = hearing.finish();
            ended.store(true, Ordering::Release);
            heard
        });
        let telling = async {
            let mut told = Vec::new();
            while let Some(event) = events.recv().await {
                told.extend(self.items.told(&event));
            }
            told
        };
        let (heard, told) = tokio::join!(finishing, telling);
        if let Some(temporary) = temporary {
            temporary.close().await?;
        }
        heard?;
        let mut told = told;
        told.extend(self.items.finish());
        Ok(told)
    }
}
