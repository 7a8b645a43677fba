//! The events of a session, through a client that goes away and comes back.

use crate::support::{Served, agent, folder};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};

/// An event as it was sent.
#[derive(Debug)]
struct Sent {
    id: String,
    kind: String,
    data: Value,
}

struct Following(BufReader<ureq::BodyReader<'static>>);

impl Following {
    /// Follows a session, after an event if one is named.
    fn of(served: &Served, session: &str, after: Option<&str>) -> Self {
        let mut request = agent().get(served.url(&format!("/v1/sessions/{session}/events")));
        if let Some(id) = after {
            request = request.header("last-event-id", id);
        }
        let reply = request.call().expect("it replies");
        assert_eq!(reply.status().as_u16(), 200);
        Self(BufReader::new(reply.into_body().into_reader()))
    }

    /// The next event; `None` at the end.
    fn next(&mut self) -> Option<Sent> {
        let (mut id, mut kind, mut data) = (String::new(), String::new(), None);
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            match line.split_once(": ") {
                Some(("id", value)) => id = value.to_owned(),
                Some(("event", value)) => kind = value.to_owned(),
                Some(("data", value)) => data = serde_json::from_str(value).ok(),
                _ => {}
            }
            if let Some(data) = data.take_if(|_| line.is_empty()) {
                return Some(Sent { id, kind, data });
            }
        }
    }

    /// The next utterance's words and its event's id.
    fn utterance(&mut self) -> (String, String) {
        loop {
            let event = self.next().expect("there are more");
            if event.kind == "utterance" {
                return (
                    event.data["text"].as_str().unwrap_or_default().to_owned(),
                    event.id,
                );
            }
        }
    }
}

#[test]
fn a_client_that_comes_back_misses_nothing() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("s", "Ana", "Before anybody followed.");
    let mut following = Following::of(&served, "s", None);
    served.hear("s", "Ana", "The first thing.");
    let (mut text, mut id) = following.utterance();
    if text == "Before anybody followed." {
        // on a busy machine it is told after the client has come
        (text, id) = following.utterance();
    }
    assert_eq!(text, "The first thing.");
    drop(following);
    let flushed = served.post("/v1/sessions/s/changes", &json!("flush"));
    assert_eq!(flushed.0, 200, "{}", flushed.1);
    let mut sorted = Following::of(&served, "s", Some(&id));
    // one event or two: the first statement may be sorted in before the second was heard
    let mut inserted = 0;
    while inserted < 2 {
        let event = sorted.next().expect("both are sorted in");
        inserted += event.data["inserted"].as_u64().unwrap_or(0);
    }
    assert_eq!(inserted, 2);
    drop(sorted);
    served.hear("s", "Ana", "The second thing.");
    let mut again = Following::of(&served, "s", Some(&id));
    assert_eq!(again.utterance().0, "The second thing.");
    served.hear("s", "Ana", "The third thing.");
    assert_eq!(again.utterance().0, "The third thing.");
    // it ends when the session is deleted
    assert_eq!(served.delete("/v1/sessions/s").0, 200);
    while again.next().is_some() {}
}

#[test]
fn a_client_is_told_that_it_missed_events_of_an_earlier_opening() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("s", "Ana", "The first thing.");
    let mut following = Following::of(&served, "s", Some("0-1"));
    let missed = following.next().expect("it is told at once");
    assert_eq!(
        (missed.kind.as_str(), &missed.data["events"]),
        ("missed", &Value::Null)
    );
    drop(following);
    served.end();
}

#[test]
fn a_client_learns_of_beliefs_names_and_changes_by_hand() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("s", "S1", "Hello there.");
    let mut following = Following::of(&served, "s", None);
    let change = |change: Value| {
        let done = served.post("/v1/sessions/s/changes", &change);
        assert_eq!(done.0, 200, "{}", done.1);
    };
    let mut next = |kind: &str| loop {
        let event = following.next().expect("there are more");
        if event.kind == kind {
            return event.data;
        }
    };
    served.hear("s", "S1", "I really love the mountains of Norway.");
    change(json!("flush"));
    let belief = next("belief");
    assert_eq!(belief["holder"], "S1");
    assert_eq!(belief["observations"], 1);
    change(json!({"name_speaker": {"speaker": "S1", "name": "Ana"}}));
    let named = next("speaker");
    assert_eq!(
        (&named["speaker"], &named["name"]),
        (&json!("S1"), &json!("Ana"))
    );
    let tree = served.get("/v1/sessions/s/tree").1;
    let node = &tree["scenes"][0]["children"][0]["children"][0]["id"];
    change(json!({"pin": {"nodes": [node], "pinned": true}}));
    assert_eq!(next("changed")["now"][0]["id"], *node);
    change(json!({"budget": {"tokens": 4000}}));
    assert_eq!(next("changed")["held"]["budget_tokens"], 4000);
    served.end();
}
