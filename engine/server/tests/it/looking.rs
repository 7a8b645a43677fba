//! What a page draws: the outline, the time line, the search, what happened, and two tabs that
//! edit the same statement.

use crate::support::{Served, agent, folder, send};
use serde_json::{Value, json};

fn talked(served: &Served) {
    for (speaker, text) in [
        ("Speaker 1", "My locker code is 4711."),
        ("Bob", "The passwords of the wifi are on the fridge."),
        ("Speaker 1", "I went to Porto by boat."),
    ] {
        served.hear("s", speaker, text);
    }
    for change in [
        json!("flush"),
        json!({"name_speaker": {"speaker": "Speaker 1", "name": "Ana"}}),
    ] {
        let (status, done) = served.post("/v1/sessions/s/changes", &change);
        assert_eq!(status, 200, "{done}");
    }
}

/// The words that are marked in each hit.
fn marked(hits: &Value) -> Vec<String> {
    let hits = hits.as_array().expect("a list").iter();
    let marked = hits.map(|hit| {
        let pieces = hit["pieces"].as_array().expect("a list").iter();
        let words = pieces.filter(|it| it["hit"] == json!(true));
        let words: Vec<&str> = words.filter_map(|it| it["text"].as_str()).collect();
        words.join(" ")
    });
    marked.collect()
}

#[test]
fn the_outline_and_the_time_line_show_what_is_held() {
    let data = folder();
    let served = Served::of(data.path());
    talked(&served);
    let (_, outline) = served.get("/v1/sessions/s/outline");
    let nodes = outline["nodes"].as_array().expect("a list");
    let kinds: Vec<&str> = nodes.iter().filter_map(|it| it["kind"].as_str()).collect();
    assert_eq!(kinds[..2], ["scene", "event"], "{outline}");
    let said = nodes
        .iter()
        .find(|it| it["text"] == "My locker code is 4711.");
    let said = said.expect("it is held");
    assert_eq!(
        (&said["speaker"], &said["wording"]),
        (&json!("Ana"), &json!("verbatim"))
    );
    let (status, line) = served.get("/v1/sessions/s/timeline?parts=10");
    assert_eq!(status, 200, "{line}");
    let sum = |key: &str| -> u64 {
        let parts = line["parts"].as_array().expect("a list").iter();
        parts.filter_map(|it| it[key].as_u64()).sum()
    };
    let statements = nodes.iter().filter(|it| it["kind"] == "unit").count();
    assert_eq!(
        (sum("said"), sum("whole")),
        (3, statements as u64),
        "{line}"
    );
    assert_eq!(served.get("/v1/sessions/s/timeline?parts=0").0, 400);
}

#[test]
fn a_search_marks_words_in_every_form_and_knows_speakers_by_their_new_names() {
    let data = folder();
    let served = Served::of(data.path());
    talked(&served);
    let (status, found) = served.get("/v1/sessions/s/search?q=wifi+password");
    assert_eq!(status, 200, "{found}");
    assert_eq!(marked(&found["said"]), ["passwords wifi"], "{found}");
    assert_eq!(marked(&found["held"]), ["passwords wifi"], "{found}");
    let (_, found) = served.get("/v1/sessions/s/search?q=boat&speaker=ana");
    assert_eq!(found["said"][0]["speaker"], "Ana", "{found}");
    let (_, found) = served.get("/v1/sessions/s/search?q=boat&speaker=Bob");
    assert_eq!((&found["said"], &found["held"]), (&json!([]), &json!([])));
    let (_, lines) = served.get("/v1/sessions/s/transcript");
    assert_eq!(lines[0]["speaker"], "Ana", "{lines}");
    let (status, refused) = served.get("/v1/sessions/s/search?q=of+the");
    assert_eq!(status, 400, "{refused}");
}

#[test]
fn an_edit_of_words_that_another_tab_changed_is_refused_and_says_what_they_are() {
    let data = folder();
    let served = Served::of(data.path());
    talked(&served);
    let (_, outline) = served.get("/v1/sessions/s/outline");
    let nodes = outline["nodes"].as_array().expect("a list");
    let said = nodes
        .iter()
        .find(|it| it["text"] == "My locker code is 4711.");
    let node = format!(
        "/v1/sessions/s/nodes/{}",
        said.expect("it is held")["id"].as_str().expect("named")
    );
    let edit = |text: &str| {
        let body = json!({"text": text, "was": "My locker code is 4711."});
        send(agent().patch(served.url(&node)), &body)
    };
    assert_eq!(edit("My locker code is 1174.").0, 200);
    let (status, refused) = edit("My locker code is 9999.");
    assert_eq!(
        (status, &refused["class"]),
        (409, &json!("conflict")),
        "{refused}"
    );
    let detail = refused["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("My locker code is 1174."), "{refused}");
    let (_, shown) = served.get(&node);
    assert_eq!(shown["text"], "My locker code is 1174.");
    assert_eq!(shown["quotes"], json!(["My locker code is 4711."]));
    let (_, sum) = served.get("/v1/sessions/s/since_opened");
    assert!(sum["memory"]["by_hand"].as_u64() >= Some(2), "{sum}");
    assert!(sum["memory"]["inserted"].as_u64() >= Some(3), "{sum}");
}
