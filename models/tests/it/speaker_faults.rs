//! Damaged models of voices are refused with the file, the tensor, the shape found and the shape
//! expected.
#![cfg(feature = "candle")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::golden::{copy, golden};
use crate::told::assert_has;
use tempfile::TempDir;
use weir_models::{DeviceChoice, LoadError, SpeakerEncoder, SpeechSegmentation};
use zip::write::SimpleFileOptions;

const ENCODER: (&str, &str) = ("tiny-campplus", "campplus_cn_en_common.pt");
const SEGMENTATION: (&str, &str) = ("tiny-pyannet", "pytorch_model.bin");

fn load(which: (&str, &str), path: &Path) -> LoadError {
    match which == ENCODER {
        true => SpeakerEncoder::load(path).map(drop).unwrap_err(),
        false => SpeechSegmentation::load(path).map(drop).unwrap_err(),
    }
}

/// A copy of a model of which a part of the pickle is replaced by one of the same length.
fn changed(which: (&str, &str), old: &[u8], new: &[u8]) -> TempDir {
    assert_eq!(old.len(), new.len());
    let place = copy(which.0);
    rewrite(&place.path().join(which.1), |name, bytes| {
        if name.ends_with("data.pkl") {
            let at = bytes.windows(old.len()).position(|part| part == old);
            let at = at.unwrap_or_else(|| panic!("{old:?} is not in it"));
            bytes[at..at + old.len()].copy_from_slice(new);
        }
    });
    place
}

/// Writes a zip file anew with other contents.
fn rewrite(file: &Path, change: impl Fn(&str, &mut Vec<u8>)) {
    let mut old = zip::ZipArchive::new(fs::File::open(file).unwrap()).unwrap();
    let mut new = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for at in 0..old.len() {
        let mut entry = old.by_index(at).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        change(&name, &mut bytes);
        new.start_file(name, stored).unwrap();
        new.write_all(&bytes).unwrap();
    }
    let new = new.finish().unwrap().into_inner();
    fs::write(file, new).unwrap();
}

#[test]
fn a_missing_file_is_named_with_its_model() {
    let none = TempDir::new().unwrap();
    let error = load(ENCODER, none.path());
    assert_has(
        &error,
        &[ENCODER.1, "campplus-cn-en-common was not fetched"],
    );
    let error = load(SEGMENTATION, Path::new("/nowhere/at/all"));
    assert_has(&error, &["/nowhere/at/all", "pyannote-", "was not fetched"]);
}

#[test]
fn a_file_is_taken_as_well_as_its_folder() {
    let file = |(folder, file): (&str, &str)| -> PathBuf { golden(folder).join(file) };
    SpeakerEncoder::load(file(ENCODER)).unwrap();
    SpeechSegmentation::load(file(SEGMENTATION)).unwrap();
}

#[test]
fn a_missing_tensor_is_named() {
    let cases: [(_, &[u8], &[u8]); 5] = [
        (ENCODER, b"head.conv1.weight", b"head.conv9.weight"),
        (
            ENCODER,
            b"xvector.tdnn.linear.weight",
            b"xvector.tdnn.linear.weighs",
        ),
        (
            ENCODER,
            b"xvector.block2.tdnnd1.linear1.weight",
            b"xvector.block2.tdnnd9.linear1.weight",
        ),
        (
            SEGMENTATION,
            b"sincnet.conv1d.0.filterbank.band_hz_",
            b"sincnet.conv1d.0.filterbank.band_hz-",
        ),
        (
            SEGMENTATION,
            b"lstm.weight_hh_l1_reverse",
            b"lstm.weight_hh_l9_reverse",
        ),
    ];
    for (which, old, new) in cases {
        let place = changed(which, old, new);
        let tensor = std::str::from_utf8(old).unwrap();
        assert_has(&load(which, place.path()), &[which.1, tensor, "is missing"]);
    }
}

/// The models of the other kind have all names wrong.
#[test]
fn another_model_is_refused_by_its_first_tensor() {
    let encoder = golden(SEGMENTATION.0).join(SEGMENTATION.1);
    let error = SpeakerEncoder::load(encoder).map(drop).unwrap_err();
    assert_has(&error, &["head.conv1.weight is missing", "[32, 1, 3, 3]"]);
    let segmentation = golden(ENCODER.0).join(ENCODER.1);
    let error = SpeechSegmentation::load(segmentation)
        .map(drop)
        .unwrap_err();
    assert_has(&error, &[ENCODER.1, "PyTorch", "state_dict"]);
}

