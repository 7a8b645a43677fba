//! The client against a real server: llama.cpp's Python server with SmolLM2.
//!
//! Runs if `WEIR_LLAMA_PYTHON` names a Python with `llama-cpp-python[server]`, and the model is in
//! `WEIR_SMOLLM2` or the store; `scripts/llama-server-test` prepares both.
#![cfg(feature = "endpoint")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::told::assert_has;
use weir_fixtures::{Need, missing};
use weir_models::endpoint::{Endpoint, EndpointErrorKind, EndpointGenerator, EndpointOptions};
use weir_models::{Ended, Flow, Generate, JsonShape, Message, Request, Role, Sampling, Shape};

const MODEL: &str = "smollm2";
const CONTEXT_TOKENS: usize = 256;
/// A variable that cargo sets for every test; its value is used as the server's key.
const KEY_VARIABLE: &str = "CARGO_PKG_NAME";
const START_TIMEOUT: Duration = Duration::from_secs(180);

struct Llama {
    url: String,
    child: Child,
}

impl Llama {
    fn start(python: &Path, weights: &Path) -> Self {
        let mut child = Command::new(python)
            .args(["-m", "llama_cpp.server", "--host", "127.0.0.1"])
            // any free port: the server prints which
            .args(["--port", "0"])
            .args(["--verbose", "false", "--model_alias", MODEL])
            .args(["--n_ctx", &CONTEXT_TOKENS.to_string()])
            .args([
                "--api_key",
                &std::env::var(KEY_VARIABLE).expect("cargo runs this test"),
            ])
            .arg("--model")
            .arg(weights)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
        let log = child.stderr.take().unwrap();
        let mut server = Self {
            url: String::new(),
            child,
        };
        server.url = url_in(log);
        server
    }

