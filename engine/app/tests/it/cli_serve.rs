//! `weir serve` and `weir mcp` with the clients that people use, by their own packages.

use crate::cli_support::{Place, interrupt};
use crate::serving::{Serving, client, json_at, python, recording};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tungstenite::client::IntoClientRequest as _;
use weir_fixtures::http::{After, HttpServer, Request};
use weir_fixtures::rounds;

#[test]
fn a_client_that_is_generated_from_the_description_hears_and_asks() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let serving = Serving::of(&place, &[]);
    let folder = place.path("generated");
    std::fs::create_dir(&folder).expect("it can be made");
    let folder = folder.to_string_lossy().into_owned();
    client(&python, "rest_client.py", &[&serving.address, &folder]);
}

#[test]
fn the_official_mcp_client_uses_every_tool_over_http() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let serving = Serving::of(&place, &[]);
    client(
        &python,
        "mcp_client.py",
        &[&format!("{}/s/home/mcp", serving.address)],
    );
}

#[test]
fn the_official_mcp_client_uses_every_tool_over_standard_input() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let data = place.path("served").to_string_lossy().into_owned();
    let weir = env!("CARGO_BIN_EXE_weir");
    let args = [
        weir, "mcp", "--session", "home", "--data", &data, "--encoder", "words",
    ];
    client(&python, "mcp_client.py", &args);
}

#[test]
fn the_official_openai_client_chats_through_a_memory() {
    let Some(python) = python() else { return };
    let model = HttpServer::start(|request, _, client| {
        let (kind, reply) = completes(request);
        client.answer(200, &format!("content-type: {kind}\r\n"), reply.as_bytes())?;
        Ok(After::Close)
    });
    let model_at = format!("{}/v1", model.url);
    let place = Place::new();
    let serving = Serving::of(&place, &["--upstream", &model_at]);
    client(
        &python,
        "openai_client.py",
        &[&format!("{}/s/home/v1", serving.address)],
    );
}

#[test]
fn the_model_of_this_machine_answers_a_chat_that_has_a_memory() {
    let (name, file) = ("SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct.Q4_1.gguf");
    let Some(file) = weir_fixtures::model_file(name, file) else {
        return;
    };
    let Some(python) = python() else { return };
    let models = file.ancestors().nth(2).expect("it lies in a store");
    let models = models.to_string_lossy().into_owned();
    let place = Place::new();
    let serving = Serving::of(&place, &["--models", &models, "--upstream", "local"]);
    let chats = format!("{}/s/home/v1", serving.address);
    client(&python, "local_client.py", &[&chats, name]);
    let lines = json_at(&format!("{}/v1/sessions/home/transcript", serving.address));
    let said = lines.to_string();
    assert!(
        said.contains("4711") && said.contains("What is the code?"),
        "{said}"
    );
}

/// The server ends in order, and keeps what was said.
#[test]
fn a_model_that_never_answers_does_not_keep_the_server() {
    let model = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = model.local_addr().expect("it has one");
    let place = Place::new();
    let serving = Serving::of(&place, &["--upstream", &format!("http://{address}/v1")]);
    let chat = format!("{}/s/home/v1/chat/completions", serving.address);
    let asking = std::thread::spawn(move || {
        let request = ureq::post(chat).header("content-type", "application/json");
        let said = r#"{"messages": [{"role": "user", "content": "The boat is green."}]}"#;
        request.send(said).is_ok_and(|it| it.status() == 200)
    });
    let waiting = model.accept().expect("it is asked");
    drop(serving);
    assert!(!asking.join().expect("it does not panic"));
    drop(waiting);
    let served = place.path("served/sessions/home");
    let shown = place.weir(&["memory", "tree", "--session", &served.to_string_lossy()]);
    shown.ended(0).out_has("The boat is green.");
}

#[test]
fn the_official_openai_client_transcribes_in_every_format() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let (wav, word) = recording(&place);
    let serving = Serving::of(&place, &[]);
    client(
        &python,
        "transcribe_client.py",
        &[&serving.address, &wav, word],
    );
}

