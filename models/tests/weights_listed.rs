//! Models whose files only the hub knows: what it lists arrives whole and of one commit, and the
//! receipt tells later runs what that was.
#![cfg(feature = "weights")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod hub_server;

use std::fs;

use hub_server::place::{Place, content, sha256};
use hub_server::shelf::{Shelf, commit};
use hub_server::{Act, HubServer};
use weir_models::weights::{
    Kind, LocateError, Located, Manifest, Origin, PullError, State, Step, Verdict,
};

const CONFIG: &[u8] = br#"{"architectures": ["T5ForConditionalGeneration"]}"#;
const TOKENS: &[u8] = b"{\"a tokenizer\": 1}";

fn shelf() -> Shelf {
    let weights = content();
    Shelf::new(
        "owner/test-T5",
        &[
            ("README.md", b"# hello"),
            ("config.json", CONFIG),
            ("pytorch_model.bin", &weights),
            ("sub/extra file.json", b"{}"),
            ("tokenizer.json", TOKENS),
        ],
    )
}

fn place(hub: &HubServer, more: &str) -> Place {
    let mut place = Place::new(&hub.url);
    place.manifest = Manifest::parse(&format!(
        r#"{{"version": 1, "models": [{{"name": "test", "kind": "summariser", "licence": "MIT",
        "languages": ["en"], "note": "for tests", "listed": true,
        "sources": [{{"hub": "owner/test-T5", "revision": "main"}}],
        "wanted": ["config.json", "model.safetensors|pytorch_model.bin", "sub/*.json?",
                   "spiece.model?", "tokenizer.json"]{more}}}]}}"#
    ))
    .unwrap();
    place
}

/// Everything that `shelf` has is there and intact; what it does not want is not.
fn assert_arrived(place: &Place, shelf: &Shelf) {
    let store = place.store();
    for (path, bytes) in &shelf.files {
        let file = place.folder().join(path);
        match path.as_str() {
            "README.md" => assert!(!file.exists(), "{path} was not wanted"),
            _ => assert_eq!(&fs::read(file).unwrap(), bytes, "{path}"),
        }
    }
    let expected = Located::OnDisk {
        name: "test".to_owned(),
        kind: Kind::Summariser,
        path: place.folder(),
        origin: Origin::Cache,
    };
    assert_eq!(store.path("test").unwrap(), expected);
    let findings = store.verify("test").unwrap();
    assert_eq!(findings.len(), shelf.files.len() - 1);
    let all = findings.iter().all(|at| at.verdict == Verdict::Intact);
    assert!(all, "{findings:?}");
}

#[test]
fn what_is_listed_arrives_of_one_commit_and_a_second_pull_needs_no_network() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let mut place = place(&hub, "");
    assert_eq!(place.store().list()[0].bytes, None, "nobody knows it yet");
    let error = place.store().path("test").unwrap_err().to_string();
    assert!(!error.contains("MB"), "{error}");
    let mut seen = Vec::new();
    let mut note = |at: weir_models::weights::Progress<'_>| {
        seen.push((at.step == Step::Listing, at.bytes_total));
    };
    place.store().pull("test", &mut note).unwrap();
    assert_arrived(&place, &shelf);
    let total = content().len() + CONFIG.len() + TOKENS.len() + 2;
    assert_eq!(seen[0], (true, 0));
    assert!(
        seen[1..].iter().all(|at| *at == (false, total as u64)),
        "{seen:?}"
    );
    assert_eq!(place.store().list()[0].bytes, Some(total as u64));
    assert_eq!(
        hub.paths(),
        [
            shelf.revision_url(),
            shelf.tree_url(),
            shelf.file_url("config.json"),
            shelf.file_url("pytorch_model.bin"),
            shelf.file_url("sub/extra file.json"),
            shelf.file_url("tokenizer.json"),
        ]
    );
    assert!(hub.paths()[4].ends_with("/sub/extra%20file.json"));
    let receipt: serde_json::Value = serde_json::from_str(&place.receipt()).unwrap();
    let checked = |path: &str| receipt["files"][path]["checked_against"].clone();
    assert_eq!(checked("pytorch_model.bin"), "hub");
    assert_eq!(checked("config.json"), "hub size");
    assert_eq!(receipt["listed"]["commit"], commit('a'));
    assert_eq!(receipt["listed"]["revision"], "main");
    assert_eq!(receipt["listed"]["licence"], "apache-2.0");

    place.options.offline = true;
    place.pull().unwrap();
    assert_eq!(hub.requests().len(), 6, "what is here was asked for again");
}

