//! Files that are odd but whole: wrong headers, joined files, rare codings.

use crate::damaged::fixture;
use crate::sources::{Decoded, decode, of_bytes};
use weir_asr::SourceWarning;

/// A WAV: tag, channels, rate, bytes a second, block, bits; the rest of the format chunk; chunks
/// before the data.
struct Wav<'a> {
    format: (u16, u16, u32, u32, u16, u16),
    extension: &'a [u8],
    chunks: &'a [u8],
}

impl Wav<'_> {
    fn bytes(&self, data: &[u8]) -> Vec<u8> {
        let (tag, channels, rate, byte_rate, block, bits) = self.format;
        let format = [
            &tag.to_le_bytes()[..],
            &channels.to_le_bytes(),
            &rate.to_le_bytes(),
            &byte_rate.to_le_bytes(),
            &block.to_le_bytes(),
            &bits.to_le_bytes(),
            self.extension,
        ];
        let parts = [
            chunk(b"fmt ", &format.concat()),
            self.chunks.to_vec(),
            chunk(b"data", data),
        ];
        chunk(b"RIFF", &[b"WAVE", &parts.concat()[..]].concat())
    }
}

fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&name[..], &(body.len() as u32).to_le_bytes(), body].concat()
}

fn tone(frames: usize) -> Vec<i16> {
    let one = |at: usize| ((at as f64 * 0.17).sin() * 12_000.0) as i16;
    (0..frames).map(one).collect()
}

/// Signal to noise, in dB.
fn snr(truth: &[i16], heard: &[f32]) -> f64 {
    let mut power = (0.0, 1e-12);
    for (truth, heard) in truth.iter().zip(heard) {
        let truth = f64::from(*truth) / 32_768.0;
        power = (
            power.0 + truth * truth,
            power.1 + (truth - f64::from(*heard)).powi(2),
        );
    }
    10.0 * (power.0 / power.1).log10()
}

fn wav(format: (u16, u16, u32, u32, u16, u16), data: &[u8]) -> Decoded {
    let (extension, chunks) = (&[][..], &[][..]);
    of_bytes(
        &Wav {
            format,
            extension,
            chunks,
        }
        .bytes(data),
    )
}

#[test]
fn bits_decide_where_a_block_contradicts_them() {
    let samples = tone(1_000);
    let data: Vec<u8> = samples.iter().flat_map(|it| it.to_le_bytes()).collect();
    for byte_rate in [32_000, 64_000] {
        let decoded = wav((1, 1, 16_000, byte_rate, 4, 16), &data);
        assert_eq!(decoded.frames(), 1_000);
        assert!(snr(&samples, &decoded.samples) > 90.0);
        let told = decoded.told();
        assert!(
            told.contains("16 bits a sample, but blocks of 4 bytes for 1 channel"),
            "{told}"
        );
    }
    // the laws have one byte a sample
    let decoded = wav((7, 1, 8_000, 16_000, 2, 16), &[0xd5; 500]);
    assert_eq!(decoded.frames(), 500);
    assert!(decoded.told().contains("read as 1 bytes a sample"));
    // 24 bits in four bytes, agreed
    let data: Vec<u8> = samples
        .iter()
        .flat_map(|it| (i32::from(*it) << 8).to_le_bytes())
        .collect();
    let decoded = wav((1, 1, 16_000, 64_000, 4, 24), &data);
    assert_eq!((decoded.frames(), decoded.told()), (1_000, String::new()));
    assert!(snr(&samples, &decoded.samples) > 90.0);
    // no bits at all
    let data: Vec<u8> = samples.iter().flat_map(|it| it.to_le_bytes()).collect();
    let decoded = wav((1, 1, 16_000, 32_000, 2, 0), &data);
    assert_eq!((decoded.frames(), decoded.told()), (1_000, String::new()));
}

const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
    494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272,
    2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493,
    10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];

/// A block of IMA ADPCM of one channel.
fn ima_block(samples: &[i16], index: &mut i32) -> Vec<u8> {
    let [low, high] = samples[0].to_le_bytes();
    let (mut bytes, mut value) = (vec![low, high, *index as u8, 0], i32::from(samples[0]));
    let mut nibble = |sample: i16| {
        let step = STEPS[*index as usize];
        let difference = i32::from(sample) - value;
        let code = (difference.abs() * 4 / step).min(7);
        let change = step / 8
            + [step, step / 2, step / 4]
                .iter()
                .enumerate()
                .fold(0, |all, it| {
                    if code & (4 >> it.0) > 0 {
                        all + it.1
                    } else {
                        all
                    }
                });
        value = (value + change * difference.signum()).clamp(-32_768, 32_767);
        *index = (*index + [-1, -1, -1, -1, 2, 4, 6, 8][code as usize]).clamp(0, 88);
        code as u8 | u8::from(difference < 0) << 3
    };
    let pairs: Vec<u8> = samples[1..]
        .chunks(2)
        .map(|two| nibble(two[0]) | nibble(two.get(1).copied().unwrap_or(0)) << 4)
        .collect();
    bytes.extend(pairs);
    bytes
}

