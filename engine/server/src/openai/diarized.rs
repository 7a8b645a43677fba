//! Recordings to words with the speaker of each sentence. A session hears the recording, since it
//! tells voices apart: the one that the address names, else a temporary one.

use super::refusal::Refusal;
use super::sentences::{SENTENCES_MAX, finish, seconds, send};
use crate::blocking::{GivenUp, blocking, received};
use crate::problem::Problem;
use crate::rest::Hearing;
use crate::sessions::{OpenSession, SpeechWish, Temporary};
use crate::state::Shared;
use crate::upload::stream_name;
use axum::Json;
use axum::response::sse::Sse;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use weir_api::Event;
use weir_asr::AudioSource;
use weir_core::stream::StreamStart;
use weir_engine::pipeline::Stop;

/// How a speaker is called whom nobody can tell apart.
const SOMEBODY: &str = "unknown";

/// Transcribes a recording with its speakers.
pub(super) async fn diarize(
    server: Arc<Shared>,
    session: Option<Arc<OpenSession>>,
    sound: Box<dyn AudioSource>,
    wish: &SpeechWish,
    streamed: bool,
) -> Result<Response, Refusal> {
    let permit = server.listen()?;
    let opening = Arc::clone(&server);
    let opened = blocking(move || opening.sessions.or_temporary(session));
    let (session, temporary) = opened.await?;
    let stop = Stop::default();
    let job = Job {
        server,
        session,
        sound,
        stop: stop.clone(),
        wish: wish.clone(),
        permit,
    };
    if streamed {
        let (events, written) = mpsc::channel(SENTENCES_MAX);
        tokio::spawn(async move {
            let heard = blocking(move || {
                let heard = job
                    .hear(&mut |segment| send(&events, "transcript.text.segment", segment.clone()));
                finish(&events, heard.map(|heard| heard.text()));
                Ok::<_, Problem>(())
            });
            close(heard.await, temporary).await
        });
        let events = received(written).map(Ok::<_, Infallible>);
        return Ok(Sse::new(events).into_response());
    }
    let _given_up = GivenUp(stop);
    let heard = blocking(move || job.hear(&mut |_| true)).await;
    let heard = close(heard, temporary).await?;
    let reply = json!({"task": "transcribe", "duration": heard.seconds, "text": heard.text(),
        "segments": heard.segments});
    Ok(Json(reply).into_response())
}

/// Closes a temporary session, whatever came of the work.
async fn close<T>(done: Result<T, Problem>, temporary: Option<Temporary>) -> Result<T, Problem> {
    if let Some(temporary) = temporary {
        temporary.close().await?;
    }
    done
}

struct Job {
    server: Arc<Shared>,
    session: Arc<OpenSession>,
    sound: Box<dyn AudioSource>,
    stop: Stop,
    wish: SpeechWish,
    permit: OwnedSemaphorePermit,
}

/// What was heard.
struct Diarized {
    segments: Vec<Value>,
    seconds: f64,
}

impl Diarized {
    fn text(&self) -> String {
        let texts = self.segments.iter().filter_map(|it| it["text"].as_str());
        texts.collect::<Vec<_>>().join(" ")
    }
}

impl Job {
    /// Hears the recording; `tell` gets each segment.
    fn hear(self, tell: &mut dyn FnMut(&Value) -> bool) -> Result<Diarized, Problem> {
        let news = self.session.handle().subscribe();
        let start = StreamStart::new(stream_name("recording"), None);
        let (server, session) = (&self.server, self.session);
        let hearing = Hearing::recording(
            server,
            session,
            start,
            (self.sound, self.stop),
            self.wish,
            self.permit,
        )?;
        let mut segments = Vec::new();
        let heard =
            hearing.wait_telling(&news, &mut |event| match segment(segments.len(), event) {
                Some(segment) => {
                    let go_on = tell(&segment);
                    segments.push(segment);
                    go_on
                }
                None => true,
            })?;
        Ok(Diarized {
            segments,
            seconds: seconds(heard.audio_ms),
        })
    }
}

fn segment(at: usize, event: &Event) -> Option<Value> {
    let Event::Utterance {
        speaker,
        start_ms,
        end_ms,
        text,
        ..
    } = event
    else {
        return None;
    };
    Some(
        json!({"type": "transcript.text.segment", "id": format!("seg_{at}"),
        "start": seconds(*start_ms), "end": seconds(*end_ms),
        "speaker": speaker.as_deref().unwrap_or(SOMEBODY), "text": text}),
    )
}
