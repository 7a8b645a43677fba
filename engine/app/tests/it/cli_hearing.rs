//! From audio to words to answers, with the built-in model, through the real binary.
use crate::cli_support::{Place, Ran, interrupt, pcm, spoken};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use weir_fixtures::wav::{Shape, write_wav};

/// The first lines of the spoken dialogue with its recording, and an added question.
fn beginning(place: &Place) {
    let text = std::fs::read_to_string(weir_fixtures::spoken_stream()).expect("the fixture");
    let mut lines: Vec<String> = text.lines().take(4).map(str::to_owned).collect();
    assert!(
        lines
            .iter()
            .skip(1)
            .all(|line| line.contains("\"utterance\"")),
        "{lines:?}"
    );
    lines.push(
        r#"{"probe": {"id": "mine", "question": "Do we have twenty pancakes?", "category": null}}"#
            .to_owned(),
    );
    place.write("kitchen.stream.jsonl", lines.join("\n"));
    let name = "kitchen-table-1.wav";
    std::fs::copy(weir_fixtures::spoken_dir().join(name), place.path(name)).expect("copied");
}

/// Replays that beginning with its text only.
fn replayed(place: &Place, more: &[&str]) -> Ran {
    let args = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
    place.weir(&[&args[..], more].concat())
}

#[test]
fn what_is_said_inside_a_labelled_span_carries_its_id_and_speaker() {
    let place = Place::new();
    beginning(&place);
    let ran = replayed(&place, &["--session", "s", "--results", "r.jsonl"]).ended(0);
    ran.out_has("pancakes");
    let lines = place.lines("r.jsonl");
    let citation = &lines[0]["citations"][0];
    assert_eq!(citation["audio"]["file"], "kitchen-table-1.wav");
    assert_eq!(citation["audio"]["start_ms"], citation["start_ms"]);
    assert!(citation["confidence"].as_f64().expect("a number") > 0.3);
    assert!(citation["speaker"].is_string());
    let summary = &lines[1]["summary"];
    assert!(
        summary["wer"].as_f64().expect("measured") < 0.3,
        "{summary}"
    );
    assert!(summary["audio_ms"].as_u64().expect("counted") > 5_000);
    assert!(summary["real_time_factor"].as_f64().expect("measured") > 0.0);
    // the audio of the answer's evidence
    let ask = [
        "ask",
        "Do we have twenty pancakes?",
        "--session",
        "s",
        "--clip",
        "clip.wav",
        "--json",
    ];
    let json = place.weir(&ask).ended(0).json();
    let span = &json["citations"][0]["audio"];
    let expected_ms = span["end_ms"].as_u64().unwrap_or(0) - span["start_ms"].as_u64().unwrap_or(0);
    let clip = hound::WavReader::open(place.path("clip.wav")).expect("a clip was written");
    assert_eq!(u64::from(clip.duration()), expected_ms * 16);
}

#[test]
fn an_imported_session_plays_its_recordings_and_hears_none_twice() {
    let place = Place::new();
    std::fs::create_dir(place.path("here")).expect("a folder");
    beginning(&place);
    let files = ["kitchen.stream.jsonl", "kitchen-table-1.wav"];
    let moved = |from: &str, to: &str| {
        for file in files {
            let (from, to) = (place.path(from).join(file), place.path(to).join(file));
            std::fs::rename(from, to).expect("moved");
        }
    };
    moved("", "here");
    let hear = |folder: &str, session: &str| {
        let input = format!("{folder}/kitchen.stream.jsonl");
        place.weir(&["replay", &input, "--encoder", "words", "--session", session])
    };
    hear("here", "s").ended(0);
    place.done(&["memory", "export", "s.jsonl"]);
    let import = |from: &str, into: &str| {
        let ran = place.weir(&["memory", "import", from, "--session", into]);
        ran.ended(0).err
    };
    let clip = |session: &str| {
        let question = "Do we have twenty pancakes?";
        place.weir(&["ask", question, "--session", session, "--clip", "clip.wav"])
    };
    let told = import("s.jsonl", "copy");
    assert!(!told.contains("warning"), "{told}");
    clip("copy").ended(0);

    // the recordings were moved: one warning, and its advice works
    std::fs::create_dir(place.path("there")).expect("a folder");
    moved("here", "there");
    let told = import("s.jsonl", "later");
    assert!(told.contains("here/kitchen-table-1.wav"), "{told}");
    assert!(told.contains("processes nothing twice"), "{told}");
    let lost = clip("later").ended(2).err;
    assert!(lost.contains("file not found"), "{lost}");
    let again = hear("there", "later").ended(0).err;
    assert!(again.contains("heard it already"), "{again}");
    // the same question counts the same
    clip("s").ended(2);
    hear("there", "s").ended(0);
    assert_eq!(place.digest("later"), place.digest("s"));
    clip("later").ended(0);

    // an older export has no line about inputs
    let lines = std::fs::read_to_string(place.path("s.jsonl")).expect("exported");
    let older: Vec<&str> = lines
        .lines()
        .filter(|line| !line.starts_with("{\"inputs\""))
        .collect();
    place.write("older.jsonl", older.join("\n") + "\n");
    let told = import("older.jsonl", "older");
    assert!(told.contains("export the session again"), "{told}");
}

