//! Models whose files only the hub knows: the listed files are downloaded completely from one
//! commit, and the receipt records them for later runs.
#![cfg(feature = "weights")]

use std::fs;
use std::time::{Duration, Instant};

use crate::hub_server::listed::{CONFIG, TOKENS, assert_arrived, place, shelf};
use crate::hub_server::place::{assert_told, content, content_but};
use crate::hub_server::shelf::{Shelf, commit};
use crate::hub_server::{Act, HubServer, Page};
use crate::told::assert_has;
use crate::whisper_folders::sha256;
use weir_models::weights::{Progress, State, Step, Token, Verdict, WeightsErrorKind as Kind};

#[test]
fn what_is_listed_arrives_of_one_commit_and_a_second_pull_needs_no_network() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let mut place = place(&hub, "");
    assert_eq!(place.store().list()[0].bytes, None, "nobody knows it yet");
    let error = place.store().path("test").unwrap_err().to_string();
    assert!(!error.contains("MB"), "{error}");
    let mut seen = Vec::new();
    let mut note = |at: Progress<'_>| seen.push((at.step == Step::Listing, at.bytes_total));
    place.store().pull("test", &mut note).unwrap();
    assert_arrived(&place, &shelf);
    let total = (content().len() + CONFIG.len() + TOKENS.len() + 2) as u64;
    assert_eq!(seen[0], (true, 0));
    assert!(seen[1..].iter().all(|at| *at == (false, total)), "{seen:?}");
    assert_eq!(place.store().list()[0].bytes, Some(total));
    let files = [
        "config.json", "pytorch_model.bin", "sub/extra file.json", "tokenizer.json",
    ];
    let lists = [shelf.revision_url(), shelf.tree_url()];
    let files = files.map(|path| shelf.file_url(path));
    assert_eq!(hub.paths(), [&lists[..], &files[..]].concat());
    assert!(files[2].ends_with("/sub/extra%20file.json"));
    let receipt: serde_json::Value = serde_json::from_str(&place.receipt()).unwrap();
    assert_eq!(receipt["commit"], commit('a'));
    assert_eq!(receipt["model"]["sources"][0]["revision"], "main");
    assert_eq!(receipt["model"]["licence"], "apache-2.0");

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
    let pages = asked.iter().filter(|path| path.contains("/tree/"));
    let pages: Vec<_> = pages.collect();
    assert_eq!(pages.len(), 3, "{asked:?}");
    assert!(pages[2].ends_with("&cursor=page%3D2"), "{asked:?}");
    assert!(hub.headers("authorization").iter().all(Option::is_some));
}

#[test]
fn what_the_repository_lacks_is_looked_for_elsewhere() {
    let elsewhere = r#", "elsewhere": [{"hub": "other/tokens", "revision": "main"}]"#;
    let mut own = shelf();
    own.files.retain(|(path, _)| path != "tokenizer.json");
    let files: [(&str, &[u8]); 2] = [("tokenizer.json", TOKENS), ("config.json", b"")];
    let mut other = Shelf::new("other/tokens", &files);
    other.commit = commit('b');
    let hub = HubServer::of(own.pages());
    hub.put(other.pages());
    let first = place(&hub, elsewhere);
    first.pull().unwrap();
    let read = |path: &str| fs::read(first.folder().join(path)).unwrap();
    assert_eq!(
        (read("tokenizer.json"), read("config.json")),
        (TOKENS.to_vec(), CONFIG.to_vec())
    );
    assert!(first.receipt().contains("other/tokens"));
    assert!(first.store().path("test").is_ok());

    other.files.remove(0);
    let hub = HubServer::of(own.pages());
    hub.put(other.pages());
    let error = place(&hub, elsewhere).pull().unwrap_err();
    assert_has(&error, &["has no tokenizer.json"]);
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
    new.files[1].1[3] ^= 1;
    new.files[2].1[3] ^= 9;
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
    let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown { .. });
    assert!(
        findings.iter().all(|at| is_unknown(&at.verdict)),
        "{findings:?}"
    );

    fs::remove_file(place.folder().join("README.md")).unwrap();
    fs::write(place.folder().join("weir-receipt.json"), b"{\"files\": 7").unwrap();
    fs::remove_file(place.folder().join("tokenizer.json")).unwrap();
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
    let fetched = hub.paths().contains(&shelf.file_url("pytorch_model.bin"));
    assert!(!fetched, "its checksum says that it is the one");
}

#[test]
fn a_file_that_was_not_listed_before_counts_by_its_checksum() {
    let shelf = shelf();
    let hub = HubServer::of(shelf.pages());
    let place = place(&hub, "");
    let other = content_but(1);
    fs::create_dir_all(place.folder()).unwrap();
    fs::write(place.folder().join("pytorch_model.bin"), &other).unwrap();
    // a receipt of another description of the model
    let entry = serde_json::json!({"source": "x", "sha256": sha256(&other)});
    let receipt = serde_json::json!({"files": {"pytorch_model.bin": entry}}).to_string();
    fs::write(place.folder().join("weir-receipt.json"), receipt).unwrap();
    place.pull().unwrap();
    assert_arrived(&place, &shelf);
}

