//! WebM and Matroska made here: pauses that were not sent, laces, several tracks, live files.

use crate::sources::{Decoded, of_bytes, read_all};
use weir_asr::{AudioError, SourceWarning, open_file, open_file_track};

const RATE_HZ: u32 = 16_000;
const UNKNOWN: [u8; 8] = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    let size = (body.len() as u64 | 1 << 56).to_be_bytes();
    [id, &size[..], body].concat()
}

fn number(id: &[u8], value: u64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}

fn header() -> Vec<u8> {
    let body = [number(&[0x42, 0x86], 1), element(&[0x42, 0x82], b"webm")].concat();
    element(&[0x1a, 0x45, 0xdf, 0xa3], &body)
}

/// Information and tracks of 16-bit PCM in these languages; times are in milliseconds.
fn about(rate_hz: u32, languages: &[&str]) -> Vec<u8> {
    let by = [&[0x4d, 0x80][..], &[0x57, 0x41]].map(|id| element(id, b"test"));
    let info = [number(&[0x2a, 0xd7, 0xb1], 1_000_000), by.concat()].concat();
    let track = |(at, language): (usize, &&str)| {
        let rate = element(&[0xb5], &f64::from(rate_hz).to_be_bytes());
        let audio = [rate, number(&[0x9f], 1), number(&[0x62, 0x64], 16)].concat();
        let body = [
            number(&[0xd7], at as u64 + 1),
            number(&[0x73, 0xc5], at as u64 + 1),
            number(&[0x83], 2),
            element(&[0x22, 0xb5, 0x9c], language.as_bytes()),
            element(&[0x86], b"A_PCM/INT/LIT"),
            element(&[0xe1], &audio),
        ];
        element(&[0xae], &body.concat())
    };
    let tracks: Vec<u8> = languages.iter().enumerate().flat_map(track).collect();
    let info = element(&[0x15, 0x49, 0xa9, 0x66], &info);
    [info, element(&[0x16, 0x54, 0xae, 0x6b], &tracks)].concat()
}

/// A packet of a track: when, and its frames, all of one value.
type Sent = (u8, u64, usize, i16);

fn block(&(track, _, frames, value): &Sent, lace: u8) -> Vec<u8> {
    let samples: Vec<u8> = std::iter::repeat_n(value.to_le_bytes(), frames)
        .flatten()
        .collect();
    let head: &[u8] = match lace {
        0 => &[0x80 | track, 0, 0, 0x80],
        more => &[0x80 | track, 0, 0, 0x84, more],
    };
    element(&[0xa3], &[head, &samples].concat())
}

/// One cluster a packet.
fn clusters(sent: &[Sent], lace: u8) -> Vec<u8> {
    let one = |it: &Sent| [number(&[0xe7], it.1), block(it, lace)].concat();
    let cluster = |it: &Sent| element(&[0x1f, 0x43, 0xb6, 0x75], &one(it));
    sent.iter().flat_map(cluster).collect()
}

fn file(rate_hz: u32, languages: &[&str], sent: &[Sent], lace: u8) -> Vec<u8> {
    let body = [about(rate_hz, languages), clusters(sent, lace)].concat();
    [header(), element(&[0x18, 0x53, 0x80, 0x67], &body)].concat()
}

fn heard(sent: &[Sent]) -> Decoded {
    of_bytes(&file(RATE_HZ, &["en"], sent, 0))
}

/// The first frame of this value.
fn begins(decoded: &Decoded, value: i16) -> usize {
    let wanted = f32::from(value) / 32_768.0;
    let at = decoded.samples.iter().position(|sample| *sample == wanted);
    at.expect("it is heard")
}

#[test]
fn a_pause_that_was_not_sent_keeps_its_length() {
    let before = (0..10).map(|at| (1, at * 20, 320, 100));
    let after = (0..10).map(|at| (1, 19_200 + at * 20, 320, 200));
    let decoded = heard(&before.chain(after).collect::<Vec<_>>());
    assert_eq!(decoded.frames(), 19_400 * 16);
    assert_eq!(begins(&decoded, 200), 19_200 * 16);
    assert!(matches!(
        decoded.warnings[..],
        [SourceWarning::Missing {
            frames: 304_000,
            places: 1,
            first: 3_200,
            ..
        }]
    ));
}

