//! Values recorded from reference implementations, and copies of models that a test may damage.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use weir_models::DeviceChoice;

/// The device that `WEIR_TEST_DEVICE` names (`scripts/check-cuda test` sets it), or the CPU.
pub(crate) fn device() -> DeviceChoice {
    match std::env::var("WEIR_TEST_DEVICE") {
        Ok(name) => name.parse().unwrap(),
        Err(_) => DeviceChoice::Cpu,
    }
}

/// The same numbers: to the bit on the CPU; a card rounds by the shape of the whole batch.
pub(crate) fn assert_same(found: &[f32], expected: &[f32], what: &str) {
    if device() == DeviceChoice::Cpu {
        assert_eq!(found, expected, "{what}");
        return;
    }
    assert_eq!(found.len(), expected.len(), "{what}");
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f32::max);
    assert!(apart < 1e-5, "{what}: {apart:e} apart");
}

pub(crate) fn golden(name: &str) -> PathBuf {
    weir_fixtures::golden_dir().join(name)
}

/// A JSON file.
pub(crate) fn read_json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

pub(crate) fn ids(value: &Value) -> Vec<u32> {
    serde_json::from_value(value.clone()).unwrap()
}

/// A copy of a model with all its folders.
pub(crate) fn copy(name: &str) -> TempDir {
    fn all(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            match from.is_dir() {
                true => all(&from, &to),
                false => drop(fs::copy(&from, &to).unwrap()),
            }
        }
    }
    let place = TempDir::new().unwrap();
    all(&golden(name), place.path());
    place
}

/// Replaces the first occurrence of `old`, which must exist.
pub(crate) fn edit(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{old:?} is not in {}", file.display());
    fs::write(file, text.replacen(old, new, 1)).unwrap();
}
