//! Every bad input gets one message that names the file and says what to do, and leaves no partial
//! output.
use crate::cli_support::{Place, silence, talk};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Expects a refusal in one line that contains all of `words`, with nothing written.
#[track_caller]
fn refused(place: &Place, args: &[&str], words: &[&str]) {
    let mut all = vec!["replay", "--session", "new", "--results", "new.jsonl"];
    all.extend(args);
    let ran = place.weir(&all).ended(2);
    for word in words {
        assert!(
            ran.err.to_lowercase().contains(&word.to_lowercase()),
            "{word}: {}",
            ran.err
        );
    }
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert_eq!(ran.out, "");
    assert!(!place.path("new").exists(), "no session was created");
    assert!(
        !place.path("new.jsonl").exists(),
        "no results file was created"
    );
}

/// A stream file with these lines below its header.
fn stream(place: &Place, lines: &[String]) {
    let header = "{\"weir_stream\": 1, \"name\": \"s\", \"started_at\": null}\n".to_owned();
    place.write("s.stream.jsonl", header + &lines.concat());
}

#[test]
fn clips_that_cannot_be_heard_are_refused_by_name() {
    let place = Place::new();
    let mut tried = 0;
    for clip in weir_fixtures::clips::expected() {
        if clip.outcome != weir_fixtures::clips::Outcome::Refused {
            continue;
        }
        let path = weir_fixtures::clips_dir().join(clip.name);
        refused(&place, &[path.to_str().expect("text")], &[clip.name]);
        tried += 1;
    }
    assert!(tried >= 5, "only {tried} bad clips");
}

#[test]
fn missing_files_and_folders_without_audio() {
    let place = Place::new();
    refused(&place, &["nowhere.wav"], &["nowhere.wav", "no such file"]);
    refused(&place, &["nowhere.stream.jsonl"], &["nowhere.stream.jsonl"]);
    std::fs::create_dir(place.path("empty")).expect("a folder");
    place.write("empty/notes.txt", "hello");
    refused(&place, &["empty"], &["empty", "no audio"]);
}

#[test]
fn a_stream_file_with_a_bad_line() {
    let place = Place::new();
    let leaving = concat!(
        r#"{"utterance": {"id": "u9", "speaker": null, "start_ms": 20000, "end_ms": 21000, "#,
        r#""audio": "../x.wav", "audio_start_ms": 0}}"#
    );
    place.write("leaves.stream.jsonl", talk() + leaving);
    let words = ["leaves.stream.jsonl", "line 11", "../x.wav", "folder"];
    refused(&place, &["leaves.stream.jsonl"], &words);
}

#[test]
fn models_that_are_none() {
    let place = Place::new();
    silence(&place.path("quiet.wav"), 1);
    place.write("model.bin", "this is no model at all");
    for (flag, value, words) in [
        ("--asr-model", "./model.bin", &["model.bin", "ggml"][..]),
        ("--asr-model", "base.enn", &["base.enn", "base.en"]),
        ("--asr-model", "base.en", &["weir models pull base.en"]),
        (
            "--language",
            "de",
            &["understands English only", "weir models pull base`"][..],
        ),
        (
            "--language",
            "klingon",
            &["klingon", "such as de or german"],
        ),
    ] {
        refused(&place, &["quiet.wav", flag, value], words);
    }
    place.write("talk.stream.jsonl", talk());
    let encoder = ["talk.stream.jsonl", "--encoder", "no-such"];
    refused(&place, &encoder, &["no-such"]);
}

#[test]
fn an_input_is_not_overwritten_by_results() {
    let place = Place::new();
    let ran = place.replay(&["--results", "kitchen.stream.jsonl"]);
    ran.ended(2).err_has("overwritten");
    let kept = std::fs::read_to_string(place.path("kitchen.stream.jsonl"));
    assert_eq!(kept.expect("the file exists"), talk());
}

#[test]
fn a_session_directory_of_a_newer_version_or_of_somebody_else() {
    let place = Place::told();
    let mark = std::fs::read_to_string(place.path("s/weir.session")).expect("a session");
    let newer = mark.replace(|c: char| c.is_ascii_digit(), "9");
    assert_ne!(mark, newer, "the mark holds a number: {mark}");
    place.write("s/weir.session", newer);
    let ran = place.replay(&["--session", "s"]).ended(2);
    ran.err_has("newer weir");
    place.refused(&["ask", "Who?"], "newer weir");
    std::fs::create_dir(place.path("other")).expect("a folder");
    place.write("other/thesis.txt", "mine");
    let ran = place.replay(&["--session", "other"]).ended(2);
    ran.err_has("not a session directory");
}

