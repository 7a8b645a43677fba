//! Properties of any bytes given as an image of a session. Shared by the fuzz target and by
//! `engine/core/tests/it/fuzzed.rs`.

use crate::interpreter::{counter, live};
use std::sync::LazyLock;
use weir_core::answer::Question;
use weir_core::session::{FORMAT, Session};

/// Images of real sessions, from small to full.
pub(crate) static IMAGES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    [40, 400, 1_500, 3_000]
        .into_iter()
        .map(|length: u32| {
            // it begins with a stream, otherwise no utterance would be accepted
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

/// Reads the bytes as an image. An accepted session must be consistent, of proportional size,
/// readable, and equal after writing and reading it again.
///
/// # Panics
/// If it is not.
pub(crate) fn offer(image: &[u8]) -> Option<Session> {
    let session = Session::from_image(image, counter()).ok()?;
    assert_eq!(session.check(), Ok(()));
    let stats = session.stats();
    // words and counts are indexed in addition to the texts, and a node needs more than its bytes
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
        at: weir_core::answer::QuestionTime::default(),
    };
    let recall = session.recall(&question, 200);
    assert!(recall.context.tokens <= 200);
    let _ = (session.held(), session.stream_ms(), session.next_block());
    let written = session.to_image();
    let again = Session::from_image(&written, counter()).expect("its own image");
    assert!(again.to_image() == written);
    Some(session)
}

/// The bytes after the current format number, so that a fuzzer need not find it.
pub(crate) fn of_today(body: &[u8]) -> Vec<u8> {
    [&FORMAT.to_le_bytes()[..], body].concat()
}

/// A real image with changes from the bytes: the index of the image, then position and value, three
/// bytes per change.
pub(crate) fn patched(bytes: &[u8]) -> Option<Vec<u8>> {
    let (which, changes) = bytes.split_first()?;
    let mut image = IMAGES[usize::from(*which) % IMAGES.len()].clone();
    for change in changes.chunks_exact(3) {
        // two bytes address all of a small image, and the important parts of a large one: its
        // beginning, with the numbers of the first nodes, or its end
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
