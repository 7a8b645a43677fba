//! Any bytes offered as the image of a session are taken or refused: no panic, no wild allocation.
//!
//! Run as `inputs`, whose header says how, with `image` for its name; `-malloc_limit_mb=64
//! -rss_limit_mb=512` hold it to little memory. The bytes are tried as an image and as changes to
//! real ones.

#![no_main]

#[path = "../interpreter.rs"]
mod interpreter;
#[path = "../mutation.rs"]
mod mutation;

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    mutation::offer(body);
    mutation::offer(&mutation::of_today(body));
    if let Some(image) = mutation::patched(body) {
        mutation::offer(&image);
    }
});
