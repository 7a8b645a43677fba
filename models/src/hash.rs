//! Hashes that are the same on every machine and in every release.

/// 64-bit FNV-1a over the kind of a feature and its text.
pub(crate) fn fnv(kind: &str, text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    kind.bytes()
        .chain(text.bytes())
        .fold(OFFSET, |sum, b| (sum ^ u64::from(b)).wrapping_mul(PRIME))
}

/// One step of SplitMix64: turns a hash into a sequence of well-mixed ones.
pub(crate) fn scramble(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
