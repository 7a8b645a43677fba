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
    assert!(status >= 400, "{refused}");
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
