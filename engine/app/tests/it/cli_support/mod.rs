//! Runs the real binary in a folder of its own, with only the models inside it.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use weir_fixtures::wav::{Shape, write_wav};

/// Result of a run of the binary.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Its exit status.
    pub(crate) code: i32,
    /// Its standard output.
    pub(crate) out: String,
    /// Its standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Panics with all output unless the exit status is `code`.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\nstdout: {}\nstderr: {}",
            self.out, self.err
        );
        self
    }

    /// The lines of standard output, each as JSON.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        json_lines(&self.out)
    }

    /// The one line of standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.out.trim()).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }

    /// Panics unless standard output has these words.
    #[track_caller]
    pub(crate) fn out_has(&self, words: &str) {
        assert!(self.out.contains(words), "no {words:?} in: {}", self.out);
    }

    /// Panics if standard output has these words.
    #[track_caller]
    pub(crate) fn out_lacks(&self, words: &str) {
        assert!(!self.out.contains(words), "{words:?} in: {}", self.out);
    }

    /// Panics unless standard error has these words.
    #[track_caller]
    pub(crate) fn err_has(&self, words: &str) {
        assert!(self.err.contains(words), "no {words:?} in: {}", self.err);
    }

    /// Panics if standard error has these words.
    #[track_caller]
    pub(crate) fn err_lacks(&self, words: &str) {
        assert!(!self.err.contains(words), "{words:?} in: {}", self.err);
    }
}

/// A folder for one test, and the binary run in it.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a written file");
        path
    }

    /// The command with these arguments, not yet started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
        command
            .args(args)
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.path("no-cache"))
            .env("HOME", self.path("no-home"))
            .env("WEIR_OFFLINE", "1")
            .env("TZ", "UTC")
            .env("WEIR_VOICES", self.path("voices.json"))
            .env_remove("WEIR_MODELS")
            .stdin(Stdio::null());
        command
    }

    /// Runs `weir ARGS` to the end.
    pub(crate) fn weir(&self, args: &[&str]) -> Ran {
        let running = self.piped(args, Stdio::null());
        ran(args, running)
    }

    /// The same with this on standard input, in pieces of so many bytes.
    pub(crate) fn fed(&self, args: &[&str], input: &[u8], piece: usize) -> Ran {
        let mut running = self.piped(args, Stdio::piped());
        let mut pipe = running.stdin.take().expect("a pipe");
        std::thread::scope(|threads| {
            threads.spawn(move || {
                for part in input.chunks(piece) {
                    pipe.write_all(part).expect("it reads");
                }
            });
            ran(args, running)
        })
    }

    /// Starts `weir ARGS` with pipes for what it prints.
    pub(crate) fn piped(&self, args: &[&str], stdin: Stdio) -> Child {
        let mut command = self.command(args);
        let command = command.stdin(stdin).stdout(Stdio::piped());
        let running = command.stderr(Stdio::piped()).spawn();
        running.expect("the binary runs")
    }

    /// Runs `weir ARGS --session s`.
    pub(crate) fn on_s(&self, args: &[&str]) -> Ran {
        self.weir(&[args, &["--session", "s"]].concat())
    }

    /// Runs `weir ARGS --session s`, which succeeds.
    #[track_caller]
    pub(crate) fn done(&self, args: &[&str]) -> Ran {
        self.on_s(args).ended(0)
    }

    /// Runs `weir ARGS --session s`, which is not done and says these words.
    #[track_caller]
    pub(crate) fn refused(&self, args: &[&str], words: &str) {
        self.on_s(args).ended(2).err_has(words);
    }

    /// Replays the [`talk`] with an encoder of words; `more` are further flags.
    pub(crate) fn replay(&self, more: &[&str]) -> Ran {
        self.write("kitchen.stream.jsonl", talk());
        let args = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
        self.weir(&[&args, more].concat())
    }

    /// A new folder in which the session `s` holds the [`talk`].
    #[track_caller]
    pub(crate) fn told() -> Self {
        let place = Self::new();
        place.replay(&["--session", "s"]).ended(0);
        place
    }

    /// `weir memory stats --json` of a session; null if there is none.
    pub(crate) fn stats(&self, session: &str) -> Value {
        let ran = self.weir(&["memory", "stats", "--session", session, "--json"]);
        match ran.code {
            0 => ran.json(),
            _ => Value::Null,
        }
    }

    /// The digest of a session.
    #[track_caller]
    pub(crate) fn digest(&self, session: &str) -> Value {
        let digest = self.stats(session)["digest"].clone();
        assert!(digest.is_string(), "no session {session}");
        digest
    }

    /// Number of utterances that a session has heard.
    pub(crate) fn turns(&self, session: &str) -> u64 {
        self.stats(session)["turns"].as_u64().unwrap_or(0)
    }

    /// The objects of a file of JSON Lines.
    #[track_caller]
    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        json_lines(&std::fs::read_to_string(self.path(name)).expect("the file was written"))
    }

    /// Starts `weir ARGS` and leaves it running; its output is discarded.
    pub(crate) fn start(&self, args: &[&str], stdin: Stdio) -> Child {
        self.command(args)
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs")
    }
}

