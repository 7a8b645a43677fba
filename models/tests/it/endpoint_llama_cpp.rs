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
use weir_models::endpoint::{EndpointGenerator, EndpointOptions};
use weir_models::{Ended, Flow, Generate, GenerateError, JsonShape, Message, Request, Role, Shape};

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
            .args(["--api_key", &std::env::var(KEY_VARIABLE).unwrap()])
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
            attempts_max: 1,
            ..EndpointOptions::new(&self.url, MODEL)
        }
    }

    fn generator(&self) -> EndpointGenerator {
        EndpointGenerator::open(self.options()).unwrap()
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
    let (name, file) = ("SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct.Q4_1.gguf");
    let pulled = || weir_fixtures::model_file(name, file);
    given.map(PathBuf::from).or_else(pulled)
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
    it_streams(&server);
    it_keeps_a_shape(&server);
    it_says_what_is_too_long(&server);
    it_is_cancelled(&server);
    it_says_why_it_is_not_used(server);
}

fn it_streams(server: &Llama) {
    let mut generator = server.generator();
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
    let mut again = |request: &Request| generator.generate(request, &mut |_| Flow::On).unwrap();
    assert_eq!(again(&question).text, reply.text);
    assert_eq!(again(&request("Tell a story.", 5)).ended, Ended::TokensMax);
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
    let mut generator = server.generator();
    // asked twice: a field refused the first time is left out the second time
    for _ in 0..2 {
        let reply = generator.generate(&question, &mut |_| Flow::On).unwrap();
        let value = serde_json::from_str(&reply.text).unwrap();
        assert!(shape.accepts(&value), "{}", reply.text);
        assert!(reply.text.starts_with("{\"name\":"), "{}", reply.text);
    }
    question.tokens_max = 4;
    let error = generator.generate(&question, &mut |_| Flow::On);
    let error = error.unwrap_err();
    assert!(matches!(error, GenerateError::Unfinished { .. }), "{error}");
}

fn it_says_what_is_too_long(server: &Llama) {
    let question = request(&"word ".repeat(400), 20);
    let error = server.generator().generate(&question, &mut |_| Flow::On);
    let error = error.unwrap_err();
    let GenerateError::ContextOverflow { found, limit, .. } = error else {
        panic!("{error}");
    };
    assert!(found > 400 && limit == CONTEXT_TOKENS, "{found} {limit}");
}

fn it_is_cancelled(server: &Llama) {
    let (mut generator, mut given) = (server.generator(), 0);
    let mut on_piece = |piece: &str| {
        given += usize::from(!piece.is_empty());
        if given == 3 { Flow::Stop } else { Flow::On }
    };
    let story = request("Tell a long story.", 200);
    let reply = generator.generate(&story, &mut on_piece).unwrap();
    assert_eq!(reply.ended, Ended::Stopped);
    assert!(
        reply.reply_tokens <= 4 && !reply.text.is_empty(),
        "{reply:?}"
    );
    // the server is free for the next request
    let next = generator.generate(&request("Hi", 3), &mut |_| Flow::On);
    next.unwrap();
}

fn it_says_why_it_is_not_used(server: Llama) {
    let told = |options: EndpointOptions, words: &[&str]| {
        assert_has(&EndpointGenerator::open(options).unwrap_err(), words);
    };
    let (mut other, mut without, gone) = (server.options(), server.options(), server.options());
    other.model = "another".to_owned();
    told(other, &["`another` (it has smollm2)"]);
    without.key_variable = "WEIR_TEST_NO_SUCH_KEY".to_owned();
    told(without, &["401", "without a key", "WEIR_TEST_NO_SUCH_KEY"]);
    drop(server);
    told(gone, &["is the server running?"]);
}
