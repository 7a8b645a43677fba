//! Recorded audio is played back exactly, across segments and crashes, and never exceeds its limit.

use std::fs;
use std::path::{Path, PathBuf};
use weir_core::limits;
use weir_core::stream::{AudioSpan, Span};
use weir_engine::store::{AudioArchive, AudioSpool, StoreError, clip_bytes, is_recorded};

const LIMIT: u64 = limits::AUDIO_BYTES_MIN;

/// The sample at a position of a stream: unique for more than a second.
fn sample(at: u64) -> i16 {
    (at.wrapping_mul(31) % 60_000) as i16
}

fn samples(from_ms: u64, to_ms: u64) -> Vec<i16> {
    (from_ms * 16..to_ms * 16).map(sample).collect()
}

fn recordings(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("audio")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths.filter(|path| path.extension().is_some()).collect();
    found.sort();
    found
}

fn play(dir: &Path, audio: &AudioSpan) -> Result<Vec<i16>, StoreError> {
    AudioArchive::open(dir).unwrap().read(audio)
}

#[test]
fn what_was_recorded_is_played_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = AudioSpool::open(dir.path(), LIMIT).unwrap();
    spool.begin("the kitchen/2", 500).unwrap();
    spool.append(&samples(500, 900)).unwrap();
    spool.append(&samples(900, 3_000)).unwrap();
    let audio = spool
        .locate("the kitchen/2", Span::new(800, 1_000))
        .unwrap();
    assert_eq!(audio.span, Span::new(300, 500));
    assert!(is_recorded(&audio), "{audio:?}");
    // read while it is being written, with an old header
    assert_eq!(play(dir.path(), &audio).unwrap(), samples(800, 1_000));
    assert_eq!(spool.locate("the kitchen/2", Span::new(3_000, 3_100)), None);
    assert_eq!(spool.locate("kitchen", Span::new(800, 1_000)), None);
    drop(spool);

    let [file] = &recordings(dir.path())[..] else {
        panic!("one segment");
    };
    let mut wav = hound::WavReader::open(file).unwrap();
    assert_eq!((wav.spec().sample_rate, wav.spec().channels), (16_000, 1));
    assert_eq!(
        wav.samples::<i16>().collect::<Result<Vec<_>, _>>().unwrap(),
        samples(500, 3_000)
    );
    let clip = dir.path().join("clip.wav");
    fs::write(&clip, clip_bytes(&samples(0, 50))).unwrap();
    assert_eq!(hound::WavReader::open(&clip).unwrap().duration(), 800);
}

#[test]
fn segments_follow_one_another_without_a_seam() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = AudioSpool::open(dir.path(), LIMIT).unwrap();
    spool.begin("s", 0).unwrap();
    let whole = limits::AUDIO_SEGMENT_MS;
    for from_ms in (0..whole + 20_000).step_by(7_000) {
        spool.append(&samples(from_ms, from_ms + 7_000)).unwrap();
    }
    spool.sync().unwrap();
    assert_eq!(recordings(dir.path()).len(), 2);
    let audio = spool
        .locate("s", Span::new(whole - 1_500, whole + 2_500))
        .unwrap();
    assert_eq!(
        play(dir.path(), &audio).unwrap(),
        samples(whole - 1_500, whole + 2_500)
    );
    let first = hound::WavReader::open(&recordings(dir.path())[0]).unwrap();
    assert_eq!(u64::from(first.duration()), whole * 16);
    let second = spool.locate("s", Span::new(whole, whole + 1)).unwrap();
    assert_eq!(second.span.start_ms, 0);
}

#[test]
fn a_gap_stays_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = AudioSpool::open(dir.path(), LIMIT).unwrap();
    assert!(matches!(
        spool.append(&[1]),
        Err(StoreError::NotRecording { .. })
    ));
    spool.begin("s", 0).unwrap();
    spool.append(&samples(0, 100)).unwrap();
    spool.begin("s", 5_000).unwrap();
    spool.append(&samples(5_000, 5_100)).unwrap();
    assert_eq!(spool.locate("s", Span::new(200, 300)), None);
    let before = spool.locate("s", Span::new(50, 5_050)).unwrap();
    // the audio up to the gap, and nothing after it moved forward
    assert_eq!(play(dir.path(), &before).unwrap(), samples(50, 100));
    let after = spool.locate("s", Span::new(5_050, 5_100)).unwrap();
    assert_eq!(play(dir.path(), &after).unwrap(), samples(5_050, 5_100));
}

