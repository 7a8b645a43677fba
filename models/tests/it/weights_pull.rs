//! Pulls from a hub that redirects, stalls, disconnects, refuses and sends wrong data: the result
//! is correct, or there is none and the message gives advice.
#![cfg(feature = "weights")]

use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::hub_server::place::{FILE, HUB, Place, content, manifest, sha256};
use crate::hub_server::{Act, HubServer};
use weir_models::weights::{Progress, PullError, State, Step, Token, Verdict};

#[test]
fn a_file_arrives_and_progress_ends_at_its_size() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    let mut seen = Vec::new();
    let mut note = |at: Progress<'_>| {
        assert_eq!((at.model, at.file, at.bytes_total), ("test", FILE, 300_000));
        seen.push(at.bytes_done);
    };
    place.store().pull("test", &mut note).unwrap();
    place.assert_arrived();
    assert!(
        seen.is_sorted() && seen.last() == Some(&300_000),
        "{seen:?}"
    );
    assert_eq!(
        hub.requests()[0].path,
        "/weir/test/resolve/main/ggml-test.bin"
    );
    assert!(
        place
            .receipt()
            .contains("\"checked_against\": \"manifest\"")
    );

    place.pull().unwrap();
    assert_eq!(hub.requests().len(), 1, "what is here was fetched again");
}

#[test]
fn redirects_are_followed_and_the_token_stays_with_the_hub() {
    let elsewhere = HubServer::start(&content(), &[Act::Serve]);
    let to_elsewhere = Act::Redirect(format!("{}/blob", elsewhere.url), String::new());
    let script = [
        Act::Redirect("/on/this/host".to_owned(), String::new()),
        to_elsewhere,
    ];
    let hub = HubServer::start(b"", &script);
    let mut place = Place::new(&hub.url);
    place.options.hub_token = Some(Token::new(" secret\n"));
    place.pull().unwrap();
    place.assert_arrived();
    let sent: Vec<_> = hub
        .requests()
        .into_iter()
        .map(|r| r.authorization)
        .collect();
    assert_eq!(
        sent,
        [
            Some("Bearer secret".to_owned()),
            Some("Bearer secret".to_owned())
        ]
    );
    assert_eq!(
        elsewhere.requests()[0].authorization,
        None,
        "the token left the hub"
    );
    assert!(!format!("{:?}", place.options).contains("secret"));
}

#[test]
fn a_token_that_others_could_read_is_withheld_and_that_is_told_once() {
    // no such host: nothing is sent
    let mut place = Place::new("http://hub.invalid");
    place.options.hub_token = Some(Token::new("secret"));
    let told = |place: &Place| {
        let (store, mut told) = (place.store(), 0);
        for _ in 0..2 {
            let mut note = |at: Progress<'_>| {
                let hub = "http://hub.invalid";
                told += usize::from(at.step == Step::TokenWithheld { hub });
            };
            store.clone().pull("test", &mut note).unwrap_err();
        }
        told
    };
    assert_eq!(told(&place), 1);
    place.options.hub_token = None;
    assert_eq!(told(&place), 0);
    place.options.hub_token = Some(Token::new("secret"));
    place.options.hub_url = "https://hub.invalid".to_owned();
    assert_eq!(told(&place), 0);
}

#[test]
fn redirects_in_a_circle_or_to_nowhere_are_refused() {
    for to in ["/again", "", "ftp://example.org/x", "//x"] {
        let hub = HubServer::start(b"", &[Act::Redirect(to.to_owned(), String::new())]);
        let error = Place::new(&hub.url).pull().unwrap_err();
        assert!(
            matches!(error, PullError::Protocol { .. }),
            "{to:?}: {error}"
        );
        assert!(error.to_string().contains("HF_ENDPOINT"), "{error}");
    }
}

#[test]
fn a_download_cut_off_in_the_middle_goes_on_from_there() {
    let script = [
        Act::CutAfter(100_000),
        Act::CutAfter(50_000),
        Act::CutAfter(1),
        Act::Serve,
    ];
    let hub = HubServer::start(&content(), &script);
    let place = Place::new(&hub.url);
    let mut retries = Vec::new();
    let mut note = |at: Progress<'_>| {
        if let Step::Retrying { attempt, .. } = at.step {
            retries.push((attempt, at.bytes_done));
        }
    };
    place.store().pull("test", &mut note).unwrap();
    place.assert_arrived();
    // Each attempt brought data, so each time it is the second attempt.
    assert_eq!(retries, [(2, 100_000), (2, 150_000), (2, 150_001)]);
    let ranges = ["bytes=100000-", "bytes=150000-", "bytes=150001-"].map(|r| Some(r.to_owned()));
    assert_eq!(hub.ranges()[1..], ranges);
}

