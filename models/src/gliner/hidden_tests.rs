//! Hidden states of the backbone beside those of transformers.

use std::path::Path;

use serde_json::Value;

use candle_core::Device;

use super::config::{BACKBONE, Config};
use crate::checkpoint::TensorFile;
use crate::deberta::Deberta;

/// The largest difference from the hidden states of transformers.
fn difference(kind: &str) -> f32 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden");
    let folder = folder.join(kind);
    let (_, config) = Config::read(&folder).expect("settings");
    let file = TensorFile::find(&folder, &Device::Cpu).expect("weights");
    let words = format!("{BACKBONE}.embeddings.word_embeddings.weight");
    let tokens = file.shape(&words).expect("an embedding")[0];
    let deberta = Deberta::new(&config, &file, BACKBONE, tokens, 512).expect("a DeBERTa");
    let golden = std::fs::read(folder.join("golden.json")).expect("the golden file is there");
    let golden: Value = serde_json::from_slice(&golden).expect("it is JSON");
    let mut worst: f32 = 0.0;
    for item in golden["hidden"].as_array().expect("a list") {
        let read = |field: &str| serde_json::from_value::<Vec<u32>>(item[field].clone());
        let out = deberta
            .forward(&read("ids").expect("numbers"))
            .expect("a forward pass");
        let out = out.to_vec2::<f32>().expect("a matrix");
        let rows: Vec<Vec<f32>> = serde_json::from_value(item["hidden"].clone()).expect("numbers");
        assert_eq!(rows.len(), 3);
        for (row, expected) in read("rows").expect("numbers").into_iter().zip(rows) {
            for (a, b) in out[row as usize].iter().zip(expected) {
                assert!(a.is_finite());
                worst = worst.max((a - b).abs());
            }
        }
    }
    worst
}

#[test]
fn hidden_states_equal_the_reference() {
    for kind in ["tiny-gliner", "tiny-gliner-plain"] {
        let worst = difference(kind);
        assert!(worst < 1e-5, "{kind} is off by {worst:e}");
    }
}