#[test]
fn hearing_twice_gives_the_same_bytes_and_trusting_text_hears_nothing() {
    let place = Place::new();
    beginning(&place);
    let digest = |session: &str| {
        replayed(&place, &["--session", session]).ended(0);
        place.digest(session)
    };
    assert_eq!(digest("one"), digest("two"));
    let place = Place::new();
    beginning(&place);
    std::fs::remove_file(place.path("kitchen-table-1.wav")).expect("it was there");
    replayed(&place, &["--results", "r.jsonl"]).ended(2);
    replayed(&place, &["--results", "r.jsonl", "--trust-text"]).ended(0);
    assert_eq!(place.lines("r.jsonl")[1]["summary"]["audio_ms"], 0);
}

#[test]
fn not_one_word_is_remembered_of_sound_without_speech() {
    use weir_fixtures::sound::{Colour, hum, keyboard, noise, tone};
    let count = 16_000 * 6;
    let mut rng = weir_fixtures::Rng::new(11);
    let sounds = [
        ("white.wav", noise(Colour::White, -20.0, count, &mut rng)),
        ("brown.wav", noise(Colour::Brown, -20.0, count, &mut rng)),
        ("tone.wav", tone(440.0, -12.0, count)),
        ("hum.wav", hum(50.0, -20.0, count, &mut rng)),
        ("keys.wav", keyboard(-12.0, count, &mut rng)),
        ("quiet.wav", vec![0.0; count]),
        (
            "music.wav",
            weir_fixtures::music::music(-15.0, count, &mut rng),
        ),
    ];
    let place = Place::new();
    let mut args = vec!["replay", "--encoder", "words", "--session", "s"];
    for (name, samples) in &sounds {
        write_wav(&place.path(name), Shape::default(), samples).expect("written");
        args.push(name);
    }
    let ran = place.weir(&args).ended(0);
    assert_eq!(ran.out, "");
    ran.err_has("0 turns in ");
    ran.err_has("heard 00:42.0 of audio");
    assert_eq!(place.stats("s")["turns"], 0);
}

#[test]
fn a_plain_recording_is_a_stream_of_unknown_speakers() {
    let place = Place::new();
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(place.path("two.wav"), spec).expect("a file");
    for sample in pcm(&spoken(8)).chunks_exact(2) {
        writer.write_sample(0_i16).expect("written");
        let sample = i16::from_le_bytes([sample[0], sample[1]]);
        writer.write_sample(sample).expect("written");
    }
    writer.finalize().expect("written");
    let args = [
        "replay", "two.wav", "--encoder", "words", "--channels", "split", "--session", "s",
    ];
    let ran = place.weir(&args).ended(0);
    assert!(
        ran.out.contains("channel 2: ") && !ran.out.contains("channel 1"),
        "{}",
        ran.out
    );
    let tree = place.done(&["memory", "tree", "--json"]);
    tree.out_has("two.wav#1");
}

