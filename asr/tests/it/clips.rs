//! Clips in rare, damaged and mislabelled formats: each decodes to its content or is refused.

#![cfg(feature = "decode")]

use crate::sources::{Decoded, decode};
use weir_fixtures::clips::{Clip, Outcome, expected, reference};

#[test]
fn every_clip_is_what_it_holds_or_is_refused_by_name() {
    for clip in expected() {
        if clip.name == "opus.opus" && !cfg!(feature = "opus") {
            println!("skipped: {} needs feature opus", clip.name);
            continue;
        }
        match (decode(&clip.path), clip.outcome) {
            (Ok(decoded), Outcome::Decodes | Outcome::Either) => check(&clip, &decoded),
            (Err(error), Outcome::Refused | Outcome::Either) => {
                let message = error.to_string();
                let path = clip.path.display().to_string();
                assert!(message.starts_with(&path), "{}: {message}", clip.name);
                let rest = message[path.len()..].to_lowercase();
                assert!(rest.contains(clip.reason), "{}: {message}", clip.name);
            }
            (Ok(_), Outcome::Refused) => panic!("{} was read", clip.name),
            (Err(error), Outcome::Decodes) => panic!("{error}"),
        }
    }
}

fn check(clip: &Clip, decoded: &Decoded) {
    let name = clip.name;
    let format = clip.format.expect("a readable clip says what it holds");
    assert_eq!(decoded.spec.rate_hz, format.rate_hz, "{name}");
    assert_eq!(decoded.spec.channels, format.channels, "{name}");
    let channels = usize::from(format.channels);
    let frames = decoded.frames();
    assert!(
        frames.abs_diff(format.frames) <= format.slack_frames,
        "{name}: {frames} frames"
    );
    let warns = matches!(clip.reason, "recovered" | "truncated");
    assert_eq!(
        !decoded.warnings.is_empty(),
        warns,
        "{name}: {:?}",
        decoded.warnings
    );
    // A lossy codec's samples differ, and the stereo flac was mixed down 3 dB below the reference.
    if format.slack_frames > 0 || name == "flac-24-stereo.flac" {
        return;
    }
    for channel in 0..format.channels {
        let truth = reference(format.rate_hz, channel, format.frames);
        let heard = decoded
            .samples
            .iter()
            .skip(usize::from(channel))
            .step_by(channels);
        for (at, (truth, heard)) in truth.iter().zip(heard).enumerate() {
            // 8-bit samples and the G.711 laws round by about a hundredth.
            assert!(
                (truth - heard).abs() < 0.02,
                "{name}: sample {at}: {heard} for {truth}"
            );
        }
    }
}
