//! `weir listen` while somebody speaks: its text, and what a second terminal sees.

use crate::cli_support::{Place, Ran, is_wire};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A recording of people as raw PCM of 16 kHz, with so much silence behind it.
fn pcm(clip: &str, silence_ms: usize) -> Vec<u8> {
    let file = weir_fixtures::voices_dir().join(clip);
    let mut source = weir_asr::open_file(&file).expect("the fixture");
    assert_eq!((source.spec().rate_hz, source.spec().channels), (16_000, 1));
    let (mut sound, mut chunk) = (Vec::new(), Vec::new());
    while source.read(&mut chunk).expect("it reads") > 0 {
        sound.extend_from_slice(&chunk);
    }
    sound.extend(std::iter::repeat_n(0.0, silence_ms * 16));
    let sample = |it: f32| ((it * 32_768.0) as i16).to_le_bytes();
    sound.into_iter().flat_map(sample).collect()
}

fn utterances(ran: &Ran) -> Vec<String> {
    let events = ran
        .out
        .lines()
        .inspect(|line| is_wire(&["listen"], line))
        .map(|line| serde_json::from_str(line).expect("json"));
    let heard = events.filter(|it: &Value| it["event"] == "utterance");
    heard
        .map(|it| it["text"].as_str().expect("words").to_owned())
        .collect()
}

/// The utterances of a live source that sends pieces of this many bytes.
fn listened(place: &Place, sound: &[u8], piece: usize) -> Vec<String> {
    let args = ["listen", "--stdin", "--encoder", "words", "--json"];
    let mut child = place
        .command(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let sound = sound.to_vec();
    let sending = std::thread::spawn(move || {
        for part in sound.chunks(piece) {
            pipe.write_all(part).expect("it listens");
        }
    });
    let done = child.wait_with_output().expect("ends");
    sending.join().expect("sent");
    utterances(&Ran {
        code: done.status.code().unwrap_or(-1),
        out: String::from_utf8(done.stdout).expect("UTF-8"),
        err: String::new(),
    })
}

/// In pieces of any size the words are those of the recording, if nobody pauses for 1.3 s in it. A
/// pause of a second is in Kennedy's first sentence.
#[test]
fn live_text_is_the_text_of_the_recording() {
    let place = Place::new();
    for (clip, piece) in [
        ("kennedy-1961.flac", 320),
        ("kennedy-1961.flac", 50_000),
        ("austen-sense-and-sensibility.flac", 3_200),
        ("ami-en2009b.flac", 3_200),
    ] {
        let file = weir_fixtures::voices_dir().join(clip);
        let file = file.to_str().expect("UTF-8");
        let replayed = place
            .weir(&["replay", file, "--encoder", "words", "--json"])
            .ended(0);
        let replayed = utterances(&replayed);
        assert!(!replayed.is_empty(), "{clip}");
        assert_eq!(
            listened(&place, &pcm(clip, 0), piece),
            replayed,
            "{clip}, {piece}"
        );
    }
}

/// Before a block is cut, what was heard is listed as not yet sorted.
#[test]
fn a_second_terminal_sees_what_was_heard_within_seconds() {
    let place = Place::new();
    let args = ["listen", "--stdin", "--encoder", "words", "--session", "s"];
    let mut child = place.start(&args, Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&pcm("kennedy-1961.flac", 2_000))
        .expect("it listens");
    let began = Instant::now();
    let tree = loop {
        let ran = place.on_s(&["memory", "tree", "--json"]);
        if ran.code == 0 && ran.json()["unsorted"][0].is_object() {
            break ran.json();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{ran:?}");
        std::thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(tree["scenes"], serde_json::json!([]));
    let heard = tree["unsorted"].as_array().expect("a list");
    assert!(
        heard[0]["text"]
            .as_str()
            .is_some_and(|it| it.contains("fellow Americans"))
    );
    let shown = place.on_s(&["memory", "tree"]).ended(0);
    shown.out_has("not yet sorted: ");
    shown.out_has("fellow Americans");
    assert_eq!(place.stats("s")["unsorted"], heard.len());
    place
        .on_s(&["memory", "stats"])
        .ended(0)
        .out_has("not yet sorted");
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    let after = place.on_s(&["memory", "tree"]).ended(0);
    after.out_lacks("not yet sorted");
    after.out_has("fellow Americans");
}
