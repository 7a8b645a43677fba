//! Any bytes are accepted or refused as the image of a session: no panic, no excessive allocation.
//!
//! Run like `inputs` (see its header) with the name `image`; `-malloc_limit_mb=64
//! -rss_limit_mb=512` limit its memory. The bytes are tried as an image and as changes to real
//! ones.

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