#[test]
fn what_an_earlier_run_left_is_resumed() {
    let hub = HubServer::start(&content(), &[Act::CutAfter(120_000), Act::CutAfter(0)]);
    let mut place = Place::new(&hub.url);
    let error = place.pull().unwrap_err();
    assert!(
        matches!(
            error,
            PullError::CutOff {
                done: 120_000,
                total: 300_000,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains("run the command again"),
        "{error}"
    );
    assert_eq!(hub.requests().len(), 4, "retries_max is 3");
    place.assert_absent();
    assert_eq!(fs::read(place.part()).unwrap(), content()[..120_000]);
    assert_eq!(
        place.store().list()[0].state,
        State::Partial { bytes: 120_000 }
    );

    let hub = HubServer::start(&content(), &[Act::Serve]);
    place.options.hub_url = hub.url.clone();
    place.pull().unwrap();
    place.assert_arrived();
    assert_eq!(hub.ranges(), [Some("bytes=120000-".to_owned())]);
}

#[test]
fn a_server_without_ranges_is_read_from_the_beginning() {
    let hub = HubServer::start(&content(), &[Act::CutAfter(100_000), Act::ServeWhole]);
    let place = Place::new(&hub.url);
    place.pull().unwrap();
    place.assert_arrived();
}

#[test]
fn a_server_without_ranges_that_breaks_off_here_and_there_is_given_up() {
    let here_and_there = [Act::WholeCutAfter(120_000), Act::WholeCutAfter(140_000)];
    let script: Vec<Act> = here_and_there.into_iter().cycle().take(40).collect();
    let hub = HubServer::start(&content(), &script);
    let place = Place::new(&hub.url);
    let error = place.pull().unwrap_err();
    assert!(matches!(error, PullError::CutOff { .. }), "{error}");
    // the first two make progress; the following ones repeat the data of the second
    let expected = 2 + place.options.retries_max as usize;
    assert_eq!(hub.requests().len(), expected);
}

#[test]
fn a_part_that_is_already_whole_is_only_checked() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    fs::create_dir_all(place.folder()).unwrap();
    fs::write(place.part(), content()).unwrap();
    place.pull().unwrap();
    place.assert_arrived();

    let longer = Place::new(&hub.url);
    fs::create_dir_all(longer.folder()).unwrap();
    fs::write(longer.part(), [content(), vec![0]].concat()).unwrap();
    longer.pull().unwrap();
    longer.assert_arrived();
}

#[test]
fn a_silent_line_is_noticed_and_tried_again() {
    let hub = HubServer::start(&content(), &[Act::StallAfter(70_000), Act::Serve]);
    let place = Place::new(&hub.url);
    place.pull().unwrap();
    place.assert_arrived();
    assert_eq!(hub.ranges(), [None, Some("bytes=70000-".to_owned())]);
}

#[test]
fn a_line_that_stays_silent_is_given_up_with_its_bytes_kept() {
    let script = [Act::StallAfter(70_000), Act::StallAfter(0)];
    let hub = HubServer::start(&content(), &script);
    let mut place = Place::new(&hub.url);
    place.options.retries_max = 1;
    let error = place.pull().unwrap_err();
    assert!(
        matches!(error, PullError::Stalled { done: 70_000, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("goes on from there"), "{error}");
    assert_eq!(fs::metadata(place.part()).unwrap().len(), 70_000);
    place.assert_absent();
}

#[test]
fn each_refusal_has_its_own_message() {
    let cases = [
        (404, "does not exist", 1),
        (410, "does not exist", 1),
        (401, "HF_TOKEN", 1),
        (403, "HF_TOKEN", 1),
        (503, "try again later", 4),
        (429, "try again later", 4),
        (418, "try again later", 1),
    ];
    for (status, advice, requests) in cases {
        let hub = HubServer::start(&content(), &[Act::Status(status)]);
        let place = Place::new(&hub.url);
        let error = place.pull().unwrap_err();
        let is_kind = match status {
            404 | 410 => matches!(error, PullError::NotFound { .. }),
            401 | 403 => matches!(error, PullError::Refused { .. }),
            _ => matches!(error, PullError::Server { .. }),
        };
        let message = error.to_string();
        assert!(is_kind && message.contains(advice), "{status}: {message}");
        assert!(
            message.contains(&status.to_string()) && message.contains(FILE),
            "{message}"
        );
        assert_eq!(hub.requests().len(), requests, "{status}");
        place.assert_absent();
    }
}

#[test]
fn a_busy_server_is_asked_again() {
    let hub = HubServer::start(
        &content(),
        &[Act::Status(503), Act::Status(429), Act::Serve],
    );
    let place = Place::new(&hub.url);
    place.pull().unwrap();
    place.assert_arrived();
}

#[test]
fn a_server_that_says_how_long_to_wait_is_heeded() {
    let hub = HubServer::start(&content(), &[Act::Busy(1), Act::Serve]);
    let place = Place::new(&hub.url);
    let (started, mut reasons) = (Instant::now(), Vec::new());
    let mut note = |at: Progress<'_>| {
        if let Step::Retrying { reason, .. } = at.step {
            reasons.push(reason.to_owned());
        }
    };
    place.store().pull("test", &mut note).unwrap();
    place.assert_arrived();
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(reasons, ["the server answers 429 and is asked again in 1s"]);
}

#[test]
fn the_wrong_bytes_are_deleted_and_named() {
    let mut wrong = content();
    wrong[200_000] ^= 1;
    let hub = HubServer::start(&content(), &[Act::Instead(wrong.clone()), Act::Serve]);
    let place = Place::new(&hub.url);
    let error = place.pull().unwrap_err();
    let PullError::Checksum {
        expected, found, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((expected, found), (&sha256(&content()), &sha256(&wrong)));
    assert!(error.to_string().contains("was deleted"), "{error}");
    place.assert_absent();
    assert!(!place.part().exists());
    place.pull().unwrap();
    place.assert_arrived();
}

#[test]
fn a_login_page_is_not_taken_for_the_file() {
    let page = b"<html>Please log in</html>".to_vec();
    let hub = HubServer::start(&content(), &[Act::Instead(page)]);
    let place = Place::new(&hub.url);
    let error = place.pull().unwrap_err();
    assert!(
        matches!(
            error,
            PullError::Size {
                found: 26,
                expected: 300_000,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("login page"), "{error}");
    place.assert_absent();
}

#[test]
fn no_network_is_said_at_once() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    drop(hub);
    let error = place.pull().unwrap_err();
    assert!(matches!(error, PullError::Unreachable { .. }), "{error}");
    assert!(
        error.to_string().contains("check the network connection"),
        "{error}"
    );
}

#[test]
fn offline_asks_nobody() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let mut place = Place::new(&hub.url);
    place.options.offline = true;
    let error = place.pull().unwrap_err();
    assert!(matches!(error, PullError::Offline { .. }), "{error}");
    assert!(error.to_string().contains("--offline"), "{error}");
    assert!(hub.requests().is_empty());

    place.options.offline = false;
    place.pull().unwrap();
    place.options.offline = true;
    place.pull().unwrap();
}

#[test]
fn without_a_known_checksum_the_hubs_own_counts() {
    let tag = |sum: &str| format!("x-linked-etag: \"{sum}\"\r\n");
    let right = sha256(&content());
    for (told, arrives) in [(right.clone(), true), ("0".repeat(64), false)] {
        let redirect = Act::Redirect("/blob".to_owned(), tag(&told));
        let hub = HubServer::start(&content(), &[redirect, Act::Serve]);
        let mut place = Place::new(&hub.url);
        place.manifest = manifest(HUB, "null");
        match place.pull() {
            Ok(_) => assert!(arrives),
            Err(PullError::Checksum { expected, .. }) => assert!(!arrives && expected == told),
            Err(other) => panic!("{other}"),
        }
        if arrives {
            place.assert_arrived();
            assert!(place.receipt().contains("\"checked_against\": \"hub\""));
            fs::write(place.folder().join(FILE), vec![7; 300_000]).unwrap();
            let verdict = place.store().verify("test").unwrap().remove(0).verdict;
            assert!(
                matches!(verdict, Verdict::WrongChecksum { .. }),
                "{verdict:?}"
            );
        }
    }
}

#[test]
fn a_file_cut_short_after_its_arrival_is_noticed_and_fetched_again() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    place.pull().unwrap();
    let file = place.folder().join(FILE);
    fs::write(&file, &content()[..1000]).unwrap();
    let error = place.store().path("test").unwrap_err().to_string();
    assert!(
        error.contains("1000 bytes") && error.contains("weir models pull test"),
        "{error}"
    );
    let verdict = place.store().verify("test").unwrap().remove(0).verdict;
    assert_eq!(
        verdict,
        Verdict::WrongSize {
            expected: 300_000,
            found: 1000
        }
    );
    place.pull().unwrap();
    place.assert_arrived();
}

#[test]
fn two_pulls_at_once_fetch_once() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    let waited = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut note = |at: Progress<'_>| {
                    if at.step == Step::Waiting {
                        *waited.lock().unwrap() += 1;
                    }
                };
                place.store().pull("test", &mut note).unwrap();
            });
        }
    });
    place.assert_arrived();
    assert_eq!(hub.requests().len(), 1);
    assert!(*waited.lock().unwrap() <= 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_with_what_is_needed() {
    let hub = HubServer::start(&content(), &[Act::Serve]);
    let place = Place::new(&hub.url);
    fs::create_dir_all(place.folder()).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.part()).unwrap();
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
    assert!(error.to_string().contains("free some space"), "{error}");
}