#[test]
fn ima_adpcm_is_read_to_its_last_frame() {
    let samples = tone(5_000);
    let mut index = 0;
    // blocks of 505 frames; the last has 455 and is short
    let blocks = samples.chunks(505).map(|it| ima_block(it, &mut index));
    let data = blocks.collect::<Vec<_>>().concat();
    let format = (0x11, 1, 8_000, 4_055, 256, 4);
    let extension = &[2, 0, 0xf9, 1][..];
    let bytes = Wav {
        format,
        extension,
        chunks: &[],
    }
    .bytes(&data);
    let decoded = of_bytes(&bytes);
    assert_eq!((decoded.frames(), decoded.told()), (5_000, String::new()));
    assert_eq!(decoded.spec.format, "WAV, IMA ADPCM");
    assert!(
        snr(&samples, &decoded.samples) > 20.0,
        "{}",
        snr(&samples, &decoded.samples)
    );
    // the fact chunk states the true end
    let chunks = &chunk(b"fact", &4_900_u32.to_le_bytes())[..];
    let bytes = Wav {
        format,
        extension,
        chunks,
    }
    .bytes(&data);
    assert_eq!(of_bytes(&bytes).frames(), 4_900);
    // half of the file is reported as cut short
    let half = of_bytes(&bytes[..bytes.len() / 2]);
    assert!(half.told().contains("cut short"), "{}", half.told());
}

#[test]
fn gsm_is_refused_by_name() {
    let place = tempfile::NamedTempFile::new().expect("a file");
    let format = (0x31, 1, 8_000, 1_625, 65, 0);
    let (extension, chunks) = (&[2, 0, 64, 1][..], &[][..]);
    let bytes = Wav {
        format,
        extension,
        chunks,
    }
    .bytes(&[0; 65]);
    std::fs::write(place.path(), bytes).expect("written");
    let error = decode(place.path()).err().expect("refused").to_string();
    assert!(error.contains("GSM 6.10 cannot be read"), "{error}");
}

#[test]
fn microsoft_adpcm_is_read() {
    let samples = tone(5_000);
    let block = |samples: &[i16]| {
        let (first, second) = (samples[0], samples.get(1).copied().unwrap_or(0));
        let mut bytes = vec![0, 64, 3];
        bytes.extend(second.to_le_bytes().iter().chain(&first.to_le_bytes()));
        let (mut value, mut delta) = (i32::from(second), 832);
        let mut nibble = |sample: i16| {
            // predictor 0: the sample before
            let code = ((i32::from(sample) - value) / delta).clamp(-8, 7);
            value = (value + code * delta).clamp(-32_768, 32_767);
            let factor = [
                230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230,
            ];
            let at = (code & 15) as usize;
            delta = (factor.get(at).copied().unwrap_or(230) * delta / 256).max(16);
            at as u8
        };
        let rest = samples.get(2..).unwrap_or_default().chunks(2);
        bytes.extend(rest.map(|two| nibble(two[0]) << 4 | nibble(*two.last().unwrap_or(&0))));
        bytes
    };
    let data: Vec<u8> = samples.chunks(500).flat_map(block).collect();
    let format = (2, 1, 8_000, 4_096, 256, 4);
    let extension = &[&[32, 0, 0xf4, 1, 7, 0][..], &[0; 28]].concat()[..];
    let decoded = of_bytes(
        &Wav {
            format,
            extension,
            chunks: &[],
        }
        .bytes(&data),
    );
    assert_eq!((decoded.frames(), decoded.told()), (5_000, String::new()));
    assert!(
        snr(&samples, &decoded.samples) > 15.0,
        "{}",
        snr(&samples, &decoded.samples)
    );
}

/// A frame of MP3 without sound: 1152 frames of 44.1 kHz stereo.
fn silent_mp3() -> Vec<u8> {
    let mut frame = vec![0; 417];
    frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x04]);
    frame
}

