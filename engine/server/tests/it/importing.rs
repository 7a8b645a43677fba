//! Conversations of other programs over HTTP: the preview, the import, who may.

use crate::support::{Served, agent, answer, folder};
use serde_json::{Value, json};

const CHAT: &str = "13/01/2024, 10:01 - Ana: The spare key hangs behind the stove.\n\
                    13/01/2024, 10:02 - Bo: <Media omitted>\n";

fn upload(served: &Served, query: &str, body: impl Into<Vec<u8>>) -> (u16, Value) {
    let url = served.url(&format!("/v1/sessions/s/conversations?name=c.txt{query}"));
    answer(agent().post(url).send(&body.into()[..]))
}

#[test]
fn a_look_makes_nothing_and_an_import_is_what_it_showed() {
    let data = folder();
    let served = Served::of(data.path());
    let (status, mut looked) = upload(&served, "&dry_run=true&zone=Europe/Berlin", CHAT);
    assert_eq!((status, &looked["new"]), (200, &json!(1)), "{looked}");
    assert_eq!(looked["left_out"], json!([{"reason": "media", "count": 1}]));
    assert_eq!(looked["first_at"], "2024-01-13T09:01:00Z");
    assert_eq!(served.get("/v1/sessions").1, json!([]));
    let (status, done) = upload(&served, "&zone=Europe/Berlin", CHAT);
    looked["imported"] = json!(1);
    assert_eq!((status, &done), (200, &looked));
    let told = served.ask("s", "Where is the spare key?");
    assert_eq!(
        told["citations"][0]["said_at"], "2024-01-13T09:01:00Z",
        "{told}"
    );
    let (_, again) = upload(&served, "&zone=Europe/Berlin&dry_run=true", CHAT);
    assert_eq!(again["left_out"][0], json!({"reason": "known", "count": 1}));
    let renamed = CHAT.replace("key", "coat");
    let (_, renamed) = upload(&served, "&rename=Ana%3DMum%0ABo%3DDad", renamed);
    assert_eq!(renamed["people"][0]["name"], "Mum");
}

#[test]
fn what_cannot_be_read_is_a_problem_and_makes_no_session() {
    let data = folder();
    let served = Served::of(data.path());
    for (query, body, why) in [
        ("", "Dear diary,", "cannot tell its format"),
        ("&format=mp3", CHAT, "`mp3` is no format; known are srt"),
        (
            "",
            "01/02/2024, 10:00 - Ana: Hi",
            "line 1: day and month cannot be told apart",
        ),
        ("&dates=year-first", CHAT, "give day-first or month-first"),
        ("&zone=Mars", CHAT, "no time zone `Mars`"),
        ("&rename=Ana", CHAT, "give two names"),
    ] {
        let (status, problem) = upload(&served, query, body);
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(status == 400 && detail.contains(why), "{status} {problem}");
    }
    // nothing to take in
    let (status, none) = upload(&served, "", "13/01/2024, 10:02 - Bo: <Media omitted>\n");
    assert_eq!((status, &none["imported"]), (200, &json!(0)), "{none}");
    assert_eq!(served.get("/v1/sessions").1, json!([]));
}
