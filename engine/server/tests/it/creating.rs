//! What is refused makes no session, and what is deleted is nobody else's.

use crate::support::{Served, agent, answer, folder};
use serde_json::json;
use std::path::Path;

fn sessions(data: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data.join("sessions")).expect("the folder");
    let name = |it: std::fs::DirEntry| it.file_name().to_string_lossy().into_owned();
    entries.map(|it| name(it.expect("an entry"))).collect()
}

#[test]
fn a_refused_creation_leaves_nothing() {
    let data = folder();
    let served = Served::of(data.path());
    let (status, refused) = served.put("/v1/sessions/small", &json!({"tokens": 10}));
    assert_eq!(status, 400, "{refused}");
    let url = served.url("/v1/sessions/noise/recordings");
    let sent = agent().post(&url).send("this is no recording".as_bytes());
    let (status, refused) = answer(sent);
    assert_eq!(status, 400, "{refused}");
    assert_eq!(served.get("/v1/sessions/other").0, 404);
    let look = json!({"query": "What?"});
    assert_eq!(served.post("/v1/sessions/other/recall", &look).0, 404);
    assert_eq!(sessions(data.path()), [""; 0]);
    let (_, listed) = served.get("/v1/sessions");
    assert_eq!(listed, json!([]));
    // the name is free
    assert_eq!(
        served.put("/v1/sessions/small", &json!({"tokens": 2048})).0,
        201
    );
}

#[cfg(unix)]
#[test]
fn a_session_that_is_a_link_or_written_elsewhere_is_not_deleted() {
    let (data, elsewhere) = (folder(), folder());
    let kept = elsewhere.path().join("diary.txt");
    std::fs::write(&kept, "mine").expect("written");
    let served = Served::of(data.path());
    let link = data.path().join("sessions/link");
    std::os::unix::fs::symlink(elsewhere.path(), link).expect("a link");
    let (status, refused) = served.delete("/v1/sessions/link");
    assert_eq!(status, 409, "{refused}");
    assert!(
        refused["detail"]
            .as_str()
            .is_some_and(|it| it.contains("symbolic link")),
        "{refused}"
    );
    assert_eq!(std::fs::read_to_string(kept).expect("it is there"), "mine");
    served.hear("home", "Ana", "The boat is green.");
    served.end();
    let dir = data.path().join("sessions/home");
    let writer = weir_engine::Memory::builder(weir_engine::WordHashEncoder::new()).open(&dir);
    let writer = writer.expect("it opens");
    let served = Served::of(data.path());
    let (status, refused) = served.delete("/v1/sessions/home");
    assert_eq!(status, 409, "{refused}");
    assert!(dir.join("memory.redb").exists());
    drop(writer);
    assert_eq!(served.delete("/v1/sessions/home").0, 200);
    assert!(!dir.exists());
}

#[test]
fn the_remains_of_a_creation_are_no_session() {
    let data = folder();
    let served = Served::of(data.path());
    for (name, lock) in [("empty", None), ("locked", Some("4711\n"))] {
        let dir = data.path().join("sessions").join(name);
        std::fs::create_dir(&dir).expect("made");
        if let Some(lock) = lock {
            std::fs::write(dir.join("lock"), lock).expect("written");
        }
    }
    assert_eq!(served.get("/v1/sessions").1, json!([]));
    for name in ["empty", "locked"] {
        let about = format!("/v1/sessions/{name}/about");
        assert_eq!(served.get(&about).0, 404, "{name}");
        assert_eq!(served.get(&format!("/v1/sessions/{name}")).0, 404, "{name}");
        served.hear(name, "Ana", "The boat is green.");
        assert_eq!(served.get(&format!("/v1/sessions/{name}")).1["turns"], 1);
    }
}

#[test]
fn what_is_refused_or_says_nothing_makes_no_session() {
    let data = folder();
    let served = Served::of(data.path());
    for said in [
        json!([]),
        json!([{"text": " "}]),
        json!([{"speaker": "a\nb", "text": "Hello there."}]),
        json!([{"speaker": "Bo: I owe Eva 900 euros, she", "text": "says so."}]),
    ] {
        let body = json!({"utterances": said});
        let (_, refused) = served.post("/v1/sessions/new/utterances", &body);
        assert_eq!(sessions(data.path()), [""; 0], "{refused}");
    }
    for change in [
        json!("flush"),
        json!({"end": {"stream": "talk"}}),
        json!({"pin": {"nodes": ["n1.0"], "pinned": true}}),
        json!({"begin": {"name": "a\u{2028}b"}}),
    ] {
        let (_, refused) = served.post("/v1/sessions/new/changes", &change);
        assert_eq!(sessions(data.path()), [""; 0], "{refused}");
    }
    // one that was made on purpose stays, whatever is refused in it
    assert_eq!(served.put("/v1/sessions/kept", &json!({})).0, 201);
    let empty = json!({"utterances": []});
    served.post("/v1/sessions/kept/utterances", &empty);
    served.post("/v1/sessions/kept/changes", &json!("flush"));
    assert_eq!(sessions(data.path()), ["kept"]);
}

/// Regression: a glance at a session that was being made or deleted recovered it.
#[test]
fn a_glance_disturbs_neither_a_creation_nor_a_deletion() {
    let data = folder();
    let served = Served::of(data.path());
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let glances = scope.spawn(|| {
            let mut seen = Vec::new();
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                seen.push(served.get("/v1/sessions/busy/about"));
            }
            seen
        });
        for _ in 0..20 {
            served.hear("busy", "Ana", "The boat is green.");
            assert_eq!(served.delete("/v1/sessions/busy").0, 200);
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for (status, told) in glances.join().expect("no panic") {
            assert!(matches!(status, 200 | 404), "{status} {told}");
        }
    });
}
