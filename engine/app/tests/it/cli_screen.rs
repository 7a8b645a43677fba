//! `weir top` and `weir listen` on a terminal of their own, and as lines where there is none.
#![cfg(unix)]

use crate::cli_support::{Place, pcm, spoken};
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use weir_fixtures::{Need, missing};

/// What takes the terminal, and what gives it back.
const TAKES: &str = "\u{1b}[?1049h";
const GIVES_BACK: &str = "\u{1b}[?1049l";

/// A program on a pseudo terminal of 80 x 24, by the program `script` of util-linux.
struct OnTerminal {
    running: Child,
    pieces: Receiver<String>,
    seen: String,
}

impl OnTerminal {
    /// Runs a line of shell in which `weir` is the program; `None` without `script`.
    fn run(place: &Place, line: &str) -> Option<Self> {
        if Command::new("script").arg("--version").output().is_err() {
            missing(Need::Programs, "there is no program `script` (util-linux)");
            return None;
        }
        let weir = place.command(&[]).get_program().to_owned();
        let line = line.replace("weir", &weir.to_string_lossy());
        let mut command = Command::new("script");
        for (name, value) in place.command(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut running = command
            .args([
                "-qefc",
                &format!("stty rows 24 cols 80; {line}"),
                "/dev/null",
            ])
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .current_dir(place.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut out = running.stdout.take().expect("a pipe");
        let (sender, pieces) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(read @ 1..) = out.read(&mut bytes) {
                let _ = sender.send(String::from_utf8_lossy(&bytes[..read]).into_owned());
            }
        });
        let seen = String::new();
        Some(Self {
            running,
            pieces,
            seen,
        })
    }

    fn types(&mut self, keys: &str) {
        let keyboard = self.running.stdin.as_mut().expect("a pipe");
        keyboard.write_all(keys.as_bytes()).expect("it reads");
        keyboard.flush().expect("it reads");
    }

    /// Waits until this was drawn.
    #[track_caller]
    fn shows(&mut self, words: &str) {
        let until = Instant::now() + Duration::from_secs(120);
        while !self.seen.contains(words) {
            let left = until.saturating_duration_since(Instant::now());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.seen.push_str(&piece),
                Err(_) => panic!("no {words:?} in {:?}", self.seen),
            }
        }
    }

    /// Waits for the end; returns what was written after the terminal was given back.
    #[track_caller]
    fn ends(mut self) -> String {
        let ended = self.running.wait().expect("it ends");
        self.seen.extend(self.pieces.iter());
        assert!(ended.success(), "{ended}: {:?}", self.seen);
        let (_, after) = self.seen.rsplit_once(GIVES_BACK).expect("it is given back");
        after.to_owned()
    }
}

#[test]
fn a_session_is_watched_and_asked_and_the_terminal_is_as_before() {
    let place = Place::told();
    let Some(mut top) = OnTerminal::run(&place, "weir top --session s") else {
        return;
    };
    top.shows(TAKES);
    top.shows("tomorrow.");
    top.types("What is the hotel called?\r");
    top.shows("Answer");
    top.shows("answered in");
    assert!(top.seen.contains("\u{1b}[38;5;6"), "speakers have colours");
    top.types("\u{3}");
    let after = top.ends();
    assert!(
        after.contains("\u{1b}[?25h"),
        "the cursor is shown: {after:?}"
    );
    assert_eq!(place.turns("s"), 6, "nothing was changed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_picture_ends_with_its_terminal() {
    let place = Place::told();
    let Some(mut top) = OnTerminal::run(&place, "echo pid=$$; exec weir top --session s") else {
        return;
    };
    top.shows(TAKES);
    top.shows("tomorrow.");
    let (_, pid) = top.seen.split_once("pid=").expect("it is told");
    let digits = |it: &char| it.is_ascii_digit();
    let pid: String = pid.chars().take_while(digits).collect();
    top.running.kill().expect("it runs");
    top.running.wait().expect("it ended");
    let is_there = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // a zombie has ended too
        !status.is_empty() && !status.contains(") Z ")
    };
    let until = Instant::now() + Duration::from_secs(30);
    while is_there() {
        assert!(Instant::now() < until, "it goes on without a terminal");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn listening_is_a_picture_until_the_sound_ends() {
    let place = Place::new();
    place.write("talk.pcm", pcm(&spoken(12)));
    let line = "NO_COLOR=1 weir listen --stdin --encoder words --no-speakers < talk.pcm";
    let Some(mut listen) = OnTerminal::run(&place, line) else {
        return;
    };
    listen.shows(TAKES);
    listen.shows("listening");
    let after = listen.ends();
    assert!(after.contains("real-time factor"), "the summary: {after:?}");
}

#[test]
fn lines_are_printed_where_there_is_no_terminal() {
    let place = Place::told();
    let ran = place.done(&["top"]);
    ran.out_has("Bob: Good, I will print the tickets tomorrow.");
    ran.err_has("nobody has the session open");
    ran.out_lacks("\u{1b}");
    let plain = "weir top --session s --plain";
    if let Some(mut plain) = OnTerminal::run(&place, plain) {
        plain.shows("nobody has the session open");
        assert!(!plain.seen.contains(TAKES));
    }
    let dumb = "TERM=dumb weir top --session s";
    if let Some(mut dumb) = OnTerminal::run(&place, dumb) {
        dumb.shows("nobody has the session open");
        assert!(!dumb.seen.contains(TAKES));
    }
    place.weir(&["top", "--session", "none"]).ended(2);
}
