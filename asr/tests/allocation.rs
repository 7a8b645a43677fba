//! Checks with a counting allocator that the audio path allocates nothing after warm-up. A program
//! has one allocator, so this test is its own program.

#![cfg(feature = "listen")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use weir_asr::{Channels, Listener, SegmenterConfig, SourceSpec};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; the count is a plain cell
// of the calling thread that allocates nothing itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two seconds of a buzz, two of silence: one segment comes out.
fn utterance(rate_hz: usize) -> Vec<f32> {
    (0..rate_hz * 4)
        .map(|i| {
            let t = i as f32 / rate_hz as f32;
            let syllable = (t * 4.0 * std::f32::consts::TAU).sin().max(0.0);
            let voice = (1..20)
                .map(|h| (t * 130.0 * h as f32 * std::f32::consts::TAU).sin() / h as f32)
                .sum::<f32>();
            if t < 2.0 { 0.2 * voice * syllable } else { 0.0 }
        })
        .collect()
}

#[test]
fn a_warm_listener_allocates_nothing() {
    let rate_hz = 48_000;
    let (name, format) = ("made".to_owned(), "raw".to_owned());
    let spec = SourceSpec {
        name,
        format,
        rate_hz,
        channels: 1,
        frames: None,
    };
    let config = SegmenterConfig::default();
    let mut listener = Listener::new(&spec, Channels::Mix, &config).expect("legal");
    let sound = utterance(rate_hz as usize);
    let mut segments = Vec::with_capacity(8);
    let mut given = 0;
    let mut hear = |segments: &mut Vec<_>| {
        for chunk in sound.chunks(1_920) {
            listener.step(chunk, segments);
        }
        for segment in segments.drain(..) {
            given += 1;
            listener.recycle(segment);
        }
    };
    hear(&mut segments);
    hear(&mut segments);
    let before = ALLOCATIONS.with(Cell::get);
    for _ in 0..5 {
        hear(&mut segments);
    }
    let after = ALLOCATIONS.with(Cell::get);
    assert!(given >= 5, "segments came out: {given}");
    assert_eq!(after - before, 0, "allocations in 20 s of sound");
}
