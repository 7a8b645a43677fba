//! Products with packed weights, and the roundings around them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::lanes;
use super::linear::{Activations, BlockType, Linear};
use super::packed::{Plain, Product};

/// Random blocks of a file, and the floats they represent.
fn blocks(kind: BlockType, rows: usize, columns: usize) -> (Vec<u8>, Vec<f32>) {
    let (mut bytes, mut floats) = (Vec::new(), Vec::new());
    let mut state = 9_u32;
    let mut chance = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for _ in 0..rows * columns / 32 {
        let half = |x: u8| half::f16::from_f32((f32::from(x) - 100.0) / 700.0);
        let (scale, minimum) = (half(chance()), half(chance()));
        bytes.extend(scale.to_le_bytes());
        if kind == BlockType::Q4_1 {
            bytes.extend(minimum.to_le_bytes());
        }
        let count = if kind == BlockType::Q8_0 { 32 } else { 16 };
        let values: Vec<u8> = (0..count).map(|_| chance()).collect();
        let scale = scale.to_f32();
        floats.extend((0..32).map(|i| match kind {
            BlockType::Q8_0 => f32::from(values[i] as i8) * scale,
            _ => {
                let value = if i < 16 {
                    values[i] & 15
                } else {
                    values[i - 16] >> 4
                };
                let whole = f32::from(value) * scale;
                whole
                    + if kind == BlockType::Q4_1 {
                        minimum.to_f32()
                    } else {
                        -8.0 * scale
                    }
            }
        }));
        bytes.extend(values);
    }
    (bytes, floats)
}

#[test]
fn products_with_packed_weights_are_those_with_their_floats() {
    for kind in [BlockType::Q4_0, BlockType::Q4_1, BlockType::Q8_0] {
        assert_products(kind);
    }
}

fn assert_products(kind: BlockType) {
    let (rows, columns, tokens) = (21, 96, 6);
    let (bytes, floats) = blocks(kind, rows, columns);
    let linear = Linear::packed(rows, columns, kind, &bytes);
    let input: Vec<f32> = (0..tokens * columns)
        .map(|i| ((i * 29) % 83) as f32 / 40.0 - 1.0)
        .collect();
    let mut activations = Activations {
        is_quantised: true,
        ..Activations::default()
    };
    activations.fill(&input, columns);
    let mut out = vec![0.0; tokens * rows];
    linear.multiply(&activations, &mut out).unwrap();
    let mut row = vec![0.0; columns];
    for r in 0..rows {
        linear.row(r, &mut row).unwrap();
        let weights = &floats[r * columns..][..columns];
        for (a, b) in row.iter().zip(weights) {
            assert!((a - b).abs() < 1e-5, "{kind:?}: {a} is not {b}");
        }
        for t in 0..tokens {
            let input = &input[t * columns..][..columns];
            let exact: f32 = input.iter().zip(weights).map(|(x, w)| x * w).sum();
            let size: f32 = weights.iter().map(|w| w * w).sum::<f32>().sqrt();
            // Half a step of 1/127 in each of 96 activations, random in sign.
            let found = out[t * rows + r];
            assert!(
                (found - exact).abs() < size * 0.02,
                "{kind:?}: {found} is not {exact}"
            );
        }
    }
}

#[test]
fn halves_and_powers_are_those_of_the_library() {
    let mut x = 1e-9_f32;
    while x < 60_000.0 {
        for x in [x, -x] {
            assert_eq!(lanes::to_half(x), half::f16::from_f32(x).to_f32(), "{x}");
        }
        x *= 1.000_37;
    }
    // Ties between two halves go to the even one.
    for x in [1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0, 2.5 / 16_777_216.0] {
        assert_eq!(lanes::to_half(x), half::f16::from_f32(x).to_f32(), "{x}");
    }
    for i in -8_700..8_800 {
        let x = i as f32 / 100.0;
        let exact = f64::from(x).exp();
        let off = (f64::from(lanes::exp(x)) - exact).abs() / exact;
        assert!(off < 2.4e-7, "{x}: {off:e}");
    }
}

/// The sums of lanes are bit-identical with and without vector instructions.
#[test]
fn sums_in_lanes_do_not_depend_on_the_processor() {
    let (rows, columns, tokens) = (21, 96, 6);
    let (bytes, _) = blocks(BlockType::Q4_1, rows, columns);
    let linear = Linear::packed(rows, columns, BlockType::Q4_1, &bytes);
    let input: Vec<f32> = (0..tokens * columns)
        .map(|i| ((i * 31) % 97) as f32 / 30.0 - 1.5)
        .collect();
    let mut activations = Activations {
        is_quantised: true,
        ..Activations::default()
    };
    activations.fill(&input, columns);
    let mut found = vec![0.0; tokens * rows];
    linear.multiply(&activations, &mut found).unwrap();
    let Linear::Packed(weights) = &linear else {
        panic!("blocks of four bits are packed");
    };
    let mut plain = vec![1.0; tokens * rows];
    let product = Product {
        weights,
        groups: 0..weights.groups(),
        activations: &activations.quantised,
        tokens: 0..tokens,
        out: &mut plain,
        stride: rows,
    };
    product.run(Plain);
    assert_eq!(found, plain);
}

#[test]
fn an_activation_that_is_no_number_leaves_none_in_its_row() {
    for kind in [BlockType::Q4_0, BlockType::Q4_1, BlockType::Q8_0] {
        let (rows, columns) = (9, 64);
        let linear = Linear::packed(rows, columns, kind, &blocks(kind, rows, columns).0);
        for (bad, count) in [
            (f32::NAN, 1),
            (-f32::NAN, 5),
            (f32::INFINITY, 1),
            (f32::NAN, 32),
        ] {
            let mut input = vec![0.5; 2 * columns];
            input[columns + 7..][..count].fill(bad);
            let mut activations = Activations {
                is_quantised: true,
                ..Activations::default()
            };
            activations.fill(&input, columns);
            let mut out = vec![0.0; 2 * rows];
            linear.multiply(&activations, &mut out).unwrap();
            assert!(
                out[..rows].iter().all(|x| x.is_finite()),
                "{kind:?}: {out:?}"
            );
            assert!(
                out[rows..].iter().all(|x| x.is_nan()),
                "{kind:?} {bad}: {out:?}"
            );
        }
    }
}
