//! The block quantisations of ggml that whisper.cpp's `quantize` offers.
//!
//! The arithmetic is that of the `quantize_row_*_ref` functions in `ggml-quants.c` of
//! whisper.cpp 1.8, operation by operation in f32, so that the bytes are the same.

use half::f16;

/// Values per block, in every quantisation here.
pub(super) const BLOCK: usize = 32;

/// Format of a model's matrices: blocks of 32 values with their scale in float16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantisation {
    /// 4 bits and a scale: 4.5 bits per weight.
    Q4_0,
    /// 4 bits, a scale and a minimum: 5 bits per weight.
    Q4_1,
    /// 5 bits and a scale: 5.5 bits per weight.
    Q5_0,
    /// 5 bits, a scale and a minimum: 6 bits per weight.
    Q5_1,
    /// 8 bits and a scale: 8.5 bits per weight.
    Q8_0,
}

impl Quantisation {
    /// All of them, the smallest first.
    pub const ALL: [Self; 5] = [Self::Q4_0, Self::Q4_1, Self::Q5_0, Self::Q5_1, Self::Q8_0];

    /// Its name in ggml.
    pub fn name(self) -> &'static str {
        match self {
            Self::Q4_0 => "q4_0",
            Self::Q4_1 => "q4_1",
            Self::Q5_0 => "q5_0",
            Self::Q5_1 => "q5_1",
            Self::Q8_0 => "q8_0",
        }
    }

    /// Their names, for a message.
    pub(super) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The type of a tensor (`ggml_type`).
    pub(super) fn tensor_type(self) -> u32 {
        match self {
            Self::Q4_0 => 2,
            Self::Q4_1 => 3,
            Self::Q5_0 => 6,
            Self::Q5_1 => 7,
            Self::Q8_0 => 8,
        }
    }

    /// The type in a file's header: `ggml_ftype` plus 1000 times the layout version. Version 2
    /// changed all blocks except the five-bit ones; the published five-bit files have version 1.
    pub(super) fn file_type(self) -> u32 {
        match self {
            Self::Q4_0 => 2_002,
            Self::Q4_1 => 2_003,
            Self::Q5_0 => 1_008,
            Self::Q5_1 => 1_009,
            Self::Q8_0 => 2_007,
        }
    }

    /// Bytes of a block.
    pub(super) fn block_bytes(self) -> usize {
        match self {
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
        }
    }

    /// Appends the blocks of `values`, whose number is a multiple of 32.
    pub(super) fn append(self, values: &[f32], out: &mut Vec<u8>) {
        debug_assert!(values.len().is_multiple_of(BLOCK));
        for block in values.chunks_exact(BLOCK) {
            match self {
                Self::Q4_0 => symmetric(block, 8.0, out, append_4),
                Self::Q5_0 => symmetric(block, 16.0, out, append_5),
                Self::Q4_1 => affine(block, 15.0, out, append_4),
                Self::Q5_1 => affine(block, 31.0, out, append_5),
                Self::Q8_0 => eight(block, out),
            }
        }
    }
}

/// 1 / `scale`; 0 if all values are the same.
fn inverse(scale: f32) -> f32 {
    if scale == 0.0 { 0.0 } else { 1.0 / scale }
}

fn append_half(value: f32, out: &mut Vec<u8>) {
    out.extend_from_slice(&f16::from_f32(value).to_le_bytes());
}

/// A symmetric block: the value with the largest magnitude becomes `-half`.
fn symmetric(block: &[f32], half: f32, out: &mut Vec<u8>, append: fn(&[u8; BLOCK], &mut Vec<u8>)) {
    let (mut most, mut extreme) = (0.0f32, 0.0f32);
    for &value in block {
        if most < value.abs() {
            most = value.abs();
            extreme = value;
        }
    }
    let scale = extreme / -half;
    let inverse = inverse(scale);
    append_half(scale, out);
    let top = (2.0 * half - 1.0) as u8;
    let mut codes = [0u8; BLOCK];
    for (code, &value) in codes.iter_mut().zip(block) {
        *code = ((value * inverse + (half + 0.5)) as u8).min(top);
    }
    append(&codes, out);
}

/// A block scaled from its smallest value, 0, to its largest, `top`.
fn affine(block: &[f32], top: f32, out: &mut Vec<u8>, append: fn(&[u8; BLOCK], &mut Vec<u8>)) {
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for &value in block {
        low = if value < low { value } else { low };
        high = if value > high { value } else { high };
    }
    let scale = (high - low) / top;
    let inverse = inverse(scale);
    append_half(scale, out);
    append_half(low, out);
    let mut codes = [0u8; BLOCK];
    for (code, &value) in codes.iter_mut().zip(block) {
        *code = (((value - low) * inverse + 0.5) as u8).min(top as u8);
    }
    append(&codes, out);
}

/// Eight bits; rounds halves away from zero as C does.
fn eight(block: &[f32], out: &mut Vec<u8>) {
    let most = block
        .iter()
        .fold(0.0f32, |most, value| most.max(value.abs()));
    let scale = most / 127.0;
    let inverse = inverse(scale);
    append_half(scale, out);
    out.extend(
        block
            .iter()
            .map(|value| (value * inverse).round() as i8 as u8),
    );
}

/// Four bits: value `i` in the low half of byte `i`, value `i + 16` in its high half.
fn append_4(codes: &[u8; BLOCK], out: &mut Vec<u8>) {
    let (low, high) = codes.split_at(BLOCK / 2);
    out.extend(
        low.iter()
            .zip(high)
            .map(|(a, b)| (a & 15) | ((b & 15) << 4)),
    );
}

/// Five bits: the fifth bits first, value `i` in bit `i`, then as four bits.
fn append_5(codes: &[u8; BLOCK], out: &mut Vec<u8>) {
    let fifth = |(at, code): (usize, &u8)| u32::from(code >> 4) << at;
    let bits: u32 = codes.iter().enumerate().map(fifth).sum();
    out.extend_from_slice(&bits.to_le_bytes());
    append_4(codes, out);
}
