//! Wyoming, the protocol of Home Assistant's voice assistants: speech to text, and conversation.
//!
//! Over TCP: one line of JSON `{type, data, data_length, payload_length}`, then so many bytes of
//! JSON and so many of sound. It knows no tokens, so it is for loopback, or for a network that is
//! trusted. What is said to the assistant is heard in one session.

use crate::blocking::blocking;
use crate::problem::Problem;
use crate::sessions::{SessionName, SpeechWish};
use crate::state::Shared;
use serde_json::{Value, json};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use weir_asr::{PcmFormat, PcmReader, Recognised};
use weir_core::text::Route;
use weir_engine::Utterance;
use weir_engine::pipeline::AskRequest;

/// Longest line, and longest JSON behind it, in bytes.
const TEXT_BYTES_MAX: usize = 64 << 10;
/// Longest piece of sound in bytes.
const PIECE_BYTES_MAX: usize = 1 << 20;
/// Longest sound of one utterance in bytes: five minutes of 16 kHz.
const SOUND_BYTES_MAX: usize = 5 * 60 * 16_000 * 2;
/// Connections at the same time; further ones are closed.
const CONNECTIONS_MAX: usize = 64;
/// How long a connection may be silent.
const SILENT: Duration = Duration::from_secs(300);
/// Who speaks through a program of this machine.
const SPEAKER: &str = "User";

/// What is said to something that was told.
const NOTED: &str = "Noted.";
/// What is said to a command.
const NOT_HANDLED: &str = "I remember and answer; I cannot do that.";

/// A message of the protocol.
struct Message {
    kind: String,
    data: Value,
    payload: Vec<u8>,
}

/// Serves the protocol until the server stops.
pub(crate) async fn serve(listener: TcpListener, server: Arc<Shared>, session: SessionName) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok((stream, client)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
            log::warn!("{client}: {CONNECTIONS_MAX} assistants are connected already");
            continue;
        };
        let (server, session) = (Arc::clone(&server), session.clone());
        tokio::spawn(async move {
            let _permit = permit;
            let talk = Assistant {
                server,
                session,
                speaker: speaker_at(client.ip()),
                wish: SpeechWish::default(),
                sound: Sound::default(),
            };
            if let Err(error) = talk.converse(stream).await {
                log::info!("{client}: an assistant left: {error}");
            }
        });
    }
}

/// Sound that comes in.
struct Sound {
    rate_hz: u32,
    channels: u16,
    bytes: Vec<u8>,
}

impl Default for Sound {
    fn default() -> Self {
        Self {
            rate_hz: 16_000,
            channels: 1,
            bytes: Vec::new(),
        }
    }
}

struct Assistant {
    server: Arc<Shared>,
    session: SessionName,
    /// Who speaks: nobody's "my" is another's.
    speaker: String,
    wish: SpeechWish,
    sound: Sound,
}

impl Assistant {
    async fn converse(mut self, stream: TcpStream) -> io::Result<()> {
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        loop {
            let message = tokio::time::timeout(SILENT, receive(&mut read)).await;
            let Some(message) = message.map_err(|_| io::ErrorKind::TimedOut)?? else {
                return Ok(());
            };
            if let Some(reply) = self.reply(message).await? {
                write.write_all(&reply).await?;
            }
        }
    }

