//! Listed models when the hub or the disk fails, or the hub's list is invalid.
#![cfg(feature = "weights")]

use std::fs;

use crate::hub_server::listed::{CONFIG, TOKENS, assert_arrived, place, shelf};
use crate::hub_server::place::{content, sha256};
use crate::hub_server::{Act, HubServer, Page};
use weir_models::weights::{LocateError, Progress, PullError, State, Step, Verdict};

#[test]
fn a_list_without_end_or_sense_is_refused() {
    let shelf = shelf();
    let refused = |page: Page, url: String| {
        let hub = HubServer::of(shelf.pages());
        hub.put([(url, page)].into());
        let place = place(&hub, "");
        let error = place.pull().unwrap_err();
        assert!(matches!(error, PullError::Protocol { .. }), "{error}");
        assert!(hub.requests().len() < 50, "{}", hub.requests().len());
        assert!(!place.folder().join("weir-receipt.json").exists());
        error.to_string()
    };
    let page = |content: &str, head: &str| Page {
        content: content.as_bytes().to_vec(),
        head: head.to_owned(),
        script: vec![Act::Serve],
    };
    let endless = "link: <https://hub.invalid/x?cursor=1>; rel=\"next\"\r\n";
    let hub = HubServer::of(shelf.pages());
    hub.put([(shelf.tree_url(), page("[]", endless))].into());
    hub.put([(shelf.tree_url() + "&cursor=1", page("[]", endless))].into());
    let error = place(&hub, "").pull().unwrap_err().to_string();
    assert!(error.contains("pages"), "{error}");

    let lost = "link: <https://hub.invalid/x>; rel=\"next\"\r\n";
    assert!(refused(page("[]", lost), shelf.tree_url()).contains("no cursor"));
    assert!(refused(page("<html>", ""), shelf.tree_url()).contains("HF_ENDPOINT"));
    let login = page("{\"sha\": \"../../x\"}", "");
    assert!(refused(login, shelf.revision_url()).contains("is not a commit"));
    let sum = r#"[{"type": "file", "path": "config.json", "size": 1, "oid": "1",
        "lfs": {"oid": "12", "size": 3}}]"#;
    assert!(refused(page(sum, ""), shelf.tree_url()).contains("64 hex digits"));
}