#[test]
fn the_official_openai_client_transcribes_live_sound() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let (wav, word) = recording(&place);
    let serving = Serving::of(&place, &[]);
    client(
        &python,
        "realtime_client.py",
        &[&serving.address, &wav, word],
    );
    let lines = json_at(&format!("{}/v1/sessions/live/transcript", serving.address));
    let heard = lines.to_string().matches(word).count();
    assert_eq!(heard, 2, "with and without turn detection: {lines}");
    assert_eq!(
        json_at(&format!("{}/v1/sessions", serving.address))
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[test]
fn the_official_wyoming_client_speaks_and_converses() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let (wav, word) = recording(&place);
    let free = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = free.local_addr().expect("it is bound").port().to_string();
    drop(free);
    let _serving = Serving::of(&place, &["--wyoming", &format!("127.0.0.1:{port}")]);
    client(
        &python,
        "wyoming_client.py",
        &["127.0.0.1", &port, &wav, word],
    );
}

/// Whether a session has a word in its transcript, with its sound.
#[track_caller]
fn heard_with_sound(session: &str, word: &str) {
    let lines = json_at(&format!("{session}/transcript"));
    let lines = lines.as_array().expect("they are a list").clone();
    let has = |line: &&Value| line["text"].as_str().is_some_and(|it| it.contains(word));
    let line = lines
        .iter()
        .find(has)
        .unwrap_or_else(|| panic!("{word}: {lines:?}"));
    let of = |key: &str| line[key].as_str().unwrap_or_default().replace(' ', "%20");
    let (stream, id) = (of("stream"), of("utterance").replace('#', "%23"));
    let clip = format!("{session}/clip?stream={stream}&utterance={id}");
    let mut wav = ureq::get(&clip).call().expect("it has sound");
    let wav = wav.body_mut().read_to_vec().expect("it is read");
    let wav = hound::WavReader::new(std::io::Cursor::new(wav)).expect("it is WAV");
    assert!(
        wav.duration() > wav.spec().sample_rate / 2,
        "{} samples",
        wav.duration()
    );
}

#[test]
fn a_recording_that_is_sent_is_heard_and_its_sound_is_evidence() {
    let place = Place::new();
    let (wav, word) = recording(&place);
    let serving = Serving::of(&place, &[]);
    let session = format!("{}/v1/sessions/home", serving.address);
    let sound = std::fs::read(wav).expect("it was written");
    let mut reply = ureq::post(&format!("{session}/recordings?name=kitchen"))
        .send(&sound[..])
        .expect("it replies");
    let heard: Value = serde_json::from_str(&reply.body_mut().read_to_string().expect("text"))
        .expect("it is JSON");
    assert_eq!(
        (&heard["stream"], &heard["failed_segments"]),
        (&json!("kitchen"), &json!(0))
    );
    assert!(
        heard["audio_ms"]
            .as_u64()
            .is_some_and(|ms| ms.abs_diff(4_000) < 50),
        "{heard}"
    );
    heard_with_sound(&session, word);
    let again = ureq::post(&format!("{session}/recordings")).send(&b"no sound"[..]);
    assert!(
        matches!(again, Err(ureq::Error::StatusCode(400))),
        "{again:?}"
    );
}

#[test]
fn live_sound_is_heard_over_a_web_socket_and_told_while_it_is_spoken() {
    let place = Place::new();
    let (wav, word) = recording(&place);
    let serving = Serving::of(&place, &[]);
    let session = format!("{}/v1/sessions/home", serving.address);
    let mut wav = hound::WavReader::open(wav).expect("it was written");
    let rate = wav.spec().sample_rate;
    let socket = session.replace("http://", "ws://");
    let socket = format!("{socket}/live?rate={rate}");
    let samples: Vec<i16> = wav.samples().map(|it| it.expect("it is whole")).collect();
    let speak = |stream: &str| {
        let socket = format!("{socket}&name={stream}");
        let (mut socket, _) = tungstenite::connect(&socket).expect("it is upgraded");
        for piece in samples.chunks(rate as usize / 10) {
            let bytes: Vec<u8> = piece.iter().flat_map(|it| it.to_le_bytes()).collect();
            let piece = tungstenite::Message::binary(bytes);
            socket.send(piece).expect("it is taken");
        }
        socket
    };
    let mut ended = speak("hall");
    let end = tungstenite::Message::binary(Vec::new());
    ended.send(end).expect("it is taken");
    let last = ended.read().expect("it says how much was heard");
    let last: Value = serde_json::from_str(last.to_text().expect("text")).expect("it is JSON");
    assert_eq!(last["stream"], "hall", "{last}");
    let ms = last["audio_ms"].as_u64().expect("it is a number");
    assert!(ms.abs_diff(4_000) < 50, "{last}");
    speak("kitchen").close(None).expect("it can be closed");
    // the session hears what is left, also when the client has gone
    let began = std::time::Instant::now();
    let lines = || json_at(&format!("{session}/transcript")).to_string();
    while lines().matches(word).count() < 2 {
        assert!(began.elapsed().as_secs() < 60, "{}", lines());
        std::thread::sleep(Duration::from_millis(100));
    }
    heard_with_sound(&session, word);
}

