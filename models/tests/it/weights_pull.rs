//! Pulls from a hub that redirects, stalls, disconnects, refuses and sends wrong data: the result
//! is correct, or there is none and the message gives advice.
#![cfg(feature = "weights")]

use std::fs;

use crate::hub_server::place::{FILE, Place, assert_told, content, content_but};
use crate::hub_server::{Act, HubServer};
use crate::whisper_folders::sha256;
use weir_models::weights::{Progress, State, Step, Token, WeightsErrorKind as Kind};

#[test]
fn a_file_arrives_and_progress_ends_at_its_size() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    let mut seen = Vec::new();
    let mut note = |at: Progress<'_>| {
        assert_eq!((at.model, at.bytes_total), ("test", 300_000));
        seen.push(at.bytes_done);
    };
    place.store().pull("test", &mut note).unwrap();
    place.assert_arrived();
    assert!(
        seen.is_sorted() && seen.last() == Some(&300_000),
        "{seen:?}"
    );
    assert_eq!(hub.paths(), ["/weir/test/resolve/main/ggml-test.bin"]);
    place.pull().unwrap();
    assert_eq!(hub.requests().len(), 1, "what is here was fetched again");
}

/// What goes wrong once or a few times, and the ranges of the requests until the file is here.
#[test]
fn what_passes_is_tried_again_from_where_it_was() {
    let from = |offset: usize| Some(format!("bytes={offset}-"));
    for (script, ranges) in [
        (
            &[
                Act::CutAfter(100_000),
                Act::CutAfter(50_000),
                Act::CutAfter(1),
                Act::Serve,
            ][..],
            &[None, from(100_000), from(150_000), from(150_001)][..],
        ),
        (
            &[Act::StallAfter(70_000), Act::Serve],
            &[None, from(70_000)],
        ),
        (
            &[Act::Status(503), Act::Status(429), Act::Serve],
            &[None, None, None],
        ),
        // a server without ranges is read from the beginning
        (
            &[Act::CutAfter(100_000), Act::ServeWhole],
            &[None, from(100_000)],
        ),
    ] {
        let hub = HubServer::start(&content(), script);
        let place = Place::new(&hub.url);
        let mut attempts = Vec::new();
        let mut note = |at: Progress<'_>| {
            if let Step::Retrying { attempt, .. } = at.step {
                attempts.push(attempt);
            }
        };
        place.store().pull("test", &mut note).unwrap();
        place.assert_arrived();
        assert_eq!(hub.ranges(), ranges, "{script:?}");
        // after an attempt that brought data, it is the second one again
        let failed_at_once = matches!(script[0], Act::Status(_));
        let expected = if failed_at_once {
            vec![2, 3]
        } else {
            vec![2; ranges.len() - 1]
        };
        assert_eq!(attempts, expected, "{script:?}");
    }
}

#[test]
fn what_does_not_pass_is_told_with_what_to_do() {
    let wrong = content_but(200_000);
    let deleted = format!("was deleted|{}", sha256(&wrong));
    let page = Act::Instead(b"<html>Please log in</html>".to_vec());
    let redirect = |to: &str| Act::Redirect(to.to_owned());
    for (act, kind, words, requests) in [
        (Act::Instead(wrong), Kind::Invalid, &*deleted, 1),
        (page, Kind::Invalid, "has 26 bytes|login page", 1),
        (redirect("/again"), Kind::Invalid, "6 redirects", 6),
        (redirect(""), Kind::Invalid, "no http address", 1),
        (redirect("ftp://h/x"), Kind::Invalid, "ftp|HF_ENDPOINT", 1),
        (redirect("//x"), Kind::Invalid, "//x|HF_ENDPOINT", 1),
        (Act::Status(404), Kind::Refused, "does not exist|404", 1),
        (Act::Status(410), Kind::Refused, "does not exist|410", 1),
        (Act::Status(401), Kind::Refused, "HF_TOKEN|401", 1),
        (Act::Status(403), Kind::Refused, "refuses|HF_TOKEN|403", 1),
        (Act::Status(503), Kind::Network, "503|try again later", 4),
        (Act::Status(429), Kind::Network, "429|try again later", 4),
        (Act::Status(418), Kind::Network, "418|try again later", 1),
    ] {
        let kept = given_up(&[act], kind, words, requests);
        assert_eq!(kept.unwrap_or(0), 0, "{words}");
    }
    let cut = [Act::CutAfter(120_000), Act::CutAfter(0)];
    let words = "broke off at 120000 of 300000|what came in is kept";
    assert_eq!(given_up(&cut, Kind::Network, words, 4), Some(120_000));
    let silent = [Act::StallAfter(70_000), Act::StallAfter(0)];
    let words = "at 70000 of 300000|goes on from there";
    assert_eq!(given_up(&silent, Kind::Network, words, 4), Some(70_000));
    // the first two make progress; the following ones repeat the data of the second
    let here_and_there = [Act::WholeCutAfter(120_000), Act::WholeCutAfter(140_000)];
    let here_and_there: Vec<Act> = here_and_there.into_iter().cycle().take(40).collect();
    given_up(&here_and_there, Kind::Network, "broke off|is kept", 5);
}

