//! Recordings to words, as clients of OpenAI's audio interface ask for them. Where the address
//! names a session, what was said is also heard in it.

use super::diarized::diarize;
use super::refusal::Refusal;
use super::sentences::{SENTENCES_MAX, finish, seconds, send};
use super::wish;
use crate::blocking::{GivenUp, blocking, received};
use crate::ears::{Ears, HeardSound};
use crate::problem::Problem;
use crate::sessions::{OpenSession, SessionName, SpeechWish};
use crate::state::Shared;
use crate::upload::{opened, stored, stream_name};
use axum::Json;
use axum::extract::multipart::{Field, MultipartRejection};
use axum::extract::{Multipart, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tempfile::NamedTempFile;
use tokio::sync::mpsc;
use weir_api::Change;
use weir_asr::{AudioSource, Recognised, SampleSpan};
use weir_engine::control::change_of;
use weir_engine::pipeline::Stop;
use weir_engine::{Span, Utterance};

/// Longest value of a field that is no file, in bytes.
const FIELD_BYTES_MAX: usize = 4_096;

/// Formats of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Format {
    #[default]
    Json,
    Text,
    Srt,
    Vtt,
    VerboseJson,
    DiarizedJson,
}

impl Format {
    fn of(name: &str) -> Result<Self, Problem> {
        Ok(match name {
            "json" => Self::Json,
            "text" => Self::Text,
            "srt" => Self::Srt,
            "vtt" => Self::Vtt,
            "verbose_json" => Self::VerboseJson,
            "diarized_json" => Self::DiarizedJson,
            other => {
                let why = "json, text, srt, vtt, verbose_json and diarized_json are possible";
                return Err(Problem::bad(format!(
                    "the response_format is `{other}`; {why}"
                )));
            }
        })
    }
}

/// A request as it was sent; the name of the model does not matter.
#[derive(Default)]
struct Wanted {
    wish: SpeechWish,
    file: Option<NamedTempFile>,
    format: Format,
    words: bool,
    stream: bool,
}

impl Wanted {
    async fn read(mut parts: Multipart, most: u64, languages: &[&str]) -> Result<Self, Problem> {
        let mut wanted = Self::default();
        while let Some(field) = parts.next_field().await.map_err(Problem::bad)? {
            let name = field.name().unwrap_or_default().to_owned();
            if name == "file" {
                wanted.file = Some(stored(field, most).await?);
                continue;
            }
            let value = text(field).await?;
            match name.as_str() {
                "response_format" => wanted.format = Format::of(&value)?,
                "timestamp_granularities[]" | "timestamp_granularities" => match value.trim() {
                    "word" => wanted.words = true,
                    "segment" => {}
                    _ => return Err(wish::unfollowed(&name, "it is word or segment")),
                },
                "stream" => wanted.stream = matches!(&*value.to_lowercase(), "true" | "1"),
                "language" => wish::language(&mut wanted.wish, &value, languages)?,
                "prompt" => wish::expected(&mut wanted.wish, &value)?,
                "temperature" if value.trim().parse() != Ok(0.0) => {
                    let why = "the likeliest words are taken";
                    return Err(wish::unfollowed("temperature", why));
                }
                "chunking_strategy" if value.trim_matches('"') != "auto" => {
                    let why = "pauses are found as in every recording";
                    return Err(wish::unfollowed("chunking_strategy", why));
                }
                "include[]" | "include" => {
                    let why = "`verbose_json` says how sure a sentence is";
                    return Err(wish::unfollowed("include", why));
                }
                "known_speaker_names[]" | "known_speaker_references[]" => {
                    let why = "voices have their names from `weir speakers`";
                    return Err(wish::unfollowed(&name, why));
                }
                _ => {}
            }
        }
        Ok(wanted)
    }
}

async fn text(mut field: Field<'_>) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(Problem::bad)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > FIELD_BYTES_MAX {
            let why = format!("a field is longer than {FIELD_BYTES_MAX} bytes");
            return Err(Problem::bad(why));
        }
    }
    String::from_utf8(bytes).map_err(|_| Problem::bad("a field is not UTF-8"))
}

/// Transcribes a recording.
pub(super) async fn transcriptions(
    State(server): State<Arc<Shared>>,
    parts: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    transcribe(server, None, parts).await
}

/// Transcribes a recording, which a session hears too.
pub(super) async fn transcriptions_heard(
    State(server): State<Arc<Shared>>,
    session: SessionName,
    parts: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    transcribe(server, Some(session), parts).await
}

async fn transcribe(
    server: Arc<Shared>,
    session: Option<SessionName>,
    multipart: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    let multipart = multipart.map_err(Problem::bad)?;
    let languages = server.sessions.maker().languages();
    let most = server.config.limits.audio_bytes;
    let mut wanted = Wanted::read(multipart, most, &languages).await?;
    let no_file = || Problem::bad("no `file` was sent");
    let file = wanted.file.take().ok_or_else(no_file)?;
    // no session is made for what is no recording
    let sound = blocking(move || opened(file)).await?;
    let session = match session {
        Some(name) => Some(server.sessions.get_or_create(&name).await?),
        None => None,
    };
    if wanted.format == Format::DiarizedJson {
        return diarize(server, session, sound, &wanted.wish, wanted.stream).await;
    }
    let permit = server.ears.permit().await?;
    let ears = Arc::clone(&server.ears);
    let job = Job {
        ears,
        sound,
        session,
        wish: wanted.wish.clone(),
    };
    if wanted.stream {
        let (events, written) = mpsc::channel(SENTENCES_MAX);
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            job.stream(&events);
        });
        let events = received(written).map(Ok::<_, Infallible>);
        return Ok(Sse::new(events).into_response());
    }
    let stop = Stop::default();
    let _given_up = GivenUp(stop.clone());
    let heard = blocking(move || {
        let _permit = permit;
        job.hear(&mut |_| !stop.is_set() && !server.sessions.is_closing())
    });
    Ok(reply(&heard.await?, &wanted))
}