#[test]
fn a_hub_that_refuses_or_sends_something_else_is_named() {
    let shelf = shelf();
    let said = |content: &str| Page::new(content.as_bytes(), &[Act::Serve]);
    let acts = |act: Act| Page::new(b"[     ]", &[act]);
    let linked = |link: &str| Page {
        head: format!("link: <{link}>; rel=\"next\"\r\n"),
        ..said("[]")
    };
    let endless = linked("https://hub.invalid/x?cursor=1");
    let no_cursor = linked("https://hub.invalid/x");
    let sum = r#"[{"type": "file", "path": "config.json", "size": 1, "oid": "1",
        "lfs": {"oid": "12", "size": 3}}]"#;
    let no_commit = said("{\"sha\": \"../../x\"}");
    let login = acts(Act::Instead(b"<html>Please log in</html>".to_vec()));
    let (revision, tree) = (shelf.revision_url(), shelf.tree_url());
    let config = shelf.file_url("config.json");
    let told = |url: &str, page: Page, kind: Kind, words: &str| {
        let hub = HubServer::of(shelf.pages());
        let again = format!("{url}&cursor=1");
        hub.put([(url.to_owned(), page.clone()), (again, page)].into());
        let place = place(&hub, "");
        let words = format!("{words}|owner/test-T5");
        assert_told(&place.pull().unwrap_err(), kind, &words);
        assert_eq!(place.store().list()[0].state, State::Absent);
        hub.requests().len()
    };
    for (page, kind, words, requests) in [
        (said("<html>"), Kind::Invalid, "HF_ENDPOINT", 2),
        (said(sum), Kind::Invalid, "64 hex digits", 2),
        (no_cursor, Kind::Invalid, "no cursor", 2),
        (endless, Kind::Invalid, "more than 32 pages", 33),
        (acts(Act::Status(404)), Kind::Refused, "how it is", 2),
        (acts(Act::Status(401)), Kind::Refused, "HF_TOKEN", 2),
        (acts(Act::Status(503)), Kind::Network, "try again later", 5),
        (acts(Act::StallAfter(3)), Kind::Network, "again later", 5),
    ] {
        assert_eq!(told(&tree, page, kind, words), requests, "{words}");
    }
    told(&revision, no_commit, Kind::Invalid, "is not a commit");
    told(&config, login, Kind::Invalid, "config.json|has 26 bytes");
}

#[test]
fn a_missing_file_is_named_with_what_there_is() {
    let mut shelf = shelf();
    // a name that leads outside the folder is no file
    let outside = "../model.safetensors".to_owned();
    shelf.files.push((outside, b"x".to_vec()));
    shelf.files.retain(|(path, _)| path != "pytorch_model.bin");
    let hub = HubServer::of(shelf.pages());
    let words = "owner/test-T5 has no model.safetensors or pytorch_model.bin|it has: README.md, \
                 config.json, sub/extra file.json, tokenizer.json;";
    let error = place(&hub, "").pull().unwrap_err();
    assert_told(&error, Kind::Unusable, words);
}

#[test]
fn a_list_is_asked_for_again_when_the_hub_says() {
    let shelf = shelf();
    for (url, script, pause) in [
        (shelf.revision_url(), vec![Act::Busy(1), Act::Serve], 1),
        (
            shelf.tree_url(),
            vec![Act::Status(503), Act::CutAfter(9), Act::Serve],
            0,
        ),
    ] {
        let hub = HubServer::of(shelf.pages());
        let mut page = shelf.pages().remove(&url).unwrap();
        let expected = script.len() - 1;
        page.script = script;
        hub.put([(url, page)].into());
        let place = place(&hub, "");
        let (started, mut reasons) = (Instant::now(), Vec::new());
        let mut note = |at: Progress<'_>| {
            if let Step::Retrying { reason, .. } = at.step {
                reasons.push(reason.to_owned());
            }
        };
        place.store().pull("test", &mut note).unwrap();
        assert!(started.elapsed() >= Duration::from_secs(pause));
        assert_eq!(reasons.len(), expected, "{reasons:?}");
        let is_told = reasons[0].ends_with("answers 429 and is asked again in 1s");
        assert_eq!(is_told, pause > 0, "{reasons:?}");
        assert_arrived(&place, &shelf);
    }
}

#[test]
fn wrong_bytes_are_deleted_and_damage_is_found_and_mended() {
    let shelf = shelf();
    let script = [Act::Instead(content_but(7)), Act::Serve];
    let hub = HubServer::of(shelf.with("pytorch_model.bin", &script));
    let place = place(&hub, "");
    let error = place.pull().unwrap_err();
    assert!(error.to_string().contains(&sha256(&content())), "{error}");
    let bytes = CONFIG.len() as u64;
    assert_eq!(place.store().list()[0].state, State::Partial { bytes });
    place.pull().unwrap();
    assert_arrived(&place, &shelf);

    let verdict = |path: &str| {
        let file = place.folder().join(path);
        let mut findings = place.store().verify("test").unwrap().into_iter();
        findings.find(|at| at.file == file).unwrap().verdict
    };
    for (path, bytes) in [
        ("pytorch_model.bin", content()),
        ("tokenizer.json", TOKENS.to_vec()),
    ] {
        let mut damaged = bytes.clone();
        damaged[5] ^= 1;
        let file = place.folder().join(path);
        fs::write(&file, &damaged).unwrap();
        let (expected, found) = (sha256(&bytes), sha256(&damaged));
        assert_eq!(verdict(path), Verdict::WrongChecksum { expected, found });
        fs::write(&file, &bytes[1..]).unwrap();
        assert!(matches!(verdict(path), Verdict::WrongSize { .. }));
        let error = place.store().path("test").unwrap_err();
        assert_told(&error, Kind::Damaged, "bytes|cut short or changed");
        fs::remove_file(&file).unwrap();
        assert_eq!(verdict(path), Verdict::Missing);
        place.pull().unwrap();
        assert_eq!(verdict(path), Verdict::Intact);
    }
}