#[test]
fn headers_that_a_crash_left_behind_are_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = AudioSpool::open(dir.path(), LIMIT).unwrap();
    for stream in ["zero", "half", "cut", "good"] {
        spool.begin(stream, 0).unwrap();
        spool.append(&samples(0, 1_000)).unwrap();
    }
    drop(spool);
    let files = recordings(dir.path());
    let change = |file: &Path, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = fs::read(file).unwrap();
        change(&mut bytes);
        fs::write(file, bytes).unwrap();
    };
    change(&files[0], &|bytes| bytes[40..44].fill(0));
    change(&files[1], &|bytes| bytes.push(7));
    change(&files[2], &|bytes| bytes.truncate(20));
    let stranger = dir.path().join("audio/00000009_x_0.wav");
    fs::write(
        &stranger,
        "not a recording of ours, whatever its name says, by far",
    )
    .unwrap();

    let spool = AudioSpool::open(dir.path(), LIMIT).unwrap();
    let durations = files
        .iter()
        .map(|file| hound::WavReader::open(file).unwrap().duration());
    assert_eq!(durations.collect::<Vec<_>>(), [16_000, 16_000, 0, 16_000]);
    assert!(
        fs::read_to_string(&stranger)
            .unwrap()
            .starts_with("not a recording")
    );
    let audio = spool.locate("half", Span::new(900, 1_000)).unwrap();
    assert_eq!(play(dir.path(), &audio).unwrap(), samples(900, 1_000));
    drop(spool);
    let read = || files.iter().map(|file| fs::read(file).unwrap());
    let whole: Vec<_> = read().collect();
    drop(AudioSpool::open(dir.path(), LIMIT).unwrap());
    assert!(read().eq(whole), "a header that is right stays");
}

#[test]
fn the_oldest_makes_room() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = AudioSpool::open(dir.path(), LIMIT).unwrap();
    let first = Span::new(0, 10);
    let mut audio = None;
    // every file counts at least 64 KiB, so 1,024 short ones fill the smallest limit
    for n in 0..1_100 {
        spool.begin("s", n * 100).unwrap();
        spool.append(&samples(n * 100, n * 100 + 10)).unwrap();
        audio = audio.or_else(|| spool.locate("s", first));
    }
    assert_eq!(recordings(dir.path()).len(), 1_024);
    assert_eq!(spool.locate("s", first), None);
    let wrong = play(dir.path(), &audio.unwrap()).unwrap_err();
    assert!(
        matches!(wrong, StoreError::AudioEvicted { .. }),
        "{wrong:?}"
    );
    assert!(
        wrong.to_string().contains("oldest recordings make room"),
        "{wrong}"
    );
}

#[test]
fn a_span_cannot_name_a_file_outside() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("secret.wav"), [0; 100]).unwrap();
    fs::create_dir(dir.path().join("audio")).unwrap();
    for file in [
        "audio/../secret.wav",
        "secret.wav",
        "/etc/passwd",
        "audio/00000001_.._0.wav",
    ] {
        let audio = AudioSpan {
            file: file.into(),
            span: Span::new(0, 1),
        };
        let wrong = play(dir.path(), &audio).unwrap_err();
        assert!(
            matches!(wrong, StoreError::AudioMissing { .. }),
            "{file}: {wrong:?}"
        );
    }
}

/// An import has no recordings: nothing made room for others.
#[test]
fn what_was_never_here_is_not_said_to_have_made_room() {
    let (from, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut spool = AudioSpool::open(from.path(), LIMIT).unwrap();
    spool.begin("my talk", 0).unwrap();
    spool.append(&samples(0, 100)).unwrap();
    let audio = spool.locate("my talk", Span::new(0, 100)).unwrap();
    let wrong = play(copy.path(), &audio).unwrap_err().to_string();
    assert!(
        wrong.contains("copy the folder `audio`") && !wrong.contains("make room"),
        "{wrong}"
    );
}

#[test]
fn a_limit_too_small_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let wrong = AudioSpool::open(dir.path(), LIMIT - 1).unwrap_err();
    assert!(wrong.to_string().contains(&LIMIT.to_string()), "{wrong}");
}
