//! A session that cannot be written is read.

use crate::support::{Served, folder};
use serde_json::json;

#[test]
fn with_a_damaged_journal_reading_goes_on_and_saying_is_refused() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("home", "Ana", "The spare key hangs behind the stove.");
    served.end();
    let store = data.path().join("sessions/home/memory.redb");
    let whole = std::fs::read(&store).expect("it is there");
    std::fs::write(&store, &whole[..whole.len() / 3]).expect("it is cut");
    let served = Served::of(data.path());
    let answer = served.ask("home", "Where does the spare key hang?");
    assert!(
        answer["answer"]
            .as_str()
            .is_some_and(|it| it.contains("stove")),
        "{answer}"
    );
    let (status, lines) = served.get("/v1/sessions/home/transcript");
    assert_eq!((status, lines.as_array().map(Vec::len)), (200, Some(1)));
    let (_, so_far) = served.get("/v1/sessions/home/since_opened");
    let warned = so_far["warnings"].to_string();
    assert!(
        warned.contains("memory.redb") && warned.contains("only be read"),
        "{warned}"
    );
    let said = json!({"utterances": [{"text": "The boat is green."}]});
    let (status, refused) = served.post("/v1/sessions/home/utterances", &said);
    assert_eq!(
        (status, &refused["class"]),
        (507, &json!("storage")),
        "{refused}"
    );
    // and it can be read again after that
    let answer = served.ask("home", "Where does the spare key hang?");
    assert!(
        answer["answer"]
            .as_str()
            .is_some_and(|it| it.contains("stove")),
        "{answer}"
    );
    served.end();
    // when the store is whole again, so is the session
    std::fs::write(&store, whole).expect("it is mended");
    let served = Served::of(data.path());
    served.hear("home", "Ana", "The boat is green.");
    assert_eq!(served.get("/v1/sessions/home").1["turns"], 2);
}

#[test]
fn without_its_store_a_session_is_read_as_it_was_published() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("home", "Ana", "The spare key hangs behind the stove.");
    served.end();
    let dir = data.path().join("sessions/home");
    std::fs::remove_file(dir.join("memory.redb")).expect("removed");
    // as after kill -9
    std::fs::write(dir.join("lock"), "4711\n").expect("written");
    let served = Served::of(data.path());
    let answer = served.ask("home", "Where does the spare key hang?");
    let text = answer["answer"].as_str();
    assert!(text.is_some_and(|it| it.contains("stove")), "{answer}");
}

#[test]
fn a_lost_line_is_said() {
    let data = folder();
    let served = Served::of(data.path());
    for at in 0..5 {
        served.hear("home", "Ana", &format!("Box {at} is on shelf {at}."));
    }
    served.end();
    let folder = data.path().join("sessions/home/transcript");
    let is_lines = |it: &std::path::PathBuf| it.extension().is_some_and(|it| it == "lines");
    let entries = std::fs::read_dir(&folder).expect("it is there");
    let mut files = entries.map(|it| it.expect("an entry").path());
    let lines = files.find(is_lines).expect("it has lines");
    let mut bytes = std::fs::read(&lines).expect("it reads");
    let at = bytes.windows(5).position(|it| it == b"Box 2");
    bytes[at.expect("it was said")] ^= 1;
    std::fs::write(&lines, bytes).expect("written");
    let served = Served::of(data.path());
    assert_eq!(served.get("/v1/sessions/home").0, 200);
    let warned = || served.get("/v1/sessions/home/since_opened").1["warnings"].to_string();
    for _ in 0..100 {
        if warned().contains("lost: 1") {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{}", warned());
}