/// The bytes that are kept after an error of this kind, with these words, after so many requests.
/// The next pull goes on from there.
#[track_caller]
fn given_up(script: &[Act], kind: Kind, words: &str, requests: usize) -> Option<u64> {
    let hub = HubServer::start(&content(), script);
    let place = Place::new(&hub.url);
    assert_told(&place.pull().unwrap_err(), kind, words);
    assert_eq!(hub.requests().len(), requests, "{words}");
    assert!(!place.folder().join(FILE).exists());
    let part = fs::metadata(place.part()).ok().map(|about| about.len());
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = place.at(&hub.url);
    place.pull().unwrap();
    place.assert_arrived();
    let begun = part.filter(|bytes| *bytes > 0);
    assert_eq!(hub.ranges(), [begun.map(|bytes| format!("bytes={bytes}-"))]);
    part
}

#[test]
fn redirects_are_followed_and_the_token_stays_with_the_hub() {
    let elsewhere = HubServer::start(&content(), &[Act::Serve]);
    let script = [
        Act::Redirect("/on/this/host".to_owned()),
        Act::Redirect(format!("{}/blob", elsewhere.url)),
    ];
    let hub = HubServer::start(b"", &script);
    let mut place = Place::new(&hub.url);
    place.options.hub_token = Some(Token::new(" secret\n"));
    place.pull().unwrap();
    place.assert_arrived();
    let sent: Vec<_> = hub.headers("authorization").into_iter().flatten().collect();
    assert_eq!(sent, ["Bearer secret", "Bearer secret"]);
    assert_eq!(
        elsewhere.headers("authorization"),
        [None],
        "the token left the hub"
    );
}

#[test]
fn a_part_that_is_already_whole_is_only_checked() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    for part in [content(), [content(), vec![0]].concat()] {
        let place = Place::new(&hub.url);
        fs::create_dir_all(place.folder()).unwrap();
        fs::write(place.part(), part).unwrap();
        place.pull().unwrap();
        place.assert_arrived();
    }
}

#[test]
fn no_network_is_said_at_once_and_offline_asks_nobody() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let mut place = Place::new(&hub.url);
    place.options.offline = true;
    assert_told(&place.pull().unwrap_err(), Kind::Offline, "switched off");
    assert!(hub.requests().is_empty());
    place.options.offline = false;
    place.pull().unwrap();
    place.options.offline = true;
    place.pull().unwrap();

    let place = Place::new(&hub.url);
    drop(hub);
    let words = "cannot be reached|check the network connection";
    assert_told(&place.pull().unwrap_err(), Kind::Network, words);
}

#[test]
fn two_pulls_at_once_fetch_once() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| place.pull().unwrap());
        }
    });
    place.assert_arrived();
    assert_eq!(hub.requests().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_with_what_is_needed() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    fs::create_dir_all(place.folder()).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.part()).unwrap();
    let words = "needs 300000 bytes|free some space";
    assert_told(&place.pull().unwrap_err(), Kind::Disk, words);
    assert_eq!(place.store().list()[0].state, State::Absent);
}
