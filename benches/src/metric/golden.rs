//! Results of the reference implementations, from `scripts/golden/make_metrics.py`.

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Golden {
    pub(crate) pairs: Vec<Pair>,
}

#[derive(Deserialize)]
pub(crate) struct Pair {
    pub(crate) answer: String,
    pub(crate) gold: String,
    pub(crate) bleu4: f64,
    pub(crate) rouge_l: f64,
}

pub(crate) fn read() -> Golden {
    let path = weir_fixtures::golden_dir().join("metrics.json");
    let text = std::fs::read_to_string(path).expect("the golden file");
    let golden: Golden = serde_json::from_str(&text).expect("whole");
    assert!(golden.pairs.len() > 30);
    golden
}
