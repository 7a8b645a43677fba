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

/// More talk than there is room for: most of it small.
fn filled(served: &Served) {
    let (status, made) = served.put("/v1/sessions/s", &json!({"tokens": 256}));
    assert_eq!(status, 201, "{made}");
    for (n, place) in ["shed", "mill", "pier", "tower"]
        .iter()
        .cycle()
        .take(60)
        .enumerate()
    {
        served.hear(
            "s",
            "Ana",
            &format!("The barrel {n} stands behind the {place} {n}."),
        );
        if n % 10 == 0 {
            served.hear("s", "Bob", "Hey, good to see you!");
        }
    }
    assert_eq!(
        served.post("/v1/sessions/s/changes", &json!("flush")).0,
        200
    );
}

#[test]
fn all_that_was_said_is_accounted_for_and_says_why_it_goes() {
    let data = folder();
    let served = Served::of(data.path());
    filled(&served);
    let (status, fates) = served.get("/v1/sessions/s/forgetting?limit=500");
    assert_eq!(status, 200, "{fates}");
    let count = |key: &str| fates[key].as_u64().expect("a number");
    let all = ["whole", "key", "unsorted", "transcript_only", "nowhere"];
    assert_eq!(count("said"), 66);
    assert_eq!(all.map(count).iter().sum::<u64>(), 66, "{fates}");
    let gone = fates["gone"].as_array().expect("a list");
    assert_eq!(gone.len() as u64, count("transcript_only"));
    assert!(!gone.is_empty(), "{fates}");
    let greeting = gone.iter().find(|it| it["speaker"] == "Bob");
    let greeting = greeting.expect("greetings go");
    assert_eq!(greeting["says_little"], true, "{greeting}");
    let fact = gone
        .iter()
        .find(|it| it["speaker"] == "Ana")
        .expect("facts go");
    assert!(
        fact["chance"].as_f64() > greeting["chance"].as_f64(),
        "{fact}"
    );
    assert!(
        fact["chance_now"].as_f64() <= fact["chance"].as_f64(),
        "{fact}"
    );
    let turns: Vec<_> = gone.iter().filter_map(|it| it["turn"].as_u64()).collect();
    assert!(turns.is_sorted_by(|a, b| a > b), "newest first: {turns:?}");
    let going = fates["going"].as_array().expect("a list");
    let before: Vec<_> = going
        .iter()
        .filter_map(|it| it["before"].as_u64())
        .collect();
    assert_eq!(before, (0..going.len() as u64).collect::<Vec<_>>());
    let node = going[0]["id"].as_str().expect("a name");
    let node = format!("/v1/sessions/s/nodes/{node}");
    let (_, shown) = served.get(&node);
    assert_eq!(shown["standing"]["before"], 0, "{shown}");
    assert_eq!(shown["standing"]["of"], going.len() as u64, "{shown}");
    let pinned = send(agent().patch(served.url(&node)), &json!({"pinned": true}));
    assert_eq!(pinned.0, 200, "{}", pinned.1);
    let (_, shown) = served.get(&node);
    assert!(shown["standing"]["before"].is_null(), "{shown}");
    assert_eq!(served.get("/v1/sessions/s/forgetting?limit=0").0, 400);
}

#[test]
fn a_session_is_told_of_without_opening_it() {
    let data = folder();
    let served = Served::of(data.path());
    talked(&served);
    let open = served.get("/v1/sessions/s/about");
    assert_eq!(open.0, 200, "{}", open.1);
    assert_eq!(
        open.1["people"].as_array().map(Vec::len),
        Some(2),
        "{}",
        open.1
    );
    assert_eq!(open.1["turns"], 3, "{}", open.1);
    assert!(
        open.1["title"].is_string() && open.1["first_at"].is_string(),
        "{}",
        open.1
    );
    served.end();
    let served = Served::of(data.path());
    assert_eq!(served.get("/v1/sessions/s/about"), open);
    let (_, all) = served.get("/v1/sessions");
    assert_eq!(all, json!([{"name": "s", "open": false}]));
    assert_eq!(served.get("/v1/sessions/nobody/about").0, 404);
    assert_eq!(
        served.get("/v1/sessions/nobody/about").0,
        404,
        "and it makes none"
    );
}

#[test]
fn a_pause_of_years_does_not_fill_the_time_line() {
    let data = folder();
    let served = Served::of(data.path());
    let year_ms = 365 * 86_400_000_u64;
    let late = (0..30_u64).map(|n| (3 * year_ms + n * 10_000, n + 30));
    let lines = (0..30_u64).map(|n| (n * 10_000, n)).chain(late);
    let begun = json!({"begin": {"name": "talk"}});
    served.put("/v1/sessions/s", &json!({}));
    assert_eq!(served.post("/v1/sessions/s/changes", &begun).0, 200);
    for (at, n) in lines {
        let span = json!({"start_ms": at, "end_ms": at + 5_000});
        let said =
            json!({"speaker": "Ana", "text": format!("The barrel {n} is full."), "span": span});
        let talk = json!({"utterances": [said]});
        let (status, heard) = served.post("/v1/sessions/s/utterances", &talk);
        assert_eq!(status, 200, "{heard}");
    }
    let (_, line) = served.get("/v1/sessions/s/timeline?parts=60");
    let parts = line["parts"].as_array().expect("a list");
    let with_talk = parts.iter().filter(|it| it["said"].as_u64() > Some(0));
    assert!(with_talk.count() > 20, "{line}");
    assert_eq!(line["pauses"].as_array().map(Vec::len), Some(1), "{line}");
    let begins: Vec<_> = parts
        .iter()
        .filter_map(|it| it["from_ms"].as_u64())
        .collect();
    assert!(begins.is_sorted() && begins[0] == 0, "{begins:?}");
    assert!(begins[59] > 3 * year_ms, "{begins:?}");
}

/// What is wrong with a file is told by its name in the folder of sessions, not by where that is.
#[cfg(unix)]
#[test]
fn a_client_is_not_told_where_files_are() {
    let data = folder();
    let served = Served::of(data.path());
    let broken = data.path().join("sessions/broken");
    std::fs::create_dir_all(&broken).expect("it can be made");
    std::fs::write(broken.join("memory.redb"), "no session").expect("it can be written");
    let (status, refused) = served.get("/v1/sessions/broken/outline");
    assert!(status >= 500, "{refused}");
    let detail = refused["detail"].as_str().unwrap_or_default();
    let folder = data.path().to_str().expect("text");
    assert!(!detail.is_empty() && !detail.contains(folder), "{refused}");
}