#[test]
fn listening_to_a_pipe_hears_records_and_saves() {
    let place = Place::new();
    let args = ["listen", "--stdin", "--encoder", "words", "--session", "s"];
    place.fed(&args, &pcm(&spoken(12)), 64_000).ended(0);
    assert!(place.turns("s") >= 2, "{}", place.stats("s"));
    let ask = [
        "ask",
        "Do we have twenty pancakes?",
        "--session",
        "s",
        "--clip",
        "c.wav",
        "--json",
    ];
    let json = place.weir(&ask).ended(0).json();
    let audio = json["citations"][0]["audio"]["file"]
        .as_str()
        .expect("recorded")
        .to_owned();
    assert!(
        audio.starts_with("audio/") && place.path("s").join(&audio).exists(),
        "{audio}"
    );
    let clip = hound::WavReader::open(place.path("c.wav")).expect("a clip");
    assert!(clip.duration() > 8_000);
    // the name of the recorded file has `%20` and the like
    let asked = place.weir(&ask[..4]).ended(0);
    asked.out_has(", recorded");
    asked.out_lacks("%");
}

/// Text while people speak is shown as events, and the utterances are the same without it.
#[test]
fn live_text_is_told_as_events_and_changes_no_utterance() {
    let place = Place::new();
    write_wav(&place.path("talk.wav"), Shape::default(), &spoken(8)).expect("written");
    let told = |more: &[&str]| -> Vec<Value> {
        let args = [
            "replay", "talk.wav", "--pace", "real", "--json", "--encoder", "words",
        ];
        let ran = place.weir(&[&args[..], more].concat()).ended(0);
        ran.json_lines()
    };
    let of = |events: &[Value], kind: &str| -> Vec<Value> {
        let of_kind = events.iter().filter(|event| event["event"] == kind);
        of_kind.cloned().collect()
    };
    let (live, without) = (told(&[]), told(&["--no-live-text"]));
    assert!(!of(&live, "utterance").is_empty());
    assert_eq!(of(&live, "utterance"), of(&without, "utterance"));
    assert_eq!(of(&without, "partial"), Vec::<Value>::new());
    assert!(!of(&live, "partial").is_empty(), "{live:?}");
    for partial in of(&live, "partial") {
        assert!(
            partial["tentative"].is_string() && partial["end_ms"].is_u64(),
            "{partial}"
        );
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_drains_and_saves_even_when_the_pipe_stays_open() {
    let place = Place::new();
    let args = ["listen", "--stdin", "--encoder", "words", "--session", "s"];
    let mut child = place.start(&args, Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&pcm(&spoken(12))).expect("it listens");
    pipe.write_all(&[0; 64_000]).expect("a pause");
    // interrupt only after the utterances are published, so that nothing depends on timing
    while place.weir(&["ask", "Who?", "--session", "s"]).code != 0 || place.turns("s") == 0 {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    interrupt(&child);
    assert!(child.wait().expect("it ends").success());
    drop(pipe);
    assert!(place.turns("s") >= 2);
}

/// Number of samples in the recordings of a session.
#[cfg(unix)]
fn recorded_samples(place: &Place) -> u64 {
    let entries = std::fs::read_dir(place.path("s/audio"))
        .into_iter()
        .flatten();
    let files = entries
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|it| it == "wav"));
    let bytes = files.map(|file| {
        file.metadata()
            .map_or(0, |about| about.len().saturating_sub(44))
    });
    bytes.sum::<u64>() / 2
}

#[cfg(unix)]
fn waiting_ms(place: &Place) -> u64 {
    let waiting = place.stats("s")["unrecognised"].clone();
    let streams = waiting.as_array().expect("a list").iter();
    streams
        .map(|stream| stream["waiting_ms"].as_u64().expect("a number"))
        .sum()
}

#[cfg(unix)]
const LISTEN: [&str; 6] = ["listen", "--stdin", "--encoder", "words", "--session", "s"];

/// Listens to this many seconds of talk, and is killed once they are recorded.
#[cfg(unix)]
fn killed(place: &Place, seconds: u64, sound: &[u8]) {
    let mut child = place.start(&LISTEN, Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(sound).expect("it listens");
    while recorded_samples(place) < seconds * 16_000 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ended");
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_did_not_come_to_is_heard_by_the_next() {
    let (whole, sound) = (Place::new(), pcm(&spoken(12)));
    whole.fed(&LISTEN, &sound, 64_000).ended(0);
    assert_eq!(waiting_ms(&whole), 0);

    let place = Place::new();
    killed(&place, 12, &sound);
    assert!(waiting_ms(&place) > 0, "recognised as fast as recorded");
    let ran = place.done(&["ask", "Who?"]);
    ran.err_has("the next `weir listen`");

    let ran = place.weir(&LISTEN).ended(0);
    ran.err_has("processing them now");
    assert_eq!(waiting_ms(&place), 0);
    let ran = place.weir(&LISTEN).ended(0);
    ran.err_lacks("processing them now");
    // nothing is lost or duplicated; a recording's windows may hear a word otherwise
    let (all, resumed) = (words(&whole), words(&place));
    assert!(all.abs_diff(resumed) <= 3, "{resumed} of {all} words");
    let question = "Do we have twenty pancakes?";
    let ask = place.weir(&["ask", question, "--session", "s", "--json"]);
    let audio = ask.ended(0).json()["citations"][0]["audio"]["file"].clone();
    let audio = audio.as_str().expect("recorded");
    assert!(audio.starts_with("audio/00000001_"), "{audio}");
}

/// Number of words in the statements of the tree.
#[cfg(unix)]
fn words(place: &Place) -> usize {
    let tree = place.done(&["memory", "tree", "--all"]);
    let statements = tree.out.lines().filter(|it| it.starts_with("    "));
    statements.map(|it| it.split_whitespace().count()).sum()
}

#[test]
fn an_imported_model_hears() {
    let place = Place::new();
    beginning(&place);
    let file = weir_fixtures::spoken_dir().join("../../asr/tiny-en/ggml-tiny.en-q8_0.bin");
    let file = file.to_str().expect("text");
    let import = |more: &[&str]| {
        let args = ["models", "import", file, "--models", "here"];
        place.weir(&[&args[..], more].concat())
    };
    let ran = import(&["--name", "mine"]).ended(0);
    assert!(ran.out.trim().ends_with("ggml-mine.bin"), "{}", ran.out);
    ran.err_has("--asr-model mine");
    let ran = import(&["--name", "mine"]).ended(2);
    ran.err_has("--replace");
    import(&["--name", "mine", "--replace"]).ended(0);
    let ran = import(&["--name", "other", "--quantise", "q5_1"]).ended(2);
    ran.err_has("q8_0 already");
    let ran = import(&["--name", "other", "--quantise", "q9"]).ended(2);
    ran.err_has("q4_0, q4_1, q5_0");
    place
        .weir(&["models", "verify", "mine", "--models", "here"])
        .ended(0);
    // the user's own model comes before the built-in one of the same size
    let imported = replayed(&place, &["--models", "here"]).ended(0);
    imported.err_has("speech model: mine, the best of 2");
    imported.out_has("pancakes");
}

#[test]
fn with_nothing_installed_the_built_in_model_hears_and_nothing_is_downloaded() {
    let place = Place::new();
    beginning(&place);
    let args = ["replay", "kitchen.stream.jsonl", "--encoder", "words"];
    let mut command = place.command(&args);
    // no server listens at this address, and no Python is found
    command
        .env_remove("WEIR_OFFLINE")
        .env("HF_ENDPOINT", "http://127.0.0.1:1")
        .env("PATH", "");
    let ran = command.output().expect("the binary runs");
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{err}");
    let told =
        "speech model: tiny.en-q8_0 (built in); `weir models pull base.en` installs a better";
    assert!(err.contains(told), "{err}");
    assert!(!err.contains("download"), "{err}");
    assert!(!place.path("no-cache").exists());
    assert!(String::from_utf8_lossy(&ran.stdout).contains("pancakes"));
}

#[test]
fn guards_refuse_words_said_again_and_again_and_can_be_turned_off() {
    let place = Place::new();
    let words = &spoken(2)[9_600..24_000];
    write_wav(&place.path("loop.wav"), Shape::default(), &words.repeat(6)).expect("written");
    let heard = |guards| {
        let args = [
            "replay", "loop.wav", "--encoder", "words", "--guards", guards,
        ];
        place.weir(&args).ended(0)
    };
    let ran = heard("normal");
    assert_eq!(ran.out, "");
    ran.err_has("no words were taken from");
    ran.err_has("--guards off");
    let ran = heard("off");
    assert!(ran.out.lines().count() > 0, "{}", ran.err);
}