#[test]
fn a_list_of_many_pages_is_read_to_its_end_and_the_token_stays_with_the_hub() {
    let mut shelf = shelf();
    shelf.page_len = 2;
    let hub = HubServer::of(shelf.pages());
    let mut place = place(&hub, "");
    place.options.hub_token = Some(weir_models::weights::Token::new("secret"));
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
    let asked = hub.paths();
    let pages: Vec<_> = asked
        .iter()
        .filter(|path| path.contains("/tree/"))
        .collect();
    assert_eq!(pages.len(), 3, "{asked:?}");
    assert!(pages[2].ends_with("&cursor=page%3D2"), "{asked:?}");
    assert!(hub.requests().iter().all(|at| at.authorization.is_some()));
}

#[test]
fn a_list_without_end_or_sense_is_refused() {
    let shelf = shelf();
    let refused = |page: hub_server::Page, url: String| {
        let hub = HubServer::of(shelf.pages());
        hub.put([(url, page)].into());
        let place = place(&hub, "");
        let error = place.pull().unwrap_err();
        assert!(matches!(error, PullError::Protocol { .. }), "{error}");
        assert!(hub.requests().len() < 50, "{}", hub.requests().len());
        assert!(!place.folder().join("weir-receipt.json").exists());
        error.to_string()
    };
    let page = |content: &str, head: &str| hub_server::Page {
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
    assert!(refused(login, shelf.revision_url()).contains("no commit"));
    let sum = r#"[{"type": "file", "path": "config.json", "size": 1, "oid": "1",
        "lfs": {"oid": "12", "size": 3}}]"#;
    assert!(refused(page(sum, ""), shelf.tree_url()).contains("64 hex digits"));
}

#[test]
fn a_missing_file_is_named_with_what_there_is() {
    let mut shelf = shelf();
    shelf.files.retain(|(path, _)| path != "pytorch_model.bin");
    // A name that leads outside is no file for us, whoever lists it.
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
            "README.md",
            "config.json",
            "sub/extra file.json",
            "tokenizer.json"
        ]
    );
    assert!(error.to_string().contains("owner/test-T5"), "{error}");
    assert_eq!(place.store().list()[0].state, State::Absent);
}

#[test]
fn the_first_alternative_wins() {
    let mut shelf = shelf();
    shelf
        .files
        .push(("model.safetensors".to_owned(), content()));
    let hub = HubServer::of(shelf.pages());
    let place = place(&hub, "");
    place.pull().unwrap();
    assert!(place.folder().join("model.safetensors").exists());
    assert!(!place.folder().join("pytorch_model.bin").exists());
}

