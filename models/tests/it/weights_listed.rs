//! Models whose files only the hub knows: the listed files are downloaded completely from one
//! commit, and the receipt records them for later runs.
#![cfg(feature = "weights")]

use std::fs;

use crate::hub_server::listed::{CONFIG, TOKENS, assert_arrived, place, shelf};
use crate::hub_server::place::{content, sha256};
use crate::hub_server::shelf::{Shelf, commit};
use crate::hub_server::{Act, HubServer};
use weir_models::weights::{Manifest, Progress, PullError, State, Step, Token, Verdict};

#[test]
fn what_is_listed_arrives_of_one_commit_and_a_second_pull_needs_no_network() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let mut place = place(&hub, "");
    assert_eq!(place.store().list()[0].bytes, None, "nobody knows it yet");
    let error = place.store().path("test").unwrap_err().to_string();
    assert!(!error.contains("MB"), "{error}");
    let mut seen = Vec::new();
    let mut note = |at: Progress<'_>| {
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
    place.options.hub_token = Some(Token::new("secret"));
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
    let place = crate::hub_server::listed::place(
        &hub,
        r#", "elsewhere": [{"hub": "other/tokens", "revision": "main"}]"#,
    );
    let error = place.pull().unwrap_err();
    assert!(matches!(error, PullError::Lacks { .. }), "{error}");
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

#[test]
fn a_file_that_was_not_listed_before_counts_by_its_checksum() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let place = place(&hub, "");
    let mut other = content();
    other[1] ^= 1;
    fs::create_dir_all(place.folder()).unwrap();
    fs::write(place.folder().join("pytorch_model.bin"), &other).unwrap();
    // A receipt of an earlier weir, with another description of the model.
    let receipt = format!(
        r#"{{"files": {{"pytorch_model.bin": {{"source": "x", "sha256": "{}", "bytes": 300000,
        "checked_against": "manifest"}}}}}}"#,
        sha256(&other)
    );
    fs::write(place.folder().join("weir-receipt.json"), receipt).unwrap();
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
}
