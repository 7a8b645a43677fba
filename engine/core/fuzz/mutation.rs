//! What must hold of any bytes that are offered as an image of a session. Shared by the fuzz target
//! and by `engine/core/tests/it/fuzzed.rs`.

use crate::interpreter::{counter, live};
use std::sync::LazyLock;
use weir_core::answer::Question;
use weir_core::session::{FORMAT, Session};

/// Images of real sessions, from small to full.
pub(crate) static IMAGES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    [40, 400, 1_500, 3_000]
        .into_iter()
        .map(|length: u32| {
            // It begins with a stream, or nothing would be heard.
            let mut life = vec![200, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let mut lot = length;
            life.extend((0..length).map(|_| {
                lot = lot.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (lot >> 24) as u8
            }));
            live(&life).to_image()
        })
        .collect()
});

/// Offers the bytes as an image; what is taken must be sound, of the size of its bytes, readable,
/// and the same again when written and read.
///
/// # Panics
/// When it is not.
pub(crate) fn offer(image: &[u8]) -> Option<Session> {
    let session = Session::from_image(image, counter()).ok()?;
    assert_eq!(session.check(), Ok(()));
    let stats = session.stats();
    // Words and their counts are listed beside the texts, and a node weighs more than its bytes.
    let bytes_max = (1 << 20) + 64 * image.len();
    assert!(
        stats.memory.bytes < bytes_max,
        "{} of {}",
        stats.memory.bytes,
        image.len()
    );
    let question = Question {
        terms: weir_models::Terms::default(),
        text: "Where is the garden?".into(),
        vector: vec![0.0; session.encoder().dimension],
        asked_by: None,
    };
    let recall = session.recall(&question, 200);
    assert!(recall.context_tokens <= 200);
    let _ = (session.held(), session.stream_ms(), session.next_block());
    let written = session.to_image();
    let again = Session::from_image(&written, counter()).expect("its own image");
    assert!(again.to_image() == written);
    Some(session)
}

/// The bytes behind the format number of today, so that a fuzzer need not find it.
pub(crate) fn of_today(body: &[u8]) -> Vec<u8> {
    [&FORMAT.to_le_bytes()[..], body].concat()
}

/// A real image with changes that the bytes say: which image, then where and what, three bytes a
/// change.
pub(crate) fn patched(bytes: &[u8]) -> Option<Vec<u8>> {
    let (which, changes) = bytes.split_first()?;
    let mut image = IMAGES[usize::from(*which) % IMAGES.len()].clone();
    for change in changes.chunks_exact(3) {
        // Two bytes reach all of a small image, and what matters in a large one: its beginning,
        // where the numbers of the first nodes stand, or its end.
        let at = usize::from(change[0]) << 8 | usize::from(change[1]);
        let size = image.len();
        let at = if at % 2 == 0 {
            at / 2
        } else {
            size - 1 - at / 2 % size
        };
        image[at % size] = change[2];
    }
    Some(image)
}