/// The end of a run of `weir ARGS`.
fn ran(args: &[&str], running: Child) -> Ran {
    let output = running.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let out = text(&output.stdout);
    if args.iter().any(|it| it.starts_with("--json")) {
        out.lines().for_each(|line| is_wire(args, line));
    }
    Ran {
        code: output.status.code().unwrap_or(-1),
        out,
        err: text(&output.stderr),
    }
}

/// Panics unless a line that a command printed with `--json` has exactly the fields of its type.
#[track_caller]
pub(crate) fn is_wire(args: &[&str], line: &str) {
    match args {
        ["ask", ..] => exactly::<weir_api::Answered>(line),
        ["beliefs", ..] => exactly::<weir_api::Beliefs>(line),
        ["chat", ..] => exactly::<weir_api::ChatTurn>(line),
        ["import", ..] => exactly::<weir_api::Import>(line),
        ["listen" | "replay", ..] => exactly::<weir_api::Event>(line),
        ["memory", "entities", ..] => exactly::<weir_api::Entities>(line),
        ["memory", "show", ..] => exactly::<weir_api::ShownNode>(line),
        ["memory", "stats", ..] => exactly::<weir_api::Stats>(line),
        ["memory", "tree", ..] => exactly::<weir_api::Tree>(line),
        ["models", "list", ..] => exactly::<weir_api::Models>(line),
        ["profile", "delete", ..] | ["memory", "delete", ..] | ["source", "remove", ..] => {
            exactly::<weir_api::Receipt>(line);
        }
        ["profile", ..] => exactly::<Vec<weir_api::Fact>>(line),
        ["search", ..] => exactly::<weir_api::TranscriptLine>(line),
        ["source", "list", ..] => exactly::<Vec<weir_api::Source>>(line),
        ["speakers", "forget", ..] => exactly::<weir_api::ForgottenName>(line),
        ["speakers", "list", ..] => exactly::<weir_api::Speakers>(line),
        _ => panic!("{args:?} prints JSON of no type"),
    }
}

#[track_caller]
fn exactly<T: DeserializeOwned + Serialize>(line: &str) {
    let read: T = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
    let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let again = serde_json::to_string(&read).expect("JSON");
    assert_eq!(value(&again), value(line));
}

/// The objects of JSON Lines.
#[track_caller]
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    let object = |line| serde_json::from_str(line).expect("each line is an object");
    text.lines().map(object).collect()
}

/// A conversation with two questions, as text.
pub(crate) fn talk() -> String {
    let said = [
        ("Alice", "We leave for Lisbon on Friday morning."),
        ("Bob", "Who feeds the cat while we are away?"),
        ("Alice", "My sister Carla feeds the cat, she has a key."),
        ("Bob", "I bought a red umbrella for the rain in Portugal."),
        (
            "Alice",
            "The hotel is called Aurora and it stands near the harbour.",
        ),
        ("Bob", "Good, I will print the tickets tomorrow."),
    ];
    let mut lines = vec![
        r#"{"weir_stream": 1, "name": "kitchen", "started_at": "2025-03-01T10:00:00Z"}"#.to_owned(),
    ];
    for (n, (speaker, text)) in said.iter().enumerate() {
        let (start, end) = (n * 3_000, n * 3_000 + 2_500);
        lines.push(format!(
            r#"{{"utterance": {{"id": "u{}", "speaker": "{speaker}", "text": "{text}", {}}}}}"#,
            n + 1,
            format_args!(r#""start_ms": {start}, "end_ms": {end}"#)
        ));
    }
    let gold = r#""asked_by": "Bob", "answer": "Carla", "evidence": ["u3"]"#;
    lines.push(format!(
        r#"{{"probe": {{"id": "q1", "question": "Who feeds the cat?", {gold}}}}}"#
    ));
    lines.push(r#"{"break": {"started_at": "2025-03-04T18:30:00Z"}}"#.to_owned());
    let gold = r#""answer": "Aurora", "evidence": ["u5"], "category": "single-hop""#;
    lines.push(format!(
        r#"{{"probe": {{"id": "q2", "question": "What is the name of the hotel?", {gold}}}}}"#
    ));
    lines.join("\n") + "\n"
}

/// The first seconds of the spoken dialogue, at 16 kHz.
pub(crate) fn spoken(seconds: usize) -> Vec<f32> {
    let file = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    let mut reader = hound::WavReader::open(file).expect("the fixture");
    assert_eq!(reader.spec().sample_rate, 16_000);
    let samples = reader.samples::<i16>().take(seconds * 16_000);
    samples
        .map(|sample| f32::from(sample.expect("a sample")) / 32_768.0)
        .collect()
}

/// Samples as raw PCM of 16 bits.
pub(crate) fn pcm(samples: &[f32]) -> Vec<u8> {
    let sample = |it: &f32| ((it * 32_768.0) as i16).to_le_bytes();
    samples.iter().flat_map(sample).collect()
}

/// A silent recording of 16 kHz mono.
pub(crate) fn silence(path: &Path, seconds: u32) {
    let samples = vec![0.0; seconds as usize * 16_000];
    write_wav(path, Shape::default(), &samples).expect("a written file");
}

/// Sends the interrupt of Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill runs").success());
}

/// All files below a folder that contain the words.
pub(crate) fn files_with(folder: &Path, words: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
            continue;
        }
        let bytes = std::fs::read(&path).expect("the file exists");
        if bytes.windows(words.len()).any(|at| at == words.as_bytes()) {
            found.push(path);
        }
    }
    found
}
