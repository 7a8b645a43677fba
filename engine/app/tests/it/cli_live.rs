//! `weir listen` while somebody speaks: its text, and what a second terminal sees.

use crate::cli_support::{Place, Ran, pcm};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};
use weir_fixtures::rounds;

/// A recording of people as raw PCM of 16 kHz, with so much silence behind it.
fn recorded(clip: &str, silence_ms: usize) -> Vec<u8> {
    let file = weir_fixtures::voices_dir().join(clip);
    let mut source = weir_asr::open_file(&file).expect("the fixture");
    assert_eq!((source.spec().rate_hz, source.spec().channels), (16_000, 1));
    let (mut sound, mut chunk) = (Vec::new(), Vec::new());
    while source.read(&mut chunk).expect("it reads") > 0 {
        sound.extend_from_slice(&chunk);
    }
    sound.extend(std::iter::repeat_n(0.0, silence_ms * 16));
    pcm(&sound)
}

fn utterances(ran: &Ran) -> Vec<Value> {
    let heard = ran.json_lines().into_iter();
    let heard = heard.filter(|it| it["event"] == "utterance");
    heard.map(|it| it["text"].clone()).collect()
}

/// In pieces of any size the words are those of the recording, if nobody pauses for 1.3 s in it. A
/// pause of a second is in Kennedy's first sentence.
#[test]
fn live_text_is_the_text_of_the_recording() {
    let place = Place::new();
    let listen = ["listen", "--stdin", "--encoder", "words", "--json"];
    let recordings = rounds("recordings heard live", "WEIR_RECORDINGS_LIVE", 1, 4);
    let all = [
        ("kennedy-1961.flac", 320),
        ("kennedy-1961.flac", 50_000),
        ("austen-sense-and-sensibility.flac", 3_200),
        ("ami-en2009b.flac", 3_200),
    ];
    for &(clip, piece) in all.iter().take(recordings) {
        let file = weir_fixtures::voices_dir().join(clip);
        let file = file.to_str().expect("UTF-8");
        let replayed = place
            .weir(&["replay", file, "--encoder", "words", "--json"])
            .ended(0);
        let replayed = utterances(&replayed);
        assert!(!replayed.is_empty(), "{clip}");
        let listened = place.fed(&listen, &recorded(clip, 0), piece);
        assert_eq!(utterances(&listened), replayed, "{clip}, {piece}");
    }
}

/// Before a block is cut, what was heard is listed as not yet sorted.
#[test]
fn a_second_terminal_sees_what_was_heard_within_seconds() {
    let place = Place::new();
    let args = ["listen", "--stdin", "--encoder", "words", "--session", "s"];
    let mut child = place.start(&args, Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&recorded("kennedy-1961.flac", 2_000))
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
    let shown = place.done(&["memory", "tree"]);
    shown.out_has("not yet sorted: ");
    shown.out_has("fellow Americans");
    assert_eq!(place.stats("s")["unsorted"], heard.len());
    place.done(&["memory", "stats"]).out_has("not yet sorted");
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    let after = place.done(&["memory", "tree"]);
    after.out_lacks("not yet sorted");
    after.out_has("fellow Americans");
}