/// A frame of AAC without sound, with its ADTS header: 1024 frames.
fn silent_aac(rate_index: u8, channels: u8) -> Vec<u8> {
    let body: &[u8] = match channels {
        1 => &[0, 0, 0, 0x07],
        // two channels that share nothing: head, then gain, form and three flags of each
        _ => &[0x20, 0, 0, 0, 0, 0, 0x0e],
    };
    let length = 7 + body.len() as u8;
    let head = [
        0xff,
        0xf1,
        0x40 | rate_index << 2,
        channels << 6,
        length >> 3,
        length << 5 | 31,
    ];
    [&head[..], &[0xfc], body].concat()
}

/// Where the sound begins, in frames.
fn onset(decoded: &Decoded) -> u64 {
    let at = decoded.samples.iter().position(|it| it.abs() > 0.02);
    at.expect("there is sound") as u64 / u64::from(decoded.spec.channels)
}

fn changes(decoded: &Decoded) -> Option<(u64, u64, (u32, u16))> {
    decoded.warnings.iter().find_map(|it| match it {
        SourceWarning::Changed {
            places, first, to, ..
        } => Some((*places, *first, *to)),
        _ => None,
    })
}

#[test]
fn an_mp3_is_heard_whole_where_its_rate_changes() {
    let voice = fixture("clips/mp3.mp3");
    let alone = of_bytes(&voice);
    let shape = (alone.spec.rate_hz, alone.spec.channels);
    let silence: Vec<u8> = std::iter::repeat_with(silent_mp3)
        .take(40)
        .flatten()
        .collect();
    let joined = of_bytes(&[&silence[..], &voice].concat());
    assert_eq!((joined.spec.rate_hz, joined.spec.channels), (44_100, 2));
    let (places, first, to) = changes(&joined).expect("it is told");
    assert_eq!((places, to), (1, shape));
    assert_eq!(first, 40 * 1_152);
    let scaled = |frames: u64| frames * 44_100 / u64::from(shape.0);
    // the joined file begins without a LAME tag, so the padding of the second file is heard, too
    let most = scaled(alone.frames() + 3_000);
    let voiced = joined.frames() - first;
    assert!((scaled(alone.frames())..most).contains(&voiced), "{voiced}");
    let began = onset(&joined) - first;
    assert!(
        began.abs_diff(scaled(onset(&alone))) < 44_100 / 10,
        "{began}"
    );
    // joined the other way round, the sound after the stated end is heard
    let joined = of_bytes(&[&voice[..], &silence, &voice].concat());
    assert_eq!((joined.spec.rate_hz, joined.spec.channels), shape);
    assert_eq!(changes(&joined).map(|it| it.0), Some(2));
    let least = 2 * alone.frames() + 40 * 1_152 * u64::from(shape.0) / 44_100;
    assert!(
        (least..least + 4_000).contains(&joined.frames()),
        "{least}, {}",
        joined.frames()
    );
    let twice = of_bytes(&[&voice[..], &voice].concat());
    let least = 2 * alone.frames();
    assert!(
        (least..least + 4_000).contains(&twice.frames()),
        "{least}, {}",
        twice.frames()
    );
}

#[test]
fn a_chained_ogg_is_heard_whole_where_its_rate_changes() {
    let voice = fixture("clips/vorbis.ogg");
    let alone = of_bytes(&voice);
    let twice = of_bytes(&[&voice[..], &voice].concat());
    assert_eq!(twice.frames(), 2 * alone.frames());
    assert_eq!(twice.warnings, []);
    if !cfg!(feature = "opus") {
        return;
    }
    let other = fixture("clips/opus.opus");
    let second = of_bytes(&other);
    let joined = of_bytes(&[&voice[..], &other].concat());
    assert_eq!(joined.spec.rate_hz, alone.spec.rate_hz);
    let added = second.frames() * u64::from(alone.spec.rate_hz);
    let added = added.div_ceil(u64::from(second.spec.rate_hz));
    assert_eq!(joined.frames(), alone.frames() + added);
    let to = (second.spec.rate_hz, second.spec.channels);
    assert_eq!(changes(&joined), Some((1, alone.frames(), to)));
}

#[test]
fn raw_aac_is_heard_whole_where_its_rate_changes() {
    let frames = |count: usize, rate_index, channels| {
        let frame = std::iter::repeat_n(silent_aac(rate_index, channels), count);
        frame.collect::<Vec<_>>().concat()
    };
    let joined = [frames(30, 8, 1), frames(40, 4, 2), frames(20, 8, 1)].concat();
    let decoded = of_bytes(&joined);
    assert_eq!((decoded.spec.rate_hz, decoded.spec.channels), (16_000, 1));
    let middle = (40_u64 * 1_024 * 16_000).div_ceil(44_100);
    assert_eq!(decoded.frames(), 50 * 1_024 + middle, "{}", decoded.told());
    assert_eq!(changes(&decoded), Some((2, 30 * 1_024, (44_100, 2))));
}
