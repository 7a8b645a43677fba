//! The fuzz targets of `engine/core/fuzz` as property tests: any inputs keep the invariants of the
//! memory, and any bytes are accepted or refused as an image.

use crate::interpreter;
use crate::mutation::{self, IMAGES};
use proptest::prelude::*;
use weir_core::session::Session;

/// One change to an image.
#[derive(Debug, Clone)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Repeat(prop::sample::Index, u8),
    /// A number of many bytes, like a length or a slot.
    Huge(prop::sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        6 => (at(), 1_u8..).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        1 => at().prop_map(Damage::Cut),
        1 => (at(), 1_u8..).prop_map(|(at, count)| Damage::Repeat(at, count)),
        2 => at().prop_map(Damage::Huge),
    ]
}

fn damaged(image: &[u8], damage: &[Damage]) -> Vec<u8> {
    let mut bytes = image.to_vec();
    for change in damage {
        let size = bytes.len();
        match change {
            // most of an image is vectors; its numbers are at the ends
            Damage::Flip(at, bits) => bytes[at.index(size)] ^= bits,
            Damage::Cut(at) => bytes.truncate(at.index(size) + 1),
            Damage::Repeat(at, count) => {
                let from = at.index(size);
                let to = (from + usize::from(*count)).min(size);
                let piece = bytes[from..to].to_vec();
                bytes.splice(to..to, piece);
            }
            Damage::Huge(at) => {
                let from = at.index(size);
                let to = (from + 1).min(size);
                bytes.splice(from..to, [0xff, 0xff, 0xff, 0xff, 0x0f]);
            }
        }
    }
    bytes
}

#[test]
fn images_of_real_sessions_are_taken() {
    for image in IMAGES.iter() {
        assert!(mutation::offer(image).is_some());
    }
    let full = Session::from_image(&IMAGES[3], interpreter::counter()).unwrap();
    assert!(full.stats().memory.amus > 10, "{:?}", full.stats());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_life_keeps_every_invariant(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        interpreter::live(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn a_damaged_image_is_taken_or_refused(
        which in 0_usize..4,
        damage in proptest::collection::vec(damage(), 1..4),
    ) {
        mutation::offer(&damaged(&IMAGES[which], &damage));
    }

    #[test]
    fn any_bytes_are_taken_or_refused(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        mutation::offer(&body);
        mutation::offer(&mutation::of_today(&body));
        if let Some(image) = mutation::patched(&body) {
            mutation::offer(&image);
        }
    }
}