/// A server whose log is read to its end.
struct Logged {
    running: Child,
    session: String,
    reading: JoinHandle<String>,
}

impl Logged {
    fn of(place: &Place) -> Self {
        let args = [
            "serve", "--data", "served", "--bind", "127.0.0.1:0", "--encoder", "words", "-vvv",
        ];
        let mut running = place.piped(&args, Stdio::null());
        let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
        let mut log = String::new();
        while !log.contains(" until Ctrl-C") {
            assert!(said.read_line(&mut log).expect("it is text") > 0, "{log}");
        }
        let line = log.lines().last().expect("it is there");
        let address = line.split(" until").next().expect("it has one");
        let session = format!("{address}/v1/sessions/home");
        let reading = std::thread::spawn(move || {
            said.read_to_string(&mut log).expect("it is text");
            log
        });
        Self {
            running,
            session,
            reading,
        }
    }

    /// The status of a request.
    fn send(&self, path: &str, header: (&str, &str), body: &str) -> u16 {
        let request = ureq::post(format!("{}/{path}", self.session)).header(header.0, header.1);
        match request
            .header("content-type", "application/json")
            .send(body)
        {
            Ok(reply) => reply.status().as_u16(),
            Err(ureq::Error::StatusCode(status)) => status,
            Err(error) => panic!("{error}"),
        }
    }

    /// Says something over the realtime interface, which refuses it.
    fn speak(&self, bearer: &str, message: &str) {
        let socket = self
            .session
            .replace("http://", "ws://")
            .replace("v1/sessions", "s");
        let request = format!("{socket}/v1/realtime").into_client_request();
        let mut request = request.expect("it is an address");
        let value = bearer.parse().expect("it is a header");
        request.headers_mut().insert("authorization", value);
        let (mut socket, _) = tungstenite::connect(request).expect("it is upgraded");
        let message = tungstenite::Message::text(message);
        socket.send(message).expect("it is taken");
        for _ in 0..2 {
            socket.read().expect("it is described, and refused");
        }
        // it stays open: a server that stops does not wait for it
        std::mem::forget(socket);
    }

    fn end(mut self) -> String {
        interrupt(&self.running);
        let ended = self.running.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
        self.reading.join().expect("it was read")
    }
}

