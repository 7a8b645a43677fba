//! The cache changes nothing, whatever was read and forgotten before.

use std::ops::Range;
use std::path::Path;

use super::super::folder::Folder;
use super::*;

const POSITIONS: usize = 600;

fn decoder(name: &str) -> Decoder {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden");
    let folder = golden.join("tiny-decoders").join(name);
    let (source, config) = Folder::open(&folder).expect("a checkpoint");
    Decoder::load(config, &source, POSITIONS, Device::Cpu).expect("a decoder")
}

fn token(decoder: &Decoder, at: usize) -> u32 {
    (at * 37 % decoder.vocabulary()) as u32
}

fn read(decoder: &mut Decoder, range: Range<usize>, wanted: Wanted) -> Vec<f32> {
    let tokens: Vec<u32> = range.map(|at| token(decoder, at)).collect();
    decoder.read(&tokens, wanted).expect("logits")
}

fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max)
}

#[test]
fn pieces_give_what_the_whole_does() {
    for name in ["llama", "qwen2", "qwen3"] {
        let whole = read(&mut decoder(name), 0..299, Wanted::All);
        let mut model = decoder(name);
        // The last piece is beyond the cache's initial size.
        let pieces = [0..60, 60..61, 61..62, 62..299];
        let pieces = pieces.map(|piece| read(&mut model, piece, Wanted::All));
        let off = apart(&pieces.concat(), &whole);
        assert!(off < 1e-4, "{name}: {off:e}");
        let size = whole.iter().copied().fold(0.0, f32::max);
        assert!(size > 1.0, "{name}: {size}");
    }
}

#[test]
fn what_is_forgotten_leaves_no_trace() {
    for name in ["llama", "qwen2", "qwen3"] {
        let mut model = decoder(name);
        read(&mut model, 100..399, Wanted::None);
        model.truncate(0);
        read(&mut model, 0..30, Wanted::None);
        model.truncate(9);
        let found = read(&mut model, 9..40, Wanted::Last);
        let whole = read(&mut decoder(name), 0..40, Wanted::Last);
        let off = apart(&found, &whole);
        assert!(off < 1e-4, "{name}: {off:e}");
    }
}

#[test]
fn tokens_that_do_not_fit_are_refused() {
    let mut model = decoder("llama");
    let vocabulary = model.vocabulary() as u32;
    for tokens in [vec![], vec![0; POSITIONS + 1], vec![vocabulary]] {
        assert!(model.read(&tokens, Wanted::Last).is_err());
    }
    assert!(model.resident_bytes() > 0);
    assert!(read(&mut model, 0..1, Wanted::None).is_empty());
}
