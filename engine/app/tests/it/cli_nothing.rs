//! Where nothing was said there is no session afterwards.

use crate::cli_support::Place;
use crate::serving::Serving;
use std::time::Duration;

#[test]
fn a_chat_in_which_nobody_said_anything_leaves_no_session() {
    let place = Place::new();
    let chat = |turns: &str| {
        let args = ["chat", "--session", "s", "--encoder", "words"];
        place.fed(&args, turns.as_bytes(), turns.len()).ended(0);
    };
    chat("\n");
    assert!(!place.path("s").exists());
    chat("Bo sold his boat.\n");
    chat("\n");
    assert!(place.path("s").exists());
}

/// What makes a session and says nothing in it leaves none.
#[test]
fn a_session_in_which_nothing_was_heard_goes() {
    let place = Place::new();
    let serving = Serving::of(&place, &[]);
    let at = |session: &str| format!("{}/s/{session}", serving.address);
    let socket = |path: &str| {
        let address = path.replace("http://", "ws://");
        tungstenite::connect(address).expect("it is upgraded").0
    };
    let live = format!("{}/v1/sessions/quiet/live?rate=16000", serving.address);
    let mut live = socket(&live);
    let silence = tungstenite::Message::binary(vec![0; 64_000]);
    live.send(silence).expect("it is taken");
    live.send(tungstenite::Message::binary(Vec::new()))
        .expect("it is taken");
    live.read().expect("it says how much was heard");
    drop(live);
    let realtime = format!("{}/v1/realtime?intent=transcription", at("idle"));
    drop(socket(&realtime));
    let chat = ureq::post(format!("{}/v1/chat/completions", at("chat")));
    let chat = chat.header("content-type", "application/json");
    let chat = chat.send(r#"{"model": "x", "messages": []}"#);
    assert!(chat.is_err());
    let kept = format!("{}/v1/sessions/kept", serving.address);
    let made = ureq::put(&kept).header("content-type", "application/json");
    let made = made.send("{}").expect("it is made");
    assert_eq!(made.status(), 201);
    let sessions = place.path("served/sessions");
    let names = || {
        let all = std::fs::read_dir(&sessions).expect("a folder");
        let names = all.map(|it| it.expect("an entry").file_name());
        names.collect::<Vec<_>>()
    };
    let began = std::time::Instant::now();
    while names() != ["kept"] {
        assert!(began.elapsed().as_secs() < 60, "{:?}", names());
        std::thread::sleep(Duration::from_millis(100));
    }
}
