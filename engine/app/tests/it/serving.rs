//! A running `weir serve`, and clients of other makers for it.

use crate::cli_support::{Place, interrupt};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::JoinHandle;
use weir_fixtures::{Need, missing, spoken_dir};

/// The packages, in the versions that the tests were written with.
const PACKAGES: [&str; 6] = [
    "openai[realtime]==3.57.0",
    "mcp==2.3.0",
    "openapi-python-client==0.29.1",
    "wyoming==1.10.2",
    "playwright==1.65.2",
    "axe-playwright-python==0.1.8",
];

/// A Python with the packages; `None` with a message where it cannot be had.
pub(crate) fn python() -> Option<PathBuf> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = PYTHON.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
        let python = folder.join("bin/python");
        let run = |command: &mut Command| {
            let done = command
                .stdin(Stdio::null())
                .output()
                .map_err(|it| it.to_string())?;
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            done.status.success().then_some(()).ok_or(said)
        };
        if !python.exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        }
        let (installed, wanted) = (folder.join("installed"), PACKAGES.join(" "));
        if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
            let install = ["-m", "pip", "install", "-q", "--disable-pip-version-check"];
            run(Command::new(&python).args(install).args(PACKAGES))?;
            std::fs::write(&installed, wanted).map_err(|it| it.to_string())?;
        }
        Ok(python)
    });
    match made {
        Ok(python) => Some(python.clone()),
        Err(why) => {
            let packages = PACKAGES.join(" ");
            missing(Need::Programs, &format!("no Python with {packages}: {why}"));
            None
        }
    }
}

/// A running server, which is interrupted at the end.
pub(crate) struct Serving {
    pub(crate) running: Child,
    pub(crate) address: String,
    /// Reads what else it says, to its end.
    rest: Option<JoinHandle<String>>,
}

impl Serving {
    pub(crate) fn of(place: &Place, more: &[&str]) -> Self {
        let args = [
            "serve", "--data", "served", "--bind", "127.0.0.1:0", "--encoder", "words",
        ];
        let mut running = place.piped(&[&args, more].concat(), Stdio::null());
        let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
        let mut all = String::new();
        let address = loop {
            let mut line = String::new();
            let read = said.read_line(&mut line).expect("it is text");
            all.push_str(&line);
            assert!(read > 0, "it ended: {all}");
            if let Some((address, _)) = line.split_once(" until Ctrl-C") {
                break address.to_owned();
            }
        };
        // nothing may wait for a reader
        let rest = std::thread::spawn(move || {
            let mut rest = Vec::new();
            said.read_to_end(&mut rest).expect("it can be read");
            String::from_utf8_lossy(&rest).into_owned()
        });
        Self {
            running,
            address,
            rest: Some(rest),
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        interrupt(&self.running);
        let ended = self.running.wait().expect("it ends");
        let rest = self.rest.take().map(JoinHandle::join);
        let told = rest.and_then(Result::ok).unwrap_or_default();
        assert!(
            ended.success() || std::thread::panicking(),
            "{ended}: {told}"
        );
    }
}

/// Runs one of the clients to its end.
#[track_caller]
pub(crate) fn client(python: &Path, script: &str, args: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let run = Command::new(python)
        .arg(folder.join(script))
        .args(args)
        .output();
    let run = run.expect("python runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        run.status.success(),
        "{}\n{}",
        text(&run.stdout),
        text(&run.stderr)
    );
}

/// A recording of a second or two, and a word in it.
pub(crate) fn recording(place: &Place) -> (String, &'static str) {
    let wav = spoken_dir().join("kitchen-table-1.wav");
    let mut whole = hound::WavReader::open(wav).expect("it is WAV");
    let spec = whole.spec();
    let path = place.path("said.wav");
    let mut part = hound::WavWriter::create(&path, spec).expect("it can be written");
    let rate = spec.sample_rate as usize;
    for sample in whole.samples::<i16>().skip(rate * 128 / 10).take(rate * 4) {
        part.write_sample(sample.expect("it is whole"))
            .expect("it can be written");
    }
    part.finalize().expect("it can be written");
    (path.to_string_lossy().into_owned(), "pancakes")
}

/// The JSON at an address.
pub(crate) fn json_at(address: &str) -> Value {
    let mut reply = ureq::get(address).call().expect("it replies");
    let text = reply.body_mut().read_to_string().expect("it is text");
    serde_json::from_str(&text).expect("it is JSON")
}