    /// The reply to a message; unknown ones have none.
    async fn reply(&mut self, message: Message) -> io::Result<Option<Vec<u8>>> {
        let Message {
            kind,
            data,
            payload,
        } = message;
        Ok(match kind.as_str() {
            "describe" => {
                let server = Arc::clone(&self.server);
                let languages =
                    blocking(move || Ok::<_, Problem>(server.sessions.maker().languages()));
                let languages = languages.await.map_err(|it| failed(&it))?;
                Some(sent("info", &about(&languages))?)
            }
            "transcribe" => {
                // a code such as "en", with or without a region
                let language = data.get("language").and_then(Value::as_str);
                let code = language.and_then(|it| it.split(['-', '_']).next());
                self.wish.language = code.filter(|it| !it.is_empty()).map(str::to_lowercase);
                None
            }
            "ping" => Some(sent("pong", &data)?),
            "audio-start" => {
                self.sound = Sound::of(&data)?;
                None
            }
            "audio-chunk" => {
                let sound = &mut self.sound.bytes;
                if sound.len() + payload.len() > SOUND_BYTES_MAX {
                    return Err(wrong("an utterance is longer than five minutes"));
                }
                sound.extend_from_slice(&payload);
                None
            }
            "audio-stop" => {
                let sound = std::mem::take(&mut self.sound);
                Some(match self.words(sound).await {
                    Ok(text) => sent("transcript", &json!({"text": text}))?,
                    Err(problem) => {
                        let about = json!({"text": problem.detail(), "code": problem.class()});
                        sent("error", &about)?
                    }
                })
            }
            "transcript" => {
                let said = data.get("text").and_then(Value::as_str).unwrap_or_default();
                let done = self.handled(said.to_owned()).await;
                let (is_done, text) = done.unwrap_or_else(|it| (false, it.detail().to_owned()));
                // what is not dealt with, another agent may know
                let kind = if is_done { "handled" } else { "not-handled" };
                Some(sent(kind, &json!({"text": text}))?)
            }
            _ => None,
        })
    }

    async fn words(&self, sound: Sound) -> Result<String, Problem> {
        let permit = self.server.ears.permit().await?;
        let (ears, wish) = (Arc::clone(&self.server.ears), self.wish.clone());
        blocking(move || {
            let _permit = permit;
            let reader = io::Cursor::new(sound.bytes);
            let (rate, channels) = (sound.rate_hz, sound.channels);
            let source = PcmReader::new(reader, "assistant", PcmFormat::S16, rate, channels);
            let source = Box::new(source.map_err(Problem::bad)?);
            let heard = ears.hear(source, wish, &mut |_| true)?;
            let said: Vec<String> = heard.said.iter().map(Recognised::text).collect();
            Ok::<_, Problem>(said.join(" "))
        })
        .await
    }

    /// What the assistant says to a turn, and whether that deals with it: neither a command nor a
    /// question that memory cannot answer is dealt with. Every turn is heard in the session.
    async fn handled(&self, said: String) -> Result<(bool, String), Problem> {
        if said.trim().is_empty() {
            return Err(Problem::bad("nothing was said"));
        }
        let session = self.server.sessions.get_or_create(&self.session).await?;
        let speaker = self.speaker.clone();
        blocking(move || {
            let handle = session.handle();
            let route = Route::of(&said);
            let retrieve = route.retrieve;
            let command = route.command && route.demand.is_none();
            let asked = retrieve.then(|| AskRequest {
                id: "ask".to_owned(),
                stream: None,
                text: said.clone(),
                asked_by: Some(speaker.clone()),
                at: weir_engine::QuestionTime::default(),
            });
            // asked before it is heard: the answer would quote it otherwise
            let answer = asked.map(|it| handle.ask(it, None)).transpose()?;
            handle.hear_now([Utterance::new(speaker, said)], None)?;
            Ok::<_, weir_engine::ServiceError>(match answer {
                Some(found) => (found.answer.kind.is_answered(), found.answer.text),
                None if command => (false, NOT_HANDLED.to_owned()),
                None => (true, NOTED.to_owned()),
            })
        })
        .await
    }
}

/// The speaker at an address.
fn speaker_at(address: IpAddr) -> String {
    match address.to_canonical() {
        address if address.is_loopback() => SPEAKER.to_owned(),
        address => format!("{SPEAKER} at {address}"),
    }
}

