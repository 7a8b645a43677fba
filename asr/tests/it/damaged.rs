//! Files with damaged parts: the missing sound is reported, and the rest keeps its time.

use std::path::PathBuf;
use weir_asr::{AudioSource, SourceWarning, open_file};

struct Decoded {
    frames: u64,
    rate_hz: u32,
    samples: Vec<f32>,
    warnings: Vec<SourceWarning>,
}

fn decode(bytes: &[u8]) -> Decoded {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("written");
    let mut source = open_file(file.path()).expect("it opens");
    let (mut chunk, mut samples, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    while source.read(&mut chunk).expect("it reads on") > 0 {
        samples.extend_from_slice(&chunk);
    }
    source.take_warnings(&mut warnings);
    let frames = samples.len() as u64 / u64::from(source.spec().channels);
    Decoded {
        frames,
        rate_hz: source.spec().rate_hz,
        samples,
        warnings,
    }
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    std::fs::read(folder.join(name)).expect("the fixture")
}

#[test]
fn flac_with_damage_inside_says_how_much_is_missing_and_keeps_its_time() {
    let bytes = fixture("voices/kennedy-1961.flac");
    let whole = decode(&bytes);
    assert_eq!(whole.warnings, []);
    let mut broken = bytes.clone();
    // every kilobyte of the third quarter loses some bits
    for at in (bytes.len() / 2..bytes.len() * 3 / 4).step_by(1_000) {
        broken[at] ^= 0x55;
    }
    let broken = decode(&broken);
    assert_eq!(broken.frames, whole.frames, "{:?}", broken.warnings);
    let missing = broken.warnings.iter().find_map(|warning| match warning {
        SourceWarning::Missing { frames, first, .. } => Some((*frames, *first)),
        _ => None,
    });
    let (missing, first) = missing.expect("it is told");
    assert!(missing > whole.frames / 8, "{missing} of {}", whole.frames);
    assert!(
        (whole.frames / 3..whole.frames * 2 / 3).contains(&first),
        "{first}"
    );
    // undamaged sound keeps its position
    let tail = whole.samples.len() * 9 / 10;
    assert_eq!(broken.samples[tail..], whole.samples[tail..]);
    let told: Vec<String> = broken.warnings.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    let of = whole.frames as f64 / f64::from(whole.rate_hz);
    assert!(
        told.contains(&format!("s of its {of:.1} s are missing in")),
        "{told}"
    );
}

#[test]
fn half_a_file_says_what_its_header_promised() {
    for name in ["clips/mp3.mp3", "voices/kennedy-1961.flac"] {
        let bytes = fixture(name);
        let whole = decode(&bytes);
        assert_eq!(whole.warnings, [], "{name}");
        let half = decode(&bytes[..bytes.len() / 2]);
        let short = half.warnings.iter().find_map(|warning| match warning {
            SourceWarning::Truncated {
                expected_frames,
                found_frames,
                ..
            } => Some((*expected_frames, *found_frames)),
            _ => None,
        });
        let (expected, found) = short.expect(name);
        assert!(
            expected.abs_diff(whole.frames) < u64::from(whole.rate_hz / 10),
            "{name}"
        );
        assert_eq!(found, half.frames, "{name}");
    }
}
