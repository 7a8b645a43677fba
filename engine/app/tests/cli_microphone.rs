//! `weir listen` on a microphone that is PulseAudio's null sink, with audio played in real time. A
//! separate test program, so that no other test uses the processor meanwhile.
//!
//! Skips with a message if PulseAudio or its ALSA plugin is not installed.
#![cfg(target_os = "linux")]

#[path = "it/cli_support/mod.rs"]
mod cli_support;

use cli_support::{Place, interrupt};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use weir_fixtures::{Need, missing};

/// Timeout of every wait here: the test fails instead of hanging.
const POLL_INTERVAL: Duration = Duration::from_secs(90);

/// A private sound server, stopped when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

/// A server in the test's folder, and the configuration by which ALSA finds it.
fn server(place: &Place) -> Option<Server> {
    let plugins = Command::new("sh")
        .args(["-c", "ls /usr/lib/*/alsa-lib/libasound_module_pcm_pulse.so"])
        .output();
    let plugin = plugins.is_ok_and(|output| output.status.success());
    if !(there("pulseaudio") && there("paplay") && plugin) {
        missing(
            Need::Programs,
            "pulseaudio, paplay or ALSA's plugin for PulseAudio is not installed",
        );
        return None;
    }
    let socket = place.path("sock");
    let socket = socket.display();
    let default = format!("{{ type pulse server \"unix:{socket}\" device \"null.monitor\" }}");
    place.write(
        "asound.conf",
        format!("pcm.!default {default}\nctl.!default {default}\n"),
    );
    let unix = format!("module-native-protocol-unix socket={socket} auth-anonymous=1");
    let child = Command::new("pulseaudio")
        .args(["-n", "--daemonize=no", "--exit-idle-time=-1", "-L", &unix])
        .args(["-L", "module-null-sink sink_name=null"])
        .envs([
            ("HOME", place.path("")),
            ("XDG_RUNTIME_DIR", place.path("")),
        ])
        .stderr(Stdio::null())
        .spawn()
        .expect("the file exists");
    until("the sound server is up", || place.path("sock").exists());
    Some(Server(child))
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < POLL_INTERVAL, "never seen: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_microphone_is_heard_asked_and_saved() {
    let place = Place::new();
    let Some(_server) = server(&place) else {
        return;
    };
    let config = place.path("asound.conf");
    let args = ["listen", "--encoder", "words", "--session", "s"];
    let mut weir = place
        .command(&args)
        .env("ALSA_CONFIG_PATH", config)
        .stdin(Stdio::piped())
        .stdout(std::fs::File::create(place.path("out")).expect("a file"))
        .stderr(std::fs::File::create(place.path("err")).expect("a file"))
        .spawn()
        .expect("the binary runs");
    let said = |name: &str| std::fs::read_to_string(place.path(name)).expect("text");
    until("it listens", || said("err").contains("listening to"));
    let sound = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    let server = format!("unix:{}", place.path("sock").display());
    let mut player = Command::new("paplay")
        .arg("-s")
        .arg(server)
        .arg(sound)
        .spawn()
        .expect("the file exists");
    until("utterances", || said("out").matches('[').count() >= 3);
    let mut typed = weir.stdin.take().expect("a pipe");
    writeln!(typed, "Do we have twenty pancakes?").expect("weir reads its input");
    until("an answer with its evidence", || {
        said("out").contains(": \"") || said("out").contains("Nothing")
    });
    let _ = player.kill();
    let _ = player.wait();
    interrupt(&weir);
    let ended = weir.wait().expect("it ends");
    assert!(ended.success(), "{ended}: {}", said("err"));
    assert!(!said("err").contains("ALSA"), "{}", said("err"));
    assert!(place.turns("s") >= 3);
}