/// A recording to transcribe.
struct Job {
    ears: Arc<Ears>,
    sound: Box<dyn AudioSource>,
    session: Option<Arc<OpenSession>>,
    wish: SpeechWish,
}

impl Job {
    fn hear(self, tell: &mut dyn FnMut(&Recognised) -> bool) -> Result<HeardSound, Problem> {
        let heard = self.ears.hear(self.sound, self.wish, tell)?;
        if let Some(session) = &self.session {
            remember(session, &heard.said)?;
        }
        Ok(heard)
    }

    /// Sends each sentence as it is recognised, then the whole.
    fn stream(self, events: &mpsc::Sender<Event>) {
        let mut first = true;
        let heard = self.hear(&mut |said| {
            let space = if first { "" } else { " " };
            first = false;
            let delta = json!({"delta": format!("{space}{}", said.text())});
            send(events, "transcript.text.delta", delta)
        });
        let done = heard.map(|heard| whole(&heard));
        finish(events, done);
    }
}

/// Hears in a session what was said in a recording, as a stream of its own.
fn remember(session: &OpenSession, said: &[Recognised]) -> Result<(), Problem> {
    if said.is_empty() {
        return Ok(());
    }
    let stream = stream_name("recording");
    let handle = session.handle();
    let begin = Change::Begin {
        name: stream.clone(),
        started_at_unix_ms: None,
        zone: None,
        beside: true,
    };
    handle.change(change_of(begin, handle.encoder())?, None)?;
    let said = said.iter().map(|it| Utterance {
        stream: stream.clone(),
        speaker: None,
        span: Span::new(it.span.start_ms(), it.span.end_ms()),
        confidence: Some(it.confidence),
        ..Utterance::new("", it.text())
    });
    handle.hear(said, None)?;
    let end = Change::End { stream };
    handle.change(change_of(end, handle.encoder())?, None)?;
    Ok(())
}

fn whole(heard: &HeardSound) -> String {
    let said: Vec<String> = heard.said.iter().map(Recognised::text).collect();
    said.join(" ")
}

fn reply(heard: &HeardSound, wanted: &Wanted) -> Response {
    let plain = |text: String| ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text);
    match wanted.format {
        Format::Json => Json(json!({"text": whole(heard)})).into_response(),
        Format::Text => plain(whole(heard) + "\n").into_response(),
        Format::Srt => plain(cues(heard, "", ',')).into_response(),
        Format::Vtt => plain(cues(heard, "WEBVTT\n\n", '.')).into_response(),
        Format::VerboseJson | Format::DiarizedJson => {
            Json(verbose(heard, wanted.words)).into_response()
        }
    }
}

/// Subtitles: with numbers where there is no head.
fn cues(heard: &HeardSound, head: &str, point: char) -> String {
    let time = |ms: u64| {
        let (s, ms) = (ms / 1_000, ms % 1_000);
        format!(
            "{:02}:{:02}:{:02}{point}{ms:03}",
            s / 3_600,
            s / 60 % 60,
            s % 60
        )
    };
    let mut text = head.to_owned();
    for (at, said) in heard.said.iter().enumerate() {
        if head.is_empty() {
            text.push_str(&format!("{}\n", at + 1));
        }
        let (start, end) = (time(said.span.start_ms()), time(said.span.end_ms()));
        text.push_str(&format!("{start} --> {end}\n{}\n\n", said.text()));
    }
    text
}

fn verbose(heard: &HeardSound, words: bool) -> Value {
    let times = |span: SampleSpan| (seconds(span.start_ms()), seconds(span.end_ms()));
    let segments = heard.said.iter().enumerate().map(|(at, said)| {
        let (start, end) = times(said.span);
        json!({"id": at, "seek": 0, "start": start, "end": end, "text": said.text(),
            "tokens": [], "temperature": 0.0, "avg_logprob": said.confidence.max(1e-6).ln(),
            "compression_ratio": 1.0, "no_speech_prob": 0.0})
    });
    let mut reply = json!({"task": "transcribe", "language": heard.language.unwrap_or("en"),
        "duration": seconds(heard.ms), "text": whole(heard),
        "segments": segments.collect::<Vec<_>>()});
    if words {
        let words = heard.said.iter().flat_map(|it| &it.words).map(|it| {
            let (start, end) = times(it.span);
            json!({"word": it.text, "start": start, "end": end})
        });
        reply["words"] = words.collect();
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_asr::Word;

    #[test]
    fn subtitles_have_the_times_of_sentences() {
        let span = SampleSpan::from_ms(3_661_500, 3_662_000);
        let word = Word {
            text: "Hello.".into(),
            span,
            confidence: 0.9,
        };
        let heard = HeardSound {
            said: vec![Recognised {
                span,
                channel: 0,
                words: vec![word],
                confidence: 0.9,
            }],
            ms: 3_700_000,
            language: None,
        };
        let srt = "1\n01:01:01,500 --> 01:01:02,000\nHello.\n\n";
        assert_eq!(cues(&heard, "", ','), srt);
        let vtt = "WEBVTT\n\n01:01:01.500 --> 01:01:02.000\nHello.\n\n";
        assert_eq!(cues(&heard, "WEBVTT\n\n", '.'), vtt);
        let verbose = verbose(&heard, true);
        assert_eq!(verbose["words"][0]["start"], 3_661.5);
        assert_eq!(
            (&verbose["duration"], &verbose["language"]),
            (&json!(3700.0), &json!("en"))
        );
    }
}