impl Sound {
    fn of(data: &Value) -> io::Result<Self> {
        let number = |key: &str, usual: u64| data.get(key).and_then(Value::as_u64).unwrap_or(usual);
        if number("width", 2) != 2 {
            return Err(wrong("only sound of 16 bits is understood"));
        }
        let rate_hz = u32::try_from(number("rate", 16_000));
        let channels = u16::try_from(number("channels", 1));
        Ok(Self {
            rate_hz: rate_hz.map_err(|_| wrong("the rate is too high"))?,
            channels: channels.map_err(|_| wrong("there are too many channels"))?,
            bytes: Vec::new(),
        })
    }
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn failed(problem: &Problem) -> io::Error {
    io::Error::other(problem.detail().to_owned())
}

/// The next message; `None` if the client left.
async fn receive(read: &mut (impl tokio::io::AsyncBufRead + Unpin)) -> io::Result<Option<Message>> {
    let mut line = Vec::new();
    let most = TEXT_BYTES_MAX as u64;
    if (&mut *read).take(most).read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(wrong("a line is too long, or ends in the middle"));
    }
    let head: Value = serde_json::from_slice(&line)?;
    let length = |key: &str, most: usize| match head.get(key).and_then(Value::as_u64) {
        None => Ok(0),
        Some(bytes) if bytes <= most as u64 => Ok(bytes as usize),
        Some(bytes) => Err(wrong(&format!(
            "{key} is {bytes}; at most {most} are possible"
        ))),
    };
    let (data, payload) = (
        length("data_length", TEXT_BYTES_MAX)?,
        length("payload_length", PIECE_BYTES_MAX)?,
    );
    let mut more = vec![0; data];
    read.read_exact(&mut more).await?;
    let mut payload = vec![0; payload];
    read.read_exact(&mut payload).await?;
    let mut data = head.get("data").cloned().unwrap_or_else(|| json!({}));
    if !more.is_empty()
        && let (Some(data), Value::Object(more)) =
            (data.as_object_mut(), serde_json::from_slice(&more)?)
    {
        data.extend(more);
    }
    let kind = head.get("type").and_then(Value::as_str).unwrap_or_default();
    Ok(Some(Message {
        kind: kind.to_owned(),
        data,
        payload,
    }))
}

fn sent(kind: &str, data: &Value) -> io::Result<Vec<u8>> {
    let data = serde_json::to_vec(data)?;
    let head = json!({"type": kind, "data_length": data.len()});
    let mut bytes = serde_json::to_vec(&head)?;
    bytes.push(b'\n');
    bytes.extend(data);
    Ok(bytes)
}

/// What the server offers; it hears speech in these languages, and answers in English.
fn about(languages: &[&str]) -> Value {
    let by = json!({"name": "Weir", "url": ""});
    let artifact = |languages: &[&str], description: &str| {
        json!({"name": "weir", "description": description, "installed": true,
            "attribution": by, "version": env!("CARGO_PKG_VERSION"), "languages": languages})
    };
    let with = |mut program: Value, model: Value| {
        program["models"] = json!([model]);
        json!([program])
    };
    let ears = artifact(languages, "Speech to text on this machine");
    let memory = artifact(&["en"], "A memory of what was said");
    json!({
        "asr": with(ears.clone(), ears),
        "handle": with(memory.clone(), memory),
        "tts": [], "intent": [], "wake": [], "mic": [], "snd": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn received(bytes: &[u8]) -> io::Result<Option<Message>> {
        receive(&mut BufReader::new(bytes)).await
    }

    #[test]
    fn each_client_is_a_speaker() {
        let at = |address: &str| speaker_at(address.parse().expect("it is an address"));
        assert_eq!(at("127.0.0.1"), "User");
        assert_eq!(at("::1"), "User");
        assert_eq!(at("192.0.2.7"), "User at 192.0.2.7");
        assert_eq!(at("::ffff:192.0.2.7"), "User at 192.0.2.7");
    }

    #[tokio::test]
    async fn a_message_has_data_in_its_line_or_behind_it_and_a_payload() {
        let bytes = b"{\"type\":\"audio-chunk\",\"data\":{\"rate\":16000},\"data_length\":11,\
            \"payload_length\":2}\n{\"width\":2}ab";
        let message = received(bytes).await.expect("it is one").expect("it came");
        assert_eq!(message.kind, "audio-chunk");
        assert_eq!(message.data, json!({"rate": 16_000, "width": 2}));
        assert_eq!(message.payload, b"ab");
        assert!(received(b"").await.expect("nobody came").is_none());
    }

    #[tokio::test]
    async fn what_is_no_message_is_refused_before_it_takes_room() {
        for bytes in [
            &b"{\"type\":\"x\",\"payload_length\":1000000000000}\n"[..],
            b"{\"type\":\"x\",\"data_length\":1000000}\n",
            b"{\"type\":\"x\",\"payload_length\":5}\nab",
            b"GET / HTTP/1.1\r\n",
            b"{\"type\":",
            &[b'x'; TEXT_BYTES_MAX + 1],
        ] {
            assert!(received(bytes).await.is_err());
        }
    }
}
