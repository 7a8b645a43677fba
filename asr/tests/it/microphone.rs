//! A microphone that plays a file: ALSA's `file` plugin over `null`, in a child process because
//! ALSA reads its configuration from the environment.

#![cfg(all(feature = "mic", target_os = "linux"))]
#![expect(clippy::print_stdout, reason = "the child tells its parent")]

use std::process::Command;

use weir_asr::{AudioError, AudioSource, Microphone, microphones};
use weir_fixtures::{Need, missing};

/// Set in the child; names its task.
const ROLE: &str = "WEIR_TEST_MICROPHONE";
/// Printed by the child if ALSA cannot read a file.
const NO_PLUGIN: &str = "this ALSA has no file plugin";
const FRAMES: usize = 16_000;

fn child(role: &str, config: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let sound: Vec<u8> = (0..FRAMES * 40)
        .flat_map(|i| (((i % 100) as f32 * 200.0) as i16 - 10_000).to_le_bytes())
        .collect();
    let raw = folder.path().join("sound.raw");
    std::fs::write(&raw, sound).expect("the sound is written");
    let alsa = folder.path().join("asound.conf");
    let config = config.replace("SOUND", &raw.display().to_string());
    std::fs::write(&alsa, config).expect("the configuration is written");
    let out = Command::new(std::env::current_exe().expect("this test has a path"))
        .args(["--exact", "microphone::in_the_child", "--nocapture"])
        .env(ROLE, role)
        .env("ALSA_CONFIG_PATH", &alsa)
        .output()
        .expect("the child starts");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        out.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    text
}

const FAKE: &str = "
pcm.!default {
    type plug
    slave.pcm \"fake\"
    hint { show on description \"a file that is heard\" }
}
pcm.fake {
    type file
    slave.pcm \"sink\"
    file \"/dev/null\"
    infile \"SOUND\"
    format \"raw\"
}
pcm.sink { type null }
ctl.!default { type hw card 0 }
";

#[test]
fn a_fake_microphone_is_heard_until_it_is_stopped() {
    let text = child("listen", FAKE);
    if text.contains(NO_PLUGIN) {
        return missing(Need::Programs, &text);
    }
    assert!(text.contains("heard the file"), "{text}");
    println!("{text}");
}

#[test]
fn no_sound_card_is_one_sensible_error() {
    let text = child("none", "# no device at all\n");
    assert!(
        text.contains("no microphone") || text.contains("no input device"),
        "{text}"
    );
}

/// Runs the parent's task; does nothing without a parent.
#[test]
fn in_the_child() {
    match std::env::var(ROLE).as_deref() {
        Ok("listen") => listen(),
        Ok("none") => {
            let error = Microphone::open(None).err().expect("there is no device");
            println!("{error}");
            assert!(matches!(
                error,
                AudioError::NoDevice { .. } | AudioError::DeviceOpen { .. }
            ));
            let error = Microphone::open(Some("nobody"))
                .err()
                .expect("there is no such device");
            println!("{error}");
        }
        _ => {}
    }
}

fn listen() {
    println!("{:?}", microphones());
    let mut microphone = match Microphone::open(None) {
        Ok(microphone) => microphone,
        Err(error) => {
            println!("{NO_PLUGIN}: {error}");
            return;
        }
    };
    let stop = microphone.stop_handle();
    let channels = usize::from(microphone.spec().channels);
    let wanted = microphone.spec().rate_hz as usize / 4;
    let (mut chunk, mut frames, mut loudest) = (Vec::new(), 0, 0.0f32);
    while microphone.read(&mut chunk).expect("it is heard") > 0 {
        assert_eq!(chunk.len() % channels, 0);
        frames += chunk.len() / channels;
        loudest = chunk.iter().fold(loudest, |most, s| most.max(s.abs()));
        if frames >= wanted {
            stop.stop();
        }
        if frames > wanted * 4_000 {
            break;
        }
    }
    assert!(frames >= wanted, "{frames} frames");
    assert!(loudest > 0.1, "the file's sound arrives: {loudest}");
    println!("heard the file: {frames} frames");
}