#[test]
fn what_the_repository_lacks_is_looked_for_elsewhere() {
    let mut own = shelf();
    own.files.retain(|(path, _)| path != "tokenizer.json");
    let mut other = Shelf::new(
        "other/tokens",
        &[("tokenizer.json", TOKENS), ("config.json", b"")],
    );
    other.commit = commit('b');
    let hub = HubServer::of(own.pages());
    hub.put(other.pages());
    let place = place(
        &hub,
        r#", "elsewhere": [{"hub": "other/tokens", "revision": "main"}]"#,
    );
    place.pull().unwrap();
    let read = |path: &str| fs::read(place.folder().join(path)).unwrap();
    assert_eq!(
        (read("tokenizer.json"), read("config.json")),
        (TOKENS.to_vec(), CONFIG.to_vec())
    );
    assert!(
        place.receipt().contains("other/tokens"),
        "{}",
        place.receipt()
    );
    assert!(place.store().path("test").is_ok());

    other.files.remove(0);
    let hub = HubServer::of(own.pages());
    hub.put(other.pages());
    let place = self::place(
        &hub,
        r#", "elsewhere": [{"hub": "other/tokens", "revision": "main"}]"#,
    );
    let error = place.pull().unwrap_err();
    assert!(matches!(error, PullError::Lacks { .. }), "{error}");
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
fn an_interrupted_pull_goes_on_where_it_was() {
    let shelf = shelf();
    let script = [Act::CutAfter(100_000), Act::Status(503), Act::Serve];
    let hub = HubServer::of(shelf.with("pytorch_model.bin", &script));
    let mut place = place(&hub, "");
    place.options.retries_max = 0;
    let error = place.pull().unwrap_err();
    assert!(
        matches!(error, PullError::CutOff { done: 100_000, .. }),
        "{error}"
    );
    assert!(place.pull().is_err());
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
    let ranges: Vec<_> = hub.ranges().into_iter().flatten().collect();
    assert_eq!(ranges, ["bytes=100000-", "bytes=100000-"]);
    let configs = hub
        .paths()
        .into_iter()
        .filter(|path| path.ends_with("/config.json"));
    assert_eq!(configs.count(), 1, "what was whole was fetched again");
}

#[test]
fn a_branch_that_moved_between_two_tries_mixes_no_commits() {
    let old = shelf();
    let hub = HubServer::of(old.with("pytorch_model.bin", &[Act::CutAfter(100_000)]));
    let mut place = place(&hub, "");
    place.options.retries_max = 0;
    place.pull().unwrap_err();

    let mut new = old.clone();
    new.commit = commit('b');
    let mut weights = content();
    weights[3] ^= 9;
    new.files[1].1 =
        b"{\"architectures\": [\"T5ForConditionalGeneratioN\"]}"[..CONFIG.len()].to_vec();
    new.files[2].1 = weights;
    hub.put(new.pages());
    place.pull().unwrap();
    assert_arrived(&place, &new);
    let ranges: Vec<_> = hub.ranges().into_iter().flatten().collect();
    assert!(
        ranges.is_empty(),
        "the begun file is another one: {ranges:?}"
    );
    assert!(!hub.paths().contains(&new.file_url("README.md")));
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
fn files_put_there_by_hand_are_taken_and_a_damaged_receipt_is_no_end() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let place = place(&hub, "");
    for (path, bytes) in &shelf.files {
        let file = place.folder().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    let path = place.folder();
    assert_eq!(place.store().list()[0].state, State::Here { path });
    let findings = place.store().verify("test").unwrap();
    assert_eq!(findings.len(), 4);
    fs::remove_file(place.folder().join("README.md")).unwrap();
    let all = findings
        .iter()
        .all(|at| matches!(at.verdict, Verdict::Unknown { .. }));
    assert!(all, "{findings:?}");

    fs::write(place.folder().join("weir-receipt.json"), b"{\"files\": 7").unwrap();
    fs::remove_file(place.folder().join("tokenizer.json")).unwrap();
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
    let fetched = hub.paths().contains(&shelf.file_url("pytorch_model.bin"));
    assert!(!fetched, "its checksum says that it is the one");
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
    let mut note = |at: weir_models::weights::Progress<'_>| {
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

#[test]
fn a_manifest_entry_that_is_half_listed_is_refused() {
    let entry = |more: &str| {
        Manifest::parse(&format!(
            r#"{{"version": 1, "models": [{{"name": "x", "kind": "encoder", "languages": [],
            "licence": "MIT", "note": "", {more}}}]}}"#
        ))
    };
    let hub = r#""sources": [{"hub": "a/b", "revision": "main"}]"#;
    assert!(entry(&format!(r#"{hub}, "listed": true, "wanted": ["a.json"]"#)).is_ok());
    for bad in [
        format!(r#"{hub}, "listed": true"#),
        format!(r#"{hub}, "listed": true, "wanted": ["../a"]"#),
        format!(r#"{hub}, "wanted": ["a.json"]"#),
        r#""sources": [], "listed": true, "wanted": ["a.json"]"#.to_owned(),
        format!(
            r#"{hub}, "listed": true, "wanted": ["a"], "files": [{{"path": "a", "bytes": 1,
            "sha256": null}}]"#
        ),
    ] {
        assert!(entry(&bad).is_err(), "{bad}");
    }
}
