//! `weir import` as a user types it: the preview, the import, a session that is served.

use crate::cli_support::Place;
use std::process::Stdio;
use std::time::{Duration, Instant};

const CHAT: &str = "13/01/2024, 10:00 - Messages are end-to-end encrypted.\n\
                    13/01/2024, 10:01 - Mum: The spare key hangs behind the stove.\n\
                    13/01/2024, 10:02 - Bo: <Media omitted>\n\
                    14/01/2024, 09:30 - Bo: Thank you!\n";

#[test]
fn a_chat_is_shown_then_imported_and_answers_with_its_day() {
    let place = Place::new();
    place.write("family.txt", CHAT);
    let looked = place.done(&["import", "family.txt", "--dry-run"]);
    looked.out_has("family.txt: whatsapp, 1 conversation, 2 of 4 messages\n");
    looked.out_has("  days      2024-01-13 to 2024-01-14\n  people    Bo 1, Mum 1\n");
    looked.out_has("  says      Mum: The spare key hangs behind the stove.\n");
    looked.out_has("  left out  1 of the program, 1 without words (pictures, sound, files)\n");
    assert!(!place.path("s").exists(), "a look makes no session");
    let args = [
        "import", "family.txt", "--as", "Mum=Ana", "--encoder", "words",
    ];
    let done = place.done(&args);
    done.out_has("people    Ana 1, Bo 1\n");
    done.err_has("family.txt: 2 messages imported");
    let answer = place.done(&["ask", "Where is the spare key?"]).out;
    assert!(
        answer.contains("Ana") && answer.contains("13 January 2024"),
        "{answer}"
    );
    let again = place
        .done(&["import", "family.txt", "--as", "Mum=Ana", "--json"])
        .json();
    assert_eq!((&again["new"], &again["imported"]), (&0.into(), &0.into()));
    assert_eq!(again["left_out"][0]["reason"], "known");
    assert_eq!(place.turns("s"), 2);
}

/// The preview as JSON is what the import says of the same files.
#[test]
fn several_files_are_imported_and_a_bad_one_is_named() {
    let place = Place::new();
    place.write("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello there.\n");
    place.write("b.txt", "Dear diary,\n");
    let args = ["import", "a.srt", "b.txt", "--json"];
    let looked = place.on_s(&[&args[..], &["--dry-run"]].concat()).ended(1);
    looked.err_has("b.txt: cannot tell its format from its content");
    looked.err_has("--format says which it is");
    let done = place
        .on_s(&[&args[..], &["--encoder", "words"]].concat())
        .ended(1);
    let (mut looked, mut done) = (looked.json(), done.json());
    assert_eq!(looked["imported"].take(), serde_json::Value::Null);
    assert_eq!(done["imported"].take(), 1);
    looked["imported"].take();
    assert_eq!(looked, done);
    place.write("c.srt", "1\n00:00:01,000 --> 00:00:02,000\n...\n");
    let nothing = ["import", "c.srt", "--session", "new"];
    place.weir(&nothing).ended(0).err_has("0 messages imported");
    assert!(!place.path("new").exists());
    place.write("d.txt", "01/02/2024, 10:00 - Ana: Hi\n");
    place.refused(
        &["import", "d.txt"],
        "--dates day-first or --dates month-first",
    );
    place
        .weir(&["import", "a.srt"])
        .ended(2)
        .err_has("--session");
}

/// What another process has open is changed through its socket.
#[test]
fn a_session_that_is_open_elsewhere_takes_the_import() {
    let place = Place::told();
    place.write("family.txt", CHAT);
    let mut chat = place.start(
        &["chat", "--session", "s", "--asked-by", "Ana"],
        Stdio::piped(),
    );
    let since = Instant::now();
    while !place.path("s/control.sock").exists() {
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "it opens the session"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = place.turns("s");
    place
        .done(&["import", "family.txt"])
        .err_has("2 messages imported");
    place
        .done(&["import", "family.txt", "--dry-run"])
        .out_has("2 already in the session");
    drop(chat.stdin.take());
    assert!(chat.wait().expect("it ends").success());
    assert_eq!(place.turns("s"), before + 2);
}