/// In a pickle a small size is the byte `K` and the number; here the first one behind a name.
#[test]
fn a_tensor_of_another_shape_is_refused_with_both_shapes() {
    let cases: [(_, &str, u8, u8, &[&str]); 4] = [
        // kernels of three by three
        (
            ENCODER,
            "head.layer1.0.conv2.weight",
            3,
            5,
            &["expected [4, 4, 3, 3]"],
        ),
        (
            ENCODER,
            "xvector.transit1.linear.weight",
            16,
            17,
            &["expected [8, 16, 1]"],
        ),
        (
            SEGMENTATION,
            "sincnet.conv1d.1.weight",
            5,
            4,
            &["expected [6, 8, 5]"],
        ),
        (
            SEGMENTATION,
            "classifier.weight",
            7,
            8,
            &["[8, 6]", "expected [7, 6]"],
        ),
    ];
    for (which, tensor, old, new, expected) in cases {
        let place = copy(which.0);
        rewrite(&place.path().join(which.1), |name, bytes| {
            if name.ends_with("data.pkl") {
                let find = |from: usize, part: &[u8]| {
                    let at = bytes[from..].windows(part.len()).position(|x| x == part);
                    from + at.unwrap_or_else(|| panic!("{part:?} is not in it"))
                };
                // behind the name of its storage come its size, where it begins and its shape
                let shape = find(find(0, tensor.as_bytes()), b"QK\0") + 3;
                let size = find(shape, &[b'K', old]);
                bytes[size + 1] = new;
            }
        });
        let error = load(which, place.path());
        assert!(matches!(error, LoadError::Tensor { .. }), "{error}");
        assert_has(&error, &[which.1, tensor]);
        assert_has(&error, expected);
    }
}

#[test]
fn a_cut_file_and_one_that_is_no_pickle_are_refused() {
    for which in [ENCODER, SEGMENTATION] {
        let place = copy(which.0);
        let file = place.path().join(which.1);
        let whole = fs::read(&file).unwrap();
        for length in [0, 10, whole.len() / 2, whole.len() - 30] {
            fs::write(&file, &whole[..length]).unwrap();
            assert_has(&load(which, place.path()), &[which.1, "PyTorch"]);
        }
        fs::write(&file, "no zip file at all").unwrap();
        assert_has(&load(which, place.path()), &[which.1, "PyTorch"]);
    }
}

/// A whole zip file whose tensors are cut short.
#[test]
fn a_cut_tensor_is_refused() {
    for which in [ENCODER, SEGMENTATION] {
        let place = copy(which.0);
        rewrite(&place.path().join(which.1), |name, bytes| {
            if name.contains("/data/") {
                bytes.truncate(bytes.len() / 2);
            }
        });
        assert_has(&load(which, place.path()), &[which.1, "PyTorch"]);
    }
}

/// Weights that are NaN give an error, not a vector.
#[test]
fn weights_that_are_not_numbers_are_told() {
    use weir_models::{EncodeSpeaker, SegmentSpeech, VoiceError};
    let spoiled = |which: (&str, &str)| {
        let place = copy(which.0);
        rewrite(&place.path().join(which.1), |name, bytes| {
            if name.contains("/data/") {
                let nan = f32::NAN.to_le_bytes();
                let values = bytes.as_chunks_mut::<4>().0;
                values.iter_mut().for_each(|value| *value = nan);
            }
        });
        place
    };
    let sound: Vec<f32> = (0..4_000).map(|at| (at % 100) as f32 / 200.0).collect();
    let place = spoiled(ENCODER);
    let encoder = SpeakerEncoder::load(place.path()).unwrap();
    let error = encoder.encode_speaker(&sound).unwrap_err();
    assert!(matches!(error, VoiceError::Damaged { .. }), "{error}");
    let place = spoiled(SEGMENTATION);
    let segmentation = SpeechSegmentation::load(place.path()).unwrap();
    let error = segmentation.segment(&sound).unwrap_err();
    assert!(matches!(error, VoiceError::Damaged { .. }), "{error}");
}

#[test]
#[cfg(not(any(feature = "cuda", feature = "metal")))]
fn a_device_that_was_not_built_in_is_refused() {
    let device = DeviceChoice::Cuda(1);
    let errors = [
        SpeakerEncoder::load_on(golden(ENCODER.0), device).map(drop),
        SpeechSegmentation::load_on(golden(SEGMENTATION.0), device).map(drop),
    ];
    for error in errors {
        assert_has(&error.unwrap_err(), &["cuda:1", "feature `cuda`"]);
    }
}