    fn options(&self) -> EndpointOptions {
        EndpointOptions {
            key_variable: KEY_VARIABLE.to_owned(),
            ..EndpointOptions::new(&self.url, MODEL)
        }
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address that a server prints; later output is read and ignored.
fn url_in(log: ChildStderr) -> String {
    let (sender, url) = channel();
    std::thread::spawn(move || {
        let mut said = String::new();
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once("running on ") {
                let _ = sender.send(Ok(rest.split(' ').next().unwrap_or(rest).to_owned()));
            }
            if said.len() < 4096 {
                said.push_str(&line);
                said.push('\n');
            }
        }
        let _ = sender.send(Err(said));
    });
    match url.recv_timeout(START_TIMEOUT) {
        Ok(Ok(url)) => url,
        Ok(Err(said)) => panic!("the server did not start:\n{said}"),
        Err(_) => panic!("the server did not start within {START_TIMEOUT:?}"),
    }
}

/// The model's file, if it exists.
fn weights() -> Option<PathBuf> {
    let given = std::env::var_os("WEIR_SMOLLM2").filter(|given| !given.is_empty());
    let Some(path) = given.map(PathBuf::from) else {
        let (name, file) = ("SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct.Q4_1.gguf");
        return weir_fixtures::model_file(name, file);
    };
    if path.is_file() {
        return Some(path);
    }
    let mut files = std::fs::read_dir(&path).unwrap().flatten();
    files
        .find_map(|file| Some(file.path()).filter(|path| path.extension() == Some("gguf".as_ref())))
}

fn request(content: &str, tokens_max: usize) -> Request {
    Request::new(vec![Message::new(Role::User, content)], tokens_max)
}

#[test]
fn a_real_server_is_understood() {
    let Some(python) = std::env::var_os("WEIR_LLAMA_PYTHON").map(PathBuf::from) else {
        let why = "WEIR_LLAMA_PYTHON names no Python; see scripts/llama-server-test";
        return missing(Need::Servers, why);
    };
    let Some(weights) = weights() else { return };
    let server = Llama::start(&python, &weights);
    it_lists_its_models(&server);
    it_wants_its_key(&server);
    it_streams(&server);
    it_ends_at_a_stop_word(&server);
    it_draws_by_seed(&server);
    it_keeps_a_shape(&server);
    it_says_what_is_too_long(&server);
    it_is_cancelled(&server);
    it_is_missed_when_gone(server);
}

fn it_lists_its_models(server: &Llama) {
    let checked = Endpoint::new(server.options()).unwrap().check().unwrap();
    assert_eq!(checked.names, [MODEL]);
    let other = EndpointOptions {
        model: "another".to_owned(),
        ..server.options()
    };
    let error = Endpoint::new(other).unwrap().check().unwrap_err();
    assert_has(&error, &["`another` (it has smollm2)"]);
}

fn it_wants_its_key(server: &Llama) {
    let without = EndpointOptions {
        key_variable: "WEIR_TEST_NO_SUCH_KEY".to_owned(),
        ..server.options()
    };
    let endpoint = Endpoint::new(without).unwrap();
    let listed = endpoint.check().unwrap_err();
    let asked = endpoint.ask(&request("Hi", 5), &mut |_| Flow::On);
    for error in [listed, asked.unwrap_err()] {
        assert_eq!(error.kind(), EndpointErrorKind::Key, "{error}");
        let words = ["401", "without a key", "WEIR_TEST_NO_SUCH_KEY"];
        let message = error.to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

fn it_streams(server: &Llama) {
    let mut generator = EndpointGenerator::open(server.options()).unwrap();
    let question = request("What is the capital of France?", 24);
    let mut pieces = Vec::new();
    let mut on_piece = |piece: &str| {
        pieces.push(piece.to_owned());
        Flow::On
    };
    let reply = generator.generate(&question, &mut on_piece).unwrap();
    pieces.retain(|piece| !piece.is_empty());
    assert_eq!(pieces.concat(), reply.text);
    assert!(reply.text.contains("Paris"), "{}", reply.text);
    assert!(
        pieces.len() > 3 && reply.reply_tokens <= 24,
        "{reply:?} {pieces:?}"
    );
    let again = generator.generate(&question, &mut |_| Flow::On).unwrap();
    assert_eq!(again.text, reply.text);
    let whole = EndpointOptions {
        streams: false,
        ..server.options()
    };
    let whole = Endpoint::new(whole)
        .unwrap()
        .ask(&question, &mut |_| Flow::On)
        .unwrap();
    assert_eq!((&whole.text, whole.ended), (&reply.text, reply.ended));
    assert!(whole.prompt_tokens > 5, "{whole:?}");
    let short = generator
        .generate(&request("Tell a story.", 5), &mut |_| Flow::On)
        .unwrap();
    assert_eq!(short.ended, Ended::TokensMax);
}

fn it_ends_at_a_stop_word(server: &Llama) {
    let endpoint = Endpoint::new(server.options()).unwrap();
    let mut question = request("What is the capital of France?", 24);
    let free = endpoint.ask(&question, &mut |_| Flow::On).unwrap();
    question.stop = vec!["Paris".to_owned()];
    let reply = endpoint.ask(&question, &mut |_| Flow::On).unwrap();
    assert_eq!(Some(reply.text.as_str()), free.text.split("Paris").next());
}

fn it_draws_by_seed(server: &Llama) {
    let endpoint = Endpoint::new(server.options()).unwrap();
    let text = |seed| {
        let mut question = request("Invent a name for a boat.", 24);
        question.sampling = Sampling::Random {
            temperature: 1.5,
            top_k: 0,
            top_p: 1.0,
            seed,
        };
        endpoint.ask(&question, &mut |_| Flow::On).unwrap().text
    };
    let texts: Vec<String> = (1..5).map(text).collect();
    assert!(texts.iter().any(|other| *other != texts[0]), "{texts:?}");
}

fn it_keeps_a_shape(server: &Llama) {
    let word = JsonShape::String { chars_max: 12 };
    let words = JsonShape::Array {
        item: Box::new(word.clone()),
        items_max: 2,
    };
    let kinds = ["city", "river"].map(str::to_owned).to_vec();
    let shape = JsonShape::Object(vec![
        ("name".to_owned(), word),
        ("kind".to_owned(), JsonShape::OneOf(kinds)),
        ("known_for".to_owned(), words),
        ("is_big".to_owned(), JsonShape::Bool),
    ]);
    let mut question = request(
        "Describe Paris as JSON: name, kind, known_for, is_big.",
        120,
    );
    question.shape = Shape::Json(shape.clone());
    let endpoint = Endpoint::new(server.options()).unwrap();
    // asked twice: a field refused the first time is left out the second time
    for _ in 0..2 {
        let reply = endpoint.ask(&question, &mut |_| Flow::On).unwrap();
        let value = serde_json::from_str(&reply.text).unwrap();
        assert!(shape.accepts(&value), "{}", reply.text);
        assert!(reply.text.starts_with("{\"name\":"), "{}", reply.text);
    }
    question.tokens_max = 4;
    let error = endpoint.ask(&question, &mut |_| Flow::On).unwrap_err();
    let is_unfinished = matches!(error.kind(), EndpointErrorKind::Unfinished { .. });
    assert!(is_unfinished, "{error}");
}

fn it_says_what_is_too_long(server: &Llama) {
    let endpoint = Endpoint::new(server.options()).unwrap();
    let error = endpoint
        .ask(&request(&"word ".repeat(400), 20), &mut |_| Flow::On)
        .unwrap_err();
    let EndpointErrorKind::ContextTooLong { found, limit } = error.kind() else {
        panic!("{error}");
    };
    assert!(found.is_some_and(|found| found > 400), "{error}");
    assert_eq!(limit, Some(CONTEXT_TOKENS));
}

fn it_is_cancelled(server: &Llama) {
    let endpoint = Endpoint::new(server.options()).unwrap();
    let mut given = 0;
    let mut on_piece = |piece: &str| {
        given += usize::from(!piece.is_empty());
        if given == 3 { Flow::Stop } else { Flow::On }
    };
    let reply = endpoint
        .ask(&request("Tell a long story.", 200), &mut on_piece)
        .unwrap();
    assert_eq!(reply.ended, Ended::Stopped);
    assert!(
        reply.reply_tokens <= 4 && !reply.text.is_empty(),
        "{reply:?}"
    );
    // the server is free for the next request
    endpoint.ask(&request("Hi", 3), &mut |_| Flow::On).unwrap();
}

fn it_is_missed_when_gone(server: Llama) {
    let options = EndpointOptions {
        attempts_max: 1,
        ..server.options()
    };
    drop(server);
    let error = Endpoint::new(options).unwrap().check().unwrap_err();
    assert_eq!(error.kind(), EndpointErrorKind::Unreachable, "{error}");
    assert_has(&error, &["is the server running?"]);
}
