//! What pages of other sites, crowds and leftovers of requests cannot do.

use crate::support::{Served, agent, folder};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// The status and headers of a GET with these headers.
fn got(served: &Served, path: &str, headers: &[(&str, &str)]) -> (u16, ureq::http::HeaderMap) {
    let request = headers
        .iter()
        .fold(agent().get(served.url(path)), |request, (key, value)| {
            request.header(*key, *value)
        });
    let reply = request.call().expect("it replies");
    (reply.status().as_u16(), reply.headers().clone())
}

#[test]
fn a_page_of_another_site_gets_no_sound_and_may_be_left_for_this_one() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("home", "Ana", "The boat is green.");
    let of = |site: &str, mode: &str, dest: &str| {
        let headers = [
            ("sec-fetch-site", site),
            ("sec-fetch-mode", mode),
            ("sec-fetch-dest", dest),
        ];
        got(&served, "/v1/sessions/home/transcript", &headers).0
    };
    assert_eq!(of("same-origin", "cors", "empty"), 200);
    assert_eq!(of("none", "navigate", "document"), 200);
    assert_eq!(of("cross-site", "navigate", "document"), 200);
    for (site, mode, dest) in [
        ("cross-site", "no-cors", "audio"),
        ("same-site", "no-cors", "image"),
        ("cross-site", "navigate", "iframe"),
        ("cross-site", "no-cors", "script"),
    ] {
        assert_eq!(of(site, mode, dest), 403, "{site} {mode} {dest}");
    }
    let (_, headers) = got(&served, "/v1/sessions", &[]);
    assert_eq!(headers["cross-origin-resource-policy"], "same-origin");
}

#[test]
fn what_is_wrong_behind_the_question_mark_is_a_problem_too() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("home", "Ana", "The boat is green.");
    for path in [
        "/v1/sessions/home/transcript?limit=many",
        "/v1/sessions/home/transcript?colour=red",
        "/v1/sessions/home/search",
        "/v1/sessions/home/clip",
        "/v1/sessions/home/profile?past=perhaps",
        "/v1/sessions/home/timeline?parts=-1",
        "/v1/sessions/home/nodes/seven",
    ] {
        let (status, headers) = got(&served, path, &[]);
        assert_eq!(status, 400, "{path}");
        assert_eq!(
            headers["content-type"], "application/problem+json",
            "{path}"
        );
    }
}

#[test]
fn a_node_that_is_not_held_is_not_found_whatever_is_to_be_done_with_it() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("home", "Ana", "The boat is green.");
    let path = "/v1/sessions/home/nodes/n77.0";
    let edit = agent().patch(served.url(path));
    let edit = edit.header("content-type", "application/json");
    let edit = edit.send(json!({"text": "The boat is red."}).to_string());
    let statuses = [
        served.get(path).0,
        served.delete(path).0,
        edit.expect("it replies").status().as_u16(),
    ];
    assert_eq!(statuses, [404; 3]);
    // in the body of a change it contradicts what is held
    let changes = "/v1/sessions/home/changes";
    for change in [
        json!({"pin": {"nodes": ["n77.0"], "pinned": true}}),
        json!({"edit": {"node": "n77.0", "text": "The boat is red."}}),
        json!({"erase": {"targets": [{"node": "n77.0"}]}}),
    ] {
        let (status, refused) = served.post(changes, &change);
        assert_eq!(
            (status, &refused["class"]),
            (409, &json!("conflict")),
            "{refused}"
        );
    }
}

/// A request whose body never comes whole takes a place as long as it is waited for.
fn half_a_request(served: &Served, from: &str) -> TcpStream {
    let mut stream = TcpStream::connect((from, served.address.port())).expect("it listens");
    let head = "POST /v1/sessions/home/ask HTTP/1.1\r\nhost: localhost\r\n\
        content-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    stream.write_all(head.as_bytes()).expect("it is read");
    stream
}

#[test]
fn a_crowd_of_one_address_is_told_to_wait_and_the_server_still_lives() {
    let data = folder();
    let served = Served::with(data.path(), |config| {
        config.limits.working = 8;
        config.limits.read = Duration::from_secs(600);
    });
    served.hear("home", "Ana", "The boat is green.");
    // more than its share: one may meet the question below
    let crowd: Vec<TcpStream> = (0..6)
        .map(|_| half_a_request(&served, "127.0.0.1"))
        .collect();
    let refused = || served.get("/v1/sessions");
    // they are taken in turn
    let mut told = refused();
    for _ in 0..100 {
        if told.0 == 429 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        told = refused();
    }
    assert_eq!(told.0, 429, "{}", told.1);
    assert!(
        told.1["detail"]
            .as_str()
            .is_some_and(|it| it.contains("from this address"))
    );
    assert_eq!(served.get("/health").0, 200);
    assert_eq!(served.get("/ready").0, 200);
    drop(crowd);
}

#[test]
fn a_refused_body_is_not_read_as_the_next_request() {
    let data = folder();
    let served = Served::with(data.path(), |config| config.limits.body_bytes = 1_000);
    let mut stream = TcpStream::connect(served.address).expect("it listens");
    let limit = Some(Duration::from_secs(20));
    stream.set_read_timeout(limit).expect("it can be set");
    let body = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
    let head = format!(
        "POST /v1/sessions/s/utterances HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all((head + &body).as_bytes());
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    let reply = String::from_utf8_lossy(&reply);
    assert!(reply.starts_with("HTTP/1.1 413"), "{reply}");
    assert_eq!(reply.matches("HTTP/1.1").count(), 1, "{reply}");
    assert!(
        reply.to_lowercase().contains("connection: close"),
        "{reply}"
    );
    // one that was read whole may be followed by another
    let (_, headers) = got(&served, "/health", &[]);
    assert!(!headers.contains_key("connection"));
}

#[test]
fn clients_that_choose_from_the_list_of_models_find_one() {
    let data = folder();
    let served = Served::of(data.path());
    for path in ["/v1/models", "/s/home/v1/models"] {
        let (status, listed) = served.get(path);
        assert_eq!(status, 200, "{listed}");
        assert_eq!(listed["data"][0]["id"], "weir");
    }
}