/// The log says who asked for what, whatever its level; tokens and words of talk are not in it.
#[test]
fn no_log_has_a_token_or_words_of_talk() {
    let place = Place::new();
    let args = [
        "tokens", "add", "phone", "--scope", "read,write,admin", "--data", "served",
    ];
    let token = place.weir(&args).ended(0).out.trim().to_owned();
    let served = Logged::of(&place);
    let (bearer, cookie) = (format!("Bearer {token}"), format!("weir_token={token}"));
    let talk = r#"{"utterances": [{"speaker": "Ana", "text": "The marzipan is in the attic."}]}"#;
    assert_eq!(
        served.send("utterances", ("authorization", &bearer), talk),
        200
    );
    let question = r#"{"question": "Where is the marzipan?"}"#;
    assert_eq!(served.send("ask", ("cookie", &cookie), question), 200);
    let wrong = ("authorization", "Bearer weir_f00d");
    assert_eq!(served.send("ask", wrong, question), 401);
    served.speak(&bearer, r#"{"type": "marzipan in the attic"}"#);
    let log = served.end();
    assert!(log.contains("POST /v1/sessions/home/ask: 200"), "{log}");
    for secret in [&token[5..], "f00d", "marzipan", "attic"] {
        assert!(!log.contains(secret), "{secret} is in the log: {log}");
    }
}

/// What a model's server answers, in pieces if they are asked for.
fn completes(request: &Request) -> (&'static str, String) {
    let request: Value = serde_json::from_slice(&request.body).expect("it is JSON");
    let with = |object: &str, choice: Value| {
        let about = json!({"id": "c", "created": 1, "model": "m", "object": object,
            "choices": [choice]});
        about.to_string()
    };
    if request["stream"] == true {
        let piece = |text: &str| {
            let delta = json!({"index": 0, "delta": {"content": text}});
            format!("data: {}\n\n", with("chat.completion.chunk", delta))
        };
        let pieces = [
            piece("It is "),
            piece("noon."),
            "data: [DONE]\n\n".to_owned(),
        ];
        return ("text/event-stream", pieces.concat());
    }
    let message = json!({"role": "assistant", "content": "It is noon."});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    ("application/json", with("chat.completion", choice))
}

#[test]
fn a_server_that_others_can_reach_makes_a_token_and_shows_it_once() {
    let place = Place::new();
    let shown = |said: &str| said.contains("the first token, shown once: weir_");
    for first in [true, false] {
        let args = [
            "serve", "--data", "d", "--bind", "0.0.0.0:0", "--encoder", "words",
        ];
        let mut running = place.piped(&args, Stdio::null());
        let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
        let mut all = String::new();
        while !all.contains("until Ctrl-C") {
            assert!(said.read_line(&mut all).expect("it is text") > 0, "{all}");
        }
        interrupt(&running);
        running.wait().expect("it ends");
        assert_eq!(shown(&all), first, "{all}");
    }
    let data = ["--data", "d"];
    let added = place.weir(&[&["tokens", "add", "phone", "--scope", "read"], &data[..]].concat());
    assert!(added.ended(0).out.starts_with("weir_"));
    let listed = place
        .weir(&[&["tokens", "list"], &data[..]].concat())
        .ended(0);
    listed.out_has("first  read, write, admin");
    listed.out_has("phone  read");
    place
        .weir(&[&["tokens", "remove", "phone"], &data[..]].concat())
        .ended(0);
    place
        .weir(&[&["tokens", "remove", "phone"], &data[..]].concat())
        .ended(2);
}

/// What a client sent and was told is stored, by its id.
fn sends(address: &str, client: usize, until: &AtomicBool) -> Vec<String> {
    let mut stored = Vec::new();
    for n in 0.. {
        let id = format!("c{client}-{n}");
        let text = format!("The boat of client {client} has the number {n}.");
        let said = json!({"utterances": [{"id": id, "speaker": "Ana", "text": text}]});
        let url = format!("{address}/v1/sessions/s{client}/utterances");
        let request = ureq::post(&url).header("content-type", "application/json");
        match request.send(said.to_string()) {
            Ok(_) => stored.push(id),
            // killed: whether this one is stored is not known
            Err(_) => break,
        }
        if until.load(Ordering::Relaxed) {
            break;
        }
    }
    stored
}

#[test]
#[cfg(unix)]
fn what_was_acknowledged_under_load_is_there_once_after_kill_9() {
    let kills = rounds("kills of a server under load", "WEIR_KILLS", 2, 10);
    let seed = std::env::var("WEIR_KILLS_SEED")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(7);
    let mut rng = weir_fixtures::rng::Rng::new(seed);
    for kill in 0..kills {
        let place = Place::new();
        let mut serving = Serving::of(&place, &[]);
        let (address, done) = (serving.address.clone(), AtomicBool::new(false));
        let after = Duration::from_millis(rng.below(800) as u64 + 50);
        let stored: Vec<Vec<String>> = std::thread::scope(|threads| {
            let clients: Vec<_> = (0..4)
                .map(|client| {
                    threads.spawn({
                        let (address, done) = (&address, &done);
                        move || sends(address, client, done)
                    })
                })
                .collect();
            std::thread::sleep(after);
            serving.running.kill().expect("it runs");
            done.store(true, Ordering::Relaxed);
            clients
                .into_iter()
                .map(|it| it.join().expect("no panic"))
                .collect()
        });
        serving.running.wait().expect("it was killed");
        std::mem::forget(serving);
        let again = Serving::of(&place, &[]);
        for (client, acknowledged) in stored.iter().enumerate() {
            let session = format!("{}/v1/sessions/s{client}/transcript", again.address);
            let mut ids: Vec<String> = Vec::new();
            // a client that was never served has no session
            if !acknowledged.is_empty() {
                let lines = json_at(&format!("{session}?limit=1000"));
                let lines = lines.as_array().expect("they are a list").clone();
                let id = |it: &Value| it["utterance"].as_str().unwrap_or_default().to_owned();
                ids = lines.iter().map(id).collect();
            }
            let about = format!("kill {kill} with seed {seed}, client {client}");
            for id in acknowledged.iter().take(1_000) {
                let count = ids.iter().filter(|it| *it == id).count();
                assert_eq!(count, 1, "{about}: {id} is there {count} times");
            }
        }
    }
}
