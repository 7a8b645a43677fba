//! Files with damaged parts: the missing sound is reported, and the rest keeps its time.

use crate::sources::of_bytes;
use std::path::PathBuf;
use weir_asr::SourceWarning;

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    std::fs::read(folder.join(name)).expect("the fixture")
}

#[test]
fn flac_with_damage_inside_says_how_much_is_missing_and_keeps_its_time() {
    let bytes = fixture("voices/kennedy-1961.flac");
    let whole = of_bytes(&bytes);
    assert_eq!(whole.warnings, []);
    let mut broken = bytes.clone();
    // every kilobyte of the third quarter loses some bits
    for at in (bytes.len() / 2..bytes.len() * 3 / 4).step_by(1_000) {
        broken[at] ^= 0x55;
    }
    let broken = of_bytes(&broken);
    assert_eq!(broken.frames(), whole.frames(), "{:?}", broken.warnings);
    let missing = broken.warnings.iter().find_map(|warning| match warning {
        SourceWarning::Missing { frames, first, .. } => Some((*frames, *first)),
        _ => None,
    });
    let (missing, first) = missing.expect("it is told");
    assert!(
        missing > whole.frames() / 8,
        "{missing} of {}",
        whole.frames()
    );
    assert!(
        (whole.frames() / 3..whole.frames() * 2 / 3).contains(&first),
        "{first}"
    );
    // undamaged sound keeps its position
    let tail = whole.samples.len() * 9 / 10;
    assert_eq!(broken.samples[tail..], whole.samples[tail..]);
    let told: Vec<String> = broken.warnings.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    let of = whole.frames() as f64 / f64::from(whole.spec.rate_hz);
    assert!(
        told.contains(&format!("s of its {of:.1} s are missing in")),
        "{told}"
    );
}

#[test]
fn half_a_file_says_what_its_header_promised() {
    for name in ["clips/mp3.mp3", "voices/kennedy-1961.flac"] {
        let bytes = fixture(name);
        let whole = of_bytes(&bytes);
        assert_eq!(whole.warnings, [], "{name}");
        let half = of_bytes(&bytes[..bytes.len() / 2]);
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
            expected.abs_diff(whole.frames()) < u64::from(whole.spec.rate_hz / 10),
            "{name}"
        );
        assert_eq!(found, half.frames(), "{name}");
    }
}