#[test]
fn a_question_without_a_session() {
    let place = Place::new();
    place.refused(&["ask", "Who?"], "there is no session in s");
    assert!(!place.path("s").exists());
    place.on_s(&["ask", "  "]).ended(2);
}

#[test]
fn a_budget_that_is_not_the_sessions() {
    let place = Place::new();
    let base = ["--session", "s", "--force"];
    let with = |budget| place.replay(&[&base[..], &["--budget-tokens", budget]].concat());
    with("1000").ended(0);
    place.replay(&base).ended(0);
    let ran = with("2000").ended(2);
    ran.err_has("1000");
    ran.err_has("2000");
    with("3").ended(2).err_has("256");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_one_message() {
    let place = Place::new();
    let ran = place.replay(&["--results", "/dev/full", "-q"]).ended(2);
    ran.err_has("/dev/full");
    ran.err_has("space");
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn one_session_has_one_writer_and_any_number_of_readers() {
    let place = Place::new();
    let mut slow = talk();
    slow.push_str(r#"{"utterance": {"id": "u99", "speaker": "Bob", "start_ms": 600000, "#);
    slow.push_str(r#""end_ms": 601000, "text": "At last."}}"#);
    place.write("slow.stream.jsonl", slow);
    let args = [
        "replay", "slow.stream.jsonl", "--encoder", "words", "--session", "s", "--pace", "4x",
    ];
    let mut writer = place.start(&args, Stdio::null());
    // the writer waits minutes for its last line; its first answer is readable long before
    let until = Instant::now() + Duration::from_secs(120);
    let ask = ["ask", "Who feeds the cat?"];
    let answered = loop {
        let ran = place.on_s(&ask);
        let answered = ran.code == 0 && ran.out.contains("Carla");
        if answered || Instant::now() > until {
            break answered;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let second = place.weir(&args);
    let running = writer.try_wait().expect("a status").is_none();
    writer.kill().expect("the kill works");
    writer.wait().expect("it ends");
    assert!(answered, "a reader waited for the writer");
    assert!(running, "the writer was still writing");
    second.ended(2);
    // killed midway: acknowledged input is still there
    place.done(&ask).out_has("Carla");
}

#[test]
fn lines_behind_the_end_of_their_recording_are_told_of() {
    let place = Place::new();
    let wav = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    std::fs::copy(wav, place.path("a.wav")).expect("copied");
    let line = |id: &str, audio_ms: u64| {
        format!(
            "{{\"utterance\": {{\"id\": \"{id}\", \"start_ms\": 600, \"end_ms\": 4406, \
             \"audio\": \"a.wav\", \"audio_start_ms\": {audio_ms}}}}}\n"
        )
    };
    let replay = ["replay", "s.stream.jsonl", "--encoder", "words"];
    let late = 90_000_000;
    stream(
        &place,
        &[line("u1", 600), line("u2", late), line("u3", late)],
    );
    let ran = place.weir(&replay).ended(0);
    for part in [
        "s.stream.jsonl, line 3",
        "from 90000000 to 90003806 ms",
        "`a.wav`, which is",
        "of 2 lines in all",
    ] {
        ran.err_has(part);
    }
    assert_eq!(ran.err.matches("which is").count(), 1, "{}", ran.err);
    stream(&place, &[line("u1", late), line("u2", late)]);
    let ran = place.weir(&replay).ended(2);
    ran.err_has("nothing can be heard");
}

#[test]
fn talk_that_goes_back_in_time_is_told_of_and_overlaps_are_not() {
    let place = Place::new();
    let line = |id: &str, start_ms: u64| {
        format!(
            "{{\"utterance\": {{\"id\": \"{id}\", \"start_ms\": {start_ms}, \"end_ms\": {}, \
             \"text\": \"Some words of {id}.\"}}}}\n",
            start_ms + 2_000
        )
    };
    let replay = ["replay", "s.stream.jsonl", "--encoder", "words"];
    stream(&place, &[line("u1", 1_000), line("u2", 500)]);
    place.weir(&replay).ended(0).err_lacks("warning");
    stream(
        &place,
        &[line("u1", 9_000), line("u2", 500), line("u3", 600)],
    );
    let told = "line 3: start_ms 500 lies before the 9000 ms of a line above it, and so do 2";
    place.weir(&replay).ended(0).err_has(told);
}

#[test]
fn a_name_cannot_begin_a_line_of_its_own_in_a_message() {
    let place = Place::new();
    let ran = place.weir(&["replay", "a\nweir: error: forged.wav"]);
    let ran = ran.ended(2);
    assert_eq!(ran.err.trim_end().lines().count(), 1, "{}", ran.err);
}
