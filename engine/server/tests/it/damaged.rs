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