#[test]
fn a_missing_file_is_named_with_what_there_is() {
    let mut shelf = shelf();
    shelf.files.retain(|(path, _)| path != "pytorch_model.bin");
    // A name that leads outside the folder is refused.
    shelf
        .files
        .push(("../model.safetensors".to_owned(), b"x".to_vec()));
    let hub = HubServer::of(shelf.pages());
    let place = place(&hub, "");
    let error = place.pull().unwrap_err();
    let PullError::Lacks { pattern, has, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(pattern, "model.safetensors or pytorch_model.bin");
    assert_eq!(
        has,
        &[
            "README.md", "config.json", "sub/extra file.json", "tokenizer.json"
        ]
    );
    assert!(error.to_string().contains("owner/test-T5"), "{error}");
    assert_eq!(place.store().list()[0].state, State::Absent);
}

#[test]
fn the_wrong_bytes_are_deleted_and_fetched_again() {
    let shelf = shelf();
    let mut wrong = content();
    wrong[7] ^= 1;
    let script = [Act::Instead(wrong), Act::Serve];
    let hub = HubServer::of(shelf.with("pytorch_model.bin", &script));
    let place = place(&hub, "");
    let error = place.pull().unwrap_err();
    let PullError::Checksum { expected, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(expected, &sha256(&content()));
    assert!(!place.folder().join("pytorch_model.bin").exists());
    let State::Partial { bytes } = place.store().list()[0].state else {
        panic!("{:?}", place.store().list()[0])
    };
    assert_eq!(bytes, CONFIG.len() as u64);
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
}

#[test]
fn a_list_is_asked_for_again_when_the_hub_says() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let mut page = shelf.pages().remove(&shelf.revision_url()).unwrap();
    page.script = vec![Act::Busy(1), Act::Serve];
    hub.put([(shelf.revision_url(), page)].into());
    let place = place(&hub, "");
    let started = std::time::Instant::now();
    place.pull().unwrap();
    assert!(started.elapsed() >= std::time::Duration::from_secs(1));
    assert_arrived(&place, &shelf);
}

#[test]
fn a_small_file_of_another_size_is_refused() {
    let shelf = shelf();
    let page = Act::Instead(b"<html>Please log in</html>".to_vec());
    let hub = HubServer::of(shelf.with("config.json", &[page]));
    let error = place(&hub, "").pull().unwrap_err();
    assert!(
        matches!(error, PullError::Size { found: 26, .. }),
        "{error}"
    );
}

#[test]
fn verify_finds_damage_of_every_file() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let place = place(&hub, "");
    place.pull().unwrap();
    let verdict = |path: &str| {
        let file = place.folder().join(path);
        let findings = place.store().verify("test").unwrap();
        let found = findings.into_iter().find(|at| at.file == file);
        found.unwrap().verdict
    };
    for (path, bytes) in [
        ("pytorch_model.bin", content()),
        ("tokenizer.json", TOKENS.to_vec()),
    ] {
        let mut damaged = bytes.clone();
        damaged[5] ^= 1;
        let file = place.folder().join(path);
        fs::write(&file, &damaged).unwrap();
        let expected = Verdict::WrongChecksum {
            expected: sha256(&bytes),
            found: sha256(&damaged),
        };
        assert_eq!(verdict(path), expected);
        fs::write(&file, &bytes[1..]).unwrap();
        assert!(matches!(verdict(path), Verdict::WrongSize { .. }));
        let error = place.store().path("test").unwrap_err();
        assert!(matches!(error, LocateError::WrongSize { .. }), "{error}");
        fs::remove_file(&file).unwrap();
        assert_eq!(verdict(path), Verdict::Missing);
        place.pull().unwrap();
        assert_eq!(verdict(path), Verdict::Intact);
    }
}

#[test]
fn a_hub_that_refuses_or_stays_silent_is_named() {
    let shelf = shelf();
    for (act, requests, advice) in [
        (Act::Status(404), 1, "check how it is written"),
        (Act::Status(401), 1, "HF_TOKEN"),
        (Act::Status(503), 4, "try again later"),
        (Act::StallAfter(3), 4, "again later"),
    ] {
        let hub = HubServer::of(shelf.pages());
        let mut page = shelf.pages().remove(&shelf.tree_url()).unwrap();
        page.script = vec![act.clone()];
        hub.put([(shelf.tree_url(), page)].into());
        let error = place(&hub, "").pull().unwrap_err().to_string();
        assert!(
            error.contains(advice) && error.contains("owner/test-T5"),
            "{error}"
        );
        assert_eq!(hub.requests().len(), requests + 1, "{act:?}");
    }
    let hub = HubServer::of(shelf.pages());
    let mut page = shelf.pages().remove(&shelf.tree_url()).unwrap();
    page.script = vec![Act::Status(503), Act::CutAfter(9), Act::Serve];
    hub.put([(shelf.tree_url(), page)].into());
    let place = place(&hub, "");
    let mut retries = 0;
    let mut note = |at: Progress<'_>| {
        retries += usize::from(matches!(at.step, Step::Retrying { .. }));
    };
    place.store().pull("test", &mut note).unwrap();
    assert_eq!(retries, 2);
    assert_arrived(&place, &shelf);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_with_what_is_needed() {
    let hub = HubServer::of(shelf().pages());
    let place = place(&hub, "");
    fs::create_dir_all(place.folder()).unwrap();
    let part = place.folder().join("pytorch_model.bin.part");
    std::os::unix::fs::symlink("/dev/full", part).unwrap();
    let error = place.pull().unwrap_err();
    assert!(
        matches!(
            error,
            PullError::DiskFull {
                needed: 300_000,
                ..
            }
        ),
        "{error}"
    );
}