#[test]
fn rounded_and_trembling_times_are_no_pause() {
    // 1024 frames take 23.2 ms
    let time = |at: u64| at * 1_024 * 1_000 / 44_100;
    let rounded: Vec<Sent> = (0..500).map(|at| (1, time(at), 1_024, 100)).collect();
    let decoded = of_bytes(&file(44_100, &["en"], &rounded, 0));
    assert_eq!(decoded.frames(), 500 * 1_024);
    assert_eq!(decoded.warnings, []);
    let late = |at: u64| at * 20 + [0, 9, 3, 14, 1][at as usize % 5];
    let trembling: Vec<Sent> = (0..500).map(|at| (1, late(at), 320, 100)).collect();
    let decoded = heard(&trembling);
    assert_eq!(decoded.frames(), 500 * 320);
    assert_eq!(decoded.warnings, []);
    // the times jump forward and back, and the jumps do not add up
    let late = |at: u64| at * 20 + at % 2 * 30;
    let leaping: Vec<Sent> = (0..500).map(|at| (1, 100 + late(at), 320, 100)).collect();
    let decoded = heard(&leaping);
    assert_eq!(decoded.frames(), 500 * 320 + 30 * 16, "one leap is made up");
}

#[test]
fn packets_of_a_lace_bear_one_time_and_have_no_pause_behind_them() {
    let sent: Vec<Sent> = (0..50).map(|at| (1, at * 80, 4 * 320, 100)).collect();
    let decoded = of_bytes(&file(RATE_HZ, &["en"], &sent, 3));
    assert_eq!(decoded.frames(), 50 * 4 * 320);
    assert_eq!(decoded.warnings, []);
}

#[test]
fn tracks_are_named_and_chosen() {
    let pairs = (0..20).flat_map(|at| [(1, at * 20, 320, 100), (2, at * 20, 320, 200)]);
    let bytes = file(RATE_HZ, &["en", "de"], &pairs.collect::<Vec<_>>(), 0);
    let decoded = of_bytes(&bytes);
    assert!(decoded.samples.iter().all(|it| *it == 100.0 / 32_768.0));
    let told = decoded.told();
    assert!(told.contains("2 audio tracks (1: en, pcm"), "{told}");
    assert!(told.contains("; 2: de, pcm"), "{told}");
    assert!(told.contains("only track 1 is heard"), "{told}");
    let place = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(place.path(), bytes).expect("written");
    let second = open_file_track(place.path(), 2).and_then(read_all);
    let second = second.expect("it is read");
    assert!(second.samples.iter().all(|it| *it == 200.0 / 32_768.0));
    assert_eq!(second.warnings, []);
    for wanted in [0, 3] {
        let refused = open_file_track(place.path(), wanted)
            .err()
            .expect("refused");
        let told = refused.to_string();
        assert!(
            told.contains(&format!("no audio track {wanted}; legal is 1 to 2")),
            "{told}"
        );
    }
}

#[test]
fn a_live_file_ends_anywhere_without_a_warning() {
    let sent: Vec<Sent> = (0..20).map(|at| (1, at * 20, 320, 100)).collect();
    let start = [
        header(),
        [&[0x18, 0x53, 0x80, 0x67], &UNKNOWN[..]].concat(),
        about(RATE_HZ, &["en"]),
    ];
    let whole = [start.concat(), clusters(&sent, 0)].concat();
    let decoded = of_bytes(&whole);
    assert_eq!(
        (decoded.frames(), decoded.told()),
        (20 * 320, String::new())
    );
    // its clusters may have no length, either
    let open = [0x1f, 0x43, 0xb6, 0x75].iter().chain(&UNKNOWN).copied();
    let blocks = sent
        .iter()
        .flat_map(|it| [number(&[0xe7], it.1), block(it, 0)].concat());
    let whole: Vec<u8> = start
        .concat()
        .into_iter()
        .chain(open)
        .chain(blocks)
        .collect();
    let decoded = of_bytes(&whole);
    assert_eq!(
        (decoded.frames(), decoded.told()),
        (20 * 320, String::new())
    );
}

#[test]
fn a_piece_without_its_beginning_says_so() {
    let sent: Vec<Sent> = (0..20).map(|at| (1, at * 20, 40, 100)).collect();
    let blocks: Vec<u8> = sent.iter().flat_map(|it| block(it, 0)).collect();
    let mp4_box = |name: &[u8; 4]| [&20_u32.to_be_bytes(), &name[..], &[0; 12]].concat();
    let fragment = [mp4_box(b"styp"), mp4_box(b"moof"), mp4_box(b"mdat")].concat();
    let unfinished = [mp4_box(b"ftyp"), mp4_box(b"free"), mp4_box(b"mdat")].concat();
    for (bytes, told) in [
        (clusters(&sent, 0), "no EBML header"),
        (blocks, "no EBML header"),
        (fragment, "without its beginning (no moov)"),
        (unfinished, "without its index (no moov)"),
    ] {
        let place = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(place.path(), bytes).expect("written");
        let error = open_file(place.path()).err().expect("refused");
        assert!(matches!(error, AudioError::NoBeginning { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}
